//! The lines of an array along one axis, and those of a result beside them.
use crate::walk::Walk;
use crate::{InOp, OpsError};
use freelane_array::{ArrayData, Layout, Strides};
use freelane_kernels::sort::{CodeLoop, Codec, Key};
use freelane_mem::MemError;
use freelane_pool::Lane;
use freelane_sync::OnceTable;
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::ops::Range;

/// Elements of a line from which threads share one.
const LONG: usize = 1 << 16;

/// Estimated time in nanoseconds that one thread may take for a part of a line, during which it cannot be interrupted.
pub(super) const UNCUT_NS: u64 = 50_000_000;

/// Lines that are read together where their elements are not neighbours, and elements of each that are read in a row: then each
/// cache line is used while it is there.
const TOGETHER: usize = 16;
const BLOCK: usize = 64;

/// Elements in lines that are read together, at most.
const ROOM: usize = 1 << 17;

/// The same where elements are neighbours: short lines, for all of which what is done once for each would take long.
const SHORT: usize = 1 << 11;

/// Lines of an array and of a result that has as many; along the axis their lengths may differ.
pub(super) struct Lines {
    walk: Walk<2>,
    /// Elements of a line of the array.
    pub(super) n: usize,
    /// Bytes from one element of a line to the next: of the array, of the result.
    pub(super) steps: [isize; 2],
    size: usize,
}

impl Lines {
    /// `out` is the memory of a result of `layout`, with elements of `size` bytes.
    pub(super) fn new(x: &ArrayData, axis: usize, out: *mut u8, layout: &Layout, size: usize) -> Lines {
        let others = |l: &Layout, size: usize| -> Strides {
            (0..l.rank()).filter(|&i| i != axis).map(|i| l.strides()[i] * size as isize).collect()
        };
        let width = x.dtype().size();
        let (n, step) = (x.layout().shape()[axis], x.layout().strides()[axis] * width as isize);
        let rows: Strides = (0..layout.rank()).filter(|&i| i != axis).map(|i| layout.shape()[i] as isize).collect();
        let rows: Vec<usize> = rows.iter().map(|&n| n as usize).collect();
        let ptrs = [x.as_ptr().cast_mut(), out];
        let walk = Walk::new(&rows, ptrs, [&others(x.layout(), width), &others(layout, size)]);
        Lines { walk, n, steps: [step, layout.strides()[axis] * size as isize], size: width }
    }

    pub(super) fn count(&self) -> usize {
        self.walk.outer_len() * self.walk.inner_len()
    }

    /// Whether there is no element.
    pub(super) fn is_empty(&self) -> bool {
        self.n == 0 || self.count() == 0
    }

    /// Whether each line had better be cut, for threads to share it or for it to end early. `cost` is in nanoseconds an element.
    pub(super) fn are_few_and_long(&self, lane: &Lane, cost: u64) -> bool {
        self.n >= LONG && (self.count() < lane.threads() || cost * self.n as u64 > UNCUT_NS)
    }

