//! Elements that can be added up, and what they accumulate in.
use super::fold::Meet;
use super::pairs;
use crate::elementwise::Half;
use half::{bf16, f16};
use num_complex::Complex;
use std::mem::MaybeUninit;

/// What sums accumulate in: floating point rounds, integers wrap.
pub trait Accumulator: Copy + 'static {
    /// Leaves every addend as it is, the sign of a zero included.
    const NOTHING: Self;
    /// The sum of no elements.
    const ZERO: Self;
    /// The product of no elements.
    const ONE: Self;
    /// `self + b`.
    fn plus(self, b: Self) -> Self;
    /// `self * b`.
    fn times(self, b: Self) -> Self;
    /// Products of columns of accumulators, where there is a loop for them.
    const PRODUCTS: Option<Meet<Self>> = None;
}

/// Whether this is the number that products leave out.
#[inline(always)]
fn is_one(z: Complex<f64>) -> bool {
    (z.re == 1.0) & (z.im.to_bits() == 0)
}

macro_rules! float_accumulators {
    ($($t:ty),*) => {$(
        impl Accumulator for $t {
            const NOTHING: $t = -0.0;
            const ZERO: $t = 0.0;
            const ONE: $t = 1.0;
            #[inline(always)]
            fn plus(self, b: $t) -> $t {
                self + b
            }
            #[inline(always)]
            fn times(self, b: $t) -> $t {
                self * b
            }
        }

        impl Accumulator for Complex<$t> {
            const NOTHING: Self = Complex::new(-0.0, -0.0);
            const ZERO: Self = Complex::new(0.0, 0.0);
            const ONE: Self = Complex::new(1.0, 0.0);
            const PRODUCTS: Option<Meet<Self>> = Some(pairs::products::<$t>);
            #[inline(always)]
            fn plus(self, b: Self) -> Self {
                Complex::new(self.re + b.re, self.im + b.im)
            }
            /// One leaves everything as it is: by the formula it would change the signs of zeros, and infinities to NaN.
            #[inline(always)]
            fn times(self, b: Self) -> Self {
                let product = Complex::new(self.re * b.re - self.im * b.im, self.re * b.im + self.im * b.re);
                if is_one(self) { b } else if is_one(b) { self } else { product }
            }
        }
    )*};
}
float_accumulators!(f64);

macro_rules! integer_accumulators {
    ($($t:ty),*) => {$(
        impl Accumulator for $t {
            const NOTHING: $t = 0;
            const ZERO: $t = 0;
            const ONE: $t = 1;
            #[inline(always)]
            fn plus(self, b: $t) -> $t {
                self.wrapping_add(b)
            }
            #[inline(always)]
            fn times(self, b: $t) -> $t {
                self.wrapping_mul(b)
            }
        }
    )*};
}
integer_accumulators!(i64, u64);

/// An element that can be added up: floats in f64, rounded once; integers and booleans in 64 bits.
pub trait Summand: Copy + 'static {
    /// What accumulates.
    type Acc: Accumulator;
    /// What a sum is.
    type Out: Copy + 'static;
    /// Whether the order of additions changes no bits.
    const EXACT: bool = false;
    /// Products of columns, where there is a loop for them.
    const PRODUCTS: Option<Meet<Self::Acc>> = None;
    /// To the accumulator's type, exactly.
    fn widen(self) -> Self::Acc;
    /// To the type of a sum, rounding once.
    fn narrow(acc: Self::Acc) -> Self::Out;
    /// The sum of adjacent elements, where the order changes no bits.
    ///
    /// # Safety
    /// `x` is valid for reads of `n <= 8192` elements; it need not be aligned.
    #[inline(always)]
    unsafe fn total(x: *const Self, n: usize) -> Self::Acc {
        let mut acc = Self::Acc::NOTHING;
        for i in 0..n {
            // SAFETY: `i < n`.
            acc = acc.plus(unsafe { x.add(i).read_unaligned() }.widen());
        }
        acc
    }
}

