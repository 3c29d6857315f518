//! An array as bytes with a description.
use crate::{ArrayError, ArrayView, DType, Element, Layout};
use freelane_mem::{Buffer, BufferMut};
use std::ptr::NonNull;

/// Storage, element type and layout. Dynamic in dtype and rank; cloning shares the storage.
///
/// Invariants, made true by [`ArrayData::new`]: the storage is aligned for the dtype, every element of the layout lies
/// inside of it, and every byte of the storage that an element covers is initialised.
#[derive(Clone)]
pub struct ArrayData {
    buffer: Buffer,
    dtype: DType,
    layout: Layout,
}

impl ArrayData {
    /// Describes initialised bytes as an array.
    ///
    /// # Safety
    /// Every element that the layout reaches is initialised with a valid value of `dtype` (`bool` bytes are 0 or 1).
    ///
    /// # Errors
    /// When the layout does not fit the storage, or the storage is not aligned for the dtype.
    pub unsafe fn new(buffer: Buffer, dtype: DType, layout: Layout) -> Result<ArrayData, ArrayError> {
        if !(buffer.as_ptr() as usize).is_multiple_of(dtype.align()) && !layout.is_empty() {
            return Err(ArrayError::Misaligned { dtype });
        }
        layout.fits(buffer.len() / dtype.size())?;
        Ok(ArrayData { buffer, dtype, layout })
    }

    /// A contiguous array over a buffer that holds exactly its elements.
    ///
    /// # Safety
    /// As for [`ArrayData::new`]; in addition the buffer holds `layout.len()` elements, is aligned for them, and the
    /// layout is contiguous with offset zero.
    #[inline]
    pub unsafe fn from_parts_unchecked(buffer: BufferMut, dtype: DType, layout: Layout) -> ArrayData {
        debug_assert!(layout.is_contiguous() && layout.offset() == 0);
        debug_assert!(layout.len() * dtype.size() <= buffer.len());
        ArrayData { buffer: buffer.freeze(), dtype, layout }
    }

    /// The type of the elements.
    #[inline]
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// Shape, strides and offset.
    #[inline]
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The storage.
    #[inline]
    pub fn buffer(&self) -> &Buffer {
        &self.buffer
    }

    /// The storage, without the description.
    #[inline]
    pub fn into_buffer(self) -> Buffer {
        self.buffer
    }

    /// Pointer to the element at index `[0, 0, ..]`. Dangling (but aligned) for empty arrays.
    #[inline]
    pub fn as_ptr(&self) -> *const u8 {
        let offset = if self.layout.is_empty() { 0 } else { self.layout.offset() * self.dtype.size() };
        self.buffer.as_ptr().wrapping_add(offset)
    }

    /// Pointer for writing, if this array alone owns the storage and no two of its elements coincide.
    #[inline]
    pub fn as_mut_ptr(&mut self) -> Option<*mut u8> {
        if !self.layout.is_injective() {
            return None;
        }
        let offset = if self.layout.is_empty() { 0 } else { self.layout.offset() * self.dtype.size() };
        self.buffer.get_mut().map(|p| p.wrapping_add(offset))
    }

    /// The same elements under a reference count of their own: clones of this handle write nothing that clones of another
    /// write. A plain clone where memory for the count cannot be had.
    #[must_use]
    pub fn counted_apart(&self) -> ArrayData {
        let whole = self.clone();
        let Some(ptr) = NonNull::new(self.buffer.as_ptr().cast_mut()) else { return whole };
        let len = self.buffer.len();
        // SAFETY: the handle that the destructor drops keeps the bytes; while it is there nobody writes to them.
        let buffer = unsafe { Buffer::from_external(ptr, len, Box::new(move || drop(whole))) };
        match buffer {
            Ok(buffer) => ArrayData { buffer, dtype: self.dtype, layout: self.layout.clone() },
            Err(_) => self.clone(),
        }
    }

    /// The same storage under a layout derived from this array's.
    ///
    /// # Errors
    /// When the layout reaches outside of the storage.
    pub fn with_layout(&self, layout: Layout) -> Result<ArrayData, ArrayError> {
        layout.fits(self.buffer.len() / self.dtype.size())?;
        Ok(ArrayData { buffer: self.buffer.clone(), dtype: self.dtype, layout })
    }

    /// As [`ArrayData::with_layout`], keeping the handle on the storage, so that no reference count changes.
    pub fn into_layout(self, layout: Layout) -> Result<ArrayData, ArrayError> {
        layout.fits(self.buffer.len() / self.dtype.size())?;
        Ok(ArrayData { layout, ..self })
    }

    /// The elements as Rust values of type `T`.
    ///
    /// # Errors
    /// When `T` is not the element type.
    #[inline]
    pub fn view<T: Element>(&self) -> Result<ArrayView<'_, T>, ArrayError> {
        if T::DTYPE != self.dtype {
            return Err(ArrayError::DTypeMismatch { expected: T::DTYPE, found: self.dtype });
        }
        // SAFETY: the invariants of `ArrayData` are those of a view, and the dtype was compared above.
        Ok(unsafe { ArrayView::new_unchecked(self.as_ptr().cast(), &self.layout) })
    }
}
