//! Transcendental functions: one generic body for f32 and f64.
//!
//! Bodies are branch-free polynomials over a reduced range, in the accuracy each function states; `coef.rs` holds the
//! coefficients, written by `dev/fit/fit.py`. The scalar functions of the `libm` crate stand in where a body is not made
//! for an argument, and on the portable path.
//!
//! A fused multiply-add compiled without the instruction is a library call, fifty times slower. A binary that links every
//! function and nothing else, such as the bench `elementwise`, has none: `nm BINARY | grep -w -e fma -e fmaf` prints
//! nothing. Hence `apply` is called nowhere but in the loops.

/// `heavy1! { Name, body, type, scalar function; }`
macro_rules! heavy1 {
    ($($k:ident, $body:ident, $t:ty, $scalar:path;)*) => { $(
        impl Map1<$t> for $k {
            type Out = $t;
            const TIER: Tier = Tier::Heavy;
            #[inline(always)]
            fn apply(x: $t) -> $t {
                $body(x)
            }
            #[inline(always)]
            fn slow(x: $t) -> $t {
                $scalar(x)
            }
        }
    )* };
}

/// As `heavy1`, for bodies not made for all arguments: `{ Name, body, type, scalar function, |x| whether it is made for it; }`.
macro_rules! guarded1 {
    ($($k:ident, $body:ident, $t:ty, $scalar:path, |$x:ident| $inside:expr;)*) => { $(
        impl Map1<$t> for $k {
            type Out = $t;
            const TIER: Tier = Tier::Heavy;
            const GUARD: bool = true;
            #[inline(always)]
            fn apply(x: $t) -> $t {
                $body(x)
            }
            #[inline(always)]
            fn guard($x: $t) -> bool {
                let inside = $inside;
                !inside
            }
            #[inline(always)]
            fn slow(x: $t) -> $t {
                $scalar(x)
            }
        }
    )* };
}

/// As `guarded1`, for two operands.
macro_rules! guarded2 {
    ($($k:ident, $body:ident, $t:ty, $scalar:path, |$a:ident, $b:ident| $inside:expr;)*) => { $(
        impl Map2<$t> for $k {
            type Out = $t;
            const TIER: Tier = Tier::Heavy;
            const GUARD: bool = true;
            #[inline(always)]
            fn apply(a: $t, b: $t) -> $t {
                $body(a, b)
            }
            #[inline(always)]
            fn guard($a: $t, $b: $t) -> bool {
                let inside = $inside;
                !inside
            }
            #[inline(always)]
            fn slow(a: $t, b: $t) -> $t {
                $scalar(a, b)
            }
        }
    )* };
}

#[cfg(test)]
mod accuracy;
mod activation;
mod bessel;
mod coef;
mod complex;
mod exp;
mod hyperbolic;
mod int_pow;
mod inverse;
#[cfg(test)]
mod limits;
mod log;
mod logit;
#[cfg(test)]
mod oracle;
mod pow;
mod real;
mod roots;
mod sincos;
mod special;
mod trig;

pub use activation::*;
pub use bessel::*;
pub use complex::Angle;
pub use exp::*;
pub use hyperbolic::*;
pub use inverse::*;
pub use log::*;
pub use logit::*;
pub use pow::*;
pub use roots::*;
pub use sincos::*;
pub use special::*;
pub use trig::*;
