//! One matrix at a time: the calls of `faer`. Slices hold matrices without gaps, by columns unless a name says rows.
use crate::field::{Field, Real};
use crate::stack::hopeless;
use faer::diag::DiagMut;
use faer::dyn_stack::{MemStack, StackReq};
use faer::linalg::{cholesky, evd, householder, lu, qr, svd, triangular_solve};
use faer::perm::PermRef;
use faer::{Conj, MatMut, MatRef, Par};
use freelane_mem::ScratchReq;
use freelane_ops::{InOp, OpsError};
use freelane_pool::Lane;

/// The lanes are split by matrices, never inside of one.
const PAR: Par = Par::Seq;

/// Runs `f` with scratch memory of the lane.
pub(crate) fn with_stack<R>(
    lane: &Lane,
    op: &'static str,
    need: StackReq,
    f: impl FnOnce(&mut MemStack) -> R,
) -> Result<R, OpsError> {
    let req = ScratchReq::new(need.unaligned_bytes_required(), 64);
    lane.scratch(req, |bytes| f(MemStack::new(bytes))).in_op(op)
}

/// Where a matrix lies: rows or columns without gaps.
pub(crate) fn by_rows<T>(x: &[T], rows: usize, cols: usize) -> MatRef<'_, T> {
    MatRef::from_row_major_slice(x, rows, cols)
}

/// Calls `f` with the matrix or, if squares of its elements would overflow or vanish, with a multiple of it for which they do not,
/// and what its values are then to be multiplied by.
pub(crate) fn tamed<T: Field>(
    lane: &Lane,
    op: &'static str,
    x: &[T],
    f: impl FnOnce(&[T], Option<T>) -> Result<(), OpsError>,
) -> Result<(), OpsError> {
    let zero = T::R::NAUGHT;
    let greatest = x.iter().map(|x| x.bound()).fold(zero, |a, b| if b > a { b } else { a });
    let Some(factor) = greatest.taming() else { return f(x, None) };
    with_stack(lane, op, StackReq::new::<T>(x.len()), |stack| {
        let (multiple, _) = stack.collect(x.iter().map(|x| x.times(T::from_real(factor))));
        f(&multiple, Some(T::from_real(factor.inverse())))
    })?
}

/// Multiplies values back.
pub(crate) fn untame<T: Field>(values: &mut [T], back: Option<T>) {
    if let Some(back) = back {
        values.iter_mut().for_each(|x| *x = x.times(back));
    }
}

/// Cholesky's factor L of a matrix, whose lower half is read, in its place; zero above the diagonal.
pub(crate) fn cholesky<T: Field>(lane: &Lane, op: &'static str, mut a: MatMut<'_, T>) -> Result<(), OpsError> {
    let n = a.nrows();
    let need = cholesky::llt::factor::cholesky_in_place_scratch::<T>(n, PAR, Default::default());
    let done = with_stack(lane, op, need, |stack| {
        let rule = cholesky::llt::factor::LltRegularization::default();
        cholesky::llt::factor::cholesky_in_place(a.as_mut(), rule, PAR, stack, Default::default())
    })?;
    let bad = match done {
        Ok(_) => (0..n).find(|&i| a[(i, i)].real_part() <= T::R::NAUGHT || !a[(i, i)].finite()),
        Err(cholesky::llt::factor::LltError::NonPositivePivot { index }) => Some(index),
    };
    if let Some(i) = bad {
        let message =
            format!("the matrix is not positive definite: its leading minor of order {} is not positive", i + 1);
        return Err(hopeless(op, message));
    }
    for j in 0..n {
        (0..j).for_each(|i| a[(i, j)] = T::ZERO);
    }
    Ok(())
}

/// A matrix as P^-1 L U.
pub(crate) struct Lu<'a, T> {
    pub n: usize,
    /// L below the diagonal, which is all ones, and U.
    pub factors: &'a [T],
    pub forward: &'a [u64],
    pub inverse: &'a [u64],
}

/// Factors a matrix in its place; whether its rows were exchanged an odd number of times.
pub(crate) fn lu<T: Field>(
    lane: &Lane,
    op: &'static str,
    a: &mut [T],
    forward: &mut [u64],
    inverse: &mut [u64],
) -> Result<bool, OpsError> {
    let n = forward.len();
    let need = lu::partial_pivoting::factor::lu_in_place_scratch::<u64, T>(n, n, PAR, Default::default());
    with_stack(lane, op, need, |stack| {
        let a = MatMut::from_column_major_slice_mut(a, n, n);
        let (info, _) = lu::partial_pivoting::factor::lu_in_place(a, forward, inverse, PAR, stack, Default::default());
        info.transposition_count % 2 == 1
    })
}

