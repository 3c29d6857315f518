//! Buffers and the lane-owned heaps they come from.
//!
//! ```text
//!  BufferMut --freeze--> Buffer            one pointer each, to a descriptor that is made with its block and kept with it
//!      |
//!  lane's heap     magazines (< 64 KiB)    cache of large blocks, within a bound            the lane's alone
//!  process         shelves of chains       depot of large blocks, within a bound            handed over, never waited for
//!  system          mimalloc                mimalloc, from 1 MiB a mapping in huge pages     reclaim thread unmaps
//! ```
//!
//! In steady state taking and releasing memory makes no system call and writes no cache line that another lane reads, whatever
//! the size. All sizes are checked, every allocation may fail with a [`MemError`], and the process goes on. Memory that is
//! kept for reuse is bounded by [`Limits`], seen in [`MemStats`] and given back by [`trim`].
//!
//! A forked child can allocate and free; it starts with an empty depot and a reclaim thread of its own. What other lanes of
//! the parent had cached stays unused in it.
//!
//! Nothing in here knows element types beyond their size, and nothing installs a global allocator.

mod allocator;
mod bare;
mod block;
mod block_cache;
mod buffer;
mod buffer_mut;
mod chain;
mod counts;
mod error;
mod heap;
mod lane_heap;
mod limits;
mod magazine;
mod map;
mod mapping;
mod modes;
mod owner;
mod process;
mod reclaim;
mod scratch_req;
mod size_class;
pub mod stats;
mod system;
mod trim;
mod workspace;

pub use allocator::Allocator;
pub use bare::Bare;
pub use buffer::Buffer;
pub use buffer_mut::BufferMut;
pub use error::MemError;
pub use heap::Heap;
pub use limits::{Limits, limits, set_limits};
pub use modes::set_debug_fill;
pub use owner::OwnerId;
pub use scratch_req::ScratchReq;
pub use size_class::SizeClass;
pub use stats::{MemStats, OwnerStats};
pub use trim::trim;
pub use workspace::Workspace;

/// The alignment of memory for which nothing else is asked: a cache line.
pub const DEFAULT_ALIGN: usize = 64;

/// The largest alignment that can be asked for.
pub const MAX_ALIGN: usize = 1 << 30;
