//! What comes of elimination with pivots: determinants, inverses, systems of equations.
//!
//! Matrices lie by rows and are factored as if they lay by columns: their transposes are.
use crate::dense::{self, Lu};
use crate::field::{Field, Real, field_of, in_field, with_field};
use crate::stack::{Shape, each, elements, elements_mut, hopeless, matrix};
use freelane_ops::batch::Chunks;
use freelane_ops::{Array, DType, InOp, OpsError, promote_types};

/// The factors of a stack.
struct Factors {
    /// L and U of each transposed matrix.
    lu: Array,
    forward: Array,
    inverse: Array,
    /// Whether the rows of a matrix were exchanged an odd number of times.
    odd: Array,
}

fn factors<T: Field>(op: &'static str, x: &Array) -> Result<Factors, OpsError> {
    let shape = Shape::square(op, x)?;
    let (n, count) = (shape.rows, shape.count());
    let rows = shape.with([n]);
    let mut lu = x.copy()?;
    let (mut forward, mut inverse) = (Array::empty(&rows, DType::U64)?, Array::empty(&rows, DType::U64)?);
    let mut odd = Array::zeros(shape.batch, DType::Bool)?;
    let out = (
        Chunks::new(elements_mut::<T>(&mut lu)?, count),
        (Chunks::new(elements_mut(&mut forward)?, count), Chunks::new(elements_mut(&mut inverse)?, count)),
        Chunks::new(elements_mut(&mut odd)?, count),
    );
    each(op, shape.cost(1), out, |lane, _, (a, (forward, inverse), odd)| {
        odd[0] = dense::lu(lane, op, a, forward, inverse)?;
        Ok(())
    })?;
    Ok(Factors { lu, forward, inverse, odd })
}

impl Factors {
    /// What is needed to look at the factors of each matrix.
    fn all<'a, T: Field>(&'a self, n: usize) -> Result<impl Fn(usize) -> Lu<'a, T>, OpsError> {
        let (lu, forward, inverse) =
            (elements::<T>(&self.lu)?, elements::<u64>(&self.forward)?, elements::<u64>(&self.inverse)?);
        Ok(move |i| Lu {
            n,
            factors: matrix(lu, i, n * n),
            forward: matrix(forward, i, n),
            inverse: matrix(inverse, i, n),
        })
    }

    /// An error if a matrix is singular.
    fn regular<T: Field>(&self, op: &'static str, x: &Array, n: usize, count: usize) -> Result<(), OpsError> {
        let all = self.all::<T>(n)?;
        let zero = |i: usize| all(i).pivots().any(|p| p == T::ZERO);
        let Some(bad) = (0..count).find(|&i| zero(i)) else { return Ok(()) };
        let x = x.contiguous()?;
        // NaN in a column hides what would have been a pivot.
        if matrix(elements::<T>(&x)?, bad, n * n).iter().any(|v| !v.finite()) {
            return Ok(());
        }
        let which = if count == 1 { String::new() } else { format!(" (number {bad} of the batch)") };
        Err(hopeless(op, format!("the matrix is singular{which}")))
    }
}

