//! Norms of vectors, without temporaries for the usual orders and without overflow where the norm has none.
use crate::{Array, Axes, OpsError, ReduceArgs, Reduction, reductions};
use freelane_array::{DType, Kind};
use freelane_pool::Lane;

impl Array {
    /// Norms of the vectors along axes: of order 2 the root of the sum of squares, of 1 the sum of absolute values, of
    /// infinity the greatest of them, of minus infinity the least, of 0 how many are not zero, of any other p the p-th
    /// root of the sum of p-th powers. Integers are computed in `f64`.
    ///
    /// ```
    /// use freelane_ops::Array;
    /// let x = Array::from_vec(vec![3e200, -4e200], &[2])?;
    /// assert!((x.vector_norm(.., 2.0, false)?.item::<f64>()? / 5e200 - 1.0).abs() < 1e-15);
    /// assert_eq!(x.vector_norm(.., 1.0, false)?.item::<f64>()?, 7e200);
    /// # Ok::<(), freelane_ops::OpsError>(())
    /// ```
    ///
    /// # Errors
    /// When an axis does not exist, the least of no elements is asked for, or memory cannot be had.
    pub fn vector_norm(&self, axes: impl Into<Axes>, order: f64, keepdims: bool) -> Result<Array, OpsError> {
        norm(self, axes.into(), order, keepdims).map_err(|e| e.of("vector_norm"))
    }

    fn summed(&self, row: &Reduction, axes: &Axes, keepdims: bool) -> Result<Array, OpsError> {
        let args = ReduceArgs { axes: axes.clone(), keepdims, correction: 0.0 };
        Lane::with(|lane| row.call(lane, self.data(), &args)).map(Into::into)
    }
}

fn norm(x: &Array, axes: Axes, order: f64, keepdims: bool) -> Result<Array, OpsError> {
    let complex = x.dtype().kind() == Kind::Complex;
    let real = if x.dtype().is_inexact() { x.dtype().real() } else { DType::F64 };
    if order == 2.0 {
        return euclidean(x, &axes, keepdims)?.astype(real);
    }
    if order == 0.0 {
        return x.count_nonzero(axes, keepdims)?.astype(real);
    }
    if order == 1.0 && !complex {
        return x.summed(&reductions::ABSOLUTE_SUM, &axes, keepdims)?.astype(real);
    }
    let magnitudes = (if x.dtype().is_inexact() { x.clone() } else { x.astype(real)? }).abs()?;
    match order {
        1.0 => magnitudes.sum(axes, keepdims),
        // Of no elements it is zero, as their sum.
        f64::INFINITY if x.is_empty() => magnitudes.sum(axes, keepdims),
        f64::INFINITY => magnitudes.max(axes, keepdims),
        f64::NEG_INFINITY => magnitudes.min(axes, keepdims),
        _ => of_powers(&magnitudes, axes, order, keepdims),
    }
}

/// The root of the sum of squares, in `f64`, where the squares of all other types fit.
fn euclidean(x: &Array, axes: &Axes, keepdims: bool) -> Result<Array, OpsError> {
    let squares = x.summed(&reductions::SQUARE_SUM, axes, keepdims)?;
    let double = matches!(x.dtype(), DType::F64 | DType::C128);
    if !double || x.is_empty() {
        return squares.sqrt();
    }
    // Squares may overflow, or be too small to be exact, where the norm is neither.
    let is_odd = |s: f64| s == f64::INFINITY || s < 1e-280;
    let odd = match squares.len() {
        1 => is_odd(squares.item()?),
        _ => squares.view::<f64>()?.iter().any(is_odd),
    };
    if !odd {
        return squares.sqrt();
    }
    let scale = scale(&x.abs()?.max(axes.clone(), true)?)?;
    let scaled = x.divide(&scale)?.summed(&reductions::SQUARE_SUM, axes, true)?.sqrt()?.multiply(&scale)?;
    if keepdims { Ok(scaled) } else { scaled.max(axes.clone(), false) }
}

/// The p-th root of the sum of p-th powers; of powers of numbers near one, so that they do not overflow.
fn of_powers(x: &Array, axes: Axes, p: f64, keepdims: bool) -> Result<Array, OpsError> {
    if x.is_empty() {
        return x.pow(p)?.sum(axes, keepdims)?.pow(1.0 / p);
    }
    let near = if p > 0.0 { x.max(axes.clone(), true)? } else { x.min(axes.clone(), true)? };
    let scale = scale(&near)?;
    let sum = x.divide(&scale)?.pow(p)?.sum(axes.clone(), true)?;
    let scaled = sum.pow(1.0 / p)?.multiply(&scale)?;
    if keepdims { Ok(scaled) } else { scaled.max(axes, false) }
}

/// What numbers can be divided by: one in place of zeros, infinities and NaN.
fn scale(x: &Array) -> Result<Array, OpsError> {
    let usable = x.greater(0.0)?.logical_and(&x.isfinite()?)?;
    usable.where_(x, &Array::ones(&[], x.dtype())?)
}
