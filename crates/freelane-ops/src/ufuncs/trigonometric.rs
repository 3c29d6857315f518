//! Circular and hyperbolic functions. Angles are in radians.
use freelane_kernels::elementwise as k;

ufuncs! {
    /// The sine of an angle in radians.
    sin SIN (x) {
        loops: { floats: k::Sin, complex: k::Sin },
        promotion: Float, cost: 0.8, domain: (-30.0, 30.0), ulp: 2.0, onnx: ("Sin", 7),
    }
    /// The cosine of an angle in radians.
    cos COS (x) {
        loops: { floats: k::Cos, complex: k::Cos },
        promotion: Float, cost: 0.8, domain: (-30.0, 30.0), ulp: 2.0, onnx: ("Cos", 7),
    }
    /// The hyperbolic tangent.
    tanh TANH (x) {
        loops: { floats: k::Tanh, complex: k::Tanh },
        promotion: Float, cost: 1.3, domain: (-9.0, 9.0), ulp: 3.0, onnx: ("Tanh", 6),
    }
    /// The tangent of an angle in radians.
    tan TAN (x) {
        loops: { floats: k::Tan, complex: k::Tan },
        promotion: Float, cost: 0.9, domain: (-1.5, 1.5), ulp: 3.0, onnx: ("Tan", 7),
    }
    /// The hyperbolic sine.
    sinh SINH (x) {
        loops: { floats: k::Sinh, complex: k::Sinh },
        promotion: Float, cost: 0.9, domain: (-9.00, 9.00), ulp: 2.0, onnx: ("Sinh", 9),
    }
    /// The hyperbolic cosine.
    cosh COSH (x) {
        loops: { floats: k::Cosh, complex: k::Cosh },
        promotion: Float, cost: 0.8, domain: (-9.00, 9.00), ulp: 2.0, onnx: ("Cosh", 9),
    }
    /// The angle in radians whose sine is the element; NaN outside of -1 to 1.
    asin ASIN (x) {
        loops: { floats: k::Asin, complex: k::Asin },
        promotion: Float, cost: 0.8, domain: (-1.00, 1.00), ulp: 2.0, onnx: ("Asin", 7),
    }
    /// The angle in radians whose cosine is the element; NaN outside of -1 to 1.
    acos ACOS (x) {
        loops: { floats: k::Acos, complex: k::Acos },
        promotion: Float, cost: 0.8, domain: (-1.00, 1.00), ulp: 2.0, onnx: ("Acos", 7),
    }
    /// The angle in radians whose tangent is the element.
    atan ATAN (x) {
        loops: { floats: k::Atan, complex: k::Atan },
        promotion: Float, cost: 0.9, domain: (-20.00, 20.00), ulp: 2.0, onnx: ("Atan", 7),
    }
    /// The inverse of the hyperbolic sine.
    asinh ASINH (x) {
        loops: { floats: k::Asinh, complex: k::Asinh },
        promotion: Float, cost: 1.3, domain: (-20.00, 20.00), ulp: 3.0, onnx: ("Asinh", 9),
    }
    /// The inverse of the hyperbolic cosine; NaN below 1.
    acosh ACOSH (x) {
        loops: { floats: k::Acosh, complex: k::Acosh },
        promotion: Float, cost: 1.2, domain: (1.00, 20.00), ulp: 3.0, onnx: ("Acosh", 9),
    }
    /// The inverse of the hyperbolic tangent; NaN outside of -1 to 1.
    atanh ATANH (x) {
        loops: { floats: k::Atanh, complex: k::Atanh },
        promotion: Float, cost: 1.0, domain: (-0.95, 0.95), ulp: 3.0, onnx: ("Atanh", 9),
    }
    /// The angle in radians of the point (y, x), from -pi to pi.
    atan2 ATAN2 (y, x) {
        loops: { floats: k::Atan2 },
        promotion: Float, cost: 1.2, domain: (-4.0, 4.0), ulp: 2.0,
    }
    /// The length of the vector (x, y), without overflow on the way.
    hypot HYPOT (x, y) {
        loops: { floats: k::Hypot },
        promotion: Float, cost: 0.6, domain: (-4.0, 4.0), ulp: 1.0,
    }
}
