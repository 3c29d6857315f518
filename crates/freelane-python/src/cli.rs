//! The command line from Python: what `python -m freelane` runs.
use pyo3::prelude::*;
use std::ffi::OsString;

/// Runs a command line (`eval`, `scale`, `ops`) and returns its exit status.
///
/// The interpreter is free for other threads meanwhile.
#[pyfunction]
#[pyo3(name = "_command")]
pub fn command(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    let program = OsString::from("freelane");
    py.detach(|| freelane_cli::status(std::iter::once(program).chain(arguments)))
}
