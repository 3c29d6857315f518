//! Makes the interpreter's facts known as `cfg`s, `Py_GIL_DISABLED` for one.
fn main() {
    pyo3_build_config::use_pyo3_cfgs();
}
