//! Complex C with one column: both parts of each sum in one pass over pairs of reals.
//!
//! Each part is a sum of products of reals in the order of a column (`fold.rs`), over blocks of [`DEPTH`] complex numbers that
//! are added in order: `re re, -im im, ...` for the real part and `re im, im re, ...` for the imaginary one.
use super::Fused;
use super::fold::{CHAINS, halves, in_halves};
use freelane_simd::Simd;

/// Complex numbers of a block. Part of the definition of the result.
const DEPTH: usize = 512;
/// Complex numbers of as many reals as there are chains.
const HALF: usize = CHAINS / 2;

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
                let (a, b) = (a.wrapping_offset(k0 as isize * x.a_ks), b.wrapping_offset(k0 as isize * x.b_ks));
                // Of every second number, all but the last are read where they lie.
                let near = if (x.a_ks, x.b_ks) == (2, 2) { (n - usize::from(k0 + n == x.k)) / HALF * HALF } else { 0 };
                let (o, rest) = (near as isize, n - near);
                let tail = [
                    side_by_side(a.wrapping_offset(o * x.a_ks), x.a_ks, left, rest).cast(),
                    side_by_side(b.wrapping_offset(o * x.b_ks), x.b_ks, right, rest).cast(),
                ];
                let [re, im] = if x.conjugate {
                    block::<S, true, NV, W>(s, [a.cast(), b.cast()], near, tail, 2 * rest)
                } else {
                    block::<S, false, NV, W>(s, [a.cast(), b.cast()], near, tail, 2 * rest)
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

/// Both parts of the sum of one block: of `near` pairs, every second one of A and B, then of `k` reals side by side.
///
/// # Safety
/// Twice `near` pairs, a multiple of `HALF`, and `k` reals are readable.
#[inline(always)]
unsafe fn block<S: Simd, const C: bool, const NV: usize, const W: usize>(
    s: S,
    [far_a, far_b]: [*const S::T; 2],
    near: usize,
    [a, b]: [*const S::T; 2],
    k: usize,
) -> [S::T; 2] {
    let (mut re, mut im) = ([s.zero(); NV], [s.zero(); NV]);
    let whole = k - k % CHAINS;
    for h in (0..NV).step_by(W) {
        let (mut p, mut q) = ([s.zero(); W], [s.zero(); W]);
        for k0 in (0..2 * near).step_by(CHAINS) {
            for w in 0..W {
                let at = 2 * (k0 + (h + w) * S::L);
                // SAFETY: two registers from there on lie in what is readable.
                let (x, y) = unsafe { (every_other(s, far_a.add(at)), every_other(s, far_b.add(at))) };
                (p[w], q[w]) = step::<S, C>(s, x, y, p[w], q[w]);
            }
        }
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

/// A register of pairs, every second one.
///
/// # Safety
/// Two registers are readable.
#[inline(always)]
unsafe fn every_other<S: Simd>(s: S, p: *const S::T) -> S::V {
    // SAFETY: the caller's promise.
    let (x, y) = unsafe { (s.load(p), s.load(p.add(S::L))) };
    s.even_pairs(x, y)
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
