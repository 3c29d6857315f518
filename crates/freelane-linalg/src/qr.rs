//! The decomposition into an orthogonal and a triangular matrix.
use crate::dense;
use crate::field::{Field, in_field, with_field};
use crate::stack::{Shape, each, elements, elements_mut, matrix};
use freelane_ops::batch::Chunks;
use freelane_ops::{Array, OpsError};

const OP: &str = "qr";

/// How many columns Q has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// As many as R has rows: the lesser of both lengths.
    Reduced,
    /// As many as it has rows.
    Complete,
}

/// Matrices Q with orthonormal columns and upper triangular matrices R with `x = Q R`.
///
/// # Errors
/// When the array has fewer than two axes, or memory cannot be had.
pub fn qr(x: &Array, mode: Mode) -> Result<(Array, Array), OpsError> {
    let x = in_field(OP, x)?;
    Shape::of(OP, &x)?;
    with_field!(x.dtype(), T => factor::<T>(&x, mode))
}

fn factor<T: Field>(x: &Array, mode: Mode) -> Result<(Array, Array), OpsError> {
    let shape = Shape::of(OP, x)?;
    let (m, n, count) = (shape.rows, shape.cols, shape.count());
    let size = if mode == Mode::Complete { m } else { m.min(n) };
    let mut work = x.matrix_transpose()?.copy()?;
    let mut q = Array::empty(&shape.with([size, m]), x.dtype())?;
    let parts = (Chunks::new(elements_mut::<T>(&mut work)?, count), Chunks::new(elements_mut::<T>(&mut q)?, count));
    each(OP, shape.cost(4), parts, |lane, _, (a, q)| dense::qr(lane, OP, a, q, [m, n]))?;
    let mut r = Array::empty(&shape.with([size, n]), x.dtype())?;
    let work = elements::<T>(&work)?;
    let parts = Chunks::new(elements_mut::<T>(&mut r)?, count);
    each(OP, shape.cost(1), parts, |_, i, r| {
        upper(matrix(work, i, m * n), r, [m, n]);
        Ok(())
    })?;
    Ok((q.matrix_transpose()?, r))
}

/// The upper triangle of a matrix that lies by columns, by rows.
fn upper<T: Field>(a: &[T], r: &mut [T], [m, n]: [usize; 2]) {
    for (i, row) in r.chunks_mut(n.max(1)).enumerate() {
        row.iter_mut().enumerate().for_each(|(j, x)| *x = if i <= j && i < m { a[j * m + i] } else { T::ZERO });
    }
}
