//! `freelane.jit`: Python functions of arrays as plans.
//!
//! ```text
//! compiled.rs   the function that Python calls: finds the plan of its arguments, or traces
//! tree.rs       arguments and results: arrays in tuples, lists and dictionaries, and what is no array
//! tracer.rs     the arrays that a traced function sees; index.rs their indexing
//! record.rs     rows called with those
//! ```
//!
//! A traced function runs once for each set of types, shapes and numbers that it is called with. Its arrays have types and
//! shapes, and no elements.
mod compiled;
mod index;
mod record;
mod tracer;
mod tree;

pub(crate) use record::{holds_tracer, native, row, ufunc};
use tracer::Tracer;
pub(crate) use tracer::is_tracer;

use pyo3::prelude::*;

pub(crate) fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    // Private names are set and not added, which would export them.
    module.setattr("_Jit", py.get_type::<compiled::Jit>())?;
    module.setattr("_Tracer", py.get_type::<Tracer>())
}
