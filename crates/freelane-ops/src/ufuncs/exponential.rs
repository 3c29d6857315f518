//! Exponentials, logarithms and the error function.
use freelane_kernels::elementwise as k;

ufuncs! {
    /// e raised to the power of the array.
    exp EXP (x) {
        loops: { floats: k::Exp, complex: k::Exp },
        promotion: Float, cost: 0.8, domain: (-20.0, 20.0), ulp: 2.0, onnx: ("Exp", 6),
    }
    /// The natural logarithm; NaN for negative numbers.
    log LOG (x) {
        loops: { floats: k::Log, complex: k::Log },
        promotion: Float, cost: 0.8, domain: (0.001, 100.0), ulp: 2.0, onnx: ("Log", 6),
    }
    /// The error function, 2/sqrt(pi) times the integral of exp(-t^2) from 0 to x.
    erf ERF (x) {
        loops: { floats: k::Erf },
        promotion: Float, cost: 2.7, domain: (-4.0, 4.0), ulp: 2.0, onnx: ("Erf", 9),
    }
    /// Two raised to the power of the array.
    exp2 EXP2 (x) {
        loops: { floats: k::Exp2 },
        promotion: Float, cost: 0.6, domain: (-20.0, 20.0), ulp: 2.0,
    }
    /// e raised to the power of the array, less one; precise near zero.
    expm1 EXPM1 (x) {
        loops: { floats: k::Expm1, complex: k::Expm1 },
        promotion: Float, cost: 0.8, domain: (-2.0, 2.0), ulp: 2.0,
    }
    /// The natural logarithm of one plus the array; precise near zero.
    log1p LOG1P (x) {
        loops: { floats: k::Log1p, complex: k::Log1p },
        promotion: Float, cost: 0.8, domain: (-0.9, 20.0), ulp: 2.0,
    }
    /// The logarithm to base 2.
    log2 LOG2 (x) {
        loops: { floats: k::Log2, complex: k::Log2 },
        promotion: Float, cost: 0.9, domain: (0.001, 100.0), ulp: 2.0,
    }
    /// The logarithm to base 10.
    log10 LOG10 (x) {
        loops: { floats: k::Log10, complex: k::Log10 },
        promotion: Float, cost: 0.9, domain: (0.001, 100.0), ulp: 2.0,
    }
    /// The cube root, of negative numbers too.
    cbrt CBRT (x) {
        loops: { floats: k::Cbrt },
        promotion: Float, cost: 0.9, domain: (-20.0, 20.0), ulp: 2.0,
    }
    /// The logarithm of the sum of the exponentials of two arrays, without overflow on the way.
    logaddexp LOGADDEXP (x, y) {
        loops: { floats: k::LogAddExp },
        promotion: Float, cost: 2.1, domain: (0.0, 20.0), ulp: 3.0,
    }
}
