//! Matrices with zeros on one side of a diagonal.
use super::astype::write;
use super::positions::Shared;
use super::transfer::Pieces;
use crate::function::{Default, Kind, Param};
use crate::ufunc::{finish, uninit};
use crate::{Array, InOp, Op, Operand, OpsError, Run};
use freelane_array::Layout;
use freelane_pool::Lane;
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
fn triangle(
    op: &'static str,
    x: &Array,
    keep: impl Fn(usize, usize) -> Range<usize> + Sync,
) -> Result<Array, OpsError> {
    let [.., rows, columns] = *x.shape() else {
        return Err(OpsError::argument(op, format!("needs two axes, the array has {}", x.rank())));
    };
    let (layout, size) = (Layout::contiguous(x.shape()).in_op(op)?, x.dtype().size());
    if x.is_empty() {
        return Array::zeros(x.shape(), x.dtype()).map_err(|e| e.of(op));
    }
    let lines = x.len() / columns;
    Lane::with(|lane| {
        let mut buffer = uninit(lane, &layout, x.dtype(), op)?;
        let to = Shared(buffer.as_mut_ptr());
        let from = x.data().layout().is_contiguous().then(|| Shared(x.data().as_ptr().cast_mut()));
        if from.is_none() {
            // SAFETY: the buffer was made for the elements of `layout`.
            unsafe { write(lane, op, Operand::from(x), x.dtype(), to.at(0), &layout, x.dtype())? };
        }
        let cost = (x.len() * size / 16) as u64;
        let pieces = Pieces::new(lines, lane.pieces(cost));
        let done = lane.try_par_for(pieces.count(), cost, &|_, i| {
            for line in pieces.at(i) {
                let (kept, first) = (keep(line % rows, columns), line * columns);
                if let Some(from) = &from {
                    let start = (first + kept.start) * size;
                    // SAFETY: both arrays are contiguous with this shape, and the kept columns lie in this line.
                    unsafe { to.at(start).copy_from_nonoverlapping(from.at(start), kept.len() * size) };
                }
                for zeros in [0..kept.start, kept.end..columns] {
                    // SAFETY: these columns lie in this line, which no other piece has.
                    unsafe { to.at((first + zeros.start) * size).write_bytes(0, zeros.len() * size) };
                }
            }
        });
        done.in_op(op)?;
        // SAFETY: every column of every line was written; zero bytes are a zero of every dtype.
        Ok(unsafe { finish(buffer, x.dtype(), layout) }.into())
    })
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
