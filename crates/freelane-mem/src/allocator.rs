//! Memory from allocators that users bring.

use crate::MemError;
use std::alloc::Layout;
use std::ptr::NonNull;

/// Where a user's memory comes from: pinned, shared, on a certain node.
///
/// # Safety
/// `allocate` returns memory that is valid for reads and writes of `layout.size()` bytes, aligned as asked, used by nobody
/// else, until it is handed to `deallocate`; both may be called on any thread.
pub unsafe trait Allocator: Send + Sync {
    /// Memory of the given size (never 0) and alignment; its contents may be anything.
    fn allocate(&self, layout: Layout) -> Result<NonNull<u8>, MemError>;

    /// Takes memory back. It is called once for each allocation, on the thread that drops the last handle.
    ///
    /// # Safety
    /// `ptr` comes from `allocate` with the same layout, and nobody uses it any more.
    unsafe fn deallocate(&self, ptr: NonNull<u8>, layout: Layout);
}
