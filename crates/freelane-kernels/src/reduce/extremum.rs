//! Smallest and largest element.
//!
//! A NaN anywhere makes the result the NaN of its type. Of zeros, -0 counts as smaller than +0. So the result is a
//! function of the set of elements, and the loops may take them in any order.
use super::block::plain;
use super::dispatch::Tier;
use super::fold::{Accumulate, Fold, Whole};
use super::word::Word;
use crate::elementwise::Half;
use freelane_simd::Find;
use half::{bf16, f16};

/// A type with a least and a greatest value that loops can compare.
pub trait Ordered: Copy + PartialOrd + 'static {
    /// Below everything else.
    const LEAST: Self;
    /// Above everything else.
    const GREATEST: Self;
    /// An integer of the same width.
    type Word: Word;
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
    /// Whether the bits are the same.
    #[inline(always)]
    fn is(self, b: Self) -> bool {
        self == b
    }
    /// The zero that counts as the larger one, or as the smaller.
    fn zero(_larger: bool) -> Self {
        Self::LEAST
    }
    /// The NaN that results are.
    fn nan() -> Self {
        Self::GREATEST
    }
}

macro_rules! ordered_floats {
    ($($t:ident $word:ident),*) => {$(
        impl Ordered for $t {
            type Word = $word;
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
            #[inline(always)]
            fn is(self, b: $t) -> bool {
                self.to_bits() == b.to_bits()
            }
            #[inline(always)]
            fn zero(larger: bool) -> $t {
                if larger { 0.0 } else { -0.0 }
            }
            fn nan() -> $t {
                $t::NAN
            }
        }
    )*};
}
ordered_floats!(f32 u32, f64 u64);

