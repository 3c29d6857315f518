//! The count of handles to one shared block.
//!
//! It is built for blocks that mostly have one handle: dropping the only handle is a load, and a block that everybody
//! uses for ever can be made immortal, after which no handle writes to it again.

use crate::atomic::{AtomicUsize, Ordering, fence};

const IMMORTAL: usize = 1 << (usize::BITS - 1);

/// Counts the handles to a shared block; starts at one.
///
/// A count that [`release`](RefCount::release) ended is left at one, so that the block can be used again as it is.
#[derive(Debug)]
pub struct RefCount(AtomicUsize);

impl RefCount {
    /// A count of one handle.
    pub fn new() -> RefCount {
        RefCount(AtomicUsize::new(1))
    }

    /// Adds a handle.
    #[inline]
    pub fn acquire(&self) {
        // Relaxed: the new handle is made from one that already sees the block.
        if self.0.load(Ordering::Relaxed) & IMMORTAL == 0 {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Takes a handle away; true when it was the last and the block now belongs to the caller alone.
    #[inline]
    pub fn release(&self) -> bool {
        // Acquire pairs with the release in `fetch_sub` below: the last handle sees what the others did to the block.
        let count = self.0.load(Ordering::Acquire);
        if count == 1 {
            return true;
        }
        count & IMMORTAL == 0 && self.release_shared()
    }

    fn release_shared(&self) -> bool {
        // Release pairs with the fence here and the acquire load in `release`, in whichever handle goes last.
        if self.0.fetch_sub(1, Ordering::Release) != 1 {
            return false;
        }
        fence(Ordering::Acquire);
        self.0.store(1, Ordering::Relaxed);
        true
    }

    /// Whether there is exactly one handle; true stays true while that handle is borrowed mutably.
    #[inline]
    pub fn is_unique(&self) -> bool {
        // Acquire pairs with the release in `release_shared`: the remaining handle may write at once.
        self.0.load(Ordering::Acquire) == 1
    }

    /// From now on the count is never written again and never ends.
    pub fn make_immortal(&self) {
        self.0.fetch_or(IMMORTAL, Ordering::Relaxed);
    }

    /// Whether [`make_immortal`](RefCount::make_immortal) was called.
    #[inline]
    pub fn is_immortal(&self) -> bool {
        self.0.load(Ordering::Relaxed) & IMMORTAL != 0
    }
}

impl Default for RefCount {
    fn default() -> RefCount {
        RefCount::new()
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn only_the_last_handle_ends_the_count() {
        let count = RefCount::new();
        count.acquire();
        count.acquire();
        assert!(!count.is_unique());
        assert_eq!([count.release(), count.release(), count.release()], [false, false, true]);
        assert!(count.is_unique(), "a finished count is ready for the next use");
    }

    #[test]
    fn an_immortal_count_never_ends() {
        let count = RefCount::new();
        count.make_immortal();
        count.acquire();
        assert!(!count.release() && !count.release() && !count.release());
        assert!(count.is_immortal() && !count.is_unique());
    }
}

#[cfg(all(test, loom))]
mod model {
    use super::*;
    use loom::cell::UnsafeCell;
    use loom::sync::Arc;

    struct Block {
        count: RefCount,
        data: UnsafeCell<u32>,
    }

    // SAFETY: `data` is read through handles and written only by the handle that `count` says is the last.
    unsafe impl Sync for Block {}
    // SAFETY: as above.
    unsafe impl Send for Block {}

    fn drop_handle(block: &Block) -> bool {
        // SAFETY: a handle may read until it is released.
        block.data.with(|data| unsafe { *data });
        let last = block.count.release();
        if last {
            // SAFETY: `release` said that no other handle is left.
            block.data.with_mut(|data| unsafe { *data = 7 });
        }
        last
    }

    #[test]
    fn exactly_one_of_two_handles_is_last_and_owns_the_data() {
        loom::model(|| {
            let block = Arc::new(Block { count: RefCount::new(), data: UnsafeCell::new(0) });
            block.count.acquire();
            let other = {
                let block = block.clone();
                loom::thread::spawn(move || drop_handle(&block))
            };
            let here = drop_handle(&block);
            assert!(here != other.join().unwrap());
        });
    }

    #[test]
    fn unique_is_seen_only_after_the_other_handle_is_done() {
        loom::model(|| {
            let block = Arc::new(Block { count: RefCount::new(), data: UnsafeCell::new(0) });
            block.count.acquire();
            let other = {
                let block = block.clone();
                loom::thread::spawn(move || assert!(!drop_handle(&block) || block.count.is_unique()))
            };
            if block.count.is_unique() {
                // SAFETY: unique.
                block.data.with_mut(|data| unsafe { *data = 9 });
            }
            other.join().unwrap();
        });
    }
}
