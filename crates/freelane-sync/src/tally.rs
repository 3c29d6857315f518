//! Counters that one lane writes and everybody may read.

use crate::atomic::{AtomicU64, Ordering};

/// A counter with a single writer: adding is a plain load and store, so it costs no locked instruction.
#[derive(Debug)]
pub struct Tally(AtomicU64);

impl Tally {
    /// A counter at zero.
    #[cfg(not(loom))]
    pub const fn new() -> Tally {
        Tally(AtomicU64::new(0))
    }

    /// A counter at zero.
    #[cfg(loom)]
    pub fn new() -> Tally {
        Tally(AtomicU64::new(0))
    }

    /// Adds `n`; only the lane that owns the counter may call it, or additions get lost.
    #[inline]
    pub fn add(&self, n: u64) {
        self.set(self.get().wrapping_add(n));
    }

    /// Sets the counter; only the lane that owns it may call it.
    #[inline]
    pub fn set(&self, n: u64) {
        self.0.store(n, Ordering::Relaxed);
    }

    /// Adds `n` with a locked instruction, for the few counters that several lanes write off the hot path.
    pub fn add_shared(&self, n: u64) {
        self.0.fetch_add(n, Ordering::Relaxed);
    }

    /// The count so far; a reader on another lane may be a little behind.
    #[inline]
    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

impl Default for Tally {
    fn default() -> Tally {
        Tally::new()
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn sums_of_single_writers_are_exact() {
        let tallies: Vec<Tally> = (0..4).map(|_| Tally::new()).collect();
        std::thread::scope(|scope| {
            for tally in &tallies {
                scope.spawn(|| (0..1000).for_each(|_| tally.add(3)));
            }
        });
        assert_eq!(tallies.iter().map(Tally::get).sum::<u64>(), 12_000);
    }

    #[test]
    fn shared_additions_do_not_get_lost() {
        let tally = Tally::new();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..1000).for_each(|_| tally.add_shared(2)));
            }
        });
        assert_eq!(tally.get(), 8_000);
    }
}
