//! The inner loop: a tile of C of few rows and one panel of columns, over one block of k.
use super::Fused;
use super::walk::ALIASING;
use core::mem::MaybeUninit;
use freelane_simd::Simd;

/// Widest panel of any element type.
pub(super) const MAX_PANEL: usize = 32;
/// Rows of a B in place that are fetched ahead, and of one whose rows lie in the same few sets of the first-level cache,
/// where more would push each other out.
const AHEAD: usize = 12;
const AHEAD_ALIASING: usize = 3;

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
    /// Columns: at most one panel, or, in mode [`PLACE`], whole panels.
    pub cols: usize,
    pub finish: Finish<T>,
}

impl<T> Tile<T> {
    /// The tile that begins `j` columns further right in the same panel, or in a B in place.
    #[inline(always)]
    fn right(&self, j: usize) -> Self {
        Tile { b: self.b.wrapping_add(j), c: self.c.wrapping_add(j), finish: self.finish.right(j), ..*self }
    }

    #[inline(always)]
    fn c_at(&self, i: usize, j: usize) -> *mut T {
        self.c.wrapping_offset(i as isize * self.c_rs + j as isize * self.c_cs)
    }
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
    let whole = t.cols == <S::T as Fused>::PANEL && t.c_cs == 1;
    let mut buffer = MaybeUninit::<[[S::T; MAX_PANEL]; MR]>::uninit();
    let mut bias = MaybeUninit::<[S::T; MAX_PANEL]>::uninit();
    let mut through = *t;
    // SAFETY: the caller's promise; the buffers hold whole panels.
    unsafe {
        if !whole {
            through = gather(t, MR, buffer.as_mut_ptr().cast(), bias.as_mut_ptr().cast());
        }
        pieces::<S, MR, NV, UNIT, B>(s, &through);
        if !whole {
            scatter(t, MR, buffer.as_ptr().cast());
        }
    }
}

/// The same tile with C, and its bias, in buffers of whole panels.
///
/// # Safety
/// C and the bias are readable where the tile reads them; the buffers hold `rows` panels and one.
#[inline(never)]
unsafe fn gather<T: Fused>(t: &Tile<T>, rows: usize, c: *mut T, bias: *mut T) -> Tile<T> {
    let mut through = Tile { c, c_rs: MAX_PANEL as isize, c_cs: 1, ..*t };
    for j in 0..MAX_PANEL {
        let inside = j < t.cols;
        // SAFETY: the caller's promise, for columns inside.
        unsafe {
            for i in 0..rows {
                *c.add(i * MAX_PANEL + j) = if inside && t.finish.add { *t.c_at(i, j) } else { T::default() };
            }
            *bias.add(j) = if inside && !t.finish.bias.is_null() { *t.finish.bias.add(j) } else { T::default() };
        }
    }
    if !t.finish.bias.is_null() {
        through.finish.bias = bias;
    }
    through
}

/// Takes the buffer to C.
///
/// # Safety
/// C is writable in the tile's columns of `rows` rows, and the buffer initialised there.
#[inline(never)]
unsafe fn scatter<T: Fused>(t: &Tile<T>, rows: usize, c: *const T) {
    for i in 0..rows {
        for j in 0..t.cols {
            // SAFETY: the caller's promise.
            unsafe { *t.c_at(i, j) = *c.add(i * MAX_PANEL + j) };
        }
    }
}

/// Rows of A times whole panels of a B in place: wide pieces, so that few rows have chains enough and B's lines come in runs.
///
/// # Safety
/// As [`tile`] in mode `PLACE`; `cols` is any number of whole panels, and C is contiguous along its rows.
#[inline(always)]
pub(super) unsafe fn place<S: Simd<T: Fused>, const MR: usize, const NV: usize, const WIDE: usize>(
    s: S,
    t: &Tile<S::T>,
) {
    let mut j = 0;
    // SAFETY: each piece lies in the columns.
    unsafe {
        while j + WIDE * S::L <= t.cols {
            micro::<S, MR, WIDE, false, PLACE>(s, &t.right(j));
            j += WIDE * S::L;
        }
        while j < t.cols {
            micro::<S, MR, NV, false, PLACE>(s, &t.right(j));
            j += NV * S::L;
        }
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
        // SAFETY: the panel is a multiple of the piece, and C has room for it.
        unsafe { micro::<S, MR, NV, UNIT, B>(s, &t.right(j)) };
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
    let aliasing = (b_step.unsigned_abs() * size_of::<S::T>()).is_multiple_of(ALIASING);
    let ahead = b_step * if aliasing { AHEAD_ALIASING } else { AHEAD } as isize;
    for _ in 0..t.k {
        if B != PACKED {
            for line in 0..(NV * S::L * size_of::<S::T>()).div_ceil(64) {
                s.prefetch(b.wrapping_offset(ahead).wrapping_add(line * 64 / size_of::<S::T>()));
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
