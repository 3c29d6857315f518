//! The functions that layers of networks end in, and the complementary error function.
use freelane_kernels::elementwise as k;

ufuncs! {
    /// One less the error function, precise where that is small.
    erfc ERFC (x) {
        loops: { floats: k::Erfc },
        promotion: Float, cost: 3.0, domain: (-4.0, 8.0), ulp: 4.0,
    }
    /// The logistic function, `1 / (1 + exp(-x))`.
    sigmoid SIGMOID (x) {
        loops: { floats: k::Sigmoid },
        promotion: Float, cost: 1.1, domain: (-9.0, 9.0), ulp: 3.0, onnx: ("Sigmoid", 6),
    }
    /// The element where it is positive, else zero.
    relu RELU (x) {
        loops: { signed: k::Relu, unsigned: k::Relu, floats: k::Relu },
        promotion: Same, cost: 0.3, domain: (-4.0, 4.0), ulp: 0.5, onnx: ("Relu", 6),
    }
    /// The element times its `sigmoid`.
    silu SILU (x) {
        loops: { floats: k::Silu },
        promotion: Float, cost: 1.2, domain: (-9.0, 9.0), ulp: 3.0,
    }
    /// The element times the probability that a normal variable is below it: exact, by the error function.
    gelu GELU (x) {
        loops: { floats: k::Gelu },
        promotion: Float, cost: 3.0, domain: (-6.0, 6.0), ulp: 4.0, onnx: ("Gelu", 20),
    }
    /// `log(1 + exp(x))`, a smooth `relu`.
    softplus SOFTPLUS (x) {
        loops: { floats: k::Softplus },
        promotion: Float, cost: 2.1, domain: (-9.0, 9.0), ulp: 3.0, onnx: ("Softplus", 1),
    }
}
