//! Memory that several lanes fill, each a part of its own.
use core::marker::PhantomData;
use core::mem::MaybeUninit;

/// Where a kernel writes its parts. The memory may be uninitialised; all parts together initialise it.
#[derive(Debug)]
pub struct Target<'a, T> {
    ptr: *mut T,
    len: usize,
    life: PhantomData<&'a mut T>,
}

// SAFETY: a `Target` is an exclusive borrow of the parts that are written through it.
unsafe impl<T: Send> Send for Target<'_, T> {}
// SAFETY: a shared `Target` only gives out its address.
unsafe impl<T: Send> Sync for Target<'_, T> {}

impl<'a, T> Target<'a, T> {
    /// The whole of `memory`.
    pub fn new(memory: &'a mut [MaybeUninit<T>]) -> Self {
        Target { ptr: memory.as_mut_ptr().cast(), len: memory.len(), life: PhantomData }
    }

    /// Elements that are there already.
    pub fn of(elements: &'a mut [T]) -> Self {
        Target { ptr: elements.as_mut_ptr(), len: elements.len(), life: PhantomData }
    }

    /// The same memory, for another lane.
    ///
    /// # Safety
    /// While both are used, no kernel is given the same part of them.
    pub unsafe fn share(&self) -> Target<'a, T> {
        Target { ..*self }
    }

    /// The memory from `ptr` on.
    ///
    /// # Safety
    /// `len` elements are valid for writes during `'a`, and no kernel is given a part of them through another target meanwhile.
    pub unsafe fn from_raw(ptr: *mut T, len: usize) -> Target<'a, T> {
        Target { ptr, len, life: PhantomData }
    }

    /// How many elements.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Address of an element, or of one past the last.
    #[inline(always)]
    pub fn at(&self, index: usize) -> *mut T {
        debug_assert!(index <= self.len);
        self.ptr.wrapping_add(index)
    }

    /// Elements that have been written.
    ///
    /// # Safety
    /// They lie inside, are initialised, and belong to the part that is written.
    #[inline(always)]
    pub(crate) unsafe fn written(&mut self, from: usize, len: usize) -> &mut [T] {
        debug_assert!(from + len <= self.len);
        // SAFETY: the caller's promise.
        unsafe { core::slice::from_raw_parts_mut(self.at(from), len) }
    }
}
