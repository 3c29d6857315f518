//! Contended twins: what the audit must find.

use freelane_benches::marked::{Run, Seen, run};
use std::hint::black_box;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

/// Some work of its own, so that an operation is more than its shared part.
fn own_work(i: usize) {
    let mut values = [i as f64; 64];
    values.iter_mut().for_each(|value| *value = *value * 1.5 + 1.0);
    black_box(&values);
}

/// One counter for all.
pub fn counter(how: Run) -> Seen {
    let counter = AtomicU64::new(0);
    run(how, |_| {
        |i| {
            own_work(i);
            counter.fetch_add(1, Relaxed);
        }
    })
}

/// One lock for all.
pub fn lock(how: Run) -> Seen {
    let total = Mutex::new(0u64);
    run(how, |_| {
        |i| {
            own_work(i);
            *total.lock().unwrap_or_else(|poisoned| poisoned.into_inner()) += 1;
        }
    })
}

/// One reference count for all.
pub fn arc_clone(how: Run) -> Seen {
    let shared = Arc::new([1.0f64; 64]);
    run(how, |_| {
        let shared = &shared;
        move |i| {
            own_work(i);
            drop(black_box(Arc::clone(shared)));
        }
    })
}
