//! Passes: what makes a graph smaller or faster without changing what it computes.
//!
//! Each is one file with one function of a graph. [`PASSES`] has them in the order they run.
mod dead;
mod fold;
mod fuse;
mod join;
mod merge;
mod same;

pub use fold::{Budget, computed};

use crate::{Graph, GraphError};
use freelane_pool::Lane;

/// A pass.
pub struct Pass {
    /// Its name.
    pub name: &'static str,
    /// What it does.
    pub doc: &'static str,
    run: fn(&Lane, &mut Graph) -> Result<(), GraphError>,
}

/// All passes, in the order they run.
pub const PASSES: &[Pass] = &[
    Pass { name: "fold", doc: "computes ahead what is the same in every run", run: fold::run },
    Pass { name: "merge", doc: "makes one node of those that compute the same", run: merge::run },
    Pass { name: "dead", doc: "drops what nobody reads", run: dead::run },
    Pass { name: "join", doc: "makes biases and activations part of what is before them", run: join::run },
    Pass { name: "fuse", doc: "runs groups of elementwise functions tile by tile", run: fuse::run },
];

/// Runs the passes, up to and with the one of a name, or all.
///
/// # Errors
/// When there is no pass of that name. A node that fails when it is computed ahead stays where it is.
pub fn optimize(lane: &Lane, graph: &mut Graph, until: Option<&str>) -> Result<(), GraphError> {
    let count = match until {
        None => PASSES.len(),
        Some(name) => {
            1 + PASSES.iter().position(|p| p.name == name).ok_or_else(|| {
                let names: Vec<&str> = PASSES.iter().map(|p| p.name).collect();
                GraphError::invalid(format!("there is no pass {name}; there are {}", names.join(", ")))
            })?
        }
    };
    PASSES[..count].iter().try_for_each(|pass| (pass.run)(lane, graph))
}
