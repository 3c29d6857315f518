//! Arithmetic: integers wrap, division follows Python's rules, NaN wins in `minimum` and `maximum`.
use super::{Loop1, Map1, Map2, loop1};
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
    /// -1, 0 or 1; 0 for both zeros; NaN stays.
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
    /// The lesser; of a number and NaN the number.
    FMin,
    /// The greater; of a number and NaN the number.
    FMax,
    /// 0 below zero, 1 above, `b` at zero; NaN stays.
    Heaviside,
}

/// The modulus: parts are scaled by powers of two, so that their squares lie far from the ends of the range.
macro_rules! moduli {
    ($($t:ident, large $large:literal, small $small:literal, shrink $shrink:expr, grow $grow:expr,
       unshrink $unshrink:expr, ungrow $ungrow:expr;)*) => { $(
        map1!(Absolute: [Complex<$t>] -> $t, |x| {
            let (re, im) = (x.re.abs(), x.im.abs());
            let large = select(re < im, im, re);
            let scale = select(large > $large, $shrink, select(large < $small, $grow, 1.0));
            let back = select(large > $large, $unshrink, select(large < $small, $ungrow, 1.0));
            let (re, im) = (re * scale, im * scale);
            select(x.re.is_infinite() | x.im.is_infinite(), $t::INFINITY, (re * re + im * im).sqrt() * back)
        });
    )* };
}

