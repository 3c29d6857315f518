//! Elements and arrays repeated.
use super::positions::Shared;
use crate::function::{Bound, Default, Kind, Param};
use crate::ufunc::{finish, uninit};
use crate::{Array, InOp, Op, OpsError, Run};
use freelane_array::{ArrayError, DType, Layout, normalize_axis};
use freelane_kernels::moves::{Times, repeat_loop};
use freelane_pool::Lane;

impl Array {
    /// Each element `n` times in a row along an axis.
    ///
    /// # Errors
    /// When there is no such axis, the result exceeds the address space, or memory cannot be had.
    pub fn repeat(&self, n: usize, axis: isize) -> Result<Array, OpsError> {
        let axis = normalize_axis(axis, self.rank()).in_op("repeat")?;
        let total = product("repeat", self.shape()[axis], n)?;
        Lane::with(|lane| repeated(lane, self, axis, total, Counts::All(n)))
    }

    /// Element `i` along an axis `counts[i]` times in a row.
    ///
    /// ```
    /// use freelane_ops::Array;
    /// let x = Array::from_slice(&[7i64, 8, 9])?;
    /// assert_eq!(x.repeat_each(&[2, 0, 1], 0)?.to_vec::<i64>()?, [7, 7, 9]);
    /// # Ok::<(), freelane_ops::OpsError>(())
    /// ```
    ///
    /// # Errors
    /// When there is no such axis, it has another length than `counts`, or memory cannot be had.
    pub fn repeat_each(&self, counts: &[usize], axis: isize) -> Result<Array, OpsError> {
        const OP: &str = "repeat";
        let len = self.shape()[normalize_axis(axis, self.rank()).in_op(OP)?];
        if counts.len() != len {
            let message = format!("{} counts for an axis of length {len}", counts.len());
            return Err(OpsError::argument(OP, message));
        }
        let total = counts.iter().try_fold(0usize, |all, &n| all.checked_add(n));
        let overflow = || ArrayError::ShapeOverflow { shape: counts.to_vec() };
        let total = total.ok_or_else(overflow).in_op(OP)?;
        let axis = normalize_axis(axis, self.rank()).in_op(OP)?;
        Lane::with(|lane| repeated(lane, self, axis, total, Counts::Each(counts)))
    }

    /// The whole array repeated along each axis; missing axes in front have length 1.
    ///
    /// ```
    /// use freelane_ops::Array;
    /// let x = Array::from_slice(&[1i64, 2])?;
    /// assert_eq!(x.tile(&[2, 2])?.to_vec::<i64>()?, [1, 2, 1, 2, 1, 2, 1, 2]);
    /// # Ok::<(), freelane_ops::OpsError>(())
    /// ```
    ///
    /// # Errors
    /// When the result exceeds the address space, or memory cannot be had.
    pub fn tile(&self, repetitions: &[usize]) -> Result<Array, OpsError> {
        const OP: &str = "tile";
        let rank = self.rank().max(repetitions.len());
        let padded = |of: &[usize]| [vec![1; rank - of.len()], of.to_vec()].concat();
        let (lengths, times) = (padded(self.shape()), padded(repetitions));
        let shape = lengths.iter().zip(&times).map(|(&n, &r)| product(OP, n, r)).collect::<Result<Vec<_>, _>>()?;
        // Axes that are not repeated need no axis to repeat over.
        let pairs = || lengths.iter().zip(&times).map(|(&n, &r)| if r == 1 { vec![n] } else { vec![r, n] });
        let ones = lengths.iter().zip(&times).flat_map(|(&n, &r)| if r == 1 { vec![n] } else { vec![1, n] });
        let spaced = self.reshape(&ones.map(|n| n as isize).collect::<Vec<_>>()).map_err(|e| e.of(OP))?;
        let spread = spaced.broadcast_to(&pairs().flatten().collect::<Vec<_>>()).map_err(|e| e.of(OP))?;
        merged(OP, spread, &shape)
    }
}

/// How often elements come.
#[derive(Clone, Copy)]
enum Counts<'a> {
    All(usize),
    Each(&'a [usize]),
}

/// Elements of a piece of an axis.
const PIECE: usize = 1 << 14;

