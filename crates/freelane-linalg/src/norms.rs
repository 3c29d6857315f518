//! Norms of vectors and matrices, and condition numbers.
use crate::field::in_field;
use crate::stack::Shape;
use crate::{lu, svd};
use freelane_ops::{Array, Axes, DType, Kind, OpsError};

/// Which norm.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Order {
    /// The root of the sum of squares of all elements of a matrix.
    Frobenius,
    /// The sum of the singular values of a matrix.
    Nuclear,
    /// Of vectors, the p-norm for any number; of matrices 1, 2, infinity, or the negative of one of these.
    P(f64),
}

/// Elements of which squares are added at a time: their sum is as exact as that of pairs.
const BLOCK: usize = 4096;

/// Norms of the vectors along axes; of all elements for `..`. `p` is any number: 0 counts elements that are not zero,
/// infinity takes the greatest magnitude and minus infinity the least.
///
/// ```
/// use freelane_linalg::vector_norm;
/// use freelane_ops::Array;
/// let x = Array::from_vec(vec![3.0, 4.0], &[2])?;
/// assert_eq!(vector_norm(&x, .., false, 2.0)?.item::<f64>()?, 5.0);
/// # Ok::<(), freelane_ops::OpsError>(())
/// ```
///
/// # Errors
/// When an axis does not exist, or infinity is asked for of no elements.
pub fn vector_norm(x: &Array, axes: impl Into<Axes>, keepdims: bool, p: f64) -> Result<Array, OpsError> {
    of_vectors(x, axes.into(), keepdims, p).map_err(|e| e.of("vector_norm"))
}

fn of_vectors(x: &Array, axes: Axes, keepdims: bool, p: f64) -> Result<Array, OpsError> {
    let x = if matches!(x.dtype().kind(), Kind::Float | Kind::Complex) { x.clone() } else { x.astype(DType::F64)? };
    let real = x.dtype().real();
    match p {
        2.0 => euclidean(&x, axes, keepdims),
        0.0 => x.not_equal(0)?.count_nonzero(axes, keepdims)?.astype(real),
        1.0 => x.abs()?.sum(axes, keepdims),
        f64::INFINITY => x.abs()?.max(axes, keepdims),
        f64::NEG_INFINITY => x.abs()?.min(axes, keepdims),
        _ => x.abs()?.pow(p)?.sum(axes, keepdims)?.pow(1.0 / p),
    }
}

fn euclidean(x: &Array, axes: Axes, keepdims: bool) -> Result<Array, OpsError> {
    let squares = sum_of_squares(x, axes.clone(), keepdims)?;
    // Squares may overflow, or be too small to be exact, where the norm is neither.
    let (least, most) = match squares.dtype() {
        DType::F64 => (1e-280, f64::MAX),
        DType::F32 => (1e-28, f32::MAX.into()),
        _ => return squares.sqrt(),
    };
    let fine = squares.greater_equal(least)?.logical_and(&squares.less_equal(most)?)?;
    if fine.all(.., false)?.item::<bool>()? || x.is_empty() {
        return squares.sqrt();
    }
    let greatest = x.abs()?.max(axes.clone(), true)?;
    let usable = greatest.greater(0.0)?.logical_and(&greatest.isfinite()?)?;
    let scale = usable.where_(&greatest, &Array::ones(&[], greatest.dtype())?)?;
    let scaled = sum_of_squares(&x.divide(&scale)?, axes.clone(), keepdims)?.sqrt()?;
    let scale = if keepdims { scale } else { scale.max(axes, false)? };
    scaled.multiply(&scale)
}

fn sum_of_squares(x: &Array, axes: Axes, keepdims: bool) -> Result<Array, OpsError> {
    let blocks = matches!(x.dtype(), DType::F32 | DType::F64);
    if blocks && matches!(axes, Axes::All) && x.len() >= 64 {
        let line = x.reshape(&[x.len() as isize])?;
        let sum = blockwise(&line)?;
        return if keepdims { sum.reshape(&vec![1; x.rank()]) } else { Ok(sum) };
    }
    let magnitudes =
        if x.dtype().kind() == Kind::Complex { x.real()?.square()?.add(&x.imag()?.square()?)? } else { x.square()? };
    magnitudes.sum(axes, keepdims)
}

/// Squares of a line of numbers, added in blocks.
fn blockwise(line: &Array) -> Result<Array, OpsError> {
    let whole = line.len() - line.len() % BLOCK;
    let part = |start, stop| line.index(&[freelane_ops::Slice { start, stop, step: 1 }.into()]);
    let tail = part(Some(whole as isize), None)?;
    let tail = tail.vecdot(&tail, -1)?;
    if whole == 0 {
        return Ok(tail);
    }
    let blocks = part(None, Some(whole as isize))?.reshape(&[-1, BLOCK as isize])?;
    blocks.vecdot(&blocks, -1)?.sum(.., false)?.add(&tail)
}

