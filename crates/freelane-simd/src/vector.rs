//! The operations an instruction set must offer to the matrix kernels.
//!
//! A kernel is written once over [`Simd`] and compiled once per instruction set, inside a `#[target_feature]` entry point;
//! its body and everything here is `#[inline(always)]`, else each operation would become a call. A value of a `Simd`
//! type is the proof that this CPU has the instructions, so arithmetic on registers is safe and only memory is not.
//!
//! Every type computes the same bits, [`Plain`] without a fused multiply-add excepted.
#[cfg(target_arch = "x86_64")]
mod evens;
mod plain;
#[cfg(target_arch = "x86_64")]
pub(crate) mod transpose;
#[cfg(target_arch = "x86_64")]
mod x86;

pub use plain::{Plain, Scalar};
#[cfg(target_arch = "x86_64")]
pub use x86::{F32x8, F32x16, F64x4, F64x8};

/// Vectors of one element type on one instruction set.
pub trait Simd: Copy {
    /// The element.
    type T: Scalar;
    /// One register.
    type V: Copy;
    /// As many registers as one has lanes.
    type Square: Copy + AsRef<[Self::V]> + AsMut<[Self::V]>;
    /// Lanes of a register.
    const L: usize;

    /// The proof that the instructions exist.
    ///
    /// # Safety
    /// This CPU supports the instruction set.
    unsafe fn assume() -> Self;

    /// +0 in every lane.
    fn zero(self) -> Self::V;
    /// `x` in every lane.
    fn splat(self, x: Self::T) -> Self::V;
    /// `a * b + c`, rounded once.
    fn fma(self, a: Self::V, b: Self::V, c: Self::V) -> Self::V;
    /// `a + b`.
    fn add(self, a: Self::V, b: Self::V) -> Self::V;
    /// `a - b`.
    fn sub(self, a: Self::V, b: Self::V) -> Self::V;
    /// `a * b`.
    fn mul(self, a: Self::V, b: Self::V) -> Self::V;
    /// `max(0, x)`; NaN and -0 stay what they are.
    fn relu(self, x: Self::V) -> Self::V;
    /// Each even lane exchanged with the one after it.
    fn swap(self, x: Self::V) -> Self::V;
    /// Each even lane, also in place of the one after it.
    fn evens_twice(self, x: Self::V) -> Self::V;
    /// Each odd lane, also in place of the one before it.
    fn odds_twice(self, x: Self::V) -> Self::V;
    /// Odd lanes with the other sign.
    fn alternate(self, x: Self::V) -> Self::V;
    /// The even lanes of one register, each before that of another.
    fn both_evens(self, x: Self::V, y: Self::V) -> Self::V;
    /// The odd lanes of one register, each before that of another.
    fn both_odds(self, x: Self::V, y: Self::V) -> Self::V;
    /// The even lanes of one register, then those of another.
    fn evens(self, x: Self::V, y: Self::V) -> Self::V;
    /// The same of pairs of lanes.
    fn even_pairs(self, x: Self::V, y: Self::V) -> Self::V;
    /// Whether every lane is neither zero nor infinite nor NaN.
    fn all_plain(self, x: Self::V) -> bool;
    /// Registers of zeros.
    fn square(self) -> Self::Square;
    /// Lane `j` of register `i` becomes lane `i` of register `j`.
    fn transpose(self, rows: &mut Self::Square);
    /// Asks for the cache line of `p`, which need not be valid.
    fn prefetch(self, p: *const Self::T);

    /// Loads a register.
    ///
    /// # Safety
    /// `p` is readable for `L` elements.
    unsafe fn load(self, p: *const Self::T) -> Self::V;
    /// Loads so many `f32`.
    ///
    /// # Safety
    /// `p` is readable for `L` elements.
    unsafe fn load_f32(self, p: *const f32) -> Self::V;
    /// Loads the first `n <= L` lanes, the others are +0.
    ///
    /// # Safety
    /// `p` is readable for `n` elements.
    unsafe fn load_first(self, p: *const Self::T, n: usize) -> Self::V;
    /// Stores a register.
    ///
    /// # Safety
    /// `p` is writable for `L` elements.
    unsafe fn store(self, p: *mut Self::T, v: Self::V);
    /// Stores the first `n <= L` lanes.
    ///
    /// # Safety
    /// `p` is writable for `n` elements.
    unsafe fn store_first(self, p: *mut Self::T, v: Self::V, n: usize);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Isa;

