//! Who uses one object at the moment.

use crate::atomic::{AtomicU32, Ordering};

const FROZEN: u32 = 1 << 31;
const WRITER: u32 = 1 << 30;

/// Many readers or one writer, nobody waiting; once [frozen](BorrowFlag::freeze), readers alone, who then write nothing.
///
/// For objects that belong to one lane as a rule and that others reach only by mistake: a conflict is an answer, not a wait.
#[derive(Debug)]
#[repr(transparent)]
pub struct BorrowFlag(AtomicU32);

impl BorrowFlag {
    /// Nobody uses the object.
    #[cfg(not(loom))]
    pub const fn new() -> BorrowFlag {
        BorrowFlag(AtomicU32::new(0))
    }

    /// Nobody uses the object.
    #[cfg(loom)]
    pub fn new() -> BorrowFlag {
        BorrowFlag(AtomicU32::new(0))
    }

    /// Enters as a reader; false while somebody writes. Each true is followed by one [`end_read`](BorrowFlag::end_read).
    #[inline]
    #[must_use]
    pub fn read(&self) -> bool {
        // Acquire pairs with the release in `freeze`.
        if self.0.load(Ordering::Acquire) & FROZEN != 0 {
            return true;
        }
        // Acquire pairs with the release in `end_write`.
        if self.0.fetch_add(1, Ordering::Acquire) & WRITER == 0 {
            return true;
        }
        self.0.fetch_sub(1, Ordering::Relaxed);
        false
    }

    /// Leaves as a reader.
    #[inline]
    pub fn end_read(&self) {
        // What was frozen meanwhile stays so, and its count means nothing any more.
        if self.0.load(Ordering::Relaxed) & FROZEN == 0 {
            // Release pairs with the acquire in `write`: the writer comes after all that was read.
            self.0.fetch_sub(1, Ordering::Release);
        }
    }

    /// Enters as the writer; false while somebody reads or writes, and for ever once frozen.
    #[inline]
    #[must_use]
    pub fn write(&self) -> bool {
        self.0.compare_exchange(0, WRITER, Ordering::Acquire, Ordering::Relaxed).is_ok()
    }

    /// Leaves as the writer.
    #[inline]
    pub fn end_write(&self) {
        // A subtraction, since a reader that was turned away may stand in the count for a moment.
        self.0.fetch_sub(WRITER, Ordering::Release);
    }

    /// From now on everybody may read and nobody may write. True for the one call that did it; false while somebody writes,
    /// and when it had been done before.
    #[must_use]
    pub fn freeze(&self) -> bool {
        let mut seen = self.0.load(Ordering::Relaxed);
        while seen & (WRITER | FROZEN) == 0 {
            // Release: a reader that sees the bit sees what was written before.
            match self.0.compare_exchange_weak(seen, seen | FROZEN, Ordering::AcqRel, Ordering::Relaxed) {
                Ok(_) => return true,
                Err(now) => seen = now,
            }
        }
        false
    }

    /// Whether the object can only be read.
    #[inline]
    pub fn is_frozen(&self) -> bool {
        self.0.load(Ordering::Acquire) & FROZEN != 0
    }
}

impl Default for BorrowFlag {
    fn default() -> BorrowFlag {
        BorrowFlag::new()
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn readers_and_writers_exclude_each_other() {
        let flag = BorrowFlag::new();
        assert!(flag.read() && flag.read() && !flag.write());
        flag.end_read();
        assert!(!flag.write(), "one reader is left");
        flag.end_read();
        assert!(flag.write() && !flag.write() && !flag.read() && !flag.freeze());
        flag.end_write();
        assert!(flag.read(), "a reader that was turned away leaves no trace");
        flag.end_read();
        assert!(flag.write());
        flag.end_write();
    }

    #[test]
    fn a_frozen_object_is_read_by_all() {
        let flag = BorrowFlag::new();
        assert!(flag.read() && flag.freeze());
        flag.end_read();
        assert!(flag.is_frozen() && flag.read() && !flag.freeze() && !flag.write());
        flag.end_read();
    }
}

#[cfg(all(test, loom))]
mod model {
    use super::*;
    use loom::cell::UnsafeCell;
    use loom::sync::Arc;

    struct Object {
        flag: BorrowFlag,
        data: UnsafeCell<u32>,
    }

    // SAFETY: `data` is touched under the flag alone.
    unsafe impl Sync for Object {}
    // SAFETY: as above.
    unsafe impl Send for Object {}

    fn read(object: &Object) -> Option<u32> {
        object.flag.read().then(|| {
            // SAFETY: a reader is in.
            let seen = object.data.with(|data| unsafe { *data });
            object.flag.end_read();
            seen
        })
    }

    #[test]
    fn one_of_two_freezes_is_the_one_that_did_it() {
        loom::model(|| {
            let flag = Arc::new(BorrowFlag::new());
            let other = {
                let flag = flag.clone();
                loom::thread::spawn(move || flag.freeze())
            };
            let here = flag.freeze();
            assert!(here != other.join().unwrap() && flag.is_frozen());
        });
    }

    #[test]
    fn no_reader_meets_a_writer() {
        loom::model(|| {
            let object = Arc::new(Object { flag: BorrowFlag::new(), data: UnsafeCell::new(0) });
            let other = {
                let object = object.clone();
                loom::thread::spawn(move || {
                    if object.flag.write() {
                        // SAFETY: the writer is alone.
                        object.data.with_mut(|data| unsafe { *data = 1 });
                        object.flag.end_write();
                    }
                    object.flag.freeze()
                })
            };
            assert!(matches!(read(&object), None | Some(0 | 1)));
            assert!(other.join().unwrap(), "nobody writes any more");
            assert!(read(&object).is_some());
        });
    }
}
