//! Functions of three elements.
use super::{Half, Map3};
use half::{bf16, f16};

functions! {
    /// `a` where the first operand is true, else `b`.
    Where,
    /// The first operand held between `a` and `b`: `min(max(x, a), b)`; NaN if any is.
    Clip,
    /// The first operand, but `a` for infinity and `b` for minus infinity.
    Bounded,
    /// `first * a + b`, rounded once.
    Fma,
    /// From the first operand to `a` by the share `b`: exactly either at 0 and 1.
    Lerp,
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

macro_rules! bounded {
    ($($t:ident),*) => { $(
        impl Map3<$t> for Bounded {
            type First = $t;
            type Out = $t;
            #[inline(always)]
            fn apply(x: $t, a: $t, b: $t) -> $t {
                let y = if x == $t::NEG_INFINITY { b } else { x };
                if x == $t::INFINITY { a } else { y }
            }
        }
    )* };
}
bounded!(f16, bf16, f32, f64);

/// A value on the way, but at the weights 0 and 1 the ends themselves, whatever the other one is.
macro_rules! at_ends {
    ($start:expr, $end:expr, $weight:expr, $between:expr) => {{
        let from = if $weight == 0.0 { $start } else { $between };
        if $weight == 1.0 { $end } else { from }
    }};
}

macro_rules! of_floats {
    ($($t:ident $fma:path;)*) => { $(
        impl Map3<$t> for Fma {
            type First = $t;
            type Out = $t;
            #[inline(always)]
            fn apply(x: $t, a: $t, b: $t) -> $t {
                x.mul_add(a, b)
            }
            #[inline(always)]
            fn slow(x: $t, a: $t, b: $t) -> $t {
                $fma(x, a, b)
            }
        }
        // A step from `start` that leaves its share, then one to `end`. The share of an infinite start is infinite, not NaN.
        impl Map3<$t> for Lerp {
            type First = $t;
            type Out = $t;
            #[inline(always)]
            fn apply(start: $t, end: $t, weight: $t) -> $t {
                let left = (-weight).mul_add(start, start);
                let left = if start.is_infinite() { (1.0 - weight) * start } else { left };
                at_ends!(start, end, weight, weight.mul_add(end, left))
            }
            #[inline(always)]
            fn slow(start: $t, end: $t, weight: $t) -> $t {
                let left = $fma(-weight, start, start);
                let left = if start.is_infinite() { (1.0 - weight) * start } else { left };
                at_ends!(start, end, weight, $fma(weight, end, left))
            }
        }
    )* };
}
of_floats! { f32 libm::fmaf; f64 libm::fma; }

macro_rules! of_halves {
    ($($k:ident $t:ident;)*) => { $(
        impl Map3<$t> for $k {
            type First = $t;
            type Out = $t;
            #[inline(always)]
            fn apply(x: $t, a: $t, b: $t) -> $t {
                $t::narrow($k::apply(x.widen(), a.widen(), b.widen()))
            }
            #[inline(always)]
            fn slow(x: $t, a: $t, b: $t) -> $t {
                $t::narrow($k::slow(x.widen(), a.widen(), b.widen()))
            }
        }
    )* };
}
of_halves! { Fma f16; Fma bf16; Lerp f16; Lerp bf16; }

#[cfg(test)]
mod tests {
    use super::*;
    use crate::elementwise::loop3;
    use freelane_simd::Isa;

    fn on_all<K: Map3<f64, First = f64, Out = f64>>(x: f64, a: f64, b: f64) -> Vec<f64> {
        let run = |&isa: &Isa| {
            let mut o = 0.0f64;
            let [p, q, r] = [&x, &a, &b].map(|v| (&raw const *v).cast::<u8>());
            // SAFETY: one element each, apart from the result; the path is one that is available.
            unsafe { loop3::<K, f64>(isa, 1, p, 8, q, 8, r, 8, (&raw mut o).cast(), 8) };
            o
        };
        Isa::available().iter().map(run).collect()
    }

    #[test]
    fn products_are_added_in_one_rounding() {
        let (inf, nan, tiny) = (f64::INFINITY, f64::NAN, f64::EPSILON);
        for (x, a, b, want) in [
            (1.0 + tiny, 1.0 - tiny, -1.0, -tiny * tiny),
            (f64::MAX, 2.0, -f64::MAX, f64::MAX),
            (3.0, 0.1, -0.3, 2.7755575615628914e-17),
            (5e-324, 0.5, 5e-324, 1e-323),
            (0.0, -1.0, -0.0, -0.0),
            (0.0, 1.0, -0.0, 0.0),
            (inf, 1.0, 5.0, inf),
            (inf, 0.0, 5.0, nan),
            (inf, 1.0, -inf, nan),
            (2.0, 3.0, nan, nan),
        ] {
            for got in on_all::<Fma>(x, a, b) {
                assert!(got.to_bits() == want.to_bits() || got.is_nan() && want.is_nan(), "{x} {a} {b}: {got:e}");
            }
        }
    }

    #[test]
    fn the_way_begins_at_the_start_and_ends_at_the_end() {
        let (inf, nan) = (f64::INFINITY, f64::NAN);
        for (start, end, weight, want) in [
            (0.1, 0.7, 0.0, 0.1),
            (0.1, 0.7, 1.0, 0.7),
            (1e300, 1e-300, 1.0, 1e-300),
            (-f64::MAX, f64::MAX, 0.5, 0.0),
            (-f64::MAX, f64::MAX, 0.75, f64::MAX / 2.0),
            (1.0, 3.0, 0.5, 2.0),
            (1.0, 3.0, -1.0, -1.0),
            (1.0, 3.0, 2.5, 6.0),
            (inf, 3.0, 0.5, inf),
            (2.0, -inf, 0.25, -inf),
            (inf, -inf, 0.5, nan),
            (nan, 1.0, 0.5, nan),
            (1.0, nan, 0.5, nan),
            (1.0, 2.0, nan, nan),
        ] {
            for got in on_all::<Lerp>(start, end, weight) {
                assert!(got == want || got.is_nan() && want.is_nan(), "{start} {end} {weight}: {got:e}");
            }
        }
        let h = f16::from_f32;
        assert_eq!(Lerp::apply(h(1.0), h(3.0), h(0.25)), h(1.5));
    }

    #[test]
    fn clip_holds_between_the_bounds() {
        for (x, low, high, expected) in [(5, 0, 3, 3), (-5, 0, 3, 0), (2, 0, 3, 2), (2, 5, 1, 1)] {
            assert_eq!(Clip::apply(x, low, high), expected, "{x} in {low}..{high}");
        }
        assert!(Clip::apply(f64::NAN, 0.0f64, 1.0f64).is_nan() && Clip::apply(0.5f64, f64::NAN, 1.0).is_nan());
        assert_eq!([true, false].map(|c| Where::apply(c, 1, 2)), [1, 2]);
    }
}
