//! Elements that can be added up, and what they accumulate in.
use crate::elementwise::Half;
use half::{bf16, f16};
use num_complex::Complex;

/// What sums accumulate in: floating point rounds, integers wrap.
pub trait Accumulator: Copy + 'static {
    /// Leaves every addend as it is, the sign of a zero included.
    const NOTHING: Self;
    /// The sum of no elements.
    const ZERO: Self;
    /// The product of no elements.
    const ONE: Self;
    /// `self + b`.
    fn plus(self, b: Self) -> Self;
    /// `self * b`.
    fn times(self, b: Self) -> Self;
}

macro_rules! float_accumulators {
    ($($t:ty),*) => {$(
        impl Accumulator for $t {
            const NOTHING: $t = -0.0;
            const ZERO: $t = 0.0;
            const ONE: $t = 1.0;
            #[inline(always)]
            fn plus(self, b: $t) -> $t {
                self + b
            }
            #[inline(always)]
            fn times(self, b: $t) -> $t {
                self * b
            }
        }

        impl Accumulator for Complex<$t> {
            const NOTHING: Self = Complex::new(-0.0, -0.0);
            const ZERO: Self = Complex::new(0.0, 0.0);
            const ONE: Self = Complex::new(1.0, 0.0);
            #[inline(always)]
            fn plus(self, b: Self) -> Self {
                Complex::new(self.re + b.re, self.im + b.im)
            }
            /// One leaves everything as it is: by the formula it would change the signs of zeros, and infinities to NaN.
            #[inline(always)]
            fn times(self, b: Self) -> Self {
                let is_one = |z: Self| z.re == 1.0 && z.im.to_bits() == 0;
                let product = Complex::new(self.re * b.re - self.im * b.im, self.re * b.im + self.im * b.re);
                if is_one(self) { b } else if is_one(b) { self } else { product }
            }
        }
    )*};
}
float_accumulators!(f32, f64);

macro_rules! integer_accumulators {
    ($($t:ty),*) => {$(
        impl Accumulator for $t {
            const NOTHING: $t = 0;
            const ZERO: $t = 0;
            const ONE: $t = 1;
            #[inline(always)]
            fn plus(self, b: $t) -> $t {
                self.wrapping_add(b)
            }
            #[inline(always)]
            fn times(self, b: $t) -> $t {
                self.wrapping_mul(b)
            }
        }
    )*};
}
integer_accumulators!(i64, u64);

/// An element that can be added up: half types in f32, rounded once; integers and booleans in 64 bits.
pub trait Summand: Copy + 'static {
    /// What accumulates.
    type Acc: Accumulator;
    /// What a sum is.
    type Out: Copy + 'static;
    /// Whether the order of additions changes no bits.
    const EXACT: bool = false;
    /// To the accumulator's type, exactly.
    fn widen(self) -> Self::Acc;
    /// To the type of a sum, rounding once.
    fn narrow(acc: Self::Acc) -> Self::Out;
}

macro_rules! summands {
    ($($t:ty: $acc:ty, $out:ty, $exact:literal, $widen:expr, $narrow:expr;)*) => {$(
        impl Summand for $t {
            type Acc = $acc;
            type Out = $out;
            const EXACT: bool = $exact;
            #[inline(always)]
            fn widen(self) -> $acc {
                $widen(self)
            }
            #[inline(always)]
            fn narrow(acc: $acc) -> $out {
                $narrow(acc)
            }
        }
    )*};
}
summands! {
    bool: i64, i64, true, i64::from, |a| a;
    i8: i64, i64, true, i64::from, |a| a;
    i16: i64, i64, true, i64::from, |a| a;
    i32: i64, i64, true, i64::from, |a| a;
    i64: i64, i64, true, |x| x, |a| a;
    u8: u64, u64, true, u64::from, |a| a;
    u16: u64, u64, true, u64::from, |a| a;
    u32: u64, u64, true, u64::from, |a| a;
    u64: u64, u64, true, |x| x, |a| a;
    f16: f32, f16, false, Half::widen, Half::narrow;
    bf16: f32, bf16, false, Half::widen, Half::narrow;
    f32: f32, f32, false, |x| x, |a| a;
    f64: f64, f64, false, |x| x, |a| a;
    Complex<f32>: Complex<f32>, Complex<f32>, false, |x| x, |a| a;
    Complex<f64>: Complex<f64>, Complex<f64>, false, |x| x, |a| a;
}
