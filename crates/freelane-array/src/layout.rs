//! Shape, strides and offset of an array, checked once.
use crate::ArrayError;
use smallvec::SmallVec;

/// Lengths of the axes. Up to four axes need no heap.
pub type Dims = SmallVec<[usize; 4]>;
/// Distance between neighbours along each axis, in elements.
pub type Strides = SmallVec<[isize; 4]>;
/// The most axes an array can have, as in NumPy.
pub const MAX_RANK: usize = 64;

/// Where the elements of an array lie in its storage. All units are elements, not bytes.
///
/// Strides may be zero (broadcast axes) and negative (flipped axes). `offset` is the position of the element at index
/// `[0, 0, ..]`. A layout by itself names no storage; `ArrayData::new` checks that it fits one.
#[derive(Debug, PartialEq, Eq)]
pub struct Layout {
    shape: Dims,
    strides: Strides,
    offset: usize,
    len: usize,
    contiguous: bool,
}

impl Clone for Layout {
    #[inline]
    fn clone(&self) -> Layout {
        Layout { shape: copied(&self.shape), strides: copied(&self.strides), ..*self }
    }
}

/// A copy, in two or three moves where no heap is involved; `SmallVec::clone` goes element by element.
#[inline(always)]
fn copied<T: Copy>(items: &SmallVec<[T; 4]>) -> SmallVec<[T; 4]> {
    if items.spilled() {
        return SmallVec::from_slice(items);
    }
    // SAFETY: items that are not spilled own nothing but themselves, and can be copied.
    unsafe { std::ptr::read(items) }
}

/// The number of elements of a shape, or an error if memory cannot address `size`-byte elements of that number.
#[inline]
pub fn element_count(shape: &[usize], size: usize) -> Result<usize, ArrayError> {
    if let &[len] = shape
        && len <= isize::MAX as usize / 16
        && size <= 16
    {
        return Ok(len);
    }
    count_elements(shape, size)
}

fn count_elements(shape: &[usize], size: usize) -> Result<usize, ArrayError> {
    if shape.len() > MAX_RANK {
        return Err(ArrayError::RankTooHigh { rank: shape.len() });
    }
    if shape.contains(&0) {
        return Ok(0);
    }
    let count = shape.iter().try_fold(1usize, |n, &d| n.checked_mul(d));
    let fits = |n: &usize| n.checked_mul(size.max(1)).is_some_and(|bytes| bytes <= isize::MAX as usize);
    count.filter(fits).ok_or_else(|| ArrayError::ShapeOverflow { shape: shape.to_vec() })
}

/// An axis counted from the front; negative ones count from the back.
pub fn normalize_axis(axis: isize, rank: usize) -> Result<usize, ArrayError> {
    let forward = if axis < 0 { axis.checked_add_unsigned(rank) } else { Some(axis) };
    match forward {
        Some(a) if (0..rank as isize).contains(&a) => Ok(a as usize),
        _ => Err(ArrayError::BadAxis { axis, rank }),
    }
}

impl Layout {
    /// Row-major order without gaps.
    #[inline]
    pub fn contiguous(shape: &[usize]) -> Result<Layout, ArrayError> {
        if let &[len] = shape
            && len <= isize::MAX as usize
        {
            return Ok(Layout::of_one_axis(len));
        }
        Layout::row_major(shape)
    }

    /// One axis without gaps.
    ///
    /// # Panics
    /// If `len` exceeds `isize::MAX`.
    #[inline(always)]
    pub fn of_one_axis(len: usize) -> Layout {
        assert!(len <= isize::MAX as usize, "{len} elements do not fit in memory");
        let (shape, strides) = (Dims::from_buf_and_len([len, 0, 0, 0], 1), Strides::from_buf_and_len([1, 0, 0, 0], 1));
        Layout { shape, strides, offset: 0, len, contiguous: true }
    }

    fn row_major(shape: &[usize]) -> Result<Layout, ArrayError> {
        let len = element_count(shape, 1)?;
        Ok(Layout { strides: row_major(shape), shape: Dims::from_slice(shape), offset: 0, len, contiguous: true })
    }

    /// Row-major order without gaps, over the shape of this layout.
    #[inline]
    pub fn to_contiguous(&self) -> Layout {
        if self.contiguous && self.len > 0 {
            return Layout { offset: 0, ..self.clone() };
        }
        Layout {
            shape: copied(&self.shape),
            strides: row_major(&self.shape),
            offset: 0,
            len: self.len,
            contiguous: true,
        }
    }

