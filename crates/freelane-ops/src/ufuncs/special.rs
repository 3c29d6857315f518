//! Special functions of real numbers, as users of SciPy know them; angles.
use freelane_kernels::elementwise as k;

ufuncs! {
    /// The gamma function: of n + 1, n factorial. At the negative whole numbers it is NaN.
    gamma GAMMA (x) {
        loops: { floats: k::Gamma },
        promotion: Float, cost: 20.0, domain: (0.1, 20.0), ulp: 4.0,
    }
    /// The logarithm of the gamma function's magnitude; infinite at 0 and the negative whole numbers.
    lgamma LGAMMA (x) {
        loops: { floats: k::LogGamma },
        promotion: Float, cost: 20.0, domain: (2.5, 100.0), ulp: 4.0,
    }
    /// The derivative of `lgamma`. The bound holds for positive numbers; near a zero below 0 digits are lost.
    digamma DIGAMMA (x) {
        loops: { floats: k::Digamma },
        promotion: Float, cost: 20.0, domain: (0.1, 20.0), ulp: 4.0,
    }
    /// The inverse of `erf`: from -1 to 1, infinite at both ends.
    erfinv ERFINV (x) {
        loops: { floats: k::ErfInv },
        promotion: Float, cost: 60.0, domain: (-0.99, 0.99), ulp: 4.0,
    }
    /// `sin(pi x) / (pi x)`; 1 at 0, and exactly 0 at all other whole numbers.
    sinc SINC (x) {
        loops: { floats: k::Sinc },
        promotion: Float, cost: 2.0, domain: (-4.0, 4.0), ulp: 3.0,
    }
    /// The modified Bessel function of the first kind and order 0.
    i0 I0 (x) {
        loops: { floats: k::BesselI0 },
        promotion: Float, cost: 6.0, domain: (-20.0, 20.0), ulp: 4.0,
    }
    /// The inverse of `sigmoid`, `log(x / (1 - x))`: from 0 to 1, infinite at both ends.
    logit LOGIT (x) {
        loops: { floats: k::Logit },
        promotion: Float, cost: 2.0, domain: (0.01, 0.99), ulp: 3.0,
    }
    /// `x log(y)`, and 0 wherever x is 0, unless y is NaN.
    xlogy XLOGY (x, y) {
        loops: { floats: k::XLogY },
        promotion: Float, cost: 2.0, domain: (2.0, 50.0), ulp: 3.0,
    }
    /// 0 below zero, 1 above zero, and the second array at zero.
    heaviside HEAVISIDE (x, y) {
        loops: { floats: k::Heaviside },
        promotion: Float, cost: 0.4, domain: (-4.0, 4.0), ulp: 0.5, derivative: Zero,
    }
    /// Radians from degrees.
    radians RADIANS (x) {
        loops: { floats: k::Radians },
        promotion: Float, cost: 0.3, domain: (-360.0, 360.0), ulp: 1.0,
    }
    /// Radians from degrees.
    deg2rad DEG2RAD (x) {
        loops: { floats: k::Radians },
        promotion: Float, cost: 0.3, domain: (-360.0, 360.0), ulp: 1.0,
    }
    /// Degrees from radians.
    degrees DEGREES (x) {
        loops: { floats: k::Degrees },
        promotion: Float, cost: 0.3, domain: (-7.0, 7.0), ulp: 1.0,
    }
    /// Degrees from radians.
    rad2deg RAD2DEG (x) {
        loops: { floats: k::Degrees },
        promotion: Float, cost: 0.3, domain: (-7.0, 7.0), ulp: 1.0,
    }
    /// The angle of a complex number, from -pi to pi; of a real one, 0 or pi.
    angle ANGLE (x) {
        loops: { floats: k::Angle, complex: k::Angle },
        promotion: Double, cost: 2.0, domain: (-4.0, 4.0), ulp: 2.0,
    }
}
