//! Sums, products, quotients and what belongs to them.
use crate::reductions::MIN;
use crate::{Array, Axes, InOp, Operand, OpsError, ReduceArgs, Scalar};
use freelane_array::{ArrayData, DType, Element, Kind};
use freelane_kernels::elementwise as k;
use freelane_pool::Lane;

ufuncs! {
    /// The sum of two arrays. Integers wrap; for booleans it is "or".
    add ADD (x, y) {
        loops: { bool: k::Add, wrapping: k::Add, floats: k::Add, complex: k::Add },
        promotion: Same, cost: 0.3, domain: (-100.0, 100.0), ulp: 0.5, onnx: ("Add", 7),
    }
    /// The difference of two arrays. Integers wrap; booleans have none.
    subtract SUBTRACT (x, y) {
        loops: { wrapping: k::Subtract, floats: k::Subtract, complex: k::Subtract },
        promotion: Same, cost: 0.3, domain: (-100.0, 100.0), ulp: 0.5, onnx: ("Sub", 7),
    }
    /// The product of two arrays. Integers wrap; for booleans it is "and".
    multiply MULTIPLY (x, y) {
        loops: { bool: k::Multiply, wrapping: k::Multiply, floats: k::Multiply, complex: k::Multiply },
        promotion: Same, cost: 0.3, domain: (-100.0, 100.0), ulp: 0.5, onnx: ("Mul", 7),
    }
    /// The quotient of two arrays. Integers are divided as `f64`.
    divide DIVIDE (x, y) {
        loops: { floats: k::Divide, complex: k::Divide },
        promotion: Double, cost: 0.5, domain: (0.5, 100.0), ulp: 0.5,
    }
    /// The quotient rounded towards negative infinity. An integer divided by zero gives 0.
    floor_divide FLOOR_DIVIDE (x, y) {
        loops: { ints: k::FloorDivide, floats: k::FloorDivide },
        promotion: Same, cost: 1.5, domain: (1.0, 100.0), ulp: 0.5, derivative: Zero,
    }
    /// What `floor_divide` leaves; it has the sign of the divisor. An integer's remainder by zero is 0.
    remainder REMAINDER (x, y) {
        loops: { ints: k::Remainder, floats: k::Remainder },
        promotion: Same, cost: 3.0, domain: (1.0, 100.0), ulp: 0.5,
    }
    /// The first array raised to the power of the second. Integers wrap, and take no negative exponents.
    pow POW (x, y) {
        loops: { ints: k::Pow, floats: k::Pow, complex: k::Pow },
        promotion: Same, cost: 3.0, domain: (0.1, 20.0), ulp: 2.0, onnx: ("Pow", 7), check: no_negative_exponents,
    }
    /// The array with its sign reversed. Unsigned integers wrap.
    negative NEGATIVE (x) {
        loops: { wrapping: k::Negative, floats: k::Negative, complex: k::Negative },
        promotion: Same, cost: 0.3, domain: (-100.0, 100.0), ulp: 0.5, onnx: ("Neg", 6),
    }
    /// The array itself.
    positive POSITIVE (x) {
        loops: { wrapping: k::Positive, floats: k::Positive, complex: k::Positive },
        promotion: Same, cost: 0.3, domain: (-100.0, 100.0), ulp: 0.5, onnx: ("Identity", 1),
    }
    /// The absolute value; of a complex number its modulus.
    abs ABS (x) {
        loops: { ints: k::Absolute, floats: k::Absolute, complex: k::Absolute },
        promotion: Same, cost: 0.3, domain: (-100.0, 100.0), ulp: 1.0, onnx: ("Abs", 6),
    }
    /// -1, 0 or 1 by the sign; of a complex number, that divided by its modulus. NaN stays NaN.
    sign SIGN (x) {
        loops: { ints: k::Sign, floats: k::Sign, complex: k::Sign },
        promotion: Same, cost: 0.4, domain: (-100.0, 100.0), ulp: 0.5, onnx: ("Sign", 9), derivative: Zero,
    }
    /// The square. Integers wrap.
    square SQUARE (x) {
        loops: { wrapping: k::Square, floats: k::Square, complex: k::Square },
        promotion: Same, cost: 0.3, domain: (-100.0, 100.0), ulp: 0.5,
    }
    /// The square root; NaN for negative numbers.
    sqrt SQRT (x) {
        loops: { floats: k::Sqrt, complex: k::Sqrt },
        promotion: Float, cost: 1.2, domain: (0.0, 100.0), ulp: 0.5, onnx: ("Sqrt", 6),
    }
    /// One divided by the array.
    reciprocal RECIPROCAL (x) {
        loops: { floats: k::Reciprocal, complex: k::Reciprocal },
        promotion: Double, cost: 0.5, domain: (0.5, 100.0), ulp: 0.5, onnx: ("Reciprocal", 6),
    }
    /// The complex conjugate; a real number itself.
    conj CONJ (x) {
        loops: { wrapping: k::Positive, floats: k::Positive, complex: k::Conjugate },
        promotion: Same, cost: 0.3, domain: (-100.0, 100.0), ulp: 0.5,
    }
    /// The magnitude of the first array with the sign of the second.
    copysign COPYSIGN (x, y) {
        loops: { floats: k::CopySign },
        promotion: Float, cost: 0.4, domain: (-4.0, 4.0), ulp: 0.5,
    }
    /// The next number of its type after the first array's, towards the second's.
    nextafter NEXTAFTER (x, y) {
        loops: { narrow: k::NextAfter },
        promotion: Float, cost: 0.8, domain: (-4.0, 4.0), ulp: 0.5,
    }
    /// The lesser of two arrays; NaN if either is.
    minimum MINIMUM (x, y) {
        loops: { bool: k::Minimum, ints: k::Minimum, floats: k::Minimum },
        promotion: Same, cost: 0.4, domain: (-100.0, 100.0), ulp: 0.5, onnx: ("Min", 8),
    }
    /// The greater of two arrays; NaN if either is.
    maximum MAXIMUM (x, y) {
        loops: { bool: k::Maximum, ints: k::Maximum, floats: k::Maximum },
        promotion: Same, cost: 0.4, domain: (-100.0, 100.0), ulp: 0.5, onnx: ("Max", 8),
    }
    /// The lesser of two arrays; of a number and NaN the number.
    fmin FMIN (x, y) {
        loops: { bool: k::FMin, ints: k::FMin, floats: k::FMin },
        promotion: Same, cost: 0.4, domain: (-100.0, 100.0), ulp: 0.5,
    }
    /// The greater of two arrays; of a number and NaN the number.
    fmax FMAX (x, y) {
        loops: { bool: k::FMax, ints: k::FMax, floats: k::FMax },
        promotion: Same, cost: 0.4, domain: (-100.0, 100.0), ulp: 0.5,
    }
    /// The first array times the second, plus the third, rounded once.
    fma FMA (x1, x2, x3) {
        loops: { floats: k::Fma },
        promotion: Same, cost: 0.4, domain: (-4.0, 4.0), ulp: 0.5,
    }
    /// `start + weight (end - start)`: exactly `start` and `end` at the weights 0 and 1, whatever the other one is.
    lerp LERP (start, end, weight) {
        loops: { floats: k::Lerp },
        promotion: Same, cost: 0.4, domain: (0.0, 1.0), ulp: 2.0,
    }
    /// What a division towards zero leaves; it has the sign of the first array. An integer's remainder by zero is 0.
    fmod FMOD (x, y) {
        loops: { ints: k::Fmod, floats: k::Fmod },
        promotion: Same, cost: 3.0, domain: (1.0, 100.0), ulp: 0.5,
    }
}