/// Norms of matrices.
///
/// # Errors
/// When the array has fewer than two axes, there is no such norm, or it is one of singular values and an element is not
/// finite.
pub fn matrix_norm(x: &Array, order: Order, keepdims: bool) -> Result<Array, OpsError> {
    const OP: &str = "matrix_norm";
    let x = in_field(OP, x)?;
    let shape = Shape::of(OP, &x)?;
    let sums = |inner: isize| x.abs()?.sum(inner, true);
    let kept = match order {
        Order::Frobenius => euclidean(&x, Axes::from([-2, -1]), true)?,
        Order::Nuclear => with_axes(&svd::values(OP, &x)?)?.sum(-1, true)?,
        Order::P(p) if p.abs() == 2.0 && x.is_empty() => Array::zeros(&shape.with([1, 1]), x.dtype().real())?,
        Order::P(2.0) => with_axes(&svd::values(OP, &x)?)?.max(-1, true)?,
        Order::P(-2.0) => with_axes(&svd::values(OP, &x)?)?.min(-1, true)?,
        Order::P(1.0) => sums(-2)?.max(-1, true)?,
        Order::P(-1.0) => sums(-2)?.min(-1, true)?,
        Order::P(f64::INFINITY) => sums(-1)?.max(-2, true)?,
        Order::P(f64::NEG_INFINITY) => sums(-1)?.min(-2, true)?,
        Order::P(p) => {
            let message =
                format!("there is no matrix norm of order {p}; it is 'fro', 'nuc', 1, 2, inf, -1, -2 or -inf");
            return Err(OpsError::argument(OP, message));
        }
    };
    if keepdims { Ok(kept) } else { kept.squeeze(&[-2, -1]) }
}

/// As NumPy's `norm`: of all elements, of vectors along one axis, or of matrices along two. Without axes an array of one is a
/// vector, of two a matrix; without an order it is the root of the sum of squares, whatever the array has.
///
/// # Errors
/// As [`vector_norm`] and [`matrix_norm`].
pub fn norm(x: &Array, order: Option<Order>, axes: impl Into<Axes>, keepdims: bool) -> Result<Array, OpsError> {
    const OP: &str = "norm";
    let axes = axes.into();
    let named = match &axes {
        Axes::All => None,
        Axes::These(axes) => Some(axes.to_vec()),
    };
    let done = match (order, &named) {
        (None, None) => vector_norm(x, axes, keepdims, 2.0),
        (None | Some(Order::P(_)), Some(one)) if one.len() == 1 => vector_norm(x, axes, keepdims, vector_order(order)),
        (Some(Order::P(_)), None) if x.rank() == 1 => vector_norm(x, axes, keepdims, vector_order(order)),
        (_, None) if x.rank() == 2 => matrix_norm(x, order.unwrap_or(Order::Frobenius), keepdims),
        (_, Some(two)) if two.len() == 2 => {
            let norms = matrix_norm(&x.moveaxis(two, &[-2, -1])?, order.unwrap_or(Order::Frobenius), false)?;
            let forward = |axis: &isize| if *axis < 0 { axis + x.rank() as isize } else { *axis };
            let mut places: Vec<isize> = two.iter().map(forward).collect();
            places.sort_unstable();
            if keepdims { places.into_iter().try_fold(norms, |x, axis| x.expand_dims(axis)) } else { Ok(norms) }
        }
        _ => {
            let message = "there is no such norm: 'fro' and 'nuc' are of matrices, others of vectors or matrices, and axes are one or two";
            return Err(OpsError::argument(OP, message));
        }
    };
    done.map_err(|e| e.of(OP))
}

fn vector_order(order: Option<Order>) -> f64 {
    if let Some(Order::P(p)) = order { p } else { 2.0 }
}

/// Values of matrices as matrices of one row.
fn with_axes(s: &Array) -> Result<Array, OpsError> {
    s.expand_dims(-2)
}

/// Condition numbers: how much the solution of a system of equations can change with it. `None` is the ratio of the greatest
/// to the least singular value, else the norm of the matrix times that of its inverse.
///
/// # Errors
/// As [`matrix_norm`]; also when matrices are not square, unless the singular values are asked for.
pub fn cond(x: &Array, order: Option<Order>) -> Result<Array, OpsError> {
    const OP: &str = "cond";
    let ratio = |x: &Array, turned: bool| -> Result<Array, OpsError> {
        let s = svd::values(OP, x)?;
        let (most, least) = (s.max(-1, false)?, s.min(-1, false)?);
        if turned { least.divide(&most) } else { most.divide(&least) }
    };
    match order {
        None | Some(Order::P(2.0)) => ratio(x, false),
        Some(Order::P(-2.0)) => ratio(x, true),
        Some(order) => {
            let inverse = match lu::inv(x) {
                Err(OpsError::LinAlg { .. }) if Shape::square(OP, x).is_ok() => {
                    return Array::full(Shape::of(OP, x)?.batch, f64::INFINITY, in_field(OP, x)?.dtype().real());
                }
                inverse => inverse.map_err(|e| e.of(OP))?,
            };
            matrix_norm(x, order, false)?.multiply(&matrix_norm(&inverse, order, false)?).map_err(|e| e.of(OP))
        }
    }
}
