//! Where a mask is true.
use crate::function::{Kind, Param};
use crate::ufunc::{finish, uninit};
use crate::{Array, InOp, Op, OpsError, Run};
use freelane_array::{ArrayData, DType, Element, Layout};
use freelane_kernels::moves;
use freelane_pool::Lane;
use smallvec::SmallVec;
use std::mem::MaybeUninit;
use std::ops::Range;

/// Elements of a mask that are looked at in one piece.
const PIECE: usize = 1 << 16;

/// Estimated nanoseconds an element of a mask.
const COST: f32 = 1.0;

/// The indices of the elements that are not zero: one array of `i64` for each axis, in row-major order.
///
/// ```
/// use freelane_ops::{Array, nonzero};
/// let x = Array::from_vec(vec![0, 3, 0, 4, 5, 0], &[2, 3])?;
/// let [rows, columns] = &nonzero(&x)?[..] else { unreachable!() };
/// assert_eq!(rows.to_vec::<i64>()?, [0, 1, 1]);
/// assert_eq!(columns.to_vec::<i64>()?, [1, 0, 1]);
/// # Ok::<(), freelane_ops::OpsError>(())
/// ```
///
/// # Errors
/// When the array has no axes, or memory cannot be had.
pub fn nonzero(x: &Array) -> Result<Vec<Array>, OpsError> {
    const OP: &str = "nonzero";
    if x.rank() == 0 {
        return Err(OpsError::argument(OP, "an array without axes has no positions; give it one with reshape"));
    }
    let mask = Mask::new(&x.astype(DType::Bool)?)?;
    let unit = |axis| (0..x.rank()).map(|i| isize::from(i == axis)).collect::<SmallVec<[isize; 4]>>();
    Lane::with(|lane| (0..x.rank()).map(|axis| Ok(mask.positions(lane, OP, &unit(axis))?.into())).collect())
}

pub(crate) static NONZERO: Op = Op {
    name: "nonzero",
    doc: "The indices of the elements that are not zero: one array of int64 for each axis, in row-major order.",
    params: &[Param::required("x", Kind::Operand).flat()],
    run: Run::Many(&[], |_, a| nonzero(&a.array(0)?)),
    onnx: None,
};

/// A boolean array in row-major order, and how many are true in each piece of it.
pub(crate) struct Mask {
    bools: Array,
    counts: SmallVec<[usize; 4]>,
}

impl Mask {
    pub(crate) fn new(mask: &Array) -> Result<Mask, OpsError> {
        let bools = mask.contiguous()?;
        let counts = as_slice(&bools)?.chunks(PIECE).map(moves::count).collect();
        Ok(Mask { bools, counts })
    }

    /// How many are true.
    pub(crate) fn count(&self) -> usize {
        self.counts.iter().sum()
    }

    /// Calls `f` with each piece of the mask, its place, and the range that its true elements have among all of them.
    pub(crate) fn for_each_piece(
        &self,
        lane: &Lane,
        op: &'static str,
        f: impl Fn(&[bool], usize, Range<usize>) + Sync,
    ) -> Result<(), OpsError> {
        let bools = as_slice(&self.bools)?;
        let mut end = 0;
        let ends: SmallVec<[usize; 4]> = self
            .counts
            .iter()
            .map(|n| {
                end += n;
                end
            })
            .collect();
        let cost = (bools.len() as f64 * f64::from(COST)) as u64;
        let piece = |i: usize| &bools[i * PIECE..((i + 1) * PIECE).min(bools.len())];
        let run = |i: usize| f(piece(i), i * PIECE, ends[i] - self.counts[i]..ends[i]);
        lane.try_par_for(ends.len(), cost, &|_, i| run(i)).in_op(op)
    }

    /// For each true element the sum of its indices times `strides`, in row-major order.
    pub(crate) fn positions(&self, lane: &Lane, op: &'static str, strides: &[isize]) -> Result<ArrayData, OpsError> {
        let rows = Rows::new(self.bools.shape(), strides);
        write_new(lane, op, self.count(), |out: Shared<i64>| {
            self.for_each_piece(lane, op, |piece, at, places| {
                // SAFETY: pieces have places of their own, and there is one for every true element.
                let places = unsafe { out.part(places) };
                let mut filled = 0;
                rows.for_each(at, piece.len(), |base, part| {
                    let row = &piece[part];
                    let end = filled + moves::count(row);
                    moves::positions(row, base as i64, rows.step as i64, &mut places[filled..end]);
                    filled = end;
                });
            })
        })
    }
}

