//! Typed borrows of an array's elements.
use crate::{Element, Layout};
use std::marker::PhantomData;

/// Elements of type `T` under a layout, borrowed for reading.
#[derive(Clone, Copy)]
pub struct ArrayView<'a, T> {
    first: *const T,
    layout: &'a Layout,
    elements: PhantomData<&'a [T]>,
}

/// Elements of type `T` under a layout, borrowed for writing.
pub struct ArrayViewMut<'a, T> {
    first: *mut T,
    layout: &'a Layout,
    elements: PhantomData<&'a mut [T]>,
}

// SAFETY: a view is a borrow of elements that are Sync.
unsafe impl<T: Element> Send for ArrayView<'_, T> {}
// SAFETY: as above.
unsafe impl<T: Element> Sync for ArrayView<'_, T> {}
// SAFETY: a mutable view is a unique borrow of elements that are Send.
unsafe impl<T: Element> Send for ArrayViewMut<'_, T> {}

impl<'a, T: Element> ArrayView<'a, T> {
    /// # Safety
    /// `first` points at the element of index `[0, 0, ..]`, and every element of the layout, relative to it, is an
    /// initialised `T` that lives and is not written for `'a`.
    #[inline]
    pub unsafe fn new_unchecked(first: *const T, layout: &'a Layout) -> Self {
        ArrayView { first, layout, elements: PhantomData }
    }

    /// Shape and strides; the offset has already been applied.
    pub fn layout(&self) -> &'a Layout {
        self.layout
    }

    /// The element at an index, or `None` outside of the array.
    pub fn get(&self, index: &[usize]) -> Option<T> {
        let at = self.layout.position(index).ok()? as isize - self.layout.offset() as isize;
        // SAFETY: `position` checked the index against the shape, and every element of the shape can be read.
        Some(unsafe { *self.first.offset(at) })
    }

    /// The elements as a slice, if they are contiguous in row-major order.
    pub fn as_slice(&self) -> Option<&'a [T]> {
        if self.layout.is_empty() {
            return Some(&[]);
        }
        // SAFETY: contiguous: `len` elements lie in a row from `first`, all readable for 'a.
        self.layout.is_contiguous().then(|| unsafe { std::slice::from_raw_parts(self.first, self.layout.len()) })
    }

    /// The elements in row-major order.
    pub fn iter(&self) -> Elements<'a, T> {
        Elements { view: *self, index: [0; crate::MAX_RANK], at: 0, left: self.layout.len() }
    }
}

impl<'a, T: Element> ArrayViewMut<'a, T> {
    /// # Safety
    /// As for [`ArrayView::new_unchecked`]; in addition nothing else reads or writes the elements for `'a`, and the
    /// layout is injective.
    #[inline]
    pub unsafe fn new_unchecked(first: *mut T, layout: &'a Layout) -> Self {
        ArrayViewMut { first, layout, elements: PhantomData }
    }

    /// Shape and strides.
    pub fn layout(&self) -> &'a Layout {
        self.layout
    }

    /// Writes an element; `false` outside of the array.
    pub fn set(&mut self, index: &[usize], value: T) -> bool {
        let Ok(at) = self.layout.position(index) else { return false };
        // SAFETY: `position` checked the index, and this view alone may write the element.
        unsafe { *self.first.offset(at as isize - self.layout.offset() as isize) = value };
        true
    }

    /// The elements as a slice, if they are contiguous in row-major order.
    pub fn as_mut_slice(&mut self) -> Option<&mut [T]> {
        if self.layout.is_empty() {
            return Some(&mut []);
        }
        // SAFETY: contiguous: `len` elements lie in a row from `first`, and this view alone may touch them.
        self.layout.is_contiguous().then(|| unsafe { std::slice::from_raw_parts_mut(self.first, self.layout.len()) })
    }

    /// The same slice, for as long as the array is borrowed.
    pub fn into_slice(self) -> Option<&'a mut [T]> {
        if self.layout.is_empty() {
            return Some(&mut []);
        }
        // SAFETY: as in `as_mut_slice`; the view ends here, and the array stays borrowed.
        self.layout.is_contiguous().then(|| unsafe { std::slice::from_raw_parts_mut(self.first, self.layout.len()) })
    }
}

/// Iterator over the elements of a view in row-major order.
pub struct Elements<'a, T> {
    view: ArrayView<'a, T>,
    index: [usize; crate::MAX_RANK],
    at: isize,
    left: usize,
}

impl<T: Element> Iterator for Elements<'_, T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        self.left = self.left.checked_sub(1)?;
        // SAFETY: `at` is the position of an index inside the shape: it starts at 0 and only `step` moves it.
        let value = unsafe { *self.view.first.offset(self.at) };
        if self.left > 0 {
            self.step();
        }
        Some(value)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl<T: Element> ExactSizeIterator for Elements<'_, T> {}

impl<T> Elements<'_, T> {
    /// Moves to the next index, the last axis fastest.
    fn step(&mut self) {
        let layout = self.view.layout;
        for axis in (0..layout.rank()).rev() {
            self.at += layout.strides()[axis];
            self.index[axis] += 1;
            if self.index[axis] < layout.shape()[axis] {
                return;
            }
            self.at -= layout.strides()[axis] * layout.shape()[axis] as isize;
            self.index[axis] = 0;
        }
    }
}
