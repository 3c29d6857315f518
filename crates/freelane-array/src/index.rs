//! Basic indexing: integers, slices, new axes and the ellipsis.
use crate::{ArrayError, Dims, Layout, MAX_RANK, Strides};
use std::ops::{Range, RangeFrom, RangeFull, RangeTo};

/// A range along one axis, as in Python: missing ends reach to the edge, negative ones count from the back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slice {
    /// First index.
    pub start: Option<isize>,
    /// One past the last index.
    pub stop: Option<isize>,
    /// Distance between indices; negative walks backwards. Never zero.
    pub step: isize,
}

/// One item of an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Index {
    /// One position; the axis disappears. Negative counts from the back.
    At(isize),
    /// A range; the axis stays.
    Range(Slice),
    /// A new axis of length 1.
    NewAxis,
    /// As many full ranges as needed. At most one.
    Ellipsis,
}

impl From<Slice> for Index {
    fn from(slice: Slice) -> Index {
        Index::Range(slice)
    }
}

/// Conversions of Rust's ranges. Their ends count as a [`Slice`]'s do: negative ones from the back.
macro_rules! ranges {
    ($($range:ty, $r:ident => ($start:expr, $stop:expr);)*) => { $(
        impl From<$range> for Slice {
            fn from($r: $range) -> Slice {
                Slice { start: $start, stop: $stop, step: 1 }
            }
        }
        impl From<$range> for Index {
            fn from(range: $range) -> Index {
                Index::Range(range.into())
            }
        }
    )* };
}
ranges! {
    Range<isize>, r => (Some(r.start), Some(r.end));
    RangeFrom<isize>, r => (Some(r.start), None);
    RangeTo<isize>, r => (None, Some(r.end));
    RangeFull, _r => (None, None);
}

impl From<isize> for Index {
    fn from(at: isize) -> Index {
        Index::At(at)
    }
}

impl Slice {
    /// The whole axis.
    pub const fn all() -> Slice {
        Slice { start: None, stop: None, step: 1 }
    }

    /// `(first, count)` of the selected indices on an axis of length `n`.
    pub fn resolve(self, n: usize) -> Result<(usize, usize), ArrayError> {
        let n = n as isize;
        let clamp = |i: isize, low: isize, high: isize| if i < 0 { i.saturating_add(n).max(low) } else { i.min(high) };
        let (first, count) = match self.step {
            0 => return Err(ArrayError::ZeroStep),
            1.. => {
                let start = self.start.map_or(0, |i| clamp(i, 0, n));
                let stop = self.stop.map_or(n, |i| clamp(i, 0, n));
                (start, (stop - start).max(0).unsigned_abs().div_ceil(self.step.unsigned_abs()))
            }
            _ => {
                let start = self.start.map_or(n - 1, |i| clamp(i, -1, n - 1));
                let stop = self.stop.map_or(-1, |i| clamp(i, -1, n - 1));
                (start, (start - stop).max(0).unsigned_abs().div_ceil(self.step.unsigned_abs()))
            }
        };
        Ok(if count == 0 { (0, 0) } else { (first as usize, count) })
    }
}

impl Layout {
    /// The part that an index selects; a view, whatever the index.
    ///
    /// ```
    /// # use freelane_array::{Index, Layout, Slice};
    /// let x = Layout::contiguous(&[5, 4])?;
    /// let odd_rows_backwards = Slice { start: None, stop: None, step: -2 };
    /// assert_eq!(x.index(&[odd_rows_backwards.into(), Index::At(1)])?.shape(), [3]);
    /// # Ok::<(), freelane_array::ArrayError>(())
    /// ```
    pub fn index(&self, items: &[Index]) -> Result<Layout, ArrayError> {
        if let (&[Index::At(i)], [_, ..]) = (items, self.shape()) {
            return self.at_first(i);
        }
        let used = items.iter().filter(|i| matches!(i, Index::At(_) | Index::Range(_))).count();
        if used > self.rank() {
            return Err(ArrayError::TooManyIndices { given: used, rank: self.rank() });
        }
        if items.iter().filter(|i| **i == Index::Ellipsis).count() > 1 {
            return Err(ArrayError::TwoEllipses);
        }
        let mut out = Selected { shape: Dims::new(), strides: Strides::new(), offset: self.offset() as isize };
        let mut axis = 0;
        for item in items {
            match *item {
                Index::NewAxis => out.keep(1, 0),
                Index::Ellipsis => {
                    for _ in used..self.rank() {
                        out.keep(self.shape()[axis], self.strides()[axis]);
                        axis += 1;
                    }
                }
                Index::At(_) | Index::Range(_) => {
                    out.select(self, axis, *item)?;
                    axis += 1;
                }
            }
        }
        for a in axis..self.rank() {
            out.keep(self.shape()[a], self.strides()[a]);
        }
        if out.shape.len() > MAX_RANK {
            return Err(ArrayError::RankTooHigh { rank: out.shape.len() });
        }
        Ok(Layout::derive(out.shape, out.strides, out.offset as usize))
    }
}

