//! Memory allocated on one lane and freed on another stays bounded, is used again, and is counted right.
#![cfg(target_os = "linux")]
#![allow(clippy::disallowed_types, reason = "a lock keeps tests apart that change what belongs to the process")]

mod common;

use common::{MIB, resident, soon};
use freelane_mem::{BufferMut, Heap, Limits, OwnerId, set_limits, stats, trim};
use std::sync::Mutex;
use std::sync::mpsc::sync_channel;
use std::thread;

/// Limits and statistics belong to the process: one test at a time.
static ALONE: Mutex<()> = Mutex::new(());

fn alone() -> std::sync::MutexGuard<'static, ()> {
    ALONE.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

fn pass(count: usize, bytes: usize) {
    let (send, receive) = sync_channel::<BufferMut>(2);
    let producer = thread::spawn(move || {
        for i in 0..count {
            let mut buffer = BufferMut::uninit(bytes).unwrap();
            // SAFETY: the buffer has that many bytes.
            unsafe { buffer.as_mut_ptr().write_bytes(i as u8, bytes) };
            send.send(buffer).unwrap();
        }
    });
    for (i, buffer) in receive.iter().enumerate() {
        // SAFETY: written by the producer.
        assert!(unsafe { buffer.as_slice() }.iter().all(|&byte| byte == i as u8));
    }
    producer.join().unwrap();
}

#[test]
fn a_producer_and_a_consumer_stay_within_the_bounds() {
    let _alone = alone();
    let (lane_bytes, depot_bytes) = (64 * MIB, 32 * MIB);
    set_limits(Limits { lane_bytes, depot_bytes, ..Limits::DEFAULT });
    trim();
    let before = resident();
    for (count, bytes) in [(100, 16 * MIB), (200, 3 * MIB), (5_000, 100 << 10), (200_000, 512)] {
        pass(count, bytes);
        let stats = stats::snapshot();
        assert!(stats.lane_bytes <= 2 * lane_bytes && stats.depot_bytes <= depot_bytes, "{stats:?}");
    }
    assert!(soon(|| stats::snapshot().backlog_bytes == 0));
    // Both lanes' caches, the depot, and 2 MiB for small blocks.
    let grown = resident().saturating_sub(before);
    assert!(grown <= 2 * lane_bytes + depot_bytes + 16 * MIB, "{grown}");
    trim();
    let grown = resident().saturating_sub(before);
    assert!(grown <= 4 * MIB, "{grown} after trim");
    set_limits(Limits::DEFAULT);
}

#[test]
fn what_has_no_place_is_given_back() {
    let _alone = alone();
    let nothing = Limits { lane_bytes: 0, depot_bytes: 0, reclaim_backlog: 8 * MIB, ..Limits::DEFAULT };
    set_limits(nothing);
    trim();
    let before = resident();
    for _ in 0..100 {
        let mut buffer = BufferMut::uninit(16 * MIB).unwrap();
        // SAFETY: the buffer has that many bytes.
        unsafe { buffer.as_mut_ptr().write_bytes(1, 16 * MIB) };
    }
    assert!(resident().saturating_sub(before) < 40 * MIB, "unmapped by the lane, since it is more than may wait");
    Heap::with(|heap| {
        heap.without_waiting(|| drop((0..10).map(|_| BufferMut::uninit(16 * MIB).unwrap()).collect::<Vec<_>>()));
    });
    assert!(soon(|| stats::snapshot().backlog_bytes == 0), "the reclaim thread did it");
    set_limits(Limits::DEFAULT);
}

#[test]
fn counts_are_right_when_another_lane_frees() {
    let _alone = alone();
    let (makes, frees) = (OwnerId::register("makes"), OwnerId::register("frees"));
    stats::enable();
    stats::reset();
    let sizes = [100, 5000, 70_000, 2 * MIB];
    let owned = |owner, f: &mut dyn FnMut()| Heap::with(|heap| heap.owned_by(owner, f));
    let mut made = Vec::new();
    owned(makes, &mut || {
        made = sizes.iter().map(|&bytes| BufferMut::uninit(bytes).unwrap().freeze()).collect();
        made.push(BufferMut::from_vec(vec![0u8; 1000]).unwrap().freeze());
    });
    let live: i64 = 128 + 5120 + 81_920 + 2 * MIB as i64 + 1000;
    let stats = stats::snapshot().owner(makes).cloned().unwrap();
    assert_eq!((stats.allocations, stats.live_blocks, stats.live_bytes), (5, 5, live));
    thread::spawn(move || owned(frees, &mut || made.clear())).join().unwrap();
    let report = stats::snapshot();
    let stats = report.owner(makes).unwrap();
    assert_eq!((stats.frees, stats.live_blocks, stats.live_bytes), (5, 0, 0));
    assert_eq!(report.owner(frees), None);
    let before_disabling = BufferMut::uninit(64).unwrap();
    stats::disable();
    let after_disabling = BufferMut::uninit(64).unwrap();
    assert_eq!(stats::snapshot().owner(OwnerId::OTHER).map(|stats| stats.live_blocks), Some(1));
    drop((before_disabling, after_disabling));
    assert_eq!(stats::snapshot().total.live_blocks, 0);
}

#[test]
fn filled_when_asked() {
    let _alone = alone();
    for bytes in [64, 1000, 100 << 10, 2 * MIB] {
        freelane_mem::set_debug_fill(true);
        let buffer = BufferMut::uninit(bytes).unwrap();
        let zeroed = BufferMut::zeroed(bytes).unwrap();
        freelane_mem::set_debug_fill(false);
        // SAFETY: filled.
        assert!(unsafe { buffer.as_slice() }.iter().all(|&byte| byte == 0xCB), "{bytes}");
        // SAFETY: zeroed.
        assert!(unsafe { zeroed.as_slice() }.iter().all(|&byte| byte == 0), "{bytes}");
        let address = buffer.as_ptr();
        drop(buffer);
        let again = BufferMut::uninit(bytes).unwrap();
        assert_eq!(again.as_ptr(), address, "the block freed last comes first");
        // SAFETY: filled when it was freed.
        assert!(unsafe { again.as_slice() }.iter().all(|&byte| byte == 0xDE), "{bytes}");
    }
}
