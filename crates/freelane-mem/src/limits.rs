//! How much free memory may be kept for reuse.

use freelane_sync::atomic::{AtomicUsize, Ordering};

/// Bounds, in bytes, on free memory that is kept instead of being given back.
///
/// They count blocks from 64 KiB. Besides, a lane keeps at most 512 KiB of each smaller class that it uses, and the depot
/// 2 MiB of each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// What a lane may keep to itself.
    pub lane_bytes: usize,
    /// What all lanes together may keep; each has an equal share, if that is less than `lane_bytes`.
    pub process_bytes: usize,
    /// What the depot behind the lanes may keep.
    pub depot_bytes: usize,
    /// What may wait for the reclaim thread, before lanes unmap memory themselves.
    pub reclaim_backlog: usize,
}

impl Limits {
    /// What holds unless changed.
    pub const DEFAULT: Limits =
        Limits { lane_bytes: 128 << 20, process_bytes: 2 << 30, depot_bytes: 512 << 20, reclaim_backlog: 1 << 30 };
}

impl Default for Limits {
    fn default() -> Limits {
        Limits::DEFAULT
    }
}

// LEDGER: the process; set by the user, read off the hot path.
static LANE: AtomicUsize = AtomicUsize::new(Limits::DEFAULT.lane_bytes);
// LEDGER: the process; set by the user, read off the hot path.
static PROCESS: AtomicUsize = AtomicUsize::new(Limits::DEFAULT.process_bytes);
// LEDGER: the process; set by the user, read off the hot path.
static DEPOT: AtomicUsize = AtomicUsize::new(Limits::DEFAULT.depot_bytes);
// LEDGER: the process; set by the user, read off the hot path.
static BACKLOG: AtomicUsize = AtomicUsize::new(Limits::DEFAULT.reclaim_backlog);

/// Sets the bounds, from the next block freed on. What is over a lowered bound already goes with [`trim`](crate::trim).
pub fn set_limits(limits: Limits) {
    LANE.store(limits.lane_bytes, Ordering::Relaxed);
    PROCESS.store(limits.process_bytes, Ordering::Relaxed);
    DEPOT.store(limits.depot_bytes, Ordering::Relaxed);
    BACKLOG.store(limits.reclaim_backlog, Ordering::Relaxed);
}

/// The bounds in force.
pub fn limits() -> Limits {
    Limits {
        lane_bytes: LANE.load(Ordering::Relaxed),
        process_bytes: PROCESS.load(Ordering::Relaxed),
        depot_bytes: DEPOT.load(Ordering::Relaxed),
        reclaim_backlog: BACKLOG.load(Ordering::Relaxed),
    }
}

/// What one of `lanes` lanes may keep.
pub(crate) fn lane_share(lanes: usize) -> usize {
    LANE.load(Ordering::Relaxed).min(PROCESS.load(Ordering::Relaxed) / lanes.max(1))
}

pub(crate) fn depot_bytes() -> usize {
    DEPOT.load(Ordering::Relaxed)
}

pub(crate) fn reclaim_backlog() -> usize {
    BACKLOG.load(Ordering::Relaxed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lane_gets_its_share_of_the_process() {
        let Limits { lane_bytes, process_bytes, .. } = Limits::DEFAULT;
        assert_eq!((lane_share(0), lane_share(1)), (lane_bytes, lane_bytes));
        assert_eq!(lane_share(100), process_bytes / 100);
    }
}
