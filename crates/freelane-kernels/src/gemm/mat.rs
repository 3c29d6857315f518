//! Matrices as a pointer, a shape and two strides in elements.
use core::marker::PhantomData;
use core::ops::Range;

/// A matrix to read. Strides may be zero or negative.
#[derive(Debug)]
pub struct Mat<'a, T> {
    pub(crate) ptr: *const T,
    pub(crate) rows: usize,
    pub(crate) cols: usize,
    pub(crate) rs: isize,
    pub(crate) cs: isize,
    life: PhantomData<&'a T>,
}

/// A matrix to write. Its elements lie apart from each other.
#[derive(Debug)]
pub struct MatMut<'a, T> {
    pub(super) ptr: *mut T,
    pub(super) rows: usize,
    pub(super) cols: usize,
    pub(super) rs: isize,
    pub(super) cs: isize,
    life: PhantomData<&'a mut T>,
}

impl<T> Clone for Mat<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Mat<'_, T> {}

// SAFETY: a `Mat` is a shared borrow of its elements.
unsafe impl<T: Sync> Send for Mat<'_, T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Sync for Mat<'_, T> {}
// SAFETY: a `MatMut` is an exclusive borrow of its elements.
unsafe impl<T: Send> Send for MatMut<'_, T> {}

impl<'a, T> Mat<'a, T> {
    /// Element `(i, j)` is `data[offset + i * strides[0] + j * strides[1]]`; `None` when one lies outside `data`.
    pub fn new(data: &'a [T], offset: usize, shape: [usize; 2], strides: [isize; 2]) -> Option<Self> {
        let inside = fits(data.len(), offset, shape, strides);
        // SAFETY: `fits` checked the outermost elements, and the others lie between them.
        inside.then(|| unsafe { Self::from_raw(data.as_ptr().wrapping_add(offset), shape, strides) })
    }

    /// The matrix whose element `(0, 0)` is at `ptr`.
    ///
    /// # Safety
    /// Every element is valid for reads during `'a`, and nothing writes it meanwhile; so is what lies between neighbours of a row
    /// or column.
    pub unsafe fn from_raw(ptr: *const T, shape: [usize; 2], strides: [isize; 2]) -> Self {
        Mat { ptr, rows: shape[0], cols: shape[1], rs: strides[0], cs: strides[1], life: PhantomData }
    }

    /// Rows and columns exchanged.
    pub fn transposed(self) -> Self {
        Mat { rows: self.cols, cols: self.rows, rs: self.cs, cs: self.rs, ..self }
    }

    /// Some of the rows.
    ///
    /// # Panics
    /// When `rows` is out of range.
    pub fn rows(self, rows: Range<usize>) -> Self {
        assert!(rows.start <= rows.end && rows.end <= self.rows, "rows {rows:?} of {}", self.rows);
        Mat { ptr: self.at(rows.start, 0), rows: rows.len(), ..self }
    }

    /// The matrix of this shape so many elements further on.
    #[inline(always)]
    pub(super) fn after(self, step: isize) -> Self {
        Mat { ptr: self.ptr.wrapping_offset(step), ..self }
    }

    /// Address of an element, or of one past the last.
    #[inline(always)]
    pub(crate) fn at(&self, i: usize, j: usize) -> *const T {
        self.ptr.wrapping_offset(i as isize * self.rs + j as isize * self.cs)
    }
}

impl<'a, T> MatMut<'a, T> {
    /// As [`Mat::new`].
    pub fn new(data: &'a mut [T], offset: usize, shape: [usize; 2], strides: [isize; 2]) -> Option<Self> {
        let inside = fits(data.len(), offset, shape, strides);
        // SAFETY: `fits` checked the outermost elements, and the others lie between them.
        inside.then(|| unsafe { Self::from_raw(data.as_mut_ptr().wrapping_add(offset), shape, strides) })
    }

    /// The matrix whose element `(0, 0)` is at `ptr`. Its elements may be uninitialised.
    ///
    /// # Safety
    /// Every element that a product is asked for is valid for writes during `'a`, and nothing else touches it meanwhile.
    /// Elements in other columns may belong to other threads.
    pub unsafe fn from_raw(ptr: *mut T, shape: [usize; 2], strides: [isize; 2]) -> Self {
        MatMut { ptr, rows: shape[0], cols: shape[1], rs: strides[0], cs: strides[1], life: PhantomData }
    }

    /// The same matrix for a shorter time.
    pub(super) fn again(&mut self) -> MatMut<'_, T> {
        MatMut { ..*self }
    }

    /// The matrix of this shape so many elements further on. No element is written through both at once.
    #[inline(always)]
    pub(super) fn after(&self, step: isize) -> Self {
        MatMut { ptr: self.ptr.wrapping_offset(step), ..*self }
    }

    /// Address of an element, or of one past the last.
    #[inline(always)]
    pub(super) fn at(&self, i: usize, j: usize) -> *mut T {
        self.ptr.wrapping_offset(i as isize * self.rs + j as isize * self.cs)
    }
}

/// Whether all elements of the matrix lie in `0..len`.
fn fits(len: usize, offset: usize, shape: [usize; 2], strides: [isize; 2]) -> bool {
    if shape.contains(&0) {
        return offset <= len;
    }
    let (mut low, mut high) = (offset as i128, offset as i128);
    for (count, stride) in shape.into_iter().zip(strides) {
        let reach = (count as i128 - 1) * stride as i128;
        low += reach.min(0);
        high += reach.max(0);
    }
    low >= 0 && high < len as i128
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_matrix_lies_inside_its_slice() {
        let data = [0u8; 12];
        let cases: [(usize, [usize; 2], [isize; 2], bool); 11] = [
            (0, [3, 4], [4, 1], true),
            (0, [4, 3], [1, 4], true),
            (11, [3, 4], [-4, -1], true),
            (8, [3, 4], [-4, 1], true),
            (1, [3, 4], [4, 1], false),
            (10, [3, 4], [-4, -1], false),
            (0, [1000, 12], [0, 1], true),
            (0, [0, 1000], [1000, 1], true),
            (13, [0, 1], [1, 1], false),
            (0, [usize::MAX, usize::MAX], [0, 0], true),
            (0, [usize::MAX, 2], [isize::MAX, isize::MAX], false),
        ];
        for (offset, shape, strides, inside) in cases {
            assert_eq!(Mat::new(&data, offset, shape, strides).is_some(), inside, "{offset} {shape:?} {strides:?}");
        }
    }

    #[test]
    fn rows_and_transposes_are_views() {
        let data: Vec<usize> = (0..12).collect();
        let m = Mat::new(&data, 0, [3, 4], [4, 1]).unwrap();
        let t = m.rows(1..3).transposed();
        assert_eq!((t.rows, t.cols), (4, 2));
        // SAFETY: (3, 1) lies inside.
        assert_eq!(unsafe { *t.at(3, 1) }, 11);
    }
}