fn as_slice(mask: &Array) -> Result<&[bool], OpsError> {
    Ok(mask.view::<bool>()?.as_slice().unwrap_or_else(|| unreachable!("the mask was made contiguous")))
}

/// Memory for the elements of a new array, of which pieces write their own places.
pub(crate) struct Shared<T>(pub(super) *mut T);

// SAFETY: what it gives are pointers, and slices whose makers promise that nobody else has their places.
unsafe impl<T: Send> Sync for Shared<T> {}

impl<T> Shared<T> {
    pub(crate) fn at(&self, place: usize) -> *mut T {
        self.0.wrapping_add(place)
    }

    /// The values at some places, all of which were written or may hold anything.
    ///
    /// # Safety
    /// The places exist, and nobody else has any of them.
    #[allow(clippy::mut_from_ref, reason = "its callers take each place once")]
    pub(super) unsafe fn slice(&self, places: Range<usize>) -> &mut [T] {
        // SAFETY: as the caller promises.
        unsafe { std::slice::from_raw_parts_mut(self.0.add(places.start), places.len()) }
    }

    /// # Safety
    /// The places exist, and nobody else has any of them.
    #[allow(clippy::mut_from_ref, reason = "its callers take each place once")]
    unsafe fn part(&self, places: Range<usize>) -> &mut [MaybeUninit<T>] {
        // SAFETY: as the caller promises.
        unsafe { std::slice::from_raw_parts_mut(self.0.add(places.start).cast(), places.len()) }
    }
}

/// A new array of one axis, whose `n` elements `fill` writes.
fn write_new<T: Element>(
    lane: &Lane,
    op: &'static str,
    n: usize,
    fill: impl FnOnce(Shared<T>) -> Result<(), OpsError>,
) -> Result<ArrayData, OpsError> {
    let layout = Layout::contiguous(&[n]).map_err(|source| OpsError::Array { op, source })?;
    let mut buffer = uninit(lane, &layout, T::DTYPE, op)?;
    fill(Shared(buffer.as_mut_ptr().cast()))?;
    // SAFETY: `fill` wrote every element.
    Ok(unsafe { finish(buffer, T::DTYPE, layout) })
}

/// The axes of a mask and their strides, with neighbours that step evenly merged.
struct Rows {
    outer: SmallVec<[(usize, isize); 4]>,
    len: usize,
    step: isize,
}

impl Rows {
    fn new(shape: &[usize], strides: &[isize]) -> Rows {
        let mut axes: SmallVec<[(usize, isize); 4]> = SmallVec::new();
        for (&n, &step) in shape.iter().zip(strides).filter(|(n, _)| **n != 1) {
            match axes.last_mut() {
                Some(last) if last.1 == step.wrapping_mul(n as isize) => *last = (last.0 * n, step),
                _ => axes.push((n, step)),
            }
        }
        let (len, step) = axes.pop().unwrap_or((1, 0));
        Rows { outer: axes, len, step }
    }

    /// Calls `f` for each row that `n` elements from `at` on reach into: with the position of its first element, and its
    /// part of the `n`.
    fn for_each(&self, at: usize, n: usize, mut f: impl FnMut(isize, Range<usize>)) {
        let mut done = 0;
        while done < n {
            let (row, column) = ((at + done) / self.len, (at + done) % self.len);
            let part = done..(done + self.len - column).min(n);
            done = part.end;
            f(self.start_of(row).wrapping_add(self.step.wrapping_mul(column as isize)), part);
        }
    }

    fn start_of(&self, mut row: usize) -> isize {
        let mut start = 0isize;
        for &(n, step) in self.outer.iter().rev() {
            start = start.wrapping_add(step.wrapping_mul((row % n) as isize));
            row /= n;
        }
        start
    }
}
