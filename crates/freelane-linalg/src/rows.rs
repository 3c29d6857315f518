//! The functions of the namespace `linalg`, one row each.
use crate::norms::{Order, cond, matrix_norm, norm, vector_norm};
use crate::qr::{Mode, qr};
use crate::{chains, cholesky, eigen, lu, svd, triangular};
use freelane_ops::function::{Bound, Default, Kind, Param};
use freelane_ops::{Array, Op, OpsError, Run, Scalar, Value, product_rows};

const X: Param = Param::required("x", Kind::Operand);
const X1: Param = Param::required("x1", Kind::Operand);
const X2: Param = Param::required("x2", Kind::Operand);
const KEEPDIMS: Param = Param::keyword("keepdims", Kind::Bool, Default::Bool(false));
const RTOL: Param = Param::keyword("rtol", Kind::Operand, Default::None).flat();

/// Every row, those that the main namespace has too among them.
pub const OPS: &[&Op] = &[
    &CHOLESKY,
    &COND,
    &product_rows::CROSS,
    &DET,
    &product_rows::MATRIX_DIAGONAL,
    &EIG,
    &EIGH,
    &EIGVALS,
    &EIGVALSH,
    &INV,
    &LSTSQ,
    &product_rows::MATMUL,
    &MATRIX_NORM,
    &MATRIX_POWER,
    &MATRIX_RANK,
    &product_rows::MATRIX_TRANSPOSE,
    &MULTI_DOT,
    &NORM,
    &product_rows::OUTER,
    &PINV,
    &QR,
    &SLOGDET,
    &SOLVE,
    &SOLVE_TRIANGULAR,
    &SVD,
    &SVDVALS,
    &product_rows::TENSORDOT,
    &product_rows::MATRIX_TRACE,
    &product_rows::VECDOT,
    &VECTOR_NORM,
];

static CHOLESKY: Op = Op {
    name: "cholesky",
    doc: "The lower triangular L with x = L Lᴴ, or with upper the U with x = Uᴴ U, of Hermitian positive definite matrices.",
    params: &[X, Param::keyword("upper", Kind::Bool, Default::Bool(false))],
    run: Run::One(|_, a| cholesky::cholesky(&a.array(0)?, a.bool(1)?)),
    onnx: None,
};

static COND: Op = Op {
    name: "cond",
    doc: "Condition numbers of matrices: by their singular values, or by the norm that p names as for matrix_norm.",
    params: &[X, Param::optional("p", Kind::Any, Default::None)],
    run: Run::One(|_, a| {
        let order = if a.value(1).is_some() { Some(order("cond", a, 1)?) } else { None };
        cond(&a.array(0)?, order)
    }),
    onnx: None,
};

static DET: Op = Op {
    name: "det",
    doc: "The determinants of matrices.",
    params: &[X],
    run: Run::One(|_, a| lu::det(&a.array(0)?)),
    onnx: Some(("Det", 11)),
};

static EIG: Op = Op {
    name: "eig",
    doc: "Eigenvalues of matrices, in no order, and their eigenvectors of length one as columns; both are complex.",
    params: &[X],
    run: Run::Many(&["eigenvalues", "eigenvectors"], |_, a| {
        let (values, vectors) = eigen::eig(&a.array(0)?)?;
        Ok(vec![values, vectors])
    }),
    onnx: None,
};

static EIGH: Op = Op {
    name: "eigh",
    doc: "Eigenvalues of Hermitian matrices in ascending order, and their orthonormal eigenvectors as columns; the lower half \
          is read.",
    params: &[X],
    run: Run::Many(&["eigenvalues", "eigenvectors"], |_, a| {
        let (values, vectors) = eigen::eigh(&a.array(0)?)?;
        Ok(vec![values, vectors])
    }),
    onnx: None,
};

static EIGVALS: Op = Op {
    name: "eigvals",
    doc: "Eigenvalues of matrices, in no order, as complex numbers.",
    params: &[X],
    run: Run::One(|_, a| eigen::eigvals(&a.array(0)?)),
    onnx: None,
};

