//! Functions of three elements.
use super::Map3;
use half::{bf16, f16};

functions! {
    /// `a` where the first operand is true, else `b`.
    Where,
    /// The first operand held between `a` and `b`: `min(max(x, a), b)`; NaN if any is.
    Clip,
}

impl<T: Copy + 'static> Map3<T> for Where {
    type First = bool;
    type Out = T;
    #[inline(always)]
    fn apply(c: bool, a: T, b: T) -> T {
        if c { a } else { b }
    }
}

macro_rules! clip {
    ($($t:ty),*) => { $(
        impl Map3<$t> for Clip {
            type First = $t;
            type Out = $t;
            #[inline(always)]
            fn apply(x: $t, low: $t, high: $t) -> $t {
                use super::{Map2, Maximum, Minimum};
                Minimum::apply(Maximum::apply(x, low), high)
            }
        }
    )* };
}
clip!(i8, i16, i32, i64, u8, u16, u32, u64, f16, bf16, f32, f64);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clip_holds_between_the_bounds() {
        for (x, low, high, expected) in [(5, 0, 3, 3), (-5, 0, 3, 0), (2, 0, 3, 2), (2, 5, 1, 1)] {
            assert_eq!(Clip::apply(x, low, high), expected, "{x} in {low}..{high}");
        }
        assert!(Clip::apply(f64::NAN, 0.0f64, 1.0f64).is_nan() && Clip::apply(0.5f64, f64::NAN, 1.0).is_nan());
        assert_eq!([true, false].map(|c| Where::apply(c, 1, 2)), [1, 2]);
    }
}
