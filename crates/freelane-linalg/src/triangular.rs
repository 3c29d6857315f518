//! Systems of equations that are triangular already.
use crate::dense;
use crate::field::{Field, field_of, with_field};
use crate::lu::right_hand_sides;
use crate::stack::{Shape, each, elements, elements_mut, hopeless, matrix};
use freelane_ops::batch::Chunks;
use freelane_ops::{Array, OpsError, promote_types};

const OP: &str = "solve_triangular";

/// The solutions `x` of `a x = b`, where only the lower triangle of `a` is read, or with `upper` the upper one; with `unit`
/// its diagonal is taken for ones. Shapes are as for [`solve`](crate::solve).
///
/// # Errors
/// When the matrices are not square or have a zero on the diagonal, or the shapes do not fit.
pub fn solve_triangular(a: &Array, b: &Array, upper: bool, unit: bool) -> Result<Array, OpsError> {
    let dtype = field_of(OP, promote_types(a.dtype(), b.dtype()))?;
    let (a, b) = (a.astype(dtype)?.contiguous()?, b.astype(dtype)?);
    Shape::square(OP, &a)?;
    let (mut x, vector, from) = right_hand_sides(OP, &a, &b)?;
    with_field!(dtype, T => solutions::<T>(&a, &mut x, &from, upper, unit))?;
    if vector { x.squeeze(&[-1]) } else { Ok(x) }
}

fn solutions<T: Field>(a: &Array, x: &mut Array, from: &[usize], upper: bool, unit: bool) -> Result<(), OpsError> {
    let n = Shape::of(OP, a)?.rows;
    let wide = Shape::of(OP, x)?;
    let (cols, count, cost) = (wide.cols, wide.count(), wide.cost_of_solving());
    if x.is_empty() {
        return Ok(());
    }
    let a = elements::<T>(a)?;
    if !unit && from.iter().any(|&i| (0..n).any(|j| matrix(a, i, n * n)[j * (n + 1)] == T::ZERO)) {
        return Err(hopeless(OP, "the matrix is singular: there is a zero on its diagonal"));
    }
    each(OP, cost, Chunks::new(elements_mut::<T>(x)?, count), |_, i, x| {
        dense::solve_triangular(matrix(a, from[i], n * n), x, [n, cols], upper, unit);
        Ok(())
    })
}
