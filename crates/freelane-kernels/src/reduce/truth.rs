//! Any, all, and how many.
use super::dispatch::{Tier, native};
use super::fold::{Accumulate, Fold, Whole};
use half::{bf16, f16};
use num_complex::Complex;

/// An element that counts as true or false: all is true but zero, NaN too.
pub trait Truth: Copy + 'static {
    /// Whether this is not zero.
    fn truth(self) -> bool;
}

macro_rules! truths {
    ($($t:ty: |$x:ident| $truth:expr;)*) => {$(
        impl Truth for $t {
            #[inline(always)]
            fn truth(self) -> bool {
                let $x = self;
                $truth
            }
        }
    )*};
}
truths! {
    bool: |x| x;
    i8: |x| x != 0;
    i16: |x| x != 0;
    i32: |x| x != 0;
    i64: |x| x != 0;
    u8: |x| x != 0;
    u16: |x| x != 0;
    u32: |x| x != 0;
    u64: |x| x != 0;
    f16: |x| x.to_bits() << 1 != 0;
    bf16: |x| x.to_bits() << 1 != 0;
    f32: |x| x != 0.0;
    f64: |x| x != 0.0;
    Complex<f32>: |x| (x.re != 0.0) | (x.im != 0.0);
    Complex<f64>: |x| (x.re != 0.0) | (x.im != 0.0);
}

/// Whether any element is true; of nothing, false.
#[derive(Clone, Copy, Debug)]
pub struct Any;

/// Whether all elements are true; of nothing, true.
#[derive(Clone, Copy, Debug)]
pub struct All;

/// How many elements are true.
#[derive(Clone, Copy, Debug)]
pub struct CountNonzero;

macro_rules! truth_folds {
    ($($fold:ident: $acc:ty, $out:ty, $identity:expr, $combine:expr, $finish:expr, $settled:expr;)*) => {$(
        impl<T: Truth> Accumulate<T> for $fold {
            type Acc = $acc;
            type Param = ();
            const TIER: Tier = native::<T>();
            const ORDER_FREE: bool = true;
            #[inline(always)]
            fn identity() -> $acc {
                $identity
            }
            #[inline(always)]
            fn lift(_: (), x: T, _: usize) -> $acc {
                <$acc>::from(x.truth())
            }
            #[inline(always)]
            fn combine(a: $acc, b: $acc) -> $acc {
                $combine(a, b)
            }
            #[inline(always)]
            fn settled(acc: $acc) -> bool {
                $settled(acc)
            }
        }

        impl<T: Truth> Fold<T> for $fold {
            type By = Self;
            type Param = ();
            type Out = $out;
            fn finish(acc: $acc, _: Whole) -> $out {
                $finish(acc)
            }
        }
    )*};
}
truth_folds! {
    Any: u8, bool, 0, |a, b| a | b, |a| a != 0, |a| a != 0;
    All: u8, bool, 1, |a, b| a & b, |a| a != 0, |a| a == 0;
    CountNonzero: i64, i64, 0, |a, b| a + b, |a| a, |_| false;
}
