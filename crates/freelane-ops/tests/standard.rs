//! Functions and arguments of the Array API standard, called by name.
use freelane_ops::{Array, DType, Function, OpsError, Scalar, Value, broadcast_arrays, meshgrid, stack};
use freelane_pool::Lane;
use num_complex::Complex;

type Result<T = ()> = std::result::Result<T, OpsError>;

fn call(name: &str, args: &[Value], named: &[(&str, Value)]) -> Result<Array> {
    let function = Function::by_name(name).unwrap_or_else(|| panic!("{name}"));
    Lane::with(|lane| function.call(lane, args, named)).map(|made| made.one().unwrap())
}

fn int(i: i128) -> Value {
    Value::Scalar(Scalar::Int(i))
}

fn float(x: f64) -> Value {
    Value::Scalar(Scalar::Float(x))
}

fn flag(b: bool) -> Value {
    Value::Scalar(Scalar::Bool(b))
}

fn ints(values: &[i128]) -> Value {
    Value::Tuple(values.iter().map(|&i| int(i)).collect())
}

fn array<T: freelane_ops::Element>(values: &[T], shape: &[usize]) -> Value {
    Value::Array(Array::from_vec(values.to_vec(), shape).unwrap())
}

fn range(n: i64, shape: &[isize]) -> Value {
    Value::Array(Array::arange(0, n, 1).unwrap().reshape(shape).unwrap())
}

fn message<T>(r: Result<T>) -> String {
    r.map(|_| ()).unwrap_err().to_string()
}

/// What a call gives as shape and values.
fn values<T: freelane_ops::Element>(r: Result<Array>) -> (Vec<usize>, Vec<T>) {
    let a = r.unwrap();
    (a.shape().to_vec(), a.to_vec().unwrap())
}

#[test]
fn sums_in_a_given_type() -> Result {
    let x = || array(&[100i8, 100, 100], &[3]);
    assert_eq!(call("sum", &[x()], &[])?.dtype(), DType::I64);
    assert_eq!(values::<i8>(call("sum", &[x()], &[("dtype", Value::DType(DType::I8))])).1, [44]);
    assert_eq!(values::<f32>(call("sum", &[x()], &[("dtype", Value::DType(DType::F32))])).1, [300.0]);
    let product = call("prod", &[x(), int(0)], &[("dtype", Value::DType(DType::F64)), ("keepdims", flag(true))]);
    assert_eq!(values::<f64>(product), (vec![1], vec![1e6]));
    assert_eq!(values::<u8>(call("sum", &[array(&[1.7, 1.7], &[2])], &[("dtype", Value::DType(DType::U8))])).1, [2]);
    assert_eq!(values::<f32>(call("mean", &[x()], &[("dtype", Value::DType(DType::F32))])).1, [100.0]);
    assert!(message(call("max", &[x()], &[("dtype", Value::None)])).contains("no parameter named dtype"));
    let sample = call("var", &[array(&[1.0, 3.0], &[2])], &[("correction", float(1.0))]);
    assert_eq!(values::<f64>(sample).1, [2.0]);
    Ok(())
}

#[test]
fn creation_takes_the_standards_arguments() -> Result {
    let open = call("linspace", &[int(0), int(1), int(4)], &[("endpoint", flag(false))]);
    assert_eq!(values::<f64>(open).1, [0.0, 0.25, 0.5, 0.75]);
    let narrow = call("linspace", &[int(1), int(2), int(2)], &[("dtype", Value::DType(DType::F32))]);
    assert_eq!(values::<f32>(narrow).1, [1.0, 2.0]);
    assert_eq!(values::<f64>(call("linspace", &[int(5), int(9), int(1)], &[])).1, [5.0]);
    assert_eq!(values::<f64>(call("linspace", &[int(5), int(9), int(0)], &[])).0, [0]);
    let complex = Value::Scalar(Scalar::Complex(Complex::new(2.0, 4.0)));
    let turned = call("linspace", &[int(0), complex, int(3)], &[]);
    assert_eq!(values::<Complex<f64>>(turned).1[1], Complex::new(1.0, 2.0));
    let eye = call("eye", &[int(2), int(3)], &[("k", int(-1)), ("dtype", Value::DType(DType::I16))]);
    assert_eq!(values::<i16>(eye), (vec![2, 3], vec![0, 0, 0, 1, 0, 0]));
    assert_eq!(call("empty", &[ints(&[2, 3])], &[])?.dtype(), DType::F64);
    let like = call("empty_like", &[array(&[1i8], &[1])], &[("dtype", Value::DType(DType::F16))])?;
    assert_eq!((like.shape(), like.dtype()), (&[1][..], DType::F16));
    for (name, args) in [("ones", vec![int(2)]), ("full", vec![int(2), int(7)]), ("ones_like", vec![range(2, &[2])])] {
        let made = call(name, &args, &[("dtype", Value::DType(DType::U8))])?;
        assert_eq!((made.shape(), made.dtype()), (&[2][..], DType::U8));
    }
    Ok(())
}

