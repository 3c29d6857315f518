//! Numbers taken apart, rounded, compared within bounds: what NumPy 2 prints.
use freelane_ops::{Array, DType, Element, OpsError, Tolerance};
use num_complex::Complex;

type Result<T = ()> = std::result::Result<T, OpsError>;

const INF: f64 = f64::INFINITY;
const NAN: f64 = f64::NAN;

fn array<T: Element>(values: &[T]) -> Array {
    Array::from_vec(values.to_vec(), &[values.len()]).unwrap()
}

/// Equal, zeros by their signs, NaN being NaN.
fn same(got: &Array, want: &[f64]) {
    let got = got.astype(DType::F64).unwrap().to_vec::<f64>().unwrap();
    let alike = |(a, b): (&f64, &f64)| a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan());
    assert!(got.len() == want.len() && got.iter().zip(want).all(alike), "{got:?}, not {want:?}");
}

#[test]
fn digits_are_rounded() -> Result {
    same(&array(&[2.675, -0.125, INF, 0.5, -0.001]).around(2)?, &[2.68, -0.12, INF, 0.5, -0.0]);
    same(&array(&[1234.5, -1250.0, 1350.0]).around(-2)?, &[1200.0, -1200.0, 1400.0]);
    same(&array(&[15i8, 25, -17, -25, 124]).around(-1)?, &[20.0, 20.0, -20.0, -20.0, 120.0]);
    same(&array(&[250u8, 49, 50, 150]).around(-2)?, &[200.0, 0.0, 0.0, 200.0]);
    same(&array(&[250u8, 49]).around(-3)?, &[0.0, 0.0]);
    same(&array(&[1.5, 1e300]).around(400)?, &[1.5, 1e300]);
    same(&array(&[1.5, -2.5]).around(-400)?, &[0.0, 0.0]);
    assert_eq!(array(&[Complex::new(1.25, 3.75)]).around(1)?.to_vec::<Complex<f64>>()?, [Complex::new(1.2, 3.8)]);
    assert!(array(&[true]).around(1).unwrap_err().to_string().starts_with("around: "));
    Ok(())
}

#[test]
fn wholes_and_fractions() -> Result {
    let (fraction, whole) = array(&[1.5, -2.75, INF, -INF, -0.0, NAN]).modf()?;
    same(&fraction, &[0.5, -0.75, 0.0, -0.0, -0.0, NAN]);
    same(&whole, &[1.0, -2.0, INF, -INF, -0.0, NAN]);
    assert_eq!(array(&[1.5f32]).modf()?.0.dtype(), DType::F32);
    let (fraction, exponent) = array(&[1.5, -2.75, INF, 0.0, 5e-324]).frexp()?;
    same(&fraction, &[0.75, -0.6875, INF, 0.0, 0.5]);
    same(&exponent, &[1.0, 2.0, 0.0, 0.0, -1073.0]);
    assert_eq!(exponent.dtype(), DType::I32);
    same(&array(&[1.5, 5e-324, 1.0]).ldexp(&array(&[3, 60, -1074]))?, &[12.0, 5.696189077778436e-306, 5e-324]);
    assert!(array(&[1.5]).ldexp(&array(&[1.0])).unwrap_err().to_string().contains("integers"));
    let (q, r) = array(&[7.0, -7.0, 7.5]).divmod(&array(&[2.0, 2.0, -2.0]))?;
    same(&q, &[3.0, -4.0, -4.0]);
    same(&r, &[1.0, 1.0, -0.5]);
    Ok(())
}

#[test]
fn quotient_and_remainder_are_those_of_their_functions() -> Result {
    let x = array(&[i32::MIN, i32::MIN, 7, -7, 7, -7, 0, i32::MAX]).expand_dims(1)?;
    let some = [-1, 1, 2, -2, 3, i32::MIN, i32::MAX];
    for divisors in [&some[..], &[2, 0, -1], &some.repeat(32), &[2, 0, -1].repeat(64)] {
        for dtype in [DType::I32, DType::I8, DType::U16, DType::U64] {
            let (x, y) = (x.astype(DType::I64)?.astype(dtype)?, array(divisors).astype(DType::I64)?.astype(dtype)?);
            let (q, r) = x.divmod(&y)?;
            assert_eq!((r.dtype(), r.shape()), (dtype, &[8, divisors.len()][..]));
            same(&q, &x.floor_divide(&y)?.astype(DType::F64)?.to_vec::<f64>()?);
            same(&r, &x.remainder(&y)?.astype(DType::F64)?.to_vec::<f64>()?);
        }
    }
    Ok(())
}

