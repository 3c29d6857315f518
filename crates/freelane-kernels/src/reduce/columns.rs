//! Columns: the outputs of a run in tiles, each streaming over the rows of the input.
use super::call::{Call, Run, To, emit};
use super::dispatch::dispatch;
use super::fold::Accumulate;
use super::order::{BLOCK, CHAINS, LEVELS, PIECE, walk};
use super::tile::{CHAIN_BYTES, Few, Halves, Stream, few, width};
use std::marker::PhantomData;
use std::mem::MaybeUninit;

/// Rows of accumulators on the stack.
#[repr(C, align(64))]
struct Lines<const N: usize>([[MaybeUninit<u8>; CHAIN_BYTES]; N]);

impl<const N: usize> Lines<N> {
    #[inline(always)]
    fn new() -> Self {
        Self([[MaybeUninit::uninit(); CHAIN_BYTES]; N])
    }

    #[inline(always)]
    fn line<A>(&mut self, i: usize) -> *mut A {
        const { assert!(width::<A>() * size_of::<A>() <= CHAIN_BYTES && align_of::<A>() <= 64) };
        self.0[i].as_mut_ptr().cast()
    }
}

/// Rows that go through the chains of a tile at once.
const fn leaf<T: Copy + 'static, A: Accumulate<T>>() -> usize {
    if A::ORDER_FREE { BLOCK } else { PIECE }
}

/// A run of outputs, tile by tile.
///
/// # Safety
/// The processor has the instruction set, the operands can be read and the places of the outputs be written.
pub(super) unsafe fn columns<T: Copy + 'static, A: Accumulate<T>>(call: &Call<'_>, to: To, mut run: Run) {
    let count = call.plan.count();
    if A::MEET.is_none()
        && count <= few::<T, A>()
        && call.plan.reduced().len() == 1
        && run.axis.x == size_of::<T>() as isize
    {
        // SAFETY: the caller's promise.
        return unsafe { few_rows::<T, A>(call, to, run) };
    }
    while run.len > 0 {
        let tile = run.take(width::<A::Acc>());
        if count <= leaf::<T, A>() {
            // SAFETY: the caller's promise.
            unsafe { column_tile::<T, A, 1>(call, to, tile) };
        } else {
            // SAFETY: the caller's promise.
            unsafe { column_tile::<T, A, LEVELS>(call, to, tile) };
        }
        run = run.skip(tile.len);
    }
}

/// So few rows that no chain has two of them.
unsafe fn few_rows<T: Copy + 'static, A: Accumulate<T>>(call: &Call<'_>, to: To, mut run: Run) {
    let mut accs = Lines::<8>::new();
    let width = 8 * width::<A::Acc>();
    while run.len > 0 {
        let tile = run.take(width);
        let body = Few::<T, A> {
            accs: accs.line(0),
            columns: tile.len,
            rows: call.plan.count(),
            x: tile.x,
            row_stride: call.plan.reduced().first().map_or(0, |a| a.stride),
            param: tile.param,
            param_stride: tile.axis.param,
            of: PhantomData,
        };
        // SAFETY: the caller promised that the processor has the set and that the operands can be read.
        unsafe { dispatch(call.isa, body) };
        // SAFETY: the body wrote one accumulator a column, side by side.
        let done = unsafe { std::slice::from_raw_parts(accs.line::<A::Acc>(0), tile.len) };
        // SAFETY: the caller promised room for the outputs.
        unsafe { emit::<T, A>(call, to, tile, done) };
        run = run.skip(tile.len);
    }
}

#[inline(never)]
unsafe fn column_tile<T: Copy + 'static, A: Accumulate<T>, const N: usize>(call: &Call<'_>, to: To, tile: Run) {
    let mut levels = Lines::<N>::new();
    let levels: *mut Lines<N> = &mut levels;
    // SAFETY: `levels` lives on, and no reference to it is held across calls.
    let line = |i: usize| unsafe { (*levels).line::<A::Acc>(i) };
    let (first, end) = (call.blocks.start * BLOCK, call.plan.count().min(call.blocks.end * BLOCK));
    walk(
        (end - first).div_ceil(leaf::<T, A>()),
        |i, level| {
            let index = first + i * leaf::<T, A>();
            // SAFETY: the caller's promise; a line holds a tile.
            unsafe { one_tile::<T, A>(call, tile, index, leaf::<T, A>().min(end - index), line(level)) }
        },
        |level| {
            let (a, b) = (line(level), line(level + 1));
            for j in 0..tile.len {
                // SAFETY: both lines were written by `one_tile`.
                let both = unsafe { A::combine(a.add(j).read(), b.add(j).read()) };
                // SAFETY: as above.
                unsafe { a.add(j).write(both) };
            }
        },
    );
    // SAFETY: line 0 holds the result.
    let accs = unsafe { std::slice::from_raw_parts(line(0), tile.len) };
    // SAFETY: the caller promised room for the outputs.
    unsafe { emit::<T, A>(call, to, tile, accs) };
}

/// `n` rows of a tile of outputs, from number `index` on.
#[inline(never)]
unsafe fn one_tile<T: Copy + 'static, A: Accumulate<T>>(
    call: &Call<'_>,
    tile: Run,
    index: usize,
    n: usize,
    result: *mut A::Acc,
) {
    let mut chains = Lines::<CHAINS>::new();
    let accs = chains.line::<A::Acc>(0);
    let mut seen = 0;
    call.stretches(index, n, |offset, rows, row_stride| {
        let stream = Stream::<T, A> {
            accs,
            columns: tile.len,
            seen,
            rows,
            x: tile.x.wrapping_offset(offset),
            row_stride,
            column_stride: tile.axis.x,
            index: index + seen,
            param: tile.param,
            param_stride: tile.axis.param,
            of: PhantomData,
        };
        if tile.axis.x == size_of::<T>() as isize {
            // SAFETY: the caller promised that the processor has the set and that the operands can be read.
            unsafe { dispatch(call.isa, stream) };
        } else {
            stream.run_strided();
        }
        seen += rows;
    });
    let halves = Halves::<T, A> { accs, columns: tile.len, seen, to: result, of: PhantomData };
    // SAFETY: as above; `result` has room for the tile.
    unsafe { dispatch(call.isa, halves) };
}
