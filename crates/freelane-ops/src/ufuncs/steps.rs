//! Elementwise functions that are no rows: steps of structured operations, whose names they bear in messages.
use crate::function::{Kind, Param};
use crate::{Gradient, Loops, Promotion, Table, UFunc};
use freelane_array::DType;
use freelane_kernels::elementwise::{self as k, Loop1, Loop3};

const STEP: UFunc = UFunc {
    name: "frexp",
    doc: "A step of a structured operation.",
    params: &[Param::required("x", Kind::Operand)],
    loops: Loops::Unary(&[None; DType::COUNT]),
    promotion: Promotion::Float,
    cost: 0.5,
    onnx: None,
    domain: (-4.0, 4.0),
    ulp: 0.5,
    check: None,
    order: None,
    derivative: Gradient::Differentiable,
};

/// The fraction of a float.
pub(crate) static MANTISSA: UFunc = UFunc {
    loops: Loops::Unary({
        static TABLE: Table<Loop1> = table!(unary { floats: k::Mantissa });
        &TABLE
    }),
    ..STEP
};

/// The exponent of a float, as `i32`.
pub(crate) static EXPONENT: UFunc = UFunc {
    loops: Loops::Unary({
        static TABLE: Table<Loop1> = table!(unary { narrow: k::Exponent });
        &TABLE
    }),
    ..STEP
};

/// The fraction of a float, with its sign.
pub(crate) static FRACTION: UFunc = UFunc {
    name: "modf",
    loops: Loops::Unary({
        static TABLE: Table<Loop1> = table!(unary { floats: k::Fraction });
        &TABLE
    }),
    ..STEP
};

/// A float with others in place of the infinities.
pub(crate) static BOUNDED: UFunc = UFunc {
    name: "nan_to_num",
    params: &[
        Param::required("x", Kind::Operand),
        Param::required("posinf", Kind::Operand),
        Param::required("neginf", Kind::Operand),
    ],
    loops: Loops::Ternary({
        static TABLE: Table<Loop3> = table!(ternary { floats: k::Bounded });
        &TABLE
    }),
    ..STEP
};

/// A power of two, as its exponent in `i32`, times a float, which comes twice.
pub(crate) static SCALE_BY_POWER: UFunc = UFunc {
    name: "ldexp",
    params: &[
        Param::required("exponent", Kind::Operand).whole(),
        Param::required("x", Kind::Operand),
        Param::required("x", Kind::Operand),
    ],
    loops: Loops::Select(DType::I32, {
        static TABLE: Table<Loop3> = table!(scaled { narrow: k::ScaleByPower });
        &TABLE
    }),
    ..STEP
};
