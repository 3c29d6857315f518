//! Loops over a runtime: every task once, whatever the threads, callers, nesting and panics.
#![allow(clippy::disallowed_types, missing_docs)]

use freelane_pool::{Lane, MAX_THREADS, PoolError, Runtime, SPLIT_NS};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Barrier, Mutex};
use std::thread;
use std::time::Duration;

const LARGE: u64 = u64::MAX;

/// How often each task ran.
fn counts(lane: &Lane, tasks: usize, cost_ns: u64) -> Vec<usize> {
    let counts: Vec<_> = (0..tasks).map(|_| AtomicUsize::new(0)).collect();
    lane.par_for(tasks, cost_ns, &|_, task| {
        counts[task].fetch_add(1, Ordering::Relaxed);
    });
    counts.into_iter().map(AtomicUsize::into_inner).collect()
}

/// Passes only if two tasks run at the same time, on two lanes.
fn two_at_once(lane: &Lane) {
    let together = Barrier::new(2);
    let lanes = [const { AtomicUsize::new(0) }; 2];
    lane.par_for(2, LARGE, &|lane, task| {
        lanes[task].store(lane.index(), Ordering::Relaxed);
        together.wait();
    });
    let [first, second] = lanes.map(AtomicUsize::into_inner);
    assert_ne!(first, second);
}

#[test]
fn every_task_runs_once() {
    for threads in [1, 2, 3, 5, 16] {
        let runtime = Runtime::new(threads).unwrap();
        for tasks in [0, 1, 2, 3, 7, 16, 17, 1000, 1_000_000] {
            for cost_ns in [0, SPLIT_NS - 1, SPLIT_NS, LARGE] {
                let counts = runtime.install(|lane| counts(lane, tasks, cost_ns));
                assert!(counts.iter().all(|&count| count == 1), "{threads} threads, {tasks} tasks, {cost_ns} ns");
            }
        }
    }
}

#[test]
fn large_loops_are_split_and_small_ones_are_not() {
    let runtime = Runtime::new(2).unwrap();
    let home = thread::current().id();
    runtime.install(|lane| {
        assert_eq!(lane.threads(), 2);
        two_at_once(lane);
        lane.par_for(100, SPLIT_NS - 1, &|_, _| assert_eq!(thread::current().id(), home));
    });
    Lane::with(|lane| {
        assert_eq!(lane.threads(), 1);
        lane.par_for(100, LARGE, &|_, _| assert_eq!(thread::current().id(), home));
    });
}

#[test]
fn nested_loops_run_inside_their_task() {
    let runtime = Runtime::new(3).unwrap();
    let sum = AtomicUsize::new(0);
    runtime.install(|lane| {
        lane.par_for(10, LARGE, &|lane, outer| {
            let index = lane.index();
            lane.par_for(10, LARGE, &|lane, middle| {
                assert_eq!(lane.index(), index);
                runtime.install(|lane| {
                    lane.par_for(10, LARGE, &|_, inner| {
                        sum.fetch_add(100 * outer + 10 * middle + inner, Ordering::Relaxed);
                    });
                });
            });
        });
    });
    assert_eq!(sum.into_inner(), (0..1000).sum());
}

#[test]
fn a_task_may_use_another_runtime() {
    let (outer, inner) = (Runtime::new(2).unwrap(), Runtime::new(2).unwrap());
    outer.install(|lane| {
        lane.par_for(4, LARGE, &|_, _| {
            let counts = inner.install(|lane| counts(lane, 50, LARGE));
            assert_eq!(counts, [1; 50]);
        });
        inner.install(two_at_once);
        two_at_once(lane);
    });
}

/// The sum of `0..10_000` in chunks of fixed size, so that its bits do not depend on the split.
fn parallel_sum(lane: &Lane, data: &[f64]) -> f64 {
    let partial: Vec<_> = data.chunks(512).map(|_| AtomicU64::new(0)).collect();
    lane.par_for(partial.len(), LARGE, &|_, chunk| {
        let sum: f64 = data.chunks(512).nth(chunk).unwrap().iter().sum();
        partial[chunk].store(sum.to_bits(), Ordering::Relaxed);
    });
    partial.into_iter().map(|cell| f64::from_bits(cell.into_inner())).sum()
}

#[test]
fn many_user_threads_share_a_runtime() {
    let data: Vec<f64> = (0..10_000).map(f64::from).collect();
    for (users, rounds) in [(2, 10_000), (16, 1_000)] {
        let runtime = Runtime::new(4).unwrap();
        thread::scope(|scope| {
            for _ in 0..users {
                scope.spawn(|| {
                    runtime.install(|lane| {
                        for _ in 0..rounds {
                            assert_eq!(parallel_sum(lane, &data), 49_995_000.0);
                        }
                    });
                });
            }
        });
    }
}

#[test]
fn sums_inside_a_parallel_region() {
    let data: Vec<f64> = (0..10_000).map(f64::from).collect();
    let runtime = Runtime::new(4).unwrap();
    runtime.install(|lane| {
        lane.par_for(2_000, LARGE, &|_, _| {
            assert_eq!(runtime.install(|lane| parallel_sum(lane, &data)), 49_995_000.0);
        });
    });
}

#[test]
fn a_busy_runtime_makes_nobody_wait() {
    let runtime = Runtime::new(2).unwrap();
    let (entered, leave) = (Barrier::new(3), Barrier::new(3));
    thread::scope(|scope| {
        scope.spawn(|| {
            runtime.install(|lane| {
                lane.par_for(2, LARGE, &|_, _| {
                    entered.wait();
                    leave.wait();
                });
            });
        });
        entered.wait();
        let home = thread::current().id();
        runtime.install(|lane| lane.par_for(100, LARGE, &|_, _| assert_eq!(thread::current().id(), home)));
        leave.wait();
    });
}

