//! Graphs of array operations.
//!
//! ```text
//! graph.rs      values and nodes; facts are inferred as nodes are added
//! operator.rs   what a node does; call.rs: any function of freelane-ops as one
//! passes/       what makes a graph smaller or faster
//! plan.rs       a graph that is ready to run: frozen, shared by all lanes
//! expr/         arrays that are computed when somebody asks; fuse.rs: functions of them as plans
//! runner.rs     a plan that threads share, with a state for each
//! state.rs      what a lane keeps to run one; memory.rs: which memory its values use
//! ```
//!
//! A [`Plan`] is never written, so any number of lanes run it at once; each has a [`State`] of its own.
#![forbid(unsafe_code)]
mod call;
mod cast;
mod datum;
mod error;
pub mod expr;
mod fact;
mod fuse;
mod graph;
mod limits;
mod memory;
mod operator;
pub mod passes;
mod pick;
mod plan;
mod runner;
mod signatures;
mod state;

pub use call::{Arg, Call};
pub use cast::Cast;
pub use datum::Datum;
pub use error::GraphError;
pub use expr::Expr;
pub use fact::{Dim, Fact, broadcast_dims};
pub use fuse::{Fused, Outputs, compile, fuse, push_signature};
pub use graph::{Graph, Node, Value, ValueId};
pub use limits::{Cancel, Limits, Watch};
pub use operator::{Memo, Operator, Run, run_once};
pub use pick::{Pick, PickItem};
pub use plan::Plan;
pub use runner::{Latency, Measure, Memory, NodeTime, Runner};
pub use signatures::{Found, Signatures};
pub use state::State;