/// The determinants of matrices.
///
/// ```
/// use freelane_linalg::det;
/// use freelane_ops::Array;
/// assert_eq!(det(&Array::from_vec(vec![1.0, 2.0, 3.0, 4.0], &[2, 2])?)?.item::<f64>()?, -2.0);
/// # Ok::<(), freelane_ops::OpsError>(())
/// ```
///
/// # Errors
/// When the matrices are not square.
pub fn det(x: &Array) -> Result<Array, OpsError> {
    const OP: &str = "det";
    let x = in_field(OP, x)?;
    let shape = Shape::square(OP, &x)?;
    let (n, mut out) = (shape.rows, Array::empty(shape.batch, x.dtype())?);
    let x = x.contiguous()?;
    with_field!(x.dtype(), T => determinants::<T>(OP, &x, |i, sign, lu| {
        let given = elements::<T>(&x)?;
        let out = elements_mut::<T>(&mut out)?;
        let mut extreme = false;
        let product = lu.pivots().fold(sign, |p, x| {
            let product = p.times(x);
            // Products on the way may overflow, or lose digits, where the last one would not.
            extreme |= !product.bound().is_normal();
            product
        });
        // Behind a pivot of zero there is nothing but NaN, unless that came with the matrix.
        let singular = lu.pivots().any(|p| p == T::ZERO) && matrix(given, i, n * n).iter().all(|x| x.finite());
        out[i] = if singular {
            T::ZERO
        } else if extreme && lu.pivots().all(|p| p != T::ZERO && p.finite()) {
            let (sign, log) = signed_log(sign, &lu);
            sign.times(T::from_real(Real::exp(log)))
        } else {
            product
        };
        Ok(())
    }))?;
    Ok(out)
}

/// Signs and logarithms of the absolute values of the determinants of matrices: 0 and -infinity for a singular one.
///
/// # Errors
/// When the matrices are not square.
pub fn slogdet(x: &Array) -> Result<(Array, Array), OpsError> {
    const OP: &str = "slogdet";
    let x = in_field(OP, x)?;
    let shape = Shape::square(OP, &x)?;
    let mut signs = Array::empty(shape.batch, x.dtype())?;
    let mut logs = Array::empty(shape.batch, x.dtype().real())?;
    with_field!(x.dtype(), T => determinants::<T>(OP, &x, |i, sign, lu| {
        let (sign, log) = signed_log(sign, &lu);
        elements_mut::<T>(&mut signs)?[i] = sign;
        elements_mut::<<T as Field>::R>(&mut logs)?[i] = log;
        Ok(())
    }))?;
    Ok((signs, logs))
}

