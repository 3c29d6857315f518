//! Matrix products, with the batch axes broadcast.
//!
//! The order of each sum depends on k alone (`freelane_kernels::gemm`), so neither the batch, the split over lanes nor
//! the strides of the operands show in the bits.
use crate::function::{Kind, Param};
use crate::ops::astype::astype;
use crate::ufunc::{finish, uninit};
use crate::{Array, InOp, Op, OpsError, Run, promote_types};
use freelane_array::{ArrayData, ArrayError, DType, Dims, Element, Layout, Strides, broadcast_shapes, with_dtype};
use freelane_kernels::gemm::{Epilogue, Mat, MatMut, Product, Split, gemm, gemm_scratch};
use freelane_mem::ScratchReq;
use freelane_pool::Lane;
use freelane_simd::Isa;
use std::borrow::Cow;

const OP: &str = "matmul";

/// Matrix products.
pub static MATMUL: Op = Op {
    name: OP,
    doc: "The matrix product over the last axis of the first and the last but one of the second array; other axes broadcast.",
    params: &[Param::required("x1", Kind::Operand), Param::required("x2", Kind::Operand)],
    run: Run::One(|lane, a| matmul(lane, a.array(0)?.data(), a.array(1)?.data()).map(Into::into)),
    onnx: Some(("MatMul", 1)),
};

impl Array {
    /// The matrix product. An operand with one axis is a row on the left, a column on the right; axes before the last two
    /// broadcast.
    ///
    /// ```
    /// use freelane_ops::Array;
    /// let a = Array::from_vec(vec![1.0, 2.0, 3.0, 4.0], &[2, 2])?;
    /// let x = Array::from_vec(vec![1.0, -1.0], &[2])?;
    /// assert_eq!(a.matmul(&x)?.to_vec::<f64>()?, [-1.0, -1.0]);
    /// # Ok::<(), freelane_ops::OpsError>(())
    /// ```
    ///
    /// # Errors
    /// When an operand has no axes, the shapes do not fit, or memory cannot be had.
    pub fn matmul(&self, other: &Array) -> Result<Array, OpsError> {
        Lane::with(|lane| matmul(lane, self.data(), other.data())).map(Into::into)
    }
}

/// The matrix product of two arrays, as [`Array::matmul`].
///
/// # Errors
/// As that.
pub fn matmul(lane: &Lane, a: &ArrayData, b: &ArrayData) -> Result<ArrayData, OpsError> {
    let dtype = promote_types(a.dtype(), b.dtype());
    let (a, b) = (in_dtype(lane, a, dtype)?, in_dtype(lane, b, dtype)?);
    let shapes = Shapes::new(&a, &b)?;
    let layout = Layout::contiguous(&shapes.full_output()).in_op(OP)?;
    let mut buffer = uninit(lane, &layout, dtype, OP)?;
    let job = Job { shapes: &shapes, a: a.buffer().as_ptr(), b: b.buffer().as_ptr(), out: buffer.as_mut_ptr() };
    with_dtype!(dtype, T => job.run::<T>(lane))?;
    let layout = layout.reshape(&shapes.output).in_op(OP)?.unwrap_or(layout);
    // SAFETY: `run` wrote every element of the output.
    Ok(unsafe { finish(buffer, dtype, layout) })
}

fn in_dtype<'a>(lane: &Lane, x: &'a ArrayData, dtype: DType) -> Result<Cow<'a, ArrayData>, OpsError> {
    if x.dtype() == dtype { Ok(Cow::Borrowed(x)) } else { Ok(Cow::Owned(astype(lane, x, dtype)?)) }
}

/// Both operands as stacks of matrices over one batch shape.
struct Shapes {
    a: Layout,
    b: Layout,
    batch: Dims,
    m: usize,
    k: usize,
    n: usize,
    /// Whether the row and the column axis are part of the result.
    keep: [bool; 2],
    /// The shape of the result.
    output: Dims,
}

impl Shapes {
    fn new(a: &ArrayData, b: &ArrayData) -> Result<Shapes, OpsError> {
        let keep = [a.layout().rank() > 1, b.layout().rank() > 1];
        if a.layout().rank() == 0 || b.layout().rank() == 0 {
            return Err(OpsError::argument(OP, "an operand without axes; multiply by a number with multiply"));
        }
        let a = if keep[0] { a.layout().clone() } else { a.layout().expand_dims(0).in_op(OP)? };
        let b = if keep[1] { b.layout().clone() } else { b.layout().expand_dims(1).in_op(OP)? };
        let (a_batch, [m, k]) = split_last_two(a.shape());
        let (b_batch, [rows, n]) = split_last_two(b.shape());
        if k != rows {
            let message = format!("the first operand has {k} columns, the second {rows} rows; they must agree");
            return Err(OpsError::argument(OP, message));
        }
        let batch = broadcast_shapes([a_batch, b_batch]).in_op(OP)?;
        let with = |last: [usize; 2]| -> Dims { batch.iter().copied().chain(last).collect() };
        let (a, b) = (a.broadcast_to(&with([m, k])).in_op(OP)?, b.broadcast_to(&with([k, n])).in_op(OP)?);
        Ok(Shapes { a, b, batch, m, k, n, keep, output: Dims::new() }.noted().folded())
    }

    /// The shape of the result.
    fn noted(mut self) -> Shapes {
        let kept = [(self.keep[0], self.m), (self.keep[1], self.n)];
        self.output =
            self.batch.iter().copied().chain(kept.into_iter().filter_map(|(keep, d)| keep.then_some(d))).collect();
        self
    }