/// Without a branch.
#[inline(always)]
fn select<T>(condition: bool, yes: T, no: T) -> T {
    if condition { yes } else { no }
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
macro_rules! multiply_complex {
    ($($t:ident $multiply:ident $square:ident;)*) => { $(
        impl Map2<Complex<$t>> for Multiply {
            type Out = Complex<$t>;
            const BY_VECTORS: bool = true;
            #[cfg(target_arch = "x86_64")]
            const BODY: Option<super::Body2<Complex<$t>, Complex<$t>>> = Some(super::pairs::$multiply);
            #[inline(always)]
            fn apply(a: Complex<$t>, b: Complex<$t>) -> Complex<$t> {
                a * b
            }
        }
        impl Map1<Complex<$t>> for Square {
            type Out = Complex<$t>;
            #[cfg(target_arch = "x86_64")]
            const BODY: Option<super::Body1<Complex<$t>, Complex<$t>>> = Some(super::pairs::$square);
            #[inline(always)]
            fn apply(x: Complex<$t>) -> Complex<$t> {
                x * x
            }
        }
    )* };
}
multiply_complex! { f32 multiply_c64 square_c64; f64 multiply_c128 square_c128; }
map2!(Multiply: [bool], |a, b| a & b);
map2!(Divide: floats, |a, b| a / b);

map2!(Minimum: ints, |a, b| a.min(b));
map2!(Maximum: ints, |a, b| a.max(b));
map2!(Minimum: [bool], |a, b| a & b);
map2!(Maximum: [bool], |a, b| a | b);
map2!(Minimum: floats, |a, b| if a < b || a.is_nan() { a } else { b });
map2!(Maximum: floats, |a, b| if a > b || a.is_nan() { a } else { b });

map2!(FMin: ints, |a, b| a.min(b));
map2!(FMax: ints, |a, b| a.max(b));
map2!(FMin: [bool], |a, b| a & b);
map2!(FMax: [bool], |a, b| a | b);
map2!(FMin: floats, |a, b| if a < b || b.is_nan() { a } else { b });
map2!(FMax: floats, |a, b| if a > b || b.is_nan() { a } else { b });
map2!(Heaviside: floats, |a, b| {
    let side = if a > 0.0 { 1.0 } else { a };
    let side = if a < 0.0 { 0.0 } else { side };
    if a == 0.0 { b } else { side }
});

map1!(Negative: ints, |x| x.wrapping_neg());
map1!(Negative: floats, |x| -x);
map1!(Negative: complex, |x| -x);
map1!(Positive: ints, |x| x);
map1!(Positive: floats, |x| x);
map1!(Positive: complex, |x| x);
map1!(Absolute: signed, |x| x.wrapping_abs());
map1!(Absolute: unsigned, |x| x);
map1!(Absolute: floats, |x| x.abs());
moduli! {
    f32, large 1e18, small 1e-12, shrink f32::from_bits((127 - 80) << 23), grow f32::from_bits((127 + 90) << 23),
        unshrink f32::from_bits((127 + 80) << 23), ungrow f32::from_bits((127 - 90) << 23);
    f64, large 1e150, small 1e-140, shrink f64::from_bits((1023 - 600) << 52), grow f64::from_bits((1023 + 600) << 52),
        unshrink f64::from_bits((1023 + 600) << 52), ungrow f64::from_bits((1023 - 600) << 52);
}
map1!(Sign: signed, |x| x.clamp(-1, 1));
map1!(Sign: unsigned, |x| x.min(1));
map1!(Sign: [f32], |x| if x > 0.0 { 1.0 } else if x < 0.0 { -1.0 } else { x + 0.0 });
map1!(Sign: [f64], |x| if x > 0.0 { 1.0 } else if x < 0.0 { -1.0 } else { x + 0.0 });
halves1!(Sign);
map1!(Square: ints, |x| x.wrapping_mul(x));
map1!(Square: floats, |x| x * x);
map1!(Sqrt: floats, |x| x.sqrt());
map1!(Reciprocal: floats, |x| 1.0 / x);
map1!(Conjugate: ints, |x| x);
map1!(Conjugate: floats, |x| x);
map1!(Conjugate: [Complex<f64>], |x| x.conj());
/// As words whose highest bit is the sign of the imaginary part.
impl Map1<Complex<f32>> for Conjugate {
    type Out = Complex<f32>;
    #[cfg(target_endian = "little")]
    const LOOP: Option<Loop1> = Some(loop1::<FlipHighest, u64>);
    #[inline(always)]
    fn apply(x: Complex<f32>) -> Complex<f32> {
        x.conj()
    }
}

struct FlipHighest;
map1!(FlipHighest: [u64], |x| x ^ 1 << 63);

/// Complex division scaled by the larger part of the divisor (Smith's method), so that no square overflows.
///
/// An infinite operand is replaced by its direction, whose parts are 1 and 0 with signs, and the quotient multiplied by
/// infinity or 0: so a number by an infinity is zero and an infinity by a number infinite, as Annex G of the C standard asks.
macro_rules! divide_complex {
    ($($t:ident),*) => { $(
        impl Map2<Complex<$t>> for Divide {
            type Out = Complex<$t>;
            const BY_VECTORS: bool = true;
            #[inline(always)]
            fn apply(a: Complex<$t>, b: Complex<$t>) -> Complex<$t> {
                let part = |x: $t| select(x.is_infinite(), 1.0 as $t, 0.0).copysign(x);
                let (of, by) = (a.re.is_infinite() | a.im.is_infinite(), b.re.is_infinite() | b.im.is_infinite());
                let (ar, ai) = (select(of, part(a.re), a.re), select(of, part(a.im), a.im));
                let (br, bi) = (select(by, part(b.re), b.re), select(by, part(b.im), b.im));
                let back = select(of, $t::INFINITY, 1.0) * select(by, 0.0, 1.0);
                let swap = br.abs() < bi.abs();
                let (large, small) = (select(swap, bi, br), select(swap, br, bi));
                // A divisor of zero: 0 / 0 must not turn both parts into NaN.
                let ratio = select(large == 0.0, 0.0, small / large);
                let scale = large + small * ratio;
                let re = select(swap, ar * ratio + ai, ar + ai * ratio);
                let im = select(swap, ai * ratio - ar, ai - ar * ratio);
                Complex::new(re / scale * back, im / scale * back)
            }
        }
        impl Map1<Complex<$t>> for Reciprocal {
            type Out = Complex<$t>;
            #[inline(always)]
            fn apply(x: Complex<$t>) -> Complex<$t> {
                let swap = x.re.abs() < x.im.abs();
                let (large, small) = select(swap, (x.im, x.re), (x.re, x.im));
                let ratio = select((large == 0.0) | large.is_infinite(), 0.0 as $t, small / large);
                let scale = large + small * ratio;
                let (re, im) = select(swap, (ratio, -1.0), (1.0, -ratio));
                Complex::new(re / scale, im / scale)
            }
        }
    )* };
}
divide_complex!(f32, f64);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_wrap() {
        assert_eq!(Add::apply(127i8, 1), -128);
        assert_eq!(Subtract::apply(0u16, 1), u16::MAX);
        assert_eq!(Multiply::apply(i64::MAX, 2), -2);
        assert_eq!(Negative::apply(i32::MIN), i32::MIN);
        assert_eq!(Negative::apply(1u8), 255);
        assert_eq!(Absolute::apply(i8::MIN), i8::MIN);
        assert_eq!(Square::apply(16u8), 0);
        assert_eq!([-9i64, 0, 9].map(Sign::apply), [-1, 0, 1]);
        assert_eq!(Sign::apply(200u8), 1);
        assert!(Add::apply(true, true) && !Multiply::apply(true, false));
    }

    #[test]
    fn nan_wins() {
        let nan = f64::NAN;
        for (a, b) in [(nan, 1.0), (1.0, nan), (nan, nan), (nan, f64::INFINITY), (f64::NEG_INFINITY, nan)] {
            assert!(Minimum::apply(a, b).is_nan() && Maximum::apply(a, b).is_nan(), "{a} {b}");
        }
        assert_eq!((Minimum::apply(1.0f32, -2.0), Maximum::apply(1.0f32, -2.0)), (-2.0, 1.0));
        assert!(Sign::apply(nan).is_nan() && Absolute::apply(nan).is_nan());
    }

    #[test]
    fn numbers_win_where_asked_to() {
        let nan = f64::NAN;
        for (a, b, least, greatest) in [(nan, 1.0, 1.0, 1.0), (1.0, nan, 1.0, 1.0), (2.0, -3.0, -3.0, 2.0)] {
            assert_eq!((FMin::apply(a, b), FMax::apply(a, b)), (least, greatest), "{a} {b}");
        }
        assert!(FMin::apply(nan, nan).is_nan() && FMax::apply(nan, nan).is_nan());
        assert_eq!([-1.0, -0.0, 0.0, 3.0].map(|x| Heaviside::apply(x, 0.5)), [0.0, 0.5, 0.5, 1.0]);
        assert!(Heaviside::apply(nan, 0.5).is_nan() && Heaviside::apply(0.0, nan).is_nan());
    }

    #[test]
    fn zeros_keep_their_sign() {
        let negative = |x: f64| x == 0.0 && x.is_sign_negative();
        assert!(negative(Negative::apply(0.0)) && negative(Sqrt::apply(-0.0)));
        // The sign of either zero is 0, as the Array API standard has it.
        assert!(!negative(Sign::apply(-0.0)));
        assert!(!negative(Absolute::apply(-0.0)) && negative(Multiply::apply(-0.0, 3.0)));
        assert_eq!(Divide::apply(1.0, -0.0), f64::NEG_INFINITY);
    }

    #[test]
    fn complex_division_does_not_overflow_on_the_way() {
        let c = Complex::new;
        for (a, b, q) in [
            (c(1.0, 2.0), c(3.0, 4.0), c(0.44, 0.08)),
            (c(1e300, 1e300), c(1e300, 1e300), c(1.0, 0.0)),
            (c(1e-300, 0.0), c(0.0, 1e-300), c(0.0, -1.0)),
            (c(5.0, -6.0), c(2.0, 0.0), c(2.5, -3.0)),
        ] {
            let got: Complex<f64> = Divide::apply(a, b);
            assert!((got - q).norm() <= 1e-15, "{a} / {b} = {got}");
        }
        let by_zero: Complex<f64> = Divide::apply(c(1.0, 0.0), c(0.0, 0.0));
        assert!(by_zero.re == f64::INFINITY && by_zero.im.is_nan());
        assert_eq!(Absolute::apply(c(3e300, 4e300)), 5e300);
        let product: Complex<f64> = Multiply::apply(c(1.0, 2.0), c(3.0, 4.0));
        assert_eq!(product, c(-5.0, 10.0));
    }
}
