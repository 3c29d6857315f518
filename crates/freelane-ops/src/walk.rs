//! Walking several operands of one shape together, in as few and as long inner loops as their strides allow.
//!
//! Axes of length 1 go, the rest is ordered by the output's strides and neighbours that step evenly in every operand are
//! merged. What remains last is the inner loop; the axes before it are counted through.
use freelane_array::{Dims, Layout, Strides};
use smallvec::SmallVec;

/// Pointers and byte strides of `N` operands over one shape. The last operand is the output.
pub(crate) struct Walk<const N: usize> {
    ptrs: [*mut u8; N],
    axes: SmallVec<[Axis<N>; 4]>,
}

#[derive(Clone, Copy)]
struct Axis<const N: usize> {
    len: usize,
    strides: [isize; N],
}

// SAFETY: the pointers are to operands that outlive the walk (its maker borrows them); lanes that share a walk get
// disjoint parts of the output and only read the inputs.
unsafe impl<const N: usize> Sync for Walk<N> {}

/// Byte strides of a layout broadcast to `shape`.
pub(crate) fn byte_strides(layout: &Layout, shape: &[usize], size: usize) -> Strides {
    let lead = shape.len() - layout.rank();
    let mut strides = Strides::from_elem(0, lead);
    for (i, &s) in layout.strides().iter().enumerate() {
        strides.push(if layout.shape()[i] == 1 { 0 } else { s * size as isize });
    }
    strides
}

impl<const N: usize> Walk<N> {
    /// `strides` are in bytes, one per axis of `shape`, for each operand.
    pub(crate) fn new(shape: &[usize], ptrs: [*mut u8; N], strides: [&[isize]; N]) -> Self {
        let axis = |i: usize| Axis { len: shape[i], strides: std::array::from_fn(|k| strides[k][i]) };
        let mut axes: SmallVec<[Axis<N>; 4]> = (0..shape.len()).filter(|&i| shape[i] != 1).map(axis).collect();
        axes.sort_by_key(|a| std::cmp::Reverse(a.strides[N - 1].unsigned_abs()));
        let mut merged: SmallVec<[Axis<N>; 4]> = SmallVec::new();
        for axis in axes {
            match merged.last_mut() {
                Some(outer) if steps_evenly(outer, &axis) => {
                    *outer = Axis { len: outer.len * axis.len, strides: axis.strides };
                }
                _ => merged.push(axis),
            }
        }
        if merged.is_empty() {
            merged.push(Axis { len: 1, strides: [0; N] });
        }
        Walk { ptrs, axes: merged }
    }

    /// Length of the inner loop.
    pub(crate) fn inner_len(&self) -> usize {
        self.axes[self.axes.len() - 1].len
    }

    /// Number of inner loops.
    pub(crate) fn outer_len(&self) -> usize {
        self.axes[..self.axes.len() - 1].iter().map(|a| a.len).product()
    }

    /// Calls `inner(pointers, strides, n)` for the inner loops `outer`, each restricted to elements `part`.
    pub(crate) fn run(
        &self,
        outer: std::ops::Range<usize>,
        part: std::ops::Range<usize>,
        mut inner: impl FnMut([*mut u8; N], [isize; N], usize),
    ) {
        let (last, outer_axes) = self.axes.split_last().unwrap_or_else(|| unreachable!("a walk has an axis"));
        let (mut ptrs, mut index) = self.start(outer_axes, outer.start);
        for (p, s) in ptrs.iter_mut().zip(last.strides) {
            *p = p.wrapping_offset(s * part.start as isize);
        }
        for i in outer.clone() {
            inner(ptrs, last.strides, part.len());
            if i + 1 < outer.end {
                advance(outer_axes, &mut ptrs, &mut index);
            }
        }
    }

    /// Pointers and counters at the outer index `at`.
    fn start(&self, axes: &[Axis<N>], mut at: usize) -> ([*mut u8; N], Dims) {
        let (mut ptrs, mut index) = (self.ptrs, Dims::from_elem(0, axes.len()));
        for (i, axis) in axes.iter().enumerate().rev() {
            index[i] = at % axis.len;
            at /= axis.len;
            for (p, s) in ptrs.iter_mut().zip(axis.strides) {
                *p = p.wrapping_offset(s * index[i] as isize);
            }
        }
        (ptrs, index)
    }
}

fn steps_evenly<const N: usize>(outer: &Axis<N>, inner: &Axis<N>) -> bool {
    (0..N).all(|k| outer.strides[k] == inner.strides[k].wrapping_mul(inner.len as isize))
}

fn advance<const N: usize>(axes: &[Axis<N>], ptrs: &mut [*mut u8; N], index: &mut [usize]) {
    for (axis, i) in axes.iter().zip(index.iter_mut()).rev() {
        *i += 1;
        if *i < axis.len {
            for (p, s) in ptrs.iter_mut().zip(axis.strides) {
                *p = p.wrapping_offset(s);
            }
            return;
        }
        *i = 0;
        for (p, s) in ptrs.iter_mut().zip(axis.strides) {
            *p = p.wrapping_offset(-s * (axis.len as isize - 1));
        }
    }
}
