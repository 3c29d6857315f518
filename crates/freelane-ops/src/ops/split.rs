//! Arrays cut along an axis, axes exchanged, arrays joined in the ways that NumPy has names for.
use super::join::concat;
use crate::function::{Default, Kind, Param};
use crate::{Array, InOp, Op, OpsError, Run};
use freelane_array::{Index, Slice, normalize_axis};

impl Array {
    /// The parts of an axis between the given places: `[2, 5]` cuts into `..2`, `2..5` and `5..`. Shares storage.
    ///
    /// ```
    /// use freelane_ops::Array;
    /// let parts = Array::arange(0, 5, 1)?.split_at(&[1, 3], 0)?;
    /// assert_eq!(parts[1].to_vec::<i64>()?, [1, 2]);
    /// # Ok::<(), freelane_ops::OpsError>(())
    /// ```
    ///
    /// # Errors
    /// When there is no such axis.
    pub fn split_at(&self, places: &[isize], axis: isize) -> Result<Vec<Array>, OpsError> {
        let axis = normalize_axis(axis, self.rank()).in_op("split")?;
        let bounds = |i: usize| (i.checked_sub(1).map(|i| places[i]), places.get(i).copied());
        let part = |i: usize| {
            let (start, stop) = bounds(i);
            let mut index = vec![Index::from(Slice::all()); axis];
            index.push(Slice { start, stop, step: 1 }.into());
            self.index(&index)
        };
        (0..=places.len()).map(part).collect()
    }

    /// Two axes exchanged. Shares storage.
    ///
    /// # Errors
    /// When there is no such axis.
    pub fn swapaxes(&self, a: isize, b: isize) -> Result<Array, OpsError> {
        let mut axes: Vec<isize> = (0..self.rank() as isize).collect();
        let (a, b) =
            (normalize_axis(a, self.rank()).in_op("swapaxes")?, normalize_axis(b, self.rank()).in_op("swapaxes")?);
        axes.swap(a, b);
        self.permute_dims(&axes)
    }

    /// All elements in row-major order along one axis.
    ///
    /// # Errors
    /// When memory cannot be had.
    pub fn ravel(&self) -> Result<Array, OpsError> {
        self.reshape(&[self.len() as isize])
    }
}

/// Where an axis of `n` is cut into `count` parts, the first ones longer by one if it does not divide evenly.
fn even_places(n: usize, count: usize) -> Vec<isize> {
    let (each, longer) = (n / count, n % count);
    (1..count).map(|i| (i * each + i.min(longer)) as isize).collect()
}

fn split(op: &'static str, a: &crate::function::Bound<'_>, must_divide: bool) -> Result<Vec<Array>, OpsError> {
    let (x, axis) = (a.array(0)?, a.int(2)? as isize);
    let Ok(count) = a.int(1) else { return x.split_at(&a.ints(1)?, axis) };
    let n = x.shape()[normalize_axis(axis, x.rank()).in_op(op)?];
    let count = usize::try_from(count).ok().filter(|&count| count > 0);
    let count = count.ok_or_else(|| OpsError::argument(op, "there must be one part at least"))?;
    if must_divide && n % count != 0 {
        let message =
            format!("an axis of {n} does not divide into {count} equal parts; array_split takes unequal ones");
        return Err(OpsError::argument(op, message));
    }
    if count > n.max(1) * 64 + (1 << 16) {
        return Err(OpsError::argument(op, format!("{count} parts of an axis of {n}")));
    }
    x.split_at(&even_places(n, count), axis)
}

const X: Param = Param::required("x", Kind::Operand);
const PARTS: Param = Param::required("indices_or_sections", Kind::Shape);
const AXIS: Param = Param::optional("axis", Kind::Int, Default::Int(0));
const ARRAYS: Param = Param::required("arrays", Kind::Operands);

