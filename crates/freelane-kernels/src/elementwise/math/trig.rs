//! The tangent: `x = k pi / 2 + r`, then a quotient of polynomials in `r`, turned over for odd `k`.
use super::coef;
use super::real::{Real, poly, select};
use super::sincos::near_multiple;
use crate::elementwise::{Map1, Tier};

functions! {
    /// Tangent; at most 3 ulp off.
    Tan,
}

#[inline(always)]
fn tan<R: Real>(x: R) -> R {
    let turns = x.fma(R::lit(std::f64::consts::FRAC_2_PI), R::ROUNDER);
    let (r, low) = near_multiple(x, (turns - R::ROUNDER) * R::lit(0.5));
    let t = r * r;
    let top = r + (t * r).fma(poly(t, R::of(&coef::TAN_TOP)), low);
    let bottom = t.fma(poly(t, R::of(&coef::TAN_BOTTOM)), R::lit(1.0));
    let odd = turns.is_odd();
    let y = select(odd, -bottom, top) / select(odd, top, bottom);
    select(x == R::lit(0.0), x, y)
}

guarded1! {
    Tan, tan, f32, libm::tanf, |x| x.abs() < <f32 as Real>::SIN_LIMIT;
    Tan, tan, f64, libm::tan, |x| x.abs() < <f64 as Real>::SIN_LIMIT;
}
halves1!(Tan);
