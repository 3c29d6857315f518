//! When to let other threads have the interpreter, and how Ctrl-C ends work that runs meanwhile.
use freelane::Lane;
use freelane_sync::atomic::{AtomicU64, Ordering};
use freelane_sync::lane_local;
use pyo3::prelude::*;
use std::cell::Cell;
use std::time::{Duration, Instant};

/// How often long work looks for signals.
const LOOK_EVERY: Duration = Duration::from_millis(100);

lane_local! {
    // LEDGER: its thread; when its work last looked for signals
    static LOOKED: Cell<Option<Instant>> = Cell::new(None);
}

/// With a lock, numeric threads wait for each other unless work lets go of it early, as NumPy does; going and coming back
/// costs some 40 ns, and a wait where the lock has been taken meanwhile. Without one, long work only has to let the
/// collector stop the world.
const FIRST_THRESHOLD_NS: u64 = if cfg!(Py_GIL_DISABLED) { 50_000 } else { 5_000 };

// LEDGER: the process; set by the user, read by every call that may be long
static THRESHOLD_NS: AtomicU64 = AtomicU64::new(FIRST_THRESHOLD_NS);

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
    py.detach(move || {
        let work = work.into_inner();
        LOOKED.with(|looked| looked.set(Some(Instant::now())));
        let before = Lane::with(|lane| lane.set_poll(Some(is_interrupted)));
        let done = work();
        Lane::with(|lane| lane.set_poll(before));
        OwnThread(done)
    })
    .into_inner()
}

/// Whether the work should end: a signal handler has raised an exception, which is left for the caller to find.
fn is_interrupted() -> bool {
    let due = LOOKED.with(|looked| looked.get().is_none_or(|at| at.elapsed() >= LOOK_EVERY));
    if !due {
        return false;
    }
    let raised = Python::attach(|py| py.check_signals().map_err(|error| error.restore(py)).is_err());
    LOOKED.with(|looked| looked.set(Some(Instant::now())));
    raised
}
