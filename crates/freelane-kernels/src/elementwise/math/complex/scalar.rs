//! Functions of complex numbers, one element at a time, in f64 for both widths.
//!
//! Inverse functions follow Kahan ("Branch cuts for complex elementary functions"): two square roots tell the side of each
//! cut, signs of zeros included, and nothing cancels. Beyond `HUGE` squares overflow, and what is left of a function is a
//! logarithm. Infinities and NaN give what the Array API standard says, which is Annex G of the C standard.
use crate::elementwise::{Absolute, Map1};
use libm as m;
use num_complex::Complex;
use std::f64::consts::{FRAC_PI_2, LN_2};

type C = Complex<f64>;

/// A quarter of the largest number.
const HUGE: f64 = f64::MAX / 4.0;
/// Its square root, and that of the smallest normal number.
const HUGE_ROOT: f64 = 6.703903964971298e153;
const TINY_ROOT: f64 = 1.4916681462400413e-154;

fn is_huge(z: C) -> bool {
    z.re.abs() > HUGE || z.im.abs() > HUGE
}

/// The modulus of the number with these parts.
fn hypot(re: f64, im: f64) -> f64 {
    Absolute::apply(C::new(re, im))
}

/// The logarithm of the modulus, for moduli whose squares overflow.
fn log_of_huge(z: C) -> f64 {
    m::log(hypot(z.re / 2.0, z.im / 2.0)) + LN_2
}

/// `i z`.
pub(super) fn turned(z: C) -> C {
    C::new(-z.im, z.re)
}

/// `-i z`.
fn turned_back(z: C) -> C {
    C::new(z.im, -z.re)
}

/// A number of this modulus and angle; a real one stays real, however large.
fn polar(modulus: f64, angle: f64) -> C {
    if angle == 0.0 {
        return C::new(modulus, angle);
    }
    C::new(modulus * m::cos(angle), modulus * m::sin(angle))
}

/// Beside an infinite or unknown angle: `limit` and an unknown part where `re` is infinite, else nothing is known.
fn unknown(re: f64, limit: f64) -> C {
    C::new(if re.is_infinite() { limit } else { f64::NAN }, f64::NAN)
}

pub(super) fn exp(z: C) -> C {
    match z.re {
        f64::NEG_INFINITY if !z.im.is_finite() => return C::new(0.0, 0.0),
        _ if !z.im.is_finite() => return unknown(z.re, f64::INFINITY),
        _ => {}
    }
    polar(m::exp(z.re), z.im)
}

pub(super) fn expm1(z: C) -> C {
    match z.re {
        // The standard has a positive zero for either.
        0.0 if z.im == 0.0 => return C::new(0.0, z.im),
        _ if z.im == 0.0 => return C::new(m::expm1(z.re), z.im),
        f64::NEG_INFINITY if !z.im.is_finite() => return C::new(-1.0, 0.0),
        _ if !z.im.is_finite() => return unknown(z.re, f64::INFINITY),
        _ => {}
    }
    let half = m::sin(z.im / 2.0);
    C::new(m::expm1(z.re) * m::cos(z.im) - 2.0 * half * half, m::exp(z.re) * m::sin(z.im))
}

/// `large^2 + small^2 - 1`, the squares in two words each, so that nothing is lost where they cancel.
pub(super) fn above_one(large: f64, small: f64) -> f64 {
    let ((p, p_low), (q, q_low)) = (squared(large), squared(small));
    // Exact where the result is small: `p` is at least a half then, and `q` at most that.
    let (high, low) = two_sum(p - 1.0, q);
    high + (low + (p_low + q_low))
}

/// The square, and what rounding cut off: the halves of the number have so few bits that their products are exact (Dekker).
fn squared(x: f64) -> (f64, f64) {
    let head = f64::from_bits(x.to_bits() & !0x7ff_ffff);
    let (tail, square) = (x - head, x * x);
    (square, ((head * head - square) + 2.0 * head * tail) + tail * tail)
}

/// The sum, and what rounding cut off.
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let back = sum - a;
    (sum, (a - (sum - back)) + (b - back))
}

