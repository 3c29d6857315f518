//! Hyperbolic functions and their inverses.
//!
//! `e^a = 2^k e^r`, with `e^r = cosh r + sinh r` by two short polynomials: then `e^-a` comes without a second one, and
//! nothing cancels. The inverses are logarithms, taken of a quotient: `2 atanh(w / 2)` where `w / 2 = (m - 1) / (m + 1)`.
use super::coef;
use super::real::{Real, at_most, poly, select, within};
use crate::elementwise::{Map1, Tier};
use std::f64::consts::LOG2_E;

functions! {
    /// The hyperbolic sine; at most 2 ulp off.
    Sinh,
    /// The hyperbolic cosine; at most 2 ulp off.
    Cosh,
    /// The hyperbolic tangent; at most 2 ulp off in f64, 3 in f32.
    Tanh,
    /// The inverse hyperbolic sine; at most 3 ulp off.
    Asinh,
    /// The inverse hyperbolic cosine; at most 3 ulp off.
    Acosh,
    /// The inverse hyperbolic tangent; at most 3 ulp off.
    Atanh,
}

/// The exponential of `a` in parts: `2^k` halved or not as `shift` says, `2^-k` likewise, `sinh r`, and `cosh r - 1`.
struct Parts<R> {
    plus: R,
    minus: R,
    sinh: R,
    rest: R,
    cosh: R,
}

/// `plus` and `minus` are sum and difference of `2^(k - shift)` and `2^(-k - shift)`.
#[inline(always)]
fn parts<R: Real>(a: R, shift: f64) -> Parts<R> {
    let kb = a.fma(R::lit(LOG2_E), R::ROUNDER);
    let k = kb - R::ROUNDER;
    let r = k.fma(-R::LN2[1], k.fma(-R::LN2[0], a));
    let t = r * r;
    let rest = t * r * poly(t, R::of(&coef::SINH));
    let cosh = t * poly(t, R::of(&coef::COSH));
    // From 40 on the smaller power has no part in the result.
    let up = R::power(kb - R::lit(shift));
    let down = R::power_down(at_most(kb, R::ROUNDER + R::lit(40.0)) + R::lit(shift));
    Parts { plus: up + down, minus: up - down, sinh: r + rest, rest, cosh }
}

impl<R: Real> Parts<R> {
    /// Twice the hyperbolic sine, shifted.
    #[inline(always)]
    fn sinh(&self) -> R {
        self.minus + self.cosh.fma(self.minus, self.sinh * self.plus)
    }
    /// Twice the hyperbolic cosine, shifted.
    #[inline(always)]
    fn cosh(&self) -> R {
        self.plus + self.cosh.fma(self.plus, self.sinh * self.minus)
    }
}

#[inline(always)]
fn sinh<R: Real>(x: R) -> R {
    let a = x.abs();
    let y = R::lit(2.0) * parts(at_most(a, R::SINH_END), 2.0).sinh();
    select(a < R::lit(1e-10), a, y).copysign(x)
}

#[inline(always)]
fn cosh<R: Real>(x: R) -> R {
    R::lit(2.0) * parts(at_most(x.abs(), R::SINH_END), 2.0).cosh()
}

#[inline(always)]
fn tanh32(x: f32) -> f32 {
    let p = parts(at_most(x.abs(), f32::TANH_END), 0.0);
    (p.sinh() / p.cosh()).copysign(x)
}

/// From 1 on what is missing to 1, by which the errors of the quotient become small; below the numerator in two words.
#[inline(always)]
fn tanh64(x: f64) -> f64 {
    let a = at_most(x.abs(), f64::TANH_END);
    let (r, low) = {
        let k = a.mul_add(LOG2_E, f64::ROUNDER) - f64::ROUNDER;
        let high = k.mul_add(-f64::LN2[0], a);
        let r = k.mul_add(-f64::LN2[1], high);
        (r, k.mul_add(-f64::LN2[1], high - r))
    };
    let p = parts(a, 0.0);
    let head = r.mul_add(p.plus, p.minus);
    let lost = r.mul_add(p.plus, p.minus - head);
    let near = head + (p.cosh.mul_add(p.minus, (low + p.rest) * p.plus) + lost);
    let far = a > 1.0;
    let missing = (p.minus - p.plus) * (1.0 + (p.cosh - p.sinh));
    (select(far, 1.0, 0.0) + select(far, missing, near) / p.cosh()).copysign(x)
}

