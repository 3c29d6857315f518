//! Who uses an array at the moment.
//!
//! Without the interpreter's lock a real flag; under the lock a plain number, since it changes only while its thread is
//! attached. Work that runs detached enters before and leaves after, so it is protected too.
#[cfg(Py_GIL_DISABLED)]
pub(crate) use freelane_sync::BorrowFlag as Flag;

#[cfg(not(Py_GIL_DISABLED))]
pub(crate) use locked::Flag;

#[cfg(not(Py_GIL_DISABLED))]
mod locked {
    use std::cell::Cell;

    const FROZEN: u32 = 1 << 31;
    const WRITER: u32 = 1 << 30;

    /// The same as `freelane_sync::BorrowFlag`, for threads that hold the interpreter's lock.
    pub(crate) struct Flag(Cell<u32>);

    impl Flag {
        pub(crate) const fn new() -> Flag {
            Flag(Cell::new(0))
        }

        #[inline(always)]
        pub(crate) fn read(&self) -> bool {
            let state = self.0.get();
            if state & WRITER != 0 {
                return false;
            }
            self.0.set(state + 1);
            true
        }

        #[inline(always)]
        pub(crate) fn end_read(&self) {
            self.0.set(self.0.get() - 1);
        }

        #[inline(always)]
        pub(crate) fn write(&self) -> bool {
            let free = self.0.get() == 0;
            if free {
                self.0.set(WRITER);
            }
            free
        }

        #[inline(always)]
        pub(crate) fn end_write(&self) {
            self.0.set(0);
        }

        pub(crate) fn freeze(&self) -> bool {
            let state = self.0.get();
            let free = state & (WRITER | FROZEN) == 0;
            if free {
                self.0.set(state | FROZEN);
            }
            free
        }

        #[inline(always)]
        pub(crate) fn is_frozen(&self) -> bool {
            self.0.get() & FROZEN != 0
        }
    }
}
