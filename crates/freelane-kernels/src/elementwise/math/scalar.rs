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
halves2!(Atan2, Hypot);
