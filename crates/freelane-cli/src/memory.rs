//! How much memory a command has used.
use crate::progress::Progress;
use freelane::graph::Watch;
use freelane::mem::stats;
use std::cell::Cell;

/// Sees the bytes that arrays hold after each step, and shows progress.
pub struct Peak {
    progress: Progress,
    before: Cell<i64>,
    bytes: Cell<i64>,
}

impl Peak {
    /// Counts from here on.
    pub fn new(progress: Progress) -> Peak {
        stats::enable();
        Peak { progress, before: Cell::new(live()), bytes: Cell::new(0) }
    }

    /// Counts from here on, again: what is held now is not looked at.
    pub fn restart(&self) {
        self.before.set(live());
        self.bytes.set(0);
    }

    /// The most bytes that arrays held after any step, beside those there were at the start.
    pub fn bytes(&self) -> u64 {
        u64::try_from(self.bytes.get()).unwrap_or(0)
    }
}

impl Watch for Peak {
    fn step(&self) {
        self.bytes.set(self.bytes.get().max(live() - self.before.get()));
        self.progress.step();
    }
}

fn live() -> i64 {
    stats::snapshot().total.live_bytes
}

/// What the system counts as the process's memory.
pub struct Resident {
    /// The most so far, files that are mapped included.
    pub peak_bytes: u64,
    /// How much of it now are pages of files, which the system takes back when it needs them.
    pub file_bytes: u64,
}

/// The process's memory; nothing where the system does not say.
pub fn resident() -> Option<Resident> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let bytes = |field: &str| -> Option<u64> {
        let line = status.lines().find_map(|line| line.strip_prefix(field))?;
        let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
        Some(kib * 1024)
    };
    Some(Resident { peak_bytes: bytes("VmHWM:")?, file_bytes: bytes("RssFile:")? })
}