pub(super) fn log(z: C) -> C {
    let (large, small) = if z.re.abs() < z.im.abs() { (z.im.abs(), z.re.abs()) } else { (z.re.abs(), z.im.abs()) };
    let modulus = if large > 0.5 && large < 2.0 {
        m::log1p(above_one(large, small)) / 2.0
    } else if is_huge(z) {
        log_of_huge(z)
    } else {
        m::log(hypot(z.re, z.im))
    };
    C::new(modulus, m::atan2(z.im, z.re))
}

pub(super) fn log1p(z: C) -> C {
    let near = z.re.abs() < 0.5 && z.im.abs() < 0.5;
    let modulus = if near { m::log1p(z.re * (2.0 + z.re) + z.im * z.im) / 2.0 } else { log(z + 1.0).re };
    C::new(modulus, m::atan2(z.im, 1.0 + z.re))
}

pub(super) fn sqrt(z: C) -> C {
    if z.re == 0.0 && z.im == 0.0 {
        return C::new(0.0, z.im);
    }
    if z.im.is_infinite() {
        return C::new(f64::INFINITY, z.im);
    }
    // An even power of two keeps the sum below from overflowing and from losing bits.
    let scale = if is_huge(z) { 2f64.powi(-54) } else { 2f64.powi(54) };
    let scale = if is_huge(z) || (z.re.abs() < TINY_ROOT && z.im.abs() < TINY_ROOT) { scale } else { 1.0 };
    let (x, y) = (z.re.abs() * scale, z.im.abs() * scale);
    let root = m::sqrt((x + hypot(x, y)) / 2.0);
    let (large, small) = (root / m::sqrt(scale), y / (2.0 * root) / m::sqrt(scale));
    if z.re >= 0.0 { C::new(large, small.copysign(z.im)) } else { C::new(small, large.copysign(z.im)) }
}

pub(super) fn sinh(z: C) -> C {
    if !z.im.is_finite() {
        return if z.re == 0.0 { C::new(z.re, f64::NAN) } else { unknown(z.re, z.re) };
    }
    C::new(m::sinh(z.re) * m::cos(z.im), if z.im == 0.0 { z.im } else { m::cosh(z.re) * m::sin(z.im) })
}

pub(super) fn cosh(z: C) -> C {
    if !z.im.is_finite() {
        return if z.re == 0.0 { C::new(f64::NAN, 0.0) } else { unknown(z.re, f64::INFINITY) };
    }
    let im = if z.im == 0.0 { z.im * 1f64.copysign(z.re) } else { m::sinh(z.re) * m::sin(z.im) };
    C::new(m::cosh(z.re) * m::cos(z.im), im)
}

pub(super) fn tanh(z: C) -> C {
    if z.re.is_nan() || (!z.im.is_finite() && z.re.is_finite()) {
        let (re, im) = (if z.re == 0.0 { z.re } else { f64::NAN }, if z.im == 0.0 { z.im } else { f64::NAN });
        return C::new(re, im);
    }
    if z.re.abs() > 20.0 {
        let im = 4.0 * m::sin(z.im) * m::cos(z.im) * m::exp(-2.0 * z.re.abs());
        // At infinity the array API standard, unlike Annex G, keeps the sign of the imaginary part.
        let finite = z.re.is_finite() && z.im.is_finite();
        return C::new(1f64.copysign(z.re), if finite { im } else { 0f64.copysign(z.im) });
    }
    let (t, s) = (m::tan(z.im), m::sinh(z.re));
    let (b, r) = (1.0 + t * t, m::sqrt(1.0 + s * s));
    let d = 1.0 + b * s * s;
    C::new(b * r * s / d, t / d)
}

pub(super) fn asinh(z: C) -> C {
    if z.im == 0.0 {
        return C::new(m::asinh(z.re), z.im);
    }
    if is_huge(z) {
        return C::new(log_of_huge(z).copysign(z.re) + LN_2.copysign(z.re), m::atan2(z.im, z.re.abs()));
    }
    let (a, b) = (sqrt(C::new(1.0 + z.im, -z.re)), sqrt(C::new(1.0 - z.im, z.re)));
    C::new(m::asinh(a.re * b.im - b.re * a.im), m::atan2(z.im, a.re * b.re - a.im * b.im))
}