macro_rules! ordered_integers {
    ($($t:ident $word:ident),*) => {$(
        impl Ordered for $t {
            type Word = $word;
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
ordered_integers!(i8 u8, i16 u16, i32 u32, i64 u64, u8 u8, u16 u16, u32 u32, u64 u64);

/// An element that has a smallest and a largest: half types are compared in f32, booleans as 0 and 1.
pub trait Extremum: Copy + 'static {
    /// What is compared.
    type Wide: Ordered;
    /// The least and the greatest that there are.
    const BOUNDS: (Self::Wide, Self::Wide) = (Self::Wide::LEAST, Self::Wide::GREATEST);
    /// To what is compared.
    fn widen(self) -> Self::Wide;
    /// Back again.
    fn narrow(wide: Self::Wide) -> Self;
    /// Number of the first of `n` elements that is `value`, or a NaN if `value` is; `n` if there is none.
    ///
    /// # Safety
    /// `x` is valid for reads of `n` elements; it need not be aligned.
    #[inline(always)]
    unsafe fn position(x: *const Self, n: usize, value: Self::Wide) -> usize {
        // SAFETY: the caller's promise.
        unsafe { position(x, n, value) }
    }
}

/// Elements compared at once.
const STEP: usize = 32;

/// The first number from `i` on in steps of `N` that is followed by one of the elements sought, or by fewer than `N`.
///
/// # Safety
/// `x` is valid for reads of `n` elements.
#[inline(always)]
unsafe fn without<T: Copy, const N: usize>(x: *const T, mut i: usize, n: usize, is_it: impl Fn(T) -> bool) -> usize {
    while i + N <= n {
        // SAFETY: `i + N <= n`.
        let v = unsafe { x.add(i).cast::<[T; N]>().read_unaligned() };
        if v.iter().fold(false, |any, &v| any | is_it(v)) {
            break;
        }
        i += N;
    }
    i
}

/// [`Extremum::position`] of any type.
///
/// # Safety
/// As for that.
#[inline(always)]
unsafe fn position<T: Extremum>(x: *const T, n: usize, value: T::Wide) -> usize {
    let is_it = |v: T| (v.widen() == value) | (value.is_nan() & v.widen().is_nan());
    let mut i = 0;
    // SAFETY: `without` asks for elements below `n`.
    i = unsafe { without::<T, STEP>(x, i, n, is_it) };
    // SAFETY: as above.
    i = unsafe { without::<T, 8>(x, i, n, is_it) };
    // SAFETY: `i < n`.
    while i < n && !is_it(unsafe { x.add(i).read_unaligned() }) {
        i += 1;
    }
    i
}

macro_rules! extremum {
    ($($t:ty: $wide:ty, $widen:expr, $narrow:expr $(, bounds $bounds:expr)? $(, found by $find:ident)?;)*) => {$(
        impl Extremum for $t {
            type Wide = $wide;
            $(const BOUNDS: ($wide, $wide) = $bounds;)?
            #[inline(always)]
            fn widen(self) -> $wide {
                $widen(self)
            }
            #[inline(always)]
            fn narrow(wide: $wide) -> $t {
                $narrow(wide)
            }
            $(
                #[inline(always)]
                unsafe fn position(x: *const $t, n: usize, value: $t) -> usize {
                    // SAFETY: the caller's promise.
                    unsafe { if Ordered::is_nan(value) { position(x, n, value) } else { <$t>::$find(x, n, value) } }
                }
            )?
        }
    )*};
}
extremum! {
    bool: u8, u8::from, |w| w != 0, bounds (0, 1);
    i8: i8, |x| x, |w| w;
    i16: i16, |x| x, |w| w;
    i32: i32, |x| x, |w| w, found by first_equal;
    i64: i64, |x| x, |w| w, found by first_equal;
    u8: u8, |x| x, |w| w;
    u16: u16, |x| x, |w| w;
    u32: u32, |x| x, |w| w, found by first_equal;
    u64: u64, |x| x, |w| w, found by first_equal;
    f16: f32, Half::widen, Half::narrow;
    bf16: f32, Half::widen, Half::narrow;
    f32: f32, |x| x, |w| w, found by first_equal;
    f64: f64, |x| x, |w| w, found by first_equal;
}

/// The smallest element.
#[derive(Clone, Copy, Debug)]
pub struct Min;

/// The largest element.
#[derive(Clone, Copy, Debug)]
pub struct Max;

/// The best of `n` floats: cheaper than letting each step see to NaNs and the signs of zeros, which are looked for once.
/// `larger` says which zero counts.
///
/// # Safety
/// `x` is valid for reads of `n >= L` elements.
#[inline(always)]
unsafe fn sweep<T: Extremum, const L: usize>(
    x: *const T,
    n: usize,
    identity: T::Wide,
    beats: impl Fn(T::Wide, T::Wide) -> bool,
    larger: bool,
) -> T::Wide {
    let mut best = [identity; L];
    let mut odd = [<T::Wide as Ordered>::Word::NONE; L];
    for i in (0..n).step_by(2 * L) {
        // The last vectors may overlap those before.
        // SAFETY: `n - L + L <= n`.
        let v = unsafe { x.add(i.min(n - L)).cast::<[T; L]>().read_unaligned() };
        // SAFETY: as above.
        let w = unsafe { x.add((i + L).min(n - L)).cast::<[T; L]>().read_unaligned() };
        for l in 0..L {
            let (v, w) = (v[l].widen(), w[l].widen());
            odd[l] = odd[l] | Word::mask(v.is_nan() | w.is_nan());
            best[l] = if beats(v, best[l]) { v } else { best[l] };
            best[l] = if beats(w, best[l]) { w } else { best[l] };
        }
    }
    if odd.iter().fold(Word::NONE, |a: <T::Wide as Ordered>::Word, &b| a | b) != Word::NONE {
        return T::Wide::nan();
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
    // SAFETY: the caller's promise.
    if best[0].is_signed_zero() { unsafe { zero(x, n, larger) } } else { best[0] }
}

/// Which zero is the best of elements that have one.
///
/// # Safety
/// `x` is valid for reads of `n` elements.
#[inline(always)]
unsafe fn zero<T: Extremum>(x: *const T, n: usize, larger: bool) -> T::Wide {
    let wanted = T::Wide::zero(larger);
    let mut found = <T::Wide as Ordered>::Word::NONE;
    for i in 0..n {
        // SAFETY: `i < n`.
        found = found | Word::mask(unsafe { x.add(i).read_unaligned() }.widen().is(wanted));
    }
    if found == Word::NONE { T::Wide::zero(!larger) } else { wanted }
}

/// The best of each of `L` columns of floats, by comparisons alone, if there is no NaN and no zero to see to.
#[inline(always)]
fn best_rows<T: Extremum, const L: usize>(
    rows: usize,
    row: &impl Fn(usize) -> [T; L],
    beats: impl Fn(T::Wide, T::Wide) -> bool,
) -> Option<[T::Wide; L]> {
    let mut best = row(0).map(T::widen);
    let mut odd = best.map(|b| <T::Wide as Ordered>::Word::mask(b.is_nan()));
    for r in 1..rows {
        let x = row(r);
        for l in 0..L {
            let x = x[l].widen();
            odd[l] = odd[l] | Word::mask(x.is_nan());
            best[l] = if beats(x, best[l]) { x } else { best[l] };
        }
    }
    for l in 0..L {
        odd[l] = odd[l] | Word::mask(best[l].is_signed_zero());
    }
    let odd = odd.iter().fold(Word::NONE, |a: <T::Wide as Ordered>::Word, &b| a | b);
    (odd == Word::NONE).then_some(best)
}

macro_rules! extremum_folds {
    ($($fold:ident: $identity:ident, $better:ident, $beats:tt, $bound:tt;)*) => {$(
        impl<T: Extremum> Accumulate<T> for $fold {
            type Acc = T::Wide;
            type Param = ();
            const TIER: Tier = if !T::Wide::FLOATS && size_of::<T>() == 8 { Tier::Wide } else { Tier::Native };
            const ORDER_FREE: bool = true;
            const QUICK: bool = !T::Wide::FLOATS;
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
            fn settled(acc: T::Wide) -> bool {
                !T::Wide::FLOATS && acc == T::BOUNDS.$bound
            }
            #[inline(always)]
            unsafe fn block(_: (), x: *const T, n: usize, index: usize) -> T::Wide {
                let beats = |a: T::Wide, b: T::Wide| a $beats b;
                let larger = T::Wide::$identity == T::Wide::LEAST;
                match (T::Wide::FLOATS, size_of::<T::Wide>()) {
                    // SAFETY: the caller's promise.
                    (true, 4) if n >= 32 => unsafe { sweep::<T, 32>(x, n, T::Wide::$identity, beats, larger) },
                    // SAFETY: the caller's promise.
                    (true, 8) if n >= 16 => unsafe { sweep::<T, 16>(x, n, T::Wide::$identity, beats, larger) },
                    // SAFETY: the caller's promise.
                    _ => unsafe { plain::<T, Self>((), x, n, index) },
                }
            }
            #[inline(always)]
            fn rows<const L: usize>(
                mut accs: [T::Wide; L],
                _: [(); L],
                rows: usize,
                row: impl Fn(usize) -> [T; L],
                _: usize,
                _: usize,
            ) -> [T::Wide; L] {
                if T::Wide::FLOATS && rows > 3 {
                    if let Some(best) = best_rows::<T, L>(rows, &row, |a, b| a $beats b) {
                        return std::array::from_fn(|l| accs[l].$better(best[l]));
                    }
                }
                for r in 0..rows {
                    let x = row(r);
                    for l in 0..L {
                        accs[l] = accs[l].$better(x[l].widen());
                    }
                }
                accs
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
    Min: GREATEST, lesser, <, 0;
    Max: LEAST, greater, >, 1;
}
