//! Rounding, and questions about a float's kind.
use half::{bf16, f16};

functions! {
    /// Down to a whole number.
    Floor,
    /// Up to a whole number.
    Ceil,
    /// Towards zero to a whole number.
    Trunc,
    /// To the nearest whole number, halves to the even one.
    Round,
    /// Is not a number; of a complex one, in either part.
    IsNan,
    /// Is an infinity; of a complex number, in either part.
    IsInf,
    /// Is neither an infinity nor NaN.
    IsFinite,
    /// Has the sign bit set: negative numbers, -0.0 and NaNs with a sign.
    SignBit,
    /// The magnitude of `a` with the sign of `b`.
    CopySign,
    /// The next number after `a` on the way to `b`.
    NextAfter,
}

macro_rules! rounding {
    ($($k:ident $method:ident;)*) => { $(
        map1!($k: floats, |x| x.$method());
        map1!($k: ints, |x| x);
    )* };
}
rounding! { Floor floor; Ceil ceil; Trunc trunc; Round round_ties_even; }

macro_rules! kind {
    ($($k:ident $method:ident $join:tt;)*) => { $(
        map1!($k: [f16, bf16, f32, f64] -> bool, |x| x.$method());
        map1!($k: complex -> bool, |x| x.re.$method() $join x.im.$method());
    )* };
}
kind! { IsNan is_nan |; IsInf is_infinite |; IsFinite is_finite &; }
map1!(IsNan: ints -> bool, |_x| false);
map1!(IsInf: ints -> bool, |_x| false);
map1!(IsFinite: ints -> bool, |_x| true);

map1!(SignBit: [f16, bf16, f32, f64] -> bool, |x| x.is_sign_negative());
map1!(SignBit: signed -> bool, |x| x < 0);
map1!(SignBit: unsigned -> bool, |_x| false);
map2!(CopySign: floats, |a, b| a.copysign(b));

/// The bits of a float count away from zero on both sides of it.
macro_rules! next_after {
    ($($t:ident $bits:ident;)*) => { $(
        map2!(NextAfter: [$t], |a, b| {
            const SIGN: $bits = 1 << ($bits::BITS - 1);
            let (x, y) = (a.to_bits(), b.to_bits());
            let outwards = (b > a) == (x & SIGN == 0);
            let step = if outwards { x.wrapping_add(1) } else { x.wrapping_sub(1) };
            let next = if x & !SIGN == 0 { (y & SIGN) | 1 } else { step };
            let same = if a == b { y } else { next };
            // What is not a number differs from itself.
            let kept = if b != b { y } else { same };
            $t::from_bits(if a != a { x } else { kept })
        });
    )* };
}
next_after! { f16 u16; bf16 u16; f32 u32; f64 u64; }

#[cfg(test)]
mod tests {
    use super::*;
    use crate::elementwise::Map1;

    #[test]
    fn halves_round_to_even() {
        for (x, floor, ceil, trunc, round) in [
            (2.5, 2.0, 3.0, 2.0, 2.0),
            (3.5, 3.0, 4.0, 3.0, 4.0),
            (-2.5, -3.0, -2.0, -2.0, -2.0),
            (-0.5, -1.0, -0.0, -0.0, -0.0),
            (1e300, 1e300, 1e300, 1e300, 1e300),
        ] {
            let got: [f64; 4] = [Floor::apply(x), Ceil::apply(x), Trunc::apply(x), Round::apply(x)];
            assert_eq!(got.map(f64::to_bits), [floor, ceil, trunc, round].map(f64::to_bits), "{x}");
        }
    }

    #[test]
    fn the_next_number_is_one_step_away() {
        use crate::elementwise::Map2;
        let tiny = f64::from_bits(1);
        for (a, b, next) in [
            (1.0, 2.0, 1.0 + f64::EPSILON),
            (1.0, 0.0, 1.0 - f64::EPSILON / 2.0),
            (-1.0, 0.0, -1.0 + f64::EPSILON / 2.0),
            (-1.0, -2.0, -1.0 - f64::EPSILON),
            (0.0, 1.0, tiny),
            (-0.0, 1.0, tiny),
            (0.0, -1.0, -tiny),
            (tiny, -1.0, 0.0),
            (-tiny, 1.0, -0.0),
            (0.0, -0.0, -0.0),
            (f64::MAX, f64::INFINITY, f64::INFINITY),
            (f64::NEG_INFINITY, 0.0, f64::MIN),
        ] {
            assert_eq!(NextAfter::apply(a, b).to_bits(), f64::to_bits(next), "{a} to {b}");
        }
        assert!(NextAfter::apply(f32::NAN, 1.0).is_nan() && NextAfter::apply(1.0, f32::NAN).is_nan());
        assert_eq!(NextAfter::apply(f16::from_f32(1.0), f16::from_f32(2.0)), f16::from_f32(1.0) + f16::EPSILON);
        assert_eq!(NextAfter::apply(bf16::from_f32(-1.0), bf16::from_f32(-2.0)), -bf16::from_f32(1.0) - bf16::EPSILON);
    }
}
