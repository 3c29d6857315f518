//! Small arrays allocated and freed in a loop, and the same with what an allocation runtime might share.
#![allow(clippy::disallowed_types, reason = "the atomics are those of freelane-sync")]

use super::group::{Group, Side, Workload};
use anyhow::Result;
use freelane::Array;
use freelane::mem::BufferMut;
use freelane_sync::atomic::{AtomicU64, Ordering};
use freelane_sync::{CachePadded, Mutex, Queue};
use std::hint::black_box;
use std::sync::Arc;

/// Buffers handed over at once.
const BATCH: usize = 64;

/// The groups of this workload.
pub fn groups() -> Vec<Group> {
    let group = |n, sides| Group { workload: Workload::Alloc, n, sides };
    vec![
        group(1, zeros_like(&[])),
        group(64, zeros_like(&[64])),
        group(512, block(512)),
        group(64 << 10, block(64 << 10)),
        group(512, vec![hand_over(512)]),
    ]
}

/// A counter as statistics of all threads together would need it.
// LEDGER: a measurement's contended twin; sharing it is the point
type Counter = CachePadded<AtomicU64>;

fn counter(_: usize) -> Counter {
    CachePadded::new(AtomicU64::new(0))
}

/// A lock as an allocator of all threads together would need it.
// LEDGER: a measurement's contended twin; sharing it is the point
fn lock(_: usize) -> Mutex<()> {
    Mutex::new(())
}

/// `x += zeros_like(x)`, the loop that stopped a compiled program's threads.
fn zeros_like(shape: &'static [usize]) -> Vec<Side> {
    let ones = || Array::ones(shape, freelane::DType::F64);
    let step = |x: &mut Array| -> Result<()> {
        let zeros = x.zeros_like()?;
        *x += &zeros;
        Ok(())
    };
    let plain = move || {
        let mut x = ones()?;
        Ok(move || step(&mut x))
    };
    let counted = move |counter: Arc<Counter>, _| {
        let mut x = ones()?;
        Ok(move || {
            counter.fetch_add(1, Ordering::Relaxed);
            step(&mut x)?;
            counter.fetch_add(1, Ordering::Relaxed);
            Ok(())
        })
    };
    vec![
        Side::alone("x += zeros_like(x)", plain),
        Side::sharing("x += zeros_like(x), contended counter", counter, counted),
    ]
}

fn allocate_and_free(bytes: usize) -> Result<()> {
    drop(black_box(BufferMut::uninit(bytes)?));
    Ok(())
}

fn block(bytes: usize) -> Vec<Side> {
    let counted = move |counter: Arc<Counter>, _| {
        Ok(move || {
            counter.fetch_add(1, Ordering::Relaxed);
            allocate_and_free(bytes)?;
            counter.fetch_add(1, Ordering::Relaxed);
            Ok(())
        })
    };
    let locked = move |lock: Arc<Mutex<()>>, _| {
        Ok(move || {
            let _held = lock.lock();
            allocate_and_free(bytes)
        })
    };
    vec![
        Side::alone("allocate + free", move || Ok(move || allocate_and_free(bytes))),
        Side::sharing("allocate + free, contended counter", counter, counted),
        Side::sharing("allocate + free, contended lock", lock, locked),
    ]
}

/// Each thread frees what its neighbour allocated; with one thread, what itself did.
fn hand_over(bytes: usize) -> Side {
    type Belts = Vec<Queue<Vec<BufferMut>>>;
    let belts = |threads| -> Belts { (0..threads).map(|_| Queue::new(4)).collect() };
    let make = move |belts: Arc<Belts>, seat: super::group::Seat| {
        let (mine, next) = (seat.thread, (seat.thread + 1) % seat.threads);
        let mut batch = Vec::with_capacity(BATCH);
        Ok(move || {
            batch.push(BufferMut::uninit(bytes)?);
            if batch.len() < BATCH {
                return Ok(());
            }
            let mut received = belts[mine].try_pop().unwrap_or_else(|| Vec::with_capacity(BATCH));
            received.clear();
            // A full belt keeps the batch here: it is freed by the thread that allocated it.
            let _ = belts[next].try_push(std::mem::replace(&mut batch, received));
            Ok(())
        })
    };
    Side::sharing("allocate here, free there", belts, make)
}
