//! Sums of squares and of absolute values, in double precision.
use super::dispatch::Tier;
use super::fold::{Accumulate, Fold, Whole};
use super::moments::Averaged;
use super::summand::Accumulator;

/// The sum of the squares of absolute values; 0 for none.
#[derive(Clone, Copy, Debug)]
pub struct SquareSum;

/// The sum of absolute values; 0 for none.
#[derive(Clone, Copy, Debug)]
pub struct AbsoluteSum;

macro_rules! norm_folds {
    ($($fold:ident [$($only:tt)*]: |$x:ident| $lift:expr;)*) => {$(
        impl<T: Averaged $($only)*> Accumulate<T> for $fold {
            type Acc = f64;
            type Param = ();
            const TIER: Tier = T::TIER;
            #[inline(always)]
            fn identity() -> f64 {
                f64::NOTHING
            }
            #[inline(always)]
            fn lift(_: (), $x: T, _: usize) -> f64 {
                $lift
            }
            #[inline(always)]
            fn combine(a: f64, b: f64) -> f64 {
                a + b
            }
        }

        impl<T: Averaged $($only)*> Fold<T> for $fold {
            type By = Self;
            type Param = ();
            type Out = f64;
            fn finish(acc: f64, _: Whole) -> f64 {
                // Of nothing the sum is -0 so far.
                acc + 0.0
            }
        }
    )*};
}
norm_folds! {
    SquareSum []: |x| T::square(x.double());
    AbsoluteSum [<Double = f64>]: |x| x.double().abs();
}