/// `e ln 2 + 2 atanh(w / 2)`.
#[inline(always)]
fn log_of<R: Real>(e: R, w: R) -> R {
    let z = w * w;
    let rest = (w * z).fma(poly(z, R::of(&coef::ATANH)), e * R::LN2_SHORT[1]);
    e.fma(R::LN2_SHORT[0], w + rest)
}

/// `s = sqrt(1 + a^2)` exceeds 1 by `a^2 / (1 + s)`: both sides of the quotient are multiplied by `1 + s`.
#[inline(always)]
fn asinh<R: Real>(x: R) -> R {
    let (a, one) = (x.abs(), R::lit(1.0));
    let (square, s) = (a * a, a.fma(a, one).sqrt());
    let ((_, e), (p, _)) = ((a + s).split_normal(), (a + s).powers());
    let near = e == R::lit(0.0);
    let top = select(near, a, (a + (one - p)).fma(one + s, square));
    let bottom = select(near, one + s, (a + (one + p)).fma(one + s, square));
    log_of(e, R::lit(2.0) * top / bottom).copysign(x)
}

#[inline(always)]
fn acosh<R: Real>(x: R) -> R {
    let one = R::lit(1.0);
    let s = ((x - one) * (x + one)).sqrt();
    let ((_, e), (p, _)) = ((x + s).split_normal(), (x + s).powers());
    let near = e == R::lit(0.0);
    let (top, bottom) = (select(near, s, (x - p) + s), select(near, x + one, (x + p) + s));
    log_of(e, R::lit(2.0) * top / bottom)
}

/// Half the logarithm of `(1 + a) / (1 - a)`; what is exact of the sums depends on `a`.
#[inline(always)]
fn atanh<R: Real>(x: R) -> R {
    let (a, one) = (x.abs(), R::lit(1.0));
    let (more, less) = (one + a, one - a);
    let (p, e) = more.ratio_power(less);
    let top = select(a < R::lit(0.5), a.fma(one + p, one - p), less.fma(-p, more));
    let w = R::lit(2.0) * top / less.fma(p, more);
    (R::lit(0.5) * log_of(e, w)).copysign(x)
}

fn acosh_scalar32(x: f32) -> f32 {
    if x < 1.0 { f32::NAN } else { libm::acoshf(x) }
}

/// Below 1 the scalar function returns numbers.
fn acosh_scalar64(x: f64) -> f64 {
    if x < 1.0 { f64::NAN } else { libm::acosh(x) }
}

heavy1! {
    Sinh, sinh, f32, libm::sinhf;
    Sinh, sinh, f64, libm::sinh;
    Cosh, cosh, f32, libm::coshf;
    Cosh, cosh, f64, libm::cosh;
    Tanh, tanh32, f32, libm::tanhf;
    Tanh, tanh64, f64, libm::tanh;
}
guarded1! {
    Asinh, asinh, f32, libm::asinhf, |x| x.abs() < <f32 as Real>::SQUARES[1];
    Asinh, asinh, f64, libm::asinh, |x| x.abs() < <f64 as Real>::SQUARES[1];
    Acosh, acosh, f32, acosh_scalar32, |x| within(x, 1.0, <f32 as Real>::SQUARES[1]);
    Acosh, acosh, f64, acosh_scalar64, |x| within(x, 1.0, <f64 as Real>::SQUARES[1]);
    Atanh, atanh, f32, libm::atanhf, |x| x.abs() < 1.0;
    Atanh, atanh, f64, libm::atanh, |x| x.abs() < 1.0;
}
halves1!(Sinh, Cosh, Tanh, Asinh, Acosh, Atanh);