/// Elements along an axis several times in a row, `total` in all.
fn repeated(lane: &Lane, x: &Array, axis: usize, total: usize, counts: Counts<'_>) -> Result<Array, OpsError> {
    const OP: &str = "repeat";
    let (x, n) = (x.contiguous()?, x.shape()[axis]);
    let mut shape = x.shape().to_vec();
    shape[axis] = total;
    let layout = Layout::contiguous(&shape).in_op(OP)?;
    let mut buffer = uninit(lane, &layout, x.dtype(), OP)?;
    let outer: usize = shape[..axis].iter().product();
    let bytes = shape[axis + 1..].iter().product::<usize>() * x.dtype().size();
    if !layout.is_empty() {
        // Where each piece of the axis goes.
        let pieces = n.div_ceil(PIECE);
        let mut starts = vec![0; pieces];
        for i in 1..pieces {
            let before = (i - 1) * PIECE..i * PIECE;
            starts[i] = starts[i - 1]
                + match counts {
                    Counts::All(times) => PIECE * times,
                    Counts::Each(counts) => counts[before].iter().sum(),
                };
        }
        let (run, from, to) = (repeat_loop(bytes), Shared(x.data().as_ptr().cast_mut()), Shared(buffer.as_mut_ptr()));
        let cost = (outer * n) as u64 + (layout.len() * x.dtype().size() / 8) as u64;
        lane.try_par_for(outer * pieces, cost, &|_, i| {
            let (row, piece) = (i / pieces, i % pieces);
            let part = piece * PIECE..n.min((piece + 1) * PIECE);
            let times = match counts {
                Counts::All(times) => Times::All(part.len(), times),
                Counts::Each(counts) => Times::Each(&counts[part.clone()]),
            };
            let place = to.at((row * total + starts[piece]) * bytes);
            // SAFETY: `x` has these elements, and the result room for them as often as they come.
            unsafe { run(from.at((row * n + part.start) * bytes), times, place, bytes) };
        })
        .in_op(OP)?;
    }
    // SAFETY: every element was written, since the counts add up to the length of the axis.
    Ok(unsafe { finish(buffer, x.dtype(), layout) }.into())
}

fn product(op: &'static str, n: usize, times: usize) -> Result<usize, OpsError> {
    n.checked_mul(times).ok_or_else(|| ArrayError::ShapeOverflow { shape: vec![n, times] }).in_op(op)
}

/// A broadcast array with axes merged, which copies it.
fn merged(op: &'static str, spread: Array, shape: &[usize]) -> Result<Array, OpsError> {
    let signed: Vec<isize> = shape.iter().map(|&n| n as isize).collect();
    spread.reshape(&signed).map_err(|e| e.of(op))
}

const X: Param = Param::required("x", Kind::Operand);

/// How often each element comes: one number for all, or one for each.
fn counts(a: &Bound<'_>) -> Result<Vec<usize>, OpsError> {
    let given = a.array(1)?;
    let whole = given.dtype().is_integer() && given.rank() <= 1;
    let negative = || OpsError::argument("repeat", "repeats must be whole numbers that are not negative");
    if !whole {
        return Err(negative());
    }
    given.astype(DType::I64)?.to_vec::<i64>()?.into_iter().map(|n| usize::try_from(n).map_err(|_| negative())).collect()
}

pub(crate) static REPEAT: Op = Op {
    name: "repeat",
    doc: "Each element several times in a row along an axis; along that of all elements in a row, if none is given.",
    params: &[X, Param::required("repeats", Kind::Operand).whole(), Param::optional("axis", Kind::Int, Default::None)],
    run: Run::One(|_, a| {
        let x = a.array(0)?;
        let (x, axis) = if a.is_given(2) { (x, a.int(2)? as isize) } else { (x.reshape(&[x.len() as isize])?, 0) };
        match counts(a)?[..] {
            [n] => x.repeat(n, axis),
            ref counts => x.repeat_each(counts, axis),
        }
    }),
    onnx: None,
};

pub(crate) static TILE: Op = Op {
    name: "tile",
    doc: "The whole array repeated along each axis.",
    params: &[X, Param::required("repetitions", Kind::Shape)],
    run: Run::One(|_, a| a.array(0)?.tile(&a.shape(1)?)),
    onnx: Some(("Tile", 6)),
};
