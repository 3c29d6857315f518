//! Casts between element types and byte swaps.
//!
//! [`cast_loop`] knows every pair of element types:
//! - to bool: whether the number differs from zero (NaN does);
//! - between integers: modulo 2^bits;
//! - float to integer: towards zero, values out of range to the nearest end, NaN to 0;
//! - to a float: the nearest value, ties to even; f64 to a half type in one rounding (i64 and u64 to a half type in two);
//! - complex to real: the real part; real to complex: an imaginary part of zero.
use crate::elementwise::{Half, Loop1, Map1, Truth, loop1};
use crate::whole::{Rounded, Towards};
use half::{bf16, f16};
use num_complex::Complex;
use std::marker::PhantomData;

/// An element that can become a `B`.
pub trait CastTo<B>: Copy + 'static {
    /// The same value as far as `B` holds it; the rules are those of this module.
    fn cast(self) -> B;
}

/// The function that turns an element into a `B`.
#[derive(Clone, Copy, Debug)]
pub struct Cast<B>(PhantomData<B>);

impl<A: CastTo<B>, B: Copy + 'static> Map1<A> for Cast<B> {
    type Out = B;
    #[inline(always)]
    fn apply(x: A) -> B {
        x.cast()
    }
}

/// The loop that turns elements of type `A` into elements of type `B`.
///
/// ```
/// use freelane_kernels::convert::cast_loop;
/// use freelane_simd::Isa;
///
/// let (x, mut o) = ([1.9f64, -300.0, f64::NAN], [7i8; 3]);
/// // SAFETY: both arrays hold three elements, 8 and 1 bytes apart, and do not overlap.
/// unsafe { cast_loop::<f64, i8>()(Isa::current(), 3, x.as_ptr().cast(), 8, o.as_mut_ptr().cast(), 1) };
/// assert_eq!(o, [1, -128, 0]);
/// ```
pub const fn cast_loop<A: CastTo<B>, B: Copy + 'static>() -> Loop1 {
    loop1::<Cast<B>, A>
}

macro_rules! casts {
    ($($a:ty => $b:ty: |$x:ident| $e:expr;)*) => { $(
        impl CastTo<$b> for $a {
            #[inline(always)]
            fn cast(self) -> $b {
                let $x = self;
                $e
            }
        }
    )* };
}

/// Between a number and all that are not plain numbers, and from it to each of the numbers.
macro_rules! number {
    ($($a:ident)*) => { $(
        number!(@ $a: i8 i16 i32 i64 u8 u16 u32 u64 f32 f64);
        casts! {
            bool => $a: |x| x as u8 as $a;
            f16 => $a: |x| x.widen().cast();
            bf16 => $a: |x| x.widen().cast();
            Complex<f32> => $a: |x| x.re.cast();
            Complex<f64> => $a: |x| x.re.cast();
            $a => bool: |x| x.truth();
            $a => f16: |x| f16::narrow(odd(x as f64));
            $a => bf16: |x| bf16::narrow(odd(x as f64));
            $a => Complex<f32>: |x| Complex::new(x as f32, 0.0);
            $a => Complex<f64>: |x| Complex::new(x as f64, 0.0);
        }
    )* };
    (@ f32: $($b:ident)*) => { casts! { $( f32 => $b: |x| Towards::<$b>::zero(x); )* } };
    (@ f64: $($b:ident)*) => { casts! { $( f64 => $b: |x| Towards::<$b>::zero(x); )* } };
    (@ u64: $($b:ident)*) => { casts! { $( u64 => $b: |x| Rounded::<$b>::rounded(x); )* } };
    (@ $a:ident: $($b:ident)*) => { casts! { $( $a => $b: |x| x as $b; )* } };
}
number!(i8 i16 i32 i64 u8 u16 u32 u64 f32 f64);

