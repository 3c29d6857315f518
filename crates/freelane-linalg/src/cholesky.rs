//! Cholesky's decomposition.
use crate::field::{in_field, with_field};
use crate::stack::{Shape, each, elements_mut};
use crate::{dense, field::Field};
use faer::MatMut;
use freelane_ops::batch::Chunks;
use freelane_ops::{Array, OpsError};

const OP: &str = "cholesky";

/// The lower triangular L with `x = L Lᴴ`, or with `upper` the U with `x = Uᴴ U`, of Hermitian positive definite matrices,
/// of which only that half is read.
///
/// ```
/// use freelane_linalg::cholesky;
/// use freelane_ops::Array;
/// let x = Array::from_vec(vec![4.0, 2.0, 2.0, 10.0], &[2, 2])?;
/// assert_eq!(cholesky(&x, false)?.to_vec::<f64>()?, [2.0, 0.0, 1.0, 3.0]);
/// # Ok::<(), freelane_ops::OpsError>(())
/// ```
///
/// # Errors
/// When the matrices are not square or not positive definite.
pub fn cholesky(x: &Array, upper: bool) -> Result<Array, OpsError> {
    let x = in_field(OP, x)?;
    Shape::square(OP, &x)?;
    with_field!(x.dtype(), T => factor::<T>(&x, upper))
}

fn factor<T: Field>(x: &Array, upper: bool) -> Result<Array, OpsError> {
    // By columns, the lower half of the transpose of the upper one, and of its conjugate: U is the transpose of its L.
    let mut out = if upper { x.copy()? } else { x.matrix_transpose()?.copy()? };
    let shape = Shape::of(OP, x)?;
    let (n, count) = (shape.rows, shape.count());
    each(OP, shape.cost(1), Chunks::new(elements_mut::<T>(&mut out)?, count), |lane, _, a| {
        dense::cholesky(lane, OP, MatMut::from_column_major_slice_mut(a, n, n))
    })?;
    if upper { Ok(out) } else { out.matrix_transpose()?.contiguous() }
}