    /// Every operation of `S` against plain arithmetic on numbers that need no rounding.
    fn check<S: Simd>(s: S)
    where
        S::T: From<f32> + Into<f64> + std::fmt::Debug,
    {
        let number = |i: usize| S::T::from(i as f32);
        let data: Vec<S::T> = (0..S::L * S::L).map(number).collect();
        let read = |v: S::V| {
            let mut out = vec![number(0); S::L];
            // SAFETY: `out` holds L elements.
            unsafe { s.store(out.as_mut_ptr(), v) };
            out.into_iter().map(Into::into).collect::<Vec<f64>>()
        };
        let expect = |f: &dyn Fn(usize) -> f64| (0..S::L).map(f).collect::<Vec<f64>>();
        // SAFETY: `data` holds L * L elements.
        let (x, y) = unsafe { (s.load(data.as_ptr()), s.load(data.as_ptr().wrapping_add(S::L * (S::L - 1)))) };
        let last = S::L * (S::L - 1);
        assert_eq!(read(s.zero()), expect(&|_| 0.0));
        assert_eq!(read(s.splat(number(3))), expect(&|_| 3.0));
        assert_eq!(read(s.add(x, y)), expect(&|i| (last + 2 * i) as f64));
        assert_eq!(read(s.sub(x, y)), expect(&|_| -(last as f64)));
        assert_eq!(read(s.mul(x, y)), expect(&|i| (i * (last + i)) as f64));
        assert_eq!(read(s.fma(x, y, x)), expect(&|i| (i * (last + i) + i) as f64));
        assert_eq!(read(s.relu(s.add(x, s.splat(S::T::from(-2.0))))), expect(&|i| (i as f64 - 2.0).max(0.0)));
        assert!(read(s.relu(s.splat(S::T::from(f32::NAN))))[0].is_nan());
        assert_eq!(read(s.swap(x)), expect(&|i| (i ^ 1) as f64));
        assert_eq!(read(s.evens_twice(x)), expect(&|i| (i & !1) as f64));
        assert_eq!(read(s.odds_twice(x)), expect(&|i| (i | 1) as f64));
        assert_eq!(read(s.alternate(x)), expect(&|i| if i % 2 == 0 { i as f64 } else { -(i as f64) }));
        let of = |from: f64, i: usize| from + (i & !1) as f64 + if i.is_multiple_of(2) { 0.0 } else { last as f64 };
        assert_eq!(read(s.both_evens(x, y)), expect(&|i| of(0.0, i)));
        assert_eq!(read(s.both_odds(x, y)), expect(&|i| of(1.0, i)));
        let both = |i: usize| if i < S::L { i } else { i - S::L + last };
        assert_eq!(read(s.evens(x, y)), expect(&|i| both(2 * i) as f64));
        assert_eq!(read(s.even_pairs(x, y)), expect(&|i| both(i / 2 * 4 + i % 2) as f64));
        let narrow: Vec<f32> = (0..S::L).map(|i| i as f32 - 1.5).collect();
        // SAFETY: `narrow` holds L elements.
        let shifted = unsafe { s.load_f32(narrow.as_ptr()) };
        assert_eq!(read(shifted), expect(&|i| i as f64 - 1.5));
        assert!(s.all_plain(shifted) && !s.all_plain(x));
        for odd in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -0.0] {
            // SAFETY: `data` holds L elements.
            let one =
                unsafe { s.load_first(narrow.iter().map(|&x| S::T::from(x)).collect::<Vec<_>>().as_ptr(), S::L - 1) };
            assert!(!s.all_plain(one) && !s.all_plain(s.splat(S::T::from(odd))));
        }
        for n in 0..=S::L {
            // SAFETY: `data` holds L elements.
            let v = unsafe { s.load_first(data.as_ptr().wrapping_add(1), n) };
            assert_eq!(read(v), expect(&|i| if i < n { i as f64 + 1.0 } else { 0.0 }));
            let mut out = data.clone();
            // SAFETY: `out` holds L elements.
            unsafe { s.store_first(out.as_mut_ptr(), y, n) };
            assert_eq!(out[n..], data[n..]);
            assert!((0..n).all(|i| out[i] == data[last + i]));
        }
        let mut square = s.square();
        for (i, row) in square.as_mut().iter_mut().enumerate() {
            // SAFETY: `data` holds L * L elements.
            *row = unsafe { s.load(data.as_ptr().wrapping_add(i * S::L)) };
        }
        s.transpose(&mut square);
        for (j, row) in square.as_ref().iter().enumerate() {
            assert_eq!(read(*row), expect(&|i| (i * S::L + j) as f64));
        }
    }

    #[test]
    fn operations_agree_with_arithmetic() {
        // SAFETY: plain arithmetic runs everywhere.
        unsafe { (check(Plain::<f32>::assume()), check(Plain::<f64>::assume())) };
        #[cfg(target_arch = "x86_64")]
        if Isa::Avx2.is_supported() {
            // SAFETY: as asked.
            unsafe { (check(F32x8::assume()), check(F64x4::assume())) };
        }
        #[cfg(target_arch = "x86_64")]
        if Isa::Avx512.is_supported() {
            // SAFETY: as asked.
            unsafe { (check(F32x16::assume()), check(F64x8::assume())) };
        }
    }
}
