//! Any, all, and how many.
use super::dispatch::Tier;
use super::fold::{Accumulate, Fold, Whole};
use super::word::Word;
use half::{bf16, f16};
use num_complex::Complex;

/// An element that counts as true or false: all is true but zero, NaN too.
pub trait Truth: Copy + 'static {
    /// An integer of its width, or of that of its parts.
    type Word: Word;
    /// Bits that are all zero if and only if this is false.
    fn pattern(self) -> Self::Word;
}

macro_rules! truths {
    ($($t:ty: $word:ty, |$x:ident| $bits:expr;)*) => {$(
        impl Truth for $t {
            type Word = $word;
            #[inline(always)]
            fn pattern(self) -> $word {
                let $x = self;
                $bits
            }
        }
    )*};
}
truths! {
    bool: u8, |x| u8::from(x);
    i8: u8, |x| x as u8;
    i16: u16, |x| x as u16;
    i32: u32, |x| x as u32;
    i64: u64, |x| x as u64;
    u8: u8, |x| x;
    u16: u16, |x| x;
    u32: u32, |x| x;
    u64: u64, |x| x;
    f16: u16, |x| x.to_bits() << 1;
    bf16: u16, |x| x.to_bits() << 1;
    f32: u32, |x| x.to_bits() << 1;
    f64: u64, |x| x.to_bits() << 1;
    Complex<f32>: u32, |x| x.re.pattern() | x.im.pattern();
    Complex<f64>: u64, |x| x.re.pattern() | x.im.pattern();
}

/// All bits of `n` elements together.
///
/// # Safety
/// `x` is valid for reads of `n` elements.
#[inline(always)]
unsafe fn gathered<T: Truth>(x: *const T, n: usize, bits: impl Fn(T::Word) -> T::Word) -> bool {
    let mut all = T::Word::NONE;
    for i in 0..n {
        // SAFETY: `i < n`.
        all = all | bits(unsafe { x.add(i).read_unaligned() }.pattern());
    }
    all != T::Word::NONE
}

/// How many of `n <= 8192` elements are true, which are wider than a byte.
///
/// # Safety
/// `x` is valid for reads of `n` elements.
#[inline(always)]
unsafe fn counted_alone<T: Truth>(x: *const T, n: usize) -> i64 {
    let mut count = T::Word::NONE;
    for i in 0..n {
        // SAFETY: `i < n`.
        let x = unsafe { x.add(i).read_unaligned() };
        count = count.plus(T::Word::mask(x.pattern() != Word::NONE) & Word::of(1));
    }
    count.number() as i64
}

/// How many of `n <= 255 * L` elements are true, in counters as wide as they are.
///
/// # Safety
/// `x` is valid for reads of `n` elements.
#[inline(always)]
unsafe fn counted<T: Truth, const L: usize>(x: *const T, n: usize) -> i64 {
    let one = |x: T| T::Word::mask(x.pattern() != Word::NONE) & T::Word::of(1);
    let mut lanes = [T::Word::NONE; L];
    let whole = n / L * L;
    for i in (0..whole).step_by(L) {
        // SAFETY: `i + L <= n`.
        let v = unsafe { x.add(i).cast::<[T; L]>().read_unaligned() };
        for l in 0..L {
            lanes[l] = lanes[l].plus(one(v[l]));
        }
    }
    let mut count = lanes.iter().fold(0u32, |a, n| a + n.number() as u32);
    for i in whole..n {
        // SAFETY: `i < n`.
        count += one(unsafe { x.add(i).read_unaligned() }).number() as u32;
    }
    i64::from(count)
}

/// Whether any element is true; of nothing, false.
#[derive(Clone, Copy, Debug)]
pub struct Any;

/// Whether all elements are true; of nothing, true.
#[derive(Clone, Copy, Debug)]
pub struct All;

/// How many elements are true.
#[derive(Clone, Copy, Debug)]
pub struct CountNonzero;

macro_rules! truth_folds {
    ($($fold:ident: $acc:ty, $out:ty, $identity:expr, $combine:expr, $finish:expr, $settled:expr, |$x:ident, $n:ident| $block:expr,
       |$bits:ident| $found:expr, $gather:expr, |$before:ident, $all:ident| $with:expr;)*) => {$(
        impl<T: Truth> Accumulate<T> for $fold {
            type Acc = $acc;
            type Param = ();
            const TIER: Tier = Tier::Native;
            const ORDER_FREE: bool = true;
            #[inline(always)]
            fn identity() -> $acc {
                $identity
            }
            #[inline(always)]
            fn lift(_: (), x: T, _: usize) -> $acc {
                <$acc>::from(x.pattern() != Word::NONE)
            }
            #[inline(always)]
            fn combine(a: $acc, b: $acc) -> $acc {
                $combine(a, b)
            }
            #[inline(always)]
            fn settled(acc: $acc) -> bool {
                $settled(acc)
            }
            #[inline(always)]
            unsafe fn block(_: (), $x: *const T, $n: usize, _: usize) -> $acc {
                // SAFETY: the caller's promise.
                unsafe { $block }
            }
            /// What is found stays as wide as the elements until the last row.
            #[inline(always)]
            fn rows<const L: usize>(
                mut accs: [$acc; L],
                _: [(); L],
                rows: usize,
                row: impl Fn(usize) -> [T; L],
                _: usize,
                _: usize,
            ) -> [$acc; L] {
                let find = |x: T| -> T::Word {
                    let $bits = x.pattern();
                    $found
                };
                let gather = |a: T::Word, b: T::Word| -> T::Word { $gather(a, b) };
                let mut found = [T::Word::NONE; L];
                for r in 0..rows {
                    let x = row(r);
                    for l in 0..L {
                        found[l] = gather(found[l], find(x[l]));
                    }
                }
                for l in 0..L {
                    let ($before, $all) = (accs[l], found[l]);
                    accs[l] = $with;
                }
                accs
            }
        }

        impl<T: Truth> Fold<T> for $fold {
            type By = Self;
            type Param = ();
            type Out = $out;
            fn finish(acc: $acc, _: Whole) -> $out {
                $finish(acc)
            }
        }
    )*};
}
truth_folds! {
    Any: u8, bool, 0, |a, b| a | b, |a| a != 0, |a| a != 0, |x, n| u8::from(gathered(x, n, |bits| bits)),
        |bits| bits, |a, b| a | b, |acc, found| acc | u8::from(found != Word::NONE);
    All: u8, bool, 1, |a, b| a & b, |a| a != 0, |a| a == 0,
        |x, n| u8::from(!gathered(x, n, |bits| Word::mask(bits == T::Word::NONE))),
        |bits| Word::mask(bits == T::Word::NONE), |a, b| a | b, |acc, found| acc & u8::from(found == Word::NONE);
    CountNonzero: i64, i64, 0, |a, b| a + b, |a| a, |_| false, |x, n| match size_of::<T::Word>() {
        1 => counted::<T, 64>(x, n),
        _ => counted_alone(x, n),
    }, |bits| T::Word::mask(bits != Word::NONE) & Word::of(1), |a: T::Word, b| a.plus(b), |acc, found| acc + found.number() as i64;
}
