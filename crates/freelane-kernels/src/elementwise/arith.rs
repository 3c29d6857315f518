//! Arithmetic: integers wrap, division follows Python's rules, NaN wins in `minimum` and `maximum`.
use super::{Map1, Map2};
use num_complex::Complex;

functions! {
    /// `a + b`; for bool, or.
    Add,
    /// `a - b`.
    Subtract,
    /// `a * b`; for bool, and.
    Multiply,
    /// `a / b` of floats.
    Divide,
    /// `-x`.
    Negative,
    /// `x`.
    Positive,
    /// `|x|`; of a complex number its modulus.
    Absolute,
    /// -1, 0 or 1; NaN stays.
    Sign,
    /// `x * x`.
    Square,
    /// The square root, correctly rounded.
    Sqrt,
    /// `1 / x`.
    Reciprocal,
    /// The lesser; NaN if either is.
    Minimum,
    /// The greater; NaN if either is.
    Maximum,
    /// The complex conjugate; of a real number itself.
    Conjugate,
}

map2!(Add: ints, |a, b| a.wrapping_add(b));
map2!(Add: floats, |a, b| a + b);
map2!(Add: complex, |a, b| a + b);
map2!(Add: [bool], |a, b| a | b);
map2!(Subtract: ints, |a, b| a.wrapping_sub(b));
map2!(Subtract: floats, |a, b| a - b);
map2!(Subtract: complex, |a, b| a - b);
map2!(Multiply: ints, |a, b| a.wrapping_mul(b));
map2!(Multiply: floats, |a, b| a * b);
map2!(Multiply: complex, |a, b| a * b);
map2!(Multiply: [bool], |a, b| a & b);
map2!(Divide: floats, |a, b| a / b);

map2!(Minimum: ints, |a, b| a.min(b));
map2!(Maximum: ints, |a, b| a.max(b));
map2!(Minimum: [bool], |a, b| a & b);
map2!(Maximum: [bool], |a, b| a | b);
map2!(Minimum: floats, |a, b| if a < b || a.is_nan() { a } else { b });
map2!(Maximum: floats, |a, b| if a > b || a.is_nan() { a } else { b });

map1!(Negative: ints, |x| x.wrapping_neg());
map1!(Negative: floats, |x| -x);
map1!(Negative: complex, |x| -x);
map1!(Positive: ints, |x| x);
map1!(Positive: floats, |x| x);
map1!(Positive: complex, |x| x);
map1!(Absolute: signed, |x| x.wrapping_abs());
map1!(Absolute: unsigned, |x| x);
map1!(Absolute: floats, |x| x.abs());
map1!(Absolute: [Complex<f32>] -> f32, scalar |x| libm::hypotf(x.re, x.im));
map1!(Absolute: [Complex<f64>] -> f64, scalar |x| libm::hypot(x.re, x.im));
map1!(Sign: signed, |x| x.signum());
map1!(Sign: unsigned, |x| x.min(1));
map1!(Sign: [f32], |x| if x > 0.0 { 1.0 } else if x < 0.0 { -1.0 } else { x });
map1!(Sign: [f64], |x| if x > 0.0 { 1.0 } else if x < 0.0 { -1.0 } else { x });
halves1!(Sign);
map1!(Square: ints, |x| x.wrapping_mul(x));
map1!(Square: floats, |x| x * x);
map1!(Square: complex, |x| x * x);
map1!(Sqrt: floats, |x| x.sqrt());
map1!(Reciprocal: floats, |x| 1.0 / x);
map1!(Conjugate: ints, |x| x);
map1!(Conjugate: floats, |x| x);
map1!(Conjugate: complex, |x| x.conj());

/// Complex division scaled by the larger part of the divisor (Smith's method), so that no square overflows.
macro_rules! divide_complex {
    ($($t:ty),*) => { $(
        impl Map2<Complex<$t>> for Divide {
            type Out = Complex<$t>;
            #[inline(always)]
            fn apply(a: Complex<$t>, b: Complex<$t>) -> Complex<$t> {
                let swap = b.re.abs() < b.im.abs();
                let (large, small) = if swap { (b.im, b.re) } else { (b.re, b.im) };
                // A divisor of zero: 0 / 0 must not turn both parts into NaN.
                let ratio = if large == 0.0 { 0.0 } else { small / large };
                let scale = large + small * ratio;
                let (re, im) = if swap {
                    (a.re * ratio + a.im, a.im * ratio - a.re)
                } else {
                    (a.re + a.im * ratio, a.im - a.re * ratio)
                };
                Complex::new(re / scale, im / scale)
            }
        }
        impl Map1<Complex<$t>> for Reciprocal {
            type Out = Complex<$t>;
            #[inline(always)]
            fn apply(x: Complex<$t>) -> Complex<$t> {
                <Divide as Map2<Complex<$t>>>::apply(Complex::new(1.0, 0.0), x)
            }
        }
    )* };
}
divide_complex!(f32, f64);
