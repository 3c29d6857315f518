//! The exponential and what is made of it: `x = k ln 2 + r`, a polynomial in `r`, then `k` added to the exponent.
use super::real::{Real, at_least, at_most, nan_or, poly, select};
use crate::elementwise::{Map1, Tier};
use std::f64::consts::LOG2_E;

functions! {
    /// e^x; at most 2 ulp off.
    Exp,
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
    Tanh, tanh, f32, libm::tanhf;
    Tanh, tanh, f64, libm::tanh;
    Erf, erf, f32, libm::erff;
    Erf, erf, f64, libm::erf;
}
halves1!(Exp, Tanh, Erf);
