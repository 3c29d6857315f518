//! One row times B: nothing is used twice, so B is read once, in place or in panels.
use super::tile::{Finish, MAX_PANEL, finished};
use super::{Fused, KC};
use freelane_simd::Simd;

/// Rows of B added to the running row at a time.
const GROUP: usize = 8;
/// Panels up to which C stays in registers for all of k when B is read in place.
const NARROW: usize = 16;

/// A row of A, and C's columns.
#[derive(Clone, Copy)]
pub struct Row<T> {
    pub k: usize,
    pub a: *const T,
    pub a_ks: isize,
    pub b: *const T,
    /// From row to row of B in place; packed panels ignore it.
    pub b_ks: isize,
    pub c: *mut T,
    pub cols: usize,
    /// Room for `cols` elements, used when B is read in place.
    pub run: *mut T,
    pub finish: Finish<T>,
}

impl<T> Row<T> {
    /// The columns from `j` on, whose B begins `step` further.
    fn right(&self, j: usize, step: usize) -> Self {
        let (b, c) = (self.b.wrapping_add(step), self.c.wrapping_add(j));
        Row { b, c, cols: self.cols - j, finish: self.finish.right(j), ..*self }
    }
}

/// B in panels.
///
/// # Safety
/// A is readable for `k`, B for whole panels, C and the bias are valid for `cols`.
#[inline(always)]
pub(super) unsafe fn packed<S: Simd<T: Fused>, const NP: usize, const NV: usize>(s: S, row: &Row<S::T>) {
    let panel = <S::T as Fused>::PANEL;
    let size = row.k * panel;
    let mut left = Row { b_ks: panel as isize, ..*row };
    // SAFETY: every call covers columns that are left; the buffers of the last hold a panel.
    unsafe {
        while left.cols >= NP * panel {
            columns::<S, NP, NV>(s, &left, size);
            left = left.right(NP * panel, NP * size);
        }
        if left.cols >= 2 * panel {
            columns::<S, 2, NV>(s, &left, size);
            left = left.right(2 * panel, 2 * size);
        }
        while left.cols >= panel {
            columns::<S, 1, NV>(s, &left, size);
            left = left.right(panel, size);
        }
        if left.cols > 0 {
            ragged::<S, NV>(s, &left);
        }
    }
}

/// The last, partly filled panel, through a buffer.
///
/// # Safety
/// As [`packed`].
#[inline(always)]
unsafe fn ragged<S: Simd<T: Fused>, const NV: usize>(s: S, row: &Row<S::T>) {
    let (mut c, mut bias) = ([S::T::default(); MAX_PANEL], [S::T::default(); MAX_PANEL]);
    let mut whole = Row { c: c.as_mut_ptr(), ..*row };
    // SAFETY: the caller's promise; the buffers hold a panel.
    unsafe {
        if !row.finish.bias.is_null() {
            core::ptr::copy_nonoverlapping(row.finish.bias, bias.as_mut_ptr(), row.cols);
            whole.finish.bias = bias.as_ptr();
        }
        columns::<S, 1, NV>(s, &whole, 0);
        core::ptr::copy_nonoverlapping(c.as_ptr(), row.c, row.cols);
    }
}

/// `NP` panels at once, so that enough independent chains are in flight, for all of k.
///
/// # Safety
/// A, B, C and the bias are valid for these panels; panel p of B begins `p * step` further.
#[inline(always)]
unsafe fn columns<S: Simd<T: Fused>, const NP: usize, const NV: usize>(s: S, row: &Row<S::T>, step: usize) {
    let mut sum = [[s.zero(); NV]; NP];
    for k0 in (0..row.k).step_by(KC) {
        let mut acc = [[s.zero(); NV]; NP];
        for k in k0..row.k.min(k0 + KC) {
            // SAFETY: k is in range.
            let x = s.splat(unsafe { *row.a.offset(k as isize * row.a_ks) });
            for p in 0..NP {
                let b = row.b.wrapping_add(p * step).wrapping_offset(k as isize * row.b_ks);
                for v in 0..NV {
                    // SAFETY: the caller's promise.
                    acc[p][v] = s.fma(x, unsafe { s.load(b.add(v * S::L)) }, acc[p][v]);
                }
            }
        }
        for p in 0..NP {
            for v in 0..NV {
                sum[p][v] = if k0 == 0 { acc[p][v] } else { s.add(sum[p][v], acc[p][v]) };
            }
        }
    }
    for p in 0..NP {
        for v in 0..NV {
            let j = p * <S::T as Fused>::PANEL + v * S::L;
            // SAFETY: the caller's promise.
            unsafe { s.store(row.c.add(j), finished(s, sum[p][v], row.c.add(j), j, &row.finish)) };
        }
    }
}

