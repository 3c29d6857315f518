//! The same operations on arrays, for machines without a body of their own.
use super::Simd;
use core::marker::PhantomData;
use core::ops::{Add, Mul, Neg};

/// An element the vector operations exist for.
pub trait Scalar:
    Copy
    + Default
    + PartialOrd
    + From<f32>
    + Add<Output = Self>
    + Mul<Output = Self>
    + Neg<Output = Self>
    + Send
    + Sync
    + 'static
{
    /// `self * b + c`: rounded once where that is one instruction, twice elsewhere.
    fn chain(self, b: Self, c: Self) -> Self;
    /// Whether this is neither infinite nor NaN.
    fn is_finite(self) -> bool;
}

macro_rules! scalar {
    ($($t:ty),*) => {$(
        impl Scalar for $t {
            #[inline(always)]
            fn chain(self, b: Self, c: Self) -> Self {
                if cfg!(any(target_feature = "fma", target_arch = "aarch64")) { self.mul_add(b, c) } else { self * b + c }
            }
            #[inline(always)]
            fn is_finite(self) -> bool {
                <$t>::is_finite(self)
            }
        }
    )*};
}
scalar!(f32, f64);

const LANES: usize = 4;

/// Four lanes of `T` in plain Rust. Runs everywhere.
#[derive(Clone, Copy)]
pub struct Plain<T>(PhantomData<T>);

impl<T: Scalar> Simd for Plain<T> {
    type T = T;
    type V = [T; LANES];
    type Square = [[T; LANES]; LANES];
    const L: usize = LANES;

    #[inline(always)]
    unsafe fn assume() -> Self {
        Plain(PhantomData)
    }
    #[inline(always)]
    fn zero(self) -> Self::V {
        [T::default(); LANES]
    }
    #[inline(always)]
    fn splat(self, x: T) -> Self::V {
        [x; LANES]
    }
    #[inline(always)]
    fn fma(self, a: Self::V, b: Self::V, c: Self::V) -> Self::V {
        core::array::from_fn(|i| a[i].chain(b[i], c[i]))
    }
    #[inline(always)]
    fn add(self, a: Self::V, b: Self::V) -> Self::V {
        core::array::from_fn(|i| a[i] + b[i])
    }
    #[inline(always)]
    fn sub(self, a: Self::V, b: Self::V) -> Self::V {
        core::array::from_fn(|i| a[i] + -b[i])
    }
    #[inline(always)]
    fn mul(self, a: Self::V, b: Self::V) -> Self::V {
        core::array::from_fn(|i| a[i] * b[i])
    }
    #[inline(always)]
    fn relu(self, x: Self::V) -> Self::V {
        x.map(|x| if x < T::default() { T::default() } else { x })
    }
    #[inline(always)]
    fn swap(self, x: Self::V) -> Self::V {
        core::array::from_fn(|i| x[i ^ 1])
    }
    #[inline(always)]
    fn evens_twice(self, x: Self::V) -> Self::V {
        core::array::from_fn(|i| x[i & !1])
    }
    #[inline(always)]
    fn odds_twice(self, x: Self::V) -> Self::V {
        core::array::from_fn(|i| x[i | 1])
    }
    #[inline(always)]
    fn alternate(self, x: Self::V) -> Self::V {
        core::array::from_fn(|i| if i % 2 == 0 { x[i] } else { -x[i] })
    }
    #[inline(always)]
    fn both_evens(self, x: Self::V, y: Self::V) -> Self::V {
        [x[0], y[0], x[2], y[2]]
    }
    #[inline(always)]
    fn both_odds(self, x: Self::V, y: Self::V) -> Self::V {
        [x[1], y[1], x[3], y[3]]
    }
    #[inline(always)]
    fn evens(self, x: Self::V, y: Self::V) -> Self::V {
        [x[0], x[2], y[0], y[2]]
    }
    #[inline(always)]
    fn even_pairs(self, x: Self::V, y: Self::V) -> Self::V {
        [x[0], x[1], y[0], y[1]]
    }
    #[inline(always)]
    fn all_plain(self, x: Self::V) -> bool {
        x.iter().all(|&x| x != T::default() && x.is_finite())
    }
    #[inline(always)]
    fn square(self) -> Self::Square {
        [self.zero(); LANES]
    }
    #[inline(always)]
    fn transpose(self, rows: &mut Self::Square) {
        let from = *rows;
        *rows = core::array::from_fn(|j| core::array::from_fn(|i| from[i][j]));
    }
    #[inline(always)]
    fn prefetch(self, _: *const T) {}
    #[inline(always)]
    unsafe fn load(self, p: *const T) -> Self::V {
        // SAFETY: the caller vouches for L elements; an array is as aligned as its element.
        unsafe { *p.cast() }
    }
    #[inline(always)]
    unsafe fn load_f32(self, p: *const f32) -> Self::V {
        // SAFETY: the caller vouches for L elements.
        core::array::from_fn(|i| T::from(unsafe { *p.add(i) }))
    }
    #[inline(always)]
    unsafe fn load_first(self, p: *const T, n: usize) -> Self::V {
        let mut v = self.zero();
        // SAFETY: the caller vouches for n <= L elements.
        unsafe { core::ptr::copy_nonoverlapping(p, v.as_mut_ptr(), n) };
        v
    }
    #[inline(always)]
    unsafe fn store(self, p: *mut T, v: Self::V) {
        // SAFETY: the caller vouches for L elements; an array is as aligned as its element.
        unsafe { *p.cast() = v }
    }
    #[inline(always)]
    unsafe fn store_first(self, p: *mut T, v: Self::V, n: usize) {
        // SAFETY: the caller vouches for n <= L elements.
        unsafe { core::ptr::copy_nonoverlapping(v.as_ptr(), p, n) };
    }
}
