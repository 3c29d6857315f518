//! Smallest and largest element.
//!
//! A NaN anywhere makes the result the NaN of its type. Of zeros, -0 counts as smaller than +0. So the result is a
//! function of the set of elements, and the loops may take them in any order.
use super::block::{chains, plain};
use super::fold::{Accumulate, Fold, Whole};
use crate::elementwise::Half;
use half::{bf16, f16};
use std::ops::BitOr;

/// A type with a least and a greatest value that loops can compare.
pub trait Ordered: Copy + PartialOrd + 'static {
    /// Below everything else.
    const LEAST: Self;
    /// Above everything else.
    const GREATEST: Self;
    /// The smaller one.
    fn lesser(self, b: Self) -> Self;
    /// The larger one.
    fn greater(self, b: Self) -> Self;
    /// Whether there are NaNs and signed zeros.
    const FLOATS: bool = false;
    /// Whether this is no number.
    #[inline(always)]
    fn is_nan(self) -> bool {
        false
    }
    /// Whether this is a zero that has a sign.
    #[inline(always)]
    fn is_signed_zero(self) -> bool {
        false
    }
    /// The NaN that results are.
    fn nan() -> Self {
        Self::GREATEST
    }
}

macro_rules! ordered_floats {
    ($($t:ident),*) => {$(
        impl Ordered for $t {
            const FLOATS: bool = true;
            const LEAST: $t = $t::NEG_INFINITY;
            const GREATEST: $t = $t::INFINITY;
            #[inline(always)]
            fn lesser(self, b: $t) -> $t {
                let zeros = $t::from_bits(self.to_bits() | b.to_bits());
                let r = if self < b { self } else { b };
                let r = if self == b { zeros } else { r };
                if self.is_nan() || b.is_nan() { $t::NAN } else { r }
            }
            #[inline(always)]
            fn greater(self, b: $t) -> $t {
                let zeros = $t::from_bits(self.to_bits() & b.to_bits());
                let r = if self > b { self } else { b };
                let r = if self == b { zeros } else { r };
                if self.is_nan() || b.is_nan() { $t::NAN } else { r }
            }
            #[inline(always)]
            fn is_nan(self) -> bool {
                $t::is_nan(self)
            }
            #[inline(always)]
            fn is_signed_zero(self) -> bool {
                self == 0.0
            }
            fn nan() -> $t {
                $t::NAN
            }
        }
    )*};
}
ordered_floats!(f32, f64);

macro_rules! ordered_integers {
    ($($t:ident),*) => {$(
        impl Ordered for $t {
            const LEAST: $t = $t::MIN;
            const GREATEST: $t = $t::MAX;
            #[inline(always)]
            fn lesser(self, b: $t) -> $t {
                if b < self { b } else { self }
            }
            #[inline(always)]
            fn greater(self, b: $t) -> $t {
                if b > self { b } else { self }
            }
        }
    )*};
}
ordered_integers!(i8, i16, i32, i64, u8, u16, u32, u64);

/// An element that has a smallest and a largest: half types are compared in f32, booleans as 0 and 1.
pub trait Extremum: Copy + 'static {
    /// What is compared.
    type Wide: Ordered;
    /// To what is compared.
    fn widen(self) -> Self::Wide;
    /// Back again.
    fn narrow(wide: Self::Wide) -> Self;
}

macro_rules! extremum {
    ($($t:ty: $wide:ty, $widen:expr, $narrow:expr;)*) => {$(
        impl Extremum for $t {
            type Wide = $wide;
            #[inline(always)]
            fn widen(self) -> $wide {
                $widen(self)
            }
            #[inline(always)]
            fn narrow(wide: $wide) -> $t {
                $narrow(wide)
            }
        }
    )*};
}
extremum! {
    bool: u8, u8::from, |w| w != 0;
    i8: i8, |x| x, |w| w;
    i16: i16, |x| x, |w| w;
    i32: i32, |x| x, |w| w;
    i64: i64, |x| x, |w| w;
    u8: u8, |x| x, |w| w;
    u16: u16, |x| x, |w| w;
    u32: u32, |x| x, |w| w;
    u64: u64, |x| x, |w| w;
    f16: f32, Half::widen, Half::narrow;
    bf16: f32, Half::widen, Half::narrow;
    f32: f32, |x| x, |w| w;
    f64: f64, |x| x, |w| w;
}