static EIGVALSH: Op = Op {
    name: "eigvalsh",
    doc: "Eigenvalues of Hermitian matrices in ascending order; the lower half is read.",
    params: &[X],
    run: Run::One(|_, a| eigen::eigvalsh(&a.array(0)?)),
    onnx: None,
};

static INV: Op = Op {
    name: "inv",
    doc: "The inverses of matrices; a singular one is an error.",
    params: &[X],
    run: Run::One(|_, a| lu::inv(&a.array(0)?)),
    onnx: None,
};

static LSTSQ: Op = Op {
    name: "lstsq",
    doc: "The x for which the sum of squares of b - a x is least, and is least itself; those sums if a has independent columns and \
          more rows, the rank of a, and its singular values.",
    params: &[
        Param::required("a", Kind::Operand),
        Param::required("b", Kind::Operand),
        Param::optional("rcond", Kind::Operand, Default::None),
    ],
    run: Run::Many(&["x", "residuals", "rank", "s"], |_, a| {
        let (x, residuals, rank, s) = svd::lstsq(&a.array(0)?, &a.array(1)?, a.array_or_none(2)?.as_ref())?;
        Ok(vec![x, residuals, rank, s])
    }),
    onnx: None,
};

static MATRIX_NORM: Op = Op {
    name: "matrix_norm",
    doc: "Norms of matrices: 'fro', 'nuc', 1, 2, inf, -1, -2 or -inf.",
    params: &[X, KEEPDIMS, Param::keyword("ord", Kind::Any, Default::Str("fro"))],
    run: Run::One(|_, a| {
        let order =
            if a.is_nothing(2) || a.value(2).is_none() { Order::Frobenius } else { order("matrix_norm", a, 2)? };
        matrix_norm(&a.array(0)?, order, a.bool(1)?)
    }),
    onnx: None,
};

/// Argument `i` as the order of a matrix norm.
fn order(op: &'static str, a: &Bound<'_>, i: usize) -> Result<Order, OpsError> {
    match a.value(i) {
        Some(Value::Str(word)) if word == "fro" => Ok(Order::Frobenius),
        Some(Value::Str(word)) if word == "nuc" => Ok(Order::Nuclear),
        Some(Value::Scalar(Scalar::Int(_) | Scalar::Float(_)) | Value::Array(_)) => a.float(i).map(Order::P),
        _ => Err(OpsError::argument(op, "the order is 'fro', 'nuc', 1, 2, inf, -1, -2 or -inf")),
    }
}

static MATRIX_POWER: Op = Op {
    name: "matrix_power",
    doc: "The product of n times a matrix; of its inverse where n is negative, the unit matrix for 0.",
    params: &[X, Param::required("n", Kind::Int)],
    run: Run::One(|_, a| chains::matrix_power(&a.array(0)?, a.int(1)?)),
    onnx: None,
};

static MATRIX_RANK: Op = Op {
    name: "matrix_rank",
    doc: "How many singular values of each matrix are greater than rtol times its greatest one; without rtol than the longer side \
          times the dtype's epsilon.",
    params: &[X.flat(), RTOL],
    run: Run::One(|_, a| svd::matrix_rank(&a.array(0)?, a.array_or_none(1)?.as_ref())),
    onnx: None,
};

static MULTI_DOT: Op = Op {
    name: "multi_dot",
    doc: "The product of matrices in the order of multiplication that takes the fewest steps.",
    params: &[Param::required("arrays", Kind::Operands)],
    run: Run::One(|_, a| chains::multi_dot(&a.arrays(0)?.iter().collect::<Vec<&Array>>())),
    onnx: None,
};

