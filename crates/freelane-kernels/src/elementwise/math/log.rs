//! Logarithms: `x = m 2^e` with `m` from sqrt(1/2) to sqrt(2), then the logarithm of `m`.
//!
//! In f64 `log m = 2 atanh((m - 1) / (m + 1))`, which keeps the polynomial short; in f32 a polynomial in `m - 1` is cheaper
//! than the division. What is no positive normal number is left to the scalar functions.
use super::coef;
use super::exp::exp_sum;
use super::real::{Real, poly, select, within};
use crate::elementwise::{Map1, Map2, Tier};

functions! {
    /// The natural logarithm; at most 2 ulp off.
    Log,
    /// The logarithm to base 2; at most 2 ulp off, exact for powers of two.
    Log2,
    /// The logarithm to base 10; at most 2 ulp off.
    Log10,
    /// log(1 + x); at most 2 ulp off.
    Log1p,
    /// `log(e^a + e^b)` without overflow on the way; at most 3 ulp of the larger operand off.
    LogAddExp,
}

/// `f - minus` is the logarithm of `1 + f`, for `1 + f` from sqrt(1/2) to sqrt(2); `plus` is to be added.
#[inline(always)]
fn minus<R: Real>(f: R, plus: R) -> R {
    let s = f / (R::lit(2.0) + f);
    let z = s * s;
    let rest = poly(z, R::LOG) * z;
    let half = R::lit(0.5) * f * f;
    // 2 s = f - s f, and s f = half - s half, so that f is added last and exact.
    half - s.fma(half + rest, plus)
}

#[inline(always)]
pub(super) fn log64(x: f64) -> f64 {
    let (m, e) = x.split_normal();
    let f = m - 1.0;
    e.mul_add(coef::LN2_SHORT_64[0], f - minus(f, e * coef::LN2_SHORT_64[1]))
}

#[inline(always)]
pub(super) fn log32(x: f32) -> f32 {
    let (m, e) = x.split_normal();
    let f = m - 1.0;
    let rest = (f * f).mul_add(poly(f, &coef::LOG_DIRECT_32), e * coef::LN2_SHORT_32[1]);
    e.mul_add(coef::LN2_SHORT_32[0], f + rest)
}

/// The logarithm of `1 + f` times a constant in two words; `plus` is to be added.
#[inline(always)]
fn scaled(f: f64, by: [f64; 2], plus: f64) -> f64 {
    let high = f * by[0];
    let low = f.mul_add(by[0], -high) + f.mul_add(by[1], plus);
    high + minus(f, 0.0).mul_add(-by[0], low)
}

#[inline(always)]
fn log2_64(x: f64) -> f64 {
    let (m, e) = x.split_normal();
    e + scaled(m - 1.0, coef::LOG2_E_64, 0.0)
}

#[inline(always)]
fn log2_32(x: f32) -> f32 {
    let (m, e) = x.split_normal();
    let f = m - 1.0;
    f.mul_add(poly(f, &coef::LOG2_DIRECT_32), e)
}

#[inline(always)]
fn log10_64(x: f64) -> f64 {
    let (m, e) = x.split_normal();
    e.mul_add(coef::LOG10_2_SHORT_64[0], scaled(m - 1.0, coef::LOG10_E_64, e * coef::LOG10_2_SHORT_64[1]))
}

#[inline(always)]
fn log10_32(x: f32) -> f32 {
    let (m, e) = x.split_normal();
    let f = m - 1.0;
    e.mul_add(coef::LOG10_2_SHORT_32[0], f.mul_add(poly(f, &coef::LOG10_DIRECT_32), e * coef::LOG10_2_SHORT_32[1]))
}

/// `1 + x = m 2^e`; `m - 1` in one rounding.
#[inline(always)]
fn log1p_parts<R: Real>(x: R) -> (R, R) {
    let one = R::lit(1.0);
    let u = one + x;
    let (_, e) = u.split_normal();
    let (_, inverse) = u.powers();
    (x.fma(inverse, inverse - one), e)
}

