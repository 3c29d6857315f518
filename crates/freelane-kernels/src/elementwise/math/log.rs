//! Logarithms: `x = m 2^e`, and `log m = 2 atanh((m - 1) / (m + 1))` by a polynomial.
use super::real::{Real, poly, select};
use crate::elementwise::{Map1, Tier};

functions! {
    /// The natural logarithm; at most 2 ulp off.
    Log,
}

/// Puts right what a logarithm's body does not see: zero, infinity, negative numbers and NaN.
#[inline(always)]
fn with_limits<R: Real>(x: R, y: R) -> R {
    let zero = R::lit(0.0);
    let y = select(x == zero, -R::INFINITY, y);
    let y = select(x == R::INFINITY, x, y);
    select(x >= zero, y, R::NAN)
}

#[inline(always)]
fn log<R: Real>(x: R) -> R {
    let (m, e) = x.split();
    let f = m - R::lit(1.0);
    let s = f / (R::lit(2.0) + f);
    let z = s * s;
    let rest = poly(z, R::LOG) * z;
    let half = R::lit(0.5) * f * f;
    // 2 s = f - s f, and s f = half - s half, so that f is added last and exact.
    let small = s.fma(half + rest, e * R::LN2_SHORT[1]);
    with_limits(x, e.fma(R::LN2_SHORT[0], f - (half - small)))
}

heavy1! {
    Log, log, f32, libm::logf;
    Log, log, f64, libm::log;
}
halves1!(Log);
