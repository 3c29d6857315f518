//! A small number for each living thread.
//!
//! A bitmap in chunks holds the numbers in use; a thread takes the lowest free one at its first call and gives it back
//! when it ends. No lock: a child forked at any moment can still take numbers. In such a child the numbers of the
//! parent's other threads stay taken.

use crate::this_thread;
use std::ptr;
// Not through the door: a static outlives each run of a model and is no part of it.
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering};

const WORDS: usize = 64;
const CHUNK_LANES: usize = WORDS * 64;

// LEDGER: the process; threads claim an index at their first use and give it back when they end
static INDICES: Indices = Indices::new();

/// The calling thread's index: unique among living threads, as small as possible, reused after the thread ends.
///
/// What the former holder of the index wrote is visible to the next one.
#[inline]
pub fn lane_index() -> usize {
    this_thread::index().unwrap_or_else(claim)
}

#[cold]
fn claim() -> usize {
    let index = INDICES.claim();
    this_thread::set_index(index);
    index
}

/// Called by `this_thread` at the end of a thread.
pub(crate) fn release(index: usize) {
    INDICES.release(index);
}

struct Indices {
    used: [AtomicU64; WORDS],
    next: AtomicPtr<Indices>,
}

impl Indices {
    const fn new() -> Self {
        Self { used: [const { AtomicU64::new(0) }; WORDS], next: AtomicPtr::new(ptr::null_mut()) }
    }

    fn claim(&'static self) -> usize {
        let (mut chunk, mut base) = (self, 0);
        loop {
            if let Some(index) = chunk.claim_here() {
                return base + index;
            }
            (chunk, base) = (chunk.next_or_grow(), base + CHUNK_LANES);
        }
    }

    fn claim_here(&self) -> Option<usize> {
        for (word, used) in self.used.iter().enumerate() {
            let mut seen = used.load(Ordering::Relaxed);
            while seen != u64::MAX {
                let bit = (!seen).trailing_zeros();
                // Acquire: pairs with `release`, so that the former holder's writes are seen.
                match used.compare_exchange_weak(seen, seen | 1 << bit, Ordering::Acquire, Ordering::Relaxed) {
                    Ok(_) => return Some(word * 64 + bit as usize),
                    Err(now) => seen = now,
                }
            }
        }
        None
    }

    fn release(&'static self, index: usize) {
        let mut chunk = self;
        for _ in 0..index / CHUNK_LANES {
            chunk = chunk.next_or_grow();
        }
        let index = index % CHUNK_LANES;
        chunk.used[index / 64].fetch_and(!(1 << (index % 64)), Ordering::Release);
    }

    fn next(&self) -> Option<&'static Indices> {
        // Acquire: pairs with the compare-exchange in `next_or_grow`.
        let next = self.next.load(Ordering::Acquire);
        // SAFETY: a chunk is leaked when linked, so a non-null pointer stays valid for ever.
        unsafe { next.as_ref() }
    }

    #[cold]
    fn next_or_grow(&self) -> &'static Indices {
        if let Some(next) = self.next() {
            return next;
        }
        let fresh = Box::into_raw(Box::new(Indices::new()));
        let linked =
            self.next.compare_exchange(ptr::null_mut(), fresh, Ordering::AcqRel, Ordering::Acquire).map(|_| fresh);
        match linked {
            // SAFETY: `fresh` came from `Box::into_raw` and is never freed once linked.
            Ok(chunk) => unsafe { &*chunk },
            Err(theirs) => {
                // SAFETY: `fresh` lost the race, so nobody else has seen it.
                drop(unsafe { Box::from_raw(fresh) });
                // SAFETY: a linked chunk is never freed.
                unsafe { &*theirs }
            }
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use std::collections::HashSet;
    use std::sync::{Arc, Barrier};

    #[test]
    fn living_threads_differ_and_the_index_is_stable() {
        let together = Arc::new(Barrier::new(8));
        let threads: Vec<_> = (0..8)
            .map(|_| {
                let together = Arc::clone(&together);
                std::thread::spawn(move || {
                    let index = lane_index();
                    together.wait();
                    assert_eq!(index, lane_index());
                    index
                })
            })
            .collect();
        let seen: HashSet<_> = threads.into_iter().map(|thread| thread.join().unwrap()).collect();
        assert_eq!(seen.len(), 8);
    }

    #[test]
    fn ended_threads_give_their_index_back() {
        let highest = (0..2000).map(|_| std::thread::spawn(lane_index).join().unwrap()).max();
        assert!(highest < Some(200), "{highest:?}");
    }

    #[test]
    fn chunks_grow_and_refill_from_below() {
        let indices: &'static Indices = Box::leak(Box::new(Indices::new()));
        let all: Vec<_> = (0..2 * CHUNK_LANES + 1).map(|_| indices.claim()).collect();
        assert!(all.iter().copied().eq(0..2 * CHUNK_LANES + 1));
        for index in [5, CHUNK_LANES + 7] {
            indices.release(index);
        }
        assert_eq!((indices.claim(), indices.claim()), (5, CHUNK_LANES + 7));
    }
}
