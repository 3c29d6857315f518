//! Logarithms of odds, and of numbers times another.
use super::coef;
use super::log::{is_normal, log32, log64};
use super::real::{Real, poly, select, within};
use super::special;
use crate::elementwise::{Map1, Map2, Tier};

functions! {
    /// `log(x / (1 - x))`; at most 3 ulp off.
    Logit,
    /// `a log(b)`, zero where `a` is; at most 3 ulp off.
    XLogY,
}

/// `log(b / a)` for the smaller and the larger of `x` and `1 - x`: a power of two, found in the exponents, brings `a` so near
/// to `b` that their difference is exact; the logarithm of what is left is `2 atanh((b - a) / (b + a))`.
#[inline(always)]
fn logit<R: Real>(x: R) -> R {
    let (one, zero) = (R::lit(1.0), R::lit(0.0));
    let rest = one - x;
    let rest_low = (one - rest) - x;
    let below = x < R::lit(0.5);
    let (a, b) = (select(below, x, rest), select(below, rest, x));
    let (power, k) = b.ratio_power(a);
    let near = a * power;
    let s = ((b - near) + select(below, rest_low, zero)) / (b + near);
    let z = s * s;
    let more = (s * z).fma(poly(z, R::of(&coef::LOGIT)), k * R::LN2_SHORT[1]);
    let y = k.fma(R::LN2_SHORT[0], R::lit(2.0) * s + more);
    select(below, -y, y)
}

macro_rules! xlogy {
    ($($name:ident $t:ident $log:ident;)*) => { $(
        #[inline(always)]
        fn $name(a: $t, b: $t) -> $t {
            select((a == 0.0) & !b.is_nan(), 0.0, a * $log(b))
        }
    )* };
}
xlogy! { xlogy32 f32 log32; xlogy64 f64 log64; }

fn slow_logit32(x: f32) -> f32 {
    special::logit(x.into()) as f32
}

fn slow_xlogy32(a: f32, b: f32) -> f32 {
    special::xlogy(a.into(), b.into()) as f32
}

guarded1! {
    Logit, logit, f32, slow_logit32, |x| within(x, f32::MIN_POSITIVE, 1.0);
    Logit, logit, f64, special::logit, |x| within(x, f64::MIN_POSITIVE, 1.0);
}
guarded2! {
    XLogY, xlogy32, f32, slow_xlogy32, |a, b| is_normal(b) | ((a == 0.0) & !b.is_nan());
    XLogY, xlogy64, f64, special::xlogy, |a, b| is_normal(b) | ((a == 0.0) & !b.is_nan());
}
halves1!(Logit);
halves2!(XLogY);