    /// Calls `f` with each line, one after the other.
    pub(super) fn each(&self, mut f: impl FnMut(Group<'_>) -> Result<(), OpsError>) -> Result<(), OpsError> {
        let mut done = Ok(());
        self.groups(0..self.count(), 1, |group| {
            if done.is_ok() {
                done = f(group);
            }
        });
        done
    }

    /// Calls `f` with all lines in groups, on all threads. `cost` is in nanoseconds an element.
    pub(super) fn for_each(
        &self,
        lane: &Lane,
        op: &'static str,
        cost: u64,
        f: impl Fn(&Lane, Group<'_>) -> Result<(), MemError> + Sync,
    ) -> Result<(), OpsError> {
        let (count, failed) = (self.count(), OnceTable::new());
        let cost = cost * (self.n * count) as u64;
        let each = count.div_ceil(lane.pieces(cost)).max(1);
        let apart = self.steps[0] != self.size as isize;
        let n = self.n.max(1);
        let together = if apart { (ROOM / n).clamp(1, TOGETHER) } else { (SHORT / n).max(1) };
        let run = |lane: &Lane, lines: Range<usize>| {
            self.groups(lines, together, |group| {
                if let Err(error) = f(lane, group) {
                    failed.get_or_init(|| error);
                }
            });
        };
        let done = lane.try_par_for(count.div_ceil(each), cost, &|lane, i| {
            run(lane, i * each..((i + 1) * each).min(count));
        });
        match failed.into_inner() {
            Some(error) => Err(error).in_op(op),
            None => done.in_op(op),
        }
    }

    /// Calls `f` with some lines, in groups of at most `together`.
    fn groups(&self, lines: Range<usize>, together: usize, mut f: impl FnMut(Group<'_>)) {
        let inner = self.walk.inner_len();
        let mut at = lines.start;
        while at < lines.end {
            let row = at / inner;
            let part = at % inner..inner.min(at % inner + lines.end - at);
            at += part.len();
            self.walk.run(row..row + 1, part, |[x, out], [x_step, out_step], count| {
                for first in (0..count).step_by(together) {
                    let (x, out) =
                        (x.wrapping_offset(first as isize * x_step), out.wrapping_offset(first as isize * out_step));
                    let count = together.min(count - first);
                    let (n, steps) = (self.n, self.steps);
                    f(Group { x, out, x_step, out_step, count, n, steps, size: self.size, lines: PhantomData });
                }
            });
        }
    }
}

/// Some lines next to one another.
pub(super) struct Group<'a> {
    x: *const u8,
    out: *mut u8,
    x_step: isize,
    /// Bytes from one line of the result to the next.
    pub(super) out_step: isize,
    /// How many lines these are.
    pub(super) count: usize,
    pub(super) n: usize,
    pub(super) steps: [isize; 2],
    /// Bytes of an element.
    size: usize,
    lines: PhantomData<&'a Lines>,
}

// SAFETY: threads that share a group read its elements and write places of their own.
unsafe impl Sync for Group<'_> {}

impl Group<'_> {
    /// Element `i` of the first line.
    pub(super) fn x_at(&self, i: usize) -> *const u8 {
        self.x.wrapping_offset(i as isize * self.steps[0])
    }

    /// Element `i` of the first line of the result.
    pub(super) fn out_at(&self, i: usize) -> *mut u8 {
        self.out.wrapping_offset(i as isize * self.steps[1])
    }

    /// Line `i` by itself.
    pub(super) fn line(&self, i: usize) -> Group<'_> {
        let (x, out) =
            (self.x.wrapping_offset(i as isize * self.x_step), self.out.wrapping_offset(i as isize * self.out_step));
        Group { x, out, count: 1, ..*self }
    }

    /// Writes the keys of all lines, `width` bytes each, side by side; lines are `step` bytes apart.
    pub(super) fn encode(&self, codec: Codec, run: CodeLoop, keys: *mut u8, step: isize, width: usize) {
        let side_by_side = [self.steps[0], self.x_step, step] == self.side_by_side(self.size, width);
        self.blocks(side_by_side, |i, part| {
            let from = self.x.wrapping_offset(i * self.x_step + part.start as isize * self.steps[0]);
            let to = keys.wrapping_offset(i * step + (part.start * width) as isize);
            // SAFETY: the lines have these elements, and there is a key for each.
            unsafe { run(codec.descending, part.len(), from, self.steps[0], to, width as isize) };
        });
    }

    /// Writes the elements of the results from keys that lie as with [`encode`](Group::encode).
    pub(super) fn decode(&self, codec: Codec, keys: *const u8, step: isize, width: usize) {
        if codec.plain && std::ptr::eq(keys, self.out) && self.steps[1] == width as isize {
            // Sorted where they go.
            return;
        }
        let side_by_side = [self.steps[1], self.out_step, step] == self.side_by_side(width, width);
        self.blocks(side_by_side, |i, part| {
            let from = keys.wrapping_offset(i * step + (part.start * width) as isize);
            let to = self.out.wrapping_offset(i * self.out_step + part.start as isize * self.steps[1]);
            // SAFETY: there is a key for each place of the result's lines.
            unsafe { (codec.decode)(codec.descending, part.len(), from, width as isize, to, self.steps[1]) };
        });
    }

