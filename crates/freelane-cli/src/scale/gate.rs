//! Threads start together.
#![allow(clippy::disallowed_types, reason = "the atomics are those of freelane-sync")]

use freelane_sync::atomic::{AtomicUsize, Ordering};
use freelane_sync::{hint, thread};

/// Looks before a waiter lets others have its core.
const SPINS: u32 = 10_000;

/// A place that threads pass together, any number of times. Waiting is spinning: a sleeper would start late.
// LEDGER: one measurement; threads that are timed start together
pub(crate) struct Gate {
    arrived: AtomicUsize,
    threads: usize,
}

impl Gate {
    pub fn new(threads: usize) -> Gate {
        Gate { arrived: AtomicUsize::new(0), threads }
    }

    /// Waits until all threads have come to passage number `passage`; each counts its own, from 1.
    pub fn pass(&self, passage: usize) {
        // AcqRel, with the acquire below: what a thread did before the gate is seen behind it by all.
        self.arrived.fetch_add(1, Ordering::AcqRel);
        let mut spins = 0;
        while self.arrived.load(Ordering::Acquire) < passage * self.threads {
            spins += 1;
            if spins < SPINS { hint::spin_loop() } else { thread::yield_now() }
        }
    }
}