casts! {
    bool => bool: |x| x;
    bool => f16: |x| if x { f16::ONE } else { f16::ZERO };
    bool => bf16: |x| if x { bf16::ONE } else { bf16::ZERO };
    bool => Complex<f32>: |x| Complex::new(x.cast(), 0.0);
    bool => Complex<f64>: |x| Complex::new(x.cast(), 0.0);
    f16 => bool: |x| x.truth();
    f16 => f16: |x| x;
    f16 => bf16: |x| bf16::narrow(x.widen());
    f16 => Complex<f32>: |x| Complex::new(x.widen(), 0.0);
    f16 => Complex<f64>: |x| Complex::new(x.cast(), 0.0);
    bf16 => bool: |x| x.truth();
    bf16 => f16: |x| f16::narrow(x.widen());
    bf16 => bf16: |x| x;
    bf16 => Complex<f32>: |x| Complex::new(x.widen(), 0.0);
    bf16 => Complex<f64>: |x| Complex::new(x.cast(), 0.0);
    Complex<f32> => bool: |x| x.truth();
    Complex<f32> => f16: |x| x.re.cast();
    Complex<f32> => bf16: |x| x.re.cast();
    Complex<f32> => Complex<f32>: |x| x;
    Complex<f32> => Complex<f64>: |x| Complex::new(x.re.cast(), x.im.cast());
    Complex<f64> => bool: |x| x.truth();
    Complex<f64> => f16: |x| x.re.cast();
    Complex<f64> => bf16: |x| x.re.cast();
    Complex<f64> => Complex<f32>: |x| Complex::new(x.re.cast(), x.im.cast());
    Complex<f64> => Complex<f64>: |x| x;
}

/// To f32, rounded so that rounding once more, to a shorter type, is as good as rounding once: the last bit is set
/// whenever anything was cut off (Boldo and Melquiond, "When double rounding is odd", 2005).
#[inline(always)]
fn odd(x: f64) -> f32 {
    let near = x as f32;
    let back = near as f64;
    let towards_zero = near.to_bits().wrapping_sub((back.abs() > x.abs()) as u32);
    f32::from_bits(if back == x { near.to_bits() } else { towards_zero | 1 })
}

/// An element whose bytes can be reversed, to read files of the other byte order.
pub trait SwapBytes: Copy + 'static {
    /// Bytes reversed; in each part of a complex number.
    fn swap(self) -> Self;
}

macro_rules! swaps {
    ($($t:ty, |$x:ident| $e:expr;)*) => { $(
        impl SwapBytes for $t {
            #[inline(always)]
            fn swap(self) -> Self {
                let $x = self;
                $e
            }
        }
    )* };
}
swaps! {
    bool, |x| x;
    i8, |x| x; i16, |x| x.swap_bytes(); i32, |x| x.swap_bytes(); i64, |x| x.swap_bytes();
    u8, |x| x; u16, |x| x.swap_bytes(); u32, |x| x.swap_bytes(); u64, |x| x.swap_bytes();
    f16, |x| f16::from_bits(x.to_bits().swap_bytes());
    bf16, |x| bf16::from_bits(x.to_bits().swap_bytes());
    f32, |x| f32::from_bits(x.to_bits().swap_bytes());
    f64, |x| f64::from_bits(x.to_bits().swap_bytes());
    Complex<f32>, |x| Complex::new(x.re.swap(), x.im.swap());
    Complex<f64>, |x| Complex::new(x.re.swap(), x.im.swap());
}

/// The function that reverses the bytes of an element.
#[derive(Clone, Copy, Debug)]
pub struct Swap;

impl<T: SwapBytes> Map1<T> for Swap {
    type Out = T;
    #[inline(always)]
    fn apply(x: T) -> T {
        x.swap()
    }
}

/// The loop that reverses the bytes of each element; it may run in place.
pub const fn swap_loop<T: SwapBytes>() -> Loop1 {
    loop1::<Swap, T>
}

#[cfg(test)]
mod tests {
    use super::*;
    use freelane_simd::Isa;

