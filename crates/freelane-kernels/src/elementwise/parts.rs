//! Floats taken apart and put together: fraction and exponent.
use super::Half;
use half::{bf16, f16};

functions! {
    /// The fraction: `x = m 2^e` with a magnitude from 1/2 to 1. Zeros, infinities and NaN are their own.
    Mantissa,
    /// The exponent belonging to it; 0 for zeros, infinities and NaN.
    Exponent,
    /// `a 2^b`, rounded once, for whole `b`.
    ScaleByPower,
}

macro_rules! parts {
    ($($t:ident $bits:ident, mantissa $mantissa:literal, half $half:literal, lift $lift:literal,
       $split:ident, $scalbn:ident;)*) => { $(
        #[inline(always)]
        fn $split(x: $t) -> ($t, i32) {
            const SIGN: $bits = 1 << ($bits::BITS - 1);
            const EXPONENT: $bits = $t::INFINITY.to_bits();
            let subnormal = x.abs() < $t::MIN_POSITIVE;
            let raised = if subnormal { x * (1u64 << $lift) as $t } else { x };
            let bits = raised.to_bits();
            let e = (bits >> $mantissa) as i32 & (EXPONENT >> $mantissa) as i32;
            let e = e - $half - if subnormal { $lift } else { 0 };
            let m = $t::from_bits(bits & (SIGN | !EXPONENT) & !(EXPONENT & !SIGN) | $half << $mantissa);
            let itself = x == 0.0 || !x.is_finite();
            (if itself { x } else { m }, if itself { 0 } else { e })
        }
        map1!(Mantissa: [$t], |x| $split(x).0);
        map1!(Exponent: [$t] -> i32, |x| $split(x).1);
        map2!(ScaleByPower: [$t], scalar |a, b| libm::$scalbn(a, b.clamp(-5000.0, 5000.0) as i32));
    )* };
}
parts! {
    f32 u32, mantissa 23, half 126, lift 25, split32, scalbnf;
    f64 u64, mantissa 52, half 1022, lift 54, split64, scalbn;
}
halves1!(Mantissa);
halves2!(ScaleByPower);
map1!(Exponent: [f16, bf16] -> i32, |x| split32(x.widen()).1);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::elementwise::{Map1, Map2};

    #[test]
    fn numbers_come_apart_and_together() {
        for (x, m, e) in [
            (1.0, 0.5, 1),
            (-3.0, -0.75, 2),
            (0.1, 0.8, -3),
            (f64::MAX, 1f64.next_down(), 1024),
            (f64::MIN_POSITIVE, 0.5, -1021),
            (5e-324, 0.5, -1073),
            (-1.5e-320, -0.7412109375, -1062),
            (0.0, 0.0, 0),
            (f64::NEG_INFINITY, f64::NEG_INFINITY, 0),
        ] {
            let (fraction, exponent): (f64, i32) = (Mantissa::apply(x), Exponent::apply(x));
            assert_eq!((fraction, exponent), (m, e), "{x:e}");
            assert_eq!(ScaleByPower::apply(m, f64::from(e)), x, "{x:e}");
        }
        assert!(Mantissa::apply(f64::NAN).is_nan() && Mantissa::apply(-0.0f32).is_sign_negative());
        assert_eq!((Mantissa::apply(1e-45f32), Exponent::apply(1e-45f32)), (0.5, -148));
        assert_eq!(
            (Mantissa::apply(f16::from_f32(6.0)), Exponent::apply(f16::from_f32(6.0))),
            (f16::from_f32(0.75), 3)
        );
        assert_eq!(ScaleByPower::apply(1.0f64, 1e9), f64::INFINITY);
        assert_eq!(ScaleByPower::apply(3.0f32, -1e9), 0.0);
    }
}
