//! Norms of vectors and matrices, and condition numbers.
use crate::field::in_field;
use crate::stack::{Shape, hopeless};
use crate::{lu, svd};
use freelane_ops::{Array, Axes, DType, OpsError};

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
/// When an axis does not exist, or minus infinity is asked for of no elements.
pub fn vector_norm(x: &Array, axes: impl Into<Axes>, keepdims: bool, p: f64) -> Result<Array, OpsError> {
    x.vector_norm(axes, p, keepdims)
}

/// Norms of matrices.
///
/// # Errors
/// When the array has fewer than two axes, there is no such norm, or it is one of singular values and an element is not
/// finite.
pub fn matrix_norm(x: &Array, order: Order, keepdims: bool) -> Result<Array, OpsError> {
    const OP: &str = "matrix_norm";
    matrix_norm_of(OP, x, order, keepdims).map_err(|e| e.of(OP))
}

fn matrix_norm_of(op: &'static str, x: &Array, order: Order, keepdims: bool) -> Result<Array, OpsError> {
    let x = in_field(op, x)?;
    Shape::of(op, &x)?;
    let sums = |inner: isize| x.abs()?.sum(inner, true);
    let values = || svd::values(op, &x)?.expand_dims(-2);
    let kept = match order {
        Order::Frobenius => x.vector_norm([-2, -1], 2.0, true)?,
        Order::Nuclear => values()?.sum(-1, true)?,
        Order::P(2.0) => most(&values()?, -1)?,
        Order::P(-2.0) => values()?.min(-1, true)?,
        Order::P(1.0) => most(&sums(-2)?, -1)?,
        Order::P(-1.0) => sums(-2)?.min(-1, true)?,
        Order::P(f64::INFINITY) => most(&sums(-1)?, -2)?,
        Order::P(f64::NEG_INFINITY) => sums(-1)?.min(-2, true)?,
        Order::P(p) => {
            let message =
                format!("there is no matrix norm of order {p}; it is 'fro', 'nuc', 1, 2, inf, -1, -2 or -inf");
            return Err(OpsError::argument(op, message));
        }
    };
    if keepdims { Ok(kept) } else { kept.squeeze(&[-2, -1]) }
}

/// The greatest along an axis of numbers that are not negative: 0 of none, as a sum of none is.
fn most(x: &Array, axis: isize) -> Result<Array, OpsError> {
    if x.is_empty() { x.sum(axis, true) } else { x.max(axis, true) }
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

/// Condition numbers: how much the solution of a system of equations can change with it. `None` is the ratio of the greatest
/// to the least singular value, else the norm of the matrix times that of its inverse.
///
/// # Errors
/// As [`matrix_norm`]; also when matrices are not square, unless the singular values are asked for. A singular matrix has
/// the number infinity, one without elements none.
pub fn cond(x: &Array, order: Option<Order>) -> Result<Array, OpsError> {
    const OP: &str = "cond";
    cond_of(OP, x, order).map_err(|e| e.of(OP))
}

fn cond_of(op: &'static str, x: &Array, order: Option<Order>) -> Result<Array, OpsError> {
    let shape = Shape::of(op, x)?;
    if shape.rows * shape.cols == 0 {
        return Err(hopeless(op, "a matrix without elements has no condition number"));
    }
    let ratio = |x: &Array, turned: bool| -> Result<Array, OpsError> {
        let s = svd::values(op, x)?;
        let (most, least) = (s.max(-1, false)?, s.min(-1, false)?);
        if turned { least.divide(&most) } else { most.divide(&least) }
    };
    let numbers = match order {
        None | Some(Order::P(2.0)) => ratio(x, false)?,
        Some(Order::P(-2.0)) => ratio(x, true)?,
        Some(order) => {
            let inverse = lu::inv_or_infinite(op, x)?;
            matrix_norm(x, order, false)?.multiply(&matrix_norm(&inverse, order, false)?)?
        }
    };
    // 0 / 0, and 0 times infinity, are of matrices of zeros.
    let unknown =
        if x.dtype().is_inexact() { x.isnan()?.any([-2, -1], false)? } else { Array::zeros(&[], DType::Bool)? };
    numbers.isnan()?.logical_and(&unknown.logical_not()?)?.where_(f64::INFINITY, &numbers)
}