#[test]
fn errors_bear_the_name_of_what_was_called() {
    let huge = ints(&[1 << 40, 1 << 40]);
    for name in ["zeros", "ones", "empty"] {
        assert!(message(call(name, std::slice::from_ref(&huge), &[])).starts_with(&format!("{name}: ")), "{name}");
    }
    assert!(message(call("eye", &[int(1 << 62)], &[])).starts_with("eye: "));
    let x = Array::zeros(&[2], DType::F64).unwrap();
    assert!(message(stack(&[&x, &x], 5)).starts_with("stack: "));
    assert!(message(call("full_like", &[array(&[1u8], &[1]), int(300)], &[])).starts_with("full_like: "));
    assert!(message(call("tile", &[range(2, &[2]), ints(&[1 << 60, 1 << 60])], &[])).starts_with("tile: "));
    assert!(message(call("moveaxis", &[range(2, &[2]), int(0), int(1)], &[])).starts_with("moveaxis: "));
    assert!(message(call("clip", &[array(&[Complex::new(1.0, 0.0)], &[1])], &[])).starts_with("clip: not defined"));
}

#[test]
fn integers_compare_with_numbers_that_they_cannot_be() -> Result {
    let x = || array(&[0u8, 255], &[2]);
    let cases = [
        ("less", 256, true, false),
        ("less", -1, false, true),
        ("less_equal", 1000, true, false),
        ("greater", -1, true, false),
        ("greater_equal", 256, false, true),
        ("equal", 256, false, false),
        ("not_equal", -1, true, true),
        ("equal", 1 << 100, false, false),
    ];
    for (name, number, answer, reversed) in cases {
        assert_eq!(values::<bool>(call(name, &[x(), int(number)], &[])).1, [answer; 2], "{name} {number}");
        assert_eq!(values::<bool>(call(name, &[int(number), x()], &[])).1, [reversed; 2], "{name} {number} reversed");
    }
    assert_eq!(values::<bool>(call("less", &[x(), int(255)], &[])).1, [true, false]);
    let none = call("less", &[array::<i16>(&[], &[0, 3]), int(1 << 40)], &[])?;
    assert_eq!((none.shape(), none.dtype()), (&[0, 3][..], DType::Bool));
    assert!(matches!(call("add", &[x(), int(256)], &[]), Err(OpsError::ScalarRange { .. })));
    Ok(())
}

#[test]
fn values_are_clipped() -> Result {
    let x = || array(&[-2.0, f64::NAN, 0.5, 7.0], &[4]);
    let (_, both) = values::<f64>(call("clip", &[x(), int(0), int(1)], &[]));
    assert!(both[1].is_nan() && [both[0], both[2], both[3]] == [0.0, 0.5, 1.0]);
    assert_eq!(values::<f64>(call("clip", &[x()], &[("max", float(0.0))])).1[3], 0.0);
    assert_eq!(values::<f64>(call("clip", &[x(), Value::None, Value::None], &[])).1[3], 7.0);
    let bounds = call("clip", &[range(4, &[2, 2]), array(&[1i64, 2], &[2]), array(&[1i64, 9], &[2, 1])], &[]);
    assert_eq!(values::<i64>(bounds), (vec![2, 2], vec![1, 1, 2, 3]));
    let wider = call("clip", &[array(&[3i64], &[1]), int(0), array(&[1i64, 9], &[2])], &[]);
    assert_eq!(values::<i64>(wider), (vec![2], vec![1, 3]));
    let beyond = call("clip", &[array(&[5u8, 200], &[2]), int(-1), int(1000)], &[])?;
    assert_eq!((beyond.dtype(), beyond.to_vec::<u8>()?), (DType::U8, vec![5, 200]));
    assert!(call("clip", &[array(&[5u8], &[1]), int(256)], &[]).is_err());
    assert_eq!(values::<i64>(call("clip", &[int(5), int(7), int(3)], &[])).1, [3]);
    Ok(())
}

