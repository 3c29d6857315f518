//! Functions of complex numbers.
//!
//! Each has a scalar form (`scalar.rs`), right for all numbers, and steps over tiles (`tiles.rs`) that are made of the loops
//! of real functions: a loop takes the steps, and the scalar form where a number lies outside of what they are made for. Both
//! widths are computed in f64.
mod scalar;
mod tiles;

use super::{
    Acos, Acosh, Asin, Asinh, Atan, Atanh, Cos, Cosh, Exp, Expm1, Log, Log1p, Log2, Log10, Pow, Sin, Sinh, Tan, Tanh,
    inverse,
};
use crate::elementwise::{Loop1, Loop2, Map1, Map2, Round, Sign, Sqrt, Tier};
use num_complex::Complex;
use scalar::{narrow, wide};
use std::f64::consts::{LN_2, LN_10, PI};

functions! {
    /// The angle of a complex number; of a real one 0 or, with the sign bit set, pi.
    Angle,
}

type C = Complex<f64>;

/// `Complex type, its parts' type, scalar function, magnitudes between which the body works`, as `Atan2` has it.
macro_rules! angle {
    ($($t:ty, $part:ty, $scalar:path, $least:literal, $most:literal;)*) => { $(
        impl Map1<$t> for Angle {
            type Out = $part;
            const TIER: Tier = Tier::Heavy;
            const GUARD: bool = true;
            #[inline(always)]
            fn apply(z: $t) -> $part {
                inverse::atan2(z.im, z.re)
            }
            #[inline(always)]
            fn guard(z: $t) -> bool {
                !inverse::moderate(z.im, z.re, $least, $most)
            }
            #[inline(always)]
            fn slow(z: $t) -> $part {
                $scalar(z.im, z.re)
            }
        }
    )* };
}
angle! {
    C, f64, libm::atan2, 1e-290, 1e307;
    Complex<f32>, f32, libm::atan2f, 1e-30, 1e38;
}
map1!(Angle: [f64], |x| if x.is_nan() { x } else if x.is_sign_negative() { PI } else { 0.0 });
map1!(Angle: [f32], |x| if x.is_nan() { x } else if x.is_sign_negative() { PI as f32 } else { 0.0 });
halves1!(Angle);
map1!(Round: complex, |z| Complex::new(z.re.round_ties_even(), z.im.round_ties_even()));

/// `Name |z| scalar form` of f64, which for f32 is widened and narrowed.
macro_rules! functions_of_complex {
    ($($k:ident |$z:ident| $e:expr;)*) => { $(
        functions_of_complex!(@ $k, C, |$z| $e);
        functions_of_complex!(@ $k, Complex<f32>, |z| { let $z = wide(z); narrow($e) });
    )* };
    (@ $k:ident, $t:ty, |$z:ident| $e:expr) => {
        impl Map1<$t> for $k {
            type Out = $t;
            const TIER: Tier = Tier::Scalar;
            const LOOP: Option<Loop1> = Some(tiles::loop1::<$k, $t>);
            #[inline(always)]
            fn apply($z: $t) -> $t {
                $e
            }
        }
    };
}
functions_of_complex! {
    Exp |z| scalar::exp(z); Expm1 |z| scalar::expm1(z); Sqrt |z| scalar::sqrt(z); Sign |z| scalar::sign(z);
    Log |z| scalar::log(z); Log2 |z| scalar::log(z) / LN_2; Log10 |z| scalar::log(z) / LN_10;
    Log1p |z| scalar::log1p(z);
    Sinh |z| scalar::sinh(z); Cosh |z| scalar::cosh(z); Tanh |z| scalar::tanh(z);
    Asinh |z| scalar::asinh(z); Acosh |z| scalar::acosh(z); Atanh |z| scalar::atanh(z);
    Sin |z| scalar::sin(z); Cos |z| scalar::cos(z); Tan |z| scalar::tan(z);
    Asin |z| scalar::asin(z); Acos |z| scalar::acos(z); Atan |z| scalar::atan(z);
}

macro_rules! powers_of_complex {
    ($($t:ty, |$a:ident, $b:ident| $e:expr;)*) => { $(
        impl Map2<$t> for Pow {
            type Out = $t;
            const TIER: Tier = Tier::Scalar;
            const LOOP: Option<Loop2> = Some(tiles::pow_loop::<$t>);
            #[inline(always)]
            fn apply($a: $t, $b: $t) -> $t {
                $e
            }
        }
    )* };
}
powers_of_complex! {
    C, |a, b| scalar::pow(a, b);
    Complex<f32>, |a, b| narrow(scalar::pow(wide(a), wide(b)));
}
