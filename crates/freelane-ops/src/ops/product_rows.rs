//! Rows of the products in `products.rs` and of `einsum`.
use crate::function::{Bound, Default, Kind, Param, Value};
pub use crate::ops::manipulate::MATRIX_TRANSPOSE;
pub use crate::ops::matmul::MATMUL;
use crate::{Array, Op, OpsError, Run, Scalar, einsum};
use smallvec::SmallVec;

const X: Param = Param::required("x", Kind::Operand);
const X1: Param = Param::required("x1", Kind::Operand);
const X2: Param = Param::required("x2", Kind::Operand);
const OFFSET: Param = Param::optional("offset", Kind::Int, Default::Int(0));
const AXIS1: Param = Param::optional("axis1", Kind::Int, Default::Int(0));
const AXIS2: Param = Param::optional("axis2", Kind::Int, Default::Int(1));

/// The products of all pairs.
pub static OUTER: Op = Op {
    name: "outer",
    doc: "The products of all pairs of elements, those of the first array as rows; both arrays count as one axis.",
    params: &[X1, X2],
    run: Run::One(|_, a| a.array(0)?.outer(&a.array(1)?)),
    onnx: None,
};

pub(crate) static DOT: Op = Op {
    name: "dot",
    doc: "As NumPy's dot: the last axis of the first array with the last but one of the second; a number multiplies.",
    params: &[X1, X2],
    run: Run::One(|_, a| a.array(0)?.dot(&a.array(1)?)),
    onnx: None,
};

pub(crate) static INNER: Op = Op {
    name: "inner",
    doc: "Sums of products over the last axis of both arrays; a number multiplies.",
    params: &[X1, X2],
    run: Run::One(|_, a| a.array(0)?.inner(&a.array(1)?)),
    onnx: None,
};

pub(crate) static KRON: Op = Op {
    name: "kron",
    doc: "The Kronecker product: each element of the first array times the whole second, in its place.",
    params: &[X1, X2],
    run: Run::One(|_, a| a.array(0)?.kron(&a.array(1)?)),
    onnx: None,
};

/// Dot products.
pub static VECDOT: Op = Op {
    name: "vecdot",
    doc: "Sums of products along an axis of both arrays, the first conjugated; other axes broadcast.",
    params: &[X1, X2, Param::keyword("axis", Kind::Int, Default::Int(-1))],
    run: Run::One(|_, a| a.array(0)?.vecdot(&a.array(1)?, a.int(2)? as isize)),
    onnx: None,
};

/// Cross products.
pub static CROSS: Op = Op {
    name: "cross",
    doc: "The cross products of vectors of three along an axis of both arrays; other axes broadcast.",
    params: &[X1, X2, Param::keyword("axis", Kind::Int, Default::Int(-1))],
    run: Run::One(|_, a| a.array(0)?.cross(&a.array(1)?, a.int(2)? as isize)),
    onnx: None,
};

/// Sums of products over any axes.
pub static TENSORDOT: Op = Op {
    name: "tensordot",
    doc: "Sums of products over pairs of axes: so many last ones of the first array with the first ones of the second, or those \
          of a pair of lists.",
    params: &[X1, X2, Param::optional("axes", Kind::Any, Default::Int(2))],
    run: Run::One(|_, a| {
        let (x, y) = (a.array(0)?, a.array(1)?);
        let (left, right) = pairs(a, x.rank(), y.rank())?;
        x.tensordot(&y, &left, &right)
    }),
    onnx: None,
};

