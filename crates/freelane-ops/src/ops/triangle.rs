//! Matrices with zeros on one side of a diagonal.
use crate::function::{Default, Kind, Param};
use crate::{Array, InOp, Op, OpsError, Run};
use freelane_array::ArrayError;
use std::ops::Range;

impl Array {
    /// Matrices (the last two axes) with zeros above diagonal `k`: 0 is the main one, 1 the one above it.
    ///
    /// ```
    /// use freelane_ops::{Array, DType};
    /// let x = Array::ones(&[2, 3], DType::I64)?;
    /// assert_eq!(x.tril(0)?.to_vec::<i64>()?, [1, 0, 0, 1, 1, 0]);
    /// assert_eq!(x.triu(1)?.to_vec::<i64>()?, [0, 1, 1, 0, 0, 1]);
    /// # Ok::<(), freelane_ops::OpsError>(())
    /// ```
    ///
    /// # Errors
    /// When there are fewer than two axes, or memory cannot be had.
    pub fn tril(&self, k: isize) -> Result<Array, OpsError> {
        triangle("tril", self, |row, columns| 0..first_above(row, k, columns))
    }

    /// Matrices (the last two axes) with zeros below diagonal `k`.
    ///
    /// # Errors
    /// As [`Array::tril`].
    pub fn triu(&self, k: isize) -> Result<Array, OpsError> {
        triangle("triu", self, |row, columns| first_above(row, k.saturating_sub(1), columns)..columns)
    }
}

/// The first column above diagonal `k`.
fn first_above(row: usize, k: isize, columns: usize) -> usize {
    let first = (row as isize).saturating_add(k).saturating_add(1);
    first.clamp(0, columns as isize) as usize
}

/// Zeros but for the columns that `keep(row, columns)` names.
fn triangle(op: &'static str, x: &Array, keep: impl Fn(usize, usize) -> Range<usize>) -> Result<Array, OpsError> {
    let [.., rows, columns] = *x.shape() else {
        return Err(OpsError::argument(op, format!("needs two axes, the array has {}", x.rank())));
    };
    let (from, mut out, size) =
        (x.contiguous()?, Array::zeros(x.shape(), x.dtype()).map_err(|e| e.of(op))?, x.dtype().size());
    if x.is_empty() {
        return Ok(out);
    }
    let to = out.data_mut().as_mut_ptr().ok_or(ArrayError::NotUnique).in_op(op)?;
    for line in 0..x.len() / columns {
        let kept = keep(line % rows, columns);
        let start = (line * columns + kept.start) * size;
        // SAFETY: both arrays are contiguous with this shape, and the kept columns lie in this line.
        unsafe { to.add(start).copy_from_nonoverlapping(from.data().as_ptr().add(start), kept.len() * size) };
    }
    Ok(out)
}

const X: Param = Param::required("x", Kind::Operand);
const K: Param = Param::keyword("k", Kind::Int, Default::Int(0));

pub(crate) static TRIL: Op = Op {
    name: "tril",
    doc: "Matrices with zeros above diagonal k.",
    params: &[X, K],
    run: Run::One(|_, a| a.array(0)?.tril(a.int(1)? as isize)),
    onnx: None,
};

pub(crate) static TRIU: Op = Op {
    name: "triu",
    doc: "Matrices with zeros below diagonal k.",
    params: &[X, K],
    run: Run::One(|_, a| a.array(0)?.triu(a.int(1)? as isize)),
    onnx: None,
};