/// B in place: a narrow C keeps a few panels in registers for all of k; a wide one runs groups of B's rows over a
/// running row in the first-level cache. The chains are the same.
///
/// # Safety
/// A is readable for `k`, B for `k` rows of `cols`, C and the bias are valid for `cols`, and `run` is writable for them.
#[inline(always)]
pub(super) unsafe fn place<S: Simd<T: Fused>, const NP: usize, const NV: usize>(s: S, row: &Row<S::T>) {
    let panel = <S::T as Fused>::PANEL;
    let mut left = *row;
    // SAFETY: every call covers columns that are left.
    unsafe {
        if row.cols <= NARROW * panel {
            while left.cols >= NP * panel {
                columns::<S, NP, NV>(s, &left, panel);
                left = left.right(NP * panel, NP * panel);
            }
            if left.cols >= 2 * panel {
                columns::<S, 2, NV>(s, &left, panel);
                left = left.right(2 * panel, 2 * panel);
            }
            while left.cols >= panel {
                columns::<S, 1, NV>(s, &left, 0);
                left = left.right(panel, panel);
            }
        }
        if left.cols > 0 {
            running(s, &left);
        }
    }
}

/// # Safety
/// As [`place`].
#[inline(always)]
unsafe fn running<S: Simd>(s: S, row: &Row<S::T>) {
    for k0 in (0..row.k).step_by(KC) {
        let k1 = row.k.min(k0 + KC);
        let mut k = k0;
        // SAFETY: k stays below k1; the first group of a block starts the chains, so `run` is written before it is read.
        unsafe {
            while k + GROUP <= k1 {
                group::<S, GROUP>(s, row, k, k == k0);
                k += GROUP;
            }
            while k < k1 {
                group::<S, 1>(s, row, k, k == k0);
                k += 1;
            }
            let finish = Finish { add: k0 > 0, ..row.finish };
            fold_run(
                s,
                row,
                if k1 == row.k { finish } else { Finish { bias: core::ptr::null(), relu: false, ..finish } },
            );
        }
    }
}

/// `U` rows of B from `k` on over the running row.
///
/// # Safety
/// As [`place`]; unless `first`, `run` is initialised.
#[inline(always)]
unsafe fn group<S: Simd, const U: usize>(s: S, row: &Row<S::T>, k: usize, first: bool) {
    let b = row.b.wrapping_offset(k as isize * row.b_ks);
    let mut x = [s.zero(); U];
    for u in 0..U {
        // SAFETY: the caller's promise.
        x[u] = s.splat(unsafe { *row.a.offset((k + u) as isize * row.a_ks) });
    }
    let mut j = 0;
    while j < row.cols {
        let n = S::L.min(row.cols - j);
        let whole = n == S::L;
        // SAFETY: `n` columns from j on exist.
        unsafe {
            let run = row.run.add(j);
            let mut acc = match (first, whole) {
                (true, _) => s.zero(),
                (false, true) => s.load(run),
                (false, false) => s.load_first(run, n),
            };
            for u in 0..U {
                let b = b.offset(u as isize * row.b_ks).add(j);
                acc = s.fma(x[u], if whole { s.load(b) } else { s.load_first(b, n) }, acc);
            }
            if whole { s.store(run, acc) } else { s.store_first(run, acc, n) }
        }
        j += n;
    }
}

/// C takes the running row of one block.
///
/// # Safety
/// As [`place`], and `run` is initialised; C too when the block is added.
#[inline(always)]
unsafe fn fold_run<S: Simd>(s: S, row: &Row<S::T>, f: Finish<S::T>) {
    let mut j = 0;
    // SAFETY: j stays below `cols`.
    unsafe {
        while j + S::L <= row.cols {
            let c = row.c.add(j);
            s.store(c, finished(s, s.load(row.run.add(j)), c, j, &f));
            j += S::L;
        }
        while j < row.cols {
            let mut x = *row.run.add(j);
            if f.add {
                x = *row.c.add(j) + x;
            }
            if !f.bias.is_null() {
                x = x + *f.bias.add(j);
            }
            *row.c.add(j) = if f.relu && x < S::T::default() { S::T::default() } else { x };
            j += 1;
        }
    }
}
