//! What a reduction does with its elements.
use super::block;
use super::dispatch::Tier;

/// What is known when the last element is in.
#[derive(Clone, Copy, Debug)]
pub struct Whole {
    /// Elements reduced into one output.
    pub count: usize,
    /// What [`Variance`](super::Variance) and [`Std`](super::Std) subtract from the count before they divide.
    pub ddof: f64,
}

/// Lets rows of elements meet the accumulators of adjacent columns: accumulators, how many, whether they start with these rows
/// (else they were written before), how many rows, the first of them, and the bytes from one to the next.
pub type Meet<A> = unsafe fn(*mut A, usize, bool, usize, *const u8, isize);

/// A way to accumulate elements of type `T`. The loops ask for `combine` in the order that [`order`](super::order) lays
/// down.
pub trait Accumulate<T: Copy + 'static>: 'static {
    /// What accumulates.
    type Acc: Copy + 'static;
    /// One value an output, known beforehand, such as the mean that deviations are taken from; `()` if there is none.
    type Param: Copy + 'static;
    /// The instruction sets that loops are compiled for.
    const TIER: Tier = Tier::Native;
    /// Whether `combine` gives the same bits in any order and grouping, so that loops may choose theirs.
    const ORDER_FREE: bool = false;
    /// Whether `combine` takes one instruction, so that a chain of them costs no more than its elements.
    const QUICK: bool = false;

    /// A loop of its own for adjacent columns, in place of [`rows`](Self::rows).
    const MEET: Option<Meet<Self::Acc>> = None;
    /// The same where the elements are accumulators.
    const JOIN: Option<Meet<Self::Acc>> = None;

    /// Whether [`block`](Self::block) is the tree over pieces and nothing else.
    const PIECES: bool = false;

    /// The accumulator of nothing: `combine(identity(), a)` and `combine(a, identity())` are `a`.
    fn identity() -> Self::Acc;
    /// The accumulator of one element, the `index`-th of its output.
    fn lift(param: Self::Param, x: T, index: usize) -> Self::Acc;
    /// The accumulator of two runs of elements, `a` the earlier one.
    fn combine(a: Self::Acc, b: Self::Acc) -> Self::Acc;
    /// The same of several at once.
    #[inline(always)]
    fn both<const L: usize>(mut a: [Self::Acc; L], b: [Self::Acc; L]) -> [Self::Acc; L] {
        for l in 0..L {
            a[l] = Self::combine(a[l], b[l]);
        }
        a
    }
    /// The accumulator with one more element.
    #[inline(always)]
    fn add(acc: Self::Acc, param: Self::Param, x: T, index: usize) -> Self::Acc {
        Self::combine(acc, Self::lift(param, x, index))
    }
    /// Whether no later element can change `acc`.
    #[inline(always)]
    fn settled(_acc: Self::Acc) -> bool {
        false
    }

    /// The accumulator of adjacent elements, the first of them the `index`-th of its output: at most 1024 of them, of a
    /// fold that does not mind the order at most 8192.
    ///
    /// # Safety
    /// `x` is valid for reads of `n` elements; it need not be aligned.
    #[inline(always)]
    unsafe fn block(param: Self::Param, x: *const T, n: usize, index: usize) -> Self::Acc {
        if Self::ORDER_FREE {
            // SAFETY: the caller's promise is the callee's.
            unsafe { block::plain::<T, Self>(param, x, n, index) }
        } else {
            // SAFETY: the caller's promise is the callee's.
            unsafe { block::pieces::<T, Self>(param, x, n, index) }
        }
    }

    /// `acc` with what [`block`](Self::block) gives, for folds that do not mind the order.
    ///
    /// # Safety
    /// As for `block`.
    #[inline(always)]
    unsafe fn extend(acc: Self::Acc, param: Self::Param, x: *const T, n: usize, index: usize) -> Self::Acc {
        // SAFETY: the caller's promise is the callee's.
        Self::combine(acc, unsafe { Self::block(param, x, n, index) })
    }

    /// The accumulators of `L` columns after `rows` more rows. Row `r` is `row(r)`, its number `index + r * step`.
    #[inline(always)]
    fn rows<const L: usize>(
        mut accs: [Self::Acc; L],
        params: [Self::Param; L],
        rows: usize,
        row: impl Fn(usize) -> [T; L],
        index: usize,
        step: usize,
    ) -> [Self::Acc; L] {
        for r in 0..rows {
            let x = row(r);
            for l in 0..L {
                accs[l] = Self::combine(accs[l], Self::lift(params[l], x[l], index + r * step));
            }
        }
        accs
    }
}

/// A reduction of elements of type `T`: a way to accumulate them, which several may share, and what becomes of the
/// accumulator.
pub trait Fold<T: Copy + 'static>: 'static {
    /// How elements accumulate.
    type By: Accumulate<T, Param = Self::Param>;
    /// The parameter of that.
    type Param: Copy + 'static;
    /// What is written.
    type Out: Copy + 'static;
    /// The output.
    fn finish(acc: <Self::By as Accumulate<T>>::Acc, whole: Whole) -> Self::Out;
}
