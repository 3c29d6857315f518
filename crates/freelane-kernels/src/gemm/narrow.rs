//! A product with one to four columns, in the common order: lanes are rows, turned by transposes in registers.
//!
//! It serves C with few columns, and, rows and columns exchanged, few rows times a B whose columns are contiguous.
use super::pack::{Block, square};
use super::{Fused, KC};
use freelane_simd::Simd;

/// Many rows X times few columns Y.
#[derive(Clone, Copy)]
pub struct Narrow<T> {
    pub rows: usize,
    pub k: usize,
    pub x: *const T,
    /// One of the strides of X is 1.
    pub x_rs: isize,
    pub x_ks: isize,
    pub y: *const T,
    pub y_ks: isize,
    pub y_cs: isize,
    pub c: *mut T,
    pub c_rs: isize,
    pub c_cs: isize,
    /// Or null.
    pub bias: *const T,
    pub bias_rs: isize,
    pub bias_cs: isize,
    pub relu: bool,
    /// Add to what C holds.
    pub add: bool,
}

/// # Safety
/// X, Y, C and the bias are valid for the shape with `N` columns.
#[inline(always)]
pub(super) unsafe fn narrow<S: Simd<T: Fused>, const N: usize>(s: S, t: &Narrow<S::T>) {
    for i in (0..t.rows).step_by(S::L) {
        let lines = S::L.min(t.rows - i);
        let x = t.x.wrapping_offset(i as isize * t.x_rs);
        let block = Block { lines, k: t.k, ptr: x, step: t.x_rs, k_step: t.x_ks };
        let mut sum = [s.zero(); N];
        for k0 in (0..t.k).step_by(KC) {
            let k1 = t.k.min(k0 + KC);
            // SAFETY: k0 to k1 lies in k.
            let acc = unsafe {
                if t.x_ks == 1 { turned::<S, N>(s, t, &block, k0, k1) } else { upright::<S, N>(s, t, &block, k0, k1) }
            };
            for q in 0..N {
                sum[q] = if k0 == 0 { acc[q] } else { s.add(sum[q], acc[q]) };
            }
        }
        for q in 0..N {
            // SAFETY: the caller's promise.
            unsafe { put(s, t, i, lines, q, sum[q]) };
        }
    }
}

/// One block's chains; every row of X is contiguous.
///
/// # Safety
/// As [`narrow`], for the block's rows.
#[inline(always)]
unsafe fn turned<S: Simd, const N: usize>(s: S, t: &Narrow<S::T>, x: &Block<S::T>, k0: usize, k1: usize) -> [S::V; N] {
    let mut acc = [s.zero(); N];
    let mut k = k0;
    // SAFETY: k stays below k1.
    unsafe {
        while k + S::L <= k1 {
            let columns = square(s, x, k, S::L);
            for (j, column) in columns.as_ref().iter().enumerate() {
                acc = step(s, t, *column, k + j, acc);
            }
            k += S::L;
        }
        if k < k1 {
            let columns = square(s, x, k, k1 - k);
            for (j, column) in columns.as_ref().iter().enumerate() {
                if k + j < k1 {
                    acc = step(s, t, *column, k + j, acc);
                }
            }
        }
    }
    acc
}

/// One block's chains; every column of X is contiguous.
///
/// # Safety
/// As [`narrow`], for the block's rows.
#[inline(always)]
unsafe fn upright<S: Simd, const N: usize>(s: S, t: &Narrow<S::T>, x: &Block<S::T>, k0: usize, k1: usize) -> [S::V; N] {
    let mut acc = [s.zero(); N];
    for k in k0..k1 {
        let p = x.ptr.wrapping_offset(k as isize * t.x_ks);
        // SAFETY: k is in range, and `lines` rows from the block's first on exist.
        unsafe {
            let column = if x.lines == S::L { s.load(p) } else { s.load_first(p, x.lines) };
            acc = step(s, t, column, k, acc);
        }
    }
    acc
}

/// # Safety
/// Row `k` of Y is readable.
#[inline(always)]
unsafe fn step<S: Simd, const N: usize>(s: S, t: &Narrow<S::T>, x: S::V, k: usize, mut acc: [S::V; N]) -> [S::V; N] {
    let y = t.y.wrapping_offset(k as isize * t.y_ks);
    for q in 0..N {
        // SAFETY: the caller's promise.
        acc[q] = s.fma(x, s.splat(unsafe { *y.offset(q as isize * t.y_cs) }), acc[q]);
    }
    acc
}

/// Takes the sums of `lines` rows in column `q` to C.
///
/// # Safety
/// C and the bias are valid there; `lines <= L`.
#[inline(always)]
unsafe fn put<S: Simd<T: Fused>>(s: S, t: &Narrow<S::T>, i: usize, lines: usize, q: usize, sum: S::V) {
    let mut lanes = [S::T::default(); 16];
    debug_assert!(S::L <= lanes.len());
    // SAFETY: no register has more than 16 lanes; the caller vouches for C and the bias.
    unsafe {
        s.store(lanes.as_mut_ptr(), sum);
        for (r, sum) in lanes.iter().enumerate().take(lines) {
            let (row, column) = ((i + r) as isize, q as isize);
            let c = t.c.wrapping_offset(row * t.c_rs + column * t.c_cs);
            let mut x = if t.add { *c + *sum } else { *sum };
            if !t.bias.is_null() {
                x = x + *t.bias.offset(row * t.bias_rs + column * t.bias_cs);
            }
            *c = if t.relu && x < S::T::default() { S::T::default() } else { x };
        }
    }
}
