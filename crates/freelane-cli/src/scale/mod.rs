//! `freelane scale`: does the line stay straight on this machine?
//!
//! ```text
//! Group = the freelane way, the plain-loop twin that bounds it, the twins with something shared
//!   for each round, for each number of threads: pinned threads start together and run every side in turn
//! Row   = one side at one number of threads: median time per operation, speed-up, efficiency
//! ```
//!
//! Each thread does a fixed number of operations on what it owns. A twin with "contended" in its name does the same and
//! shares one thing besides; where its line bends and freelane's does not, the bench can see contention and there is none.
mod alloc;
pub(crate) mod gate;
mod group;
mod measure;
pub mod plot;
mod report;
mod row;
mod session;
mod temporaries;
mod ufunc;

pub use group::{Group, Side, Workload};
pub use measure::{Cores, Setup, measure};
pub use report::report;
pub use row::Row;