/// Integer powers with a negative exponent are fractions, which integers cannot hold.
fn no_negative_exponents(args: &[Operand<'_>], dtype: DType) -> Result<(), OpsError> {
    let negative = match args.get(1) {
        _ if dtype.kind() != Kind::Signed => false,
        Some(Operand::Scalar(Scalar::Int(i))) => *i < 0,
        Some(Operand::Array(y)) => has_negative(y)?,
        _ => false,
    };
    let message = "integers take no negative exponents; convert one operand to a float with astype";
    if negative { Err(OpsError::argument("pow", message)) } else { Ok(()) }
}

fn has_negative(y: &ArrayData) -> Result<bool, OpsError> {
    fn any<T: Element + PartialOrd>(y: &ArrayData) -> Result<bool, OpsError> {
        if y.layout().is_empty() {
            return Ok(false);
        }
        if let Some(all) = y.view::<T>().in_op("pow")?.as_slice() {
            // Without an early end in the inner loop, which is then vector code.
            return Ok(all.chunks(1024).any(|c| c.iter().fold(false, |any, e| any | (*e < T::default()))));
        }
        if let ([n], [stride]) = (y.layout().shape(), y.layout().strides()) {
            let first = y.as_ptr().cast::<T>();
            // SAFETY: the array has these elements, `stride` apart from the first one on.
            let at = |i: usize| unsafe { first.wrapping_offset(i as isize * stride).read() };
            return Ok((0..*n).fold(false, |any, i| any | (at(i) < T::default())));
        }
        let all = ReduceArgs { axes: Axes::All, keepdims: false, correction: 0.0 };
        let least = Lane::with(|lane| MIN.call(lane, y, &all)).map_err(|e| e.of("pow"))?;
        Ok(Array::from(least).item::<T>()? < T::default())
    }
    match y.dtype() {
        DType::I8 => any::<i8>(y),
        DType::I16 => any::<i16>(y),
        DType::I32 => any::<i32>(y),
        DType::I64 => any::<i64>(y),
        _ => Ok(false),
    }
}
