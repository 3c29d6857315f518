//! Operators between numbers of the program text, with Python's results: they keep no width, so that `2 * 3.5 * x` has the
//! dtype of `x`.
use super::error::Problem;
use freelane::Scalar;
use num_complex::Complex;

/// The result of a prefix operator, under its function's name.
pub fn unary(op: &str, x: Scalar) -> Result<Scalar, Problem> {
    match (op, x) {
        (_, Scalar::Bool(b)) => unary(op, Scalar::Int(b.into())),
        ("positive", x) => Ok(x),
        ("negative", Scalar::Int(i)) => whole(op, i.checked_neg()),
        ("negative", Scalar::Float(f)) => Ok(Scalar::Float(-f)),
        ("negative", Scalar::Complex(z)) => Ok(Scalar::Complex(-z)),
        ("bitwise_invert", Scalar::Int(i)) => whole(op, Some(!i)),
        _ => Err(Problem::misuse(format!("{op} is not defined for {x}"))),
    }
}

/// The result of an infix operator, under its function's name.
pub fn binary(op: &str, a: Scalar, b: Scalar) -> Result<Scalar, Problem> {
    match (a, b) {
        (Scalar::Bool(a), Scalar::Bool(b)) if op.starts_with("bitwise_") && !op.ends_with("shift") => {
            Ok(logic(op, a, b))
        }
        (Scalar::Complex(_), _) | (_, Scalar::Complex(_)) => complexes(op, to_complex(a), to_complex(b)),
        (Scalar::Float(_), _) | (_, Scalar::Float(_)) => floats(op, to_float(a), to_float(b)),
        _ => integers(op, to_int(a), to_int(b)),
    }
}

fn logic(op: &str, a: bool, b: bool) -> Scalar {
    Scalar::Bool(match op {
        "bitwise_and" => a & b,
        "bitwise_or" => a | b,
        _ => a ^ b,
    })
}

fn integers(op: &str, a: i128, b: i128) -> Result<Scalar, Problem> {
    let zero = |value: Option<i128>| value.ok_or_else(|| Problem::misuse("division by zero"));
    let value = match op {
        "add" => a.checked_add(b),
        "subtract" => a.checked_sub(b),
        "multiply" => a.checked_mul(b),
        "floor_divide" => Some(zero(a.checked_div_euclid(b).map(|_| floor_divide(a, b)))?),
        "remainder" => Some(zero(a.checked_rem_euclid(b).map(|_| a - b * floor_divide(a, b)))?),
        "pow" if b >= 0 => u32::try_from(b).ok().and_then(|b| a.checked_pow(b)),
        "bitwise_and" => Some(a & b),
        "bitwise_or" => Some(a | b),
        "bitwise_xor" => Some(a ^ b),
        "bitwise_left_shift" | "bitwise_right_shift" if b < 0 => {
            return Err(Problem::misuse("a shift cannot be negative"));
        }
        "bitwise_left_shift" if b < 64 => a.checked_mul(1 << b),
        "bitwise_left_shift" => None,
        "bitwise_right_shift" => Some(a >> b.min(127)),
        "divide" if b == 0 => return Err(Problem::misuse("division by zero")),
        "divide" | "pow" => return floats(op, a as f64, b as f64),
        _ => return compare(op, a.partial_cmp(&b)).ok_or_else(|| undefined(op, "whole numbers")),
    };
    whole(op, value)
}

/// A whole number that some integer dtype holds.
fn whole(op: &str, value: Option<i128>) -> Result<Scalar, Problem> {
    let fits = |v: &i128| (i128::from(i64::MIN)..=i128::from(u64::MAX)).contains(v);
    value.filter(fits).map(Scalar::Int).ok_or_else(|| Problem::misuse(format!("{op}: the result does not fit 64 bits")))
}

fn floor_divide(a: i128, b: i128) -> i128 {
    let towards_zero = a / b;
    if a % b != 0 && (a < 0) != (b < 0) { towards_zero - 1 } else { towards_zero }
}

