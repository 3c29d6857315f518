//! Rows: one output at a time, its elements contiguous or gathered into a tile.
use super::block::{SEGMENT, gather, pieces_apart};
use super::call::{Call, Run, To, emit};
use super::dispatch::{Body, Tier, dispatch};
use super::fold::Accumulate;
use super::order::{BLOCK, LEVELS, walk};
use std::marker::PhantomData;
use std::mem::MaybeUninit;

/// Up to a block of each of `outputs` rows, of a fold that does not mind the order up to [`LONG`]. Strides are in bytes.
struct Rows<T: Copy + 'static, A: Accumulate<T> + ?Sized> {
    outputs: usize,
    x: *const u8,
    row_stride: isize,
    n: usize,
    stride: isize,
    index: usize,
    param: *const u8,
    param_stride: isize,
    /// What the elements of each row are added to.
    start: A::Acc,
    /// Room for one accumulator a row.
    accs: *mut A::Acc,
    of: std::marker::PhantomData<fn(T)>,
}

/// Elements taken in one call where the order does not matter and they are adjacent.
const LONG: usize = 4 * BLOCK;

impl<T: Copy + 'static, A: Accumulate<T> + ?Sized> Body for Rows<T, A> {
    const TIER: Tier = A::TIER;

    #[inline(always)]
    fn run(self) {
        // Two segments: the tree over them is one after the other.
        const { assert!(BLOCK == 2 * SEGMENT) };
        let adjacent = self.stride == size_of::<T>() as isize || self.n <= 1;
        let segment = if A::ORDER_FREE && adjacent { LONG } else { SEGMENT };
        if A::ORDER_FREE && A::QUICK && self.stride == 2 * size_of::<T>() as isize {
            return self.every_other();
        }
        let mut tile = [MaybeUninit::<T>::uninit(); SEGMENT];
        for o in 0..self.outputs {
            // SAFETY: whoever made `Rows` promised that every row and its parameter can be read.
            let row = unsafe { self.x.offset(o as isize * self.row_stride) };
            // SAFETY: as above.
            let param =
                unsafe { self.param.offset(o as isize * self.param_stride).cast::<A::Param>().read_unaligned() };
            let mut acc = self.start;
            let mut done = 0;
            while done < self.n {
                let n = segment.min(self.n - done);
                let at = row.wrapping_offset(done as isize * self.stride);
                if A::PIECES && !adjacent && const { size_of::<T>() != align_of::<T>() } {
                    // SAFETY: so many elements of the row follow.
                    acc = A::combine(acc, unsafe {
                        pieces_apart::<T, A>(param, at.cast(), self.stride, n, self.index + done)
                    });
                    done += n;
                    continue;
                }
                let x = if adjacent {
                    at.cast::<T>()
                } else {
                    // SAFETY: as above.
                    unsafe { gather(&mut tile[..n], at, self.stride) };
                    tile.as_ptr().cast::<T>()
                };
                // SAFETY: `n` elements lie at `x`, in the row or in the tile.
                acc = unsafe { A::extend(acc, param, x, n, self.index + done) };
                done += n;
            }
            // SAFETY: `accs` has room for one accumulator a row.
            unsafe { self.accs.add(o).write(acc) };
        }
    }
}

impl<T: Copy + 'static, A: Accumulate<T> + ?Sized> Rows<T, A> {
    /// Every other element, straight into the accumulators.
    #[inline(always)]
    fn every_other(self) {
        for o in 0..self.outputs {
            let row = self.x.wrapping_offset(o as isize * self.row_stride).cast::<T>();
            let param = self.param.wrapping_offset(o as isize * self.param_stride).cast::<A::Param>();
            // SAFETY: whoever made `Rows` promised that every row and its parameter can be read.
            let param = unsafe { param.read_unaligned() };
            let mut acc = self.start;
            for i in 0..self.n {
                // SAFETY: as above.
                let x = unsafe { row.add(2 * i).read_unaligned() };
                acc = A::combine(acc, A::lift(param, x, self.index + i));
            }
            // SAFETY: `accs` has room for one accumulator a row.
            unsafe { self.accs.add(o).write(acc) };
        }
    }
}

/// One output of one block: the shortest way, for small arrays.
///
/// # Safety
/// The processor has the instruction set, the operands can be read and the places of the outputs be written.
pub(super) unsafe fn single<T: Copy + 'static, A: Accumulate<T>>(call: &Call<'_>, out: *mut u8) {
    if call.outputs.is_empty() {
        return;
    }
    let mut acc = MaybeUninit::<A::Acc>::uninit();
    let row = Rows::<T, A> {
        outputs: 1,
        x: call.operands.x,
        row_stride: 0,
        n: call.plan.count(),
        stride: call.plan.reduced().first().map_or(0, |a| a.stride),
        index: 0,
        param: call.operands.param,
        param_stride: 0,
        start: A::identity(),
        accs: acc.as_mut_ptr(),
        of: PhantomData,
    };
    // SAFETY: the caller promised that the processor has the set and that the operands can be read.
    unsafe { dispatch(call.isa, row) };
    // SAFETY: `Rows` wrote the accumulator; the caller promised that the output can be written.
    unsafe { (call.finish)(acc.as_ptr().cast(), 1, call.whole(), out, 0) };
}