pub(super) fn acosh(z: C) -> C {
    if z.re == 0.0 && z.im.is_nan() {
        return C::new(f64::NAN, FRAC_PI_2);
    }
    if is_huge(z) {
        return C::new(log_of_huge(z) + LN_2, m::atan2(z.im, z.re));
    }
    let (a, b) = (sqrt(z - 1.0), sqrt(z + 1.0));
    C::new(m::asinh(a.re * b.re + a.im * b.im), 2.0 * m::atan2(a.im, b.re))
}

pub(super) fn acos(z: C) -> C {
    if z.re == 0.0 && z.im.is_nan() {
        return C::new(FRAC_PI_2, f64::NAN);
    }
    if is_huge(z) {
        return C::new(m::atan2(z.im.abs(), z.re), -(log_of_huge(z) + LN_2).copysign(z.im));
    }
    let (a, b) = (sqrt(C::new(1.0 - z.re, -z.im)), sqrt(C::new(1.0 + z.re, z.im)));
    C::new(2.0 * m::atan2(a.re, b.re), m::asinh(b.re * a.im - b.im * a.re))
}

pub(super) fn atanh(z: C) -> C {
    if z.re.is_sign_negative() {
        return -atanh(-z);
    }
    let (x, y) = (z.re, z.im.abs());
    if x.is_infinite() || y.is_infinite() {
        return C::new(0.0, if y.is_nan() { y } else { FRAC_PI_2.copysign(z.im) });
    }
    if x == 0.0 && y.is_nan() {
        return z;
    }
    if x.is_nan() || y.is_nan() {
        return C::new(f64::NAN, f64::NAN);
    }
    if x > HUGE_ROOT || y > HUGE_ROOT {
        let half = hypot(x / 2.0, y / 2.0);
        return C::new(x / 4.0 / half / half, FRAC_PI_2.copysign(z.im));
    }
    if x == 1.0 && y < TINY_ROOT {
        let re = if y == 0.0 { f64::INFINITY } else { -m::log(m::sqrt(y) / m::sqrt(hypot(y, 2.0))) };
        return C::new(re, if y == 0.0 { z.im } else { (m::atan2(2.0, -y) / 2.0).copysign(z.im) });
    }
    let re = m::log1p(4.0 * x / ((1.0 - x) * (1.0 - x) + y * y)) / 4.0;
    C::new(re, -m::atan2(-2.0 * z.im, (1.0 - x) * (1.0 + x) - y * y) / 2.0)
}

/// Whole exponents below this are taken as products, which keeps whole numbers whole.
const FEW: f64 = 100.0;

/// The magnitude of such an exponent.
pub(super) fn few(b: C) -> Option<u32> {
    (b.im == 0.0 && b.re.abs() < FEW && b.re == b.re.trunc()).then_some(b.re.abs() as u32)
}

fn whole_pow(a: C, mut n: u32) -> C {
    let (mut power, mut square) = (C::new(1.0, 0.0), a);
    while n > 1 {
        if n % 2 == 1 {
            power *= square;
        }
        square *= square;
        n /= 2;
    }
    if n == 1 { power * square } else { power }
}

pub(super) fn pow(a: C, b: C) -> C {
    if b == C::new(0.0, 0.0) {
        return C::new(1.0, 0.0);
    }
    if a == C::new(0.0, 0.0) {
        let rest = if b.re > 0.0 { 0.0 } else { f64::NAN };
        return C::new(if b.re < 0.0 && b.im == 0.0 { f64::INFINITY } else { rest }, rest);
    }
    if let Some(n) = few(b) {
        let power = whole_pow(a, n);
        return if b.re < 0.0 { power.inv() } else { power };
    }
    let (modulus, angle) = (hypot(a.re, a.im), m::atan2(a.im, a.re));
    let (length, phase) = (m::pow(modulus, b.re), angle * b.re);
    if b.im == 0.0 {
        return polar(length, phase);
    }
    polar(length * m::exp(-angle * b.im), phase + b.im * m::log(modulus))
}

/// The direction: that of an infinite part is all that counts beside a finite one, and two of them are at 45 degrees.
pub(super) fn sign(z: C) -> C {
    let part = |x: f64| if x.is_infinite() { 1f64.copysign(x) } else { 0f64.copysign(x) };
    let z = if z.re.is_infinite() || z.im.is_infinite() {
        C::new(part(z.re) + nan_of(z.re), part(z.im) + nan_of(z.im))
    } else {
        z
    };
    let modulus = hypot(z.re, z.im);
    if modulus == 0.0 { C::new(0.0, 0.0) } else { z / modulus }
}

