//! Rounding. Integers are whole already.
use freelane_kernels::elementwise as k;

ufuncs! {
    /// The greatest whole number that is not greater.
    floor FLOOR (x) {
        loops: { wrapping: k::Positive, floats: k::Floor },
        promotion: Same, cost: 0.3, domain: (-4.0, 4.0), ulp: 0.5, onnx: ("Floor", 6), derivative: Zero,
    }
    /// The least whole number that is not less.
    ceil CEIL (x) {
        loops: { wrapping: k::Positive, floats: k::Ceil },
        promotion: Same, cost: 0.3, domain: (-4.0, 4.0), ulp: 0.5, onnx: ("Ceil", 6), derivative: Zero,
    }
    /// The nearest whole number towards zero.
    trunc TRUNC (x) {
        loops: { wrapping: k::Positive, floats: k::Trunc },
        promotion: Same, cost: 0.3, domain: (-4.0, 4.0), ulp: 0.5, derivative: Zero,
    }
    /// The nearest whole number; halves go to the even one.
    round ROUND (x) {
        loops: { wrapping: k::Positive, floats: k::Round, complex: k::Round },
        promotion: Same, cost: 0.3, domain: (-4.0, 4.0), ulp: 0.5, onnx: ("Round", 11), derivative: Zero,
    }
    /// The nearest whole number as a float; halves go to the even one.
    rint RINT (x) {
        loops: { floats: k::Round, complex: k::Round },
        promotion: Float, cost: 0.3, domain: (-4.0, 4.0), ulp: 0.5, derivative: Zero,
    }
}
