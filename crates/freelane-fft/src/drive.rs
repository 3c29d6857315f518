//! All lines of an array, spread over the lanes of the runtime in scope.
use crate::line::Line;
use crate::lines::{Lines, copy_line, gather, scatter};
use freelane_array::{ArrayData, Dims, Element, Layout, element_count};
use freelane_mem::{BufferMut, DEFAULT_ALIGN, MemError, ScratchReq};
use freelane_ops::{Array, InOp, OpsError};
use freelane_pool::Lane;
use freelane_sync::OnceTable;
use smallvec::SmallVec;
use std::mem::MaybeUninit;
use std::ops::Range;

/// Lines that are gathered together when neighbours along them are far apart.
const TILE: usize = 16;
/// The same where lines are so long that many of them exceed the cache.
const LEAST_TILE: usize = 4;
/// Bytes of a tile.
const TILE_BYTES: usize = 256 << 10;

/// Transforms the lines of `x` along `axis`. An array that nobody else sees may be written over.
pub(crate) fn run<L: Line>(op: &'static str, x: Array, axis: usize, line: &L) -> Result<Array, OpsError> {
    let n = line.len_out();
    let mut shape = Dims::from_slice(x.shape());
    shape[axis] = n;
    Lane::with(|lane| {
        let same = line.in_place() && x.shape() == &shape[..];
        // Far apart, lines go back to where they were read, which the cache still has: a copy costs less than other places.
        let apart = x.shape()[axis + 1..].iter().product::<usize>() * size_of::<L::Out>() > DEFAULT_ALIGN;
        let mut x = if same && apart && x.nbytes() > TILE_BYTES { owned(x).map_err(|e| e.of(op))? } else { x };
        let reusable = same && x.data().layout().is_contiguous();
        if let Some(to) = if reusable { x.data_mut().as_mut_ptr() } else { None } {
            let layout = x.data().layout().clone();
            Job::new(&x, axis, line, to, &layout).run(lane, op)?;
            return Ok(x);
        }
        let size = size_of::<L::Out>();
        let bytes = element_count(&shape, size).in_op(op)? * size;
        let layout = Layout::contiguous(&shape).in_op(op)?;
        let mut buffer: BufferMut = lane.uninit(bytes).in_op(op)?;
        if !layout.is_empty() {
            Job::new(&x, axis, line, buffer.as_mut_ptr(), &layout).run(lane, op)?;
        }
        // SAFETY: the lines, all of which were written, cover the layout, for which the buffer was made.
        Ok(unsafe { ArrayData::from_parts_unchecked(buffer, L::Out::DTYPE, layout) }.into())
    })
}

/// The array with storage of its own.
fn owned(mut x: Array) -> Result<Array, OpsError> {
    if x.data_mut().as_mut_ptr().is_some() && x.data().layout().is_contiguous() { Ok(x) } else { x.copy() }
}

struct Job<'a, L: Line> {
    line: &'a L,
    lines: Lines,
    from: *const u8,
    to: *mut u8,
    /// The elements of a line that are read.
    take: usize,
    /// Lines of a tile.
    tile: usize,
}

// SAFETY: tasks read an array that the caller borrows and write lines of their own.
unsafe impl<L: Line> Sync for Job<'_, L> {}

impl<'a, L: Line> Job<'a, L> {
    fn new(x: &Array, axis: usize, line: &'a L, to: *mut u8, layout: &Layout) -> Self {
        let (size_in, size_out) = (size_of::<L::In>(), size_of::<L::Out>());
        let lines = Lines::new(x.data().layout(), size_in, layout, size_out, axis);
        let contiguous = lines.from_step == size_in as isize && lines.to_step == size_out as isize;
        let row = line.len_in() * size_in + line.len_out() * size_out;
        let tile = if contiguous { 1 } else { (TILE_BYTES / row.max(1)).clamp(LEAST_TILE, TILE) };
        let take = x.shape()[axis].min(line.len_in());
        Job { line, lines, from: x.data().as_ptr(), to, take, tile }
    }

    fn run(&self, lane: &Lane, op: &'static str) -> Result<(), OpsError> {
        let n = self.line.len_in().max(self.line.len_out()) as f64;
        let cost = (self.lines.count() as f64 * n * (n.log2() + 2.0)) as u64;
        let tiles = self.lines.count().div_ceil(self.tile);
        let tasks = lane.pieces(cost).clamp(1, tiles.max(1));
        let failed = OnceTable::new();
        let done = lane.try_par_for(tasks, cost, &|lane, task| {
            let part = |task: usize| tiles * task / tasks * self.tile;
            let lines = part(task)..part(task + 1).min(self.lines.count());
            if let Err(error) = self.task(lane, lines) {
                failed.get_or_init(|| error);
            }
        });
        match failed.into_inner() {
            Some(error) => Err(error).in_op(op),
            None => done.in_op(op),
        }
    }