impl<T: Field> Lu<'_, T> {
    fn parts(&self) -> (MatRef<'_, T>, PermRef<'_, u64>) {
        let factors = MatRef::from_column_major_slice(self.factors, self.n, self.n);
        (factors, PermRef::new_checked(self.forward, self.inverse, self.n))
    }

    /// Elements of the diagonal of U.
    pub fn pivots(&self) -> impl Iterator<Item = T> + '_ {
        (0..self.n).map(|i| self.factors[i * (self.n + 1)])
    }

    /// Solves with the transposed matrix: `x`, of so many columns, lies by rows.
    pub fn solve_transposed(&self, lane: &Lane, op: &'static str, x: &mut [T], cols: usize) -> Result<(), OpsError> {
        let need = lu::partial_pivoting::solve::solve_transpose_in_place_scratch::<u64, T>(self.n, cols, PAR);
        let (factors, rows) = self.parts();
        with_stack(lane, op, need, |stack| {
            let x = MatMut::from_row_major_slice_mut(x, self.n, cols);
            lu::partial_pivoting::solve::solve_transpose_in_place_with_conj(
                factors,
                factors,
                rows,
                Conj::No,
                x,
                PAR,
                stack,
            );
        })
    }

    pub fn inverse(&self, lane: &Lane, op: &'static str, out: &mut [T]) -> Result<(), OpsError> {
        let need = lu::partial_pivoting::inverse::inverse_scratch::<u64, T>(self.n, PAR);
        let (factors, rows) = self.parts();
        with_stack(lane, op, need, |stack| {
            let out = MatMut::from_column_major_slice_mut(out, self.n, self.n);
            lu::partial_pivoting::inverse::inverse(out, factors, factors, rows, PAR, stack);
        })
    }
}

/// Solves with a triangular matrix: `x` by rows.
pub(crate) fn solve_triangular<T: Field>(a: &[T], x: &mut [T], [n, cols]: [usize; 2], upper: bool, unit: bool) {
    let (a, x) = (by_rows(a, n, n), MatMut::from_row_major_slice_mut(x, n, cols));
    use triangular_solve as t;
    match (upper, unit) {
        (true, false) => t::solve_upper_triangular_in_place(a, x, PAR),
        (true, true) => t::solve_unit_upper_triangular_in_place(a, x, PAR),
        (false, false) => t::solve_lower_triangular_in_place(a, x, PAR),
        (false, true) => t::solve_unit_lower_triangular_in_place(a, x, PAR),
    }
}

/// Factors `a` of `m` rows; R replaces its upper half. Then `q`, of as many rows, becomes as many columns of Q.
pub(crate) fn qr<T: Field>(
    lane: &Lane,
    op: &'static str,
    a: &mut [T],
    q: &mut [T],
    [m, n]: [usize; 2],
) -> Result<(), OpsError> {
    let size = m.min(n);
    if size == 0 {
        unit(q, m);
        return Ok(());
    }
    let block = qr::no_pivoting::factor::recommended_block_size::<T>(m, n);
    let cols = q.len() / m;
    let factor = qr::no_pivoting::factor::qr_in_place_scratch::<T>(m, n, block, PAR, Default::default());
    let apply = householder::apply_block_householder_sequence_on_the_left_in_place_scratch::<T>(m, block, cols);
    let need = faer::linalg::temp_mat_scratch::<T>(block, size).and(factor.or(apply));
    with_stack(lane, op, need, |stack| {
        let (mut h, stack) = faer::linalg::temp_mat_zeroed::<T, _, _>(block, size, stack);
        let mut h = faer::mat::AsMatMut::as_mat_mut(&mut h);
        let mut a = MatMut::from_column_major_slice_mut(a, m, n);
        qr::no_pivoting::factor::qr_in_place(a.as_mut(), h.as_mut(), PAR, stack, Default::default());
        unit(q, m);
        let q = MatMut::from_column_major_slice_mut(q, m, cols);
        let basis = a.as_ref().subcols(0, size);
        householder::apply_block_householder_sequence_on_the_left_in_place_with_conj(
            basis,
            h.as_ref(),
            Conj::No,
            q,
            PAR,
            stack,
        );
    })
}

/// The first columns of the unit matrix.
fn unit<T: Field>(q: &mut [T], rows: usize) {
    q.fill(T::ZERO);
    q.iter_mut().step_by(rows + 1).for_each(|x| *x = T::ONE);
}

