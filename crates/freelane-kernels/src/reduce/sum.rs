//! Sum and product.
use super::block::pieces;
use super::dispatch::{Tier, native};
use super::fold::{Accumulate, Fold, Meet, Whole};
use super::summand::{Accumulator, Doubled, Summand};

/// The sum. A sum of negative zeros is -0, a sum of nothing +0.
#[derive(Clone, Copy, Debug)]
pub struct Sum;

/// The product.
#[derive(Clone, Copy, Debug)]
pub struct Prod;

/// The sum of integers in `f64`.
#[derive(Clone, Copy, Debug)]
pub struct DoubleSum;

/// The product of integers in `f64`.
#[derive(Clone, Copy, Debug)]
pub struct DoubleProd;

macro_rules! sum_folds {
    ($($fold:ident: $of:ident, $acc:ident, $out:ident, $widen:ident, $narrow:expr,
       $identity:ident, $empty:ident, $combine:ident, $tier:expr, $free:expr, $quick:expr, {$($block:tt)*};)*) => {$(
        impl<T: $of> Accumulate<T> for $fold {
            type Acc = T::$acc;
            type Param = ();
            const TIER: Tier = $tier;
            const ORDER_FREE: bool = $free;
            const QUICK: bool = $quick;
            const PIECES: bool = !$free;
            #[inline(always)]
            fn identity() -> T::$acc {
                T::$acc::$identity
            }
            #[inline(always)]
            fn lift(_: (), x: T, _: usize) -> T::$acc {
                x.$widen()
            }
            #[inline(always)]
            fn combine(a: T::$acc, b: T::$acc) -> T::$acc {
                a.$combine(b)
            }
            $($block)*
        }

        impl<T: $of> Fold<T> for $fold {
            type By = Self;
            type Param = ();
            type Out = T::$out;
            fn finish(acc: T::$acc, whole: Whole) -> T::$out {
                $narrow(if whole.count == 0 { T::$acc::$empty } else { acc })
            }
        }
    )*};
}
sum_folds! {
    Sum: Summand, Acc, Out, widen, T::narrow, NOTHING, ZERO, plus, native::<T>(), T::EXACT, T::EXACT, {
        #[inline(always)]
        unsafe fn block(_: (), x: *const T, n: usize, index: usize) -> T::Acc {
            // SAFETY: the caller's promise.
            unsafe { if T::EXACT { T::total(x, n) } else { pieces::<T, Self>((), x, n, index) } }
        }
    };
    Prod: Summand, Acc, Out, widen, T::narrow, ONE, ONE, times, if T::EXACT { Tier::Wide } else { Tier::Native }, T::EXACT, T::EXACT, {
        const MEET: Option<Meet<T::Acc>> = T::PRODUCTS;
        const JOIN: Option<Meet<T::Acc>> = <T::Acc as Accumulator>::PRODUCTS;
    };
    DoubleSum: Doubled, Wide, Wide, double, |a| a, NOTHING, ZERO, plus, Tier::Plain, false, false, {};
    DoubleProd: Doubled, Wide, Wide, double, |a| a, ONE, ONE, times, Tier::Plain, false, false, {};
}
