//! Roots: the cube root by one step from a polynomial or from the bits, and the length of a vector.
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
fn step<R: Real>(v: R, y: R, coefficients: &[R]) -> R {
    let t = v * y * y;
    let lack = (-t).fma(y, R::lit(1.0));
    t.fma(lack * poly(lack, coefficients), t)
}

/// The series of `((1 - h)^(-2/3) - 1) / h`.
const STEP_64: [f64; 4] = [2.0 / 3.0, 5.0 / 9.0, 40.0 / 81.0, 110.0 / 243.0];

#[inline(always)]
fn cbrt64(x: f64) -> f64 {
    let (m, e) = x.abs().split_normal();
    let thirds = e.fma(1.0 / 3.0, f64::ROUNDER);
    let rest = (thirds - f64::ROUNDER).fma(-3.0, e);
    let (up, down) = (rest > 0.0, rest < 0.0);
    let v = m * select(up, 2.0, select(down, 0.5, 1.0));
    let (shrunk, grown) = (0.793_700_525_984_099_7, 1.259_921_049_894_873_2);
    let y = poly(m - 1.0, &coef::CBRT_64) * select(up, shrunk, select(down, grown, 1.0));
    step(v, y, &STEP_64).shifted(thirds).copysign(x)
}

/// The bits of a float are near a multiple of its logarithm: `START` less a third of them are those of a `y` for which what is
/// lacked stays between -0.1016 and 0.1025. The sum has them in its last places, all but the lowest eight.
#[inline(always)]
fn cbrt32(x: f32) -> f32 {
    const START: f32 = 1_419_898_368.0;
    const LOWEST: f32 = 256.0;
    let size = x.abs();
    let sum = (size.to_bits() as i32 as f32).fma(-1.0 / 3.0 / LOWEST, 8_388_608.0 + START / LOWEST);
    step(size, f32::from_bits(sum.to_bits() << 8), &coef::CBRT_STEP_32).copysign(x)
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
    Cbrt, cbrt32, f32, libm::cbrtf, |x| within(x.abs(), f32::MIN_POSITIVE, f32::INFINITY);
    Cbrt, cbrt64, f64, libm::cbrt, |x| within(x.abs(), f64::MIN_POSITIVE, f64::INFINITY);
}
guarded2! {
    Hypot, hypot, f32, libm::hypotf, |a, b| squares_are_normal(a, b);
    Hypot, hypot, f64, libm::hypot, |a, b| squares_are_normal(a, b);
}
halves1!(Cbrt);
halves2!(Hypot);
