//! Statistics: off at first, switched at run time, counted by each lane for itself and added up when read.
//!
//! ```
//! use freelane_mem::{BufferMut, OwnerId, Heap, stats};
//! let loader = OwnerId::register("loader");
//! stats::enable();
//! let batch = Heap::with(|heap| heap.owned_by(loader, || BufferMut::zeroed(1000)))?;
//! let report = stats::snapshot();
//! assert_eq!(report.owner(loader).unwrap().live_bytes, 1024);
//! # drop(batch);
//! # stats::disable();
//! # Ok::<(), freelane_mem::MemError>(())
//! ```

use crate::counts::Sums;
use crate::lane_heap::LaneHeap;
use crate::modes::{STATS, modes, switch};
use crate::owner::{MAX_OWNERS, OwnerId};
use crate::process::Process;
use freelane_sync::Mutex;
use freelane_sync::atomic::Ordering;

/// Memory in use, by owner, and memory kept for reuse.
///
/// Counts run from [`enable`] or the last [`reset`]. A block freed later than a reset, or while counting is off, counts for
/// whoever allocated it, so live figures are signed. Sizes are those of the blocks (see [`SizeClass`](crate::SizeClass)).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct MemStats {
    /// All owners together.
    pub total: OwnerStats,
    /// Every owner that has allocated or freed anything.
    pub owners: Vec<OwnerStats>,
    /// Lanes that have a heap now.
    pub lanes: usize,
    /// Bytes of large free blocks that lanes keep to themselves.
    pub lane_bytes: usize,
    /// Bytes of large free blocks in the depot.
    pub depot_bytes: usize,
    /// Bytes that wait for the reclaim thread.
    pub backlog_bytes: usize,
}

/// What one owner has allocated and freed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct OwnerStats {
    /// The owner's name; empty for the sum of all.
    pub name: String,
    /// Blocks allocated.
    pub allocations: u64,
    /// Their bytes.
    pub allocated_bytes: u64,
    /// Blocks freed.
    pub frees: u64,
    /// Blocks not freed yet.
    pub live_blocks: i64,
    /// Their bytes.
    pub live_bytes: i64,
}

// LEDGER: the process; the sums at the last reset, by owner, written by `reset`, read by `snapshot`.
static SINCE: Mutex<Vec<Sums>> = Mutex::new(Vec::new());

/// Starts to count.
pub fn enable() {
    switch(STATS, true);
}

/// Stops counting allocations. Blocks counted already are still counted when they are freed.
pub fn disable() {
    switch(STATS, false);
}

/// Whether allocations are being counted.
pub fn is_enabled() -> bool {
    modes() & STATS != 0
}

/// Starts all counts from zero.
pub fn reset() {
    *SINCE.lock() = (0..MAX_OWNERS).map(sums).collect();
}

/// The counts now. Lanes go on meanwhile, so counts of different lanes may differ by what they do in that time.
pub fn snapshot() -> MemStats {
    let since = SINCE.lock().clone();
    let of_owner = |index| sums(index).minus(since.get(index).copied().unwrap_or_default());
    let all: Vec<Sums> = (0..MAX_OWNERS).map(of_owner).collect();
    let named = all.iter().enumerate().filter(|(_, sums)| **sums != Sums::default());
    let process = Process::here();
    MemStats {
        total: OwnerStats::new(String::new(), all.iter().fold(Sums::default(), |a, b| a.plus(*b))),
        owners: named.map(|(index, sums)| OwnerStats::new(OwnerId::from_index(index).name(), *sums)).collect(),
        lanes: process.lanes.load(Ordering::Relaxed),
        lane_bytes: LaneHeap::all().map(LaneHeap::large_bytes).sum(),
        depot_bytes: process.depot_bytes(),
        backlog_bytes: process.reclaimer.backlog(),
    }
}

fn sums(owner: usize) -> Sums {
    LaneHeap::all().map(|heap| heap.counts.sums(owner)).fold(Sums::default(), Sums::plus)
}

impl MemStats {
    /// The counts of one owner, if it has any.
    pub fn owner(&self, owner: OwnerId) -> Option<&OwnerStats> {
        let name = owner.name();
        self.owners.iter().find(|stats| stats.name == name)
    }
}

impl OwnerStats {
    fn new(name: String, sums: Sums) -> OwnerStats {
        OwnerStats {
            name,
            allocations: sums.allocations,
            allocated_bytes: sums.allocated_bytes,
            frees: sums.frees,
            live_blocks: sums.allocations.wrapping_sub(sums.frees) as i64,
            live_bytes: sums.allocated_bytes.wrapping_sub(sums.freed_bytes) as i64,
        }
    }
}
