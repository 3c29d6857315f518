//! What a reduction is asked for, cut into pieces that loops can handle.
use super::fold::{Accumulate, Whole};
use super::loops::{Finish, Operands};
use super::order::{BLOCK, CHAINS};
use super::plan::{Axis, Kept, Reduction};
use freelane_simd::Isa;
use std::ops::Range;

/// A reduction, the part of it that is asked for, and how.
pub(super) struct Call<'a> {
    pub isa: Isa,
    pub plan: &'a Reduction<'a>,
    pub operands: &'a Operands,
    pub outputs: Range<usize>,
    pub blocks: Range<usize>,
    pub finish: Finish,
}

/// Where results go.
#[derive(Clone, Copy)]
pub(super) enum To {
    /// Finished, from the first of all outputs on.
    Outputs(*mut u8),
    /// Accumulators side by side, from the first of those asked for on.
    Accs(*mut u8),
}

/// Outputs `first .. first + len`, all along the last kept axis. Pointers are those of the first one.
#[derive(Clone, Copy)]
pub(super) struct Run {
    pub first: usize,
    pub len: usize,
    pub axis: Kept,
    pub x: *const u8,
    pub param: *const u8,
    /// Bytes from the first of all outputs.
    pub out: isize,
}

impl Run {
    /// The run without its first `n` outputs.
    pub fn skip(self, n: usize) -> Run {
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
    pub fn take(self, n: usize) -> Run {
        Run { len: self.len.min(n), ..self }
    }
}

impl Call<'_> {
    /// Cuts the outputs into runs.
    pub fn runs(&self, mut each: impl FnMut(Run)) {
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

    pub fn whole(&self) -> Whole {
        Whole { count: self.plan.count(), ddof: self.operands.ddof }
    }

    /// Number of the first element of a block, and how many it has.
    pub fn block(&self, b: usize) -> (usize, usize) {
        let first = b * BLOCK;
        (first, BLOCK.min(self.plan.count() - first))
    }

    /// Cuts `n` elements from the `first` on into stretches of one stride: offset in bytes, length, stride.
    pub fn stretches(&self, mut first: usize, mut n: usize, mut each: impl FnMut(isize, usize, isize)) {
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
    pub fn prefers_columns(&self, run: &Run) -> bool {
        let rows = self.plan.reduced().last().map_or(0, |a| a.stride.unsigned_abs());
        let adjacent = run.axis.x.unsigned_abs() < rows && run.len >= CHAINS / 2;
        adjacent || (self.plan.count() < CHAINS && run.len >= CHAINS)
    }
}

/// Writes the accumulators of the first outputs of a run.
///
/// # Safety
/// The places of these outputs can be written.
pub(super) unsafe fn emit<T: Copy + 'static, A: Accumulate<T>>(call: &Call<'_>, to: To, run: Run, accs: &[A::Acc]) {
    match to {
        To::Outputs(out) => {
            let (out, stride) = (out.wrapping_offset(run.out), run.axis.out);
            // SAFETY: the caller of `run` or `merge` promised that the places of outputs can be written.
            unsafe { (call.finish)(accs.as_ptr().cast(), accs.len(), call.whole(), out, stride) };
        }
        To::Accs(all) => {
            let place = all.cast::<A::Acc>().wrapping_add(run.first - call.outputs.start);
            // SAFETY: the caller of `partial` promised room for one accumulator an output.
            unsafe { place.copy_from_nonoverlapping(accs.as_ptr(), accs.len()) };
        }
    }
}