    /// Through every path, contiguous and with a stride.
    fn cast<A: CastTo<B>, B: Copy + PartialEq + std::fmt::Debug + 'static>(x: A, expected: B) {
        let (ea, eb) = (size_of::<A>() as isize, size_of::<B>() as isize);
        for &isa in Isa::available() {
            for stride in [0, 1, 2] {
                let (x, mut o) = (vec![x; 200], vec![x.cast(); 100]);
                // SAFETY: both hold a hundred elements at that stride.
                unsafe { cast_loop::<A, B>()(isa, 100, x.as_ptr().cast(), stride * ea, o.as_mut_ptr().cast(), eb) };
                assert_eq!(o, vec![expected; 100], "{isa}, stride {stride}");
            }
        }
    }

    #[test]
    fn numbers_become_numbers() {
        cast(-1i8, 255u8);
        cast(-1i8, u64::MAX);
        cast(300i64, 44u8);
        cast(i64::MIN, i64::MIN as f64);
        cast(u64::MAX, 18446744073709551615.0f32);
        cast(1e10f64, i32::MAX);
        cast(-1.0f32, 0u16);
        cast(-2.9f32, -2i64);
        cast(f64::NAN, 0i32);
        cast(f64::INFINITY, u64::MAX);
        cast(1e300f64, f32::INFINITY);
        cast(u64::MAX, 1.8446744073709552e19f64);
    }

    #[test]
    fn truth_is_not_zero() {
        cast(0.0f64, false);
        cast(-0.0f32, false);
        cast(f64::NAN, true);
        cast(256u16, true);
        cast(f16::from_f32_const(1e-7), true);
        cast(Complex::new(0.0f64, 1.0), true);
        cast(true, 1.0f64);
        cast(true, f16::ONE);
        cast(true, 1i64);
        cast(true, Complex::new(1.0f32, 0.0));
    }

    #[test]
    fn complex_numbers_lose_and_gain_a_part() {
        cast(Complex::new(2.5f64, 9.0), 2i32);
        cast(Complex::new(2.5f32, 9.0), bf16::from_f32_const(2.5));
        cast(Complex::new(2.5f64, 0.1), Complex::new(2.5f32, 0.1));
        cast(-3i16, Complex::new(-3.0f64, 0.0));
    }

    #[test]
    fn halves_are_rounded_once() {
        // Just above the middle of two halves: f32 would drop the excess, and the tie would then go down.
        let x = 1.0 + 2f64.powi(-11) + 2f64.powi(-40);
        cast(x, f16::from_f64_const(1.0 + 2f64.powi(-10)));
        cast(-x, f16::from_f64_const(-1.0 - 2f64.powi(-10)));
        cast(1.0 + 2f64.powi(-8) + 2f64.powi(-40), bf16::from_f64_const(1.0 + 2f64.powi(-7)));
        cast(1.0 + 2f64.powi(-8), bf16::ONE);
        cast(16_842_753i32, bf16::from_f32_const(16_908_288.0));
        cast(1e300f64, f16::INFINITY);
        cast(65_519.99f64, f16::MAX);
        cast(1e-300f64, f16::ZERO);
        cast(2049u16, f16::from_f32_const(2048.0));
    }

    fn swap<T: SwapBytes>(x: T, expected: &[u8]) {
        let e = size_of::<T>();
        for &isa in Isa::available() {
            let mut x = [x; 37];
            let p: *mut u8 = x.as_mut_ptr().cast();
            // SAFETY: 37 elements, replaced one by one.
            unsafe { swap_loop::<T>()(isa, 37, p, e as isize, p, e as isize) };
            // SAFETY: the array has as many bytes, all of them initialised.
            let bytes = unsafe { std::slice::from_raw_parts(p, 37 * e) };
            assert!(bytes.chunks(e).all(|b| b == expected), "{isa}");
        }
    }

    #[test]
    fn bytes_are_reversed() {
        swap(0x0102i16.to_le(), &[1, 2]);
        swap(0x0102_0304u32.to_le(), &[1, 2, 3, 4]);
        swap(1.0f64, &1f64.to_be_bytes());
        swap(f16::ONE, &f16::ONE.to_be_bytes());
        swap(true, &[1]);
        swap(Complex::new(1.0f32, -2.0), &[1f32.to_be_bytes(), (-2f32).to_be_bytes()].concat());
    }
}