#[test]
fn numbers_in_place_of_none() -> Result {
    same(&array(&[NAN, INF, -INF, 1.5]).nan_to_num(0.0, None, None)?, &[0.0, f64::MAX, f64::MIN, 1.5]);
    same(&array(&[f32::NAN, f32::INFINITY]).nan_to_num(7.0, Some(1.0), None)?, &[7.0, 1.0]);
    let z = array(&[Complex::new(NAN, INF), Complex::new(-INF, -0.0)]).nan_to_num(0.0, None, None)?;
    let [a, b] = z.to_vec::<Complex<f64>>()?[..] else { panic!("{z}") };
    assert_eq!((a, b.re, b.im.to_bits()), (Complex::new(0.0, f64::MAX), f64::MIN, (-0.0f64).to_bits()));
    assert_eq!(array(&[3]).nan_to_num(0.0, None, None)?.to_vec::<i32>()?, [3]);
    Ok(())
}

#[test]
fn closeness_is_relative_to_the_second() -> Result {
    let t = Tolerance::default();
    let (x, y) = ([1e10, 1e-8, INF, NAN, 1.0], [1.00001e10, 1e-9, INF, NAN, INF]);
    assert_eq!(array(&x).isclose(&array(&y), t)?.to_vec::<bool>()?, [true, true, true, false, false]);
    let nan = array(&[NAN, 1.0]).isclose(&array(&[NAN, NAN]), Tolerance { equal_nan: true, ..t })?;
    assert_eq!(nan.to_vec::<bool>()?, [true, false]);
    assert_eq!(array(&[1u8, 2]).isclose(&array(&[2u8, 2]), t)?.to_vec::<bool>()?, [false, true]);
    assert!(array(&[1.0, 2.0]).allclose(&array(&[1.0 + 1e-9, 2.0]), t)? && !array(&[1.0]).allclose(&array(&[1.1]), t)?);
    Ok(())
}

#[test]
fn products_and_sums_in_one_rounding() -> Result {
    let x = array(&[1.0 + f64::EPSILON, 3.0, f64::MAX, INF, NAN]);
    let y = array(&[1.0 - f64::EPSILON, 0.1, 2.0, 0.0, 1.0]);
    let z = array(&[-1.0, -0.3, -f64::MAX, 1.0, 1.0]);
    same(&x.fma(&y, &z)?, &[-f64::EPSILON * f64::EPSILON, 2.7755575615628914e-17, f64::MAX, NAN, NAN]);
    same(&array(&[1.0, 2.0, 3.0]).fma(2.0, &array(&[10.0]))?, &[12.0, 14.0, 16.0]);
    assert_eq!(array(&[2.0f32]).fma(3.0, &array(&[0.5f64]))?.dtype(), DType::F64);
    let column = array(&[1.0f32, 2.0]).reshape(&[2, 1])?;
    let made = column.fma(&array(&[1.0f32, 10.0, 100.0]), &column)?;
    assert_eq!((made.shape(), made.dtype()), (&[2, 3][..], DType::F32));
    same(&made, &[2.0, 11.0, 101.0, 4.0, 22.0, 202.0]);
    let error = array(&[1, 2]).fma(3, 4).unwrap_err().to_string();
    assert!(error.contains("fma") && error.contains("int32") && error.contains("float64"), "{error}");
    Ok(())
}

#[test]
fn from_one_array_to_another() -> Result {
    let (start, end) = (array(&[0.1, -2.0, INF]), array(&[0.7, 6.0, 1.0]));
    same(&start.lerp(&end, 0.0)?, &[0.1, -2.0, INF]);
    same(&start.lerp(&end, 1.0)?, &[0.7, 6.0, 1.0]);
    same(&start.lerp(&end, 0.25)?, &[0.25, 0.0, INF]);
    same(&array(&[0.0, 10.0]).lerp(20.0, &array(&[2.0, -1.0]))?, &[40.0, 0.0]);
    let weights = array(&[0.0f32, 0.5, 1.0]).reshape(&[3, 1])?;
    same(&array(&[1.0f32, 2.0]).lerp(&array(&[3.0f32, 6.0]), &weights)?, &[1.0, 2.0, 2.0, 4.0, 3.0, 6.0]);
    assert!(array(&[1, 2]).lerp(3, 1).unwrap_err().to_string().starts_with("lerp: "));
    Ok(())
}
