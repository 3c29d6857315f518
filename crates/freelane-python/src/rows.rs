//! What the rows say of themselves. The generator of the stub reads it: a signature names parameters, but not what they take.
use freelane::Function;
use pyo3::prelude::*;

/// Every row: its name, and the names and kinds of its parameters.
#[pyfunction]
#[pyo3(name = "_rows")]
pub fn rows() -> Vec<(&'static str, Vec<(&'static str, String)>)> {
    let params = |row: Function| row.params().iter().map(|p| (p.shown_name(), format!("{:?}", p.kind))).collect();
    Function::all().map(|row| (row.name(), params(row))).collect()
}
