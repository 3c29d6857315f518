//! Memory with one owner.

use crate::block::{Block, Foreign, Source};
use crate::{Allocator, Buffer, DEFAULT_ALIGN, MemError, heap};
use std::alloc::Layout;
use std::mem::{ManuallyDrop, MaybeUninit};
use std::ptr::NonNull;
use std::sync::Arc;

/// Memory that one handle owns and may write; [`freeze`](BufferMut::freeze) makes it a [`Buffer`], at no cost.
///
/// ```
/// use freelane_mem::{BufferMut, MemError};
/// let mut buffer = BufferMut::zeroed_for::<f64>(64)?;
/// assert_eq!((buffer.len(), buffer.as_ptr().addr() % 64), (512, 0));
/// let shared = buffer.freeze();
/// let other = shared.clone();
/// assert_eq!(other.as_ptr(), shared.as_ptr());
///
/// assert!(matches!(BufferMut::zeroed_for::<f64>(1 << 60), Err(MemError::TooLarge { .. })));
/// assert!(matches!(BufferMut::zeroed_for::<f64>(1 << 61), Err(MemError::SizeOverflow { .. })));
/// # Ok::<(), MemError>(())
/// ```
#[derive(Debug)]
#[repr(transparent)]
pub struct BufferMut {
    block: Block,
}

// SAFETY: through `&BufferMut` memory can only be read.
unsafe impl Sync for BufferMut {}

impl BufferMut {
    /// `len` bytes with anything in them.
    #[inline]
    pub fn uninit(len: usize) -> Result<BufferMut, MemError> {
        Ok(BufferMut { block: heap::uninit(len)? })
    }

    /// `len` bytes that are zero.
    #[inline]
    pub fn zeroed(len: usize) -> Result<BufferMut, MemError> {
        Ok(BufferMut { block: heap::zeroed(len)? })
    }

    /// As [`uninit`](BufferMut::uninit), at a multiple of `align`, a power of two up to [`MAX_ALIGN`](crate::MAX_ALIGN).
    #[inline]
    pub fn uninit_aligned(len: usize, align: usize) -> Result<BufferMut, MemError> {
        if align == DEFAULT_ALIGN {
            return BufferMut::uninit(len);
        }
        Ok(BufferMut { block: heap::aligned(len, align, false)? })
    }

    /// As [`zeroed`](BufferMut::zeroed), at a multiple of `align`.
    #[inline]
    pub fn zeroed_aligned(len: usize, align: usize) -> Result<BufferMut, MemError> {
        if align == DEFAULT_ALIGN {
            return BufferMut::zeroed(len);
        }
        Ok(BufferMut { block: heap::aligned(len, align, true)? })
    }

    /// Room for `count` values of `T`.
    #[inline]
    pub fn uninit_for<T>(count: usize) -> Result<BufferMut, MemError> {
        BufferMut::uninit_aligned(bytes_of::<T>(count)?, align_for::<T>())
    }

    /// As [`uninit_for`](BufferMut::uninit_for), all bytes zero.
    #[inline]
    pub fn zeroed_for<T>(count: usize) -> Result<BufferMut, MemError> {
        BufferMut::zeroed_aligned(bytes_of::<T>(count)?, align_for::<T>())
    }

    /// A copy of `bytes`.
    pub fn copy_of(bytes: &[u8]) -> Result<BufferMut, MemError> {
        let mut buffer = BufferMut::uninit(bytes.len())?;
        buffer.as_uninit_mut().write_copy_of_slice(bytes);
        Ok(buffer)
    }

