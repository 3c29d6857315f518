//! Eigenvalues and eigenvectors.
use crate::dense::{self, by_rows};
use crate::field::{Field, in_field, with_field};
use crate::stack::{Shape, each, elements, elements_mut, hopeless, matrix};
use crate::svd::finite;
use crate::values;
use faer::MatRef;
use freelane_ops::batch::Chunks;
use freelane_ops::{Array, DType, OpsError};
use freelane_pool::Lane;

/// Eigenvalues of Hermitian matrices, of which only the lower half is read, in ascending order, and their orthonormal
/// eigenvectors as columns.
///
/// # Errors
/// When the matrices are not square, or an element is not finite.
pub fn eigh(x: &Array) -> Result<(Array, Array), OpsError> {
    const OP: &str = "eigh";
    let x = prepared(OP, x)?;
    let mut vectors = Array::empty(x.shape(), x.dtype())?;
    let values = with_field!(x.dtype(), T => hermitian::<T>(OP, &x, Some(&mut vectors)))?;
    Ok((values, vectors.matrix_transpose()?))
}

/// Eigenvalues of Hermitian matrices, as of [`eigh`].
///
/// # Errors
/// As [`eigh`].
pub fn eigvalsh(x: &Array) -> Result<Array, OpsError> {
    const OP: &str = "eigvalsh";
    let x = prepared(OP, x)?;
    with_field!(x.dtype(), T => hermitian::<T>(OP, &x, None))
}

/// Square and finite.
fn prepared(op: &'static str, x: &Array) -> Result<Array, OpsError> {
    let x = in_field(op, x)?;
    Shape::square(op, &x)?;
    finite(op, x)
}

fn hermitian<T: Field>(op: &'static str, x: &Array, vectors: Option<&mut Array>) -> Result<Array, OpsError> {
    let shape = Shape::of(op, x)?;
    let (n, count) = (shape.rows, shape.count());
    let mut values = Array::empty(&shape.with([n]), x.dtype())?;
    let all = elements::<T>(x)?;
    let parts = Chunks::new(elements_mut::<T>(&mut values)?, count);
    let one = |i| matrix(all, i, n * n);
    match vectors {
        None => each(op, shape.cost(2), parts, |lane, i, values| {
            alone(lane, op, one(i), values, |x, values| values::eigh(lane, op, x, values))
        })?,
        Some(vectors) => {
            let parts = (parts, Chunks::new(elements_mut::<T>(vectors)?, count));
            each(op, shape.cost(10), parts, |lane, i, (values, vectors)| {
                alone(lane, op, one(i), values, |x, values| dense::eigh(lane, op, x, values, Some(vectors)))
            })?;
        }
    }
    values.astype(x.dtype().real())
}

/// Eigenvalues of matrices, in no order, and their eigenvectors of length one as columns. Both are complex.
///
/// # Errors
/// When the matrices are not square, an element is not finite, or eigenvectors of equal eigenvalues cannot be told apart.
pub fn eig(x: &Array) -> Result<(Array, Array), OpsError> {
    const OP: &str = "eig";
    let x = prepared(OP, x)?;
    let mut vectors = Array::empty(x.shape(), complex(x.dtype()))?;
    let values = with_field!(x.dtype(), T => general::<T>(OP, &x, Some(&mut vectors)))?;
    Ok((values, vectors.matrix_transpose()?))
}

/// Eigenvalues of matrices, in no order, as complex numbers.
///
/// # Errors
/// As [`eig`].
pub fn eigvals(x: &Array) -> Result<Array, OpsError> {
    const OP: &str = "eigvals";
    let x = prepared(OP, x)?;
    with_field!(x.dtype(), T => general::<T>(OP, &x, None))
}

fn complex(dtype: DType) -> DType {
    if dtype.real() == DType::F32 { DType::C64 } else { DType::C128 }
}

fn general<T: Field>(op: &'static str, x: &Array, vectors: Option<&mut Array>) -> Result<Array, OpsError> {
    let shape = Shape::of(op, x)?;
    let (n, count) = (shape.rows, shape.count());
    let mut values = Array::empty(&shape.with([n]), complex(x.dtype()))?;
    let all = elements::<T>(x)?;
    let parts = Chunks::new(elements_mut::<T::C>(&mut values)?, count);
    let one = |i| matrix(all, i, n * n);
    match vectors {
        None => each(op, shape.cost(10), parts, |lane, i, values| {
            alone(lane, op, one(i), values, |x, values| dense::eig(lane, op, x, values, None))
        })?,
        Some(vectors) => {
            let parts = (parts, Chunks::new(elements_mut::<T::C>(vectors)?, count));
            each(op, shape.cost(25), parts, |lane, i, (values, vectors)| {
                alone(lane, op, one(i), values, |x, values| dense::eig(lane, op, x, values, Some(&mut *vectors)))?;
                if vectors.iter().all(|v| v.finite()) {
                    return Ok(());
                }
                Err(hopeless(
                    op,
                    "eigenvectors of a defective matrix, of equal eigenvalues, could not be told apart; eigvals gives the values",
                ))
            })?;
        }
    }
    Ok(values)
}

/// Runs `f` for one matrix, multiplied by a power of two if its squares would overflow or vanish.
fn alone<T: Field, V: Field<R = T::R>>(
    lane: &Lane,
    op: &'static str,
    x: &[T],
    values: &mut [V],
    f: impl FnOnce(MatRef<'_, T>, &mut [V]) -> Result<(), OpsError>,
) -> Result<(), OpsError> {
    dense::tamed(lane, op, x, |x, back| {
        f(by_rows(x, values.len(), values.len()), values)?;
        dense::untame(values, back.map(|back| V::from_real(back.real_part())));
        Ok(())
    })
}
