//! The singular value decomposition, and what it is good for.
use crate::dense::{self, by_rows};
use crate::field::{Field, field_of, in_field, with_field};
use crate::stack::{Shape, each, elements, elements_mut, hopeless, matrix};
use crate::values;
use freelane_ops::batch::Chunks;
use freelane_ops::{Array, DType, Index, OpsError, Slice, promote_types};

/// Singular values and vectors: `x = U diag(S) Vh`, with the values in descending order. With `full` U and Vh are square,
/// else they have as many columns and rows as there are values.
///
/// # Errors
/// When the array has fewer than two axes, or an element is not finite.
pub fn svd(x: &Array, full: bool) -> Result<(Array, Array, Array), OpsError> {
    named("svd", x, full)
}

pub(crate) fn named(op: &'static str, x: &Array, full: bool) -> Result<(Array, Array, Array), OpsError> {
    let x = finite(op, in_field(op, x)?)?;
    Shape::of(op, &x)?;
    with_field!(x.dtype(), T => decompose::<T>(op, &x, full))
}

/// The array without gaps, unless an iteration over it would not end.
pub(crate) fn finite(op: &'static str, x: Array) -> Result<Array, OpsError> {
    if x.isfinite()?.all(.., false)?.item::<bool>()? {
        return x.contiguous();
    }
    Err(hopeless(op, "the matrix has NaN or infinite elements"))
}

/// The transposes lie by columns, and `xᵀ = V* S Uᵀ`: their right vectors are conjugates of U by columns, and their left ones
/// Vh by rows.
fn decompose<T: Field>(op: &'static str, x: &Array, full: bool) -> Result<(Array, Array, Array), OpsError> {
    let shape = Shape::of(op, x)?;
    let (m, n, count, size) = (shape.rows, shape.cols, shape.count(), shape.rows.min(shape.cols));
    let (left, right) = if full { (m, n) } else { (size, size) };
    let mut u = Array::empty(&shape.with([left, m]), x.dtype())?;
    let mut vh = Array::empty(&shape.with([right, n]), x.dtype())?;
    let mut s = Array::empty(&shape.with([size]), x.dtype())?;
    let all = elements::<T>(x)?;
    let parts = (
        Chunks::new(elements_mut::<T>(&mut s)?, count),
        Chunks::new(elements_mut::<T>(&mut u)?, count),
        Chunks::new(elements_mut::<T>(&mut vh)?, count),
    );
    each(op, shape.cost(20), parts, |lane, i, (s, u, vh)| {
        dense::tamed(lane, op, matrix(all, i, m * n), |x, back| {
            dense::svd(lane, op, by_rows(x, m, n).transpose(), s, Some((vh, &mut *u)), full)?;
            dense::untame(s, back);
            Ok(())
        })?;
        u.iter_mut().for_each(|x| *x = x.conjugate());
        Ok(())
    })?;
    Ok((u.matrix_transpose()?, s.astype(x.dtype().real())?, vh))
}

/// The singular values of matrices in descending order.
///
/// # Errors
/// As [`svd`].
pub fn svdvals(x: &Array) -> Result<Array, OpsError> {
    values("svdvals", x)
}

pub(crate) fn values(op: &'static str, x: &Array) -> Result<Array, OpsError> {
    let x = finite(op, in_field(op, x)?)?;
    let shape = Shape::of(op, &x)?;
    let (m, n, count) = (shape.rows, shape.cols, shape.count());
    let mut s = Array::empty(&shape.with([m.min(n)]), x.dtype())?;
    with_field!(x.dtype(), T => {
        let all = elements::<T>(&x)?;
        let parts = Chunks::new(elements_mut::<T>(&mut s)?, count);
        each(op, shape.cost(4), parts, |lane, i, s| {
            dense::tamed(lane, op, matrix(all, i, m * n), |x, back| {
                values::svd(lane, op, by_rows(x, m, n).transpose(), s)?;
                dense::untame(s, back);
                Ok(())
            })
        })?;
    });
    s.astype(x.dtype().real())
}

