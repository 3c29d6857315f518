//! How elements are folded into one.
use core::marker::PhantomData;
use core::ops::{Add, Div, Mul};
use half::{bf16, f16};

/// An element of which the largest is taken.
pub trait MaxElement: Copy + PartialOrd + Send + Sync + 'static {
    /// Not larger than any other.
    const LOWEST: Self;
    /// The larger one; NaN if one is.
    fn larger(self, other: Self) -> Self;
}

macro_rules! largest {
    (floats $($t:ty: $low:expr),*) => {$(
        impl MaxElement for $t {
            const LOWEST: $t = $low;
            #[inline(always)]
            fn larger(self, other: $t) -> $t {
                // A NaN on the left stays, since nothing is larger; the bits of one on the right make any others those of a NaN.
                // Choosing it instead would compile to a store of chosen elements, which costs several of all.
                let larger = if other > self { other } else { self };
                let right = if other.is_nan() { other.to_bits() } else { 0 };
                <$t>::from_bits(larger.to_bits() | right)
            }
        }
    )*};
    (ints $($t:ty),*) => {$(
        impl MaxElement for $t {
            const LOWEST: $t = <$t>::MIN;
            #[inline(always)]
            fn larger(self, other: $t) -> $t {
                if other > self { other } else { self }
            }
        }
    )*};
}
largest!(floats f32: f32::NEG_INFINITY, f64: f64::NEG_INFINITY, f16: f16::NEG_INFINITY, bf16: bf16::NEG_INFINITY);
largest!(ints i8, u8, i16, u16, i32, u32, i64, u64);

/// An element of which means and norms are taken: `f32`, `f64`.
pub trait MeanElement:
    Copy + Default + PartialOrd + Add<Output = Self> + Mul<Output = Self> + Div<Output = Self> + Send + Sync + 'static
{
    /// Zero.
    const ZERO: Self;
    /// A count.
    fn of(count: usize) -> Self;
    /// Its magnitude.
    fn magnitude(self) -> Self;
    /// The power of its magnitude.
    fn raised(self, p: u32) -> Self;
    /// The `p`th root.
    fn root(self, p: u32) -> Self;
}

macro_rules! means {
    ($($t:ty),*) => {$(
        impl MeanElement for $t {
            const ZERO: $t = 0.0;
            #[inline(always)]
            fn of(count: usize) -> $t {
                count as $t
            }
            #[inline(always)]
            fn magnitude(self) -> $t {
                self.abs()
            }
            #[inline(always)]
            fn raised(self, p: u32) -> $t {
                let x = self.abs();
                (1..p).fold(x, |power, _| power * x)
            }
            #[inline(always)]
            fn root(self, p: u32) -> $t {
                match p {
                    1 => self,
                    2 => self.sqrt(),
                    _ => libm::pow(self.into(), 1.0 / f64::from(p)) as $t,
                }
            }
        }
    )*};
}
means!(f32, f64);

/// A way to fold.
pub trait Fold: 'static {
    type T: Copy;
    /// Of nothing.
    const EMPTY: Self::T;
    /// An element as it is folded.
    fn enter(x: Self::T) -> Self::T;
    fn join(a: Self::T, b: Self::T) -> Self::T;
}

pub struct Largest<T>(PhantomData<T>);

impl<T: MaxElement> Fold for Largest<T> {
    type T = T;
    const EMPTY: T = T::LOWEST;
    #[inline(always)]
    fn enter(x: T) -> T {
        x
    }
    #[inline(always)]
    fn join(a: T, b: T) -> T {
        a.larger(b)
    }
}

macro_rules! sums {
    ($($name:ident: |$x:ident| $e:expr;)*) => {$(
        pub struct $name<T>(PhantomData<T>);

        impl<T: MeanElement> Fold for $name<T> {
            type T = T;
            const EMPTY: T = T::ZERO;
            #[inline(always)]
            fn enter($x: T) -> T {
                $e
            }
            #[inline(always)]
            fn join(a: T, b: T) -> T {
                a + b
            }
        }
    )*};
}
sums! {
    Sum: |x| x;
    Absolutes: |x| x.magnitude();
    Squares: |x| x * x;
}
