//! What does splitting a loop cost, what does it gain, and what do many users of one runtime pay?
//!
//! - `lane/with`, `lane/scratch`: reaching the calling thread's lane, and its scratch memory.
//! - `par_for/empty/*`: a region with nothing in it: workers awake, workers asleep, too small to split.
//! - `par_for/map/n`: `1.5 * x + 2` over n doubles, one thread against all.
//! - `par_for/users16/n`: the same from 16 threads that share a runtime, in CPU time per call; the last column is the
//!   CPU time of the plain loop divided by that. Below 1, sharing burns what it should not.
#![allow(clippy::disallowed_types, reason = "barriers start the threads that are measured")]

use freelane_benches::pinned;
use freelane_mem::ScratchReq;
use freelane_pool::{Lane, Runtime, allowed_cores, pin_to_core};
use std::hint::black_box;
use std::mem::MaybeUninit;
use std::sync::Barrier;
use std::time::{Duration, Instant};

const ROUNDS: usize = 9;
const SIZES: [usize; 3] = [10_000, 100_000, 1_000_000];
const USERS: usize = 16;
const CHUNK: usize = 4096;

fn main() {
    pinned::bench("lane/with", |_| {
        || {
            black_box(Lane::with(Lane::index));
        }
    });
    pinned::bench("lane/scratch/800B", |_| {
        || {
            let address = |scratch: &mut [MaybeUninit<u8>]| black_box(scratch.as_mut_ptr()).addr();
            let _ = black_box(Lane::with(|lane| lane.scratch(ScratchReq::of::<f64>(100), address)));
        }
    });
    let cores = allowed_cores();
    let runtime = Runtime::builder(cores.len().max(2)).pinned(true).build().expect("the machine grants a few threads");
    std::thread::scope(|scope| {
        scope.spawn(|| {
            pin_to_core(cores[0]).expect("an allowed core");
            empty(&runtime);
            SIZES.iter().for_each(|&n| map(&runtime, n));
        });
    });
    SIZES.iter().for_each(|&n| users(&runtime, n));
}

fn print(name: &str, threads: usize, ns: f64, efficiency: f64) {
    println!("{name},{threads},{ns:.1},{efficiency:.3}");
}

/// The median over rounds of the time of one `op`, `idle` apart or back to back.
fn median_ns(calls: usize, idle: Option<Duration>, mut op: impl FnMut()) -> f64 {
    let mut round = || {
        let mut busy = Duration::ZERO;
        for _ in 0..calls {
            idle.inspect(|&idle| std::thread::sleep(idle));
            let start = Instant::now();
            op();
            busy += start.elapsed();
        }
        busy.as_nanos() as f64 / calls as f64
    };
    round();
    let mut rounds: Vec<f64> = (0..ROUNDS).map(|_| round()).collect();
    rounds.sort_by(f64::total_cmp);
    rounds[ROUNDS / 2]
}

fn empty(runtime: &Runtime) {
    let threads = runtime.threads();
    let region = |cost_ns| {
        runtime.install(|lane| {
            lane.par_for(threads, cost_ns, &|_, task| {
                black_box(task);
            })
        })
    };
    let awake = median_ns(20_000, None, || region(u64::MAX));
    print("par_for/empty/awake", threads, awake, 1.0);
    let asleep = median_ns(200, Some(Duration::from_micros(200)), || region(u64::MAX));
    print("par_for/empty/asleep", threads, asleep, awake / asleep);
    let small = median_ns(20_000, None, || region(0));
    print("par_for/empty/small", 1, small, 1.0);
}

struct Map {
    input: Vec<f64>,
    output: Vec<f64>,
}

impl Map {
    fn new(n: usize) -> Map {
        Map { input: (0..n).map(|i| i as f64).collect(), output: vec![0.0; n] }
    }

    fn plain(&mut self) {
        map_chunk(&self.input, &mut self.output);
        black_box(&mut self.output);
    }

    fn split(&mut self, lane: &Lane) {
        let (n, input, output) = (self.input.len(), &self.input, Shared(self.output.as_mut_ptr()));
        lane.par_for(n.div_ceil(CHUNK), n as u64 / 4, &|_, task| {
            let (start, end) = (task * CHUNK, n.min((task + 1) * CHUNK));
            // SAFETY: tasks have disjoint ranges inside of `output`, which is borrowed for the whole loop.
            let out = unsafe { std::slice::from_raw_parts_mut(output.get().add(start), end - start) };
            map_chunk(&input[start..end], out);
        });
        black_box(&mut self.output);
    }
}

#[derive(Clone, Copy)]
struct Shared(*mut f64);
// SAFETY: tasks write disjoint ranges.
unsafe impl Sync for Shared {}

impl Shared {
    fn get(&self) -> *mut f64 {
        self.0
    }
}

#[inline(never)]
fn map_chunk(input: &[f64], output: &mut [f64]) {
    output.iter_mut().zip(input).for_each(|(y, x)| *y = 1.5 * x + 2.0);
}

fn map(runtime: &Runtime, n: usize) {
    let (mut data, calls, threads) = (Map::new(n), 20_000_000 / n, runtime.threads());
    let plain = median_ns(calls, None, || data.plain());
    let split = median_ns(calls, None, || runtime.install(|lane| data.split(lane)));
    let plain_idle = median_ns(200, Some(Duration::from_micros(200)), || data.plain());
    let after_idle = median_ns(200, Some(Duration::from_micros(200)), || runtime.install(|lane| data.split(lane)));
    print(&format!("par_for/map/{n}"), 1, plain, 1.0);
    print(&format!("par_for/map/{n}"), threads, split, plain / split / threads as f64);
    print(&format!("par_for/map/{n}/asleep"), 1, plain_idle, 1.0);
    print(&format!("par_for/map/{n}/asleep"), threads, after_idle, plain_idle / after_idle / threads as f64);
}

fn users(runtime: &Runtime, n: usize) {
    let calls = 20_000_000 / n;
    let mut shares = Vec::new();
    let mut split_ns = Vec::new();
    for _ in 0..ROUNDS {
        let plain = cpu_ns_per_call(calls, || Map::new(n), Map::plain);
        let split = cpu_ns_per_call(calls, || Map::new(n), |data| runtime.install(|lane| data.split(lane)));
        shares.push(plain / split);
        split_ns.push(split);
    }
    shares.sort_by(f64::total_cmp);
    split_ns.sort_by(f64::total_cmp);
    print(&format!("par_for/users{USERS}/{n}"), USERS, split_ns[ROUNDS / 2], shares[ROUNDS / 2]);
}

/// CPU time of the whole process, workers included, per call of one of the users.
fn cpu_ns_per_call(calls: usize, make: impl Fn() -> Map + Sync, op: impl Fn(&mut Map) + Sync) -> f64 {
    let gate = Barrier::new(USERS + 1);
    std::thread::scope(|scope| {
        for _ in 0..USERS {
            scope.spawn(|| {
                let mut data = make();
                op(&mut data);
                gate.wait();
                gate.wait();
                (0..calls).for_each(|_| op(&mut data));
                gate.wait();
            });
        }
        gate.wait();
        let start = cpu_ns();
        gate.wait();
        gate.wait();
        (cpu_ns() - start) / (calls * USERS) as f64
    })
}

fn cpu_ns() -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is to a live `timespec`.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &raw mut time) };
    time.tv_sec as f64 * 1e9 + time.tv_nsec as f64
}
