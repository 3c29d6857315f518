//! Arrays as values: sharing, copying, indexing, joining, errors.
use freelane_ops::{Array, DType, Index, OpsError, Slice, concat, stack};
use half::f16;

type Result<T = ()> = std::result::Result<T, OpsError>;

fn range(n: i64, shape: &[isize]) -> Result<Array> {
    Array::arange(0, n, 1)?.reshape(shape)
}

fn message<T>(r: Result<T>) -> String {
    r.map_or_else(|e| e.to_string(), |_| "no error".to_owned())
}

#[test]
fn a_write_is_seen_through_no_other_array() -> Result {
    let mut x = range(6, &[2, 3])?;
    let (clone, row, turned) = (x.clone(), x.index(&[Index::At(0)])?, x.t());
    x.assign(&[Index::At(0)], 9)?;
    x += 1;
    assert_eq!(x.to_vec::<i64>()?, [10, 10, 10, 4, 5, 6]);
    assert_eq!(clone.to_vec::<i64>()?, [0, 1, 2, 3, 4, 5]);
    assert_eq!(row.to_vec::<i64>()?, [0, 1, 2]);
    assert_eq!(turned.to_vec::<i64>()?, [0, 3, 1, 4, 2, 5]);
    Ok(())
}

#[test]
fn a_lone_array_is_written_in_place() -> Result {
    let mut x = Array::zeros(&[1000], DType::F64)?;
    let at = x.data().as_ptr();
    x += 1.0;
    x.assign(&[Slice { start: Some(10), stop: Some(20), step: 3 }.into()], 5.0)?;
    assert_eq!(x.data().as_ptr(), at);
    assert_eq!(x.sum(.., false)?.item::<f64>()?, 996.0 + 20.0);
    Ok(())
}

#[test]
fn overlapping_parts_of_one_array_are_assigned_as_values() -> Result {
    let mut x = range(6, &[6])?;
    let from = x.index(&[Slice { start: None, stop: Some(-1), step: 1 }.into()])?;
    x.assign(&[Slice { start: Some(1), stop: None, step: 1 }.into()], &from)?;
    assert_eq!(x.to_vec::<i64>()?, [0, 0, 1, 2, 3, 4]);
    let reversed = x.flip(..)?;
    x.assign(&[], &reversed)?;
    assert_eq!(x.to_vec::<i64>()?, [4, 3, 2, 1, 0, 0]);
    let mut repeated = Array::ones(&[1], DType::F32)?.broadcast_to(&[3])?;
    repeated.assign(&[Index::At(1)], 7.0)?;
    assert_eq!(repeated.to_vec::<f32>()?, [1.0, 7.0, 1.0]);
    Ok(())
}

#[test]
fn assigning_keeps_the_dtype_or_says_why_not() -> Result {
    let mut x = Array::zeros(&[2], DType::U8)?;
    assert_eq!(message(x.assign(&[], 256)), "assign: 256 is out of range for uint8");
    assert!(
        message(x.assign(&[], 1.5))
            .starts_with("assign: the result is float64 and cannot be written to an output of uint8")
    );
    assert_eq!(
        message(x.assign(&[], &range(3, &[3])?)),
        "assign: the result is int64 and cannot be written to an output of uint8; give an output of int64 or convert the operands with astype"
    );
    let mut y = Array::zeros(&[2, 2], DType::F32)?;
    assert_eq!(message(y.assign(&[], &range(3, &[3])?)), "assign: shapes (2, 2) and (3,) do not broadcast");
    assert_eq!(message(y.assign(&[Index::At(2)], 0)), "assign: index 2 is out of range for axis 0 of length 2");
    y.assign(&[], &range(2, &[2])?)?;
    assert_eq!(y.to_vec::<f32>()?, [0.0, 1.0, 0.0, 1.0]);
    Ok(())
}

#[test]
fn shapes_change_without_copies_where_strides_allow() -> Result {
    let x = range(24, &[2, 3, 4])?;
    let same = |a: &Array, b: &Array| a.data().buffer().as_ptr() == b.data().buffer().as_ptr();
    assert!(same(&x, &x.reshape(&[6, -1])?) && same(&x, &x.permute_dims(&[2, 0, 1])?) && same(&x, &x.flip(1)?));
    assert!(!same(&x, &x.t().reshape(&[-1])?));
    assert_eq!(x.t().reshape(&[-1])?.to_vec::<i64>()?[..4], [0, 12, 4, 16]);
    assert_eq!(message(x.reshape(&[5, -1])), "reshape: cannot reshape (2, 3, 4) (24 elements) into (5, -1)");
    assert_eq!(message(x.reshape(&[-1, -1])), "reshape: cannot reshape (2, 3, 4) (24 elements) into (-1, -1)");
    assert_eq!(message(x.reshape(&[isize::MAX, isize::MAX])).split(':').next(), Some("reshape"));
    assert_eq!(x.expand_dims(-1)?.squeeze(&[-1])?.shape(), x.shape());
    assert_eq!(
        message(x.squeeze(&[0])),
        "squeeze: axis 0 has length 2 and cannot be squeezed, only axes of length 1 can"
    );
    Ok(())
}

