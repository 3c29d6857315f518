//! Which interpreter loads the module.
use pyo3::exceptions::PyImportError;
use pyo3::{PyResult, Python, ffi};

/// Fails in any interpreter but the first one of the process.
///
/// The array type and the module's constants exist once for a process, and objects of one interpreter must not be seen by
/// another. An interpreter that has a lock of its own does not come this far: the import machinery refuses for us.
pub fn is_main(_: Python<'_>) -> PyResult<()> {
    // SAFETY: the token shows that the thread is attached, so there is a current interpreter.
    let current = unsafe { ffi::PyInterpreterState_Get() };
    // SAFETY: `current` is the running interpreter.
    match unsafe { ffi::PyInterpreterState_GetID(current) } {
        0 => Ok(()),
        _ => Err(PyImportError::new_err(
            "freelane works in the main interpreter only, not in subinterpreters; use threads",
        )),
    }
}
