//! Memory that many may read.

use crate::block::{Block, Foreign, Source};
use crate::lane_heap::LaneHeap;
use crate::process::Process;
use crate::{BufferMut, MemError, heap};
use std::mem::ManuallyDrop;
use std::ptr::NonNull;

/// Memory shared by all handles, which nobody writes while there are several. Cloning counts a reference; hot paths borrow.
///
/// ```
/// use freelane_mem::BufferMut;
/// let mut a = BufferMut::copy_of(b"one")?.freeze();
/// let b = a.clone();
/// assert!(a.get_mut().is_none() && !a.is_unique());
/// drop(b);
/// assert!(a.get_mut().is_some());
/// let back = a.try_into_mut().expect("the only handle");
/// assert_eq!(back.len(), 3);
/// # Ok::<(), freelane_mem::MemError>(())
/// ```
#[derive(Debug)]
#[repr(transparent)]
pub struct Buffer {
    block: Block,
}

// SAFETY: through `&Buffer` memory can only be read, and references are counted atomically.
unsafe impl Sync for Buffer {}

impl Buffer {
    /// Memory of somebody else that nobody may write; as [`BufferMut::from_external`].
    ///
    /// # Safety
    /// Until `destructor` runs, `len` bytes from `ptr` on may be read by any thread.
    pub unsafe fn from_external(
        ptr: NonNull<u8>,
        len: usize,
        destructor: Box<dyn FnOnce() + Send>,
    ) -> Result<Buffer, MemError> {
        let foreign = Foreign { ptr, len, align: 1, read_only: true, source: Source::Told(destructor) };
        // SAFETY: the caller's promise.
        Ok(Buffer { block: unsafe { heap::adopt(foreign) }? })
    }

    /// # Safety
    /// The caller has a handle to the block, and gives it up.
    pub(crate) unsafe fn from_block(block: Block) -> Buffer {
        Buffer { block }
    }

    /// The bytes of the buffer.
    #[inline]
    pub fn len(&self) -> usize {
        self.block.len.get()
    }

    /// Whether it has no bytes.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Where the memory starts.
    #[inline]
    pub fn as_ptr(&self) -> *const u8 {
        self.block.ptr.get().as_ptr()
    }

    /// The bytes.
    ///
    /// # Safety
    /// All of them have been written, and those of foreign memory do not change meanwhile.
    #[inline]
    pub unsafe fn as_slice(&self) -> &[u8] {
        // SAFETY: the block has `len` bytes, which the caller says are initialised; nobody writes while there are readers.
        unsafe { std::slice::from_raw_parts(self.as_ptr(), self.len()) }
    }

    /// Whether this is the only handle.
    #[inline]
    pub fn is_unique(&self) -> bool {
        self.block.refs.is_unique()
    }

    /// Whether nobody may ever write this memory.
    #[inline]
    pub fn is_read_only(&self) -> bool {
        self.block.read_only
    }

    /// Where the memory starts, for writing, if this is the only handle and the memory may be written.
    #[inline]
    pub fn get_mut(&mut self) -> Option<*mut u8> {
        (self.is_unique() && !self.is_read_only()).then(|| self.block.ptr.get().as_ptr())
    }

    /// The buffer for writing, if this is the only handle and the memory may be written.
    pub fn try_into_mut(mut self) -> Result<BufferMut, Buffer> {
        if self.get_mut().is_none() {
            return Err(self);
        }
        let block = ManuallyDrop::new(self).block;
        // SAFETY: checked above.
        Ok(unsafe { BufferMut::from_block(block) })
    }

    /// Never frees the memory, and never again writes its reference count, so that any number of lanes can clone and drop
    /// handles without sharing a cache line.
    pub fn make_immortal(&self) {
        self.block.refs.make_immortal();
    }

    /// Drops the handle on the reclaim thread, if it is the last one: destructors and unmapping run there.
    pub fn drop_elsewhere(self) {
        if self.is_unique() {
            let may_wait = LaneHeap::get().may_wait.get();
            Process::here().reclaimer.give_call(self.len(), may_wait, Box::new(move || drop(self)));
        }
    }
}

impl Clone for Buffer {
    #[inline]
    fn clone(&self) -> Buffer {
        self.block.refs.acquire();
        Buffer { block: self.block }
    }
}

impl Drop for Buffer {
    #[inline]
    fn drop(&mut self) {
        if self.block.refs.release() {
            // SAFETY: `release` says that this was the last handle.
            unsafe { heap::release(self.block) }
        }
    }
}
