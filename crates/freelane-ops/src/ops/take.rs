//! Elements by number along one axis.
use super::indexing::IndexItem;
use super::line;
use super::selection::{Selection, Term};
use super::transfer::{self, TILE};
use crate::function::{Default, Kind, Param};
use crate::ufunc::{finish, uninit};
use crate::walk::Walk;
use crate::{Array, InOp, Op, OpsError, Run};
use freelane_array::{ArrayData, DType, Dims, Layout, Strides, broadcast_shapes, normalize_axis};
use freelane_kernels::moves::{LineLoop, gather_line, gather_loop};
use freelane_pool::Lane;
use freelane_sync::OnceTable;

impl Array {
    /// The elements with the numbers `indices` along an axis, in whose place the axes of `indices` come. Negative numbers
    /// count from the back.
    ///
    /// ```
    /// use freelane_ops::Array;
    /// let x = Array::arange(0, 6, 1)?.reshape(&[3, 2])?;
    /// assert_eq!(x.take(&Array::from_slice(&[2i32, 0])?, 0)?.to_vec::<i64>()?, [4, 5, 0, 1]);
    /// # Ok::<(), freelane_ops::OpsError>(())
    /// ```
    ///
    /// # Errors
    /// When there is no such axis, an index lies outside of it, `indices` does not hold integers, or memory cannot be had.
    pub fn take(&self, indices: &Array, axis: isize) -> Result<Array, OpsError> {
        const OP: &str = "take";
        let axis = normalize_axis(axis, self.rank()).in_op(OP)?;
        if line::fits(self, indices) {
            return Lane::with(|lane| line::get(lane, OP, self.data(), indices.data())).map(Into::into);
        }
        let selection = Selection::along(OP, self.data().layout(), axis, indices)?;
        Lane::with(|lane| transfer::get(lane, OP, self.data(), &selection)).map(Into::into)
    }

    /// For each place of `indices` the element with that number along an axis, at the same place on all other axes, over
    /// which the two arrays broadcast: the inverse of `argsort`, for one.
    ///
    /// ```
    /// use freelane_ops::Array;
    /// let x = Array::from_vec(vec![3, 1, 2, 30, 10, 20], &[2, 3])?;
    /// let last_first = Array::from_vec(vec![2i64, 0], &[1, 2])?;
    /// assert_eq!(x.take_along_axis(&last_first, 1)?.to_vec::<i32>()?, [2, 3, 20, 30]);
    /// # Ok::<(), freelane_ops::OpsError>(())
    /// ```
    ///
    /// # Errors
    /// When there is no such axis, the numbers of axes differ, the others do not broadcast, an index lies outside of the axis,
    /// `indices` does not hold integers, or memory cannot be had.
    pub fn take_along_axis(&self, indices: &Array, axis: isize) -> Result<Array, OpsError> {
        Lane::with(|lane| take_along_axis(lane, self.data(), indices, axis)).map(Into::into)
    }
}

pub(super) fn take_along_axis(lane: &Lane, x: &ArrayData, indices: &Array, axis: isize) -> Result<ArrayData, OpsError> {
    const OP: &str = "take_along_axis";
    let rank = x.layout().rank();
    let axis = normalize_axis(axis, rank).in_op(OP)?;
    IndexItem::Ints(indices.clone()).check(OP)?;
    if indices.rank() != rank {
        let message = format!("the array has {rank} axes, the indices {}; they need as many", indices.rank());
        return Err(OpsError::argument(OP, message));
    }
    let without = |shape: &[usize]| -> Dims { [&shape[..axis], &shape[axis + 1..]].concat().into() };
    let rows = broadcast_shapes([&without(x.layout().shape())[..], &without(indices.shape())]).in_op(OP)?;
    let n = indices.shape()[axis];
    let layout = Layout::contiguous(&[&rows[..axis], &[n], &rows[axis..]].concat()).in_op(OP)?;
    let mut buffer = uninit(lane, &layout, x.dtype(), OP)?;
    if !layout.is_empty() {
        let job = Along::new(x, indices.data(), axis, &rows, buffer.as_mut_ptr(), &layout);
        job.run(lane, OP)?;
    }
    // SAFETY: every row has `n` elements, all of which were written.
    Ok(unsafe { finish(buffer, x.dtype(), layout) })
}

/// Rows along an axis of three arrays: elements, indices, results.
struct Along {
    walk: Walk<3>,
    indices: Term,
    n: usize,
    /// Strides along the axis in bytes: of the indices, of the results.
    steps: [isize; 2],
    size: usize,
    /// The loop for indices side by side.
    quick: Option<LineLoop>,
}

