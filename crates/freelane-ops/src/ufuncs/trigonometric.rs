//! Circular and hyperbolic functions. Angles are in radians.
use freelane_kernels::elementwise as k;

ufuncs! {
    /// The sine of an angle in radians.
    sin SIN (x) {
        loops: { floats: k::Sin },
        promotion: Float, cost: 0.8, domain: (-30.0, 30.0), ulp: 2.2, onnx: ("Sin", 7),
    }
    /// The cosine of an angle in radians.
    cos COS (x) {
        loops: { floats: k::Cos },
        promotion: Float, cost: 0.8, domain: (-30.0, 30.0), ulp: 2.2, onnx: ("Cos", 7),
    }
    /// The hyperbolic tangent.
    tanh TANH (x) {
        loops: { floats: k::Tanh },
        promotion: Float, cost: 1.5, domain: (-9.0, 9.0), ulp: 2.0, onnx: ("Tanh", 6),
    }
    /// The tangent of an angle in radians.
    tan TAN (x) {
        loops: { floats: k::Tan },
        promotion: Float, cost: 8.0, domain: (-1.5, 1.5), ulp: 4.0, onnx: ("Tan", 7),
    }
}