fn floats(op: &str, a: f64, b: f64) -> Result<Scalar, Problem> {
    if b == 0.0 && matches!(op, "divide" | "floor_divide" | "remainder") {
        return Err(Problem::misuse("division by zero"));
    }
    let value = match op {
        "add" => a + b,
        "subtract" => a - b,
        "multiply" => a * b,
        "divide" => a / b,
        "floor_divide" => floor_and_rest(a, b).0,
        "remainder" => floor_and_rest(a, b).1,
        "pow" if a < 0.0 && b.fract() != 0.0 => return complexes(op, a.into(), b.into()),
        "pow" if a == 0.0 && b < 0.0 => return Err(Problem::misuse("0 cannot be raised to a negative power")),
        "pow" => a.powf(b),
        _ => return compare(op, a.partial_cmp(&b)).ok_or_else(|| undefined(op, "real numbers")),
    };
    Ok(Scalar::Float(value))
}

/// `a // b` and `a % b` as Python has them: the remainder is exact and has the sign of the divisor.
fn floor_and_rest(a: f64, b: f64) -> (f64, f64) {
    let mut rest = a % b;
    let mut quotient = (a - rest) / b;
    if rest == 0.0 {
        rest = 0.0f64.copysign(b);
    } else if (b < 0.0) != (rest < 0.0) {
        rest += b;
        quotient -= 1.0;
    }
    let floor = quotient.floor();
    let nearest = if quotient - floor > 0.5 { floor + 1.0 } else { floor };
    (if quotient == 0.0 { 0.0f64.copysign(a / b) } else { nearest }, rest)
}

/// `a / b`, scaled by the larger part of `b` so that nothing overflows on the way (Smith, 1962).
fn quotient(a: Complex<f64>, b: Complex<f64>) -> Complex<f64> {
    if b.re.abs() >= b.im.abs() {
        let ratio = b.im / b.re;
        let scale = b.re + b.im * ratio;
        Complex::new((a.re + a.im * ratio) / scale, (a.im - a.re * ratio) / scale)
    } else {
        let ratio = b.re / b.im;
        let scale = b.re * ratio + b.im;
        Complex::new((a.re * ratio + a.im) / scale, (a.im * ratio - a.re) / scale)
    }
}

fn complexes(op: &str, a: Complex<f64>, b: Complex<f64>) -> Result<Scalar, Problem> {
    let value = match op {
        "add" => a + b,
        "subtract" => a - b,
        "multiply" => a * b,
        "divide" if b == Complex::new(0.0, 0.0) => return Err(Problem::misuse("division by zero")),
        "divide" => quotient(a, b),
        "pow" if b.im == 0.0 && b.re.fract() == 0.0 && b.re.abs() <= 100.0 => a.powi(b.re as i32),
        "pow" => a.powc(b),
        "equal" => return Ok(Scalar::Bool(a == b)),
        "not_equal" => return Ok(Scalar::Bool(a != b)),
        _ => return Err(undefined(op, "complex numbers")),
    };
    Ok(Scalar::Complex(value))
}

fn compare(op: &str, order: Option<std::cmp::Ordering>) -> Option<Scalar> {
    let holds = match op {
        "equal" => order.is_some_and(|o| o.is_eq()),
        "not_equal" => order.is_none_or(|o| o.is_ne()),
        "less" => order.is_some_and(|o| o.is_lt()),
        "less_equal" => order.is_some_and(|o| o.is_le()),
        "greater" => order.is_some_and(|o| o.is_gt()),
        "greater_equal" => order.is_some_and(|o| o.is_ge()),
        _ => return None,
    };
    Some(Scalar::Bool(holds))
}

fn undefined(op: &str, of: &str) -> Problem {
    Problem::misuse(format!("{op} is not defined for {of}"))
}

fn to_int(s: Scalar) -> i128 {
    match s {
        Scalar::Bool(b) => b.into(),
        Scalar::Int(i) => i,
        Scalar::Float(f) => f as i128,
        Scalar::Complex(z) => z.re as i128,
    }
}

fn to_float(s: Scalar) -> f64 {
    match s {
        Scalar::Float(f) => f,
        other => to_int(other) as f64,
    }
}

fn to_complex(s: Scalar) -> Complex<f64> {
    match s {
        Scalar::Complex(z) => z,
        other => to_float(other).into(),
    }
}