impl Layout {
    /// One position of the first axis.
    #[inline]
    fn at_first(&self, i: isize) -> Result<Layout, ArrayError> {
        let (n, stride) = (self.shape()[0], self.strides()[0]);
        let at = position(i, 0, n)?;
        // An empty array has no position to step to, and its strides may be anything.
        let offset = self.offset() as isize + if self.is_empty() { 0 } else { at * stride };
        let (shape, strides) = (Dims::from_slice(&self.shape()[1..]), Strides::from_slice(&self.strides()[1..]));
        Ok(Layout::derive(shape, strides, offset as usize))
    }
}

/// An index counted from the front.
fn position(i: isize, axis: usize, len: usize) -> Result<isize, ArrayError> {
    let at = if i < 0 { i.saturating_add(len as isize) } else { i };
    if at < 0 || at >= len as isize {
        return Err(ArrayError::IndexOutOfRange { index: i, axis, len });
    }
    Ok(at)
}

struct Selected {
    shape: Dims,
    strides: Strides,
    offset: isize,
}

impl Selected {
    fn keep(&mut self, len: usize, stride: isize) {
        self.shape.push(len);
        self.strides.push(stride);
    }

    fn select(&mut self, from: &Layout, axis: usize, item: Index) -> Result<(), ArrayError> {
        let (n, stride) = (from.shape()[axis], from.strides()[axis]);
        match item {
            Index::At(i) => {
                let at = position(i, axis, n)?;
                // An empty array has no position to step to, and its strides may be anything.
                self.offset += if from.is_empty() { 0 } else { at * stride };
            }
            Index::Range(slice) => {
                let (first, count) = slice.resolve(n)?;
                self.offset += if from.is_empty() { 0 } else { first as isize * stride };
                self.keep(count, if count <= 1 { stride } else { stride * slice.step });
            }
            Index::NewAxis | Index::Ellipsis => {}
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What Python selects from `range(n)[start:stop:step]`.
    fn reference(n: isize, s: Slice) -> Vec<isize> {
        let fix = |v: Option<isize>, default: isize, low: isize, high: isize| match v {
            None => default,
            Some(v) if v < 0 => (v + n).max(low),
            Some(v) => v.min(high),
        };
        let (mut i, stop) = if s.step > 0 {
            (fix(s.start, 0, 0, n), fix(s.stop, n, 0, n))
        } else {
            (fix(s.start, n - 1, -1, n - 1), fix(s.stop, -1, -1, n - 1))
        };
        let mut out = vec![];
        while (s.step > 0 && i < stop) || (s.step < 0 && i > stop) {
            out.push(i);
            i += s.step;
        }
        out
    }

    #[test]
    fn every_small_slice() {
        let ends: Vec<Option<isize>> = (-7..8).map(Some).chain([None]).collect();
        for n in 0..6 {
            for &start in &ends {
                for &stop in &ends {
                    for step in [-7, -3, -2, -1, 1, 2, 3, 7] {
                        let s = Slice { start, stop, step };
                        let (first, count) = s.resolve(n as usize).unwrap();
                        let got: Vec<isize> = (0..count as isize).map(|i| first as isize + i * step).collect();
                        assert_eq!(got, reference(n, s), "{s:?} of {n}");
                    }
                }
            }
        }
    }

    #[test]
    fn ranges_are_slices() {
        let x = Layout::contiguous(&[5, 4, 3, 2]).unwrap();
        let inner = std::ops::Range { start: 1, end: -1 };
        let part = x.index(&[inner.into(), (2..).into(), Index::from(..2), (..).into()]).unwrap();
        assert_eq!((part.shape(), part.offset()), (&[3, 2, 2, 2][..], 24 + 12));
        assert_eq!(x.index(&[Index::from(-1)]), x.index(&[Index::At(4)]));
    }

    #[test]
    fn extreme_slices() {
        for step in [isize::MIN, isize::MAX, 1, -1] {
            for end in [isize::MIN, isize::MAX] {
                let s = Slice { start: Some(end), stop: Some(-end.saturating_add(1)), step };
                let (first, count) = s.resolve(5).unwrap();
                assert!(count <= 5 && first < 5, "{s:?}");
                let x = Layout::contiguous(&[5]).unwrap().index(&[s.into()]).unwrap();
                assert!(x.fits(5).is_ok());
            }
        }
        assert_eq!(Slice { step: 0, ..Slice::all() }.resolve(5), Err(ArrayError::ZeroStep));
    }

    #[test]
    fn mixed_indices() {
        let x = Layout::contiguous(&[2, 3, 4]).unwrap();
        let shape = |items: &[Index]| x.index(items).map(|l| l.shape().to_vec());
        assert_eq!(shape(&[Index::Ellipsis, Index::At(0)]), Ok(vec![2, 3]));
        assert_eq!(shape(&[Index::NewAxis, Index::At(1), Index::Ellipsis, Index::NewAxis]), Ok(vec![1, 3, 4, 1]));
        assert_eq!(shape(&[]), Ok(vec![2, 3, 4]));
        assert_eq!(shape(&[Index::At(2)]), Err(ArrayError::IndexOutOfRange { index: 2, axis: 0, len: 2 }));
        assert_eq!(
            shape(&[Index::At(isize::MIN)]),
            Err(ArrayError::IndexOutOfRange { index: isize::MIN, axis: 0, len: 2 })
        );
        assert_eq!(shape(&[Index::At(0); 4]), Err(ArrayError::TooManyIndices { given: 4, rank: 3 }));
        assert_eq!(shape(&[Index::Ellipsis; 2]), Err(ArrayError::TwoEllipses));
    }
}