/// Singular values of a matrix, and, by columns, its left and right vectors: all or as many as there are values.
pub(crate) fn svd<T: Field>(
    lane: &Lane,
    op: &'static str,
    a: MatRef<'_, T>,
    values: &mut [T],
    vectors: Option<(&mut [T], &mut [T])>,
    full: bool,
) -> Result<(), OpsError> {
    let (m, n) = (a.nrows(), a.ncols());
    let which = match (&vectors, full) {
        (None, _) => svd::ComputeSvdVectors::No,
        (_, false) => svd::ComputeSvdVectors::Thin,
        (_, true) => svd::ComputeSvdVectors::Full,
    };
    let need = svd::svd_scratch::<T>(m, n, which, which, PAR, Default::default());
    let done = with_stack(lane, op, need, |stack| {
        let size = m.min(n);
        let (left, right) = if full { (m, n) } else { (size, size) };
        let (u, v) = match vectors {
            Some((u, v)) => {
                // What lies beside the vectors of values is taken for zero.
                u.fill(T::ZERO);
                v.fill(T::ZERO);
                (
                    Some(MatMut::from_column_major_slice_mut(u, m, left)),
                    Some(MatMut::from_column_major_slice_mut(v, n, right)),
                )
            }
            None => (None, None),
        };
        svd::svd(a, DiagMut::from_slice_mut(values), u, v, PAR, stack, Default::default())
    })?;
    done.map_err(|_| hopeless(op, "the iteration for the singular values did not converge"))
}

/// Eigenvalues of a Hermitian matrix, whose lower half is read, in ascending order, and its vectors by columns.
pub(crate) fn eigh<T: Field>(
    lane: &Lane,
    op: &'static str,
    a: MatRef<'_, T>,
    values: &mut [T],
    vectors: Option<&mut [T]>,
) -> Result<(), OpsError> {
    let n = a.nrows();
    if n == 0 {
        return Ok(());
    }
    let which = if vectors.is_some() { evd::ComputeEigenvectors::Yes } else { evd::ComputeEigenvectors::No };
    let need = evd::self_adjoint_evd_scratch::<T>(n, which, PAR, Default::default());
    let done = with_stack(lane, op, need, |stack| {
        let vectors = vectors.map(|v| MatMut::from_column_major_slice_mut(v, n, n));
        evd::self_adjoint_evd(a, DiagMut::from_slice_mut(values), vectors, PAR, stack, Default::default())
    })?;
    done.map_err(|_| unconverged(op))
}

fn unconverged(op: &'static str) -> OpsError {
    hopeless(op, "the iteration for the eigenvalues did not converge")
}

/// Eigenvalues of a general matrix and, by columns, its vectors of length one.
pub(crate) fn eig<T: Field>(
    lane: &Lane,
    op: &'static str,
    a: MatRef<'_, T>,
    values: &mut [T::C],
    vectors: Option<&mut [T::C]>,
) -> Result<(), OpsError> {
    let n = a.nrows();
    let which = if vectors.is_some() { evd::ComputeEigenvectors::Yes } else { evd::ComputeEigenvectors::No };
    let need = evd::evd_scratch::<T>(n, evd::ComputeEigenvectors::No, which, PAR, Default::default());
    let need = need.and(T::eig_parts(n, vectors.is_some()));
    let mut vectors = vectors;
    with_stack(lane, op, need, |stack| T::eig(a, values, vectors.as_deref_mut(), stack))?
        .map_err(|_| unconverged(op))?;
    if let Some(vectors) = vectors {
        vectors.chunks_mut(n.max(1)).for_each(to_length_one);
    }
    Ok(())
}

/// What `faer` gives for a real matrix, as complex numbers: eigenvalues and vectors that are not real come in conjugate pairs,
/// of which two columns hold the parts.
pub(crate) fn unpack<C: Field<C = C>>(
    [re, im]: [&[C::R]; 2],
    packed: Option<&[C::R]>,
    values: &mut [C],
    vectors: Option<&mut [C]>,
) {
    values.iter_mut().zip(re.iter().zip(im)).for_each(|(v, (&re, &im))| *v = C::complex(re, im));
    let (Some(packed), Some(vectors)) = (packed, vectors) else { return };
    let n = values.len();
    let mut j = 0;
    while j < n {
        let pair = im[j] != C::R::NAUGHT && j + 1 < n;
        for i in 0..n {
            let imaginary = if pair { packed[(j + 1) * n + i] } else { C::R::NAUGHT };
            let x = C::complex(packed[j * n + i], imaginary);
            vectors[j * n + i] = x;
            if pair {
                vectors[(j + 1) * n + i] = x.conjugate();
            }
        }
        j += 1 + usize::from(pair);
    }
}

fn to_length_one<C: Field>(column: &mut [C]) {
    let zero = C::R::NAUGHT;
    let most = column.iter().map(|x| x.magnitude()).fold(zero, |a, b| if b > a { b } else { a });
    if most <= zero {
        return;
    }
    let squares = column.iter().map(|x| x.magnitude() / most).fold(zero, |sum, x| sum + x * x);
    let scale = C::from_real((most * Real::sqrt(squares)).inverse());
    column.iter_mut().for_each(|x| *x = x.times(scale));
}
