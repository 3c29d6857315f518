//! The Python module `freelane._freelane`.
mod cli;
mod interpreter;

use pyo3::prelude::*;

/// Arrays and functions whose threads share nothing on the hot path.
#[pymodule(gil_used = false)]
fn _freelane(module: &Bound<'_, PyModule>) -> PyResult<()> {
    interpreter::is_main(module.py())?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_function(wrap_pyfunction!(cli::command, module)?)?;
    Ok(())
}
