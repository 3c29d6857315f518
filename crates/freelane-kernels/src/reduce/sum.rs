//! Sum and product.
use super::dispatch::{Tier, native};
use super::fold::{Fold, Whole};
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

const fn plain<T: Summand>() -> Tier {
    Tier::Plain
}

macro_rules! sum_folds {
    ($($fold:ident: $identity:ident, $empty:ident, $combine:ident, $tier:ident;)*) => {$(
        impl<T: Summand> Fold<T> for $fold {
            type Acc = T::Acc;
            type Out = T::Out;
            type Param = ();
            type Core = Self;
            const TIER: Tier = $tier::<T>();
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
            #[inline(always)]
            fn finish(acc: T::Acc, whole: Whole) -> T::Out {
                T::narrow(if whole.count == 0 { T::Acc::$empty } else { acc })
            }
        }
    )*};
}
sum_folds! {
    Sum: NOTHING, ZERO, plus, wide;
    Prod: ONE, ONE, times, plain;
}
