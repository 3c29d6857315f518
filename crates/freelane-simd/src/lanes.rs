//! The operations an instruction set must offer to sorting: integers in registers, put in order and packed by a mask.
//!
//! As with [`Simd`](crate::Simd), a value of a [`Lanes`] type is the proof that this CPU has the instructions, and everything
//! is inlined into a `#[target_feature]` entry point. Masks are bits, lane 0 the lowest.
#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;

#[cfg(target_arch = "x86_64")]
pub use avx2::{I32x8, I64x4};
#[cfg(target_arch = "x86_64")]
pub use avx512::{I32x16, I64x8};

/// Vectors of one signed integer type on one instruction set.
pub trait Lanes: Copy {
    /// The element.
    type T: Copy + Ord + Default;
    /// One register.
    type V: Copy;
    /// Lanes of a register, a power of two.
    const L: usize;
    /// The largest element.
    const MAX: Self::T;

    /// The proof that the instructions exist.
    ///
    /// # Safety
    /// This CPU supports the instruction set.
    unsafe fn assume() -> Self;

    /// `x` in every lane.
    fn splat(self, x: Self::T) -> Self::V;
    /// The smaller of each two lanes.
    fn min(self, a: Self::V, b: Self::V) -> Self::V;
    /// The larger of each two lanes.
    fn max(self, a: Self::V, b: Self::V) -> Self::V;
    /// Lanes in reverse order.
    fn reverse(self, v: Self::V) -> Self::V;
    /// Puts lanes `i` and `i ^ X`, for `X < L`, in ascending order.
    fn exchange<const X: usize>(self, v: Self::V) -> Self::V;
    /// Lane `j` of register `i` becomes lane `i` of register `j`, of as many registers as one has lanes.
    fn transpose(self, rows: &mut [Self::V]);
    /// Where `a < b`.
    fn less(self, a: Self::V, b: Self::V) -> u32;
    /// The lanes of a mask, in order, side by side from lane 0 on. The other lanes hold anything.
    fn compress(self, v: Self::V, mask: u32) -> Self::V;

    /// Loads a register.
    ///
    /// # Safety
    /// `p` is readable for `L` elements.
    unsafe fn load(self, p: *const Self::T) -> Self::V;
    /// Loads the first `n <= L` lanes, the others are those of `rest`.
    ///
    /// # Safety
    /// `p` is readable for `n` elements.
    unsafe fn load_first(self, p: *const Self::T, n: usize, rest: Self::V) -> Self::V;
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

/// Lane numbers of an exchange: `i ^ x` at `i`.
#[cfg(target_arch = "x86_64")]
const fn partners<const L: usize>(x: usize) -> [i64; L] {
    let mut lanes = [0; L];
    let mut i = 0;
    while i < L {
        lanes[i] = (i ^ x) as i64;
        i += 1;
    }
    lanes
}

/// The lanes that take the larger element of an exchange: those in the upper half of each block.
#[cfg(target_arch = "x86_64")]
const fn upper(lanes: usize, x: usize) -> u32 {
    let mut mask = 0;
    let mut i = 0;
    while i < lanes {
        if x != 0 && i & (1 << x.ilog2()) != 0 {
            mask |= 1 << i;
        }
        i += 1;
    }
    mask
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;
    use crate::Isa;

    fn values<S: Lanes>(s: S, v: S::V) -> Vec<S::T> {
        let mut out = vec![S::T::default(); S::L];
        // SAFETY: `out` holds L elements.
        unsafe { s.store(out.as_mut_ptr(), v) };
        out
    }

    /// Every operation of `S` against the same in plain Rust.
    fn check<S: Lanes>(s: S, number: impl Fn(i32) -> S::T)
    where
        S::T: std::fmt::Debug,
    {
        let x: Vec<S::T> = (0..S::L as i32).map(|i| number(i * 7 % 11 - 4)).collect();
        let y: Vec<S::T> = (0..S::L as i32).map(|i| number(i * 5 % 13 - 6)).collect();
        let pairs = || x.iter().copied().zip(y.iter().copied());
        // SAFETY: both hold L elements.
        let (a, b) = unsafe { (s.load(x.as_ptr()), s.load(y.as_ptr())) };
        assert_eq!(values(s, s.splat(x[1])), vec![x[1]; S::L]);
        assert_eq!(values(s, s.min(a, b)), pairs().map(|(a, b)| a.min(b)).collect::<Vec<_>>());
        assert_eq!(values(s, s.max(a, b)), pairs().map(|(a, b)| a.max(b)).collect::<Vec<_>>());
        assert_eq!(values(s, s.reverse(a)), x.iter().rev().copied().collect::<Vec<_>>());
        assert_eq!(s.less(a, b), pairs().enumerate().map(|(i, (a, b))| u32::from(a < b) << i).sum());
        let exchanged = |by: usize| -> Vec<S::T> {
            let upper = |i: usize| i & (1 << by.ilog2()) != 0;
            let one = |i: usize| if upper(i) { x[i].max(x[i ^ by]) } else { x[i].min(x[i ^ by]) };
            (0..S::L).map(one).collect()
        };
        assert_eq!(values(s, s.exchange::<1>(a)), exchanged(1));
        assert_eq!(values(s, s.exchange::<2>(a)), exchanged(2));
        assert_eq!(values(s, s.exchange::<3>(a)), exchanged(3));
        if S::L > 4 {
            assert_eq!(values(s, s.exchange::<4>(a)), exchanged(4));
            assert_eq!(values(s, s.exchange::<7>(a)), exchanged(7));
        }
        if S::L > 8 {
            assert_eq!(values(s, s.exchange::<8>(a)), exchanged(8));
            assert_eq!(values(s, s.exchange::<15>(a)), exchanged(15));
        }
        let mut square: Vec<S::V> = (0..S::L as i32).map(|i| s.splat(number(i))).collect();
        s.transpose(&mut square);
        let lanes: Vec<S::T> = (0..S::L as i32).map(&number).collect();
        assert!(square.iter().all(|&row| values(s, row) == lanes));
        for mask in 0..1u32 << S::L {
            let want: Vec<S::T> = (0..S::L).filter(|i| mask >> i & 1 == 1).map(|i| x[i]).collect();
            assert_eq!(values(s, s.compress(a, mask))[..want.len()], want);
        }
        for n in 0..=S::L {
            // SAFETY: `x` holds n elements.
            let v = unsafe { s.load_first(x.as_ptr(), n, b) };
            assert_eq!(values(s, v), [&x[..n], &y[n..]].concat());
            let mut out = y.clone();
            // SAFETY: `out` holds n elements.
            unsafe { s.store_first(out.as_mut_ptr(), a, n) };
            assert_eq!(out, [&x[..n], &y[n..]].concat());
        }
        assert!(x.iter().all(|&v| v < S::MAX));
    }

    #[test]
    fn operations_agree_with_plain_ones() {
        if Isa::Avx2.is_supported() {
            // SAFETY: as asked.
            unsafe { (check(I32x8::assume(), |i| i), check(I64x4::assume(), i64::from)) };
        }
        if Isa::Avx512.is_supported() {
            // SAFETY: as asked.
            unsafe { (check(I32x16::assume(), |i| i), check(I64x8::assume(), i64::from)) };
        }
    }
}
