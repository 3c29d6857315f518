//! What the generic bodies need of a float beyond its operators.
use super::coef;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// f32 or f64, seen by a branch-free body. Every method is a constant or a few instructions.
pub(super) trait Real:
    Copy
    + PartialOrd
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + 'static
{
    /// 1.5 * 2^52, or 2^23: a small number added to it is rounded to an integer, which is then in the low bits.
    const ROUNDER: Self;
    /// pi in three words.
    const PI: [Self; 3];
    /// `(sin r - r) / r^3` in `r^2`.
    const SIN: &'static [Self];
    /// Beyond this magnitude, `ROUNDER` or the words of pi are too short.
    const SIN_LIMIT: Self;

    /// A constant.
    fn lit(x: f64) -> Self;
    /// `self * b + c`, rounded once.
    fn fma(self, b: Self, c: Self) -> Self;
    /// Without its sign.
    fn abs(self) -> Self;
    /// The sign flipped if the lowest bit of `k` is set.
    fn flip_if_odd(self, k: Self) -> Self;
}

/// `c[0] + c[1] x + ...` by Horner's rule.
#[inline(always)]
pub(super) fn poly<R: Real>(x: R, c: &[R]) -> R {
    let mut r = c[c.len() - 1];
    let mut i = c.len() - 1;
    while i > 0 {
        i -= 1;
        r = r.fma(x, c[i]);
    }
    r
}

/// One or the other, without a branch.
#[inline(always)]
pub(super) fn select<T>(condition: bool, yes: T, no: T) -> T {
    if condition { yes } else { no }
}

macro_rules! real {
    ($t:ident, $bits:literal, $rounder:literal, $pi:ident, $sin:ident, $limit:literal) => {
        impl Real for $t {
            const ROUNDER: Self = $rounder;
            const PI: [Self; 3] = coef::$pi;
            const SIN: &'static [Self] = &coef::$sin;
            const SIN_LIMIT: Self = $limit;

            #[inline(always)]
            fn lit(x: f64) -> Self {
                x as $t
            }
            #[inline(always)]
            fn fma(self, b: Self, c: Self) -> Self {
                self.mul_add(b, c)
            }
            #[inline(always)]
            fn abs(self) -> Self {
                <$t>::abs(self)
            }
            #[inline(always)]
            fn flip_if_odd(self, k: Self) -> Self {
                <$t>::from_bits(self.to_bits() ^ k.to_bits() << ($bits - 1))
            }
        }
    };
}
real!(f32, 32, 12582912.0, PI_32, SIN_32, 3e4);
real!(f64, 64, 6755399441055744.0, PI_64, SIN_64, 1e9);
