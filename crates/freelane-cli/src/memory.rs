//! How much memory a command has used.
use crate::expr::Watch;
use crate::progress::Progress;
use freelane::mem::stats;
use std::cell::Cell;

/// Sees the bytes that arrays hold after each step, and shows progress.
pub struct Peak {
    progress: Progress,
    before: i64,
    bytes: Cell<i64>,
}

impl Peak {
    /// Counts from here on.
    pub fn new(progress: Progress) -> Peak {
        stats::enable();
        Peak { progress, before: live(), bytes: Cell::new(0) }
    }

    /// The most bytes that arrays held after any step, mapped files not included.
    pub fn bytes(&self) -> u64 {
        u64::try_from(self.bytes.get()).unwrap_or(0)
    }
}

impl Watch for Peak {
    fn step(&self) {
        self.bytes.set(self.bytes.get().max(live() - self.before));
        self.progress.step();
    }
}

fn live() -> i64 {
    stats::snapshot().total.live_bytes
}

/// The most memory that the process has held so far, mapped files included; nothing where the system does not say.
pub fn peak_resident_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib * 1024)
}