    /// Any strides. Rank, element count and the reach of the strides are checked for overflow.
    pub fn strided(shape: &[usize], strides: &[isize], offset: usize) -> Result<Layout, ArrayError> {
        let len = element_count(shape, 1)?;
        if strides.len() != shape.len() {
            return Err(ArrayError::TooManyIndices { given: strides.len(), rank: shape.len() });
        }
        let layout = Self::from_parts(shape.into(), strides.into(), offset, len);
        layout.reach().map(|_| layout).ok_or_else(|| ArrayError::ShapeOverflow { shape: shape.to_vec() })
    }

    /// Parts that are already known to be in range.
    fn from_parts(shape: Dims, strides: Strides, offset: usize, len: usize) -> Layout {
        let contiguous = is_row_major(&shape, &strides, len);
        Layout { shape, strides, offset, len, contiguous }
    }

    /// Lengths of the axes.
    #[inline]
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Strides in elements.
    #[inline]
    pub fn strides(&self) -> &[isize] {
        &self.strides
    }

    /// Position of the first element.
    #[inline]
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// Number of axes.
    #[inline]
    pub fn rank(&self) -> usize {
        self.shape.len()
    }

    /// Number of elements.
    #[inline]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no elements.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Whether the elements lie in row-major order without gaps.
    #[inline]
    pub fn is_contiguous(&self) -> bool {
        self.contiguous
    }

    /// The lowest and highest position relative to `offset`; `None` on overflow.
    fn reach(&self) -> Option<(isize, isize)> {
        let (mut low, mut high) = (0isize, 0isize);
        if self.len == 0 {
            return Some((0, 0));
        }
        for (&n, &s) in self.shape.iter().zip(&self.strides) {
            let span = s.checked_mul(isize::try_from(n - 1).ok()?)?;
            if span < 0 { low = low.checked_add(span)? } else { high = high.checked_add(span)? }
        }
        isize::try_from(self.offset).ok()?.checked_add(high)?;
        Some((low, high))
    }

    /// Checks that every element lies in storage of `available` elements.
    pub fn fits(&self, available: usize) -> Result<(), ArrayError> {
        if self.len == 0 {
            return Ok(());
        }
        let overflow = || ArrayError::ShapeOverflow { shape: self.shape.to_vec() };
        let (low, high) = self.reach().ok_or_else(overflow)?;
        let (first, last) = (self.offset as isize + low, self.offset as isize + high);
        if first < 0 || last as usize >= available {
            return Err(ArrayError::OutOfBounds { last: if first < 0 { first } else { last }, available });
        }
        Ok(())
    }

    /// Position of an index in the storage. Every index must be below its axis' length.
    pub fn position(&self, index: &[usize]) -> Result<usize, ArrayError> {
        if index.len() != self.rank() {
            return Err(ArrayError::TooManyIndices { given: index.len(), rank: self.rank() });
        }
        let mut at = self.offset as isize;
        for (axis, ((&i, &n), &s)) in index.iter().zip(&self.shape).zip(&self.strides).enumerate() {
            if i >= n {
                return Err(ArrayError::IndexOutOfRange { index: i as isize, axis, len: n });
            }
            at += i as isize * s;
        }
        Ok(at as usize)
    }

    /// Whether no two indices share an element, so that writing is well defined.
    ///
    /// Sufficient, not necessary: with axes ordered by stride, each must step over all that lies below it.
    #[inline]
    pub fn is_injective(&self) -> bool {
        self.contiguous || self.strides_are_injective()
    }

    fn strides_are_injective(&self) -> bool {
        let mut axes: SmallVec<[(usize, usize); 4]> = self
            .shape
            .iter()
            .zip(&self.strides)
            .filter(|(n, _)| **n > 1)
            .map(|(&n, &s)| (s.unsigned_abs(), n))
            .collect();
        axes.sort_unstable();
        let mut below = 0usize;
        for (stride, n) in axes {
            if stride <= below {
                return self.len == 0;
            }
            below += stride * (n - 1);
        }
        true
    }

    /// The axes in another order: axis `i` of the result is axis `axes[i]`.
    pub fn permute(&self, axes: &[isize]) -> Result<Layout, ArrayError> {
        let bad = || ArrayError::BadAxes { axes: axes.to_vec(), rank: self.rank() };
        if axes.len() != self.rank() {
            return Err(bad());
        }
        let mut seen = [false; MAX_RANK];
        let (mut shape, mut strides) = (Dims::new(), Strides::new());
        for &axis in axes {
            let a = normalize_axis(axis, self.rank())?;
            if std::mem::replace(&mut seen[a], true) {
                return Err(bad());
            }
            shape.push(self.shape[a]);
            strides.push(self.strides[a]);
        }
        Ok(Self::from_parts(shape, strides, self.offset, self.len))
    }

