//! Where the smallest and the largest element are.
//!
//! Of equal elements the first counts, and the first NaN comes before every number. Zeros are equal.
use super::extremum::{Extremum, Max, Min, Ordered};
use super::fold::{Accumulate, Fold, Whole};
use super::word::Word;

/// A value and where it is.
#[derive(Clone, Copy, Debug)]
pub struct At<W> {
    value: W,
    /// `NOWHERE` for the identity.
    index: usize,
}

const NOWHERE: usize = usize::MAX;

/// Index of the first of the smallest elements.
#[derive(Clone, Copy, Debug)]
pub struct ArgMin;

/// Index of the first of the largest elements.
#[derive(Clone, Copy, Debug)]
pub struct ArgMax;

/// Whether `b` goes before `a`, if `beats` says whether its value does.
#[inline(always)]
fn before<W: Ordered>(a: At<W>, b: At<W>, beats: bool) -> bool {
    let (a_nan, b_nan) = (a.value.is_nan(), b.value.is_nan());
    let equal = a.value == b.value || (a_nan & b_nan);
    beats | (b_nan & !a_nan) | (equal & (b.index < a.index))
}

macro_rules! arg_folds {
    ($($fold:ident: $extremum:ident, $identity:ident, $beats:tt, $bound:tt, $other:tt;)*) => {$(
        impl<T: Extremum> Accumulate<T> for $fold {
            type Acc = At<T::Wide>;
            type Param = ();
            const ORDER_FREE: bool = true;
            #[inline(always)]
            fn identity() -> At<T::Wide> {
                At { value: T::Wide::$identity, index: NOWHERE }
            }
            #[inline(always)]
            fn lift(_: (), x: T, index: usize) -> At<T::Wide> {
                At { value: x.widen(), index }
            }
            #[inline(always)]
            fn combine(a: At<T::Wide>, b: At<T::Wide>) -> At<T::Wide> {
                if before(a, b, b.value $beats a.value) { b } else { a }
            }
            #[inline(always)]
            unsafe fn block(_: (), x: *const T, n: usize, index: usize) -> At<T::Wide> {
                // SAFETY: the caller's promise.
                let value = unsafe { <$extremum as Accumulate<T>>::block((), x, n, index) };
                // SAFETY: the caller's promise.
                let position = unsafe { T::position(x, n, value) };
                At { value, index: index + position }
            }
            /// Where the best is matters only if it beats what was before.
            #[inline(always)]
            unsafe fn extend(acc: Self::Acc, _: (), x: *const T, n: usize, index: usize) -> Self::Acc {
                if T::BOUNDS.1 != T::Wide::GREATEST {
                    // Of two values, the first of one is sought, or else the first of all.
                    // SAFETY: the caller's promise.
                    let at = unsafe { T::position(x, n, T::BOUNDS.$bound) };
                    let value = if at < n { T::BOUNDS.$bound } else { T::BOUNDS.$other };
                    return <Self as Accumulate<T>>::combine(acc, At { value, index: index + at % n });
                }
                // SAFETY: the caller's promise.
                let value = unsafe { <$extremum as Accumulate<T>>::block((), x, n, index) };
                let better = (value $beats acc.value) | (value.is_nan() & !acc.value.is_nan());
                if !better && acc.index < index {
                    return acc;
                }
                // SAFETY: the caller's promise.
                let position = unsafe { T::position(x, n, value) };
                <Self as Accumulate<T>>::combine(acc, At { value, index: index + position })
            }
            #[inline(always)]
            fn settled(acc: Self::Acc) -> bool {
                acc.index != NOWHERE && <$extremum as Accumulate<T>>::settled(acc.value)
            }
            /// The rows are compared among themselves first, their numbers kept apart from the values.
            #[inline(always)]
            fn rows<const L: usize>(
                mut accs: [At<T::Wide>; L],
                _: [(); L],
                rows: usize,
                row: impl Fn(usize) -> [T; L],
                index: usize,
                step: usize,
            ) -> [At<T::Wide>; L] {
                let (mut best, mut at) = (row(0).map(T::widen), [<T::Wide as Ordered>::Word::NONE; L]);
                for r in 1..rows {
                    let x = row(r);
                    for l in 0..L {
                        let x = x[l].widen();
                        let beats = (x $beats best[l]) | (x.is_nan() & !best[l].is_nan());
                        best[l] = if beats { x } else { best[l] };
                        at[l] = if beats { Word::of(r) } else { at[l] };
                    }
                }
                for l in 0..L {
                    let here = At { value: best[l], index: index + at[l].number() * step };
                    accs[l] = <Self as Accumulate<T>>::combine(accs[l], here);
                }
                accs
            }
        }

        impl<T: Extremum> Fold<T> for $fold {
            type By = Self;
            type Param = ();
            type Out = i64;
            fn finish(acc: At<T::Wide>, _: Whole) -> i64 {
                acc.index as i64
            }
        }
    )*};
}
arg_folds! {
    ArgMin: Min, GREATEST, <, 0, 1;
    ArgMax: Max, LEAST, >, 1, 0;
}
