//! Special functions of real numbers, one element at a time; those of f32 in f64, rounded once. Some have vector bodies in
//! files of their own, and come here with arguments that these are not made for.
//!
//! The sources of the methods stand beside them; the error of each, found by `accuracy.rs` in this crate's tests and against
//! mpmath, stands in its row in `freelane-ops`.
use super::coef;
use libm as m;
use std::f64::consts::{FRAC_2_SQRT_PI, PI};

functions! {
    /// The gamma function.
    Gamma,
    /// The logarithm of the gamma function's magnitude.
    LogGamma,
    /// The logarithmic derivative of the gamma function.
    Digamma,
    /// The inverse of the error function.
    ErfInv,
    /// From degrees to radians.
    Radians,
    /// From radians to degrees.
    Degrees,
}

/// At the poles the sign of infinity is not known, but for zeros.
fn gamma(x: f64) -> f64 {
    if x == f64::NEG_INFINITY || (x < 0.0 && x == x.floor()) { f64::NAN } else { m::tgamma(x) }
}

fn log_gamma(x: f64) -> f64 {
    if x.is_infinite() { f64::INFINITY } else { m::lgamma(x) }
}

/// The only positive zero of digamma, in two words.
const ZERO: [f64; 2] = [1.4616321449683622, 9.549995429965697e-17];

/// `digamma(t + 3/2) / (t + 3/2 - ZERO)`, for `|t| <= 1/2`. Interpolated at 23 Chebyshev nodes.
const NEAR_ZERO: [f64; 23] = [
    0.9510558760318328,
    -0.4236274212814606,
    0.24054248424078697,
    -0.14840492305388092,
    0.09498872445289039,
    -0.06192213327548831,
    0.040760833940846085,
    -0.026975796659787055,
    0.017907248317313294,
    -0.011908220105959716,
    0.007927021796868154,
    -0.005279937255532708,
    0.003518106563802472,
    -0.0023454947397380833,
    0.0015633696313653504,
    -0.0010364584817312839,
    0.0006909255761282986,
    -0.00048595039220036254,
    0.00032395945401345196,
    -0.00014480643368061614,
    9.653646261410062e-05,
    -0.0001782188548855923,
    0.00011881232908510335,
];

/// The asymptotic series `log x - 1/(2x) - sum B_2k / (2k x^2k)`: its coefficients.
const BERNOULLI: [f64; 7] =
    [1.0 / 12.0, -1.0 / 120.0, 1.0 / 252.0, -1.0 / 240.0, 1.0 / 132.0, -691.0 / 32760.0, 1.0 / 12.0];

fn horner(x: f64, c: &[f64]) -> f64 {
    c.iter().rev().fold(0.0, |sum, c| sum * x + c)
}

/// From 1 to 2 by a polynomial, which the recurrence reaches from both sides; by the asymptotic series from 10 on; below 0
/// by reflection.
fn digamma(x: f64) -> f64 {
    if x <= 0.0 {
        return match x {
            0.0 => -f64::INFINITY.copysign(x),
            _ if x == x.floor() => f64::NAN,
            _ => digamma(1.0 - x) - PI * cot_pi(x),
        };
    }
    if x >= 10.0 {
        let z = 1.0 / (x * x);
        return if x == f64::INFINITY { x } else { m::log(x) - 0.5 / x - z * horner(z, &BERNOULLI) };
    }
    let (mut x, mut sum) = (x, 0.0);
    while x > 2.0 {
        x -= 1.0;
        sum += 1.0 / x;
    }
    if x < 1.0 {
        sum -= 1.0 / x;
        x += 1.0;
    }
    ((x - ZERO[0]) - ZERO[1]) * horner(x - 1.5, &NEAR_ZERO) + sum
}

/// `cot(pi x)`, exactly reduced to where it is no difference of nearly equal numbers.
fn cot_pi(x: f64) -> f64 {
    let r = x - x.round_ties_even();
    if r.abs() > 0.25 { m::tan(PI * (0.5 - r.abs())).copysign(r) } else { 1.0 / m::tan(PI * r) }
}

/// A first guess by Winitzki's formula, then Halley's method on the smaller of erf and erfc, until nothing changes: three
/// steps triple the digits each time.
fn erf_inv(y: f64) -> f64 {
    let a = y.abs();
    if a >= 1.0 || a.is_nan() {
        return if a == 1.0 { f64::INFINITY.copysign(y) } else { f64::NAN };
    }
    if a < 1e-8 {
        return y / FRAC_2_SQRT_PI;
    }
    let rest = 1.0 - a;
    let log = m::log(rest * (1.0 + a));
    let b = 2.0 / (PI * 0.147) + log / 2.0;
    let mut x = (m::sqrt(b * b - log / 0.147) - b).max(0.0).sqrt();
    for _ in 0..3 {
        let error = if a < 0.5 { m::erf(x) - a } else { rest - m::erfc(x) };
        let step = error / (FRAC_2_SQRT_PI * m::exp(-x * x));
        x -= step / (1.0 + x * step);
    }
    x.copysign(y)
}

