//! Type promotion: the tables of the Array API standard, and NumPy 2's answers where those leave a mix undefined.
use crate::Scalar;
use freelane_array::{DType, Kind};

/// The type that holds values of both types.
///
/// Mixes the standard leaves open: `u64` with a signed integer gives `f64`; an integer with a float gives the smallest
/// float at least as wide as the float that NumPy deems safe for the integer (8 bits: `f16`, 16: `f32`, more: `f64`);
/// `f16` with `bf16` gives `f32`.
///
/// ```
/// # use freelane_ops::promote_types;
/// # use freelane_array::DType::*;
/// assert_eq!(promote_types(U8, I8), I16);
/// assert_eq!(promote_types(I32, F32), F64);
/// assert_eq!(promote_types(F64, C64), C128);
/// ```
pub const fn promote_types(a: DType, b: DType) -> DType {
    if a as u8 == b as u8 {
        return a;
    }
    // The order of `Kind` is the order of promotion.
    let (low, high) = if a.kind() as u8 <= b.kind() as u8 { (a, b) } else { (b, a) };
    match (low.kind(), high.kind()) {
        (Kind::Bool, _) => high,
        (Kind::Unsigned, Kind::Signed) => mixed_integers(low, high),
        (Kind::Unsigned | Kind::Signed, Kind::Float) => floats(float_for(low, high), high),
        (Kind::Unsigned | Kind::Signed, Kind::Complex) => complex_of(floats(float_for(low, high.real()), high.real())),
        (Kind::Float, Kind::Float) => floats(low, high),
        (_, Kind::Complex) => complex_of(floats(low.real(), high.real())),
        _ => wider(low, high),
    }
}

const fn wider(a: DType, b: DType) -> DType {
    if a.size() >= b.size() { a } else { b }
}

const fn mixed_integers(unsigned: DType, signed: DType) -> DType {
    if signed.size() > unsigned.size() {
        return signed;
    }
    match unsigned {
        DType::U8 => DType::I16,
        DType::U16 => DType::I32,
        DType::U32 => DType::I64,
        _ => DType::F64,
    }
}

/// The smallest float that NumPy takes for an integer type; `bf16` stays with its own kind at 8 bits.
const fn float_for(integer: DType, beside: DType) -> DType {
    match (integer.size(), beside) {
        (1, DType::BF16) => DType::BF16,
        (1, _) => DType::F16,
        (2, _) => DType::F32,
        _ => DType::F64,
    }
}

const fn floats(a: DType, b: DType) -> DType {
    match (a, b) {
        (DType::F16, DType::BF16) | (DType::BF16, DType::F16) => DType::F32,
        _ => wider(a, b),
    }
}

const fn complex_of(float: DType) -> DType {
    if matches!(float, DType::F64) { DType::C128 } else { DType::C64 }
}

/// The type a function with real results computes integers in: 8 bits in `f16`, 16 in `f32`, wider in `f64`.
pub const fn float_result(dtype: DType) -> DType {
    match dtype.kind() {
        Kind::Bool => DType::F16,
        Kind::Unsigned | Kind::Signed => float_for(dtype, DType::F64),
        Kind::Float | Kind::Complex => dtype,
    }
}

/// The type of an array operand beside a scalar written in the program: the scalar gives way within its kind.
pub const fn promote_scalar(dtype: DType, scalar: Scalar) -> DType {
    match (scalar, dtype.kind()) {
        (Scalar::Bool(_), _) => dtype,
        (Scalar::Int(_), Kind::Bool) => DType::I64,
        (Scalar::Int(_), _) => dtype,
        (Scalar::Float(_), Kind::Bool | Kind::Unsigned | Kind::Signed) => DType::F64,
        (Scalar::Float(_), _) => dtype,
        (Scalar::Complex(_), Kind::Bool | Kind::Unsigned | Kind::Signed) => DType::C128,
        (Scalar::Complex(_), _) => complex_of(dtype.real()),
    }
}
