//! Functions that still run one element at a time, through the `libm` crate, whatever the instruction set.

functions! {
    /// The angle of the point (`b`, `a`).
    Atan2,
    /// `sqrt(a^2 + b^2)` without overflow on the way.
    Hypot,
    /// The tangent.
    Tan,
    /// The inverse sine.
    Asin,
    /// The inverse cosine.
    Acos,
    /// The inverse tangent.
    Atan,
    /// The hyperbolic sine.
    Sinh,
    /// The hyperbolic cosine.
    Cosh,
    /// The inverse hyperbolic sine.
    Asinh,
    /// The inverse hyperbolic cosine.
    Acosh,
    /// The inverse hyperbolic tangent.
    Atanh,
    /// The logarithm to base 10.
    Log10,
    /// `log(e^a + e^b)` without overflow on the way.
    LogAddExp,
}

macro_rules! scalar1 {
    ($($k:ident $wide:ident $narrow:ident;)*) => { $(
        map1!($k: [f64], scalar |x| libm::$wide(x));
        map1!($k: [f32], scalar |x| libm::$narrow(x));
        halves1!($k);
    )* };
}
scalar1! {
    Tan tan tanf; Asin asin asinf; Acos acos acosf; Atan atan atanf; Sinh sinh sinhf; Cosh cosh coshf;
    Asinh asinh asinhf; Atanh atanh atanhf; Log10 log10 log10f;
}
// Below 1 the scalar functions return numbers.
map1!(Acosh: [f64], scalar |x| if x < 1.0 { f64::NAN } else { libm::acosh(x) });
map1!(Acosh: [f32], scalar |x| if x < 1.0 { f32::NAN } else { libm::acoshf(x) });
halves1!(Acosh);
map2!(Atan2: [f64], scalar |a, b| libm::atan2(a, b));
map2!(Atan2: [f32], scalar |a, b| libm::atan2f(a, b));
map2!(Hypot: [f64], scalar |a, b| libm::hypot(a, b));
map2!(Hypot: [f32], scalar |a, b| libm::hypotf(a, b));
halves2!(Atan2, Hypot, LogAddExp);

macro_rules! log_add_exp {
    ($($t:ident $exp:ident $log1p:ident;)*) => { $(
        // Equal infinities have no difference.
        map2!(LogAddExp: [$t], scalar |a, b| {
            let apart = if a == b { 0.0 } else { (a - b).abs() };
            let larger = if a > b { a } else { b };
            larger + libm::$log1p(libm::$exp(-apart))
        });
    )* };
}
log_add_exp! { f32 expf log1pf; f64 exp log1p; }

#[cfg(test)]
mod tests {
    use super::*;
    use crate::elementwise::Map2;

    #[test]
    fn exponentials_are_added_without_overflow() {
        let ln2 = std::f64::consts::LN_2;
        let (inf, nan) = (f64::INFINITY, f64::NAN);
        for (a, b, sum) in [
            (0.0, 0.0, ln2),
            (1000.0, 1000.0, 1000.0 + ln2),
            (-1e5, 3.0, 3.0),
            (2f64.ln(), 3f64.ln(), 5f64.ln()),
            (-inf, -inf, -inf),
            (inf, -inf, inf),
            (inf, inf, inf),
            (-inf, 7.0, 7.0),
        ] {
            let (got, turned): (f64, f64) = (LogAddExp::apply(a, b), LogAddExp::apply(b, a));
            assert!(got == sum || (got - sum).abs() <= 2.0 * f64::EPSILON, "{a} {b}: {got}");
            assert_eq!(got, turned);
        }
        assert!(LogAddExp::apply(nan, 1.0).is_nan() && LogAddExp::apply(1.0, nan).is_nan());
    }
}
