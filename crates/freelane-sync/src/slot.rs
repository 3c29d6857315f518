//! A place for one value, taken and put back by swapping a pointer.

use crate::atomic::{AtomicPtr, Ordering};
use std::marker::PhantomData;
use std::ptr;

/// At most one value. Whoever takes it has it alone, so nobody waits: who finds the place empty makes a value of his own, and
/// of two that are put back the later stays.
///
/// ```
/// use freelane_sync::Slot;
/// let slot = Slot::new();
/// assert!(slot.take().is_none());
/// assert!(slot.put(Box::new(1)).is_none());
/// assert_eq!(slot.put(Box::new(2)), Some(Box::new(1)));
/// assert_eq!(slot.take(), Some(Box::new(2)));
/// ```
#[derive(Debug)]
pub struct Slot<T> {
    value: AtomicPtr<T>,
    owns: PhantomData<T>,
}

// SAFETY: a value moves from the thread that puts it to the one that takes it, and is never seen by two.
unsafe impl<T: Send> Sync for Slot<T> {}

impl<T> Slot<T> {
    /// An empty place.
    pub fn new() -> Slot<T> {
        Slot { value: AtomicPtr::new(ptr::null_mut()), owns: PhantomData }
    }

    /// Takes the value, if there is one.
    #[inline]
    pub fn take(&self) -> Option<Box<T>> {
        self.swap(ptr::null_mut())
    }

    /// Puts a value; returns the one that was there.
    #[inline]
    pub fn put(&self, value: Box<T>) -> Option<Box<T>> {
        self.swap(Box::into_raw(value))
    }

    #[inline]
    fn swap(&self, new: *mut T) -> Option<Box<T>> {
        // Acquire sees what the one who put it wrote; release lets the next one see what this thread wrote.
        let old = self.value.swap(new, Ordering::AcqRel);
        // SAFETY: a pointer that is not null came out of a box, and the swap handed it to this thread alone.
        (!old.is_null()).then(|| unsafe { Box::from_raw(old) })
    }
}

impl<T> Default for Slot<T> {
    fn default() -> Slot<T> {
        Slot::new()
    }
}

impl<T> Drop for Slot<T> {
    fn drop(&mut self) {
        self.take();
    }
}

#[cfg(all(test, loom))]
mod model {
    use super::*;
    use loom::{sync::Arc, thread};

    #[test]
    fn a_value_is_in_one_hand() {
        loom::model(|| {
            let slot = Arc::new(Slot::new());
            slot.put(Box::new(7));
            let other = {
                let slot = slot.clone();
                thread::spawn(move || slot.take().map(|v| slot.put(v).is_some()))
            };
            let mine = slot.take();
            let theirs = other.join().unwrap();
            assert!(mine.is_some() || theirs.is_some());
            drop(mine);
        });
    }
}
