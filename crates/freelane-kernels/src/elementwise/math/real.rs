//! What the generic bodies need of a float beyond its operators.
use super::coef;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// The coefficients of a polynomial, for either width.
pub(super) struct Both {
    pub(super) f32: &'static [f32],
    pub(super) f64: &'static [f64],
}

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
    /// The constants of this type; `coef.rs` says what they are.
    const PI: [Self; 3];
    const LN2: [Self; 2];
    const LN2_SHORT: [Self; 2];
    const SIN: &'static [Self];
    const EXP: &'static [Self];
    const LOG: &'static [Self];
    const ERF: &'static [Self];
    const ERFC: &'static [Self];
    /// The middle of the range of `ERFC`, and its end, from where on erf rounds to 1.
    const ERFC_CENTRE: Self;
    const ERFC_END: Self;
    /// From here on tanh rounds to 1.
    const TANH_END: Self;
    /// Beyond this magnitude, `ROUNDER` or the words of pi are too short.
    const SIN_LIMIT: Self;
    /// Below the first e^x is zero, above the second infinite; far enough out to be sure, near enough for `scale`.
    const EXP_RANGE: [Self; 2];
    /// From here on erfc is zero, and so is e^(-x^2 / 2).
    const NORMAL_END: Self;
    /// sinh and cosh are infinite from here on.
    const SINH_END: Self;
    /// 2^x is infinite from the second on, and no normal number below the first; zero below the third.
    const EXP2_RANGE: [Self; 3];
    /// Squares of numbers between these neither overflow nor lose what another square holds.
    const SQUARES: [Self; 2];
    /// The least normal number, and one whose inverse, and that of all between, is normal too.
    const LEAST: Self;
    const INVERTIBLE: Self;
    const INFINITY: Self;

    /// A constant.
    fn lit(x: f64) -> Self;
    /// The coefficients for this width.
    fn of(both: &'static Both) -> &'static [Self];
    /// The square root.
    fn sqrt(self) -> Self;
    /// Whether the lowest bit of the representation is set: of `k + ROUNDER`, whether `k` is odd.
    fn is_odd(self) -> bool;
    /// The sign flipped if another number is negative.
    fn times_sign(self, sign: Self) -> Self;
    /// `2^k`, where `k` was added to `ROUNDER`; for powers that are normal numbers.
    fn power(k: Self) -> Self;
    /// `2^-k`, likewise.
    fn power_down(k: Self) -> Self;
    /// `self * 2^k`, where `k` was added to `ROUNDER`, and both numbers are normal.
    fn shifted(self, k: Self) -> Self;
    /// `(m, e)` with `self = m * 2^e` and `m` from sqrt(1/2) to sqrt(2), for what is positive and normal.
    fn split_normal(self) -> (Self, Self);
    /// `2^e` and `2^-e` for the `e` of `split_normal`.
    fn powers(self) -> (Self, Self);
    /// `2^k` and `k`, the power of two near `self / b`: the quotient by it is between 2^-0.6 and 2^0.6.
    fn ratio_power(self, b: Self) -> (Self, Self);
    /// `self * b + c`, rounded once.
    fn fma(self, b: Self, c: Self) -> Self;
    /// Without its sign.
    fn abs(self) -> Self;
    /// With the sign of another.
    fn copysign(self, sign: Self) -> Self;
    /// The sign flipped if the lowest bit of `k` is set.
    fn flip_if_odd(self, k: Self) -> Self;
    /// `self * 2^k`, rounded once, where `k` was added to `ROUNDER`; for `k` of `EXP_RANGE`.
    fn scale(self, k: Self) -> Self;
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

/// As `poly`, with even and odd powers apart: one multiplication more, half as long a chain.
#[inline(always)]
pub(super) fn poly_halves<R: Real>(x: R, c: &[R]) -> R {
    let (square, last) = (x * x, c.len() - 1);
    let (even, odd) = if last & 1 == 0 { (last, last - 1) } else { (last - 1, last) };
    every_second(square, c, odd).fma(x, every_second(square, c, even))
}

/// Every second coefficient from `c[i]` down, by Horner's rule.
#[inline(always)]
fn every_second<R: Real>(x: R, c: &[R], mut i: usize) -> R {
    let mut r = c[i];
    while i >= 2 {
        i -= 2;
        r = r.fma(x, c[i]);
    }
    r
}

/// One or the other, without a branch.
#[inline(always)]
pub(super) fn select<T>(condition: bool, yes: T, no: T) -> T {
    if condition { yes } else { no }
}

/// The lesser; NaN if `x` is.
#[inline(always)]
pub(super) fn at_most<R: Real>(x: R, bound: R) -> R {
    select(x > bound, bound, x)
}

/// The greater; NaN if `x` is.
#[inline(always)]
pub(super) fn at_least<R: Real>(x: R, bound: R) -> R {
    select(x < bound, bound, x)
}

/// Whether `x` is from `low` to below `high`.
#[inline(always)]
#[allow(clippy::manual_range_contains, reason = "`contains` is a branch")]
pub(super) fn within<R: Real>(x: R, low: R, high: R) -> bool {
    (x >= low) & (x < high)
}

/// `x` where it is NaN, else `y`.
#[inline(always)]
pub(super) fn nan_or<R: Real>(x: R, y: R) -> R {
    #[allow(clippy::eq_op, reason = "NaN differs from itself")]
    select(x != x, x, y)
}

macro_rules! real {
    (
        $t:ident, $u:ident, mantissa $mantissa:literal, bias $bias:literal, sqrt_half $sqrt_half:literal,
        scale_bits $scale_bits:literal,
        $($name:ident: $ty:ty = $value:expr;)*
    ) => {
        impl Real for $t {
            $( const $name: $ty = $value; )*
            const LEAST: Self = $t::MIN_POSITIVE;
            const INVERTIBLE: Self = $t::MAX / 8.0;
            const INFINITY: Self = $t::INFINITY;

            #[inline(always)]
            fn lit(x: f64) -> Self {
                x as $t
            }
            #[inline(always)]
            fn of(both: &'static Both) -> &'static [Self] {
                both.$t
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                <$t>::sqrt(self)
            }
            #[inline(always)]
            fn is_odd(self) -> bool {
                self.to_bits() & 1 == 1
            }
            #[inline(always)]
            fn times_sign(self, sign: Self) -> Self {
                $t::from_bits(self.to_bits() ^ (sign.to_bits() & 1 << ($u::BITS - 1)))
            }
            #[inline(always)]
            fn power(k: Self) -> Self {
                <$t>::from_bits(k.to_bits().wrapping_add($bias) << $mantissa)
            }
            #[inline(always)]
            fn power_down(k: Self) -> Self {
                <$t>::from_bits(($bias as $u).wrapping_sub(k.to_bits()) << $mantissa)
            }
            #[inline(always)]
            fn shifted(self, k: Self) -> Self {
                <$t>::from_bits(self.to_bits().wrapping_add(k.to_bits() << $mantissa))
            }
            #[inline(always)]
            fn split_normal(self) -> (Self, Self) {
                let (bits, one): ($u, $u) = (self.to_bits(), $bias << $mantissa);
                let biased = bits.wrapping_add(one - $sqrt_half) >> $mantissa;
                let m = $t::from_bits(bits.wrapping_sub(biased << $mantissa).wrapping_add(one));
                // The exponent becomes a float as the low bits of 2^mantissa.
                let base: $u = ($bias + $mantissa) << $mantissa;
                (m, $t::from_bits(base | biased) - ($t::from_bits(base) + $bias as $t))
            }
            #[inline(always)]
            fn powers(self) -> (Self, Self) {
                let one: $u = $bias << $mantissa;
                let biased = self.to_bits().wrapping_add(one - $sqrt_half) >> $mantissa;
                let down = (2 * $bias as $u).wrapping_sub(biased) << $mantissa;
                ($t::from_bits(biased << $mantissa), $t::from_bits(down))
            }
            #[inline(always)]
            fn ratio_power(self, b: Self) -> (Self, Self) {
                let k = self.to_bits().wrapping_sub(b.to_bits()).wrapping_add(1 << ($mantissa - 1)) >> $mantissa;
                let base: $u = ($bias + $mantissa) << $mantissa;
                ($t::from_bits(k.wrapping_add($bias) << $mantissa), $t::from_bits(base | k) - $t::from_bits(base))
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
            fn copysign(self, sign: Self) -> Self {
                <$t>::copysign(self, sign)
            }
            #[inline(always)]
            fn flip_if_odd(self, k: Self) -> Self {
                <$t>::from_bits(self.to_bits() ^ k.to_bits() << ($u::BITS - 1))
            }
            /// Two factors, since 2^k itself may be no normal number. `k` is made positive, which spares the arithmetic
            /// shift that AVX2 lacks for 64 bits.
            #[inline(always)]
            fn scale(self, k: Self) -> Self {
                let k = k.to_bits().wrapping_add(2 * ($bias + 1)) & ((1 << $scale_bits) - 1);
                let (first, second) = (k >> 1, k - (k >> 1));
                let power = |k: $u| $t::from_bits(k.wrapping_sub(1) << $mantissa);
                self * power(first) * power(second)
            }
        }
    };
}

real! {
    f32, u32, mantissa 23, bias 127, sqrt_half 0x3f35_04f3, scale_bits 9,
    ROUNDER: f32 = 12582912.0;
    PI: [f32; 3] = coef::PI_32;
    LN2: [f32; 2] = coef::LN2_32;
    LN2_SHORT: [f32; 2] = coef::LN2_SHORT_32;
    SIN: &'static [f32] = &coef::SIN_32;
    EXP: &'static [f32] = &coef::EXP_32;
    LOG: &'static [f32] = &coef::LOG_32;
    ERF: &'static [f32] = &coef::ERF_32;
    ERFC: &'static [f32] = &coef::ERFC_32;
    ERFC_CENTRE: f32 = 2.0;
    ERFC_END: f32 = 4.0;
    TANH_END: f32 = 10.0;
    SIN_LIMIT: f32 = 3e4;
    EXP_RANGE: [f32; 2] = [-110.0, 90.0];
    NORMAL_END: f32 = 15.0;
    SINH_END: f32 = 89.7;
    EXP2_RANGE: [f32; 3] = [-125.0, 128.0, -151.0];
    SQUARES: [f32; 2] = [1e-13, 1e18];
}

real! {
    f64, u64, mantissa 52, bias 1023, sqrt_half 0x3fe6_a09e_667f_3bcd, scale_bits 12,
    ROUNDER: f64 = 6755399441055744.0;
    PI: [f64; 3] = coef::PI_64;
    LN2: [f64; 2] = coef::LN2_64;
    LN2_SHORT: [f64; 2] = coef::LN2_SHORT_64;
    SIN: &'static [f64] = &coef::SIN_64;
    EXP: &'static [f64] = &coef::EXP_64;
    LOG: &'static [f64] = &coef::LOG_64;
    ERF: &'static [f64] = &coef::ERF_64;
    ERFC: &'static [f64] = &coef::ERFC_64;
    ERFC_CENTRE: f64 = 2.5;
    ERFC_END: f64 = 6.0;
    TANH_END: f64 = 20.0;
    SIN_LIMIT: f64 = 1e9;
    EXP_RANGE: [f64; 2] = [-760.0, 710.0];
    NORMAL_END: f64 = 39.0;
    SINH_END: f64 = 710.7;
    EXP2_RANGE: [f64; 3] = [-1021.0, 1024.0, -1077.0];
    SQUARES: [f64; 2] = [1e-140, 1e150];
}