/// The smallest element.
#[derive(Clone, Copy, Debug)]
pub struct Min;

/// The largest element.
#[derive(Clone, Copy, Debug)]
pub struct Max;

/// Whether there is a NaN; `N` is an integer of the width of what is compared, for as many lanes.
///
/// # Safety
/// `x` is valid for reads of `n` elements.
#[inline(always)]
unsafe fn any_nan<T: Extremum, N: From<bool> + BitOr<Output = N> + PartialEq>(x: *const T, n: usize) -> bool {
    let mut odd = N::from(false);
    for i in 0..n {
        // SAFETY: `i < n`.
        odd = odd | N::from(unsafe { x.add(i).read_unaligned() }.widen().is_nan());
    }
    odd != N::from(false)
}

/// Whether there is a NaN among `n` elements, then the best of them: cheaper than letting each step see to NaNs and the
/// signs of zeros. `None` leaves the case to a loop that does.
///
/// # Safety
/// `x` is valid for reads of `n` elements.
#[inline(always)]
unsafe fn sweep<T: Extremum, const L: usize>(
    x: *const T,
    n: usize,
    identity: T::Wide,
    beats: impl Fn(T::Wide, T::Wide) -> bool,
) -> Option<T::Wide> {
    if n < L {
        return None;
    }
    let nan = match size_of::<T::Wide>() {
        // SAFETY: the caller's promise.
        4 => unsafe { any_nan::<T, u32>(x, n) },
        // SAFETY: the caller's promise.
        _ => unsafe { any_nan::<T, u64>(x, n) },
    };
    if nan {
        return Some(T::Wide::nan());
    }
    let mut best = [identity; L];
    for i in (0..n).step_by(L) {
        // The last vector may overlap the one before.
        // SAFETY: `n - L + L <= n`.
        let v = unsafe { x.add(i.min(n - L)).cast::<[T; L]>().read_unaligned() };
        for l in 0..L {
            let v = v[l].widen();
            best[l] = if beats(v, best[l]) { v } else { best[l] };
        }
    }
    // Seen from outside as one array, the lanes stay together in vectors all along.
    let mut best = std::hint::black_box(best);
    let mut half = L / 2;
    while half > 0 {
        for l in 0..half {
            best[l] = if beats(best[l + half], best[l]) { best[l + half] } else { best[l] };
        }
        half /= 2;
    }
    (!best[0].is_signed_zero()).then_some(best[0])
}

macro_rules! extremum_folds {
    ($($fold:ident: $identity:ident, $better:ident, $beats:tt;)*) => {$(
        impl<T: Extremum> Accumulate<T> for $fold {
            type Acc = T::Wide;
            type Param = ();
            const ORDER_FREE: bool = true;
            #[inline(always)]
            fn identity() -> T::Wide {
                T::Wide::$identity
            }
            #[inline(always)]
            fn lift(_: (), x: T, _: usize) -> T::Wide {
                x.widen()
            }
            #[inline(always)]
            fn combine(a: T::Wide, b: T::Wide) -> T::Wide {
                a.$better(b)
            }
            #[inline(always)]
            unsafe fn block(_: (), x: *const T, n: usize, index: usize) -> T::Wide {
                if !T::Wide::FLOATS {
                    // SAFETY: the caller's promise.
                    return unsafe { plain::<T, Self>((), x, n, index) };
                }
                let beats = |a: T::Wide, b: T::Wide| a $beats b;
                let swept = match size_of::<T::Wide>() {
                    // SAFETY: the caller's promise.
                    4 => unsafe { sweep::<T, 32>(x, n, T::Wide::$identity, beats) },
                    // SAFETY: the caller's promise.
                    _ => unsafe { sweep::<T, 16>(x, n, T::Wide::$identity, beats) },
                };
                // SAFETY: the caller's promise.
                swept.unwrap_or_else(|| unsafe { chains::<T, Self>((), x, n, index) })
            }
        }

        impl<T: Extremum> Fold<T> for $fold {
            type By = Self;
            type Param = ();
            type Out = T;
            fn finish(acc: T::Wide, _: Whole) -> T {
                T::narrow(acc)
            }
        }
    )*};
}
extremum_folds! {
    Min: GREATEST, lesser, <;
    Max: LEAST, greater, >;
}