#[test]
fn joining() -> Result {
    let (a, b) = (range(4, &[2, 2])?, Array::ones(&[2, 1], DType::F32)?);
    let c = concat(&[&a, &b], 1)?;
    assert_eq!((c.dtype(), c.shape()), (DType::F64, &[2, 3][..]));
    assert_eq!(c.to_vec::<f64>()?, [0.0, 1.0, 1.0, 2.0, 3.0, 1.0]);
    assert_eq!(stack(&[&a, &a.t()], -1)?.to_vec::<i64>()?, [0, 0, 1, 2, 2, 1, 3, 3]);
    assert_eq!(message(concat(&[], 0)), "concat: needs at least one array");
    assert_eq!(
        message(concat(&[&a, &b], 0)),
        "concat: arrays must have one shape apart from axis 0, not [2, 2] and [2, 1]"
    );
    assert_eq!(message(stack(&[&a, &b], 0)), "stack: arrays must have one shape, not [2, 2] and [2, 1]");
    Ok(())
}

#[test]
fn impossible_sizes_are_errors_and_the_process_goes_on() -> Result {
    for shape in [&[1usize << 60][..], &[1 << 40, 1 << 40], &[usize::MAX], &[usize::MAX, usize::MAX], &[1 << 47]] {
        let e = message(Array::zeros(shape, DType::F64));
        assert!(e.contains("memory"), "{shape:?}: {e}");
        assert!(Array::ones(shape, DType::C128).is_err());
        assert_eq!(Array::zeros(&[3], DType::F64)?.sum(.., false)?.item::<f64>()?, 0.0);
    }
    let wide = Array::ones(&[1], DType::F64)?.broadcast_to(&[1 << 50])?;
    assert!(message(wide.add(1.0)).contains("memory"));
    assert!(message(wide.copy()).contains("memory"));
    assert!(Array::linspace(0.0, 1.0, 1 << 60).is_err() && Array::arange(0, i64::MAX, 1).is_err());
    assert!(Array::ones(&[1], DType::U8)?.broadcast_to(&[1 << 40, 1 << 40]).is_err());
    Ok(())
}

#[test]
fn creation() -> Result {
    assert_eq!(Array::arange(5, 0, -2)?.to_vec::<i64>()?, [5, 3, 1]);
    assert!(Array::arange(0, 5, -1)?.is_empty() && Array::arange(5, 5, 1)?.is_empty());
    assert_eq!(Array::arange(i64::MIN, i64::MAX, i64::MAX)?.to_vec::<i64>()?, [i64::MIN, -1, i64::MAX - 1]);
    assert_eq!(Array::arange_f64(0.0, 1.0, 0.25)?.to_vec::<f64>()?, [0.0, 0.25, 0.5, 0.75]);
    assert!(Array::arange_f64(0.0, f64::NAN, 1.0).is_err() && Array::arange_f64(0.0, 1.0, 0.0).is_err());
    assert_eq!(Array::linspace(0.0, 1.0, 3)?.to_vec::<f64>()?, [0.0, 0.5, 1.0]);
    assert_eq!(Array::linspace(3.0, 9.0, 1)?.to_vec::<f64>()?, [3.0]);
    assert_eq!(Array::eye(2, 3, 1, DType::I8)?.to_vec::<i8>()?, [0, 1, 0, 0, 0, 1]);
    assert_eq!(Array::eye(3, 2, -1, DType::I8)?.to_vec::<i8>()?, [0, 0, 1, 0, 0, 1]);
    assert!(Array::eye(2, 2, isize::MIN, DType::F16)?.to_vec::<f16>()?.iter().all(|x| x.to_f32() == 0.0));
    assert_eq!(message(Array::full(&[1], 300, DType::I8)), "full: 300 is out of range for int8");
    let i = num_complex::Complex::new(0.0, 1.0);
    assert_eq!(message(Array::full(&[1], i, DType::F32)), "full: (0+1j) is out of range for float32");
    assert_eq!(Array::from_slice(&[-0.0])?.sign()?.item::<f64>()?.to_bits(), 0);
    Ok(())
}

