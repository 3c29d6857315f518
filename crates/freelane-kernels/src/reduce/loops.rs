//! A fold over one element type as plain function pointers, and the driver that takes it through the axes.
use super::block::{Rows, gather};
use super::dispatch::dispatch;
use super::fold::{Fold, Whole};
use super::order::{BLOCK, CHAINS, LEVELS, walk};
use super::plan::{Axis, Kept, Reduction};
use super::tile::{CHAIN_BYTES, Halves, Stream, width};
use freelane_simd::Isa;
use std::alloc::Layout;
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::ops::Range;

/// What a reduction reads.
#[derive(Clone, Copy, Debug)]
pub struct Operands {
    /// The first element.
    pub x: *const u8,
    /// The first of the fold's parameters; any pointer if it has none.
    pub param: *const u8,
    /// Subtracted from the count where a fold divides by it.
    pub ddof: f64,
}

impl Operands {
    /// Elements from `x` on, no parameters, nothing subtracted.
    pub fn new(x: *const u8) -> Self {
        Self { x, param: std::ptr::dangling(), ddof: 0.0 }
    }
}

/// The loops of one fold over one element type.
#[derive(Clone, Copy, Debug)]
pub struct FoldLoops {
    /// Size and alignment of the accumulators that [`partial`](Self::partial) writes.
    pub acc: Layout,
    /// Size and alignment of an output.
    pub out: Layout,
    reduce: unsafe fn(&Call<'_>, To),
    merge: unsafe fn(&Call<'_>, usize, *const u8, *mut u8),
    emit: Emit,
}

/// Writes the accumulators of the first outputs of a run.
type Emit = unsafe fn(&Call<'_>, To, Run, *const u8, usize);

impl FoldLoops {
    /// Reduces into `outputs` of the outputs; `out` points to the first of all.
    ///
    /// # Safety
    /// The processor has `isa`. For each output in the range, every element and the parameter that the axes reach from
    /// `operands` can be read, and its place from `out` on can be written. Nothing needs to be aligned.
    pub unsafe fn run(&self, isa: Isa, plan: &Reduction<'_>, operands: Operands, outputs: Range<usize>, out: *mut u8) {
        let call = Call { isa, plan, operands, outputs, blocks: 0..plan.blocks(), emit: self.emit };
        // SAFETY: the caller's promise.
        unsafe { (self.reduce)(&call, To::Outputs(out)) }
    }

    /// Reduces some `blocks` of each of `outputs`: accumulators side by side from `accs` on.
    ///
    /// # Safety
    /// As for [`run`](Self::run); `blocks` is a group of [`Reduction::groups`], and `accs`, aligned as `acc` says, has
    /// room for one accumulator for each output in the range.
    pub unsafe fn partial(
        &self,
        isa: Isa,
        plan: &Reduction<'_>,
        operands: Operands,
        outputs: Range<usize>,
        blocks: Range<usize>,
        accs: *mut u8,
    ) {
        // SAFETY: the caller's promise.
        unsafe { (self.reduce)(&Call { isa, plan, operands, outputs, blocks, emit: self.emit }, To::Accs(accs)) }
    }

    /// Merges what [`partial`](Self::partial) wrote for all `groups`, one group after the other from `accs` on, each with
    /// one accumulator for each of `outputs`; `out` points to the first of all outputs.
    ///
    /// # Safety
    /// `accs` holds those accumulators; the places of these outputs from `out` on can be written.
    pub unsafe fn merge(
        &self,
        plan: &Reduction<'_>,
        operands: Operands,
        outputs: Range<usize>,
        groups: usize,
        accs: *const u8,
        out: *mut u8,
    ) {
        let call = Call { isa: Isa::Portable, plan, operands, outputs, blocks: 0..0, emit: self.emit };
        // SAFETY: the caller's promise.
        unsafe { (self.merge)(&call, groups, accs, out) }
    }
}

/// The loops of fold `F` over elements `T`.
pub const fn fold_loops<T: Copy + 'static, F: Fold<T>>() -> FoldLoops {
    FoldLoops {
        acc: Layout::new::<F::Acc>(),
        out: Layout::new::<F::Out>(),
        reduce: reduce::<T, F::Core>,
        merge: merge::<T, F::Core>,
        emit: emit::<T, F>,
    }
}

struct Call<'a> {
    isa: Isa,
    plan: &'a Reduction<'a>,
    operands: Operands,
    outputs: Range<usize>,
    blocks: Range<usize>,
    emit: Emit,
}

#[derive(Clone, Copy)]
enum To {
    Outputs(*mut u8),
    Accs(*mut u8),
}

/// Outputs `first .. first + len`, all along the last kept axis. Pointers are those of the first one.
#[derive(Clone, Copy)]
struct Run {
    first: usize,
    len: usize,
    axis: Kept,
    x: *const u8,
    param: *const u8,
    /// Bytes from the first of all outputs.
    out: isize,
}

impl Run {
    /// The run without its first `n` outputs.
    fn skip(self, n: usize) -> Run {
        let i = n as isize;
        Run {
            first: self.first + n,
            len: self.len - n,
            x: self.x.wrapping_offset(i * self.axis.x),
            param: self.param.wrapping_offset(i * self.axis.param),
            out: self.out + i * self.axis.out,
            ..self
        }
    }

