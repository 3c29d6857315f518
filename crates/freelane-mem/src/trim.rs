//! Giving memory back on request.

use crate::lane_heap::LaneHeap;
use crate::process::Process;
use crate::system;
use freelane_sync::atomic::{AtomicUsize, Ordering};

// LEDGER: the process; counts calls of `trim`, lanes read it when a magazine is empty or full.
static EPOCH: AtomicUsize = AtomicUsize::new(0);

pub(crate) fn epoch() -> usize {
    EPOCH.load(Ordering::Relaxed)
}

/// Gives all free memory that is kept for reuse back to the system, and returns its bytes.
///
/// It takes what this lane, the depot and the reclaim thread's backlog hold, and the large blocks (64 KiB and up) of all
/// other lanes, also of those that sleep. The small blocks of another lane only that lane can give back: it does when a
/// magazine of its own next runs empty or full.
pub fn trim() -> usize {
    EPOCH.fetch_add(1, Ordering::Relaxed);
    let own = LaneHeap::here().map_or(0, LaneHeap::trim_own);
    let large: usize = LaneHeap::all().map(LaneHeap::trim_large).sum();
    let depot = Process::here().trim();
    system::collect();
    own + large + depot
}