/// NaN of what is not a number, else zero.
fn nan_of(x: f64) -> f64 {
    if x.is_nan() { x } else { -0.0 }
}

pub(super) fn sin(z: C) -> C {
    turned_back(sinh(turned(z)))
}

pub(super) fn cos(z: C) -> C {
    cosh(turned(z))
}

pub(super) fn tan(z: C) -> C {
    turned_back(tanh(turned(z)))
}

pub(super) fn asin(z: C) -> C {
    turned_back(asinh(turned(z)))
}

pub(super) fn atan(z: C) -> C {
    turned_back(atanh(turned(z)))
}

pub(super) fn wide(z: Complex<f32>) -> C {
    C::new(z.re.into(), z.im.into())
}

pub(super) fn narrow(z: C) -> Complex<f32> {
    Complex::new(z.re as f32, z.im as f32)
}

#[cfg(test)]
mod tests {
    use super::super::{Cos, Log2, Sin, Tan};
    use super::*;
    use crate::elementwise::{Round, Sqrt};

    /// Numbers in all quadrants, on the axes, near 0, 1 and i, and large ones.
    fn numbers() -> Vec<C> {
        let parts = [0.0, -0.0, 1e-9, -1e-9, 0.3, -0.7, 1.0, -1.0, 1.0 + 1e-7, 2.5, -2.5, 19.0, -30.0];
        parts.iter().flat_map(|&re| parts.iter().map(move |&im| C::new(re, im))).collect()
    }

    fn close(name: &str, z: C, got: C, want: C) {
        let error = (got - want).norm() / want.norm().max(1e-300);
        assert!(error < 4e-15 || (got - want).norm() < 1e-300, "{name} {z}: {got}, not {want}: {error:e}");
    }

    #[test]
    fn functions_and_their_inverses_agree() {
        for z in numbers() {
            if z.re.abs() < 3.0 && z.im.abs() < 1.5 && z.norm() > 1e-3 {
                close("log exp", z, log(exp(z)), z);
                close("log1p expm1", z, log1p(expm1(z)), z);
                close("asinh sinh", z, asinh(sinh(z)), z);
            }
            close("sqrt", z, sqrt(z) * sqrt(z), z);
            if z.norm() > 1e-3 && (z.re.abs() - 1.0).abs() > 1e-3 {
                close("exp log", z, exp(log(z)), z);
                close("sinh asinh", z, sinh(asinh(z)), z);
            }
            if (z * z + 1.0).norm() > 1e-3 && (z * z - 1.0).norm() > 1e-3 && z.norm() > 1e-3 && z.norm() < 15.0 {
                close("tanh atanh", z, tanh(atanh(z)), z);
                close("cosh acosh", z, cosh(acosh(z)), z);
                let (sin, acos) = (turned_back(asinh(turned(z))), acos(z));
                close("asin + acos", z, sin + acos, C::new(FRAC_PI_2, 0.0));
            }
        }
    }