    /// Whether these are a few lines, at most `most`, that lie beside one another, element by element, in the array and the result.
    pub(super) fn are_columns(&self, width: usize, most: usize) -> bool {
        (2..=most).contains(&self.count) && self.x_step == self.size as isize && self.out_step == width as isize
    }

    /// Calls `f` with each row of columns: where it is in the array, and in the result.
    pub(super) fn rows(&self, mut f: impl FnMut(usize, *const u8, *mut u8)) {
        (0..self.n).for_each(|k| f(k, self.x_at(k), self.out_at(k)));
    }

    /// Whether the first line is in order.
    pub(super) fn is_ordered(&self, codec: Codec) -> bool {
        // SAFETY: the line has `n` elements.
        unsafe { (codec.ordered)(codec.descending, self.n, self.x, self.steps[0]) }
    }

    /// Copies the first line to that of the result if it is in order; false if it is not, if it ends with a NaN, or if elements
    /// are no neighbours.
    pub(super) fn copy_if_ordered(&self, codec: Codec) -> bool {
        let copies = self.steps == [codec.width as isize; 2] && !self.ends_with_nan(codec) && self.is_ordered(codec);
        if copies {
            // SAFETY: both lines have `n` elements of this width side by side, in different arrays.
            unsafe { self.out.copy_from_nonoverlapping(self.x, self.n * codec.width) };
        }
        copies
    }

    /// The distances of elements, of lines, and of lines of keys that have no gaps between them.
    fn side_by_side(&self, size: usize, width: usize) -> [isize; 3] {
        [size as isize, (self.n * size) as isize, (self.n * width) as isize]
    }

    /// Whether the last element of the first line is a NaN: then some may have to become the one that sorting writes.
    fn ends_with_nan(&self, codec: Codec) -> bool {
        let last = self.x_at(self.n - 1);
        let mut key = [0u8; 8];
        // SAFETY: the line has an element, and there is room for its key.
        unsafe { (codec.rank)(codec.descending, 1, last, 0, key.as_mut_ptr(), 0) };
        // The largest key, which of floats only a NaN has.
        codec.float && key[..codec.width - 1].iter().all(|&b| b == 0xff) && key[codec.width - 1] == 0x7f
    }

    fn blocks(&self, side_by_side: bool, mut f: impl FnMut(isize, Range<usize>)) {
        if side_by_side || self.count == 1 {
            return f(0, 0..self.n * self.count);
        }
        for from in (0..self.n).step_by(BLOCK) {
            for i in 0..self.count as isize {
                f(i, from..self.n.min(from + BLOCK));
            }
        }
    }
}

/// The first `n` values of some scratch memory, and what is behind them.
pub(super) fn carve<T: Key>(scratch: &mut [MaybeUninit<u8>], n: usize) -> (&mut [T], &mut [MaybeUninit<u8>]) {
    const LINE: usize = freelane_mem::DEFAULT_ALIGN;
    let bytes = (n * size_of::<T>()).next_multiple_of(LINE).min(scratch.len());
    let (now, rest) = scratch.split_at_mut(bytes);
    assert!(n == 0 || (now.as_ptr().cast::<T>().is_aligned() && now.len() >= n * size_of::<T>()));
    if n == 0 {
        return (&mut [], rest);
    }
    // SAFETY: aligned and large enough, as asserted. Every pattern of bits is a key, and memory that the system mapped holds some:
    // the lane's scratch is such memory, which the compiler has not seen the making of.
    (unsafe { std::slice::from_raw_parts_mut(now.as_mut_ptr().cast(), n) }, rest)
}
