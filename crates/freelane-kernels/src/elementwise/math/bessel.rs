//! The modified Bessel function and the wave of a single frequency.
use super::coef;
use super::exp::exp_parts;
use super::real::{Real, poly, select};
use super::special;
use crate::elementwise::{Map1, Tier};

functions! {
    /// `sin(pi x) / (pi x)`, zero at whole numbers but 0, where it is 1; at most 3 ulp off.
    Sinc,
    /// The modified Bessel function of the first kind and order 0; at most 4 ulp off.
    BesselI0,
}

/// `x = k + r`; the sign comes from `k`.
#[inline(always)]
fn sinc<R: Real>(x: R) -> R {
    let (a, zero) = (x.abs(), R::lit(0.0));
    let turns = a + R::ROUNDER;
    let r = a - (turns - R::ROUNDER);
    let t = r * r;
    let y = (r * t.fma(poly(t, R::of(&coef::SINC)), R::lit(1.0)) / a).flip_if_odd(turns);
    select(a == zero, R::lit(1.0), select(r == zero, zero, y))
}

/// Below 8 a polynomial in `x^2 / 4`, whose rounding matters where the function is steep: what it cut off is put back by a
/// rough derivative. From 8 on a polynomial in `1 / x` times `e^x / sqrt(x)`.
#[inline(always)]
fn bessel_i0<R: Real>(x: R) -> R {
    let (x, one, quarter) = (x.abs(), R::lit(1.0), R::lit(0.25));
    let near = x < R::lit(8.0);
    let square = x * x;
    let (a, a_low) = (square * quarter, x.fma(x, -square) * quarter);
    let u = one / select(near, one + a, x);
    let root = u.sqrt();
    let y = a.fma(poly(a, R::of(&coef::BESSEL_NEAR)), one);
    let close = (y * root).fma(a_low, y);
    let (p, kb) = exp_parts(x, R::lit(0.0));
    let far = (p * (poly(u, R::of(&coef::BESSEL_FAR)) * root)).scale(kb);
    select(near, close, far)
}

fn slow_sinc32(x: f32) -> f32 {
    special::sinc(x.into()) as f32
}

fn slow_bessel32(x: f32) -> f32 {
    special::bessel_i0(x.into()) as f32
}

guarded1! {
    Sinc, sinc, f32, slow_sinc32, |x| x.abs() < 2e6;
    Sinc, sinc, f64, special::sinc, |x| x.abs() < 1e15;
    BesselI0, bessel_i0, f32, slow_bessel32, |x| x.abs() < 88.0;
    BesselI0, bessel_i0, f64, special::bessel_i0, |x| x.abs() < 700.0;
}
halves1!(Sinc, BesselI0);