    /// Matrices of the batch that are multiplied by the same one, and follow each other evenly, as one matrix of more rows.
    fn folded(mut self) -> Shapes {
        while let Some(last) = self.batch.len().checked_sub(1) {
            let (a, b) = (self.a.strides(), self.b.strides());
            let follows = self.m == 1 || a[last] == a[last + 1].wrapping_mul(self.m as isize);
            if self.a.is_empty() || b[last] != 0 || !follows {
                break;
            }
            let (count, step) = (self.batch[last], if self.m == 1 { a[last] } else { a[last + 1] });
            let (Ok(a), Ok(b)) =
                (merged(&self.a, last, count * self.m, step), merged(&self.b, last, self.k, b[last + 1]))
            else {
                break;
            };
            (self.a, self.b, self.m) = (a, b, count * self.m);
            self.batch.truncate(last);
        }
        self
    }

    fn full_output(&self) -> Dims {
        self.batch.iter().copied().chain([self.m, self.n]).collect()
    }

    /// Positions of matrix `i` of the batch in the storage of the operands.
    fn matrix(&self, mut i: usize) -> (usize, usize) {
        let (mut at_a, mut at_b) = (self.a.offset() as isize, self.b.offset() as isize);
        for axis in (0..self.batch.len()).rev() {
            let step = (i % self.batch[axis]) as isize;
            i /= self.batch[axis];
            at_a += step * self.a.strides()[axis];
            at_b += step * self.b.strides()[axis];
        }
        (at_a as usize, at_b as usize)
    }
}

/// The layout with axis `axis` and the one after it as one of so many rows at this distance.
fn merged(layout: &Layout, axis: usize, rows: usize, step: isize) -> Result<Layout, ArrayError> {
    let (mut shape, mut strides) = (Dims::from(layout.shape()), Strides::from(layout.strides()));
    shape.remove(axis);
    strides.remove(axis);
    (shape[axis], strides[axis]) = (rows, step);
    Layout::strided(&shape, &strides, layout.offset())
}

fn split_last_two(shape: &[usize]) -> (&[usize], [usize; 2]) {
    match shape {
        [batch @ .., r, c] => (batch, [*r, *c]),
        _ => unreachable!("both operands were given two axes"),
    }
}

/// How much longer than others the pieces of a product are that can be interrupted: each packs operands anew.
const LONGER: u64 = 16;

struct Job<'a> {
    shapes: &'a Shapes,
    a: *const u8,
    b: *const u8,
    out: *mut u8,
}

// SAFETY: lanes read the operands, which the caller borrows, and write blocks of the output that do not overlap.
unsafe impl Sync for Job<'_> {}

impl Job<'_> {
    /// Every product of the batch, split over lanes by matrix and by block.
    fn run<T: Element + Product>(&self, lane: &Lane) -> Result<(), OpsError> {
        let Shapes { m, k, n, .. } = *self.shapes;
        let count: usize = self.shapes.batch.iter().product();
        if m == 0 || n == 0 || count == 0 {
            return Ok(());
        }
        let need = gemm_scratch::<T>(m, n, k);
        let req = ScratchReq::new(need.size(), need.align());
        let cost = Split::new::<T>(m, n, k, 1).cost_ns().saturating_mul(count as u64);
        let pieces = lane.threads().max(lane.pieces(cost / LONGER));
        let split = Split::new::<T>(m, n, k, pieces.div_ceil(count));
        // Small products of a batch share a task, and its scratch.
        let blocks = count * split.tasks();
        let tasks = if split.tasks() == 1 { pieces.min(count) } else { blocks };
        let first = |task: usize| (blocks as u128 * task as u128 / tasks as u128) as usize;
        let failed = freelane_sync::OnceTable::new();
        let done = lane.try_par_for(tasks, cost, &|lane, task| {
            let blocks = |scratch: &mut [_]| {
                for block in first(task)..first(task + 1) {
                    let (rows, columns) = split.block(block % split.tasks());
                    self.block::<T>(block / split.tasks(), rows, columns, scratch);
                }
            };
            if let Err(e) = lane.scratch(req, blocks) {
                failed.get_or_init(|| e);
            }
        });
        done.in_op(OP)?;
        failed.into_inner().map_or(Ok(()), Err).in_op(OP)
    }

    fn block<T: Element + Product>(
        &self,
        matrix: usize,
        rows: std::ops::Range<usize>,
        columns: std::ops::Range<usize>,
        scratch: &mut [std::mem::MaybeUninit<u8>],
    ) {
        let Shapes { m, k, n, a, b, .. } = self.shapes;
        let (m, k, n, rank) = (*m, *k, *n, a.rank());
        let (at_a, at_b) = self.shapes.matrix(matrix);
        let strides = |l: &Layout| [l.strides()[rank - 2], l.strides()[rank - 1]];
        let a_ptr = self.a.cast::<T>().wrapping_add(if k == 0 { 0 } else { at_a });
        let b_ptr = self.b.cast::<T>().wrapping_add(if k == 0 { 0 } else { at_b });
        // SAFETY: the layout lies inside the storage of the operand, which the caller borrows.
        let a = unsafe { Mat::from_raw(a_ptr, [m, k], strides(a)) }.rows(rows.clone());
        // SAFETY: as above.
        let b = unsafe { Mat::from_raw(b_ptr, [k, n], strides(b)) };
        let out = self.out.cast::<T>().wrapping_add((matrix * m + rows.start) * n);
        // SAFETY: these rows of the output belong to this matrix; tasks that share rows write other columns.
        let mut out = unsafe { MatMut::from_raw(out, [rows.len(), n], [n as isize, 1]) };
        gemm(Isa::current(), a, b, &mut out, columns, Epilogue::default(), scratch);
    }
}