#[test]
fn parts_of_complex_numbers() -> Result {
    let z = Array::from_vec((0..6).map(|i| Complex::new(i as f32, -i as f32)).collect(), &[2, 3])?;
    for x in [z.clone(), z.t().copy()?.t(), z.flip(..)?.copy()?.flip(..)?] {
        let x = || Value::Array(x.clone());
        assert_eq!(values::<f32>(call("real", &[x()], &[])), (vec![2, 3], vec![0.0, 1.0, 2.0, 3.0, 4.0, 5.0]));
        assert_eq!(values::<f32>(call("imag", &[x()], &[])).1, [0.0, -1.0, -2.0, -3.0, -4.0, -5.0]);
        assert_eq!(values::<Complex<f32>>(call("conj", &[x()], &[])).1[2], Complex::new(2.0, 2.0));
    }
    assert_eq!(z.real()?.data().buffer().as_ptr(), z.data().buffer().as_ptr());
    assert_eq!(values::<i64>(call("imag", &[range(2, &[2])], &[])).1, [0, 0]);
    assert_eq!(values::<i64>(call("real", &[range(2, &[2])], &[])).1, [0, 1]);
    assert_eq!(Array::zeros(&[0, 3], DType::C128)?.imag()?.shape(), [0, 3]);
    let nan = array(&[Complex::new(0.0, f64::NAN), Complex::new(f64::INFINITY, 1.0)], &[2]);
    for (name, want) in [("isnan", [true, false]), ("isinf", [false, true]), ("isfinite", [false, false])] {
        assert_eq!(values::<bool>(call(name, std::slice::from_ref(&nan), &[])).1, want, "{name}");
    }
    Ok(())
}

#[test]
fn elements_move() -> Result {
    let x = || range(6, &[2, 3]);
    assert_eq!(values::<i64>(call("roll", &[x(), int(1)], &[])).1, [5, 0, 1, 2, 3, 4]);
    assert_eq!(values::<i64>(call("roll", &[x(), int(-4)], &[("axis", int(1))])).1, [1, 2, 0, 4, 5, 3]);
    assert_eq!(values::<i64>(call("roll", &[x(), ints(&[1, 1])], &[("axis", ints(&[0, -1]))])).1, [5, 3, 4, 2, 0, 1]);
    assert_eq!(values::<i64>(call("roll", &[x(), int(1)], &[("axis", ints(&[0, 1]))])).1, [5, 3, 4, 2, 0, 1]);
    assert_eq!(call("roll", &[range(0, &[0, 3]), int(5)], &[("axis", int(0))])?.shape(), [0, 3]);
    assert_eq!(values::<i64>(call("roll", &[x(), ints(&[])], &[("axis", int(0))])).1, [0, 1, 2, 3, 4, 5]);
    assert!(call("roll", &[x(), ints(&[1, 2])], &[("axis", ints(&[0, 1, 1]))]).is_err());
    let cube = || range(24, &[2, 3, 4]);
    assert_eq!(call("moveaxis", &[cube(), int(0), int(-1)], &[])?.shape(), [3, 4, 2]);
    assert_eq!(call("moveaxis", &[cube(), ints(&[0, 2]), ints(&[1, 0])], &[])?.shape(), [4, 2, 3]);
    assert!(call("moveaxis", &[cube(), ints(&[0, 0]), ints(&[1, 0])], &[]).is_err());
    assert!(call("moveaxis", &[cube(), ints(&[0]), ints(&[1, 0])], &[]).is_err());
    let Value::Array(cube) = cube() else { unreachable!() };
    let planes = cube.unstack(-1)?;
    assert_eq!((planes.len(), planes[3].get::<i64>(&[1, 2])?), (4, 23));
    assert_eq!(stack(&planes.iter().collect::<Vec<_>>(), 2)?.to_vec::<i64>()?, cube.to_vec::<i64>()?);
    assert!(Array::scalar(1)?.unstack(0).is_err());
    let flat = call("concat", &[Value::Tuple(vec![x(), range(2, &[2])])], &[("axis", Value::None)]);
    assert_eq!(values::<i64>(flat).1, [0, 1, 2, 3, 4, 5, 0, 1]);
    Ok(())
}

#[test]
fn elements_are_repeated() -> Result {
    let x = || range(4, &[2, 2]);
    assert_eq!(values::<i64>(call("repeat", &[x(), int(2)], &[])), (vec![8], vec![0, 0, 1, 1, 2, 2, 3, 3]));
    assert_eq!(
        values::<i64>(call("repeat", &[x(), int(2)], &[("axis", int(0))])),
        (vec![4, 2], vec![0, 1, 0, 1, 2, 3, 2, 3])
    );
    let each = call("repeat", &[x(), array(&[0i32, 3], &[2])], &[("axis", int(1))]);
    assert_eq!(values::<i64>(each), (vec![2, 3], vec![1, 1, 1, 3, 3, 3]));
    assert_eq!(values::<i64>(call("repeat", &[x(), int(0)], &[("axis", int(1))])), (vec![2, 0], vec![]));
    assert!(call("repeat", &[x(), int(-1)], &[]).is_err() && call("repeat", &[x(), float(1.5)], &[]).is_err());
    assert!(call("repeat", &[x(), array(&[1i64, 2, 3], &[3])], &[("axis", int(0))]).is_err());
    assert!(call("repeat", &[x(), array(&[i64::MAX, 1], &[2])], &[("axis", int(0))]).is_err());
    assert_eq!(values::<i64>(call("tile", &[x(), int(2)], &[])), (vec![2, 4], vec![0, 1, 0, 1, 2, 3, 2, 3]));
    let deep = call("tile", &[range(2, &[2]), ints(&[2, 1, 2])], &[]);
    assert_eq!(values::<i64>(deep), (vec![2, 1, 4], vec![0, 1, 0, 1, 0, 1, 0, 1]));
    assert_eq!(values::<i64>(call("tile", &[x(), ints(&[2, 1])], &[])), (vec![4, 2], vec![0, 1, 2, 3, 0, 1, 2, 3]));
    assert_eq!(call("tile", &[x(), ints(&[])], &[])?.shape(), [2, 2]);
    assert_eq!(call("tile", &[x(), ints(&[0, 2])], &[])?.shape(), [0, 4]);
    assert_eq!(values::<i64>(call("tile", &[int(7), int(3)], &[])), (vec![3], vec![7, 7, 7]));
    Ok(())
}

