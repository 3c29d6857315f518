//! The Python module `freelane._freelane`.
//!
//! ```text
//! native.rs     how Python calls: table of functions and methods, arguments matched to parameters
//! functions.rs  rows of freelane-ops as functions and methods
//! object.rs     the array object; slots.rs its operators, attributes.rs its attributes, index.rs its indexing
//! convert.rs    Python objects as operands and values; creation.rs as arrays; dtype.rs data types
//! session.rs    models, cancel.rs what ends their runs; jit/ functions that run as plans
//! interpreter.rs, cli.rs, rows.rs   the main interpreter only; the command line; what the stub is written from
//! ```
//!
//! Everything that Python calls often is raw: static types, fast calls, memory of dead objects kept by their thread. Nothing
//! there writes a cache line that another thread reads. PyO3 serves the rest.
mod arrow;
mod attributes;
mod buffer;
mod cancel;
mod cli;
mod convert;
mod creation;
mod detach;
mod dlpack;
mod dtype;
mod errors;
mod flag;
mod foreign;
mod functions;
mod in_place;
mod index;
mod interpreter;
mod io;
mod jit;
mod memory;
mod native;
mod nested;
mod numpy;
mod numpy_allocator;
mod object;
mod pickle;
mod promotion;
mod results;
mod rows;
mod session;
mod slots;
mod spare;

use native::{Getter, Native};
use pyo3::prelude::*;

/// The functions written by hand, file by file.
fn natives() -> impl Iterator<Item = &'static Native> {
    let files = [creation::FUNCTIONS, memory::FUNCTIONS, dlpack::FUNCTIONS, io::FUNCTIONS, pickle::FUNCTIONS];
    files.into_iter().chain([promotion::FUNCTIONS]).flatten()
}

/// The short ways, by the signature of the function that they serve.
fn quick(signature: &str) -> Option<native::QuickFn> {
    creation::QUICK.iter().find(|(of, _)| *of == signature).map(|(_, quick)| *quick)
}

/// The methods written by hand, file by file.
fn native_methods() -> impl Iterator<Item = &'static Native> {
    let files = [attributes::METHODS, arrow::METHODS, dlpack::METHODS, in_place::METHODS, numpy::METHODS];
    files.into_iter().chain([pickle::METHODS]).flatten()
}

/// The attributes of an array, file by file.
fn getters() -> impl Iterator<Item = &'static Getter> {
    [attributes::GETTERS, numpy::GETTERS].into_iter().flatten()
}

/// Arrays and functions whose threads share nothing on the hot path.
#[pymodule(gil_used = false)]
fn _freelane(module: &Bound<'_, PyModule>) -> PyResult<()> {
    interpreter::is_main(module.py())?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    slots::add_to(module)?;
    dtype::add_to(module)?;
    results::add_to(module)?;
    native::add_functions(module)?;
    module.add_class::<memory::Parallel>()?;
    module.add_class::<session::Session>()?;
    module.add_class::<cancel::Cancel>()?;
    jit::add_to(module)?;
    // Private names are set and not added, which would export them.
    module.setattr("_command", wrap_pyfunction!(cli::command, module)?)?;
    module.setattr("_deferred", wrap_pyfunction!(object::deferred, module)?)?;
    module.setattr("_fill", wrap_pyfunction!(numpy::fill, module)?)?;
    module.setattr("_rows", wrap_pyfunction!(rows::rows, module)?)?;
    numpy_allocator::register(module)
}