    #[test]
    fn infinite_and_unknown_parts() {
        let (inf, nan) = (f64::INFINITY, f64::NAN);
        type Case<'a> = (&'a str, fn(C) -> C, [f64; 2], [f64; 2]);
        let cases: [Case<'_>; 22] = [
            ("exp", exp, [-inf, nan], [0.0, 0.0]),
            ("exp", exp, [inf, inf], [inf, nan]),
            ("exp", exp, [-1000.0, nan], [nan, nan]),
            ("exp", exp, [nan, 0.0], [nan, 0.0]),
            ("expm1", expm1, [-inf, inf], [-1.0, 0.0]),
            ("expm1", expm1, [inf, nan], [inf, nan]),
            ("sinh", sinh, [0.0, inf], [0.0, nan]),
            ("sinh", sinh, [-inf, nan], [-inf, nan]),
            ("cosh", cosh, [0.0, nan], [nan, 0.0]),
            ("cosh", cosh, [inf, inf], [inf, nan]),
            ("cosh", cosh, [nan, 0.0], [nan, 0.0]),
            ("tanh", tanh, [30.0, inf], [nan, nan]),
            ("tanh", tanh, [inf, nan], [1.0, 0.0]),
            ("tanh", tanh, [0.0, nan], [0.0, nan]),
            ("asinh", asinh, [nan, 0.0], [nan, 0.0]),
            ("acos", acos, [0.0, nan], [FRAC_PI_2, nan]),
            ("acosh", acosh, [0.0, nan], [nan, FRAC_PI_2]),
            ("atanh", atanh, [inf, 1.0], [0.0, FRAC_PI_2]),
            ("atanh", atanh, [nan, inf], [0.0, FRAC_PI_2]),
            ("atanh", atanh, [0.0, nan], [0.0, nan]),
            ("atanh", atanh, [1e200, nan], [nan, nan]),
            ("atanh", atanh, [nan, 1e200], [nan, nan]),
        ];
        for (name, f, [re, im], want) in cases {
            let got = f(C::new(re, im));
            let same = |a: f64, b: f64| a == b || (a.is_nan() && b.is_nan());
            assert!(same(got.re, want[0]) && same(got.im, want[1]), "{name} of {re} and {im}: {got}");
        }
        assert!(expm1(C::new(-0.0, 0.0)).re.is_sign_positive());
        assert!(tanh(C::new(inf, 2.0)).im.is_sign_positive() && tanh(C::new(-inf, -2.0)).im.is_sign_negative());
    }

    #[test]
    fn known_values() {
        let c = C::new;
        let cases: [(&str, C, C); 16] = [
            ("sin", Sin::apply(c(1.0, 1.0)), c(1.2984575814159773, 0.6349639147847361)),
            ("cos", Cos::apply(c(1.0, 1.0)), c(0.8337300251311491, -0.9888977057628651)),
            ("tan", Tan::apply(c(1.0, 1.0)), c(0.2717525853195118, 1.0839233273386946)),
            ("tanh", tanh(c(400.0, 1.0)), c(1.0, 0.0)),
            ("exp", exp(c(1.0, 1.0)), c(1.4686939399158851, 2.2873552871788423)),
            ("log", log(c(-1.0, 0.0)), c(0.0, std::f64::consts::PI)),
            ("log below", log(c(-1.0, -0.0)), c(0.0, -std::f64::consts::PI)),
            ("log2", Log2::apply(c(8.0, 0.0)), c(3.0, 0.0)),
            ("sqrt", sqrt(c(-4.0, 0.0)), c(0.0, 2.0)),
            ("sqrt below", sqrt(c(-4.0, -0.0)), c(0.0, -2.0)),
            ("sqrt of large", sqrt(c(1e308, 1e308)), c(1.09868411346781e154, 4.550898605622273e153)),
            ("acos", acos(c(2.0, 0.0)), c(0.0, -1.3169578969248166)),
            ("atanh of large", atanh(c(1e300, 0.0)), c(0.0, FRAC_PI_2)),
            ("pow", pow(c(0.0, 1.0), c(2.0, 0.0)), c(-1.0, 0.0)),
            ("pow i", pow(c(0.0, 1.0), c(0.0, 1.0)), c(0.20787957635076193, 0.0)),
            ("sign", sign(c(3.0, -4.0)), c(0.6, -0.8)),
        ];
        for (name, got, want) in cases {
            assert!((got - want).norm() <= 4e-15 * want.norm().max(1.0), "{name}: {got}, not {want}");
        }
        assert_eq!(pow(c(0.0, 0.0), c(0.0, 0.0)), c(1.0, 0.0));
        assert_eq!((pow(c(2.0, 1.0), c(5.0, 0.0)), pow(c(0.0, 2.0), c(-2.0, 0.0))), (c(-38.0, 41.0), c(-0.25, 0.0)));
        assert_eq!((exp(c(f64::NEG_INFINITY, f64::NAN)).norm(), sign(c(0.0, -0.0)).norm()), (0.0, 0.0));
        assert_eq!(Round::apply(c(2.5, -3.5)), c(2.0, -4.0));
        assert_eq!(Sqrt::apply(Complex::new(-9.0f32, 0.0)), Complex::new(0.0, 3.0));
        assert!(exp(c(f64::INFINITY, 0.0)).im == 0.0 && sqrt(c(1.0, f64::INFINITY)).re == f64::INFINITY);
        assert!(asinh(c(1e308, 0.0)).re > 709.0 && acosh(c(1e308, 1e308)).re > 709.0);
    }
}
