//! A fold over one element type as plain function pointers.
use super::call::{Call, To, emit};
use super::columns::columns;
use super::fold::{Accumulate, Fold, Whole};
use super::order::{LEVELS, walk};
use super::plan::Reduction;
use super::rows::{long_rows, short_rows, single};
use freelane_simd::Isa;
use std::alloc::Layout;
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
    finish: Finish,
}

/// Accumulators side by side, how many, and where the first output goes, with a stride in bytes.
pub(super) type Finish = unsafe fn(*const u8, usize, Whole, *mut u8, isize);

impl FoldLoops {
    /// Reduces into `outputs` of the outputs; `out` points to the first of all.
    ///
    /// # Safety
    /// The processor has `isa`. For each output in the range, every element and the parameter that the axes reach from
    /// `operands` can be read, and its place from `out` on can be written. Nothing needs to be aligned.
    pub unsafe fn run(&self, isa: Isa, plan: &Reduction<'_>, operands: Operands, outputs: Range<usize>, out: *mut u8) {
        let call = Call { isa, plan, operands: &operands, outputs, blocks: 0..plan.blocks(), finish: self.finish };
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
        unsafe {
            (self.reduce)(
                &Call { isa, plan, operands: &operands, outputs, blocks, finish: self.finish },
                To::Accs(accs),
            )
        }
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
        let call = Call { isa: Isa::Portable, plan, operands: &operands, outputs, blocks: 0..0, finish: self.finish };
        // SAFETY: the caller's promise.
        unsafe { (self.merge)(&call, groups, accs, out) }
    }
}

/// The loops of fold `F` over elements `T`.
pub const fn fold_loops<T: Copy + 'static, F: Fold<T>>() -> FoldLoops {
    FoldLoops {
        acc: Layout::new::<<F::By as Accumulate<T>>::Acc>(),
        out: Layout::new::<F::Out>(),
        reduce: reduce::<T, F::By>,
        merge: merge::<T, F::By>,
        finish: finish::<T, F>,
    }
}

/// The [`Finish`] of a fold.
unsafe fn finish<T: Copy + 'static, F: Fold<T>>(accs: *const u8, n: usize, whole: Whole, out: *mut u8, stride: isize) {
    let each = |i: usize, place: *mut u8| {
        // SAFETY: the caller has `n` accumulators.
        let acc = unsafe { accs.cast::<<F::By as Accumulate<T>>::Acc>().add(i).read() };
        // SAFETY: the caller has a place for each output.
        unsafe { place.cast::<F::Out>().write_unaligned(F::finish(acc, whole)) };
    };
    if stride == size_of::<F::Out>() as isize {
        (0..n).for_each(|i| each(i, out.wrapping_add(i * size_of::<F::Out>())));
    } else {
        (0..n).for_each(|i| each(i, out.wrapping_offset(i as isize * stride)));
    }
}

unsafe fn reduce<T: Copy + 'static, A: Accumulate<T>>(call: &Call<'_>, to: To) {
    if let (1, 1, [] | [_], To::Outputs(out)) = (call.plan.outputs(), call.blocks.len(), call.plan.reduced(), to) {
        // SAFETY: `reduce`'s caller promised that the operands can be read and the output be written.
        return unsafe { single::<T, A>(call, out) };
    }
    call.runs(|run| {
        if call.blocks.is_empty() {
            // SAFETY: `reduce`'s caller promised room for the outputs.
            (0..run.len).for_each(|i| unsafe { emit::<T, A>(call, to, run.skip(i), &[A::identity()]) });
        } else if call.prefers_columns(&run) {
            // SAFETY: `reduce`'s caller promised that the operands can be read.
            unsafe { columns::<T, A>(call, to, run) };
        } else if call.blocks.len() == 1 && call.plan.reduced().len() <= 1 {
            // SAFETY: as above.
            unsafe { short_rows::<T, A>(call, to, run) };
        } else {
            // SAFETY: as above.
            unsafe { long_rows::<T, A>(call, to, run) };
        }
    });
}

unsafe fn merge<T: Copy + 'static, A: Accumulate<T>>(call: &Call<'_>, groups: usize, accs: *const u8, out: *mut u8) {
    call.runs(|run| {
        for i in 0..run.len {
            let run = run.skip(i).take(1);
            let mut levels = [A::identity(); LEVELS];
            let levels = std::cell::Cell::from_mut(&mut levels[..]).as_slice_of_cells();
            walk(
                groups,
                |g, level| {
                    let at = g * call.outputs.len() + run.first - call.outputs.start;
                    // SAFETY: the caller promised an accumulator for each group and output.
                    levels[level].set(unsafe { accs.cast::<A::Acc>().add(at).read() });
                },
                |level| levels[level].set(A::combine(levels[level].get(), levels[level + 1].get())),
            );
            // SAFETY: the caller promised that the places of the outputs can be written.
            unsafe { emit::<T, A>(call, To::Outputs(out), run, &[levels[0].get()]) };
        }
    });
}
