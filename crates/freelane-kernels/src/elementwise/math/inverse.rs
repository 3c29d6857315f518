//! Inverse circular functions: the argument is brought near zero by identities, then one odd polynomial.
use super::coef;
use super::real::{Real, poly, select, within};
use crate::elementwise::{Map1, Map2, Tier};

functions! {
    /// The inverse sine; at most 2 ulp off.
    Asin,
    /// The inverse cosine; at most 2 ulp off.
    Acos,
    /// The inverse tangent; at most 2 ulp off.
    Atan,
    /// The angle of the point (`b`, `a`); at most 2 ulp off.
    Atan2,
}

/// Whether `a` is above 1/2, and an angle in two words: of it the inverse cosine of `a` is twice, else it is the inverse sine.
#[inline(always)]
fn half_angle<R: Real>(a: R) -> (bool, R, R) {
    let far = a > R::lit(0.5);
    let z = select(far, a.fma(R::lit(-0.5), R::lit(0.5)), a * a);
    let s = select(far, z.sqrt(), a);
    (far, s, s * z * poly(z, R::of(&coef::ASIN)))
}

#[inline(always)]
fn asin<R: Real>(x: R) -> R {
    let (far, s, rest) = half_angle(x.abs());
    let quarters = R::of(&coef::PI_QUARTERS);
    let two = R::lit(2.0);
    let high = select(far, two * quarters[0] - two * s, s);
    (high + select(far, two * quarters[1] - two * rest, rest)).copysign(x)
}

#[inline(always)]
fn acos<R: Real>(x: R) -> R {
    let (far, s, rest) = half_angle(x.abs());
    let (y, quarters) = (s + rest, R::of(&coef::PI_QUARTERS));
    let k = select(far, select(x > R::lit(0.0), R::lit(0.0), R::lit(4.0)), R::lit(2.0));
    let y = select(far, R::lit(2.0) * y, -y).times_sign(x);
    k.fma(quarters[0], k.fma(quarters[1], y))
}

/// `k pi / 4 + atan w`, for `|w| <= 1/2` and whole `k`.
#[inline(always)]
fn turned<R: Real>(k: R, w: R) -> R {
    let (z, quarters) = (w * w, R::of(&coef::PI_QUARTERS));
    k.fma(quarters[0], w + (w * z).fma(poly(z, R::of(&coef::ATAN)), k * quarters[1]))
}

/// Above 1/2 the angle is taken from that of 1: `(a - 1) / (a + 1)`, whose numerator is exact; above 2 from that of infinity.
#[inline(always)]
fn atan<R: Real>(x: R) -> R {
    let (a, one) = (x.abs(), R::lit(1.0));
    let (middle, far) = (a > R::lit(0.5), a > R::lit(2.0));
    let top = select(far, -one, select(middle, a - one, a));
    let bottom = select(far, a, select(middle, a + one, one));
    let k = select(far, R::lit(2.0), select(middle, one, R::lit(0.0)));
    turned(k, top / bottom).copysign(x)
}

#[inline(always)]
pub(super) fn atan2<R: Real>(y: R, x: R) -> R {
    let (a, b) = (y.abs(), x.abs());
    let steep = a > b;
    let (low, high) = (select(steep, b, a), select(steep, a, b));
    let middle = low > high * R::lit(0.5);
    let w = select(middle, low - high, low) / select(middle, low + high, high);
    let k = select(middle, R::lit(1.0), R::lit(0.0));
    // Each reflection turns the angle's sign: at the diagonal, then at the vertical axis.
    let (k, w) = (select(steep, R::lit(2.0) - k, k), select(steep, -w, w));
    let k = select(x < R::lit(0.0), R::lit(4.0) - k, k);
    turned(k, w.times_sign(x)).copysign(y)
}

/// Whether the larger magnitude is neither zero nor so small or large that sums and quotients of both may be no numbers.
#[inline(always)]
pub(super) fn moderate<R: Real>(a: R, b: R, least: R, most: R) -> bool {
    let (a, b) = (a.abs(), b.abs());
    within(select(a > b, a, b), least, most)
}

heavy1! {
    Asin, asin, f32, libm::asinf;
    Asin, asin, f64, libm::asin;
    Acos, acos, f32, libm::acosf;
    Acos, acos, f64, libm::acos;
    Atan, atan, f32, libm::atanf;
    Atan, atan, f64, libm::atan;
}
guarded2! {
    Atan2, atan2, f32, libm::atan2f, |a, b| moderate(a, b, 1e-30, 1e38);
    Atan2, atan2, f64, libm::atan2, |a, b| moderate(a, b, 1e-290, 1e307);
}
halves1!(Asin, Acos, Atan);
halves2!(Atan2);