/// The sum of small integers, in lanes that hold 256 of them: cheaper than widening each to 64 bits.
///
/// # Safety
/// `x` is valid for reads of `n <= 256 * L` elements.
#[inline(always)]
unsafe fn in_lanes<T: Copy, N: Copy + Default + std::ops::Add<Output = N>, const L: usize>(
    x: *const T,
    n: usize,
    widen: impl Fn(T) -> N,
    sum: impl Fn([N; L], &[T]) -> i64,
) -> i64 {
    let mut lanes = [N::default(); L];
    let whole = n / L * L;
    for i in (0..whole).step_by(L) {
        // SAFETY: `i + L <= n`.
        let v = unsafe { x.add(i).cast::<[T; L]>().read_unaligned() };
        for l in 0..L {
            lanes[l] = lanes[l] + widen(v[l]);
        }
    }
    let mut rest = [MaybeUninit::<T>::uninit(); L];
    for (i, place) in rest.iter_mut().enumerate().take(n - whole) {
        // SAFETY: `whole + i < n`.
        place.write(unsafe { x.add(whole + i).read_unaligned() });
    }
    // SAFETY: that many were written.
    sum(lanes, unsafe { std::slice::from_raw_parts(rest.as_ptr().cast(), n - whole) })
}

macro_rules! summands {
    ($($t:ty: $acc:ty, $out:ty, $exact:literal, $widen:expr, $narrow:expr $(, lanes $lane:ty)? $(, products $products:expr)?;)*) => {$(
        impl Summand for $t {
            type Acc = $acc;
            type Out = $out;
            const EXACT: bool = $exact;
            $(const PRODUCTS: Option<Meet<$acc>> = Some($products);)?
            #[inline(always)]
            fn widen(self) -> $acc {
                $widen(self)
            }
            #[inline(always)]
            fn narrow(acc: $acc) -> $out {
                $narrow(acc)
            }
            $(
                #[inline(always)]
                unsafe fn total(x: *const $t, n: usize) -> $acc {
                    let widen = |x: $t| <$lane>::from(x);
                    let sum = |lanes: [$lane; 32], rest: &[$t]| {
                        lanes.iter().fold(0, |a, &x| a + x as i64) + rest.iter().fold(0, |a, &x| a + x as i64)
                    };
                    // SAFETY: the caller's promise.
                    (unsafe { in_lanes::<$t, $lane, 32>(x, n, widen, sum) }) as $acc
                }
            )?
        }
    )*};
}
summands! {
    bool: i64, i64, true, i64::from, |a| a, lanes u16;
    i8: i64, i64, true, i64::from, |a| a, lanes i16;
    i16: i64, i64, true, i64::from, |a| a, lanes i32;
    i32: i64, i64, true, i64::from, |a| a;
    i64: i64, i64, true, |x| x, |a| a;
    u8: u64, u64, true, u64::from, |a| a, lanes u16;
    u16: u64, u64, true, u64::from, |a| a, lanes u32;
    u32: u64, u64, true, u64::from, |a| a;
    u64: u64, u64, true, |x| x, |a| a;
    f16: f64, f16, false, wide, f16::from_f64;
    bf16: f64, bf16, false, wide, bf16::from_f64;
    f32: f64, f32, false, f64::from, |a| a as f32;
    f64: f64, f64, false, |x| x, |a| a;
    Complex<f32>: Complex<f64>, Complex<f32>, false, |z: Self| Complex::new(z.re.into(), z.im.into()), |a: Complex<f64>| Complex::new(a.re as f32, a.im as f32),
        products pairs::products::<f32>;
    Complex<f64>: Complex<f64>, Complex<f64>, false, |x| x, |a| a, products pairs::products::<f64>;
}

#[inline(always)]
fn wide<H: Half>(x: H) -> f64 {
    f64::from(x.widen())
}

/// An integer as sums in double precision take it.
pub trait Doubled: Copy + 'static {
    /// `f64`.
    type Wide: Accumulator;
    /// To that type; exact, but for integers of 64 bits.
    fn double(self) -> Self::Wide;
}

macro_rules! doubled {
    ($($t:ty),*) => {$(
        impl Doubled for $t {
            type Wide = f64;
            #[inline(always)]
            fn double(self) -> f64 {
                self as f64
            }
        }
    )*};
}
doubled!(i8, i16, i32, i64, u8, u16, u32, u64);

impl Doubled for bool {
    type Wide = f64;
    #[inline(always)]
    fn double(self) -> f64 {
        f64::from(u8::from(self))
    }
}