#[test]
fn the_panic_of_the_lowest_task_arrives_when_all_have_ended() {
    for threads in [1, 2, 5] {
        let runtime = Runtime::new(threads).unwrap();
        for panics in [&[0][..], &[99], &[40, 60, 99], &[7, 8]] {
            let running = AtomicUsize::new(0);
            let result = catch_unwind(AssertUnwindSafe(|| {
                runtime.install(|lane| {
                    lane.par_for(100, LARGE, &|_, task| {
                        running.fetch_add(1, Ordering::SeqCst);
                        thread::yield_now();
                        running.fetch_sub(1, Ordering::SeqCst);
                        if panics.contains(&task) {
                            std::panic::panic_any(task);
                        }
                    });
                });
            }));
            assert_eq!(running.load(Ordering::SeqCst), 0);
            assert_eq!(result.unwrap_err().downcast_ref(), Some(&panics[0]));
            assert_eq!(Lane::with(Lane::threads), 1, "the scope was left");
        }
        assert_eq!(runtime.install(|lane| counts(lane, 100, LARGE)), [1; 100]);
        if threads > 1 {
            runtime.install(two_at_once);
        }
    }
}

#[test]
fn scopes_nest_and_end() {
    let (two, three) = (Runtime::new(2).unwrap(), Runtime::new(3).unwrap());
    two.install(|lane| {
        assert_eq!(three.install(Lane::threads), 3);
        assert_eq!(lane.threads(), 2);
    });
    assert_eq!(Lane::with(Lane::threads), 1);
}

#[test]
fn absurd_sizes_are_errors() {
    for threads in [0, MAX_THREADS + 1, usize::MAX] {
        let error = Runtime::new(threads).unwrap_err();
        assert!(matches!(error, PoolError::Threads { threads: asked, max: MAX_THREADS } if asked == threads));
        assert_eq!(error.to_string(), format!("a runtime takes 1 to 1024 threads, not {threads}"));
    }
    assert_eq!(Runtime::new(1).unwrap().threads(), 1);
}

#[test]
fn a_pinned_runtime_computes_the_same() {
    let runtime = Runtime::builder(4).pinned(true).build().unwrap();
    assert_eq!(runtime.install(|lane| counts(lane, 1000, LARGE)), [1; 1000]);
}

#[test]
fn a_runtime_may_end_inside_a_task() {
    let outer = Runtime::new(2).unwrap();
    let shared = Mutex::new(Some(Arc::new(Runtime::new(2).unwrap())));
    let together = Barrier::new(2);
    outer.install(|lane| {
        lane.par_for(2, LARGE, &|_, task| {
            together.wait();
            let inner = Runtime::new(2).unwrap();
            assert_eq!(inner.install(|lane| counts(lane, 10, LARGE)), [1; 10]);
            // Task 1 runs on a worker and drops the last handle of a runtime made elsewhere.
            if task == 1 {
                shared.lock().unwrap().take().unwrap().install(two_at_once);
            }
        });
    });
    assert!(shared.into_inner().unwrap().is_none());
}

/// Linux only: counts the threads of a process of its own.
#[cfg(target_os = "linux")]
#[test]
fn dropping_a_runtime_ends_its_threads() {
    const ASKED: &str = "FREELANE_TEST_THREADS";
    if std::env::var_os(ASKED).is_none() {
        let mut again = std::process::Command::new(std::env::current_exe().unwrap());
        again.args(["--exact", "dropping_a_runtime_ends_its_threads"]).env(ASKED, "1");
        assert!(again.output().unwrap().status.success());
        return;
    }
    let threads = || std::fs::read_dir("/proc/self/task").unwrap().count();
    // A joined thread stays listed for a moment.
    let becomes = |count| (0..5000).any(|_| threads() == count || (thread::sleep(Duration::from_millis(1)), false).1);
    let before = threads();
    for round in 0..50 {
        let runtime = Runtime::new(8).unwrap();
        if round % 2 == 0 {
            runtime.install(two_at_once);
        }
        assert!(becomes(before + 7), "{} threads", threads());
        drop(runtime);
        assert!(becomes(before), "{} threads", threads());
    }
}

/// What a task may panic with: something that panics again as it is dropped.
struct Twice;

impl Drop for Twice {
    fn drop(&mut self) {
        if !thread::panicking() {
            panic!("dropped");
        }
    }
}

#[test]
fn a_panic_that_panics_when_dropped_does_not_end_the_loop_early() {
    let runtime = Runtime::new(2).unwrap();
    for _ in 0..20 {
        let running = AtomicUsize::new(0);
        let together = Barrier::new(2);
        let caught = catch_unwind(AssertUnwindSafe(|| {
            runtime.install(|lane| {
                lane.par_for(2, LARGE, &|_, task| {
                    running.fetch_add(1, Ordering::SeqCst);
                    together.wait();
                    if task == 0 {
                        thread::sleep(Duration::from_millis(2));
                    }
                    running.fetch_sub(1, Ordering::SeqCst);
                    std::panic::panic_any(Twice);
                });
            });
        }));
        assert_eq!(running.load(Ordering::SeqCst), 0);
        std::mem::forget(caught.expect_err("both tasks panic"));
        assert_eq!(runtime.install(|lane| counts(lane, 3, LARGE)), [1, 1, 1]);
    }
}
