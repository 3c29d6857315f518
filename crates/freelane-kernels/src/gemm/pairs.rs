//! Complex C with one column: both parts of each sum in one pass over pairs of reals.
//!
//! Each part is a sum of products of reals in the order of a column (`fold.rs`), over blocks of [`DEPTH`] complex numbers that
//! are added in order: `re re, -im im, ...` for the real part and `re im, im re, ...` for the imaginary one.
use super::Fused;
use super::fold::{CHAINS, halves, in_halves};
use freelane_simd::Simd;

/// Complex numbers of a block. Part of the definition of the result.
const DEPTH: usize = 512;

/// `m` sums over k; pointers are to pairs, strides count pairs.
#[derive(Clone, Copy)]
pub struct Pairs<T> {
    pub m: usize,
    pub k: usize,
    pub a: *const [T; 2],
    pub a_rs: isize,
    pub a_ks: isize,
    pub b: *const [T; 2],
    /// From row to row; 0 where all rows meet one B.
    pub b_rs: isize,
    pub b_ks: isize,
    pub c: *mut [T; 2],
    pub c_rs: isize,
    /// One element, or null.
    pub bias: *const [T; 2],
    /// Whether A's numbers are conjugated.
    pub conjugate: bool,
}

/// `NV` registers hold the chains of one part, `W` of which run at once.
///
/// # Safety
/// A, B, C and the bias are valid for the shape.
#[inline(always)]
pub(super) unsafe fn pairs<S: Simd<T: Fused>, const NV: usize, const W: usize>(s: S, x: &Pairs<S::T>) {
    let mut copies = [[[S::T::default(); 2]; DEPTH]; 2];
    let [left, right] = &mut copies;
    for i in 0..x.m as isize {
        let (a, b) = (x.a.wrapping_offset(i * x.a_rs), x.b.wrapping_offset(i * x.b_rs));
        // SAFETY: the caller's promise, for row i.
        unsafe {
            let mut sum = if x.bias.is_null() { [S::T::default(); 2] } else { *x.bias };
            for k0 in (0..x.k).step_by(DEPTH) {
                let n = DEPTH.min(x.k - k0);
                let a = side_by_side(a.wrapping_offset(k0 as isize * x.a_ks), x.a_ks, left, n);
                let b = side_by_side(b.wrapping_offset(k0 as isize * x.b_ks), x.b_ks, right, n);
                let [re, im] = if x.conjugate {
                    block::<S, true, NV, W>(s, a.cast(), b.cast(), 2 * n)
                } else {
                    block::<S, false, NV, W>(s, a.cast(), b.cast(), 2 * n)
                };
                sum = [sum[0] + re, sum[1] + im];
            }
            *x.c.wrapping_offset(i * x.c_rs) = sum;
        }
    }
}

/// The block where it lies, or a copy of it without gaps.
///
/// # Safety
/// `n` pairs are readable, `step` apart.
#[inline(always)]
unsafe fn side_by_side<T: Copy>(from: *const [T; 2], step: isize, to: &mut [[T; 2]; DEPTH], n: usize) -> *const [T; 2] {
    if step == 1 {
        return from;
    }
    let mut from = from;
    for to in &mut to[..n] {
        // SAFETY: the caller's promise.
        *to = unsafe { *from };
        from = from.wrapping_offset(step);
    }
    to.as_ptr()
}

/// Both parts of the sum of one block of `k` reals.
///
/// # Safety
/// So many are readable of A and of B.
#[inline(always)]
unsafe fn block<S: Simd<T: Fused>, const C: bool, const NV: usize, const W: usize>(
    s: S,
    a: *const S::T,
    b: *const S::T,
    k: usize,
) -> [S::T; 2] {
    let (mut re, mut im) = ([s.zero(); NV], [s.zero(); NV]);
    let whole = k - k % CHAINS;
    for h in (0..NV).step_by(W) {
        let (mut p, mut q) = ([s.zero(); W], [s.zero(); W]);
        for k0 in (0..whole).step_by(CHAINS) {
            for w in 0..W {
                let at = k0 + (h + w) * S::L;
                // SAFETY: a register from there on lies in k.
                let (x, y) = unsafe { (s.load(a.add(at)), s.load(b.add(at))) };
                (p[w], q[w]) = step::<S, C>(s, x, y, p[w], q[w]);
            }
        }
        for w in 0..W {
            let at = (whole + (h + w) * S::L).min(k);
            if at < k {
                let n = S::L.min(k - at);
                // SAFETY: n elements from there on lie in k.
                let (x, y) = unsafe { (s.load_first(a.add(at), n), s.load_first(b.add(at), n)) };
                (p[w], q[w]) = step::<S, C>(s, x, y, p[w], q[w]);
            }
        }
        re[h..h + W].copy_from_slice(&p);
        im[h..h + W].copy_from_slice(&q);
    }
    [in_halves(s, halves(s, &mut re)), in_halves(s, halves(s, &mut im))]
}

/// One register of pairs to both parts; with `C` those of A are conjugated.
#[inline(always)]
fn step<S: Simd, const C: bool>(s: S, a: S::V, b: S::V, re: S::V, im: S::V) -> (S::V, S::V) {
    let swapped = s.swap(b);
    if C {
        (s.fma(a, b, re), s.fma(s.alternate(a), swapped, im))
    } else {
        (s.fma(a, s.alternate(b), re), s.fma(a, swapped, im))
    }
}
