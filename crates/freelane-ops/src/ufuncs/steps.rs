//! Elementwise functions that are no rows: steps of structured operations, whose names they bear in messages.
use crate::function::{Kind, Param};
use crate::{Gradient, Loops, Promotion, Table, UFunc};
use freelane_kernels::elementwise::{self as k, Loop1, Loop2};

const STEP: UFunc = UFunc {
    name: "frexp",
    doc: "A step of a structured operation.",
    params: &[Param::required("x", Kind::Operand)],
    loops: Loops::Unary(&[None; freelane_array::DType::COUNT]),
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

/// A float times a power of two, the exponent in the same type.
pub(crate) static SCALE_BY_POWER: UFunc = UFunc {
    name: "ldexp",
    params: &[Param::required("x", Kind::Operand), Param::required("exponent", Kind::Operand).whole()],
    loops: Loops::Binary({
        static TABLE: Table<Loop2> = table!(binary { floats: k::ScaleByPower });
        &TABLE
    }),
    cost: 4.0,
    ..STEP
};
