//! A forked child has none of its parent's other threads: loops there must neither hang nor lose tasks.
#![cfg(unix)]
#![allow(clippy::disallowed_types, missing_docs)]

use freelane_pool::Runtime;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Barrier;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

const LARGE: u64 = u64::MAX;
const HANG_S: u32 = 20;

/// Runs `child` in a forked process: its exit code is 0 if that returns true. A hang ends in a signal.
fn fork(child: impl FnOnce() -> bool) -> libc::pid_t {
    // SAFETY: the C library keeps its allocator usable in the child; what else the child needs is what is tested.
    let pid = unsafe { libc::fork() };
    if pid == 0 {
        // SAFETY: no preconditions.
        unsafe { libc::alarm(HANG_S) };
        let passed = catch_unwind(AssertUnwindSafe(child)).unwrap_or(false);
        // SAFETY: ends the child without the test harness's exit handlers.
        unsafe { libc::_exit(i32::from(!passed)) };
    }
    assert!(pid > 0);
    pid
}

/// The wait status of the child: 0 when it passed.
fn status(pid: libc::pid_t) -> i32 {
    let mut status = -1;
    // SAFETY: `pid` is a child of this process, and `status` a valid place.
    assert_eq!(unsafe { libc::waitpid(pid, &mut status, 0) }, pid);
    status
}

fn sum(runtime: &Runtime) -> usize {
    let sum = AtomicUsize::new(0);
    runtime.install(|lane| {
        lane.par_for(1000, LARGE, &|_, task| {
            sum.fetch_add(task, Ordering::Relaxed);
        });
    });
    sum.into_inner()
}

/// Returns only if two threads run tasks at the same time.
fn two_at_once(runtime: &Runtime) {
    let together = Barrier::new(2);
    runtime.install(|lane| {
        lane.par_for(2, LARGE, &|_, _| {
            together.wait();
        });
    });
}

#[test]
fn workers_are_started_anew_in_the_child_and_in_its_child() {
    let runtime = Runtime::new(4).unwrap();
    for parked in [false, true] {
        two_at_once(&runtime);
        if parked {
            thread::sleep(Duration::from_millis(10));
        }
        let child = fork(|| {
            let right = sum(&runtime) == 499_500;
            two_at_once(&runtime);
            let grandchild = fork(|| {
                two_at_once(&runtime);
                sum(&runtime) == 499_500
            });
            right && status(grandchild) == 0 && sum(&runtime) == 499_500
        });
        assert_eq!(status(child), 0);
        assert_eq!(sum(&runtime), 499_500);
    }
}

#[test]
fn the_child_may_drop_what_it_inherited() {
    let runtime = Runtime::new(4).unwrap();
    two_at_once(&runtime);
    let mut inherited = Some(runtime);
    let child = fork(|| {
        drop(inherited.take());
        true
    });
    assert_eq!(status(child), 0);
    two_at_once(inherited.as_ref().unwrap());
}

#[test]
fn a_fork_while_others_use_the_runtime() {
    let runtime = Runtime::new(3).unwrap();
    let stop = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while stop.load(Ordering::Relaxed) == 0 {
                    assert_eq!(sum(&runtime), 499_500);
                }
            });
        }
        for _ in 0..50 {
            let child = fork(|| sum(&runtime) == 499_500);
            assert_eq!(status(child), 0);
        }
        stop.store(1, Ordering::Relaxed);
    });
}

#[test]
fn a_task_of_the_caller_forks() {
    let runtime = Runtime::new(2).unwrap();
    let (together, forked) = (Barrier::new(2), Barrier::new(2));
    let child = AtomicUsize::new(0);
    let home = thread::current().id();
    let result = catch_unwind(AssertUnwindSafe(|| {
        runtime.install(|lane| {
            lane.par_for(2, LARGE, &|_, _| {
                together.wait();
                if thread::current().id() != home {
                    forked.wait();
                    return;
                }
                // SAFETY: as in `fork`.
                match unsafe { libc::fork() } {
                    // SAFETY: no preconditions.
                    0 => drop(unsafe { libc::alarm(HANG_S) }),
                    pid => {
                        child.store(pid as usize, Ordering::Relaxed);
                        forked.wait();
                    }
                }
            });
        });
    }));
    if child.load(Ordering::Relaxed) == 0 {
        // The child: the other part is in the parent, which is an error; the runtime works all the same.
        let passed = result.is_err() && sum(&runtime) == 499_500;
        // SAFETY: as in `fork`.
        unsafe { libc::_exit(i32::from(!passed)) };
    }
    assert!(result.is_ok());
    assert_eq!(status(child.load(Ordering::Relaxed) as libc::pid_t), 0);
}

#[test]
fn a_task_of_a_worker_forks() {
    let runtime = Runtime::new(2).unwrap();
    let together = Barrier::new(2);
    let child = AtomicUsize::new(0);
    let home = thread::current().id();
    runtime.install(|lane| {
        lane.par_for(2, LARGE, &|_, _| {
            together.wait();
            if thread::current().id() == home {
                return;
            }
            // SAFETY: as in `fork`.
            match unsafe { libc::fork() } {
                // SAFETY: no preconditions.
                0 => drop(unsafe { libc::alarm(HANG_S) }),
                pid => child.store(pid as usize, Ordering::Relaxed),
            }
        });
    });
    // In the child the worker is the only thread, and leaves: the process ends with it.
    assert_eq!(status(child.load(Ordering::Relaxed) as libc::pid_t), 0);
    assert_eq!(sum(&runtime), 499_500);
}
