//! The inner loop: a tile of C of few rows and one panel of columns, over one block of k.
use super::Fused;
use freelane_simd::Simd;

/// Widest panel of any element type.
pub(super) const MAX_PANEL: usize = 32;
/// Rows of a B in place that are fetched ahead.
const AHEAD: isize = 12;

/// B comes in panels.
pub(super) const PACKED: u8 = 0;
/// B is read where it is: rows of neighbouring elements.
pub(super) const PLACE: u8 = 1;
/// The same, and the panel is written to [`Finish::keep`] on the way, which costs nothing.
pub(super) const KEEP: u8 = 2;

/// What happens to a tile once its chains end.
#[derive(Clone, Copy)]
pub struct Finish<T> {
    /// Add to what C holds (every block of k but the first).
    pub add: bool,
    /// Row vector added after the last block, or null.
    pub bias: *const T,
    /// Whether negative results become zero.
    pub relu: bool,
    /// Where a panel is left in mode [`KEEP`].
    pub keep: *mut T,
}

impl<T> Finish<T> {
    /// The same for columns that begin `j` further right.
    #[inline(always)]
    pub fn right(&self, j: usize) -> Self {
        let bias = if self.bias.is_null() { self.bias } else { self.bias.wrapping_add(j) };
        Finish { bias, keep: self.keep.wrapping_add(j), ..*self }
    }
}

/// One tile: strides in elements.
#[derive(Clone, Copy)]
pub struct Tile<T> {
    pub k: usize,
    pub a: *const T,
    pub a_rs: isize,
    pub a_ks: isize,
    pub b: *const T,
    pub b_ks: isize,
    pub c: *mut T,
    pub c_rs: isize,
    pub c_cs: isize,
    /// Columns, at most one panel.
    pub cols: usize,
    pub finish: Finish<T>,
}

/// The tile of `MR` rows: walked in pieces of `NV` vectors; ragged or scattered columns of C go through a buffer.
///
/// # Safety
/// A and C have `MR` rows and the tile's columns in reach, B a whole panel; in mode `KEEP` so has `keep`; a bias has `cols` elements.
/// With `UNIT`, `a_rs` is 1.
#[inline(always)]
pub(super) unsafe fn tile<S: Simd<T: Fused>, const MR: usize, const NV: usize, const UNIT: bool, const B: u8>(
    s: S,
    t: &Tile<S::T>,
) {
    let panel = <S::T as Fused>::PANEL;
    if t.cols == panel && t.c_cs == 1 {
        // SAFETY: the caller's promise, and C is contiguous along its rows.
        return unsafe { pieces::<S, MR, NV, UNIT, B>(s, t) };
    }
    let mut c = [[S::T::default(); MAX_PANEL]; MR];
    let mut bias = [S::T::default(); MAX_PANEL];
    let at = |i: usize, j: usize| t.c.wrapping_offset(i as isize * t.c_rs + j as isize * t.c_cs);
    // SAFETY: (i, j) lies in the tile, whose C and bias the caller vouches for; the buffers hold a whole panel.
    unsafe {
        if t.finish.add {
            (0..MR).for_each(|i| (0..t.cols).for_each(|j| c[i][j] = *at(i, j)));
        }
        let mut through = Tile { c: c.as_mut_ptr().cast(), c_rs: MAX_PANEL as isize, c_cs: 1, ..*t };
        if !t.finish.bias.is_null() {
            (0..t.cols).for_each(|j| bias[j] = *t.finish.bias.add(j));
            through.finish.bias = bias.as_ptr();
        }
        pieces::<S, MR, NV, UNIT, B>(s, &through);
        (0..MR).for_each(|i| (0..t.cols).for_each(|j| *at(i, j) = c[i][j]));
    }
}

/// The pieces of a tile that hold columns. In mode `KEEP` all of them, since the panel must be whole.
///
/// # Safety
/// As [`tile`], and C has room for a whole panel.
#[inline(always)]
unsafe fn pieces<S: Simd<T: Fused>, const MR: usize, const NV: usize, const UNIT: bool, const B: u8>(
    s: S,
    t: &Tile<S::T>,
) {
    let panel = <S::T as Fused>::PANEL;
    let end = if B == KEEP { panel } else { t.cols };
    let mut j = 0;
    while j < end {
        let piece = Tile { b: t.b.wrapping_add(j), c: t.c.wrapping_add(j), finish: t.finish.right(j), ..*t };
        // SAFETY: the panel is a multiple of the piece, and C has room for it.
        unsafe { micro::<S, MR, NV, UNIT, B>(s, &piece) };
        j += NV * S::L;
    }
}

/// `MR` rows times `NV` vectors: every element of C is one chain of fused multiply-adds in a register.
///
/// # Safety
/// As [`tile`], for `NV` vectors of columns.
#[inline(always)]
unsafe fn micro<S: Simd<T: Fused>, const MR: usize, const NV: usize, const UNIT: bool, const B: u8>(
    s: S,
    t: &Tile<S::T>,
) {
    let panel = <S::T as Fused>::PANEL;
    let mut acc = [[s.zero(); NV]; MR];
    if t.finish.add {
        // The tile of C comes from afar by the time it is needed.
        for i in 0..MR {
            for v in 0..NV {
                s.prefetch(t.c.wrapping_offset(i as isize * t.c_rs).wrapping_add(v * S::L));
            }
        }
    }
    let (mut a, mut b, mut keep) = (t.a, t.b, t.finish.keep);
    let a_step = if UNIT { 1 } else { t.a_rs };
    let b_step = if B == PACKED { panel as isize } else { t.b_ks };
    for _ in 0..t.k {
        if B != PACKED {
            for line in 0..(NV * S::L * size_of::<S::T>()).div_ceil(64) {
                s.prefetch(b.wrapping_offset(AHEAD * b_step).wrapping_add(line * 64 / size_of::<S::T>()));
            }
        }
        let mut row = [s.zero(); NV];
        // SAFETY: the caller vouches for A, B and `keep` in every step of k.
        unsafe {
            for v in 0..NV {
                row[v] = s.load(b.add(v * S::L));
                if B == KEEP {
                    s.store(keep.add(v * S::L), row[v]);
                }
            }
            for i in 0..MR {
                let x = s.splat(*a.offset(i as isize * a_step));
                for v in 0..NV {
                    acc[i][v] = s.fma(x, row[v], acc[i][v]);
                }
            }
        }
        a = a.wrapping_offset(t.a_ks);
        b = b.wrapping_offset(b_step);
        keep = keep.wrapping_add(panel);
    }
    for i in 0..MR {
        for v in 0..NV {
            let c = t.c.wrapping_offset(i as isize * t.c_rs).wrapping_add(v * S::L);
            // SAFETY: the caller vouches for C and the bias in these columns.
            unsafe { s.store(c, finished(s, acc[i][v], c, v * S::L, &t.finish)) };
        }
    }
}

/// The sum of one block, taken to what is stored: added to C, with bias, cut at zero.
///
/// # Safety
/// `c` is readable when the block is added, the bias when there is one.
#[inline(always)]
pub(super) unsafe fn finished<S: Simd>(s: S, sum: S::V, c: *const S::T, j: usize, f: &Finish<S::T>) -> S::V {
    let mut x = sum;
    // SAFETY: the caller's promise.
    unsafe {
        if f.add {
            x = s.add(s.load(c), x);
        }
        if !f.bias.is_null() {
            x = s.add(x, s.load(f.bias.add(j)));
        }
    }
    if f.relu { s.relu(x) } else { x }
}
