//! Logarithm and angles for arguments that are known to be ordinary: no branches, and no fused operations, so that every
//! processor gives the same bits. Errors are below 3 ulp, which no test of random numbers sees.

/// Coefficients of the series of `atanh(s) / s` in `s * s`: 1/3, 1/5, ... The first one left out is below 2^-55 of the sum
/// for `|s| < 0.1716`, the largest there is.
const ATANH: [f64; 10] = [
    1.0 / 3.0,
    1.0 / 5.0,
    1.0 / 7.0,
    1.0 / 9.0,
    1.0 / 11.0,
    1.0 / 13.0,
    1.0 / 15.0,
    1.0 / 17.0,
    1.0 / 19.0,
    1.0 / 21.0,
];

/// Those of `sin(x) / x - 1` and `cos(x) - 1` in `x * x`, for `|x| <= pi / 4`.
const SIN: [f64; 8] = [
    -1.0 / 6.0,
    1.0 / 120.0,
    -1.0 / 5040.0,
    1.0 / 362_880.0,
    -1.0 / 39_916_800.0,
    1.0 / 6_227_020_800.0,
    -1.0 / 1_307_674_368_000.0,
    1.0 / 355_687_428_096_000.0,
];
const COS: [f64; 8] = [
    -1.0 / 2.0,
    1.0 / 24.0,
    -1.0 / 720.0,
    1.0 / 40_320.0,
    -1.0 / 3_628_800.0,
    1.0 / 479_001_600.0,
    -1.0 / 87_178_291_200.0,
    1.0 / 20_922_789_888_000.0,
];

/// `2^52 + 2^51`: adding an integer to its bits adds it to the number.
const MAGIC: f64 = 6_755_399_441_055_744.0;

#[inline(always)]
fn series<const N: usize>(x: f64, coefficients: &[f64; N]) -> f64 {
    let mut sum = coefficients[N - 1];
    for i in (0..N - 1).rev() {
        sum = sum * x + coefficients[i];
    }
    sum
}

/// An integer of at most 50 bits and a sign.
#[inline(always)]
fn float(x: i64) -> f64 {
    f64::from_bits(MAGIC.to_bits().wrapping_add(x as u64)) - MAGIC
}

/// The upper 53 bits of a word, in [0, 1).
#[inline(always)]
pub(crate) fn unit(word: u64) -> f64 {
    (word >> 11) as f64 * (1.0 / 9_007_199_254_740_992.0)
}

/// The upper 53 bits of a word, in (0, 1].
#[inline(always)]
pub(crate) fn unit_above_zero(word: u64) -> f64 {
    unit(word) + 1.0 / 9_007_199_254_740_992.0
}

/// The natural logarithm of a normal number.
#[inline(always)]
pub(crate) fn ln(x: f64) -> f64 {
    const BELOW_ONE: u64 = std::f64::consts::FRAC_1_SQRT_2.to_bits();
    const ONE: u64 = 1.0f64.to_bits();
    // x = 2^exponent * m with m in [sqrt(1/2), sqrt(2)).
    let biased = x.to_bits().wrapping_sub(BELOW_ONE).wrapping_add(ONE) >> 52;
    let m = f64::from_bits(x.to_bits().wrapping_sub(biased << 52).wrapping_add(ONE));
    let exponent = biased as f64 - 1023.0;
    let f = m - 1.0;
    let s = f / (2.0 + f);
    let z = s * s;
    let twice = s + s;
    exponent * std::f64::consts::LN_2 + (twice + twice * (z * series(z, &ATANH)))
}

/// Cosine and sine of the part of a full turn that the upper 53 bits of a word say.
#[inline(always)]
pub(crate) fn turn(word: u64) -> (f64, f64) {
    const QUARTER: u32 = 51;
    let part = (word >> 11) as i64;
    let quarter = (part + (1 << (QUARTER - 1))) >> QUARTER;
    let x = float(part - (quarter << QUARTER)) * (std::f64::consts::TAU / 9_007_199_254_740_992.0);
    let z = x * x;
    let (c, s) = (1.0 + z * series(z, &COS), x + x * (z * series(z, &SIN)));
    let odd = (quarter as u64 & 1).wrapping_neg();
    let pick = |even: f64, other: f64| (even.to_bits() & !odd) | (other.to_bits() & odd);
    let cos = pick(c, s) ^ ((quarter as u64 + 1) >> 1 & 1) << 63;
    let sin = pick(s, c) ^ (quarter as u64 >> 1 & 1) << 63;
    (f64::from_bits(cos), f64::from_bits(sin))
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORDS: [u64; 9] =
        [0, 1 << 11, 1 << 40, u64::MAX, 1 << 63, (1 << 63) - 1, 3 << 61, 5 << 60, 0x0123_4567_89ab_cdef];

    fn words() -> impl Iterator<Item = u64> {
        let spread = (0..200_000u64).map(|i| i.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        WORDS.into_iter().chain(spread)
    }

    #[test]
    fn units_are_the_upper_bits() {
        for word in words() {
            assert_eq!(unit(word), (word >> 11) as f64 / (1u64 << 53) as f64);
            assert_eq!(unit_above_zero(word), ((word >> 11) + 1) as f64 / (1u64 << 53) as f64);
        }
    }

    #[test]
    fn logarithms_are_close() {
        for x in words().map(unit_above_zero).chain([1.0, 0.5, f64::MIN_POSITIVE, f64::MAX, 1.0 + f64::EPSILON]) {
            let want = x.ln();
            assert!((ln(x) - want).abs() <= 3.0 * f64::EPSILON * want.abs(), "ln {x}: {} for {want}", ln(x));
        }
    }

    #[test]
    fn turns_are_close() {
        for word in words() {
            // Quarters are taken off in whole numbers, as the library's argument would be rounded otherwise.
            let part = word >> 11;
            let rest = (part & ((1 << 51) - 1)) as f64 * (std::f64::consts::TAU / (1u64 << 53) as f64);
            let (s, c) = rest.sin_cos();
            let want = [(c, s), (-s, c), (-c, -s), (s, -c)][(part >> 51) as usize];
            let got = turn(word);
            let error = (got.0 - want.0).abs().max((got.1 - want.1).abs());
            assert!(error < 4e-16, "{word:x}: {got:?} for {want:?}");
        }
        assert_eq!([0, 1 << 62, 1 << 63, 3 << 62].map(turn), [(1.0, 0.0), (-0.0, 1.0), (-1.0, -0.0), (0.0, -1.0)]);
    }
}
