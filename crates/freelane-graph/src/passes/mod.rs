//! Passes: what makes a graph smaller or faster without changing what it computes.
//!
//! Each is one file with one function of a graph, and says what stays of the values that are still there after it; check.rs
//! compares them. [`PASSES`] has them in the order they run.
mod check;
mod dead;
mod fold;
mod fuse;
mod join;
mod merge;
mod same;

pub use check::Trace;
pub use fold::{Budget, computed};

use crate::{Graph, GraphError};
use freelane_pool::Lane;
use std::fmt;

/// What a pass promises of each value that is there before and after it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Keeps {
    /// Every bit, but for the payload of a NaN.
    Bits,
    /// Numbers, up to this part of the largest one of the value.
    Near(f64),
}

impl fmt::Display for Keeps {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Keeps::Bits => f.write_str("bits"),
            Keeps::Near(part) => write!(f, "numbers within {part:e} of the largest"),
        }
    }
}

/// A pass.
#[derive(Clone, Copy)]
pub struct Pass {
    /// Its name.
    pub name: &'static str,
    /// What it does.
    pub doc: &'static str,
    /// What it promises.
    pub keeps: Keeps,
    /// Does it. What is computed ahead is taken from the budget.
    pub run: fn(&Lane, &mut Graph, &mut Budget) -> Result<(), GraphError>,
}

const fn pass(
    name: &'static str,
    doc: &'static str,
    run: fn(&Lane, &mut Graph, &mut Budget) -> Result<(), GraphError>,
) -> Pass {
    Pass { name, doc, keeps: Keeps::Bits, run }
}

/// All passes of any graph, in the order they run.
pub const PASSES: &[Pass] = &[
    pass("fold", "computes ahead what is the same in every run", fold::run),
    pass("merge", "makes one node of those that compute the same", merge::run),
    pass("dead", "drops what nobody reads", dead::run),
    pass("join", "makes biases and activations part of what is before them", join::run),
    pass("fuse", "runs groups of elementwise functions tile by tile", fuse::run),
];

/// Runs all [`PASSES`].
///
/// # Errors
/// As [`run`].
pub fn optimize(lane: &Lane, graph: &mut Graph) -> Result<(), GraphError> {
    run(lane, graph, PASSES, &mut Budget::default())
}

/// Runs passes, one after another.
///
/// # Errors
/// When memory cannot be had. A node that fails when it is computed ahead stays where it is.
pub fn run(lane: &Lane, graph: &mut Graph, passes: &[Pass], budget: &mut Budget) -> Result<(), GraphError> {
    passes.iter().try_for_each(|pass| (pass.run)(lane, graph, budget))
}