#[test]
fn conversions_follow_their_rules() -> Result {
    let x = Array::from_slice(&[-1.9, 0.0, 3e9, f64::NAN])?;
    assert_eq!(x.astype(DType::I32)?.to_vec::<i32>()?, [-1, 0, i32::MAX, 0]);
    assert_eq!(x.astype(DType::Bool)?.to_vec::<bool>()?, [true, false, true, true]);
    assert_eq!(Array::arange(-1, 2, 1)?.astype(DType::U8)?.to_vec::<u8>()?, [255, 0, 1]);
    Ok(())
}

#[test]
fn integer_edges_do_not_trap() -> Result {
    let x = Array::from_slice(&[i64::MIN, -7, 7, 0])?;
    let y = Array::from_slice(&[-1i64, 2, -2, 0])?;
    assert_eq!(x.floor_divide(&y)?.to_vec::<i64>()?, [i64::MIN, -4, -4, 0]);
    assert_eq!(x.remainder(&y)?.to_vec::<i64>()?, [0, 1, -1, 0]);
    assert_eq!(x.abs()?.to_vec::<i64>()?, [i64::MIN, 7, 7, 0]);
    assert_eq!(x.pow(2)?.to_vec::<i64>()?, [0, 49, 49, 0]);
    assert_eq!(
        message(x.pow(-1)),
        "pow: integers take no negative exponents; convert one operand to a float with astype"
    );
    assert_eq!(message(x.pow(&y)).split(';').next(), Some("pow: integers take no negative exponents"));
    let (square, turned) = (x.reshape(&[2, 2])?, y.reshape(&[2, 2])?.t());
    assert_eq!(message(square.pow(&turned)).split(';').next(), Some("pow: integers take no negative exponents"));
    let exponents = Array::from_slice(&[0i64, 1, 2, 3])?.reshape(&[2, 2])?.t();
    assert_eq!(square.pow(&exponents)?.to_vec::<i64>()?, [1, 49, 7, 0]);
    assert_eq!(x.divide(&y)?.to_vec::<f64>()?[..3], [9223372036854775808.0, -3.5, -3.5]);
    Ok(())
}

#[test]
fn unsupported_types_name_what_is_supported() -> Result {
    let flags = Array::from_slice(&[true])?;
    assert_eq!(
        message(flags.subtract(&flags)),
        "subtract: not defined for bool and bool; it takes uint8, int8, uint16, int16, uint32, int32, uint64, int64, float16, bfloat16, float32, float64, complex64, complex128"
    );
    let z = Array::zeros(&[1], DType::C64)?;
    assert!(message(z.less(&z)).starts_with("less: not defined for complex64 and complex64"));
    assert!(message(z.max(.., false)).starts_with("max: not defined for complex64"));
    Ok(())
}

#[test]
fn reductions_of_nothing() -> Result {
    let x = Array::zeros(&[2, 0], DType::F64)?;
    assert_eq!(x.sum(.., false)?.item::<f64>()?, 0.0);
    assert_eq!(x.sum(1, false)?.to_vec::<f64>()?, [0.0, 0.0]);
    assert!(x.mean(1, false)?.to_vec::<f64>()?.iter().all(|v| v.is_nan()));
    assert_eq!(x.sum(0, false)?.shape(), [0]);
    assert_eq!(x.max(0, false)?.shape(), [0]);
    assert_eq!(
        message(x.max(1, false)),
        "max: an array of shape [2, 0] has no elements to reduce, and no value stands for none"
    );
    assert!(!x.any(.., false)?.item::<bool>()? && x.all(.., false)?.item::<bool>()?);
    assert_eq!(message(x.sum([0, -2], false)), "sum: axes (0, -2) must name each of the 2 axes once");
    let y = range(6, &[2, 3])?;
    assert_eq!(y.sum([], false)?.to_vec::<i64>()?, y.to_vec::<i64>()?);
    assert_eq!(y.var(0, 1.0, true)?.shape(), [1, 3]);
    assert_eq!(y.var(0, 1.0, false)?.to_vec::<f64>()?, [4.5, 4.5, 4.5]);
    assert_eq!(y.std(.., 0.0, false)?.item::<f64>()?, (35.0f64 / 12.0).sqrt());
    Ok(())
}
