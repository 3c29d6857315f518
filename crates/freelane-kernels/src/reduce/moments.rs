//! Mean, variance and standard deviation.
//!
//! The variance takes the mean of its output as a parameter, unrounded, as [`Center`] makes it: a second pass over the
//! elements, without a temporary for the deviations.
use super::dispatch::Tier;
use super::fold::{Accumulate, Fold, Whole};
use super::sum::Sum;
use super::summand::Accumulator;
use crate::elementwise::Half;
use half::{bf16, f16};
use num_complex::Complex;

/// An element that has a mean: half types in f32, rounded once; integers and booleans in f64.
pub trait Averaged: Copy + 'static {
    /// The instruction sets that loops are compiled for.
    const TIER: Tier;
    /// What accumulates towards the mean.
    type Acc: Accumulator;
    /// How it does.
    type Total: Accumulate<Self, Acc = Self::Acc, Param = ()>;
    /// What a mean is.
    type Mean: Copy + 'static;
    /// What accumulates towards the variance.
    type Square: Accumulator;
    /// What a variance is.
    type Variance: Copy + 'static;
    /// To the accumulator's type.
    fn widen(self) -> Self::Acc;
    /// The square of the distance from `mean`.
    fn squared_deviation(self, mean: Self::Acc) -> Self::Square;
    /// `sum / n`, unrounded.
    fn divide(sum: Self::Acc, n: f64) -> Self::Acc;
    /// To the type of a mean, rounding once.
    fn mean(mean: Self::Acc) -> Self::Mean;
    /// `f(sum)` in double precision, rounded once.
    fn variance(sum: Self::Square, f: impl Fn(f64) -> f64) -> Self::Variance;
}

macro_rules! averaged_reals {
    ($($t:ty: $tier:ident, $acc:ty, $total:ty, $out:ty, $widen:expr, $narrow:expr;)*) => {$(
        impl Averaged for $t {
            const TIER: Tier = Tier::$tier;
            type Acc = $acc;
            type Total = $total;
            type Mean = $out;
            type Square = $acc;
            type Variance = $out;
            #[inline(always)]
            fn widen(self) -> $acc {
                $widen(self)
            }
            #[inline(always)]
            fn squared_deviation(self, mean: $acc) -> $acc {
                let d = $widen(self) - mean;
                d * d
            }
            fn divide(sum: $acc, n: f64) -> $acc {
                (f64::from(sum) / n) as $acc
            }
            fn mean(mean: $acc) -> $out {
                $narrow(f64::from(mean))
            }
            fn variance(sum: $acc, f: impl Fn(f64) -> f64) -> $out {
                $narrow(f(f64::from(sum)))
            }
        }
    )*};
}
averaged_reals! {
    bool: Plain, f64, DoubleSum, f64, |x: bool| f64::from(u8::from(x)), |a| a;
    i8: Plain, f64, DoubleSum, f64, f64::from, |a| a;
    i16: Plain, f64, DoubleSum, f64, f64::from, |a| a;
    i32: Native, f64, DoubleSum, f64, f64::from, |a| a;
    i64: Plain, f64, DoubleSum, f64, |x| x as f64, |a| a;
    u8: Plain, f64, DoubleSum, f64, f64::from, |a| a;
    u16: Plain, f64, DoubleSum, f64, f64::from, |a| a;
    u32: Plain, f64, DoubleSum, f64, f64::from, |a| a;
    u64: Plain, f64, DoubleSum, f64, |x| x as f64, |a| a;
    f16: Native, f32, Sum, f16, Half::widen, f16::from_f64;
    bf16: Native, f32, Sum, bf16, Half::widen, bf16::from_f64;
    f32: Wide, f32, Sum, f32, |x| x, |a| a as f32;
    f64: Wide, f64, Sum, f64, |x| x, |a| a;
}

macro_rules! averaged_complex {
    ($($t:ty),*) => {$(
        impl Averaged for Complex<$t> {
            const TIER: Tier = Tier::Plain;
            type Acc = Self;
            type Total = Sum;
            type Mean = Self;
            type Square = $t;
            type Variance = $t;
            #[inline(always)]
            fn widen(self) -> Self {
                self
            }
            #[inline(always)]
            fn squared_deviation(self, mean: Self) -> $t {
                let (re, im) = (self.re - mean.re, self.im - mean.im);
                re * re + im * im
            }
            fn divide(sum: Self, n: f64) -> Self {
                Complex::new((f64::from(sum.re) / n) as $t, (f64::from(sum.im) / n) as $t)
            }
            fn mean(mean: Self) -> Self {
                mean
            }
            fn variance(sum: $t, f: impl Fn(f64) -> f64) -> $t {
                f(f64::from(sum)) as $t
            }
        }
    )*};
}
averaged_complex!(f32, f64);

/// The mean. That of nothing is NaN.
#[derive(Clone, Copy, Debug)]
pub struct Mean;

/// The mean in the accumulator's precision: what [`Variance`] and [`Std`] take as their parameter.
#[derive(Clone, Copy, Debug)]
pub struct Center;

/// The sum in f64, of elements that have none of their own there.
#[derive(Clone, Copy, Debug)]
pub struct DoubleSum;

impl<T: Averaged<Acc = f64>> Accumulate<T> for DoubleSum {
    type Acc = f64;
    type Param = ();
    const TIER: Tier = T::TIER;
    #[inline(always)]
    fn identity() -> f64 {
        f64::NOTHING
    }
    #[inline(always)]
    fn lift(_: (), x: T, _: usize) -> f64 {
        x.widen()
    }
    #[inline(always)]
    fn combine(a: f64, b: f64) -> f64 {
        a.plus(b)
    }
}

macro_rules! mean_folds {
    ($($fold:ident: $out:ident, $finish:expr;)*) => {$(
        impl<T: Averaged> Fold<T> for $fold {
            type By = T::Total;
            type Param = ();
            type Out = T::$out;
            fn finish(acc: T::Acc, whole: Whole) -> T::$out {
                $finish(T::divide(acc, whole.count as f64))
            }
        }
    )*};
}
mean_folds! {
    Mean: Mean, T::mean;
    Center: Acc, |mean| mean;
}

/// The sum of squared deviations from the mean (the parameter), divided by the count less `ddof`.
#[derive(Clone, Copy, Debug)]
pub struct Variance;

/// The square root of the variance.
#[derive(Clone, Copy, Debug)]
pub struct Std;

impl<T: Averaged> Accumulate<T> for Variance {
    type Acc = T::Square;
    type Param = T::Acc;
    const TIER: Tier = T::TIER;
    #[inline(always)]
    fn identity() -> T::Square {
        T::Square::NOTHING
    }
    #[inline(always)]
    fn lift(mean: T::Acc, x: T, _: usize) -> T::Square {
        x.squared_deviation(mean)
    }
    #[inline(always)]
    fn combine(a: T::Square, b: T::Square) -> T::Square {
        a.plus(b)
    }
}

macro_rules! variance_folds {
    ($($fold:ident: $f:expr;)*) => {$(
        impl<T: Averaged> Fold<T> for $fold {
            type By = Variance;
            type Param = T::Acc;
            type Out = T::Variance;
            fn finish(acc: T::Square, whole: Whole) -> T::Variance {
                let divisor = (whole.count as f64 - whole.ddof).max(0.0);
                T::variance(acc, |sum| $f(sum / divisor))
            }
        }
    )*};
}
variance_folds! {
    Variance: |v| v;
    Std: f64::sqrt;
}
