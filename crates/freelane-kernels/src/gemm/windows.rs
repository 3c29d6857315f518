//! A column of small depth whose rows are neighbours in memory, as windows over a sequence are: B stays in registers, lanes are
//! rows, and all of a row's products are folded at once.
use super::Fused;
use super::fold::{Column, put_lanes};
use freelane_simd::Simd;

/// Greatest depth.
pub(super) const MOST: usize = 16;

/// # Safety
/// A, B, C and the bias are valid for the column's shape; `a_rs` is 1, `b_rs` 0, and k at least 1 and at most [`MOST`].
#[inline(always)]
pub(super) unsafe fn windows<S: Simd<T: Fused>>(s: S, x: &Column<S::T>) {
    macro_rules! by_depth {
        ($($k:literal)*) => {
            match x.k {
                // SAFETY: the caller's promise.
                $($k => unsafe { of_depth::<S, $k>(s, x) },)*
                k => unreachable!("a depth of {k}"),
            }
        };
    }
    by_depth!(1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16);
}

/// # Safety
/// As [`windows`]; k is `K`.
#[inline(always)]
unsafe fn of_depth<S: Simd<T: Fused>, const K: usize>(s: S, x: &Column<S::T>) {
    let mut b = [s.zero(); K];
    for (k, b) in b.iter_mut().enumerate() {
        // SAFETY: k is in range.
        *b = s.splat(unsafe { *x.b.offset(k as isize * x.b_ks) });
    }
    let mut i = 0;
    while i < x.m {
        let rows = S::L.min(x.m - i);
        let mut p = [s.zero(); K];
        for (k, p) in p.iter_mut().enumerate() {
            let a = x.a.wrapping_offset(k as isize * x.a_ks).wrapping_add(i);
            // SAFETY: rows i to i + rows exist.
            let a = unsafe { if rows == S::L { s.load(a) } else { s.load_first(a, rows) } };
            *p = s.fma(a, b[k], s.zero());
        }
        // The chains of the order that have no element are +0, which only -0 minds.
        let sums = s.add(folded(s, p), s.zero());
        // SAFETY: the caller's promise.
        unsafe { if plain(x) && rows == S::L { s.store(x.c.add(i), sums) } else { put_lanes(s, x, i, rows, sums) } };
        i += rows;
    }
}

/// Whether sums are stored as they are, side by side.
#[inline(always)]
fn plain<T>(x: &Column<T>) -> bool {
    x.c_rs == 1 && x.bias.is_null() && !x.relu
}

/// The products in halves, as those of as many chains.
#[inline(always)]
fn folded<S: Simd, const K: usize>(s: S, mut p: [S::V; K]) -> S::V {
    let mut h = const { K.next_power_of_two() / 2 };
    while h > 0 {
        for i in 0..h.min(K - h) {
            p[i] = s.add(p[i], p[i + h]);
        }
        h /= 2;
    }
    p[0]
}
