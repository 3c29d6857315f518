//! When to let other threads have the interpreter.
use freelane_sync::atomic::{AtomicU64, Ordering};
use pyo3::prelude::*;

// LEDGER: the process; set by the user, read by every call that may be long
static THRESHOLD_NS: AtomicU64 = AtomicU64::new(50_000);

/// The estimated time from which work runs detached, in nanoseconds.
pub(crate) fn threshold_ns() -> u64 {
    THRESHOLD_NS.load(Ordering::Relaxed)
}

/// Sets the time from which work runs detached.
pub(crate) fn set_threshold_ns(ns: u64) {
    THRESHOLD_NS.store(ns, Ordering::Relaxed);
}

/// A value taken along by its own thread.
struct OwnThread<T>(T);
// SAFETY: `run` calls the closure on the thread that made it; nothing is sent anywhere.
unsafe impl<T> Send for OwnThread<T> {}

impl<T> OwnThread<T> {
    fn into_inner(self) -> T {
        self.0
    }
}

/// Runs work that takes about `cost_ns`, detached from the interpreter if that is long. The work must not touch Python
/// objects.
#[inline(always)]
pub(crate) fn run<R>(py: Python<'_>, cost_ns: u64, work: impl FnOnce() -> R) -> R {
    if cost_ns < threshold_ns() {
        return work();
    }
    detached(py, work)
}

#[inline(never)]
pub(crate) fn detached<R>(py: Python<'_>, work: impl FnOnce() -> R) -> R {
    let work = OwnThread(work);
    py.detach(move || OwnThread(work.into_inner()())).into_inner()
}