    /// The first `n` outputs of the run, or all if there are fewer.
    fn take(self, n: usize) -> Run {
        Run { len: self.len.min(n), ..self }
    }
}

impl Call<'_> {
    /// Cuts the outputs into runs.
    fn runs(&self, mut each: impl FnMut(Run)) {
        const POINT: Kept = Kept { len: 1, x: 0, param: 0, out: 0 };
        let (axis, outer) = self.plan.kept().split_last().unwrap_or((&POINT, &[]));
        let mut first = self.outputs.start;
        while first < self.outputs.end {
            let (mut rest, i) = (first / axis.len, first % axis.len);
            let mut run =
                Run { first, len: axis.len, axis: *axis, x: self.operands.x, param: self.operands.param, out: 0 };
            for a in outer.iter().rev() {
                let j = (rest % a.len) as isize;
                rest /= a.len;
                run.x = run.x.wrapping_offset(j * a.x);
                run.param = run.param.wrapping_offset(j * a.param);
                run.out += j * a.out;
            }
            let run = Run { first, ..run.skip(i) }.take(self.outputs.end - first);
            each(run);
            first += run.len;
        }
    }

    /// Writes the accumulators of the first outputs of a run.
    ///
    /// # Safety
    /// `A` is the fold's accumulator, and the places of the outputs can be written.
    unsafe fn emit<A>(&self, to: To, run: Run, accs: &[A]) {
        // SAFETY: the caller's promise.
        unsafe { (self.emit)(self, to, run, accs.as_ptr().cast(), accs.len()) }
    }

    fn whole(&self) -> Whole {
        Whole { count: self.plan.count(), ddof: self.operands.ddof }
    }

    /// Number of the first element of a block, and how many it has.
    fn block(&self, b: usize) -> (usize, usize) {
        let first = b * BLOCK;
        (first, BLOCK.min(self.plan.count() - first))
    }

    /// Cuts `n` elements from the `first` on into stretches of one stride: offset in bytes, length, stride.
    fn stretches(&self, mut first: usize, mut n: usize, mut each: impl FnMut(isize, usize, isize)) {
        const POINT: Axis = Axis { len: 1, stride: 0 };
        let (axis, outer) = self.plan.reduced().split_last().unwrap_or((&POINT, &[]));
        while n > 0 {
            let (mut rest, i) = (first / axis.len, first % axis.len);
            let mut offset = i as isize * axis.stride;
            for a in outer.iter().rev() {
                offset += (rest % a.len) as isize * a.stride;
                rest /= a.len;
            }
            let len = n.min(axis.len - i);
            each(offset, len, axis.stride);
            first += len;
            n -= len;
        }
    }

    /// Whether to go through a run column by column. Any answer gives the same bits.
    fn prefers_columns(&self, run: &Run) -> bool {
        let rows = self.plan.reduced().last().map_or(0, |a| a.stride.unsigned_abs());
        let adjacent = run.axis.x.unsigned_abs() < rows && run.len >= CHAINS / 2;
        adjacent || (self.plan.count() < CHAINS && run.len >= CHAINS)
    }
}

