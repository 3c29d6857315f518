//! Roots: the cube root by one step from a polynomial, and the length of a vector.
use super::coef;
use super::real::{Real, poly, select, within};
use crate::elementwise::{Map1, Map2, Tier};

functions! {
    /// The cube root; at most 1 ulp off.
    Cbrt,
    /// `sqrt(a^2 + b^2)` without overflow on the way; at most 1 ulp off.
    Hypot,
}

/// `t = v y^2` with `y` near `v^(-1/3)`; what `t y` lacks of 1 says by how much `t` misses the root.
#[inline(always)]
fn cbrt<R: Real>(x: R) -> R {
    let one = R::lit(1.0);
    let (m, e) = x.abs().split_normal();
    let thirds = e.fma(R::lit(1.0 / 3.0), R::ROUNDER);
    let rest = (thirds - R::ROUNDER).fma(R::lit(-3.0), e);
    let (up, down) = (rest > R::lit(0.0), rest < R::lit(0.0));
    let v = m * select(up, R::lit(2.0), select(down, R::lit(0.5), one));
    let (shrunk, grown) = (R::lit(0.793_700_525_984_099_7), R::lit(1.259_921_049_894_873_2));
    let y = poly(m - one, R::of(&coef::CBRT)) * select(up, shrunk, select(down, grown, one));
    let t = v * y * y;
    let lack = (-t).fma(y, one);
    let more = lack * poly(lack, R::CBRT_STEP);
    t.fma(more, t).shifted(thirds).copysign(x)
}

#[inline(always)]
fn hypot<R: Real>(a: R, b: R) -> R {
    a.fma(a, b * b).sqrt()
}

/// Whether the square of the larger magnitude is a normal number.
#[inline(always)]
fn squares_are_normal<R: Real>(a: R, b: R) -> bool {
    let (a, b) = (a.abs(), b.abs());
    within(select(a > b, a, b), R::SQUARES[0], R::SQUARES[1])
}

guarded1! {
    Cbrt, cbrt, f32, libm::cbrtf, |x| within(x.abs(), f32::MIN_POSITIVE, f32::INFINITY);
    Cbrt, cbrt, f64, libm::cbrt, |x| within(x.abs(), f64::MIN_POSITIVE, f64::INFINITY);
}
guarded2! {
    Hypot, hypot, f32, libm::hypotf, |a, b| squares_are_normal(a, b);
    Hypot, hypot, f64, libm::hypot, |a, b| squares_are_normal(a, b);
}
halves1!(Cbrt);
halves2!(Hypot);