pub(super) fn sinc(x: f64) -> f64 {
    let a = x.abs();
    if a < 1e-9 {
        return 1.0;
    }
    if a == f64::INFINITY {
        return 0.0;
    }
    let whole = a.round_ties_even();
    let sine = m::sin(PI * (a - whole));
    let sine = if whole % 2.0 == 0.0 { sine } else { -sine };
    if a == whole { 0.0 } else { sine / (PI * a) }
}

/// As the vector body has it; towards the end of the range `e^16` is taken apart, so that the rest does not overflow.
pub(super) fn bessel_i0(x: f64) -> f64 {
    let x = x.abs();
    if x > 1500.0 {
        return f64::INFINITY;
    }
    if x < 8.0 {
        let (a, a_low) = (x * x / 4.0, m::fma(x, x, -(x * x)) / 4.0);
        let y = 1.0 + a * horner(a, coef::BESSEL_NEAR.f64);
        return y + y * a_low / m::sqrt(1.0 + a);
    }
    let (shift, back) = if x > 600.0 { (16.0, 8886110.520507872) } else { (0.0, 1.0) };
    m::exp(x - shift) * (horner(1.0 / x, coef::BESSEL_FAR.f64) / m::sqrt(x)) * back
}

pub(super) fn logit(p: f64) -> f64 {
    if (0.25..=0.75).contains(&p) { 2.0 * m::atanh(2.0 * p - 1.0) } else { m::log(p / (1.0 - p)) }
}

macro_rules! special {
    ($($k:ident $f:ident;)*) => { $(
        map1!($k: [f64], scalar |x| $f(x));
        map1!($k: [f32], scalar |x| $f(x.into()) as f32);
        halves1!($k);
    )* };
}
special! {
    Gamma gamma; LogGamma log_gamma; Digamma digamma; ErfInv erf_inv;
}

pub(super) fn xlogy(a: f64, b: f64) -> f64 {
    if a == 0.0 && !b.is_nan() { 0.0 } else { a * m::log(b) }
}
map1!(Radians: floats, |x| x.to_radians());
map1!(Degrees: floats, |x| x.to_degrees());

#[cfg(test)]
mod tests {
    use super::*;
    use crate::elementwise::Map1;

    /// Values of mpmath 1.4 with 200 bits, and how many units in the last place of f64 may be missing.
    fn check(name: &str, f: fn(f64) -> f64, ulp: f64, cases: &[(f64, f64)]) {
        for &(x, want) in cases {
            let (got, unit) = (f(x), want.abs().next_up() - want.abs());
            let same = got == want || (got.is_nan() && want.is_nan());
            assert!(same || (got - want).abs() <= ulp * unit, "{name}({x}) = {got:e}, not {want:e}");
        }
    }

