//! Reductions made of closures.
use super::fold::{Closures, Fold, Rows};
use super::{check_name, guarded, takes};
use crate::ufunc::{finish, uninit};
use crate::{Array, Axes, InOp, Operand, OpsError, ops};
use freelane_array::{ArrayData, DType, Dims, Element, Layout};
use freelane_pool::Lane;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

/// A handle on a reduction of the program's own.
///
/// ```
/// use freelane_ops::{Array, UserReduction};
/// let range = UserReduction::builder("spread")
///     .doc("The greatest element less the least.")
///     .fold(
///         (f64::INFINITY, f64::NEG_INFINITY),
///         |x: f64| (x, x),
///         |a: (f64, f64), b: (f64, f64)| (a.0.min(b.0), a.1.max(b.1)),
///         |(least, greatest): (f64, f64), _count| greatest - least,
///     )
///     .register()?;
/// let x = Array::from_vec(vec![1.0, 5.0, 2.0, 9.0], &[2, 2])?;
/// assert_eq!(range.apply(&x, .., false)?.item::<f64>()?, 8.0);
/// assert_eq!(range.apply(&x, 0, false)?.to_vec::<f64>()?, [1.0, 4.0]);
/// # Ok::<(), freelane_ops::OpsError>(())
/// ```
///
/// Elements meet in the order of all reductions, which depends on their number alone: strides, axes and threads do not
/// show in the bits.
#[derive(Clone)]
pub struct UserReduction {
    row: Arc<Row>,
}

struct Row {
    name: &'static str,
    doc: String,
    folds: Vec<Fold>,
    cost: f32,
    needs_elements: bool,
}

/// A reduction being made.
pub struct UserReductionBuilder {
    row: Row,
}

impl UserReductionBuilder {
    /// What it computes; the first line is a summary.
    #[must_use]
    pub fn doc(mut self, doc: impl Into<String>) -> Self {
        self.row.doc = doc.into();
        self
    }

    /// Estimated nanoseconds an element, 1 if not given.
    #[must_use]
    pub fn cost(mut self, nanoseconds: f32) -> Self {
        self.row.cost = nanoseconds;
        self
    }

    /// Reducing no elements is an error; else `finish` gets the identity and a count of 0.
    #[must_use]
    pub fn needs_elements(mut self) -> Self {
        self.row.needs_elements = true;
        self
    }

    /// Adds a fold for elements of type `T`.
    ///
    /// `identity` changes nothing that it is combined with, on either side; `combine` is associative but for rounding, its
    /// left argument comes from earlier elements; `finish` gets what all have become and how many there were.
    #[must_use]
    pub fn fold<T, A, R>(
        mut self,
        identity: A,
        lift: impl Fn(T) -> A + Send + Sync + 'static,
        combine: impl Fn(A, A) -> A + Send + Sync + 'static,
        finish: impl Fn(A, usize) -> R + Send + Sync + 'static,
    ) -> Self
    where
        T: Element,
        A: Copy + Send + Sync + 'static,
        R: Element,
    {
        let run = Box::new(Closures { identity, lift, combine, finish, types: PhantomData::<fn(T) -> R> });
        self.row.folds.push(Fold { input: T::DTYPE, out: R::DTYPE, run });
        self
    }

    /// Freezes the table and gives the handle.
    ///
    /// # Errors
    /// When the name is none, there is no fold, or two folds take the same type.
    pub fn register(self) -> Result<UserReduction, OpsError> {
        let row = self.row;
        check_name(row.name, "function")?;
        if row.folds.is_empty() {
            return Err(OpsError::argument(row.name, "has no fold; give its closures to fold"));
        }
        if let Some(i) = (1..row.folds.len()).find(|&i| row.folds[..i].iter().any(|f| f.input == row.folds[i].input)) {
            return Err(OpsError::argument(row.name, format!("has two folds for {}", row.folds[i].input)));
        }
        if !(row.cost >= 0.0 && row.cost.is_finite()) {
            let message = format!("a cost of {} nanoseconds an element is none", row.cost);
            return Err(OpsError::argument(row.name, message));
        }
        Ok(UserReduction { row: Arc::new(row) })
    }
}