/// What counts as zero among singular values: `rtol`, or the longer side times the dtype's epsilon, of the greatest.
fn cutoff(op: &'static str, x: &Array, s: &Array, rtol: Option<&Array>) -> Result<Array, OpsError> {
    let shape = Shape::of(op, x)?;
    let epsilon = if s.dtype() == DType::F32 { f64::from(f32::EPSILON) } else { f64::EPSILON };
    let greatest = s.index(&[Index::Ellipsis, Slice { start: None, stop: Some(1), step: 1 }.into()])?;
    match rtol {
        None => greatest.multiply(shape.rows.max(shape.cols) as f64 * epsilon),
        Some(rtol) => greatest.multiply(&rtol.in_reals(op)?.astype(s.dtype())?.expand_dims(-1)?),
    }
}

/// The pseudo-inverses of matrices. Singular values at most `rtol` times the greatest count as zero; without `rtol` that is
/// the longer side times the dtype's epsilon.
///
/// # Errors
/// As [`svd`].
pub fn pinv(x: &Array, rtol: Option<&Array>) -> Result<Array, OpsError> {
    const OP: &str = "pinv";
    let (u, s, vh) = named(OP, x, false)?;
    if x.is_empty() {
        return Array::zeros(vh.matrix_transpose()?.matmul(&u.matrix_transpose()?)?.shape(), u.dtype());
    }
    let inverse = inverted(&s, &cutoff(OP, x, &s, rtol)?)?;
    let v = vh.matrix_transpose()?.conj()?.multiply(&inverse.expand_dims(-2)?)?;
    v.matmul(&u.matrix_transpose()?.conj()?).map_err(|e| e.of(OP))
}

/// One divided by each value above the cutoff; zero for the others.
fn inverted(s: &Array, cutoff: &Array) -> Result<Array, OpsError> {
    let counts = s.greater(cutoff)?;
    let one = Array::ones(&[], s.dtype())?;
    let zero = Array::zeros(&[], s.dtype())?;
    counts.where_(&one.divide(&counts.where_(s, &one)?)?, &zero)
}

/// How many singular values of each matrix count as more than zero, as for [`pinv`].
///
/// # Errors
/// As [`svd`].
pub fn matrix_rank(x: &Array, rtol: Option<&Array>) -> Result<Array, OpsError> {
    const OP: &str = "matrix_rank";
    let s = values(OP, x)?;
    s.greater(&cutoff(OP, x, &s, rtol)?)?.count_nonzero(-1, false)?.astype(DType::I64)
}

/// The `x` for which the sum of squares of `b - a x` is least, and among those its own; those sums, if `a` has more rows than
/// columns and these are independent; the rank of `a`, and its singular values, of which those at most `rcond` times the
/// greatest count as zero.
///
/// # Errors
/// When `a` is not one matrix, `b` has not as many rows, or an element is not finite.
pub fn lstsq(a: &Array, b: &Array, rcond: Option<&Array>) -> Result<(Array, Array, Array, Array), OpsError> {
    const OP: &str = "lstsq";
    let dtype = field_of(OP, promote_types(a.dtype(), b.dtype()))?;
    if a.rank() != 2 || b.rank() == 0 || b.rank() > 2 || a.shape()[0] != b.shape()[0] {
        let message =
            format!("needs a matrix and as many right-hand sides, the shapes are {:?} and {:?}", a.shape(), b.shape());
        return Err(OpsError::argument(OP, message));
    }
    let (a, b) = (a.astype(dtype)?, b.astype(dtype)?);
    let columns = if b.rank() == 1 { b.expand_dims(1)? } else { b.clone() };
    let (u, s, vh) = named(OP, &a, false)?;
    let cutoff = cutoff(OP, &a, &s, rcond)?;
    let rank = s.greater(&cutoff)?.count_nonzero(.., false)?.astype(DType::I64)?;
    let parts = u.matrix_transpose()?.conj()?.matmul(&columns)?.multiply(&inverted(&s, &cutoff)?.expand_dims(-1)?)?;
    let x = vh.matrix_transpose()?.conj()?.matmul(&parts)?;
    let [m, n] = [a.shape()[0], a.shape()[1]];
    let residuals = if m > n && rank.item::<i64>()? == n as i64 {
        columns.subtract(&a.matmul(&x)?)?.abs()?.square()?.sum(0, false)?
    } else {
        Array::zeros(&[0], dtype.real())?
    };
    let x = if b.rank() == 1 { x.squeeze(&[1])? } else { x };
    Ok((x, residuals, rank, s))
}