    #[test]
    fn known_values() {
        check(
            "gamma",
            gamma,
            4.0,
            &[
                (0.5, 1.772453850905516),
                (1.5, 0.886226925452758),
                (3.7, 4.170651783796604),
                (10.25, 639232.5987795768),
                (25.5, 3.0867705405286966e+24),
                (100.1, 1.478454494651475e+156),
                (170.5, 5.56209241456e+305),
                (-0.5, -3.544907701811032),
                (-2.25, -1.7428148657282527),
                (-10.1, -2.2134165830856185e-06),
                (-50.5, -1.449954393907748e-65),
                (1e-10, 9999999999.422785),
                (-1e-10, -10000000000.577215),
            ],
        );
        check(
            "log_gamma",
            log_gamma,
            4.0,
            &[
                (0.1, 2.252712651734206),
                (0.5, 0.5723649429247001),
                (1.5, -0.12078223763524522),
                (2.5, 0.2846828704729192),
                (10.0, 12.801827480081469),
                (100.5, 361.4355404677776),
                (100000.0, 1051287.7089736569),
                (1e+100, 2.2925850929940456e+102),
                (1e-10, 23.025850929882736),
                (-0.5, 1.2655121234846454),
                (-1.7, 0.9218446876946375),
                (-10.3, -14.457515440024208),
            ],
        );
        check(
            "digamma",
            digamma,
            4.0,
            &[
                (0.01, -100.56088545786868),
                (0.3, -3.502524222200133),
                (0.9999, -0.5773801703298691),
                (1.0, -0.5772156649015329),
                (1.25, -0.22745353337626542),
                (1.4616, -3.110625123034165e-05),
                (1.4616321449683622, -9.241265521729427e-17),
                (1.47, 0.008066489011364869),
                (1.999, 0.4221391988923556),
                (2.0, 0.42278433509846713),
                (3.5, 1.103156640645243),
                (7.7, 1.9748820949131018),
                (9.99, 2.250700372831201),
                (10.0, 2.251752589066721),
                (33.0, 3.4812795305349873),
                (1000000.0, 13.815510057964191),
                (1e-12, -1000000000000.5773),
                (-0.5, 0.03648997397857652),
                (-1.3, 2.8825405488661673),
                (-7.7, -0.17774844371896933),
            ],
        );
        check(
            "erf_inv",
            erf_inv,
            3.0,
            &[
                (1e-300, 8.86226925452758e-301),
                (1e-09, 8.86226925452758e-10),
                (1e-05, 8.862269254759594e-06),
                (0.1, 0.08885599049425769),
                (0.3, 0.2724627147267543),
                (0.49999, 0.4769251504153166),
                (0.5, 0.4769362762044699),
                (0.7, 0.7328690779592167),
                (0.9, 1.1630871536766743),
                (0.99, 1.8213863677184494),
                (0.9999, 2.75106390571208),
                (0.9999999999990905, 5.05125408524939),
                (0.9999999999999998, 5.805018683193453),
                (0.9999999999999999, 5.8635847487551676),
                (-0.25, -0.2253120550121781),
                (-0.999, -2.3267537655135246),
            ],
        );
        check(
            "sinc",
            sinc,
            3.0,
            &[
                (1e-05, 0.9999999998355066),
                (0.1, 0.983631643083466),
                (0.5, std::f64::consts::FRAC_2_PI),
                (0.999999, 1.0000010000281109e-06),
                (1.000001, -9.999989999170885e-07),
                (1.5, -0.2122065907891938),
                (2.5, 0.12732395447351627),
                (-3.25, -0.06925510124285432),
                (1000.5, 0.00031815081077840146),
                (123456.75, 1.823141132739008e-06),
            ],
        );
        check(
            "bessel_i0",
            bessel_i0,
            6.0,
            &[
                (0.001, 1.0000002500000156),
                (0.5, 1.0634833707413236),
                (1.0, 1.2660658777520084),
                (3.75, 9.118945860844567),
                (8.0, 427.5641157218048),
                (15.0, 339649.3732979139),
                (29.9, 708478330489.0145),
                (30.0, 781672297823.9775),
                (50.0, 2.9325537838493362e+20),
                (100.0, 1.0737517071310738e+42),
                (500.0, 2.504809476570078e+215),
                (700.0, 1.5295933476718737e+302),
                (712.5, 4.068293090664341e+307),
                (-2.0, 2.2795853023360673),
            ],
        );
        check(
            "logit",
            logit,
            3.0,
            &[
                (1e-300, -690.7755278982137),
                (1e-05, -11.512915464920228),
                (0.1, -2.197224577336219),
                (0.25, -1.0986122886681098),
                (0.4, -0.4054651081081643),
                (0.499999, -3.999999999898311e-06),
                (0.500001, 4.000000000120356e-06),
                (0.6, 0.4054651081081643),
                (0.75, 1.0986122886681098),
                (0.9, 2.1972245773362196),
                (0.999999, 13.815509557935018),
            ],
        );
    }

    #[test]
    fn values_that_are_special() {
        let (inf, nan) = (f64::INFINITY, f64::NAN);
        check(
            "gamma",
            gamma,
            0.0,
            &[(0.0, inf), (-0.0, -inf), (-1.0, nan), (inf, inf), (-inf, nan), (200.0, inf), (5.0, 24.0)],
        );
        check(
            "lgamma",
            log_gamma,
            0.0,
            &[(1.0, 0.0), (2.0, 0.0), (0.0, inf), (-1.0, inf), (inf, inf), (-inf, inf), (nan, nan)],
        );
        check("digamma", digamma, 0.0, &[(0.0, -inf), (-0.0, inf), (-3.0, nan), (inf, inf), (nan, nan)]);
        check("erfinv", erf_inv, 0.0, &[(1.0, inf), (-1.0, -inf), (1.5, nan), (0.0, 0.0), (nan, nan)]);
        check("sinc", sinc, 0.0, &[(0.0, 1.0), (1.0, 0.0), (-7.0, 0.0), (inf, 0.0), (1e300, 0.0), (nan, nan)]);
        check("i0", bessel_i0, 0.0, &[(0.0, 1.0), (inf, inf), (-inf, inf), (800.0, inf), (nan, nan)]);
        check("logit", logit, 0.0, &[(0.0, -inf), (1.0, inf), (0.5, 0.0), (1.5, nan), (-0.5, nan), (nan, nan)]);
        assert_eq!((xlogy(0.0, 0.0), xlogy(0.0, inf), xlogy(1.0, 0.0)), (0.0, 0.0, -inf));
        assert!(xlogy(0.0, nan).is_nan() && xlogy(nan, 1.0).is_nan() && erf_inv(-0.0).is_sign_negative());
        assert_eq!((Degrees::apply(PI), Radians::apply(180.0f32)), (180.0, PI as f32));
    }
}
