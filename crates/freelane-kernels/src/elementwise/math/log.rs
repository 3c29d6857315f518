//! Logarithms: `x = m 2^e`, and `log m = 2 atanh((m - 1) / (m + 1))` by a polynomial.
use super::real::{Real, poly, select};
use crate::elementwise::{Map1, Tier};

functions! {
    /// The natural logarithm; at most 2 ulp off.
    Log,
    /// The logarithm to base 2; at most 2 ulp off, exact for powers of two.
    Log2,
    /// log(1 + x); at most 2 ulp off.
    Log1p,
}

/// Puts right what a logarithm's body does not see: zero, infinity, negative numbers and NaN.
#[inline(always)]
fn with_limits<R: Real>(x: R, y: R) -> R {
    let zero = R::lit(0.0);
    let y = select(x == zero, -R::INFINITY, y);
    let y = select(x == R::INFINITY, x, y);
    select(x >= zero, y, R::NAN)
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
fn log<R: Real>(x: R) -> R {
    let (m, e) = x.split();
    let f = m - R::lit(1.0);
    with_limits(x, e.fma(R::LN2_SHORT[0], f - minus(f, e * R::LN2_SHORT[1])))
}

#[inline(always)]
fn log2<R: Real>(x: R) -> R {
    let (m, e) = x.split();
    let f = m - R::lit(1.0);
    let rest = minus(f, R::lit(0.0));
    let log = f - rest;
    let log_low = (f - log) - rest;
    let low = log.fma(R::LOG2_E[1], log_low * R::LOG2_E[0]);
    let high = log * R::LOG2_E[0];
    let high_low = log.fma(R::LOG2_E[0], -high);
    with_limits(x, (e + high) + (((e - (e + high)) + high) + (high_low + low)))
}

/// `u = 1 + x` is rounded; what that cut off is put back.
#[inline(always)]
fn log1p<R: Real>(x: R) -> R {
    let u = R::lit(1.0) + x;
    let (m, e) = u.split();
    let f = m - R::lit(1.0);
    let back = u - R::lit(1.0);
    let lost = (R::lit(1.0) - (u - back)) + (x - back);
    let y = e.fma(R::LN2_SHORT[0], f - minus(f, e.fma(R::LN2_SHORT[1], lost / u)));
    select(x == R::lit(0.0), x, with_limits(u, y))
}

heavy1! {
    Log, log, f32, libm::logf;
    Log, log, f64, libm::log;
    Log2, log2, f32, libm::log2f;
    Log2, log2, f64, libm::log2;
    Log1p, log1p, f32, libm::log1pf;
    Log1p, log1p, f64, libm::log1p;
}
halves1!(Log, Log2, Log1p);
