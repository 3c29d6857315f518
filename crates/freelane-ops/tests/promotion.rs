//! Types of results.
use freelane_ops::{Array, DType, Scalar, promote_types, result_type};

use DType::*;

#[test]
fn table() {
    // NumPy 2: np.result_type(a, b).
    let cases = [
        (U8, U16, U16),
        (I8, I64, I64),
        (U8, I16, I16),
        (U16, I16, I32),
        (U32, I8, I64),
        (U64, I8, F64),
        (Bool, U8, U8),
        (Bool, F16, F16),
        (Bool, C64, C64),
        (I8, F16, F16),
        (U16, F16, F32),
        (I32, F16, F64),
        (I16, F32, F32),
        (I32, F32, F64),
        (U64, F32, F64),
        (I8, C64, C64),
        (I16, C64, C64),
        (I32, C64, C128),
        (F64, C64, C128),
        (F16, F32, F32),
        (F16, BF16, F32),
        (BF16, F64, F64),
        (I8, BF16, BF16),
        (BF16, C64, C64),
    ];
    for (a, b, want) in cases {
        assert_eq!(promote_types(a, b), want, "{a} {b}");
        assert_eq!(promote_types(b, a), want, "{b} {a}");
    }
}

#[test]
fn promotion_is_commutative_and_idempotent() {
    for &a in DType::ALL {
        for &b in DType::ALL {
            let c = promote_types(a, b);
            assert_eq!(c, promote_types(b, a));
            assert_eq!(promote_types(a, c), c, "{a} {b} {c}");
        }
    }
}

#[test]
fn scalars_give_way_within_their_kind() -> Result<(), freelane_ops::OpsError> {
    let cases: [(DType, Scalar, DType); 8] = [
        (F32, 2.into(), F32),
        (F32, 2.5.into(), F32),
        (U8, 2.into(), U8),
        (U8, 2.5.into(), F64),
        (Bool, 2.into(), I64),
        (F32, num_complex::Complex::new(0.0, 1.0).into(), C64),
        (F16, true.into(), F16),
        (I8, true.into(), I8),
    ];
    for (dtype, scalar, want) in cases {
        let x = Array::ones(&[2], dtype)?;
        assert_eq!(result_type(&[(&x).into(), scalar.into()]), want, "{dtype} {scalar}");
        assert_eq!(x.multiply(scalar)?.dtype(), want);
    }
    Ok(())
}

#[test]
fn scalars_out_of_range_are_errors() -> Result<(), freelane_ops::OpsError> {
    let cases = [
        (255i64, U8, true),
        (256, U8, false),
        (-1, U64, false),
        (i64::MAX, I64, true),
        (i64::MAX, I32, false),
        (1 << 40, F32, true),
    ];
    for (value, dtype, fits) in cases {
        assert_eq!(Array::ones(&[1], dtype)?.add(value).is_ok(), fits, "{value} {dtype}");
    }
    let message = Array::ones(&[1], U8)?.add(300).map(|_| ()).map_err(|e| e.to_string());
    assert_eq!(message, Err("add: 300 is out of range for uint8".to_owned()));
    Ok(())
}

/// What NumPy answers: `np.hypot(np.ones(2, "i1"), ...)` is of float16, of 16 bits float32, of more float64.
#[test]
fn functions_of_two_integers_answer_in_the_float_of_their_width() -> Result<(), freelane_ops::OpsError> {
    use freelane_ops::{Array, Operand, ufuncs};
    use freelane_pool::Lane;
    for f in [&ufuncs::ATAN2, &ufuncs::HYPOT, &ufuncs::COPYSIGN, &ufuncs::NEXTAFTER, &ufuncs::LOGADDEXP] {
        for (dtype, want) in
            [(DType::I8, DType::F16), (DType::U8, DType::F16), (DType::I16, DType::F32), (DType::I32, DType::F64)]
        {
            let x = Array::ones(&[2], dtype)?;
            let got = Lane::with(|lane| f.call(lane, &[Operand::from(&x), Operand::from(&x)]))?;
            assert_eq!(got.dtype(), want, "{} of {dtype}", f.name);
        }
    }
    Ok(())
}