#[inline(always)]
fn log1p64(x: f64) -> f64 {
    let (f, e) = log1p_parts(x);
    e.mul_add(coef::LN2_SHORT_64[0], f - minus(f, e * coef::LN2_SHORT_64[1])).copysign(x)
}

#[inline(always)]
fn log1p32(x: f32) -> f32 {
    let (f, e) = log1p_parts(x);
    let rest = (f * f).mul_add(poly(f, &coef::LOG_DIRECT_32), e * coef::LN2_SHORT_32[1]);
    e.mul_add(coef::LN2_SHORT_32[0], f + rest).copysign(x)
}

macro_rules! log_add_exp {
    ($($t:ident $name:ident $log1p:ident $slow:ident $exp:path, $scalar:path;)*) => { $(
        /// Equal infinities have no difference.
        #[inline(always)]
        fn $name(a: $t, b: $t) -> $t {
            let apart = select(a == b, 0.0, (a - b).abs());
            select(a > b, a, b) + $log1p(exp_sum(-apart, 0.0))
        }
        fn $slow(a: $t, b: $t) -> $t {
            let apart = select(a == b, 0.0, (a - b).abs());
            select(a > b, a, b) + $scalar($exp(-apart))
        }
        impl Map2<$t> for LogAddExp {
            type Out = $t;
            const TIER: Tier = Tier::Heavy;
            #[inline(always)]
            fn apply(a: $t, b: $t) -> $t {
                $name(a, b)
            }
            #[inline(always)]
            fn slow(a: $t, b: $t) -> $t {
                $slow(a, b)
            }
        }
    )* };
}
log_add_exp! {
    f32 log_add_exp32 log1p32 slow_log_add_exp32 libm::expf, libm::log1pf;
    f64 log_add_exp64 log1p64 slow_log_add_exp64 libm::exp, libm::log1p;
}

/// Not zero, infinite, negative, NaN, nor below the normal numbers.
#[inline(always)]
pub(super) fn is_normal<R: Real>(x: R) -> bool {
    within(x, R::LEAST, R::INFINITY)
}

/// Where `1 + x` has a logarithm, and the power of two near its inverse is normal.
#[inline(always)]
fn is_inside<R: Real>(x: R) -> bool {
    (x > R::lit(-1.0)) & (x < R::INVERTIBLE)
}

guarded1! {
    Log, log32, f32, libm::logf, |x| is_normal(x);
    Log, log64, f64, libm::log, |x| is_normal(x);
    Log2, log2_32, f32, libm::log2f, |x| is_normal(x);
    Log2, log2_64, f64, libm::log2, |x| is_normal(x);
    Log10, log10_32, f32, libm::log10f, |x| is_normal(x);
    Log10, log10_64, f64, libm::log10, |x| is_normal(x);
    Log1p, log1p32, f32, libm::log1pf, |x| is_inside(x);
    Log1p, log1p64, f64, libm::log1p, |x| is_inside(x);
}
halves1!(Log, Log2, Log10, Log1p);
halves2!(LogAddExp);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::elementwise::Map2;

    #[test]
    fn exponentials_are_added_without_overflow() {
        let ln2 = std::f64::consts::LN_2;
        let (inf, nan) = (f64::INFINITY, f64::NAN);
        for (a, b, sum) in [
            (0.0, 0.0, ln2),
            (1000.0, 1000.0, 1000.0 + ln2),
            (-1e5, 3.0, 3.0),
            (2f64.ln(), 3f64.ln(), 5f64.ln()),
            (-inf, -inf, -inf),
            (inf, -inf, inf),
            (inf, inf, inf),
            (-inf, 7.0, 7.0),
        ] {
            let (got, turned): (f64, f64) = (LogAddExp::apply(a, b), LogAddExp::apply(b, a));
            assert!(got == sum || (got - sum).abs() <= 2.0 * f64::EPSILON, "{a} {b}: {got}");
            assert_eq!(got, turned);
        }
        assert!(LogAddExp::apply(nan, 1.0).is_nan() && LogAddExp::apply(1.0, nan).is_nan());
    }
}
