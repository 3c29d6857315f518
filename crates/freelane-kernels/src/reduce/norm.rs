//! Sums of squares and of absolute values, in double precision.
use super::block::pieces;
use super::dispatch::Tier;
use super::fold::{Accumulate, Fold, Whole};
use super::moments::Averaged;
use super::summand::Accumulator;
#[cfg(target_arch = "x86_64")]
use freelane_simd::Isa;

/// The sum of the squares of absolute values; 0 for none.
#[derive(Clone, Copy, Debug)]
pub struct SquareSum;

/// The sum of absolute values; 0 for none.
#[derive(Clone, Copy, Debug)]
pub struct AbsoluteSum;

macro_rules! norm_folds {
    ($($fold:ident [$($only:tt)*]: |$x:ident| $lift:expr, {$($block:tt)*};)*) => {$(
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
            $($block)*
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
    SquareSum []: |x| T::square(x.double()), {
        #[inline(always)]
        unsafe fn block(_: (), x: *const T, n: usize, _: usize) -> f64 {
            // SAFETY: the caller's promise.
            unsafe { T::squares(x, n) }
        }
    };
    AbsoluteSum [<Double = f64>]: |x| x.double().abs(), {};
}

/// The sum of the squares of `f32`, which double precision holds exactly: so a fused multiply-add gives the same bits.
struct FusedSquares;

impl Accumulate<f32> for FusedSquares {
    type Acc = f64;
    type Param = ();
    #[inline(always)]
    fn identity() -> f64 {
        f64::NOTHING
    }
    #[inline(always)]
    fn lift(_: (), x: f32, _: usize) -> f64 {
        f64::from(x) * f64::from(x)
    }
    #[inline(always)]
    fn combine(a: f64, b: f64) -> f64 {
        a + b
    }
    #[inline(always)]
    fn add(acc: f64, _: (), x: f32, _: usize) -> f64 {
        f64::from(x).mul_add(f64::from(x), acc)
    }
}

/// [`Averaged::squares`] of `f32`.
///
/// # Safety
/// As for that.
#[inline(always)]
pub(super) unsafe fn squares_f32(x: *const f32, n: usize) -> f64 {
    #[cfg(target_arch = "x86_64")]
    if matches!(Isa::current(), Isa::Avx2 | Isa::Avx512) {
        // SAFETY: the instruction set in use is there; the rest is the caller's promise.
        return unsafe { fused(x, n) };
    }
    // SAFETY: the caller's promise.
    unsafe { pieces::<f32, SquareSum>((), x, n, 0) }
}

/// # Safety
/// As for [`Averaged::squares`]; this CPU has the instructions.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn fused(x: *const f32, n: usize) -> f64 {
    // SAFETY: the caller's promise.
    unsafe { pieces::<f32, FusedSquares>((), x, n, 0) }
}
