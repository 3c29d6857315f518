//! Arrays as stacks of matrices.
use freelane_ops::batch::Parts;
use freelane_ops::{Array, Element, OpsError, batch};
use freelane_pool::Lane;

/// Matrices without elements that are gone through at most.
const MOST_EMPTY: usize = 1 << 28;

/// Lengths of the batch axes, rows and columns.
pub(crate) struct Shape<'a> {
    pub batch: &'a [usize],
    pub rows: usize,
    pub cols: usize,
}

impl<'a> Shape<'a> {
    pub fn of(op: &'static str, x: &'a Array) -> Result<Shape<'a>, OpsError> {
        match x.shape() {
            [batch @ .., rows, cols] => Shape { batch, rows: *rows, cols: *cols }.countable(op),
            shape => Err(OpsError::argument(op, format!("needs matrices, the array has shape {shape:?}"))),
        }
    }

    /// An array without elements may stand for more matrices than can be gone through.
    fn countable(self, op: &'static str) -> Result<Shape<'a>, OpsError> {
        let count = self.batch.iter().try_fold(1usize, |all, &n| all.checked_mul(n));
        if count.is_some_and(|n| n <= MOST_EMPTY || self.rows * self.cols > 0) {
            return Ok(self);
        }
        let shape = self.with([self.rows, self.cols]);
        Err(OpsError::argument(op, format!("shape {shape:?} is one of too many matrices without elements")))
    }

    pub fn square(op: &'static str, x: &'a Array) -> Result<Shape<'a>, OpsError> {
        let shape = Shape::of(op, x)?;
        if shape.rows == shape.cols { Ok(shape) } else { Err(not_square(op, x.shape())) }
    }

    /// Matrices in the stack.
    pub fn count(&self) -> usize {
        self.batch.iter().product()
    }

    /// About how long it takes to solve with a factored matrix for each matrix of right-hand sides in this stack.
    pub fn cost_of_solving(&self) -> u64 {
        let one = self.rows.saturating_mul(self.rows).saturating_mul(self.cols);
        (one / 8 + 200).saturating_mul(self.count()) as u64
    }

    /// The batch axes, then others.
    pub fn with<const N: usize>(&self, last: [usize; N]) -> Vec<usize> {
        self.batch.iter().copied().chain(last).collect()
    }

    /// About how long a decomposition takes that makes `passes` times rows * columns * the lesser of both steps.
    pub fn cost(&self, passes: usize) -> u64 {
        let one = self.rows.saturating_mul(self.cols).saturating_mul(self.rows.min(self.cols)).saturating_mul(passes);
        (one / 8 + 200).saturating_mul(self.count()) as u64
    }
}

fn not_square(op: &'static str, shape: &[usize]) -> OpsError {
    OpsError::LinAlg { op, message: format!("needs square matrices, the array has shape {shape:?}") }
}

/// A matrix that the operation has no result for.
pub(crate) fn hopeless(op: &'static str, message: impl Into<String>) -> OpsError {
    OpsError::LinAlg { op, message: message.into() }
}

/// The elements of an array without gaps.
pub(crate) fn elements<T: Element>(x: &Array) -> Result<&[T], OpsError> {
    Ok(x.view::<T>()?.as_slice().unwrap_or_else(|| unreachable!("the array was made without gaps")))
}

/// The elements of an array that was just made.
pub(crate) fn elements_mut<T: Element>(x: &mut Array) -> Result<&mut [T], OpsError> {
    Ok(x.view_mut::<T>()?.into_slice().unwrap_or_else(|| unreachable!("the array was made without gaps")))
}

/// Matrix `i` of a stack of matrices of `len` elements.
pub(crate) fn matrix<T>(all: &[T], i: usize, len: usize) -> &[T] {
    &all[i * len..(i + 1) * len]
}

/// Calls `f` with the parts of the results that belong to each matrix.
pub(crate) fn each<P: Parts>(
    op: &'static str,
    cost: u64,
    parts: P,
    f: impl Fn(&Lane, usize, P::Part) -> Result<(), OpsError> + Sync,
) -> Result<(), OpsError> {
    Lane::with(|lane| batch::for_each_part(lane, op, cost, parts, f))
}
