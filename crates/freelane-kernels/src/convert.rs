//! Casts between element types.
//!
//! Integers wrap, floats become integers by truncation and saturate (NaN gives 0), everything becomes `true` unless it is
//! zero, complex numbers lose their imaginary part. Conversions to a narrower float round once, to even.
//!
//! ```
//! use freelane_kernels::convert::cast_loop;
//! use freelane_simd::Isa;
//!
//! let (x, mut o) = ([1.9f64, -1.0, f64::NAN], [7u8; 3]);
//! // SAFETY: both arrays hold three elements at these strides and do not overlap.
//! unsafe { cast_loop::<f64, u8>()(Isa::current(), 3, x.as_ptr().cast(), 8, o.as_mut_ptr(), 1) };
//! assert_eq!(o, [1, 0, 0]);
//! ```
use crate::elementwise::{Half, Loop1, Map1, loop1};
use half::{bf16, f16};
use num_complex::Complex;
use std::marker::PhantomData;

/// A value that can be converted to type `B`.
pub trait CastTo<B>: Copy {
    /// The converted value.
    fn cast(self) -> B;
}

/// Conversion to `B` as an elementwise function.
struct As<B>(PhantomData<B>);

impl<A: CastTo<B>, B: Copy + 'static> Map1<A> for As<B> {
    type Out = B;
    #[inline(always)]
    fn apply(x: A) -> B {
        x.cast()
    }
}

/// The loop that converts elements of type `A` to type `B`.
pub const fn cast_loop<A: CastTo<B> + 'static, B: Copy + 'static>() -> Loop1 {
    loop1::<As<B>, A>
}

/// `x` in `f32`, rounded towards zero, the last bit set if anything was lost: rounding that again to a format at least two
/// bits narrower gives what rounding `x` itself would (Boldo and Melquiond, "When double rounding is odd", 2005).
#[inline(always)]
fn to_odd(x: f64) -> f32 {
    let near = x as f32;
    let back = near as f64;
    let too_far = (back.abs() > x.abs()) as u32;
    let lost = (back != x && !x.is_nan()) as u32;
    f32::from_bits((near.to_bits() - too_far) | lost)
}

/// `casts!(from [..] to [..], |x, B| expression)`: every pair of two lists.
macro_rules! casts {
    (from [$($a:ty),*] to $bs:tt, |$x:ident, $B:ident| $e:expr) => { $(casts!(@row $a; $bs, |$x, $B| $e);)* };
    (@row $a:ty; [$($b:ty),*], |$x:ident, $B:ident| $e:expr) => { $(
        impl CastTo<$b> for $a {
            #[inline(always)]
            fn cast(self) -> $b {
                type $B = $b;
                let $x = self;
                $e
            }
        }
    )* };
}

casts!(from [u8, i8, u16, i16, u32, i32, u64, i64, f32, f64]
       to [u8, i8, u16, i16, u32, i32, u64, i64, f32, f64], |x, B| x as B);
casts!(from [u8, i8, u16, i16, u32, i32, u64, i64] to [bool], |x, _B| x != 0);
casts!(from [f32, f64] to [bool], |x, _B| x != 0.0);
casts!(from [bool] to [u8, i8, u16, i16, u32, i32, u64, i64], |x, B| x as B);
casts!(from [bool] to [f32, f64], |x, B| x as u8 as B);
casts!(from [bool] to [bool], |x, _B| x);

casts!(from [f16, bf16] to [u8, i8, u16, i16, u32, i32, u64, i64, f32, f64], |x, B| x.widen() as B);
casts!(from [f16, bf16] to [bool], |x, _B| x.widen() != 0.0);
// Integers this side of overflow to infinity fit the 24 bits of f32.
casts!(from [u8, i8, u16, i16, u32, i32, u64, i64, f32] to [f16], |x, _B| f16::narrow(x as f32));
casts!(from [u8, i8, u16, i16, f32] to [bf16], |x, _B| bf16::narrow(x as f32));
casts!(from [u32, i32, u64, i64] to [bf16], |x, _B| bf16::narrow(to_odd(x as f64)));
casts!(from [f64] to [f16, bf16], |x, B| B::narrow(to_odd(x)));
casts!(from [bool] to [f16, bf16], |x, B| B::narrow(x as u8 as f32));
casts!(from [f16] to [bf16], |x, _B| bf16::narrow(x.widen()));
casts!(from [bf16] to [f16], |x, _B| f16::narrow(x.widen()));
casts!(from [f16] to [f16], |x, _B| x);
casts!(from [bf16] to [bf16], |x, _B| x);

casts!(from [bool, u8, i8, u16, i16, u32, i32, u64, i64, f16, bf16, f32, f64] to [Complex<f32>],
       |x, _B| Complex::new(x.cast(), 0.0));
casts!(from [bool, u8, i8, u16, i16, u32, i32, u64, i64, f16, bf16, f32, f64] to [Complex<f64>],
       |x, _B| Complex::new(x.cast(), 0.0));
casts!(from [Complex<f32>, Complex<f64>] to [u8, i8, u16, i16, u32, i32, u64, i64, f16, bf16, f32, f64], |x, _B| x.re.cast());
casts!(from [Complex<f32>, Complex<f64>] to [bool], |x, _B| x.re != 0.0 || x.im != 0.0);
casts!(from [Complex<f32>, Complex<f64>] to [Complex<f32>, Complex<f64>], |x, _B| Complex::new(x.re.cast(), x.im.cast()));

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges() {
        assert_eq!(CastTo::<u8>::cast(300i32), 44);
        assert_eq!(CastTo::<i32>::cast(3e10f64), i32::MAX);
        assert_eq!(CastTo::<i64>::cast(f32::NEG_INFINITY), i64::MIN);
        assert_eq!(CastTo::<i8>::cast(f64::NAN), 0);
        assert!(CastTo::<bool>::cast(f64::NAN) && !CastTo::<bool>::cast(-0.0f32));
        assert_eq!(CastTo::<f16>::cast(65_519u32).to_f32(), 65_504.0);
        assert!(CastTo::<f16>::cast(65_520u32).is_infinite());
        // Half a unit above 1, and a little more: rounding twice would fall back to 1.
        assert_eq!(CastTo::<f16>::cast(1.0 + f64::powi(2.0, -11) + f64::powi(2.0, -40)).to_bits(), 0x3c01);
        assert_eq!(CastTo::<f32>::cast(Complex::new(2.0f64, 3.0)), 2.0);
        assert!(CastTo::<bool>::cast(Complex::new(0.0f32, 3.0)));
    }
}