unsafe fn reduce<T: Copy + 'static, F: Fold<T>>(call: &Call<'_>, to: To) {
    if let (1, 1, [] | [_], To::Outputs(out)) = (call.plan.outputs(), call.blocks.len(), call.plan.reduced(), to) {
        // SAFETY: `reduce`'s caller promised that the operands can be read and the output be written.
        return unsafe { single::<T, F>(call, out) };
    }
    call.runs(|run| {
        if call.blocks.is_empty() {
            // SAFETY: `reduce`'s caller promised room for the outputs.
            (0..run.len).for_each(|i| unsafe { call.emit(to, run.skip(i), &[F::identity()]) });
        } else if call.prefers_columns(&run) {
            // SAFETY: `reduce`'s caller promised that the operands can be read.
            unsafe { columns::<T, F>(call, to, run) };
        } else if call.blocks.len() == 1 && call.plan.reduced().len() <= 1 {
            // SAFETY: as above.
            unsafe { short_rows::<T, F>(call, to, run) };
        } else {
            // SAFETY: as above.
            unsafe { long_rows::<T, F>(call, to, run) };
        }
    });
}

unsafe fn emit<T: Copy + 'static, F: Fold<T>>(call: &Call<'_>, to: To, run: Run, accs: *const u8, n: usize) {
    // SAFETY: the loops of `F::Core`, whose accumulators are those of `F`, hand over `n` of them.
    let accs = unsafe { std::slice::from_raw_parts(accs.cast::<F::Acc>(), n) };
    match to {
        To::Outputs(out) if run.axis.out == size_of::<F::Out>() as isize => {
            let places = out.wrapping_offset(run.out).cast::<F::Out>();
            let whole = call.whole();
            for (i, &acc) in accs.iter().enumerate() {
                // SAFETY: as below; the places are adjacent.
                unsafe { places.add(i).write_unaligned(F::finish(acc, whole)) };
            }
        }
        To::Outputs(out) => {
            for (i, &acc) in accs.iter().enumerate() {
                let place = out.wrapping_offset(run.out + i as isize * run.axis.out).cast::<F::Out>();
                // SAFETY: the caller of `run` or `merge` promised that the places of outputs can be written.
                unsafe { place.write_unaligned(F::finish(acc, call.whole())) };
            }
        }
        To::Accs(all) => {
            let place = all.cast::<F::Acc>().wrapping_add(run.first - call.outputs.start);
            // SAFETY: the caller of `partial` promised room for one accumulator an output.
            unsafe { place.copy_from_nonoverlapping(accs.as_ptr(), accs.len()) };
        }
    }
}

/// One output of one block: the shortest way, for small arrays.
unsafe fn single<T: Copy + 'static, F: Fold<T>>(call: &Call<'_>, out: *mut u8) {
    if call.outputs.is_empty() {
        return;
    }
    let mut acc = MaybeUninit::<F::Acc>::uninit();
    let row = Rows::<T, F> {
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
    // SAFETY: `Rows` wrote it.
    let acc = unsafe { acc.assume_init() };
    let axis = Kept { len: 1, x: 0, param: 0, out: 0 };
    let run = Run { first: 0, len: 1, axis, x: call.operands.x, param: call.operands.param, out: 0 };
    // SAFETY: the caller promised that the output can be written.
    unsafe { call.emit(To::Outputs(out), run, &[acc]) };
}

/// Rows of one block each.
unsafe fn short_rows<T: Copy + 'static, F: Fold<T>>(call: &Call<'_>, to: To, mut run: Run) {
    const BATCH: usize = 32;
    let (index, n) = call.block(call.blocks.start);
    let stride = call.plan.reduced().first().map_or(0, |a| a.stride);
    let mut accs = [MaybeUninit::<F::Acc>::uninit(); BATCH];
    while run.len > 0 {
        let batch = run.take(BATCH);
        let rows = Rows::<T, F> {
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
        let done = unsafe { std::slice::from_raw_parts(accs.as_ptr().cast::<F::Acc>(), batch.len) };
        // SAFETY: the caller promised room for the outputs.
        unsafe { call.emit(to, batch, done) };
        run = run.skip(batch.len);
    }
}

/// Rows of several blocks, or over several axes.
unsafe fn long_rows<T: Copy + 'static, F: Fold<T>>(call: &Call<'_>, to: To, run: Run) {
    for i in 0..run.len {
        let run = run.skip(i).take(1);
        let mut levels = [F::identity(); LEVELS];
        let levels = std::cell::Cell::from_mut(&mut levels[..]).as_slice_of_cells();
        let mut settled = false;
        walk(
            call.blocks.len(),
            |b, level| {
                if settled {
                    return levels[level].set(F::identity());
                }
                // SAFETY: the caller promised that the operands can be read.
                let acc = unsafe { one_block::<T, F>(call, run, call.blocks.start + b) };
                settled = F::settled(acc);
                levels[level].set(acc);
            },
            |level| levels[level].set(F::combine(levels[level].get(), levels[level + 1].get())),
        );
        // SAFETY: the caller promised room for the outputs.
        unsafe { call.emit(to, run, &[levels[0].get()]) };
    }
}

