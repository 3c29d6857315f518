//! What the tests of memory need to see of the process.
#![allow(dead_code, reason = "each test uses a part")]

use std::fs;

pub const MIB: usize = 1 << 20;

/// Bytes of the process that are in memory.
pub fn resident() -> usize {
    let statm = fs::read_to_string("/proc/self/statm").expect("Linux tells what a process uses");
    let pages: usize = statm.split(' ').nth(1).and_then(|pages| pages.parse().ok()).expect("a number of pages");
    pages * 4096
}

/// Page faults of the calling thread so far.
pub fn page_faults() -> i64 {
    // SAFETY: all-zero bytes are a valid `rusage`, which holds integers.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: `usage` is a valid place.
    assert_eq!(unsafe { libc::getrusage(libc::RUSAGE_THREAD, &raw mut usage) }, 0);
    usage.ru_minflt + usage.ru_majflt
}

/// Runs `f` in a forked child; true if it returned.
pub fn in_child(f: impl FnOnce()) -> bool {
    // SAFETY: the child runs `f`, which keeps to what this crate promises after a fork, and leaves.
    let pid = unsafe { libc::fork() };
    assert!(pid >= 0, "fork failed");
    if pid == 0 {
        let ended = std::panic::catch_unwind(std::panic::AssertUnwindSafe(f));
        // SAFETY: ends the child at once, without the destructors of the test harness.
        unsafe { libc::_exit(i32::from(ended.is_err())) };
    }
    let mut status = -1;
    // SAFETY: `pid` is our child and `status` a valid place.
    assert_eq!(unsafe { libc::waitpid(pid, &raw mut status, 0) }, pid);
    libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == 0
}

/// Waits until `condition` holds; false if it takes longer than 10 s.
pub fn soon(mut condition: impl FnMut() -> bool) -> bool {
    (0..1000).any(|_| {
        let holds = condition();
        if !holds {
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        holds
    })
}
