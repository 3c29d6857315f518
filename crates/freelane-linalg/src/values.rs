//! Eigenvalues and singular values without vectors: `faer` reduces matrices to two diagonals, the iterations are our own.
use crate::dense::{self, with_stack};
use crate::field::{Field, Real};
use crate::{bidiagonal, tridiagonal};
use faer::dyn_stack::{MemStack, StackReq};
use faer::linalg::{evd::tridiag, qr, svd::bidiag, temp_mat_scratch, temp_mat_zeroed};
use faer::mat::AsMatMut;
use faer::{MatMut, MatRef, Par};
use freelane_ops::OpsError;
use freelane_pool::Lane;

const PAR: Par = Par::Seq;

/// How many times more rows than columns a matrix has whose R is reduced in its place.
const TALL: usize = 2;

/// Eigenvalues of a Hermitian matrix, whose lower half is read, in ascending order.
pub(crate) fn eigh<T: Field>(
    lane: &Lane,
    op: &'static str,
    a: MatRef<'_, T>,
    values: &mut [T],
) -> Result<(), OpsError> {
    let n = a.nrows();
    if n == 0 {
        return Ok(());
    }
    let reduce = tridiag::tridiag_in_place_scratch::<T>(n, PAR, Default::default());
    let need = StackReq::all_of(&[doubles(n, 2), temp_mat_scratch::<T>(n, n), temp_mat_scratch::<T>(1, n - 1), reduce]);
    let done = with_stack(lane, op, need, |stack| {
        let (mut d, stack) = stack.make_with(n, |_| 0.0);
        let (mut e, stack) = stack.make_with(n - 1, |_| 0.0);
        let (mut work, stack) = temp_mat_zeroed::<T, _, _>(n, n, stack);
        let (mut h, stack) = temp_mat_zeroed::<T, _, _>(1, n - 1, stack);
        let mut work = work.as_mat_mut();
        work.copy_from_triangular_lower(a);
        tridiag::tridiag_in_place(work.as_mut(), h.as_mat_mut(), PAR, stack, Default::default());
        (0..n).for_each(|i| d[i] = work[(i, i)].real_part().double());
        (0..n - 1).for_each(|i| e[i] = work[(i + 1, i)].magnitude().double());
        let apart = lost_in_squares(&d, &e);
        e.iter_mut().for_each(|x| *x *= *x);
        let done = !apart && tridiagonal::eigenvalues(&mut d, &mut e);
        values.iter_mut().zip(&*d).for_each(|(v, d)| *v = T::from_real(T::R::of_double(*d)));
        done
    })?;
    if done { Ok(()) } else { dense::eigh(lane, op, a, values, None) }
}

/// Singular values of a matrix in descending order.
pub(crate) fn svd<T: Field>(lane: &Lane, op: &'static str, a: MatRef<'_, T>, values: &mut [T]) -> Result<(), OpsError> {
    let a = if a.nrows() < a.ncols() { a.transpose() } else { a };
    let (m, n) = (a.nrows(), a.ncols());
    if n == 0 {
        return Ok(());
    }
    let need = StackReq::all_of(&[doubles(n, 4), temp_mat_scratch::<T>(m, n), reduction_scratch::<T>(m, n)]);
    let done = with_stack(lane, op, need, |stack| {
        let (mut d, stack) = stack.make_with(n, |_| 0.0);
        let (mut e, stack) = stack.make_with(n, |_| 0.0);
        let (mut room, stack) = stack.make_with(2 * n, |_| 0.0);
        let (mut work, stack) = temp_mat_zeroed::<T, _, _>(m, n, stack);
        let mut work = work.as_mat_mut();
        work.copy_from(a);
        let work = reduced(work, stack);
        (0..n).for_each(|i| d[i] = work[(i, i)].magnitude().double());
        (0..n - 1).for_each(|i| e[i] = work[(i, i + 1)].magnitude().double());
        let done = !graded(&d, &e) && bidiagonal::singular_values(&mut d, &mut e, &mut room);
        values.iter_mut().zip(&*d).for_each(|(v, d)| *v = T::from_real(T::R::of_double(*d)));
        done
    })?;
    if done { Ok(()) } else { dense::svd(lane, op, a, values, None, false) }
}

fn doubles(n: usize, count: usize) -> StackReq {
    StackReq::new::<f64>(n).array(count)
}

/// What is not zero and this much smaller than the largest element has squares that get lost beside the others'.
const GRADED: f64 = 1e-12;

/// Whether elements are so far apart that the iteration by squares would lose small values: a matrix without full rank, or
/// one whose rows differ in scale.
fn graded(d: &[f64], e: &[f64]) -> bool {
    let most = d.iter().chain(e).copied().fold(0.0, f64::max);
    d.iter().chain(e).any(|&x| x > 0.0 && x < GRADED * most)
}

/// Whether an element beside the diagonal has a square that gets lost beside the others'.
fn lost_in_squares(d: &[f64], e: &[f64]) -> bool {
    let most = d.iter().chain(e).fold(0.0, |most: f64, x| most.max(x.abs()));
    e.iter().any(|&x| x > 0.0 && x < GRADED * most)
}

fn reduction_scratch<T: Field>(m: usize, n: usize) -> StackReq {
    let of = |m: usize| {
        let reduce = bidiag::bidiag_in_place_scratch::<T>(m, n, PAR, Default::default());
        StackReq::all_of(&[temp_mat_scratch::<T>(1, n), temp_mat_scratch::<T>(1, n - 1), reduce])
    };
    if m < TALL * n {
        return of(m);
    }
    let block = qr::no_pivoting::factor::recommended_block_size::<T>(m, n);
    let factor = qr::no_pivoting::factor::qr_in_place_scratch::<T>(m, n, block, PAR, Default::default());
    StackReq::any_of(&[temp_mat_scratch::<T>(block, n).and(factor), of(n)])
}

/// The matrix as a bidiagonal one, in its first rows: the upper half counts alone.
fn reduced<'a, T: Field>(mut work: MatMut<'a, T>, stack: &mut MemStack) -> MatMut<'a, T> {
    let (m, n) = (work.nrows(), work.ncols());
    if m >= TALL * n {
        let block = qr::no_pivoting::factor::recommended_block_size::<T>(m, n);
        let (mut h, stack) = temp_mat_zeroed::<T, _, _>(block, n, stack);
        qr::no_pivoting::factor::qr_in_place(work.as_mut(), h.as_mat_mut(), PAR, stack, Default::default());
        work = work.subrows_mut(0, n);
        (0..n).for_each(|j| (j + 1..n).for_each(|i| work[(i, j)] = T::ZERO));
    }
    let (mut left, stack) = temp_mat_zeroed::<T, _, _>(1, n, stack);
    let (mut right, stack) = temp_mat_zeroed::<T, _, _>(1, n - 1, stack);
    bidiag::bidiag_in_place(work.as_mut(), left.as_mat_mut(), right.as_mat_mut(), PAR, stack, Default::default());
    work
}
