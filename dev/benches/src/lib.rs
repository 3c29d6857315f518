//! Benches of freelane, and the threads that the sharing audit looks at.
//!
//! A bench states its question in its name (`alloc/small/512B`) and prints one line a thread count, as comma-separated
//! values: name, threads, median nanoseconds per operation, efficiency against one thread. `cargo xtask bench` keeps
//! these lines and compares them.
#![allow(clippy::disallowed_types, reason = "barriers start the threads that are measured")]

pub mod marked;
pub mod pinned;
