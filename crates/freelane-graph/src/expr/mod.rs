//! Expressions: arrays that are computed when somebody asks, all at once.
//!
//! ```text
//! mod.rs         what an expression is
//! record.rs      functions of expressions: type and shape are told at once, elements later
//! build.rs       the graph of some expressions, and their values: passes, plan, run
//! operators.rs   + - * / and so on; functions.rs: elementwise functions and others as methods
//! ```
//!
//! What is told of a result at once is what a call of the function would say: the same type, the same shape, the same errors.
//! Where only a call can say it, the call is made.
mod build;
mod functions;
mod operators;
mod record;

pub use build::{trace, values};
pub use record::{Given, Place, Recorded, Scope};

use crate::{GraphError, Operator};
use freelane_array::{ArrayData, DType, Dims};
use freelane_ops::{Array, OpsError, made};
use freelane_sync::OnceTable;
use std::fmt;
use std::sync::Arc;

/// An array that may not be computed yet. Clones are the same expression.
///
/// ```
/// use freelane_graph::Expr;
/// use freelane_ops::Array;
///
/// let x = Expr::from(Array::from_slice(&[1.0, 2.0, 3.0])?);
/// let y = (&x - x.mean(.., false)?).square()? * 0.5;
/// assert_eq!(y.shape(), [3]);
/// assert_eq!(y.value()?.to_vec::<f64>()?, [0.5, 0.0, 0.5]);
/// # Ok::<(), freelane_graph::GraphError>(())
/// ```
#[derive(Clone)]
pub struct Expr(Arc<Term>);

struct Term {
    dtype: DType,
    shape: Dims,
    source: Origin,
    // LEDGER: the expression; filled by whoever computes it first
    value: OnceTable<ArrayData>,
}

enum Origin {
    /// An array at hand.
    Array,
    /// An input of a function that is traced.
    Input,
    /// An output of a node.
    Node(Arc<Maker>, usize),
}

/// A node before it is in a graph.
struct Maker {
    op: Arc<dyn Operator>,
    inputs: Vec<Expr>,
    outputs: Vec<(DType, Dims)>,
    /// Whether shapes may be others for other elements of the inputs.
    open: bool,
    place: Place,
}

impl Expr {
    fn new(dtype: DType, shape: Dims, source: Origin, value: Option<ArrayData>) -> Expr {
        let table = OnceTable::new();
        if let Some(value) = value {
            table.get_or_init(|| value);
        }
        Expr(Arc::new(Term { dtype, shape, source, value: table }))
    }

    /// An input of a function that is traced, with an array that it may be.
    pub fn input(example: ArrayData) -> Expr {
        Expr::new(example.dtype(), example.layout().shape().into(), Origin::Input, Some(example))
    }

    /// The type of the elements.
    pub fn dtype(&self) -> DType {
        self.0.dtype
    }

    /// Lengths of the axes.
    pub fn shape(&self) -> &[usize] {
        &self.0.shape
    }

    /// Number of axes.
    pub fn rank(&self) -> usize {
        self.0.shape.len()
    }

    /// Whether its shape may be another for other elements of the arrays that it is made of.
    pub fn is_open(&self) -> bool {
        matches!(&self.0.source, Origin::Node(maker, _) if maker.open)
    }

    /// The value, if it is at hand.
    pub fn at_hand(&self) -> Option<&ArrayData> {
        self.0.value.get()
    }

    /// The expression, which forgets how it was made if its value is at hand: what it was made of is freed.
    #[must_use]
    pub fn settled(self) -> Expr {
        match (&self.0.source, self.at_hand()) {
            (Origin::Node(..), Some(value)) => Expr::from(value.clone()),
            _ => self,
        }
    }

    /// An array of its type and shape whose elements are of no meaning and take no memory.
    ///
    /// # Errors
    /// When an array cannot be so large.
    pub fn outline(&self) -> Result<ArrayData, OpsError> {
        made::stand_in(self.dtype(), self.shape())
    }
}

impl From<ArrayData> for Expr {
    fn from(array: ArrayData) -> Expr {
        Expr::new(array.dtype(), array.layout().shape().into(), Origin::Array, Some(array))
    }
}

impl From<Array> for Expr {
    fn from(array: Array) -> Expr {
        Expr::from(ArrayData::from(array))
    }
}

impl From<&Array> for Expr {
    fn from(array: &Array) -> Expr {
        Expr::from(array.data().clone())
    }
}

impl fmt::Debug for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {:?}", self.dtype(), self.shape())
    }
}

/// A long chain of expressions is dropped one by one, not one within another.
impl Drop for Maker {
    fn drop(&mut self) {
        let mut dropped = std::mem::take(&mut self.inputs);
        while let Some(expr) = dropped.pop() {
            if let Some(term) = Arc::into_inner(expr.0)
                && let Origin::Node(maker, _) = term.source
                && let Some(mut maker) = Arc::into_inner(maker)
            {
                dropped.append(&mut maker.inputs);
            }
        }
    }
}

impl Expr {
    /// The value, computed now unless it is at hand.
    ///
    /// # Errors
    /// When a function refuses the elements of its operands, or memory cannot be had.
    pub fn value(&self) -> Result<Array, GraphError> {
        freelane_pool::Lane::with(|lane| {
            let mut found = values(lane, &crate::Limits::default(), std::slice::from_ref(self))?;
            found.pop().map(Array::from).ok_or_else(|| GraphError::invalid("no value was computed"))
        })
    }
}
