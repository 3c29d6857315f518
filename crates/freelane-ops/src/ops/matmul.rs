//! Matrix products, with the batch axes broadcast.
//!
//! The order of each sum depends on k alone (`freelane_kernels::gemm`), so neither the batch, the split over lanes nor
//! the strides of the operands show in the bits.
use crate::function::{Kind, Param};
use crate::ops::astype::astype;
use crate::ufunc::{finish, uninit};
use crate::{Array, InOp, Op, OpsError, Run, promote_types};
use freelane_array::{ArrayData, ArrayError, DType, Dims, Element, Kind as Family, Layout, Strides};
use freelane_array::{broadcast_shapes, normalize_axis, with_dtype};
use freelane_kernels::gemm::{Epilogue, Mat, MatMut, Product, Split, Stack, gemm, gemm_scratch, gemm_stack};
use freelane_mem::ScratchReq;
use freelane_pool::Lane;
use freelane_simd::Isa;
use std::borrow::Cow;
use std::mem::MaybeUninit;
use std::ops::Range;

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
    product(lane, &a, &b, &Shapes::new(&a, &b)?, false)
}

/// Sums of products along one axis of both arrays, complex numbers of the first conjugated.
pub(crate) fn vecdot(lane: &Lane, a: &ArrayData, b: &ArrayData, axis: isize) -> Result<ArrayData, OpsError> {
    let dtype = promote_types(a.dtype(), b.dtype());
    let conjugate = a.dtype().kind() == Family::Complex;
    let (a, b) = (in_dtype(lane, a, dtype)?, in_dtype(lane, b, dtype)?);
    let shapes = Shapes::of_vectors(a.layout(), b.layout(), axis, dtype.kind() == Family::Complex)?;
    product(lane, &a, &b, &shapes, conjugate)
}

fn product(lane: &Lane, a: &ArrayData, b: &ArrayData, shapes: &Shapes, conjugate: bool) -> Result<ArrayData, OpsError> {
    let layout = Layout::contiguous(&shapes.output).in_op(OP)?;
    let mut buffer = uninit(lane, &layout, a.dtype(), OP)?;
    let job = Job { shapes, a: a.buffer().as_ptr(), b: b.buffer().as_ptr(), out: buffer.as_mut_ptr(), conjugate };
    with_dtype!(a.dtype(), T => job.run::<T>(lane))?;
    // SAFETY: `run` wrote every element of the output.
    Ok(unsafe { finish(buffer, a.dtype(), layout) })
}