#[test]
fn triangles_and_differences() -> Result {
    let x = || range(6, &[2, 3]);
    let cases = [
        ("tril", 0, [0, 0, 0, 3, 4, 0]),
        ("tril", 1, [0, 1, 0, 3, 4, 5]),
        ("tril", -5, [0; 6]),
        ("triu", 0, [0, 1, 2, 0, 4, 5]),
        ("triu", -1, [0, 1, 2, 3, 4, 5]),
        ("triu", 9, [0; 6]),
    ];
    for (name, k, want) in cases {
        assert_eq!(values::<i64>(call(name, &[x()], &[("k", int(k))])).1, want, "{name} {k}");
    }
    let stacked = Array::arange(0, 8, 1)?.reshape(&[2, 2, 2])?.permute_dims(&[0, 2, 1])?;
    assert_eq!(stacked.triu(0)?.to_vec::<i64>()?, [0, 2, 0, 3, 4, 6, 0, 7]);
    assert_eq!(stacked.tril(isize::MAX)?.to_vec::<i64>()?, stacked.to_vec::<i64>()?);
    assert_eq!(Array::zeros(&[3, 0], DType::F32)?.tril(0)?.shape(), [3, 0]);
    assert!(call("tril", &[range(2, &[2])], &[]).is_err());
    let squares = || array(&[0i64, 1, 4, 9], &[4]);
    assert_eq!(values::<i64>(call("diff", &[squares()], &[("n", int(2))])).1, [2, 2]);
    assert_eq!(values::<i64>(call("diff", &[squares()], &[("n", int(9))])).0, [0]);
    let joined = call("diff", &[squares()], &[("prepend", array(&[-1i64], &[1])), ("append", array(&[9i64], &[1]))]);
    assert_eq!(values::<i64>(joined).1, [1, 1, 3, 5, 0]);
    assert_eq!(values::<bool>(call("diff", &[array(&[true, false, false], &[3])], &[])).1, [true, false]);
    assert_eq!(values::<i64>(call("diff", &[x()], &[("axis", int(0))])), (vec![1, 3], vec![3, 3, 3]));
    Ok(())
}

#[test]
fn grids_and_common_shapes() -> Result {
    let (x, y) = (Array::arange(0, 3, 1)?, Array::arange(0, 2, 1)?);
    let rows_first = meshgrid(&[&x, &y], false)?;
    assert_eq!((rows_first[1].shape(), rows_first[1].to_vec::<i64>()?), (&[3, 2][..], vec![0, 1, 0, 1, 0, 1]));
    let three = meshgrid(&[&x, &y, &y], true)?;
    assert!(three.iter().all(|g| g.shape() == [2, 3, 2]));
    assert_eq!(meshgrid(&[&x], true)?[0].shape(), [3]);
    assert!(meshgrid(&[], true)?.is_empty() && meshgrid(&[&rows_first[0]], true).is_err());
    let both = broadcast_arrays(&[&x, &y.expand_dims(1)?])?;
    assert_eq!(both[1].to_vec::<i64>()?, [0, 0, 0, 1, 1, 1]);
    assert!(broadcast_arrays(&[&x, &y]).is_err());
    let free = call("reshape", &[Value::Array(rows_first[0].clone()), int(-1)], &[("copy", flag(false))]);
    assert!(message(free).contains("needs a copy"));
    assert_eq!(call("reshape", &[Value::Array(x), ints(&[3, 1])], &[("copy", flag(false))])?.shape(), [3, 1]);
    let kept = call("astype", &[Value::Array(y), Value::DType(DType::F32)], &[("copy", flag(false))])?;
    assert_eq!(kept.dtype(), DType::F32);
    Ok(())
}