impl Along {
    fn new(x: &ArrayData, indices: &ArrayData, axis: usize, rows: &[usize], out: *mut u8, layout: &Layout) -> Along {
        let size = x.dtype().size();
        let wide = |l: &Layout, size: usize| -> Strides {
            let axes = (0..l.rank()).filter(|&i| i != axis).zip(rows);
            axes.map(|(i, &n)| if l.shape()[i] == n { l.strides()[i] * size as isize } else { 0 }).collect()
        };
        let index_size = indices.dtype().size();
        let strides = [wide(x.layout(), size), wide(indices.layout(), index_size), wide(layout, size)];
        let ptrs = [x.as_ptr().cast_mut(), indices.as_ptr().cast_mut(), out];
        let steps = [indices.layout().strides()[axis] * index_size as isize, layout.strides()[axis] * size as isize];
        let term = Term {
            indices: indices.clone(),
            len: x.layout().shape()[axis],
            stride: x.layout().strides()[axis],
            axis,
            mask: false,
        };
        let walk = Walk::new(rows, ptrs, [&strides[0], &strides[1], &strides[2]]);
        let quick = match indices.dtype() {
            DType::I64 if steps[0] == 8 => gather_line::<i64>(size),
            DType::I32 if steps[0] == 4 => gather_line::<i32>(size),
            _ => None,
        };
        Along { walk, indices: term, n: layout.shape()[axis], steps, size, quick }
    }

    fn run(&self, lane: &Lane, op: &'static str) -> Result<(), OpsError> {
        let (outer, inner) = (self.walk.outer_len(), self.walk.inner_len());
        let failed = OnceTable::new();
        let cost = (outer * inner * self.n) as u64 * 2;
        let along_outer = outer >= lane.pieces(cost);
        let pieces = transfer::Pieces::new(if along_outer { outer } else { inner }, lane.pieces(cost));
        let done = lane.try_par_for(pieces.count(), cost, &|_, i| {
            let (outer, inner) = if along_outer { (pieces.at(i), 0..inner) } else { (0..outer, pieces.at(i)) };
            self.walk.run(outer, inner, |ptrs, strides, n| {
                for k in 0..n as isize {
                    let [x, indices, out] = std::array::from_fn(|i| ptrs[i].wrapping_offset(k * strides[i]));
                    if !self.row(x, indices, out) {
                        failed.get_or_init(|| ());
                    }
                }
            });
        });
        if failed.get().is_some() {
            Err(transfer::outside(op, std::slice::from_ref(&self.indices)))
        } else {
            done.in_op(op)
        }
    }

    /// False if an index lies outside of the axis.
    fn row(&self, x: *mut u8, indices: *const u8, out: *mut u8) -> bool {
        if let Some(run) = self.quick {
            let step = self.indices.stride * self.size as isize;
            // SAFETY: there are `n` indices of the loop's type side by side and as many places; the axis has `len` elements.
            return unsafe { run(self.n, indices, self.indices.len, x, step, out, self.steps[1]) };
        }
        let mut tile = [0; TILE];
        for from in (0..self.n).step_by(TILE) {
            let tile = &mut tile[..TILE.min(self.n - from)];
            tile.fill(0);
            let first = indices.wrapping_offset(from as isize * self.steps[0]);
            if !self.indices.add(first, self.steps[0], self.size as isize, tile) {
                return false;
            }
            let to = out.wrapping_offset(from as isize * self.steps[1]);
            // SAFETY: the offsets were checked to lead along the axis of `x`, and the results have a place for each.
            unsafe { gather_loop(self.size)(x, tile, to, self.steps[1], self.size) };
        }
        true
    }
}

const X: Param = Param::required("x", Kind::Operand);
const INDICES: Param = Param::required("indices", Kind::Operand).whole();

pub(crate) static TAKE: Op = Op {
    name: "take",
    doc: "The elements with the given numbers along an axis, which must be given if there is more than one.",
    params: &[X, INDICES, Param::optional("axis", Kind::Int, Default::None)],
    run: Run::One(|_, a| {
        let x = a.array(0)?;
        if !a.is_given(2) && x.rank() != 1 {
            let message = format!("axis must be given, since the array has {} axes, not one", x.rank());
            return Err(OpsError::argument("take", message));
        }
        x.take(&a.array(1)?, if a.is_given(2) { a.int(2)? as isize } else { 0 })
    }),
    onnx: Some(("Gather", 1)),
};

pub(crate) static TAKE_ALONG_AXIS: Op = Op {
    name: "take_along_axis",
    doc: "For each place of the indices the element with that number along an axis.",
    params: &[X, INDICES, Param::optional("axis", Kind::Int, Default::Int(-1))],
    run: Run::One(|_, a| a.array(0)?.take_along_axis(&a.array(1)?, a.int(2)? as isize)),
    onnx: Some(("GatherElements", 11)),
};
