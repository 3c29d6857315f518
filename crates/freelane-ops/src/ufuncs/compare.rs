//! Comparisons, and questions about single elements.
use freelane_kernels::elementwise as k;
use std::cmp::Ordering;

ufuncs! {
    /// Whether the elements are equal. NaN equals nothing.
    equal EQUAL (x, y) {
        loops: { bool: k::Equal, wrapping: k::Equal, floats: k::Equal, complex: k::Equal },
        promotion: Same, cost: 0.3, domain: (-4.0, 4.0), ulp: 0.5, onnx: ("Equal", 7), order: Ordering::is_eq,
    }
    /// Whether the elements differ.
    not_equal NOT_EQUAL (x, y) {
        loops: { bool: k::NotEqual, wrapping: k::NotEqual, floats: k::NotEqual, complex: k::NotEqual },
        promotion: Same, cost: 0.3, domain: (-4.0, 4.0), ulp: 0.5, order: Ordering::is_ne,
    }
    /// Whether the first is less than the second.
    less LESS (x, y) {
        loops: { bool: k::Less, ints: k::Less, floats: k::Less },
        promotion: Same, cost: 0.3, domain: (-4.0, 4.0), ulp: 0.5, onnx: ("Less", 9), order: Ordering::is_lt,
    }
    /// Whether the first is less than the second or equal to it.
    less_equal LESS_EQUAL (x, y) {
        loops: { bool: k::LessEqual, ints: k::LessEqual, floats: k::LessEqual },
        promotion: Same, cost: 0.3, domain: (-4.0, 4.0), ulp: 0.5, onnx: ("LessOrEqual", 12), order: Ordering::is_le,
    }
    /// Whether the first is greater than the second.
    greater GREATER (x, y) {
        loops: { bool: k::Greater, ints: k::Greater, floats: k::Greater },
        promotion: Same, cost: 0.3, domain: (-4.0, 4.0), ulp: 0.5, onnx: ("Greater", 9), order: Ordering::is_gt,
    }
    /// Whether the first is greater than the second or equal to it.
    greater_equal GREATER_EQUAL (x, y) {
        loops: { bool: k::GreaterEqual, ints: k::GreaterEqual, floats: k::GreaterEqual },
        promotion: Same, cost: 0.3, domain: (-4.0, 4.0), ulp: 0.5, onnx: ("GreaterOrEqual", 12), order: Ordering::is_ge,
    }
    /// Whether the element is not a number.
    isnan ISNAN (x) {
        loops: { floats: k::IsNan, complex: k::IsNan },
        promotion: Float, cost: 0.3, domain: (-4.0, 4.0), ulp: 0.5, onnx: ("IsNaN", 9),
    }
    /// Whether the element is infinite.
    isinf ISINF (x) {
        loops: { floats: k::IsInf, complex: k::IsInf },
        promotion: Float, cost: 0.3, domain: (-4.0, 4.0), ulp: 0.5, onnx: ("IsInf", 10),
    }
    /// Whether the element is neither infinite nor NaN.
    isfinite ISFINITE (x) {
        loops: { floats: k::IsFinite, complex: k::IsFinite },
        promotion: Float, cost: 0.3, domain: (-4.0, 4.0), ulp: 0.5,
    }
    /// Whether the sign bit is set: of negative numbers, -0 and some NaN.
    signbit SIGNBIT (x) {
        loops: { floats: k::SignBit },
        promotion: Float, cost: 0.3, domain: (-4.0, 4.0), ulp: 0.5,
    }
}
