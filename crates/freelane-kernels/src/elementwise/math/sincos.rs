//! Sine and cosine: `x = k pi + r`, one odd polynomial in `r`, the sign from `k`. For cosine `k` is half an integer.
//!
//! `r` is kept in two words. The low word comes from an exact difference (TwoSum): a shortcut loses all accuracy near
//! multiples of pi, which random arguments do not show.
use super::real::{Real, poly, select};
use crate::elementwise::{Map1, Tier};

functions! {
    /// Sine; at most 2 ulp off.
    Sin,
    /// Cosine; at most 2 ulp off.
    Cos,
}

/// `x - k pi` in two words.
#[inline(always)]
pub(super) fn near_multiple<R: Real>(x: R, k: R) -> (R, R) {
    let a = k.fma(-R::PI[0], x);
    let w = k * R::PI[1];
    let w_error = k.fma(R::PI[1], -w);
    let r = a - w;
    let back = r - a;
    let low = (a - (r - back)) - (w + back);
    (r, k.fma(-R::PI[2], low - w_error))
}

/// `sin(x - k pi)`, negated if the low bit of `turns` is set.
#[inline(always)]
fn reduced<R: Real>(x: R, k: R, turns: R) -> R {
    let (r, low) = near_multiple(x, k);
    let t = r * r;
    let s = r + (t * r).fma(poly(t, R::SIN), low * t.fma(R::lit(-0.5), R::lit(1.0)));
    s.flip_if_odd(turns)
}

#[inline(always)]
fn sin<R: Real>(x: R) -> R {
    let turns = x.fma(R::lit(std::f64::consts::FRAC_1_PI), R::ROUNDER);
    select(x == R::lit(0.0), x, reduced(x, turns - R::ROUNDER, turns))
}

#[inline(always)]
fn cos<R: Real>(x: R) -> R {
    let x = x.abs();
    let turns = x.fma(R::lit(std::f64::consts::FRAC_1_PI), R::lit(-0.5)) + R::ROUNDER;
    let k = (turns - R::ROUNDER) + R::lit(0.5);
    reduced(x, k, turns + R::lit(1.0))
}

guarded1! {
    Sin, sin, f32, libm::sinf, |x| x.abs() < <f32 as Real>::SIN_LIMIT;
    Sin, sin, f64, libm::sin, |x| x.abs() < <f64 as Real>::SIN_LIMIT;
    Cos, cos, f32, libm::cosf, |x| x.abs() < <f32 as Real>::SIN_LIMIT;
    Cos, cos, f64, libm::cos, |x| x.abs() < <f64 as Real>::SIN_LIMIT;
}
halves1!(Sin, Cos);
