//! Sum and product.
use super::fold::{Fold, Whole};
use super::summand::{Accumulator, Summand};

/// The sum. A sum of negative zeros is -0, a sum of nothing +0.
#[derive(Clone, Copy, Debug)]
pub struct Sum;

/// The product.
#[derive(Clone, Copy, Debug)]
pub struct Prod;

macro_rules! sum_folds {
    ($($fold:ident: $identity:ident, $empty:ident, $combine:ident;)*) => {$(
        impl<T: Summand> Fold<T> for $fold {
            type Acc = T::Acc;
            type Out = T::Out;
            type Param = ();
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
    Sum: NOTHING, ZERO, plus;
    Prod: ONE, ONE, times;
}
