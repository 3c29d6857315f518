//! Locks, atomics, thread-locals and hand-over queues: the one place where lanes may share.
//!
//! A lane touches what it owns, what is frozen, or what was handed to it. The types here are the exceptions, each with
//! one purpose: [`Mutex`] and [`Condvar`] for what is cold, [`Parker`] to wait, [`OnceTable`] for what is built once and
//! then frozen, [`Queue`] and [`Shelf`] to hand things over, [`RefCount`] to share them, [`PerLane`] and [`Tally`] to count
//! apart and add up, [`lane_local!`] and [`lane_index`] for what a thread owns, [`CachePadded`] to keep owners apart.
//!
//! Everything enters through one door: under `--cfg loom` the same names are the model checker's, so a protocol written
//! on them is checked as it stands. Nothing here allocates on a hot path, and nothing knows what it protects.
#![allow(clippy::disallowed_types)]

mod borrow_flag;
mod cache_padded;
mod crew;
mod door;
mod ffi_static;
mod lane_index;
mod lane_local;
mod once_table;
mod parker;
mod per_lane;
mod queue;
mod refcount;
mod shelf;
mod slot;
mod stamp;
mod tally;
#[cfg_attr(any(not(unix), loom), path = "this_thread_guard.rs")]
mod this_thread;

pub use borrow_flag::BorrowFlag;
pub use cache_padded::CachePadded;
pub use crew::{Leader, Lost, Member, crew};
pub use door::{Condvar, Mutex, MutexGuard, atomic, cell, hint, model, thread};
pub use ffi_static::FfiStatic;
pub use lane_index::lane_index;
pub use once_table::OnceTable;
pub use parker::{Parker, spin_until};
pub use per_lane::PerLane;
pub use queue::{PushError, Queue};
pub use refcount::RefCount;
pub use shelf::Shelf;
pub use slot::Slot;
pub use stamp::ProcessStamp;
pub use tally::Tally;
pub use this_thread::on_thread_exit;

#[cfg(loom)]
#[doc(hidden)]
pub use ::loom as __loom;