/// Calls `f` with the sign of the exchanges of rows of each matrix and its factors.
fn determinants<T: Field>(
    op: &'static str,
    x: &Array,
    mut f: impl FnMut(usize, T, Lu<'_, T>) -> Result<(), OpsError>,
) -> Result<(), OpsError> {
    let factors = factors::<T>(op, x)?;
    let shape = Shape::of(op, x)?;
    let (all, odd) = (factors.all::<T>(shape.rows)?, elements::<bool>(&factors.odd)?);
    (0..shape.count()).try_for_each(|i| f(i, T::from_real(if odd[i] { -T::R::UNITY } else { T::R::UNITY }), all(i)))
}

fn signed_log<T: Field>(sign: T, lu: &Lu<'_, T>) -> (T, T::R) {
    if lu.pivots().any(|p| p == T::ZERO) {
        return (T::ZERO, Real::ln(T::R::NAUGHT));
    }
    lu.pivots().fold((sign, T::R::NAUGHT), |(sign, log), p| (sign.times(p.direction()), log + Real::ln(p.magnitude())))
}

/// The inverses of matrices.
///
/// # Errors
/// When the matrices are not square, or one is singular.
pub fn inv(x: &Array) -> Result<Array, OpsError> {
    const OP: &str = "inv";
    let x = in_field(OP, x)?;
    with_field!(x.dtype(), T => inverses::<T>(OP, &x, false))
}

/// The inverses of matrices, of which those of singular ones are full of infinity.
pub(crate) fn inv_or_infinite(op: &'static str, x: &Array) -> Result<Array, OpsError> {
    let x = in_field(op, x)?;
    with_field!(x.dtype(), T => inverses::<T>(op, &x, true))
}

fn inverses<T: Field>(op: &'static str, x: &Array, or_infinite: bool) -> Result<Array, OpsError> {
    let factors = factors::<T>(op, x)?;
    let shape = Shape::of(op, x)?;
    let (n, count) = (shape.rows, shape.count());
    if !or_infinite {
        factors.regular::<T>(op, x, n, count)?;
    }
    let all = factors.all::<T>(n)?;
    let infinity = T::from_real(-Real::ln(T::R::NAUGHT));
    let mut out = Array::empty(x.shape(), x.dtype())?;
    let parts = Chunks::new(elements_mut::<T>(&mut out)?, count);
    each(op, shape.cost(2), parts, |lane, i, out| {
        let factors = all(i);
        if or_infinite && factors.pivots().any(|p| p == T::ZERO) {
            out.fill(infinity);
            return Ok(());
        }
        factors.inverse(lane, op, out)
    })?;
    Ok(out)
}

/// The solutions `x` of `a x = b`. A `b` of one axis is a vector; else its last two axes are matrices whose columns are
/// solved for, and the batches of `a` and `b` broadcast.
///
/// ```
/// use freelane_linalg::solve;
/// use freelane_ops::Array;
/// let a = Array::from_vec(vec![2.0, 0.0, 0.0, 4.0], &[2, 2])?;
/// let b = Array::from_vec(vec![2.0, 2.0], &[2])?;
/// assert_eq!(solve(&a, &b)?.to_vec::<f64>()?, [1.0, 0.5]);
/// # Ok::<(), freelane_ops::OpsError>(())
/// ```
///
/// # Errors
/// When the matrices of `a` are not square or one is singular, or the shapes do not fit.
pub fn solve(a: &Array, b: &Array) -> Result<Array, OpsError> {
    const OP: &str = "solve";
    let dtype = field_of(OP, promote_types(a.dtype(), b.dtype()))?;
    let (a, b) = (a.astype(dtype)?, b.astype(dtype)?);
    Shape::square(OP, &a)?;
    let (mut x, vector, from) = right_hand_sides(OP, &a, &b)?;
    with_field!(dtype, T => solutions::<T>(OP, &a, &mut x, &from))?;
    if vector { x.squeeze(&[-1]) } else { Ok(x) }
}

/// A copy of the right-hand sides over the common batch, whether they are vectors, and for each which matrix it belongs to.
pub(crate) fn right_hand_sides(op: &'static str, a: &Array, b: &Array) -> Result<(Array, bool, Vec<usize>), OpsError> {
    let vector = b.rank() == 1;
    let shape = b.shape();
    let b = if vector { b.expand_dims(1)? } else { b.clone() };
    let (of_a, of_b) = (Shape::of(op, a)?, Shape::of(op, &b)?);
    if of_a.rows != of_b.rows {
        let message = format!(
            "{} equations for {} right-hand sides: shapes {:?} and {:?}",
            of_a.rows,
            of_b.rows,
            a.shape(),
            shape
        );
        return Err(OpsError::argument(op, message));
    }
    let batch = freelane_array::broadcast_shapes([of_a.batch, of_b.batch]).in_op(op)?;
    let wide: Vec<usize> = batch.iter().copied().chain([of_b.rows, of_b.cols]).collect();
    let count: usize = of_a.count();
    let lengths: Vec<isize> = of_a.batch.iter().map(|&n| n as isize).collect();
    let numbers = Array::arange(0, count as i64, 1)?.reshape(&lengths)?.broadcast_to(&batch)?;
    let from = numbers.to_vec::<i64>()?.into_iter().map(|i| i as usize).collect();
    Ok((b.broadcast_to(&wide)?.copy()?, vector, from))
}

fn solutions<T: Field>(op: &'static str, a: &Array, x: &mut Array, from: &[usize]) -> Result<(), OpsError> {
    let factors = factors::<T>(op, a)?;
    let shape = Shape::of(op, a)?;
    let n = shape.rows;
    factors.regular::<T>(op, a, n, shape.count())?;
    let all = factors.all::<T>(n)?;
    let wide = Shape::of(op, x)?;
    let (cols, count, cost) = (wide.cols, wide.count(), wide.cost_of_solving());
    if x.is_empty() {
        return Ok(());
    }
    let parts = Chunks::new(elements_mut::<T>(x)?, count);
    each(op, cost, parts, |lane, i, x| all(from[i]).solve_transposed(lane, op, x, cols))
}
