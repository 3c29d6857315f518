//! Noticing that the process is a forked child: the threads and locks of its parent are not there.

// Not through the door: the count belongs to the process, not to a run of a model.
use std::sync::atomic::{AtomicU64, Ordering};

// LEDGER: the process; written by a forked child before it has a second thread, read by all
static FORKS: AtomicU64 = AtomicU64::new(0);

/// Remembers in which process something was made. Comparing is one load; no system call.
///
/// Forks by a bare `clone` system call, past the C library, go unnoticed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProcessStamp(u64);

impl ProcessStamp {
    /// The stamp of this process.
    pub fn here() -> Self {
        watch();
        Self(FORKS.load(Ordering::Relaxed))
    }

    /// False in a forked child of the process that took the stamp.
    #[inline]
    pub fn is_here(self) -> bool {
        // Relaxed: only the one thread that survives a fork writes, before any other thread of the child exists.
        self.0 == FORKS.load(Ordering::Relaxed)
    }
}

#[cfg(unix)]
fn watch() {
    // LEDGER: the process; the fork handler is installed once
    static WATCH: std::sync::Once = std::sync::Once::new();
    extern "C" fn in_child() {
        FORKS.fetch_add(1, Ordering::Relaxed);
    }
    WATCH.call_once(|| {
        // SAFETY: the handler only adds to an atomic, which is allowed between fork and exec.
        unsafe { libc::pthread_atfork(None, None, Some(in_child)) };
    });
}

#[cfg(not(unix))]
fn watch() {}

#[cfg(all(test, unix, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_child_knows_that_it_is_one() {
        let stamp = ProcessStamp::here();
        // SAFETY: the child only compares a number and leaves.
        let pid = unsafe { libc::fork() };
        if pid == 0 {
            let code = if stamp.is_here() || !ProcessStamp::here().is_here() { 1 } else { 0 };
            // SAFETY: ends the child at once, without the test harness's destructors.
            unsafe { libc::_exit(code) };
        }
        let mut status = -1;
        // SAFETY: `pid` is our child and `status` a valid place.
        assert_eq!(unsafe { libc::waitpid(pid, &mut status, 0) }, pid);
        assert_eq!(status, 0);
        assert!(stamp.is_here());
    }
}
