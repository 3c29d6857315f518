//! What the rows say of themselves. The generator of the stub reads it: a signature names parameters, but not what they take.
use freelane::{Function, Op, Run};
use pyo3::prelude::*;

/// What the stub needs of a row: its namespace, its name, names and kinds of its parameters, and names of its results: one
/// for each, none if they are nameless; nothing for a function of one result.
type Row = (&'static str, &'static str, Vec<(&'static str, String)>, Option<Vec<&'static str>>);

/// Every row.
#[pyfunction]
#[pyo3(name = "_rows")]
pub fn rows() -> Vec<Row> {
    let params = |row: Function| row.params().iter().map(|p| (p.shown_name(), format!("{:?}", p.kind))).collect();
    let results = |row: Function| match row {
        Function::Op(Op { run: Run::Many(names, _), .. }) => Some(names.to_vec()),
        _ => None,
    };
    freelane::functions().map(|(namespace, row)| (namespace, row.name(), params(row), results(row))).collect()
}