    /// The memory of a vector, without copying.
    pub fn from_vec<T: Copy + Send + 'static>(values: Vec<T>) -> Result<BufferMut, MemError> {
        let mut values = ManuallyDrop::new(values);
        let ptr = NonNull::from(values.as_mut_slice()).cast();
        let layout = Layout::array::<T>(values.capacity()).unwrap_or(Layout::new::<()>());
        let (len, align) = (size_of_val(values.as_slice()), align_of::<T>());
        let foreign = Foreign { ptr, len, align, read_only: false, source: Source::Global(layout) };
        // SAFETY: the vector is never dropped, so its memory is ours; it was allocated with this layout.
        Ok(BufferMut { block: unsafe { heap::adopt(foreign) }? })
    }

    /// Memory of somebody else, who is told when nobody uses it any more.
    ///
    /// `destructor` runs exactly once, on the thread that drops the last handle; at once if there is an error.
    ///
    /// # Safety
    /// Until `destructor` runs, `len` bytes from `ptr` on may be read and written by any thread that has the buffer, and by
    /// nobody else.
    pub unsafe fn from_external(
        ptr: NonNull<u8>,
        len: usize,
        destructor: Box<dyn FnOnce() + Send>,
    ) -> Result<BufferMut, MemError> {
        let foreign = Foreign { ptr, len, align: 1, read_only: false, source: Source::Told(destructor) };
        // SAFETY: the caller's promise.
        Ok(BufferMut { block: unsafe { heap::adopt(foreign) }? })
    }

    /// Memory from a user's allocator, which gets it back when nobody uses it any more.
    pub fn allocate_in(allocator: &Arc<dyn Allocator>, len: usize, align: usize) -> Result<BufferMut, MemError> {
        if !align.is_power_of_two() {
            return Err(MemError::BadAlignment { align });
        }
        let layout = Layout::from_size_align(len.max(1), align).map_err(|_| MemError::TooLarge { bytes: len })?;
        let ptr = allocator.allocate(layout)?;
        let foreign = Foreign { ptr, len, align, read_only: false, source: Source::User(allocator.clone()) };
        // SAFETY: the allocator gave the memory to us alone.
        Ok(BufferMut { block: unsafe { heap::adopt(foreign) }? })
    }

    /// # Safety
    /// The caller has the only handle to a block that may be written.
    pub(crate) unsafe fn from_block(block: Block) -> BufferMut {
        BufferMut { block }
    }

    /// The bytes asked for.
    #[inline]
    pub fn len(&self) -> usize {
        self.block.len.get()
    }

    /// Whether no byte was asked for.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The bytes there are; those after [`len`](BufferMut::len) may be written too.
    pub fn capacity(&self) -> usize {
        self.block.capacity()
    }

    /// The same memory as a buffer of `len` bytes, of which nothing is said, if there are that many.
    ///
    /// ```
    /// use freelane_mem::BufferMut;
    /// let mut a = BufferMut::uninit(100)?;
    /// assert!(a.set_len(60) && a.len() == 60);
    /// assert!(!a.set_len(1 << 30) && a.len() == 60);
    /// # Ok::<(), freelane_mem::MemError>(())
    /// ```
    pub fn set_len(&mut self, len: usize) -> bool {
        let fits = len <= self.capacity();
        if fits {
            self.block.len.set(len);
        }
        fits
    }

    /// Where the memory starts.
    #[inline]
    pub fn as_ptr(&self) -> *const u8 {
        self.block.ptr.get().as_ptr()
    }

    /// Where the memory starts, for writing.
    #[inline]
    pub fn as_mut_ptr(&mut self) -> *mut u8 {
        self.block.ptr.get().as_ptr()
    }

    /// The memory, of which nothing is said.
    #[inline]
    pub fn as_uninit_mut(&mut self) -> &mut [MaybeUninit<u8>] {
        // SAFETY: the block has `len` bytes, and `&mut self` is the only handle.
        unsafe { std::slice::from_raw_parts_mut(self.as_mut_ptr().cast(), self.len()) }
    }

    /// The bytes.
    ///
    /// # Safety
    /// All of them have been written (those of `zeroed` have).
    #[inline]
    pub unsafe fn as_slice(&self) -> &[u8] {
        // SAFETY: the block has `len` bytes, which the caller says are initialised.
        unsafe { std::slice::from_raw_parts(self.as_ptr(), self.len()) }
    }

    /// The bytes, for writing.
    ///
    /// # Safety
    /// All of them have been written (those of `zeroed` have).
    #[inline]
    pub unsafe fn as_mut_slice(&mut self) -> &mut [u8] {
        // SAFETY: the block has `len` bytes, which the caller says are initialised, and `&mut self` is the only handle.
        unsafe { std::slice::from_raw_parts_mut(self.as_mut_ptr(), self.len()) }
    }

    /// Gives up writing, so that the memory can be shared. Costs nothing.
    #[inline]
    pub fn freeze(self) -> Buffer {
        let block = ManuallyDrop::new(self).block;
        // SAFETY: the only handle becomes the only handle.
        unsafe { Buffer::from_block(block) }
    }
}

impl Drop for BufferMut {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: this was the only handle.
        unsafe { heap::release(self.block) }
    }
}

fn bytes_of<T>(count: usize) -> Result<usize, MemError> {
    count.checked_mul(size_of::<T>()).ok_or(MemError::SizeOverflow { count, size: size_of::<T>() })
}

const fn align_for<T>() -> usize {
    if align_of::<T>() > DEFAULT_ALIGN { align_of::<T>() } else { DEFAULT_ALIGN }
}