/// The axes of both operands that `tensordot` sums over.
fn pairs(a: &Bound<'_>, left: usize, right: usize) -> Result<(Vec<isize>, Vec<isize>), OpsError> {
    let wrong = || OpsError::argument("tensordot", "axes must be a whole number or a pair of lists of them");
    let list = |v: &Value| match v {
        Value::Scalar(Scalar::Int(n)) => Ok(vec![isize::try_from(*n).map_err(|_| wrong())?]),
        Value::Tuple(items) => items.iter().map(whole).collect::<Option<Vec<isize>>>().ok_or_else(wrong),
        _ => Err(wrong()),
    };
    let count = match a.value(2) {
        Some(Value::Tuple(both)) => match &both[..] {
            [i, j] => return Ok((list(i)?, list(j)?)),
            _ => return Err(wrong()),
        },
        None if !a.is_nothing(2) => 2,
        Some(v) => whole(v).ok_or_else(wrong)?,
        None => return Err(wrong()),
    };
    if count < 0 || count as usize > left.min(right) {
        let message = format!("sums over {count} axes, the operands have {left} and {right}");
        return Err(OpsError::argument("tensordot", message));
    }
    Ok((((left as isize - count)..left as isize).collect(), (0..count).collect()))
}

fn whole(v: &Value) -> Option<isize> {
    match v {
        Value::Scalar(Scalar::Int(n)) => isize::try_from(*n).ok(),
        Value::Array(x) if x.rank() == 0 => match x.to_scalar().ok()? {
            Scalar::Int(n) => isize::try_from(n).ok(),
            _ => None,
        },
        _ => None,
    }
}

pub(crate) static EINSUM: Op = Op {
    name: "einsum",
    doc: "Sums of products of operands whose axes are named by letters: 'ij,jk->ik' is a matrix product, 'ii' a trace.",
    params: &[Param::required("subscripts", Kind::Text), Param::rest("operands")],
    run: Run::One(|_, a| {
        let operands = a.arrays(1)?;
        einsum(a.word(0)?, &operands.iter().collect::<SmallVec<[_; 2]>>())
    }),
    onnx: Some(("Einsum", 12)),
};

pub(crate) static DIAGONAL: Op = Op {
    name: "diagonal",
    doc: "The elements whose places along two axes differ by offset, as the last axis of the result.",
    params: &[X, OFFSET, AXIS1, AXIS2],
    run: Run::One(|_, a| a.array(0)?.diagonal(a.int(1)? as isize, [a.int(2)? as isize, a.int(3)? as isize])),
    onnx: None,
};

pub(crate) static TRACE: Op = Op {
    name: "trace",
    doc: "The sums of the diagonals of two axes. With a dtype, elements are converted to it first.",
    params: &[X, OFFSET, AXIS1, AXIS2, Param::optional("dtype", Kind::DType, Default::None)],
    run: Run::One(|_, a| {
        let axes = [a.int(2)? as isize, a.int(3)? as isize];
        typed_trace(a, a.int(1)? as isize, axes, 4)
    }),
    onnx: None,
};

/// The diagonals of the last two axes.
pub static MATRIX_DIAGONAL: Op = Op {
    name: "diagonal",
    doc: "The elements of each matrix whose row and column differ by offset, as the last axis of the result.",
    params: &[X, Param::keyword("offset", Kind::Int, Default::Int(0))],
    run: Run::One(|_, a| a.array(0)?.diagonal(a.int(1)? as isize, [-2, -1])),
    onnx: None,
};

/// The traces of matrices.
pub static MATRIX_TRACE: Op = Op {
    name: "trace",
    doc: "The sum of the diagonal of each matrix. With a dtype, elements are converted to it first.",
    params: &[
        X,
        Param::keyword("offset", Kind::Int, Default::Int(0)),
        Param::keyword("dtype", Kind::DType, Default::None),
    ],
    run: Run::One(|_, a| typed_trace(a, a.int(1)? as isize, [-2, -1], 2)),
    onnx: None,
};

fn typed_trace(a: &Bound<'_>, offset: isize, axes: [isize; 2], dtype: usize) -> Result<Array, OpsError> {
    let x = a.array(0)?;
    match a.dtype(dtype)? {
        Some(dtype) => x.astype(dtype)?.trace(offset, axes)?.astype(dtype),
        None => x.trace(offset, axes),
    }
}
