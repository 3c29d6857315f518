//! Bits of integers, and logic.
use freelane_kernels::elementwise as k;

ufuncs! {
    /// "And" of each bit; for booleans, logical "and".
    bitwise_and BITWISE_AND (x, y) {
        loops: { bool: k::BitwiseAnd, wrapping: k::BitwiseAnd },
        promotion: Same, cost: 0.3, domain: (0.0, 100.0), ulp: 0.5, onnx: ("BitwiseAnd", 18),
    }
    /// "Or" of each bit; for booleans, logical "or".
    bitwise_or BITWISE_OR (x, y) {
        loops: { bool: k::BitwiseOr, wrapping: k::BitwiseOr },
        promotion: Same, cost: 0.3, domain: (0.0, 100.0), ulp: 0.5, onnx: ("BitwiseOr", 18),
    }
    /// "Exclusive or" of each bit; for booleans, logical "exclusive or".
    bitwise_xor BITWISE_XOR (x, y) {
        loops: { bool: k::BitwiseXor, wrapping: k::BitwiseXor },
        promotion: Same, cost: 0.3, domain: (0.0, 100.0), ulp: 0.5, onnx: ("BitwiseXor", 18),
    }
    /// Each bit reversed; for booleans, logical "not".
    bitwise_invert BITWISE_INVERT (x) {
        loops: { bool: k::BitwiseInvert, wrapping: k::BitwiseInvert },
        promotion: Same, cost: 0.3, domain: (0.0, 100.0), ulp: 0.5, onnx: ("BitwiseNot", 18),
    }
    /// Bits moved up by the second array; zero once all have left.
    bitwise_left_shift BITWISE_LEFT_SHIFT (x, y) {
        loops: { wrapping: k::LeftShift },
        promotion: Same, cost: 0.4, domain: (0.0, 6.0), ulp: 0.5,
    }
    /// Bits moved down by the second array; the sign stays.
    bitwise_right_shift BITWISE_RIGHT_SHIFT (x, y) {
        loops: { ints: k::RightShift },
        promotion: Same, cost: 0.4, domain: (0.0, 6.0), ulp: 0.5,
    }
    /// Whether both are not zero.
    logical_and LOGICAL_AND (x, y) {
        loops: { bool: k::LogicalAnd, wrapping: k::LogicalAnd, floats: k::LogicalAnd, complex: k::LogicalAnd },
        promotion: Same, cost: 0.4, domain: (0.0, 2.0), ulp: 0.5, onnx: ("And", 7),
    }
    /// Whether at least one is not zero.
    logical_or LOGICAL_OR (x, y) {
        loops: { bool: k::LogicalOr, wrapping: k::LogicalOr, floats: k::LogicalOr, complex: k::LogicalOr },
        promotion: Same, cost: 0.4, domain: (0.0, 2.0), ulp: 0.5, onnx: ("Or", 7),
    }
    /// Whether exactly one is not zero.
    logical_xor LOGICAL_XOR (x, y) {
        loops: { bool: k::LogicalXor, wrapping: k::LogicalXor, floats: k::LogicalXor, complex: k::LogicalXor },
        promotion: Same, cost: 0.4, domain: (0.0, 2.0), ulp: 0.5, onnx: ("Xor", 7),
    }
    /// Whether the element is zero.
    logical_not LOGICAL_NOT (x) {
        loops: { bool: k::LogicalNot, wrapping: k::LogicalNot, floats: k::LogicalNot, complex: k::LogicalNot },
        promotion: Same, cost: 0.3, domain: (0.0, 2.0), ulp: 0.5, onnx: ("Not", 1),
    }
    /// The number of bits that are set, as `u8`; of a negative number those of its magnitude.
    bitwise_count BITWISE_COUNT (x) {
        loops: { ints: k::BitCount },
        promotion: Same, cost: 0.4, domain: (0.0, 100.0), ulp: 0.5,
    }
    /// The greatest common divisor of integers.
    gcd GCD (x, y) {
        loops: { ints: k::Gcd },
        promotion: Same, cost: 20.0, domain: (0.0, 100.0), ulp: 0.5,
    }
    /// The least common multiple of integers. It wraps.
    lcm LCM (x, y) {
        loops: { ints: k::Lcm },
        promotion: Same, cost: 25.0, domain: (0.0, 100.0), ulp: 0.5,
    }
}
