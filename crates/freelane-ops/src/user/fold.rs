//! Folds made of closures, in the order of all reductions (`freelane_kernels::reduce::order`).
use freelane_array::{DType, Element};
use freelane_kernels::reduce::order::{CHAINS, LEVELS, PIECE, fold_halves, walk};
use freelane_pool::{Interrupted, Lane};
use std::cell::Cell;
use std::marker::PhantomData;
use std::ops::Range;

/// One fold of a table.
pub(super) struct Fold {
    pub(super) input: DType,
    pub(super) out: DType,
    pub(super) run: Box<dyn Erased>,
}

/// Rows to fold: `outputs` of them, of `count` elements each, one after the other.
#[derive(Clone, Copy)]
pub(super) struct Rows {
    pub(super) x: *const u8,
    pub(super) out: *mut u8,
    pub(super) outputs: usize,
    pub(super) count: usize,
}

// SAFETY: lanes read the elements, and each writes the results of its own rows.
unsafe impl Sync for Rows {}

/// A fold without its types.
pub(super) trait Erased: Send + Sync {
    /// # Safety
    /// `rows.x` is aligned and holds `outputs * count` elements of [`Fold::input`], which nothing writes meanwhile;
    /// `rows.out` has room for `outputs` of [`Fold::out`].
    unsafe fn run(&self, lane: &Lane, rows: Rows, cost_ns: u64) -> Result<(), Interrupted>;
}

/// The closures of a fold: what stands for nothing, an element as an accumulator, two accumulators as one, and the end.
pub(super) struct Closures<T, A, R, L, C, F> {
    pub(super) identity: A,
    pub(super) lift: L,
    pub(super) combine: C,
    pub(super) finish: F,
    pub(super) types: PhantomData<fn(T) -> R>,
}

/// Accumulators that lanes write side by side.
struct Partials<A>(*mut A);
// SAFETY: each task writes the accumulator of its own group.
unsafe impl<A: Send> Sync for Partials<A> {}

impl<A> Partials<A> {
    fn at(&self, i: usize) -> *mut A {
        self.0.wrapping_add(i)
    }
}

impl<T, A, R, L, C, F> Closures<T, A, R, L, C, F>
where
    T: Element,
    A: Copy + Send + Sync,
    R: Element,
    L: Fn(T) -> A + Send + Sync,
    C: Fn(A, A) -> A + Send + Sync,
    F: Fn(A, usize) -> R + Send + Sync,
{
    /// One piece: chains from left to right, then halves.
    fn block(&self, x: &[T]) -> A {
        let mut chains = [self.identity; CHAINS];
        for run in x.chunks(CHAINS) {
            for (chain, &x) in chains.iter_mut().zip(run) {
                *chain = (self.combine)(*chain, (self.lift)(x));
            }
        }
        fold_halves(chains, &self.combine)
    }

    /// The tree over parts whose accumulators `part` gives.
    fn tree(&self, parts: usize, part: impl Fn(usize) -> A) -> A {
        let levels = [const { Cell::new(None) }; LEVELS];
        let at = |level: usize| levels[level].get().unwrap_or(self.identity);
        walk(
            parts,
            |i, level| levels[level].set(Some(part(i))),
            |level| levels[level].set(Some((self.combine)(at(level), at(level + 1)))),
        );
        at(0)
    }

    fn blocks(&self, x: &[T]) -> A {
        self.tree(x.len().div_ceil(PIECE), |i| self.block(&x[i * PIECE..x.len().min((i + 1) * PIECE)]))
    }

    /// # Safety
    /// As for [`Erased::run`], for these rows.
    unsafe fn some(&self, rows: Rows, range: Range<usize>) {
        for i in range {
            // SAFETY: row `i` is one of `outputs`.
            let x = unsafe { row::<T>(rows, i, 0..rows.count) };
            let result = (self.finish)(self.blocks(x), rows.count);
            // SAFETY: as above; no other lane has this row.
            unsafe { rows.out.cast::<R>().add(i).write_unaligned(result) };
        }
    }

    /// Few rows of many elements: lanes take aligned groups of pieces, which are nodes of the tree.
    ///
    /// # Safety
    /// As for [`Erased::run`].
    unsafe fn in_groups(&self, lane: &Lane, rows: Rows, cost_ns: u64, pieces: usize) -> Result<(), Interrupted> {
        let blocks = rows.count.div_ceil(PIECE);
        let size = blocks.div_ceil(2 * pieces).next_power_of_two();
        let groups = blocks.div_ceil(size);
        let elements = |g: usize| g * size * PIECE..rows.count.min((g + 1) * size * PIECE);
        let mut kept = vec![self.identity; groups * rows.outputs];
        let partials = Partials(kept.as_mut_ptr());
        lane.try_par_for(groups * rows.outputs, cost_ns, &|_, task| {
            // SAFETY: the row is one of `outputs`, the elements are among its own.
            let x = unsafe { row::<T>(rows, task / groups, elements(task % groups)) };
            // SAFETY: the vector has one accumulator a task.
            unsafe { partials.at(task).write(self.blocks(x)) };
        })?;
        for (i, kept) in kept.chunks(groups).enumerate() {
            let result = (self.finish)(self.tree(groups, |g| kept[g]), rows.count);
            // SAFETY: row `i` is one of `outputs`.
            unsafe { rows.out.cast::<R>().add(i).write_unaligned(result) };
        }
        Ok(())
    }
}

/// # Safety
/// As for [`Erased::run`]; `i < outputs` and `elements` lie within `count`.
unsafe fn row<'a, T: Element>(rows: Rows, i: usize, elements: Range<usize>) -> &'a [T] {
    let first = rows.x.cast::<T>().wrapping_add(i * rows.count + elements.start);
    // SAFETY: the caller's promise.
    unsafe { std::slice::from_raw_parts(first, elements.len()) }
}

impl<T, A, R, L, C, F> Erased for Closures<T, A, R, L, C, F>
where
    T: Element,
    A: Copy + Send + Sync,
    R: Element,
    L: Fn(T) -> A + Send + Sync,
    C: Fn(A, A) -> A + Send + Sync,
    F: Fn(A, usize) -> R + Send + Sync,
{
    unsafe fn run(&self, lane: &Lane, rows: Rows, cost_ns: u64) -> Result<(), Interrupted> {
        let pieces = lane.pieces(cost_ns);
        if pieces > 1 && rows.outputs < 4 * pieces && rows.count > 2 * PIECE {
            // SAFETY: the caller's promise.
            return unsafe { self.in_groups(lane, rows, cost_ns, pieces) };
        }
        let size = rows.outputs.div_ceil(pieces).max(1);
        lane.try_par_for(rows.outputs.div_ceil(size), cost_ns, &|_, task| {
            let range = task * size..((task + 1) * size).min(rows.outputs);
            // SAFETY: the caller's promise; tasks have rows of their own.
            unsafe { self.some(rows, range) };
        })
    }
}
