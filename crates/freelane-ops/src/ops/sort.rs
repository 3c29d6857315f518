//! Sorting along an axis.
use super::order;
use crate::function::{Bound, Default, Kind, Param};
use crate::{Array, InOp, Op, OpsError, Run};
use freelane_array::normalize_axis;
use freelane_pool::Lane;

impl Array {
    /// The elements in ascending order along an axis, or in descending order. NaN comes last either way; complex numbers
    /// compare by their real parts, then by their imaginary ones; false is less than true.
    ///
    /// Equal elements keep their order: zeros of both signs are the only ones that differ. A NaN among real numbers loses its sign
    /// and its payload: every one comes out as the `NAN` of its type. Those in complex numbers stay as they are.
    ///
    /// ```
    /// use freelane_ops::Array;
    /// let x = Array::from_slice(&[3.0, f64::NAN, -1.0, 2.0])?;
    /// assert_eq!(x.sort(-1, false)?.to_vec::<f64>()?[..3], [-1.0, 2.0, 3.0]);
    /// assert_eq!(x.sort(-1, true)?.to_vec::<f64>()?[..3], [3.0, 2.0, -1.0]);
    /// # Ok::<(), freelane_ops::OpsError>(())
    /// ```
    ///
    /// # Errors
    /// When there is no such axis, memory cannot be had, or the thread's poll asks to stop.
    pub fn sort(&self, axis: isize, descending: bool) -> Result<Array, OpsError> {
        const OP: &str = "sort";
        let axis = normalize_axis(axis, self.rank()).in_op(OP)?;
        Lane::with(|lane| order::sorted(lane, OP, self.data(), axis, descending)).map(Into::into)
    }

    /// The numbers that the elements have along an axis, in the order of [`sort`](Array::sort). Those of equal elements ascend.
    ///
    /// ```
    /// use freelane_ops::Array;
    /// let x = Array::from_slice(&[3, 1, 2, 1])?;
    /// assert_eq!(x.argsort(-1, false)?.to_vec::<i64>()?, [1, 3, 2, 0]);
    /// assert_eq!(x.argsort(-1, true)?.to_vec::<i64>()?, [0, 2, 1, 3]);
    /// # Ok::<(), freelane_ops::OpsError>(())
    /// ```
    ///
    /// # Errors
    /// As [`Array::sort`].
    pub fn argsort(&self, axis: isize, descending: bool) -> Result<Array, OpsError> {
        const OP: &str = "argsort";
        let axis = normalize_axis(axis, self.rank()).in_op(OP)?;
        Lane::with(|lane| order::order(lane, OP, self.data(), axis, descending)).map(Into::into)
    }
}

const X: Param = Param::required("x", Kind::Operand);
const AXIS: Param = Param::optional("axis", Kind::Int, Default::Int(-1));
const DESCENDING: Param = Param::keyword("descending", Kind::Bool, Default::Bool(false));
const STABLE: Param = Param::keyword("stable", Kind::Bool, Default::Bool(true));

/// Array, axis and direction. The order is stable in any case: nothing is gained without.
fn arguments(a: &Bound<'_>) -> Result<(Array, isize, bool), OpsError> {
    a.bool(3)?;
    Ok((a.array(0)?, a.int(1)? as isize, a.bool(2)?))
}

pub(crate) static SORT: Op = Op {
    name: "sort",
    doc: "The elements in order along an axis; NaN comes last, and real ones lose sign and payload. Equal elements keep their \
          order, stable or not.",
    params: &[X, AXIS, DESCENDING, STABLE],
    run: Run::One(|_, a| {
        let (x, axis, descending) = arguments(a)?;
        x.sort(axis, descending)
    }),
    onnx: None,
};

pub(crate) static ARGSORT: Op = Op {
    name: "argsort",
    doc: "The numbers that the elements have along an axis, in the order of the elements; those of equal ones ascend, stable or \
          not.",
    params: &[X.flat(), AXIS, DESCENDING, STABLE],
    run: Run::One(|_, a| {
        let (x, axis, descending) = arguments(a)?;
        x.argsort(axis, descending)
    }),
    onnx: None,
};
