//! Rows: one output at a time, its elements contiguous or gathered into a tile.
use super::block::gather;
use super::call::{Call, Run, To, emit};
use super::dispatch::{Body, Tier, dispatch};
use super::fold::Accumulate;
use super::order::{BLOCK, LEVELS, walk};
use std::marker::PhantomData;
use std::mem::MaybeUninit;

/// One block of each of `outputs` rows. Strides are in bytes.
struct Rows<T: Copy + 'static, A: Accumulate<T> + ?Sized> {
    outputs: usize,
    x: *const u8,
    row_stride: isize,
    n: usize,
    stride: isize,
    index: usize,
    param: *const u8,
    param_stride: isize,
    /// Room for one accumulator a row.
    accs: *mut A::Acc,
    of: std::marker::PhantomData<fn(T)>,
}

impl<T: Copy + 'static, A: Accumulate<T> + ?Sized> Body for Rows<T, A> {
    const TIER: Tier = A::TIER;

    #[inline(always)]
    fn run(self) {
        let adjacent = self.stride == size_of::<T>() as isize || self.n <= 1;
        let mut tile = [MaybeUninit::<T>::uninit(); BLOCK];
        for o in 0..self.outputs {
            // SAFETY: whoever made `Rows` promised that every row and its parameter can be read.
            let row = unsafe { self.x.offset(o as isize * self.row_stride) };
            // SAFETY: as above.
            let param =
                unsafe { self.param.offset(o as isize * self.param_stride).cast::<A::Param>().read_unaligned() };
            let x = if adjacent {
                row.cast::<T>()
            } else {
                // SAFETY: as above.
                unsafe { gather(&mut tile[..self.n], row, self.stride) };
                tile.as_ptr().cast::<T>()
            };
            // SAFETY: `n` elements lie at `x`, in the row or in the tile.
            let acc = unsafe { A::block(param, x, self.n, self.index) };
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
        let mut levels = [A::identity(); LEVELS];
        let levels = std::cell::Cell::from_mut(&mut levels[..]).as_slice_of_cells();
        let mut settled = false;
        walk(
            call.blocks.len(),
            |b, level| {
                if settled {
                    return levels[level].set(A::identity());
                }
                // SAFETY: the caller promised that the operands can be read.
                let acc = unsafe { one_block::<T, A>(call, run, call.blocks.start + b) };
                settled = A::settled(acc);
                levels[level].set(acc);
            },
            |level| levels[level].set(A::combine(levels[level].get(), levels[level + 1].get())),
        );
        // SAFETY: the caller promised room for the outputs.
        unsafe { emit::<T, A>(call, to, run, &[levels[0].get()]) };
    }
}

/// Block `b` of the first output of a run.
#[inline(never)]
unsafe fn one_block<T: Copy + 'static, A: Accumulate<T>>(call: &Call<'_>, run: Run, b: usize) -> A::Acc {
    let (index, n) = call.block(b);
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
        accs: acc.as_mut_ptr(),
        of: PhantomData,
    };
    // SAFETY: the caller promised that the processor has the set and that the operands can be read.
    unsafe { dispatch(call.isa, row) };
    // SAFETY: `Rows` wrote it.
    unsafe { acc.assume_init() }
}