impl UserReduction {
    /// Begins a reduction of a name.
    pub fn builder(name: &'static str) -> UserReductionBuilder {
        let doc = "A reduction of the program's own.".to_owned();
        UserReductionBuilder { row: Row { name, doc, folds: vec![], cost: 1.0, needs_elements: false } }
    }

    /// Its name.
    pub fn name(&self) -> &'static str {
        self.row.name
    }

    /// What it computes.
    pub fn doc(&self) -> &str {
        &self.row.doc
    }

    /// What the folds take and give, in the order in which they are tried.
    pub fn folds(&self) -> impl Iterator<Item = (DType, DType)> {
        self.row.folds.iter().map(|f| (f.input, f.out))
    }

    /// Calls it on the calling thread's lane; `axes` is `..` for all, a number, or a list.
    ///
    /// # Errors
    /// As [`UserReduction::call`].
    pub fn apply(&self, x: &Array, axes: impl Into<Axes>, keepdims: bool) -> Result<Array, OpsError> {
        Lane::with(|lane| self.call(lane, x.data(), &axes.into(), keepdims)).map(Into::into)
    }

    /// Reduces an array over axes, which stay with length 1 with `keepdims`.
    ///
    /// # Errors
    /// When no fold takes the array's type, an axis does not exist, there is nothing to reduce for a reduction that needs
    /// elements, memory cannot be had, or a closure panics.
    pub fn call(&self, lane: &Lane, x: &ArrayData, axes: &Axes, keepdims: bool) -> Result<ArrayData, OpsError> {
        let (op, fold) = (self.row.name, self.choose(x)?);
        let mask = axes.mask(op, x.layout().rank())?;
        let shape = x.layout().shape();
        let length = |i: usize| if mask[i] { keepdims.then_some(1) } else { Some(shape[i]) };
        let dims: Dims = (0..shape.len()).filter_map(length).collect();
        let layout = Layout::contiguous(&dims).in_op(op)?;
        let count = (0..shape.len()).filter(|&i| mask[i]).map(|i| shape[i]).product::<usize>();
        if self.row.needs_elements && count == 0 && !layout.is_empty() {
            let message = format!("an array of shape {shape:?} has no elements to reduce");
            return Err(OpsError::argument(op, message));
        }
        let mut buffer = uninit(lane, &layout, fold.out, op)?;
        if !layout.is_empty() {
            let x = in_rows(lane, op, x, &mask, fold.input)?;
            let rows = Rows { x: x.as_ptr(), out: buffer.as_mut_ptr(), outputs: layout.len(), count };
            let cost = (x.layout().len() as f64 * f64::from(self.row.cost)) as u64;
            // SAFETY: `in_rows` gave the fold's type, aligned and without gaps, and the buffer has a place for each output.
            guarded(op, || unsafe { fold.run.run(lane, rows, cost) }.in_op(op))?;
        }
        // SAFETY: the fold wrote every output.
        Ok(unsafe { finish(buffer, fold.out, layout) })
    }

    fn choose(&self, x: &ArrayData) -> Result<&Fold, OpsError> {
        let folds = &self.row.folds;
        let exact = folds.iter().find(|f| f.input == x.dtype());
        let found = exact.or_else(|| folds.iter().find(|f| takes(f.input, &Operand::Array(x), true)));
        found.ok_or_else(|| {
            let supported = folds.iter().map(|f| f.input.name()).collect::<Vec<_>>().join(", ");
            OpsError::DType { op: self.row.name, found: vec![x.dtype()], supported }
        })
    }
}

/// The array in the fold's type, with the axes that go at the end, without gaps and aligned.
fn in_rows(lane: &Lane, op: &'static str, x: &ArrayData, mask: &[bool], dtype: DType) -> Result<ArrayData, OpsError> {
    let kept = (0..mask.len()).filter(|&i| !mask[i]);
    let order: Vec<isize> = kept.chain((0..mask.len()).filter(|&i| mask[i])).map(|i| i as isize).collect();
    let x = x.with_layout(x.layout().permute(&order).in_op(op)?).in_op(op)?;
    match x.dtype() == dtype {
        false => ops::astype::astype(lane, &x, dtype),
        true if x.layout().is_contiguous() && x.as_ptr().align_offset(dtype.align()) == 0 => Ok(x),
        true => ops::astype::copy(lane, &x, op),
    }
}

impl fmt::Debug for UserReduction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}(x, axis=None, *, keepdims=False)", self.row.name)
    }
}