pub(crate) static SPLIT: Op = Op {
    name: "split",
    doc: "An axis cut into that many equal parts, or at the given places. Nothing is copied.",
    params: &[X, PARTS, AXIS],
    run: Run::Many(&[], |_, a| split("split", a, true)),
    onnx: Some(("Split", 13)),
};

pub(crate) static ARRAY_SPLIT: Op = Op {
    name: "array_split",
    doc: "An axis cut into that many parts, the first longer by one if it does not divide evenly, or at the given places.",
    params: &[X, PARTS, AXIS],
    run: Run::Many(&[], |_, a| split("array_split", a, false)),
    onnx: None,
};

pub(crate) static SWAPAXES: Op = Op {
    name: "swapaxes",
    doc: "Two axes exchanged. Nothing is copied.",
    params: &[X, Param::required("axis1", Kind::Int), Param::required("axis2", Kind::Int)],
    run: Run::One(|_, a| a.array(0)?.swapaxes(a.int(1)? as isize, a.int(2)? as isize)),
    onnx: None,
};

pub(crate) static RAVEL: Op = Op {
    name: "ravel",
    doc: "All elements in row-major order along one axis.",
    params: &[X],
    run: Run::One(|_, a| a.array(0)?.ravel()),
    onnx: None,
};

/// With axes of length 1 in front until there are `rank`.
fn at_least(x: &Array, rank: usize) -> Result<Array, OpsError> {
    (x.rank()..rank).try_fold(x.clone(), |x, _| x.expand_dims(0))
}

/// As an image: `(n,)` becomes `(1, n, 1)`, `(m, n)` becomes `(m, n, 1)`.
fn at_least_3(x: &Array) -> Result<Array, OpsError> {
    let x = at_least(x, 2)?;
    if x.rank() == 2 { x.expand_dims(2) } else { Ok(x) }
}

/// One column of an array of one axis; others as they are.
fn as_columns(x: &Array) -> Result<Array, OpsError> {
    if x.rank() < 2 { x.reshape(&[x.len() as isize, 1]) } else { Ok(x.clone()) }
}

fn joined(
    op: &'static str,
    arrays: &[Array],
    shaped: impl Fn(&Array) -> Result<Array, OpsError>,
    axis: isize,
) -> Result<Array, OpsError> {
    let arrays = arrays.iter().map(shaped).collect::<Result<Vec<_>, _>>()?;
    concat(&arrays.iter().collect::<Vec<_>>(), axis).map_err(|e| e.of(op))
}

pub(crate) static VSTACK: Op = Op {
    name: "vstack",
    doc: "Arrays joined as rows: along the first axis, arrays of one axis as one row each.",
    params: &[ARRAYS],
    run: Run::One(|_, a| joined("vstack", &a.arrays(0)?, |x| at_least(x, 2), 0)),
    onnx: None,
};

pub(crate) static HSTACK: Op = Op {
    name: "hstack",
    doc: "Arrays joined as columns: along the second axis, arrays of one axis along that.",
    params: &[ARRAYS],
    run: Run::One(|_, a| {
        let arrays = a.arrays(0)?;
        let axis = isize::from(arrays.first().is_some_and(|x| x.rank() > 1));
        joined("hstack", &arrays, |x| at_least(x, 1), axis)
    }),
    onnx: None,
};

pub(crate) static DSTACK: Op = Op {
    name: "dstack",
    doc: "Arrays joined along the third axis; those of fewer axes are taken as (1, n, 1) and (m, n, 1).",
    params: &[ARRAYS],
    run: Run::One(|_, a| joined("dstack", &a.arrays(0)?, at_least_3, 2)),
    onnx: None,
};

pub(crate) static COLUMN_STACK: Op = Op {
    name: "column_stack",
    doc: "Arrays joined as columns of a matrix; an array of one axis is one column.",
    params: &[ARRAYS],
    run: Run::One(|_, a| joined("column_stack", &a.arrays(0)?, as_columns, 1)),
    onnx: None,
};
