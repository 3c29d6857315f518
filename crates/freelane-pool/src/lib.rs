//! Lanes and a static-partition thread pool.
//!
//! A [`Lane`] is what one thread owns: its heap, its scratch memory, its index. A [`Runtime`] is a handle with a fixed
//! set of workers; while it is [installed](Runtime::install), [`Lane::par_for`] splits large loops over them. Without
//! one every loop runs on the caller, so N user threads scale with N and two libraries in one process cannot fight
//! over a pool: there is no global one.
//!
//! ```
//! use freelane_pool::Runtime;
//! let runtime = Runtime::new(2)?;
//! let squares: Vec<_> = (0..1000).map(|_| std::sync::OnceLock::new()).collect();
//! runtime.install(|lane| {
//!     lane.par_for(squares.len(), 1_000_000, &|_lane, i| squares[i].set(i * i).unwrap());
//! });
//! assert_eq!(squares[31].get(), Some(&961));
//! # Ok::<(), freelane_pool::PoolError>(())
//! ```
//!
//! Not here: work stealing, futures, scopes, priorities. `README.md` beside this file tells the protocol.

mod affinity;
#[cfg(target_os = "linux")]
mod cgroup;
mod error;
mod lane;
mod poll;
mod region;
mod reserve;
mod runtime;
mod scopes;
mod sizing;
mod team;

pub use affinity::{allowed_cores, pin_to_core};
pub use error::PoolError;
pub use lane::{Lane, SPLIT_NS};
pub use poll::{Interrupted, POLL_NS};
pub use reserve::Reserve;
pub use runtime::{MAX_THREADS, Runtime, RuntimeBuilder};
