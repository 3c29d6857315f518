//! Choosing between arrays.
use freelane_kernels::elementwise as k;

ufuncs! {
    /// The first array where the condition holds, the second elsewhere.
    where_ WHERE (condition, x, y) {
        loops: { bool: k::Where, wrapping: k::Where, floats: k::Where, complex: k::Where },
        promotion: Same, cost: 0.5, domain: (-100.0, 100.0), ulp: 0.5, onnx: ("Where", 9),
    }
}