/// Rows of one block each.
///
/// # Safety
/// The processor has the instruction set, the operands can be read and the places of the outputs be written.
pub(super) unsafe fn short_rows<T: Copy + 'static, A: Accumulate<T>>(call: &Call<'_>, to: To, mut run: Run) {
    const BATCH: usize = 32;
    let (index, n) = call.block(call.blocks.start);
    let stride = call.plan.reduced().first().map_or(0, |a| a.stride);
    let mut accs = [MaybeUninit::<A::Acc>::uninit(); BATCH];
    while run.len > 0 {
        let batch = run.take(BATCH);
        let rows = Rows::<T, A> {
            outputs: batch.len,
            x: batch.x.wrapping_offset(index as isize * stride),
            row_stride: batch.axis.x,
            n,
            stride,
            index,
            param: batch.param,
            param_stride: batch.axis.param,
            start: A::identity(),
            accs: accs.as_mut_ptr().cast(),
            of: PhantomData,
        };
        // SAFETY: the caller promised that the processor has the set and that the operands can be read.
        unsafe { dispatch(call.isa, rows) };
        // SAFETY: `Rows` wrote one accumulator an output.
        let done = unsafe { std::slice::from_raw_parts(accs.as_ptr().cast::<A::Acc>(), batch.len) };
        // SAFETY: the caller promised room for the outputs.
        unsafe { emit::<T, A>(call, to, batch, done) };
        run = run.skip(batch.len);
    }
}

/// Rows of several blocks, or over several axes.
///
/// # Safety
/// The processor has the instruction set, the operands can be read and the places of the outputs be written.
pub(super) unsafe fn long_rows<T: Copy + 'static, A: Accumulate<T>>(call: &Call<'_>, to: To, run: Run) {
    for i in 0..run.len {
        let run = run.skip(i).take(1);
        // SAFETY: the caller promised that the operands can be read.
        let acc = unsafe { if A::ORDER_FREE { in_turn::<T, A>(call, run) } else { by_tree::<T, A>(call, run) } };
        // SAFETY: the caller promised room for the outputs.
        unsafe { emit::<T, A>(call, to, run, &[acc]) };
    }
}

unsafe fn by_tree<T: Copy + 'static, A: Accumulate<T>>(call: &Call<'_>, run: Run) -> A::Acc {
    let mut levels = [A::identity(); LEVELS];
    let levels = std::cell::Cell::from_mut(&mut levels[..]).as_slice_of_cells();
    walk(
        call.blocks.len(),
        |b, level| {
            let (index, n) = call.block(call.blocks.start + b);
            // SAFETY: the caller promised that the operands can be read.
            levels[level].set(unsafe { extended::<T, A>(call, run, index, n, A::identity()) });
        },
        |level| levels[level].set(A::combine(levels[level].get(), levels[level + 1].get())),
    );
    levels[0].get()
}

/// One element after the other, until no more can change anything.
unsafe fn in_turn<T: Copy + 'static, A: Accumulate<T>>(call: &Call<'_>, run: Run) -> A::Acc {
    let adjacent = matches!(call.plan.reduced(), [axis] if axis.stride == size_of::<T>() as isize);
    let most = if adjacent { LONG } else { BLOCK };
    let (mut index, end) = (call.blocks.start * BLOCK, call.plan.count().min(call.blocks.end * BLOCK));
    let mut acc = A::identity();
    while index < end && !A::settled(acc) {
        let n = most.min(end - index);
        // SAFETY: the caller promised that the operands can be read.
        acc = unsafe { extended::<T, A>(call, run, index, n, acc) };
        index += n;
    }
    acc
}

/// `start` with `n` elements of the first output of a run, from number `index` on.
#[inline(never)]
unsafe fn extended<T: Copy + 'static, A: Accumulate<T>>(
    call: &Call<'_>,
    run: Run,
    index: usize,
    n: usize,
    start: A::Acc,
) -> A::Acc {
    let mut acc = MaybeUninit::<A::Acc>::uninit();
    let mut tile = [MaybeUninit::<T>::uninit(); BLOCK];
    let (mut x, mut row_stride) = (run.x, size_of::<T>() as isize);
    let mut done = 0;
    call.stretches(index, n, |offset, len, stride| {
        let at = run.x.wrapping_offset(offset);
        if len == n {
            (x, row_stride) = (at, stride);
            return;
        }
        // SAFETY: the caller promised that the operands can be read.
        unsafe { gather(&mut tile[done..done + len], at, stride) };
        x = tile.as_ptr().cast();
        done += len;
    });
    let row = Rows::<T, A> {
        outputs: 1,
        x,
        row_stride: 0,
        n,
        stride: row_stride,
        index,
        param: run.param,
        param_stride: 0,
        start,
        accs: acc.as_mut_ptr(),
        of: PhantomData,
    };
    // SAFETY: the caller promised that the processor has the set and that the operands can be read.
    unsafe { dispatch(call.isa, row) };
    // SAFETY: `Rows` wrote it.
    unsafe { acc.assume_init() }
}