static NORM: Op = Op {
    name: "norm",
    doc: "As NumPy's norm: of all elements, of vectors along one axis, or of matrices along two.",
    params: &[
        X,
        Param::optional("ord", Kind::Any, Default::None),
        Param::optional("axis", Kind::Axes, Default::None),
        Param::optional("keepdims", Kind::Bool, Default::Bool(false)),
    ],
    run: Run::One(|_, a| {
        let order = if a.value(1).is_some() { Some(order("norm", a, 1)?) } else { None };
        norm(&a.array(0)?, order, a.axes(2)?, a.bool(3)?)
    }),
    onnx: None,
};

static PINV: Op = Op {
    name: "pinv",
    doc: "The pseudo-inverses of matrices; singular values up to rtol times the greatest count as zero.",
    params: &[X, RTOL],
    run: Run::One(|_, a| svd::pinv(&a.array(0)?, a.array_or_none(1)?.as_ref())),
    onnx: None,
};

static QR: Op = Op {
    name: "qr",
    doc: "Matrices Q with orthonormal columns and upper triangular matrices R with x = Q R; in mode 'complete' Q is square.",
    params: &[X, Param::optional("mode", Kind::Str(&["reduced", "complete"]), Default::Str("reduced"))],
    run: Run::Many(&["Q", "R"], |_, a| {
        let mode = if a.word(1)? == "complete" { Mode::Complete } else { Mode::Reduced };
        let (q, r) = qr(&a.array(0)?, mode)?;
        Ok(vec![q, r])
    }),
    onnx: None,
};

static SLOGDET: Op = Op {
    name: "slogdet",
    doc: "Signs and logarithms of the absolute values of the determinants of matrices: 0 and -inf for a singular one.",
    params: &[X],
    run: Run::Many(&["sign", "logabsdet"], |_, a| {
        let (signs, logs) = lu::slogdet(&a.array(0)?)?;
        Ok(vec![signs, logs])
    }),
    onnx: None,
};

static SOLVE: Op = Op {
    name: "solve",
    doc: "The x with x1 x = x2, for a vector x2 of one axis, else for the columns of its matrices; batches broadcast.",
    params: &[X1, X2],
    run: Run::One(|_, a| lu::solve(&a.array(0)?, &a.array(1)?)),
    onnx: None,
};

static SOLVE_TRIANGULAR: Op = Op {
    name: "solve_triangular",
    doc: "The x with x1 x = x2, where only the lower triangle of x1 is read, or the upper one; its diagonal may be taken for ones.",
    params: &[
        X1,
        X2,
        Param::keyword("upper", Kind::Bool, Default::Bool(false)),
        Param::keyword("unit_diagonal", Kind::Bool, Default::Bool(false)),
    ],
    run: Run::One(|_, a| triangular::solve_triangular(&a.array(0)?, &a.array(1)?, a.bool(2)?, a.bool(3)?)),
    onnx: None,
};

static SVD: Op = Op {
    name: "svd",
    doc: "Singular values and vectors of matrices: x = U diag(S) Vh, the values in descending order; U and Vh are square, or \
          without full_matrices have as many columns and rows as there are values.",
    params: &[X, Param::optional("full_matrices", Kind::Bool, Default::Bool(true))],
    run: Run::Many(&["U", "S", "Vh"], |_, a| {
        let (u, s, vh) = svd::svd(&a.array(0)?, a.bool(1)?)?;
        Ok(vec![u, s, vh])
    }),
    onnx: None,
};

static SVDVALS: Op = Op {
    name: "svdvals",
    doc: "The singular values of matrices in descending order.",
    params: &[X],
    run: Run::One(|_, a| svd::svdvals(&a.array(0)?)),
    onnx: None,
};

static VECTOR_NORM: Op = Op {
    name: "vector_norm",
    doc: "Norms of the vectors along axes, or of all elements; ord is any number, inf and -inf for the greatest and the least \
          magnitude.",
    params: &[
        X,
        Param::keyword("axis", Kind::Axes, Default::None),
        KEEPDIMS,
        Param::keyword("ord", Kind::Float, Default::Int(2)),
    ],
    run: Run::One(|_, a| vector_norm(&a.array(0)?, a.axes(1)?, a.bool(2)?, a.float(3)?)),
    onnx: None,
};
