//! Floats taken apart and put together: fraction and exponent.
use super::{Half, Map1, Map3, Tier};
use half::{bf16, f16};

functions! {
    /// The fraction: `x = m 2^e` with a magnitude from 1/2 to 1. Zeros, infinities and NaN are their own.
    Mantissa,
    /// The exponent belonging to it; 0 for zeros, infinities and NaN.
    Exponent,
    /// `x 2^k`, rounded once; `k` is the first operand, the last one is not looked at.
    ScaleByPower,
    /// What `Trunc` leaves, with the sign of the element; of an infinity zero.
    Fraction,
}

macro_rules! parts {
    ($($t:ident $bits:ident, mantissa $mantissa:literal, half $half:literal, lift $lift:literal,
       $split:ident;)*) => { $(
        /// Fraction and exponent, that in bits of the float's own width.
        #[inline(always)]
        fn $split(x: $t) -> ($t, $bits) {
            const SIGN: $bits = 1 << ($bits::BITS - 1);
            const EXPONENT: $bits = $t::INFINITY.to_bits();
            let subnormal = x.abs() < $t::MIN_POSITIVE;
            let raised = if subnormal { x * (1u64 << $lift) as $t } else { x };
            let bits = raised.to_bits();
            let e = (bits & EXPONENT) >> $mantissa;
            let e = e.wrapping_sub(if subnormal { $half + $lift } else { $half });
            let m = $t::from_bits(bits & (SIGN | !EXPONENT) & !(EXPONENT & !SIGN) | $half << $mantissa);
            let itself = x == 0.0 || !x.is_finite();
            (if itself { x } else { m }, if itself { 0 } else { e })
        }
        impl Map1<$t> for Mantissa {
            type Out = $t;
            const TIER: Tier = Tier::Heavy;
            #[inline(always)]
            fn apply(x: $t) -> $t {
                $split(x).0
            }
        }
        impl Map1<$t> for Exponent {
            type Out = i32;
            const TIER: Tier = Tier::Heavy;
            #[inline(always)]
            fn apply(x: $t) -> i32 {
                $split(x).1 as i32
            }
        }
    )* };
}
parts! {
    f32 u32, mantissa 23, half 126, lift 25, split32;
    f64 u64, mantissa 52, half 1022, lift 54, split64;
}
halves1!(Mantissa);
map1!(Exponent: [f16, bf16] -> i32, |x| split32(x.widen()).1 as i32);
map1!(Fraction: floats, |x| (if x.is_infinite() { 0.0 } else { x - x.trunc() }).copysign(x));

/// Exact in f64, from where the result is rounded.
#[inline(always)]
fn scaled32(x: f32, k: i32) -> f32 {
    let k = k.clamp(-400, 400);
    (f64::from(x) * f64::from_bits(((1023 + k) as u64) << 52)) as f32
}

/// Only the exponent changes, unless the result is no normal number: then it is prepared 64 powers higher, and brought down
/// by a product.
#[inline(always)]
fn scaled64(x: f64, k: i32) -> f64 {
    const FRACTION: u64 = (1 << 52) - 1;
    let subnormal = x.abs() < f64::MIN_POSITIVE;
    let raised = if subnormal { x * (1u64 << 54) as f64 } else { x };
    let bits = raised.to_bits();
    let from = (bits >> 52) as i32 & 0x7ff;
    let to = from + k.clamp(-5000, 5000) - if subnormal { 54 } else { 0 };
    let low = to < 1;
    let put = (if low { to + 64 } else { to }).clamp(1, 2047);
    let fraction = if put == 2047 { 0 } else { bits & FRACTION };
    let y = f64::from_bits(bits & 1 << 63 | (put as u64) << 52 | fraction);
    let y = if low { y * (1.0 / 18446744073709551616.0) } else { y };
    if x == 0.0 || !x.is_finite() { x } else { y }
}

macro_rules! scale_by_power {
    ($($t:ty, |$x:ident, $k:ident| $body:expr $(, $least:literal..=$most:literal => $easy:expr)?;)*) => { $(
        impl Map3<$t> for ScaleByPower {
            type First = i32;
            type Out = $t;
            #[inline(always)]
            fn apply($k: i32, $x: $t, _: $t) -> $t {
                $body
            }
            $(
                const HAS_EASY: bool = true;
                // The power is a normal number: the product alone is rounded.
                #[inline(always)]
                fn is_easy($k: i32) -> bool {
                    ($least..=$most).contains(&$k)
                }
                #[inline(always)]
                fn easy($k: i32, $x: $t, _: $t) -> $t {
                    $easy
                }
            )?
        }
    )* };
}
scale_by_power! {
    f32, |x, k| scaled32(x, k), -126..=127 => x * f32::from_bits(((127 + k) as u32) << 23);
    f64, |x, k| scaled64(x, k), -1022..=1023 => x * f64::from_bits(((1023 + k) as u64) << 52);
    f16, |x, k| f16::narrow(scaled32(x.widen(), k));
    bf16, |x, k| bf16::narrow(scaled32(x.widen(), k));
}

#[cfg(test)]
mod tests {
    use super::*;

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
            assert_eq!(ScaleByPower::apply(e, m, m), x, "{x:e}");
        }
        assert!(Mantissa::apply(f64::NAN).is_nan() && Mantissa::apply(-0.0f32).is_sign_negative());
        assert_eq!((Mantissa::apply(1e-45f32), Exponent::apply(1e-45f32)), (0.5, -148));
        assert_eq!(
            (Mantissa::apply(f16::from_f32(6.0)), Exponent::apply(f16::from_f32(6.0))),
            (f16::from_f32(0.75), 3)
        );
        let fractions: [f64; 4] = [2.75, -2.75, f64::NEG_INFINITY, -0.0].map(Fraction::apply);
        assert_eq!(fractions.map(f64::to_bits), [0.75, -0.75, -0.0, -0.0].map(f64::to_bits));
    }

    #[test]
    fn powers_of_two_are_rounded_once() {
        let values = [1.0, -1.5, f64::MAX, 5e-324, 1.7976931348623155e308, 3e-310, -0.0, f64::INFINITY, 1e-322];
        let odd = (1..2000u64).map(|i| f64::from_bits(i.wrapping_mul(0x9e37_79b9_7f4a_7c15)));
        for x in values.into_iter().chain(odd) {
            for k in (-2200..2200).step_by(37).chain([i32::MIN, i32::MAX, -1, 0, 1, -1074, -1075, -53]) {
                let (got, want) = (ScaleByPower::apply(k, x, x), libm::scalbn(x, k));
                assert!(
                    got.to_bits() == want.to_bits() || got.is_nan() && want.is_nan(),
                    "{x:e} 2^{k}: {got:e}, {want:e}"
                );
                let (got, want) = (ScaleByPower::apply(k, x as f32, 0.0), libm::scalbnf(x as f32, k));
                assert!(
                    got.to_bits() == want.to_bits() || got.is_nan() && want.is_nan(),
                    "{x:e}f32 2^{k}: {got:e}, {want:e}"
                );
            }
        }
    }
}
