//! Functions of the program's own, made of closures and called like built-in rows.
//!
//! ```text
//! UserFunc::builder(name, params) .map(|x: f64| ..) .map(|x: f32| ..) .register()  -> UserFunc       (elementwise)
//! UserReduction::builder(name)    .fold(identity, lift, combine, finish) .register() -> UserReduction
//! Registry                        names of built-in rows and of these, for whoever takes one by argument
//! ```
//!
//! A handle holds a table that no longer changes, and nothing else knows of it: there is no list of the process to add to.
//! Sharing a handle is cloning it; calling it touches nothing that lanes share. What a closure captures is its own affair.
//!
//! A closure that panics ends the call with [`OpsError::Panicked`]; the handle and the arrays stay as good as they were.
mod elementwise;
mod fold;
mod loops;
mod reduction;
mod tile;

pub use elementwise::{UserFunc, UserFuncBuilder};
pub use loops::{ScalarFn, SliceFn};
pub use reduction::{UserReduction, UserReductionBuilder};

use crate::{Operand, OpsError, promote};
use freelane_array::DType;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs work that calls closures of the program: a panic is an error.
///
/// What the work leaves behind is dropped or said to be half written, so nothing broken is seen afterwards.
fn guarded<T>(op: &'static str, work: impl FnOnce() -> Result<T, OpsError>) -> Result<T, OpsError> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|payload| {
        let message = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
        let message = message.or_else(|| payload.downcast_ref::<String>().cloned());
        // A payload may panic as it is dropped.
        std::mem::forget(payload);
        Err(OpsError::Panicked { op, message: message.unwrap_or_else(|| "no message".to_owned()) })
    })
}

/// Whether a loop that reads `dtype` takes an operand; beside arrays, numbers give way within their kind.
fn takes(dtype: DType, operand: &Operand<'_>, beside_arrays: bool) -> bool {
    match *operand {
        Operand::Array(a) => promote::promote_types(a.dtype(), dtype) == dtype,
        Operand::Scalar(s) if beside_arrays => promote::promote_scalar(dtype, s) == dtype,
        Operand::Scalar(s) => promote::promote_types(s.default_dtype(), dtype) == dtype,
    }
}

/// Names are what `freelane eval` and Python can call.
fn check_name(name: &'static str, what: &str) -> Result<(), OpsError> {
    let starts = name.starts_with(|c: char| c.is_alphabetic() || c == '_');
    match starts && name.chars().all(|c| c.is_alphanumeric() || c == '_') {
        true => Ok(()),
        false => {
            Err(OpsError::argument("register", format!("{name:?} is no name of a {what}: letters, digits and _ are")))
        }
    }
}
