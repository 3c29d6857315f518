//! The cases: what a lane must be able to do without touching anyone else, and contended twins that must be found.

use freelane_benches::marked::{Run, Seen, run};
use std::hint::black_box;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

/// A case by name.
pub type Case = (&'static str, fn(Run) -> Seen);

/// All cases. `cargo xtask audit` holds what is expected of each.
pub const CASES: &[Case] =
    &[("contended counter", counter), ("contended lock", lock), ("contended Arc clone", arc_clone)];

/// Some work of its own, so that an operation is more than its shared part.
fn own_work(i: usize) {
    let mut values = [i as f64; 64];
    values.iter_mut().for_each(|value| *value = *value * 1.5 + 1.0);
    black_box(&values);
}

fn counter(how: Run) -> Seen {
    let counter = AtomicU64::new(0);
    run(how, |_| {
        |i| {
            own_work(i);
            counter.fetch_add(1, Relaxed);
        }
    })
}

fn lock(how: Run) -> Seen {
    let total = Mutex::new(0u64);
    run(how, |_| {
        |i| {
            own_work(i);
            *total.lock().unwrap_or_else(|poisoned| poisoned.into_inner()) += 1;
        }
    })
}

fn arc_clone(how: Run) -> Seen {
    let shared = Arc::new([1.0f64; 64]);
    run(how, |_| {
        let shared = &shared;
        move |i| {
            own_work(i);
            drop(black_box(Arc::clone(shared)));
        }
    })
}