/// Block `b` of the first output of a run.
#[inline(always)]
unsafe fn one_block<T: Copy + 'static, F: Fold<T>>(call: &Call<'_>, run: Run, b: usize) -> F::Acc {
    let (index, n) = call.block(b);
    let mut acc = MaybeUninit::<F::Acc>::uninit();
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
    let row = Rows::<T, F> {
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

/// Tiles of adjacent outputs.
unsafe fn columns<T: Copy + 'static, F: Fold<T>>(call: &Call<'_>, to: To, mut run: Run) {
    while run.len > 0 {
        let tile = run.take(width::<F::Acc>());
        if call.blocks.len() == 1 {
            // SAFETY: the caller's promise.
            unsafe { column_tile::<T, F, 1>(call, to, tile) };
        } else {
            // SAFETY: the caller's promise.
            unsafe { column_tile::<T, F, LEVELS>(call, to, tile) };
        }
        run = run.skip(tile.len);
    }
}

#[inline(never)]
unsafe fn column_tile<T: Copy + 'static, F: Fold<T>, const N: usize>(call: &Call<'_>, to: To, tile: Run) {
    let mut levels = Lines::<N>::new();
    let levels: *mut Lines<N> = &mut levels;
    // SAFETY: `levels` lives on, and no reference to it is held across calls.
    let line = |i: usize| unsafe { (*levels).line::<F::Acc>(i) };
    walk(
        call.blocks.len(),
        // SAFETY: the caller's promise; a line holds a tile.
        |b, level| unsafe { one_tile::<T, F>(call, tile, call.blocks.start + b, line(level)) },
        |level| {
            let (a, b) = (line(level), line(level + 1));
            for j in 0..tile.len {
                // SAFETY: both lines were written by `one_tile`.
                let both = unsafe { F::combine(a.add(j).read(), b.add(j).read()) };
                // SAFETY: as above.
                unsafe { a.add(j).write(both) };
            }
        },
    );
    // SAFETY: line 0 holds the result.
    let accs = unsafe { std::slice::from_raw_parts(line(0), tile.len) };
    // SAFETY: the caller promised room for the outputs.
    unsafe { call.emit(to, tile, accs) };
}

/// Block `b` of a tile of outputs.
#[inline(always)]
unsafe fn one_tile<T: Copy + 'static, F: Fold<T>>(call: &Call<'_>, tile: Run, b: usize, result: *mut F::Acc) {
    let mut chains = Lines::<CHAINS>::new();
    let accs = chains.line::<F::Acc>(0);
    let (index, n) = call.block(b);
    let mut seen = 0;
    call.stretches(index, n, |offset, rows, row_stride| {
        let stream = Stream::<T, F> {
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
        // SAFETY: the caller promised that the processor has the set and that the operands can be read.
        unsafe { dispatch(call.isa, stream) };
        seen += rows;
    });
    let halves = Halves::<T, F> { accs, columns: tile.len, seen, to: result, of: PhantomData };
    // SAFETY: as above; `result` has room for the tile.
    unsafe { dispatch(call.isa, halves) };
}

unsafe fn merge<T: Copy + 'static, F: Fold<T>>(call: &Call<'_>, groups: usize, accs: *const u8, out: *mut u8) {
    call.runs(|run| {
        for i in 0..run.len {
            let run = run.skip(i).take(1);
            let mut levels = [F::identity(); LEVELS];
            let levels = std::cell::Cell::from_mut(&mut levels[..]).as_slice_of_cells();
            walk(
                groups,
                |g, level| {
                    let at = g * call.outputs.len() + run.first - call.outputs.start;
                    // SAFETY: the caller promised an accumulator for each group and output.
                    levels[level].set(unsafe { accs.cast::<F::Acc>().add(at).read() });
                },
                |level| levels[level].set(F::combine(levels[level].get(), levels[level + 1].get())),
            );
            // SAFETY: the caller promised that the places of the outputs can be written.
            unsafe { call.emit(To::Outputs(out), run, &[levels[0].get()]) };
        }
    });
}
