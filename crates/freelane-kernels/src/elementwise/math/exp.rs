//! The exponential and what is made of it: `x = k ln 2 + r`, a polynomial in `r`, then `k` added to the exponent.
use super::coef;
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
    /// The error function; at most 2 ulp off.
    Erf,
}

/// e^(x + low) before its exponent is put in: `(p, k)` for `p 2^k`, with `k` added to `ROUNDER`; NaN of a NaN.
#[inline(always)]
pub(super) fn exp_parts<R: Real>(x: R, low: R) -> (R, R) {
    let x = at_least(at_most(x, R::EXP_RANGE[1]), R::EXP_RANGE[0]);
    let kb = x.fma(R::lit(LOG2_E), R::ROUNDER);
    let k = kb - R::ROUNDER;
    let high = k.fma(-R::LN2[0], x);
    let low = k.fma(-R::LN2[1], low);
    let r = high + low;
    ((r * r).fma(poly(r, R::EXP), low) + high + R::lit(1.0), kb)
}

/// e^(x + low); NaN of a NaN.
#[inline(always)]
pub(super) fn exp_sum<R: Real>(x: R, low: R) -> R {
    let (p, kb) = exp_parts(x, low);
    p.scale(kb)
}

#[inline(always)]
fn exp<R: Real>(x: R) -> R {
    exp_sum(x, R::lit(0.0))
}

/// `x = k + r`; what the exponent cannot hold is zero, infinite or left to the scalar function.
#[inline(always)]
fn exp2<R: Real>(x: R) -> R {
    let kb = x + R::ROUNDER;
    let r = x - (kb - R::ROUNDER);
    let y = r.fma(poly(r, R::of(&coef::EXP2)), R::lit(1.0)).shifted(kb);
    let y = select(x >= R::EXP2_RANGE[1], R::INFINITY, y);
    select(x <= R::EXP2_RANGE[2], R::lit(0.0), y)
}

/// Whether 2^x is a normal number, infinite or zero.
#[inline(always)]
fn exp2_is_plain<R: Real>(x: R) -> bool {
    (x >= R::EXP2_RANGE[0]) | (x <= R::EXP2_RANGE[2])
}

/// `2^k (e^r - 1) + (2^k - 1)`; a large `2^k` is taken in two factors.
#[inline(always)]
fn expm1<R: Real>(x: R) -> R {
    let bounded = at_least(at_most(x, R::EXP_RANGE[1]), R::lit(-40.0));
    let kb = bounded.fma(R::lit(LOG2_E), R::ROUNDER);
    let k = kb - R::ROUNDER;
    let high = k.fma(-R::LN2[0], bounded);
    let low = k * -R::LN2[1];
    let r = high + low;
    let grown = (r * r).fma(poly(r, R::EXP), low) + high;
    let large = k > R::lit(100.0);
    let power = R::power(select(large, kb - R::lit(3.0), kb));
    let y = power.fma(grown, power - R::lit(1.0));
    select(large, y * R::lit(8.0), y).copysign(x)
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
    Expm1, expm1, f32, libm::expm1f;
    Expm1, expm1, f64, libm::expm1;
    Erf, erf, f32, libm::erff;
    Erf, erf, f64, libm::erf;
}
guarded1! {
    Exp2, exp2, f32, libm::exp2f, |x| exp2_is_plain(x);
    Exp2, exp2, f64, libm::exp2, |x| exp2_is_plain(x);
}
halves1!(Exp, Exp2, Expm1, Erf);
