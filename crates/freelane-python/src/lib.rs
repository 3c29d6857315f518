//! The Python module `freelane._freelane`.
use pyo3::prelude::*;

/// Arrays and functions whose threads share nothing on the hot path.
#[pymodule(gil_used = false)]
fn _freelane(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    Ok(())
}