    fn task(&self, lane: &Lane, lines: Range<usize>) -> Result<(), MemError> {
        let direct = self.line.in_place() && self.lines.to_step == size_of::<L::Out>() as isize;
        zeroed(lane, self.line.work(), |work| {
            if direct {
                lines.for_each(|i| self.direct(i, work));
                return Ok(());
            }
            // A little more than the length, so that rows do not compete for the same places in a cache.
            let pitch = |len: usize, size: usize| if self.tile == 1 { len } else { len + DEFAULT_ALIGN / size };
            let len_out = if self.line.in_place() { 0 } else { self.line.len_out() };
            let (pitch_in, pitch_out) =
                (pitch(self.line.len_in(), size_of::<L::In>()), pitch(len_out, size_of::<L::Out>()));
            zeroed(lane, pitch_in * self.tile, |input| {
                zeroed(lane, pitch_out * self.tile, |output| {
                    for i in lines.clone().step_by(self.tile) {
                        let tile = i..lines.end.min(i + self.tile);
                        self.tile(tile, (&mut *input, pitch_in), (&mut *output, pitch_out), work);
                    }
                })
            })?
        })?
    }

    /// One line where its result lies.
    fn direct(&self, i: usize, work: &mut [L::Work]) {
        let (from, to) = self.lines.at(i);
        let (from, to, len) = (self.from.wrapping_offset(from), self.to.wrapping_offset(to), self.line.len_out());
        if from != to.cast_const() {
            // SAFETY: the line of the source has `take` elements, and that of the result has room for `len`.
            unsafe { copy_line::<L::Out>(from, self.lines.from_step, self.take, to.cast(), len) };
        }
        // SAFETY: `len` elements were written above or belong to the array; the buffer is aligned, no other task has this
        // line, and what an in-place line reads is of the type that it writes.
        let line = unsafe { std::slice::from_raw_parts_mut(to.cast::<L::In>(), len) };
        self.line.run(line, &mut [], work);
    }

    /// The line of the result that begins there, with zeros in it.
    ///
    /// # Safety
    /// A line of the result begins there, its elements lie side by side, and nobody else has it.
    unsafe fn place<'p>(&self, to: *mut u8) -> &'p mut [L::Out] {
        let (to, len) = (to.cast::<L::Out>(), self.line.len_out());
        // SAFETY: the buffer is aligned and has room for the line, and zero bytes are an element of every dtype.
        unsafe { to.write_bytes(0, len) };
        // SAFETY: as above, and the caller's promise.
        unsafe { std::slice::from_raw_parts_mut(to, len) }
    }

    /// Some lines through contiguous memory.
    fn tile(
        &self,
        lines: Range<usize>,
        (input, pitch_in): (&mut [L::In], usize),
        (output, pitch_out): (&mut [L::Out], usize),
        work: &mut [L::Work],
    ) {
        let (mut from, mut to) = (SmallVec::<[*const u8; TILE]>::new(), SmallVec::<[*mut u8; TILE]>::new());
        for i in lines {
            let at = self.lines.at(i);
            from.push(self.from.wrapping_offset(at.0));
            to.push(self.to.wrapping_offset(at.1));
        }
        let (len_in, len_out) = (self.line.len_in(), self.line.len_out());
        // SAFETY: the lines of the source have `take` elements at these places.
        unsafe { gather(&from, self.lines.from_step, self.take, input, len_in, pitch_in) };
        let straight = !self.line.in_place() && self.lines.to_step == size_of::<L::Out>() as isize;
        for (j, to) in to.iter().enumerate() {
            let row_in = &mut input[j * pitch_in..][..len_in];
            let row_out = match straight {
                // SAFETY: as compared; no other task has these lines.
                true => unsafe { self.place(*to) },
                false if self.line.in_place() => &mut [][..],
                false => &mut output[j * pitch_out..][..len_out],
            };
            self.line.run(row_in, row_out, work);
        }
        if straight {
            return;
        }
        let pitch = if self.line.in_place() { pitch_in } else { pitch_out };
        // SAFETY: the lines of the result have room for `len_out` elements at these places, and no other task has them.
        unsafe { scatter(L::result(input, output), pitch, len_out, &to, self.lines.to_step) };
    }
}

/// Calls `f` with zeros in the lane's scratch memory.
fn zeroed<E: Element, R>(lane: &Lane, len: usize, f: impl FnOnce(&mut [E]) -> R) -> Result<R, MemError> {
    lane.scratch(ScratchReq::of::<E>(len), |bytes| {
        bytes.fill(MaybeUninit::new(0));
        // SAFETY: the bytes are aligned and enough for `len` elements; zero bytes are an element of every dtype.
        f(unsafe { std::slice::from_raw_parts_mut(bytes.as_mut_ptr().cast(), len) })
    })
}
