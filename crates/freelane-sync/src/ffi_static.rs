//! Memory that another runtime owns and that has to have a fixed address.

use std::cell::UnsafeCell;

/// A static that an interpreter reads and writes under rules of its own, a type object for one. Rust only passes its address
/// on.
#[repr(transparent)]
pub struct FfiStatic<T>(UnsafeCell<T>);

// SAFETY: nothing can be read or written through this type without unsafe code, which follows the interpreter's rules.
unsafe impl<T> Sync for FfiStatic<T> {}

impl<T> FfiStatic<T> {
    /// A static with its first value.
    pub const fn new(value: T) -> FfiStatic<T> {
        FfiStatic(UnsafeCell::new(value))
    }

    /// Its address.
    #[inline(always)]
    pub const fn get(&self) -> *mut T {
        self.0.get()
    }
}
