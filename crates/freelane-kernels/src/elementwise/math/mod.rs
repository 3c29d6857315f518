//! Transcendental functions: one generic body for f32 and f64.
//!
//! Bodies are branch-free polynomials over a reduced range, in the accuracy each function states; `coef.rs` holds the
//! coefficients, written by `dev/fit/fit.py`. The scalar functions of the `libm` crate stand in where a body is not made
//! for an argument, and on the portable path.
mod coef;
mod real;
mod sincos;

pub use sincos::*;
