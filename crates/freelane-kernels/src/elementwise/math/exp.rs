//! The exponential and what is made of it: `x = k ln 2 + r`, a polynomial in `r`, then `k` added to the exponent.
use super::real::{Real, at_least, at_most, nan_or, poly, select};
use crate::elementwise::{Map1, Tier};
use std::f64::consts::LOG2_E;

functions! {
    /// e^x; at most 2 ulp off.
    Exp,
    /// 2^x; at most 2 ulp off.
    Exp2,
    /// e^x - 1; at most 2 ulp off.
    Expm1,
    /// The hyperbolic tangent; at most 2 ulp off.
    Tanh,
    /// The error function; at most 2 ulp off.
    Erf,
}

/// e^(x + low), for an `x` that is not NaN.
#[inline(always)]
pub(super) fn exp_sum<R: Real>(x: R, low: R) -> R {
    let x = at_least(at_most(x, R::EXP_RANGE[1]), R::EXP_RANGE[0]);
    let kb = x.fma(R::lit(LOG2_E), R::ROUNDER);
    let k = kb - R::ROUNDER;
    let high = k.fma(-R::LN2[0], x);
    let low = k.fma(-R::LN2[1], low);
    let r = high + low;
    let y = (r * r).fma(poly(r, R::EXP), low) + high + R::lit(1.0);
    y.scale(kb)
}

#[inline(always)]
fn exp<R: Real>(x: R) -> R {
    nan_or(x, exp_sum(x, R::lit(0.0)))
}

/// `x = k + r`; `r ln 2` in two words.
#[inline(always)]
fn exp2<R: Real>(x: R) -> R {
    let range = R::EXP_RANGE.map(|end| end * R::lit(LOG2_E));
    let bounded = at_least(at_most(x, range[1]), range[0]);
    let kb = bounded + R::ROUNDER;
    let r = bounded - (kb - R::ROUNDER);
    let high = r * R::LN2[0];
    let low = r.fma(R::LN2[1], r.fma(R::LN2[0], -high));
    let y = (high * high).fma(poly(high, R::EXP), low) + high + R::lit(1.0);
    nan_or(x, y.scale(kb))
}

/// `2^k ((e^r - 1) + (1 - 2^-k))`; the difference is exact as far as it matters.
#[inline(always)]
fn expm1<R: Real>(x: R) -> R {
    let bounded = at_least(at_most(x, R::EXP_RANGE[1]), R::lit(-40.0));
    let kb = bounded.fma(R::lit(LOG2_E), R::ROUNDER);
    let k = kb - R::ROUNDER;
    let high = k.fma(-R::LN2[0], bounded);
    let low = k.fma(-R::LN2[1], R::lit(0.0));
    let r = high + low;
    let grown = (r * r).fma(poly(r, R::EXP), low);
    let one = R::lit(1.0);
    let gap = one - one.scale(R::ROUNDER - k);
    // The larger of the two first, so that the small one is not lost: `gap` is 0 or at least 1/2.
    let y = select(k == R::lit(0.0), high + grown, (gap + high) + (grown + ((gap - (gap + high)) + high)));
    nan_or(x, select(x == R::lit(0.0), x, y.scale(kb)))
}

#[inline(always)]
fn tanh<R: Real>(x: R) -> R {
    let (a, t) = (x.abs(), x * x);
    let near = (t * a).fma(poly(t, R::TANH), a);
    let twice = R::lit(2.0) * at_most(a, R::TANH_END);
    let far = R::lit(1.0) - R::lit(2.0) / (exp_sum(twice, R::lit(0.0)) + R::lit(1.0));
    nan_or(x, select(a < R::lit(0.55), near, far).copysign(x))
}

#[inline(always)]
fn erf<R: Real>(x: R) -> R {
    let (a, t) = (x.abs(), x * x);
    let near = poly(t, R::ERF).fma(a, a);
    let u = at_most(a, R::ERFC_END) - R::ERFC_CENTRE;
    let far = R::lit(1.0) - exp_sum(-poly(u, R::ERFC), R::lit(0.0));
    nan_or(x, select(a < R::lit(1.0), near, far).copysign(x))
}

heavy1! {
    Exp, exp, f32, libm::expf;
    Exp, exp, f64, libm::exp;
    Exp2, exp2, f32, libm::exp2f;
    Exp2, exp2, f64, libm::exp2;
    Expm1, expm1, f32, libm::expm1f;
    Expm1, expm1, f64, libm::expm1;
    Tanh, tanh, f32, libm::tanhf;
    Tanh, tanh, f64, libm::tanh;
    Erf, erf, f32, libm::erff;
    Erf, erf, f64, libm::erf;
}
halves1!(Exp, Exp2, Expm1, Tanh, Erf);