    /// All axes in reverse order.
    pub fn reverse_axes(&self) -> Layout {
        let (shape, strides) =
            (self.shape.iter().rev().copied().collect(), self.strides.iter().rev().copied().collect());
        Self::from_parts(shape, strides, self.offset, self.len)
    }

    /// The order of elements along an axis reversed.
    pub fn flip(&self, axis: isize) -> Result<Layout, ArrayError> {
        let a = normalize_axis(axis, self.rank())?;
        let mut flipped = self.clone();
        if self.len > 0 {
            flipped.offset = (self.offset as isize + self.strides[a] * (self.shape[a] as isize - 1)) as usize;
        }
        flipped.strides[a] = self.strides[a].wrapping_neg();
        Ok(Self::from_parts(flipped.shape, flipped.strides, flipped.offset, self.len))
    }

    /// A new axis of length 1 before `axis` (of the result).
    pub fn expand_dims(&self, axis: isize) -> Result<Layout, ArrayError> {
        if self.rank() == MAX_RANK {
            return Err(ArrayError::RankTooHigh { rank: MAX_RANK + 1 });
        }
        let a = normalize_axis(axis, self.rank() + 1)?;
        let mut expanded = self.clone();
        expanded.shape.insert(a, 1);
        expanded.strides.insert(a, 0);
        Ok(expanded)
    }

    /// Without an axis of length 1.
    pub fn squeeze(&self, axis: isize) -> Result<Layout, ArrayError> {
        let a = normalize_axis(axis, self.rank())?;
        if self.shape[a] != 1 {
            return Err(ArrayError::NotSqueezable { axis: a, len: self.shape[a] });
        }
        let mut squeezed = self.clone();
        squeezed.shape.remove(a);
        squeezed.strides.remove(a);
        Ok(squeezed)
    }

    /// Repeated, without copying, to a larger shape: axes of length 1 (and missing leading ones) get stride zero.
    pub fn broadcast_to(&self, shape: &[usize]) -> Result<Layout, ArrayError> {
        let bad = || ArrayError::NotBroadcastable { from: self.shape.to_vec(), to: shape.to_vec() };
        let len = element_count(shape, 1)?;
        let lead = shape.len().checked_sub(self.rank()).ok_or_else(bad)?;
        let mut strides = Strides::from_elem(0, lead);
        for ((&from, &to), &stride) in self.shape.iter().zip(&shape[lead..]).zip(&self.strides) {
            match from {
                _ if from == to => strides.push(stride),
                1 => strides.push(0),
                _ => return Err(bad()),
            }
        }
        Ok(Self::from_parts(shape.into(), strides, self.offset, len))
    }

    /// The same elements, in row-major order, under another shape. `None` when that needs a copy.
    pub fn reshape(&self, shape: &[usize]) -> Result<Option<Layout>, ArrayError> {
        let len = element_count(shape, 1)?;
        if len != self.len {
            let to = shape.iter().map(|&d| d as isize).collect();
            return Err(ArrayError::ReshapeMismatch { from: self.shape.to_vec(), to });
        }
        let strides = if self.contiguous || len == 0 { Some(row_major(shape)) } else { self.regroup(shape) };
        Ok(strides.map(|s| Self::from_parts(shape.into(), s, self.offset, len)))
    }

    /// Strides for `shape` if each group of new axes lies within a group of old axes that step evenly.
    fn regroup(&self, shape: &[usize]) -> Option<Strides> {
        let old: SmallVec<[(usize, isize); 4]> =
            self.shape.iter().copied().zip(self.strides.iter().copied()).filter(|&(n, _)| n != 1).collect();
        let mut strides = Strides::from_elem(0, shape.len());
        let (mut i, mut j) = (0, 0);
        while j < shape.len() {
            if shape[j] == 1 {
                j += 1;
                continue;
            }
            let (first_old, first_new) = (i, j);
            let (mut olds, mut news) = (old.get(i)?.0, shape[j]);
            (i, j) = (i + 1, j + 1);
            while olds != news {
                if olds < news {
                    olds *= old[i].0;
                    i += 1;
                } else {
                    news *= shape[j];
                    j += 1;
                }
            }
            for pair in old[first_old..i].windows(2) {
                if pair[0].1 != pair[1].1 * pair[1].0 as isize {
                    return None;
                }
            }
            let mut step = old[i - 1].1;
            for k in (first_new..j).rev() {
                strides[k] = step;
                step *= shape[k] as isize;
            }
        }
        Some(strides)
    }

