//! Elements and arrays repeated.
use crate::function::{Bound, Default, Kind, Param};
use crate::{Array, InOp, Op, OpsError, Run};
use freelane_array::{ArrayError, DType, element_count, normalize_axis};

impl Array {
    /// Each element `n` times in a row along an axis.
    ///
    /// # Errors
    /// When there is no such axis, the result exceeds the address space, or memory cannot be had.
    pub fn repeat(&self, n: usize, axis: isize) -> Result<Array, OpsError> {
        const OP: &str = "repeat";
        let axis = normalize_axis(axis, self.rank()).in_op(OP)?;
        let mut wide = self.shape().to_vec();
        wide.insert(axis + 1, n);
        let mut shape = self.shape().to_vec();
        shape[axis] = product(OP, shape[axis], n)?;
        let spread = self.expand_dims(axis as isize + 1)?.broadcast_to(&wide).map_err(|e| e.of(OP))?;
        merged(OP, spread, &shape)
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
        let total = element_count(&[total.ok_or_else(overflow).in_op(OP)?], size_of::<i64>()).in_op(OP)?;
        let positions = Array::from_fn_uninit(OP, &[total], |out| {
            let indices = counts.iter().enumerate().flat_map(|(i, &n)| std::iter::repeat_n(i as i64, n));
            for (place, i) in out.iter_mut().zip(indices) {
                place.write(i);
            }
            Ok(())
        })?;
        self.take(&positions, axis).map_err(|e| e.of(OP))
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