/// Windows as long as `taps` over a sequence of the same type without gaps, with so many zeros before it and after it, times
/// `taps`.
pub(crate) fn windows(
    lane: &Lane,
    line: &ArrayData,
    taps: &ArrayData,
    [before, after]: [usize; 2],
) -> Result<ArrayData, OpsError> {
    let (n, k, size) = (line.layout().len(), taps.layout().len(), line.dtype().size());
    let (inner, edge) = (n + 1 - k, (k - 1 + before.max(after)) * size);
    let layout = Layout::of_one_axis(before + inner + after);
    let mut buffer = uninit(lane, &layout, line.dtype(), OP)?;
    let out = buffer.as_mut_ptr();
    let part = |from: *const u8, first: usize, count: usize| -> Result<(), OpsError> {
        let shapes = &Shapes::of_windows(count, taps.layout())?;
        let out = out.wrapping_add(first * size);
        let job = Job { shapes, a: from, b: taps.buffer().as_ptr(), out, conjugate: false };
        with_dtype!(line.dtype(), T => job.run::<T>(lane))
    };
    part(line.as_ptr(), before, inner)?;
    let ends = |bytes: &mut [MaybeUninit<u8>]| {
        let ends = [(before, before * size, 0, 0), (after, 0, inner * size, before + inner)];
        for (count, to, from, first) in ends {
            // The zero of every type.
            bytes.fill(MaybeUninit::new(0));
            let (from, to) = (line.as_ptr().wrapping_add(from), bytes[to..].as_mut_ptr());
            // SAFETY: the first, and the last, k - 1 elements of the sequence, for which there is room.
            unsafe { from.copy_to_nonoverlapping(to.cast(), (k - 1) * size) };
            part(bytes.as_ptr().cast(), first, count)?;
        }
        Ok(())
    };
    if before + after > 0 {
        lane.scratch(ScratchReq::new(edge, 64), ends).in_op(OP)??;
    }
    // SAFETY: every part was written.
    Ok(unsafe { finish(buffer, line.dtype(), layout) })
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
        if let Some(shapes) = Shapes::of_lines(a.layout(), b.layout())? {
            return Ok(shapes);
        }
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
        let (a, b) = (stretched(a, &batch, [m, k])?, stretched(b, &batch, [k, n])?);
        Ok(Shapes { a, b, batch, m, k, n, keep, output: Dims::new() }.noted().folded().flat())
    }

    /// One row times one column, if both operands have one axis and are as long: the short way of the commonest case.
    fn of_lines(a: &Layout, b: &Layout) -> Result<Option<Shapes>, OpsError> {
        let (&[k], &[rows]) = (a.shape(), b.shape()) else { return Ok(None) };
        if k != rows {
            return Ok(None);
        }
        let (a, b) = (a.expand_dims(0).in_op(OP)?, b.expand_dims(1).in_op(OP)?);
        Ok(Some(Shapes { a, b, batch: Dims::new(), m: 1, k, n: 1, keep: [false; 2], output: Dims::new() }))
    }

    /// Rows of the first operand times columns of the second, each of one vector along the axis.
    fn of_vectors(a: &Layout, b: &Layout, axis: isize, complex: bool) -> Result<Shapes, OpsError> {
        if let (0 | -1, Some(shapes)) = (axis, Shapes::of_lines(a, b)?) {
            return Ok(shapes);
        }
        let last = |x: &Layout, place: isize| -> Result<Layout, OpsError> {
            let at = normalize_axis(axis, x.rank()).in_op(OP)?;
            if at + 1 == x.rank() {
                return x.expand_dims(place).in_op(OP);
            }
            let order: Vec<isize> = (0..x.rank()).filter(|&i| i != at).chain([at]).map(|i| i as isize).collect();
            x.permute(&order).and_then(|x| x.expand_dims(place)).in_op(OP)
        };
        let (a, b) = (last(a, -2)?, last(b, -1)?);
        let ((a_batch, [_, k]), (b_batch, [rows, _])) = (split_last_two(a.shape()), split_last_two(b.shape()));
        if k != rows {
            let message = format!("axis {axis} has {k} elements in the first operand, {rows} in the second");
            return Err(OpsError::argument(OP, message));
        }
        let batch = broadcast_shapes([a_batch, b_batch]).in_op(OP)?;
        let (a, b) = (stretched(a, &batch, [1, k])?, stretched(b, &batch, [k, 1])?);
        let shapes = Shapes { a, b, batch, m: 1, k, n: 1, keep: [false; 2], output: Dims::new() }.noted();
        // Rows that meet one column are a matrix, but for conjugates.
        Ok(if complex { shapes.flat() } else { shapes.folded().flat() })
    }

    /// Windows over a sequence without gaps times one of one axis.
    fn of_windows(count: usize, taps: &Layout) -> Result<Shapes, OpsError> {
        let k = taps.len();
        let a = Layout::strided(&[count, k], &[1, 1], 0).in_op(OP)?;
        let b = taps.expand_dims(1).in_op(OP)?;
        let keep = [true, false];
        Ok(Shapes { a, b, batch: Dims::new(), m: count, k, n: 1, keep, output: Dims::new() })
    }

    /// The shape of the result.
    fn noted(mut self) -> Shapes {
        self.output = Dims::from_slice(&self.batch);
        for (keep, length) in self.keep.into_iter().zip([self.m, self.n]) {
            if keep {
                self.output.push(length);
            }
        }
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

    /// Batch axes that follow each other evenly in both operands as one.
    fn flat(mut self) -> Shapes {
        while let Some(i) = self.batch.len().checked_sub(2) {
            let count = self.batch[i + 1];
            let even = |l: &Layout| l.strides()[i] == l.strides()[i + 1].wrapping_mul(count as isize);
            if self.a.is_empty() || self.b.is_empty() || !even(&self.a) || !even(&self.b) {
                break;
            }
            let count = self.batch[i] * count;
            let one = |l: &Layout| merged(l, i, count, l.strides()[i + 1]);
            let (Ok(a), Ok(b)) = (one(&self.a), one(&self.b)) else { break };
            (self.a, self.b) = (a, b);
            self.batch.truncate(i);
            self.batch.push(count);
        }
        self
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

/// The stack of matrices of this shape, repeated along the batch where it has length 1 there.
fn stretched(matrices: Layout, batch: &[usize], [rows, columns]: [usize; 2]) -> Result<Layout, OpsError> {
    if split_last_two(matrices.shape()).0 == batch {
        return Ok(matrices);
    }
    let mut shape = Dims::from_slice(batch);
    shape.extend_from_slice(&[rows, columns]);
    matrices.broadcast_to(&shape).in_op(OP)
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
    /// Whether complex numbers of the first operand are conjugated, for products of one row and one column.
    conjugate: bool,
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
        let whole = split.tasks() == 1;
        let tasks = if whole { pieces.min(count) } else { count * split.tasks() };
        let first = |task: usize| (count as u128 * task as u128 / tasks as u128) as usize;
        let failed = freelane_sync::OnceTable::new();
        let done = lane.try_par_for(tasks, cost, &|lane, task| {
            let run = |scratch: &mut [_]| {
                if whole {
                    return self.stack::<T>(first(task)..first(task + 1), scratch);
                }
                let (rows, columns) = split.block(task % split.tasks());
                self.block::<T>(task / split.tasks(), rows, columns, scratch);
            };
            if let Err(e) = lane.scratch(req, run) {
                failed.get_or_init(|| e);
            }
        });
        done.in_op(OP)?;
        failed.into_inner().map_or(Ok(()), Err).in_op(OP)
    }

    /// The operands of one product.
    fn operands<T>(&self, matrix: usize) -> (Mat<'_, T>, Mat<'_, T>) {
        let Shapes { m, k, n, a, b, .. } = self.shapes;
        let (at_a, at_b) = self.shapes.matrix(matrix);
        let strides = |l: &Layout| [l.strides()[l.rank() - 2], l.strides()[l.rank() - 1]];
        let a_ptr = self.a.cast::<T>().wrapping_add(if *k == 0 { 0 } else { at_a });
        let b_ptr = self.b.cast::<T>().wrapping_add(if *k == 0 { 0 } else { at_b });
        // SAFETY: the layout lies inside the storage of the operand, which the caller borrows.
        let a = unsafe { Mat::from_raw(a_ptr, [*m, *k], strides(a)) };
        // SAFETY: as above.
        (a, unsafe { Mat::from_raw(b_ptr, [*k, *n], strides(b)) })
    }

    /// Whole products, those that follow each other along the last axis of the batch together.
    fn stack<T: Element + Product>(&self, products: Range<usize>, scratch: &mut [MaybeUninit<u8>]) {
        let Shapes { m, n, ref a, ref b, ref batch, .. } = *self.shapes;
        let inner = batch.last().copied().unwrap_or(1);
        let step = |l: &Layout| if batch.is_empty() { 0 } else { l.strides()[batch.len() - 1] };
        let mut at = products.start;
        while at < products.end {
            let count = (inner - at % inner).min(products.end - at);
            let (x, y) = self.operands::<T>(at);
            let out = self.out.cast::<T>().wrapping_add(at * m * n);
            // SAFETY: these products are this task's alone.
            let mut out = unsafe { MatMut::from_raw(out, [m, n], [n as isize, 1]) };
            let stack = Stack { count, steps: [step(a), step(b), (m * n) as isize], conjugate: self.conjugate };
            // SAFETY: the layouts vouch for the operands of so many products, and results lie one after the other.
            unsafe { gemm_stack(Isa::current(), x, y, &mut out, stack, scratch) };
            at += count;
        }
    }

    fn block<T: Element + Product>(
        &self,
        matrix: usize,
        rows: Range<usize>,
        columns: Range<usize>,
        scratch: &mut [MaybeUninit<u8>],
    ) {
        let Shapes { m, n, .. } = *self.shapes;
        let (a, b) = self.operands::<T>(matrix);
        let out = self.out.cast::<T>().wrapping_add((matrix * m + rows.start) * n);
        // SAFETY: these rows of the output belong to this matrix; tasks that share rows write other columns.
        let mut out = unsafe { MatMut::from_raw(out, [rows.len(), n], [n as isize, 1]) };
        gemm(Isa::current(), a.rows(rows), b, &mut out, columns, Epilogue::default(), scratch);
    }
}