    /// The layout with other lengths, strides and offset, all derived from this one.
    pub(crate) fn derive(shape: Dims, strides: Strides, offset: usize) -> Layout {
        let len = if shape.contains(&0) { 0 } else { shape.iter().product() };
        Self::from_parts(shape, strides, offset, len)
    }
}

fn row_major(shape: &[usize]) -> Strides {
    let mut strides = Strides::from_elem(0, shape.len());
    let mut step = 1isize;
    for (s, &n) in strides.iter_mut().zip(shape).rev() {
        *s = step;
        // Shapes that hold a zero may name lengths whose product does not fit; their strides are never used.
        step = step.wrapping_mul(n.max(1) as isize);
    }
    strides
}

fn is_row_major(shape: &[usize], strides: &[isize], len: usize) -> bool {
    let mut step = 1isize;
    len == 0
        || shape.iter().zip(strides).rev().all(|(&n, &s)| {
            let ok = n == 1 || s == step;
            step *= n as isize;
            ok
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn l(shape: &[usize]) -> Layout {
        Layout::contiguous(shape).unwrap()
    }

    #[test]
    fn absurd_shapes_are_errors() {
        assert!(matches!(element_count(&[1 << 40, 1 << 40], 1), Err(ArrayError::ShapeOverflow { .. })));
        assert!(matches!(element_count(&[1 << 60], 8), Err(ArrayError::ShapeOverflow { .. })));
        assert_eq!(element_count(&[1 << 40, 0, 1 << 40], 8), Ok(0));
        assert_eq!(l(&[1 << 40, 0, 1 << 40]).len(), 0);
        assert!(matches!(element_count(&[1; 65], 8), Err(ArrayError::RankTooHigh { rank: 65 })));
        assert!(Layout::strided(&[3, 3], &[isize::MAX, 1], 0).is_err());
        assert!(Layout::strided(&[2], &[1], usize::MAX).is_err());
    }

    #[test]
    fn fits_checks_both_ends() {
        assert!(l(&[2, 3]).fits(6).is_ok());
        assert_eq!(l(&[2, 3]).fits(5), Err(ArrayError::OutOfBounds { last: 5, available: 5 }));
        assert_eq!(
            Layout::strided(&[3], &[-1], 1).unwrap().fits(9),
            Err(ArrayError::OutOfBounds { last: -1, available: 9 })
        );
    }

    #[test]
    fn permuted_flipped_expanded_squeezed() {
        let t = l(&[2, 3]).permute(&[1, 0]).unwrap();
        assert_eq!((t.shape(), t.strides(), t.is_contiguous()), (&[3, 2][..], &[1, 3][..], false));
        assert_eq!(t, l(&[2, 3]).reverse_axes());
        let f = l(&[2, 3]).flip(-1).unwrap();
        assert_eq!((f.offset(), f.strides()), (2, &[3, -1][..]));
        assert_eq!(l(&[3]).expand_dims(0).unwrap().squeeze(0).unwrap(), l(&[3]));
        assert!(
            l(&[3]).squeeze(0).is_err() && l(&[3]).permute(&[0, 0]).is_err() && l(&[2, 2]).permute(&[0, 0]).is_err()
        );
        assert!(l(&[2]).flip(1).is_err() && l(&[2]).flip(-2).is_err());
    }

    #[test]
    fn reshape_keeps_views_where_it_can() {
        let t = l(&[2, 3, 4]).permute(&[1, 0, 2]).unwrap();
        assert!(t.reshape(&[3, 8]).unwrap().is_none());
        let r = t.reshape(&[3, 2, 2, 2]).unwrap().unwrap();
        assert_eq!(r.strides(), &[4, 12, 2, 1]);
        assert!(t.reshape(&[5]).is_err());
        assert_eq!(l(&[1]).broadcast_to(&[4]).unwrap().reshape(&[2, 2]).unwrap().unwrap().strides(), &[0, 0]);
        assert_eq!(l(&[]).reshape(&[1, 1]).unwrap().unwrap().shape(), &[1, 1]);
        assert_eq!(l(&[2, 0]).reshape(&[0]).unwrap().unwrap().len(), 0);
    }

    #[test]
    fn injective_layouts() {
        assert!(l(&[2, 3]).reverse_axes().is_injective());
        assert!(!l(&[1]).broadcast_to(&[4]).unwrap().is_injective());
        assert!(!Layout::strided(&[3, 3], &[1, 1], 0).unwrap().is_injective());
        assert!(Layout::strided(&[3, 3], &[-8, 2], 20).unwrap().is_injective());
    }
}
