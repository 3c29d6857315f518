//! A few columns whose rows of B and of C lie side by side: rows of B go to registers as they are, the last one partly
//! filled, and nothing is packed. Many small products of one shape are one call.
use super::{Fused, KC};
use freelane_simd::Simd;

/// Rows of a tile of one register, and of one of two.
const ROWS: usize = 8;
const ROWS_OF_TWO: usize = 4;

/// `count` products of one shape, in the common order.
#[derive(Clone, Copy)]
pub struct Small<T> {
    pub count: usize,
    pub m: usize,
    pub k: usize,
    /// Columns.
    pub cols: usize,
    pub a: *const T,
    pub a_rs: isize,
    pub a_ks: isize,
    pub b: *const T,
    pub b_ks: isize,
    pub c: *mut T,
    pub c_rs: isize,
    /// From product to product: of A, B and C.
    pub steps: [isize; 3],
    /// Or null.
    pub bias: *const T,
    pub relu: bool,
    /// Add to what C holds.
    pub add: bool,
}

impl<T> Small<T> {
    /// The columns from `j` on.
    #[inline(always)]
    fn right(&self, j: usize) -> Self {
        let bias = if self.bias.is_null() { self.bias } else { self.bias.wrapping_add(j) };
        Small { b: self.b.wrapping_add(j), c: self.c.wrapping_add(j), cols: self.cols - j, bias, ..*self }
    }

    /// The products from number `i` on.
    #[inline(always)]
    fn after(&self, i: usize) -> Self {
        let [a, b, c] = self.steps.map(|step| step * i as isize);
        let (a, b, c) = (self.a.wrapping_offset(a), self.b.wrapping_offset(b), self.c.wrapping_offset(c));
        Small { a, b, c, count: self.count - i, ..*self }
    }
}

/// # Safety
/// A, B, C and the bias are valid for the shape, of each product.
#[inline(always)]
pub(super) unsafe fn small<S: Simd<T: Fused>>(s: S, x: &Small<S::T>) {
    for i in 0..x.count {
        let mut left = x.after(i);
        // SAFETY: each call covers columns that are left.
        unsafe {
            while left.cols > S::L {
                rows::<S, 2, ROWS_OF_TWO>(s, &left);
                left = left.right(left.cols.min(2 * S::L));
            }
            if left.cols > 0 {
                rows::<S, 1, ROWS>(s, &left);
            }
        }
    }
}

/// All rows of the first `NV` registers of columns, or of as many columns as there are.
///
/// # Safety
/// As [`small`], for one product.
#[inline(always)]
unsafe fn rows<S: Simd<T: Fused>, const NV: usize, const MR: usize>(s: S, x: &Small<S::T>) {
    for k0 in (0..x.k).step_by(KC) {
        let mut i = 0;
        // SAFETY: rows i on are left.
        unsafe {
            while i + MR <= x.m {
                tile::<S, NV, MR>(s, x, i, k0);
                i += MR;
            }
            if MR > 4 && i + 4 <= x.m {
                tile::<S, NV, 4>(s, x, i, k0);
                i += 4;
            }
            if i + 2 <= x.m {
                tile::<S, NV, 2>(s, x, i, k0);
                i += 2;
            }
            if i < x.m {
                tile::<S, NV, 1>(s, x, i, k0);
            }
        }
    }
}

/// `MR` rows from `i` on, over the block of k that begins at `k0`.
///
/// # Safety
/// As [`rows`], for these.
#[inline(always)]
unsafe fn tile<S: Simd<T: Fused>, const NV: usize, const MR: usize>(s: S, x: &Small<S::T>, i: usize, k0: usize) {
    let k1 = x.k.min(k0 + KC);
    let last = x.cols.saturating_sub((NV - 1) * S::L).min(S::L);
    let lanes = |v: usize| if v + 1 < NV { S::L } else { last };
    let mut acc = [[s.zero(); NV]; MR];
    let mut a = x.a.wrapping_offset(i as isize * x.a_rs + k0 as isize * x.a_ks);
    let mut b = x.b.wrapping_offset(k0 as isize * x.b_ks);
    for _ in k0..k1 {
        let mut row = [s.zero(); NV];
        // SAFETY: k is in range, and so are the columns and rows.
        unsafe {
            for v in 0..NV {
                row[v] = s.load_first(b.add(v * S::L), lanes(v));
            }
            for r in 0..MR {
                let y = s.splat(*a.offset(r as isize * x.a_rs));
                for v in 0..NV {
                    acc[r][v] = s.fma(y, row[v], acc[r][v]);
                }
            }
        }
        a = a.wrapping_offset(x.a_ks);
        b = b.wrapping_offset(x.b_ks);
    }
    let c = x.c.wrapping_offset(i as isize * x.c_rs);
    // SAFETY: the caller's promise.
    unsafe {
        if k0 > 0 || x.add {
            each(&mut acc, |r, v, sum| *sum = s.add(s.load_first(c.offset(r * x.c_rs).add(v * S::L), lanes(v)), *sum));
        }
        if k1 == x.k {
            finish(s, x, &mut acc, last);
        }
        if last == S::L {
            each(&mut acc, |r, v, sum| s.store(c.offset(r * x.c_rs).add(v * S::L), *sum));
        } else {
            each(&mut acc, |r, v, sum| s.store_first(c.offset(r * x.c_rs).add(v * S::L), *sum, lanes(v)));
        }
    }
}

/// With bias, and cut at zero.
///
/// # Safety
/// The bias is readable for the tile's columns, of which the last register holds `last`.
#[inline(always)]
unsafe fn finish<S: Simd, const NV: usize, const MR: usize>(
    s: S,
    x: &Small<S::T>,
    acc: &mut [[S::V; NV]; MR],
    last: usize,
) {
    if !x.bias.is_null() {
        let mut bias = [s.zero(); NV];
        for v in 0..NV {
            // SAFETY: the caller's promise.
            bias[v] = unsafe { s.load_first(x.bias.add(v * S::L), if v + 1 < NV { S::L } else { last }) };
        }
        each(acc, |_, v, sum| *sum = s.add(*sum, bias[v]));
    }
    if x.relu {
        each(acc, |_, _, sum| *sum = s.relu(*sum));
    }
}

/// Calls `f` with each register and its place. Bodies are small, so that all of it is unrolled and registers stay registers.
#[inline(always)]
fn each<V, const NV: usize, const MR: usize>(acc: &mut [[V; NV]; MR], mut f: impl FnMut(isize, usize, &mut V)) {
    for r in 0..MR {
        for v in 0..NV {
            f(r as isize, v, &mut acc[r][v]);
        }
    }
}
