//! Functions of complex numbers against `data/complex.txt`, which `data/complex.py` writes.
use freelane_ops::{Array, DType, OpsError, ufuncs};
use freelane_pool::Lane;
use num_complex::Complex;

type C = Complex<f64>;

/// A number as Python's `float.hex` writes it.
fn number(text: &str) -> f64 {
    let (sign, text) = text.strip_prefix('-').map_or((1.0, text), |rest| (-1.0, rest));
    let Some(text) = text.strip_prefix("0x") else {
        return sign * text.parse::<f64>().unwrap();
    };
    let (digits, power) = text.split_once('p').unwrap();
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let mantissa = u64::from_str_radix(&format!("{whole}{fraction}"), 16).unwrap() as f64;
    let power = power.parse::<i32>().unwrap() - 4 * fraction.len() as i32;
    // In two steps, for the smallest numbers.
    sign * mantissa * 2f64.powi(power / 2) * 2f64.powi(power - power / 2)
}

/// A line of the table: the number, its value, and which signs do not matter.
struct Case {
    z: C,
    value: C,
    free: [bool; 2],
}

fn cases(name: &str) -> Vec<Case> {
    let case = |line: &str| {
        let words: Vec<&str> = line.split(' ').collect();
        let part = |i: usize| number(words[i].trim_start_matches('?'));
        let free = [words[3].starts_with('?'), words[4].starts_with('?')];
        (words[0] == name).then(|| Case { z: C::new(part(1), part(2)), value: C::new(part(3), part(4)), free })
    };
    include_str!("data/complex.txt").lines().filter_map(case).collect()
}

/// Special parts are as they should be, and the rest is within some units of the modulus.
fn agrees(got: C, case: &Case, unit: f64) -> bool {
    let want = case.value;
    let part = |got: f64, want: f64, free: bool| {
        let sign = free || got.is_sign_negative() == want.is_sign_negative();
        let modulus = if case.value.is_finite() { case.value.norm() } else { want.abs() };
        let near = (got - want).abs() <= 4.0 * unit * modulus;
        match want {
            _ if want.is_nan() => got.is_nan(),
            _ if want == 0.0 || want.is_infinite() => got.abs() == want.abs() && sign,
            _ => near,
        }
    };
    part(got.re, want.re, case.free[0]) && part(got.im, want.im, case.free[1])
}

const NAMES: [&str; 22] = [
    "exp",
    "log",
    "sqrt",
    "sin",
    "cos",
    "tan",
    "sinh",
    "cosh",
    "tanh",
    "asin",
    "acos",
    "atan",
    "asinh",
    "acosh",
    "atanh",
    "log1p",
    "log2",
    "log10",
    "expm1",
    "sign",
    "reciprocal",
    "square",
];

#[test]
fn values_are_those_of_annex_g_and_mpmath() -> Result<(), OpsError> {
    for name in NAMES {
        let (f, cases) = (ufuncs::by_name(name).unwrap(), cases(name));
        assert!(cases.len() >= 10, "{name}");
        let all = Array::from_vec(cases.iter().map(|c| c.z).collect(), &[cases.len()])?;
        let got: Array = Lane::with(|lane| f.call(lane, &[(&all).into()]))?.into();
        for (case, got) in cases.iter().zip(got.to_vec::<C>()?) {
            assert!(agrees(got, case, f64::EPSILON), "{name}({}) = {got}, not {}", case.z, case.value);
        }
        // In the narrower type where the number and its value are special or small enough to be the same in it.
        let narrow = all.astype(DType::C64)?;
        let got: Array = Lane::with(|lane| f.call(lane, &[(&narrow).into()]))?.into();
        for (case, got) in cases.iter().zip(got.astype(DType::C128)?.to_vec::<C>()?) {
            let exact = |x: f64| !x.is_finite() || f64::from(x as f32) == x;
            let fits = case.value.norm() < 1e30 || !case.value.norm().is_finite();
            let same = exact(case.z.re) && exact(case.z.im) && fits;
            assert!(!same || agrees(got, case, f32::EPSILON.into()), "{name} c64 ({}) = {got}", case.z);
        }
    }
    Ok(())
}

fn apply(name: &str, a: C, b: C) -> C {
    let (f, a, b) = (ufuncs::by_name(name).unwrap(), Array::scalar(a).unwrap(), Array::scalar(b).unwrap());
    let done: Array = Lane::with(|lane| f.call(lane, &[(&a).into(), (&b).into()])).unwrap().into();
    done.item().unwrap()
}

/// What Annex G asks of quotients: numbers by infinities are zeros, infinities by numbers are infinite, so are numbers by zero.
#[test]
fn quotients_with_infinities() {
    let (inf, nan, c) = (f64::INFINITY, f64::NAN, C::new);
    for by in [c(inf, inf), c(inf, -2.0), c(-inf, nan), c(0.0, inf), c(nan, -inf)] {
        assert_eq!(apply("divide", c(1.0, 2.0), by).norm(), 0.0, "{by}");
    }
    for of in [c(inf, inf), c(inf, -2.0), c(-inf, nan), c(0.0, inf), c(nan, -inf)] {
        let q = apply("divide", of, c(3.0, -4.0));
        assert!(q.re.is_infinite() || q.im.is_infinite(), "{of}: {q}");
    }
    let q = apply("divide", c(1.0, 1.0), c(0.0, 0.0));
    assert_eq!((q.re, q.im), (inf, inf));
    assert!(apply("divide", c(0.0, 0.0), c(0.0, 0.0)).is_nan());
}

#[test]
fn powers() {
    let c = C::new;
    // mpmath, 60 digits.
    for (a, b, value) in [
        (c(1.5, -2.25), c(0.5, 3.0), c(-24.997617585072277, 18.948596293090784)),
        (c(-8.0, 0.0), c(1.0 / 3.0, 0.0), c(1.0, 1.7320508075688772)),
        (c(0.001, 1e-5), c(-2.5, 0.25), c(-5681605.579947385, -31023914.862829454)),
        (c(30.0, -40.0), c(7.5, -1.25), c(1301249693920.15, 1145037094590.4001)),
        (c(0.0, 2.0), c(-2.0, 0.0), c(-0.25, 0.0)),
        (c(0.0, 0.0), c(2.0, 1.0), c(0.0, 0.0)),
    ] {
        let got = apply("pow", a, b);
        assert!((got - value).norm() <= 2e-15 * value.norm(), "{a} to the {b}: {got}, not {value}");
    }
}
