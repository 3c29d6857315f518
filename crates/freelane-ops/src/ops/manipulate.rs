//! Rows of the operations that give the same elements another shape. Their work is done by the methods of `Array`.
use crate::function::{Default, Kind, Param};
use crate::{Array, InOp, Op, OpsError, Run};
use freelane_array::normalize_axis;

const X: Param = Param::required("x", Kind::Operand);

pub(crate) static RESHAPE: Op = Op {
    name: "reshape",
    doc: "The same elements in row-major order under another shape; one length may be -1, what is left.",
    params: &[X, Param::required("shape", Kind::Shape), Param::keyword("copy", Kind::Bool, Default::None)],
    run: Run::One(|_, a| {
        let (x, shape) = (a.array(0)?, a.ints(1)?);
        if a.is_given(2) && !a.bool(2)? && !x.reshapes_freely(&shape)? {
            let message = format!("an array of strides {:?} needs a copy to get another shape", x.strides());
            return Err(OpsError::argument("reshape", message));
        }
        x.reshape(&shape)
    }),
    onnx: Some(("Reshape", 5)),
};

pub(crate) static PERMUTE_DIMS: Op = Op {
    name: "permute_dims",
    doc: "Axes in another order; axis i of the result is axis axes[i].",
    params: &[X, Param::required("axes", Kind::Axes)],
    run: Run::One(|_, a| a.array(0)?.permute_dims(&a.ints(1)?)),
    onnx: None,
};

pub(crate) static TRANSPOSE: Op = Op {
    name: "transpose",
    doc: "Axes in another order; all of them reversed when none is given.",
    params: &[X, Param::optional("axes", Kind::Axes, Default::None)],
    run: Run::One(|_, a| {
        let axes = if a.is_given(1) { Some(a.ints(1)?) } else { None };
        a.array(0)?.transposed(axes.as_deref())
    }),
    onnx: Some(("Transpose", 1)),
};

/// Matrices transposed.
pub static MATRIX_TRANSPOSE: Op = Op {
    name: "matrix_transpose",
    doc: "The last two axes exchanged.",
    params: &[X],
    run: Run::One(|_, a| a.array(0)?.matrix_transpose()),
    onnx: None,
};

pub(crate) static EXPAND_DIMS: Op = Op {
    name: "expand_dims",
    doc: "New axes of length 1 at the given places of the result.",
    params: &[X, Param::required("axis", Kind::Axes)],
    run: Run::One(|_, a| expand_dims(a.array(0)?, &a.ints(1)?)),
    onnx: None,
};

fn expand_dims(x: Array, axes: &[isize]) -> Result<Array, OpsError> {
    const OP: &str = "expand_dims";
    let rank = x.rank() + axes.len();
    let places = axes.iter().map(|&axis| normalize_axis(axis, rank)).collect::<Result<Vec<_>, _>>();
    let mut places = places.in_op(OP)?;
    places.sort_unstable();
    if places.windows(2).any(|pair| pair[0] == pair[1]) {
        return Err(OpsError::argument(OP, format!("axes {axes:?} of a result of {rank} name one place twice")));
    }
    places.into_iter().try_fold(x, |x, place| x.expand_dims(place as isize))
}

pub(crate) static SQUEEZE: Op = Op {
    name: "squeeze",
    doc: "Without the given axes, each of length 1.",
    params: &[X, Param::required("axis", Kind::Axes)],
    run: Run::One(|_, a| a.array(0)?.squeeze(&a.ints(1)?)),
    onnx: None,
};

pub(crate) static FLIP: Op = Op {
    name: "flip",
    doc: "Elements in reverse order along the given axes; along all of them when none is given.",
    params: &[X, Param::keyword("axis", Kind::Axes, Default::None)],
    run: Run::One(|_, a| a.array(0)?.flip(a.axes(1)?)),
    onnx: None,
};

pub(crate) static BROADCAST_TO: Op = Op {
    name: "broadcast_to",
    doc: "Repeated to a larger shape.",
    params: &[X, Param::required("shape", Kind::Shape)],
    run: Run::One(|_, a| a.array(0)?.broadcast_to(&a.shape(1)?)),
    onnx: Some(("Expand", 8)),
};
