//! Threads that come and go leave no lane, index or scratch behind.
#![cfg(target_os = "linux")]
#![allow(missing_docs)]

use freelane_mem::ScratchReq;
use freelane_pool::{Lane, Runtime};
use std::mem::MaybeUninit;

fn resident_kib() -> usize {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap();
    statm.split(' ').nth(1).unwrap().parse::<usize>().unwrap() * 4
}

fn live(threads: usize) -> usize {
    let index = |_| std::thread::spawn(|| Lane::with(use_lane)).join().unwrap();
    (0..threads).map(index).max().unwrap()
}

fn use_lane(lane: &Lane) -> usize {
    lane.scratch(ScratchReq::of::<u8>(3000), |scratch| scratch.fill(MaybeUninit::new(0))).unwrap();
    lane.index()
}

#[test]
fn many_short_lived_threads_and_runtimes() {
    live(1000);
    let before = resident_kib();
    let highest = live(20_000);
    for _ in 0..500 {
        Runtime::new(4).unwrap().install(|lane| {
            lane.par_for(4, u64::MAX, &|lane, _| {
                use_lane(lane);
            });
        });
    }
    let grown = resident_kib().saturating_sub(before);
    assert!(highest < 8, "index {highest}");
    assert!(grown < 2048, "grew by {grown} KiB");
}
