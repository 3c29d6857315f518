//! Small memory from the allocator below: mimalloc called directly, or Rust's global one.

use std::ptr::NonNull;

/// Bytes that nobody has written, or `None` when the system has no more.
#[cfg(all(feature = "mimalloc", not(miri)))]
pub(crate) fn allocate(bytes: usize, align: usize) -> Option<NonNull<u8>> {
    // SAFETY: mimalloc takes any size, and `align` is a power of two (a constant of this crate).
    NonNull::new(unsafe { libmimalloc_sys::mi_malloc_aligned(bytes, align) }.cast())
}

/// # Safety
/// `ptr` comes from [`allocate`] with the same size and alignment and is used by nobody.
#[cfg(all(feature = "mimalloc", not(miri)))]
pub(crate) unsafe fn free(ptr: NonNull<u8>, _bytes: usize, _align: usize) {
    // SAFETY: the caller's promise.
    unsafe { libmimalloc_sys::mi_free(ptr.as_ptr().cast()) }
}

/// Gives free pages back to the system.
#[cfg(all(feature = "mimalloc", not(miri)))]
pub(crate) fn collect() {
    // mimalloc does nothing for a thread that has not allocated.
    if let Some(block) = allocate(64, 64) {
        // SAFETY: allocated just now.
        unsafe { free(block, 64, 64) };
    }
    // SAFETY: callable at any time from any thread.
    unsafe { libmimalloc_sys::mi_collect(true) }
}

/// Bytes that nobody has written, or `None` when the system has no more.
#[cfg(not(all(feature = "mimalloc", not(miri))))]
pub(crate) fn allocate(bytes: usize, align: usize) -> Option<NonNull<u8>> {
    let layout = std::alloc::Layout::from_size_align(bytes, align).ok().filter(|layout| layout.size() > 0)?;
    // SAFETY: the layout's size is not zero.
    NonNull::new(unsafe { std::alloc::alloc(layout) })
}

/// # Safety
/// `ptr` comes from [`allocate`] with the same size and alignment and is used by nobody.
#[cfg(not(all(feature = "mimalloc", not(miri))))]
pub(crate) unsafe fn free(ptr: NonNull<u8>, bytes: usize, align: usize) {
    // SAFETY: `allocate` checked the same layout.
    let layout = unsafe { std::alloc::Layout::from_size_align_unchecked(bytes, align) };
    // SAFETY: the caller's promise.
    unsafe { std::alloc::dealloc(ptr.as_ptr(), layout) }
}

/// Gives free pages back to the system, where Rust's global allocator is the C library's.
#[cfg(not(all(feature = "mimalloc", not(miri))))]
pub(crate) fn collect() {
    #[cfg(all(target_os = "linux", target_env = "gnu", not(miri)))]
    // SAFETY: callable at any time from any thread.
    unsafe {
        libc::malloc_trim(0)
    };
}
