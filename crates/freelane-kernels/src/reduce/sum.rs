//! Sum and product.
use super::dispatch::{Tier, native};
use super::fold::{Accumulate, Fold, Whole};
use super::summand::{Accumulator, Summand};

/// The sum. A sum of negative zeros is -0, a sum of nothing +0.
#[derive(Clone, Copy, Debug)]
pub struct Sum;

/// The product.
#[derive(Clone, Copy, Debug)]
pub struct Prod;

/// Sums of `f32` and `f64` keep AVX-512 busy.
const fn wide<T: Summand>() -> Tier {
    match native::<T>() {
        Tier::Native if !T::EXACT && size_of::<T>() == size_of::<T::Acc>() => Tier::Wide,
        tier => tier,
    }
}

macro_rules! sum_folds {
    ($($fold:ident: $identity:ident, $empty:ident, $combine:ident, $tier:expr;)*) => {$(
        impl<T: Summand> Accumulate<T> for $fold {
            type Acc = T::Acc;
            type Param = ();
            const TIER: Tier = $tier;
            const ORDER_FREE: bool = T::EXACT;
            #[inline(always)]
            fn identity() -> T::Acc {
                T::Acc::$identity
            }
            #[inline(always)]
            fn lift(_: (), x: T, _: usize) -> T::Acc {
                x.widen()
            }
            #[inline(always)]
            fn combine(a: T::Acc, b: T::Acc) -> T::Acc {
                a.$combine(b)
            }
        }

        impl<T: Summand> Fold<T> for $fold {
            type By = Self;
            type Param = ();
            type Out = T::Out;
            fn finish(acc: T::Acc, whole: Whole) -> T::Out {
                T::narrow(if whole.count == 0 { T::Acc::$empty } else { acc })
            }
        }
    )*};
}
sum_folds! {
    Sum: NOTHING, ZERO, plus, wide::<T>();
    Prod: ONE, ONE, times, Tier::Plain;
}
