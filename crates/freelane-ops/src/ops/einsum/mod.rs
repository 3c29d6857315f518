//! Sums of products written with a letter for each axis.
//!
//! ```text
//! "ij,jk->ik"      subscripts.rs   letters of each operand and of the result; `...` becomes labels of its own
//! labelled arrays  term.rs         one axis a label: diagonals taken, labels of nobody else summed
//! order            order.rs        which two operands next: the cheapest of all orders, or greedily for many operands
//! each pair        pair.rs         a batched matrix product, or an elementwise one when nothing is summed
//! ```
mod order;
mod pair;
mod subscripts;
mod term;

use crate::{Array, OpsError, promote_types};
use order::Sizes;
use smallvec::SmallVec;
use subscripts::Subscripts;
use term::Term;

const OP: &str = "einsum";

/// An axis of an operand by its name: axes of one name run together, and those the result does not name are summed.
type Label = u32;
/// The labels of an array's axes. Few need no heap.
type Labels = SmallVec<[Label; 8]>;

/// Sums of products of operands whose axes are named by letters, as NumPy's `einsum`: `"ij,jk->ik"` is a matrix product,
/// `"ii"` a trace, `"...ij->...ji"` a transposition.
///
/// Without `->` the result has the letters that occur once, in the order of the alphabet. `...` stands for the axes that
/// have no letter; they broadcast. Two operands at a time are multiplied as a batch of matrices, in an order with few
/// operations.
///
/// ```
/// use freelane_ops::{Array, einsum};
/// let x = Array::arange(0, 6, 1)?.reshape(&[2, 3])?;
/// assert_eq!(einsum("ij,kj->ik", &[&x, &x])?.to_vec::<i64>()?, [5, 14, 14, 50]);
/// assert_eq!(einsum("ij->j", &[&x])?.to_vec::<i64>()?, [3, 5, 7]);
/// # Ok::<(), freelane_ops::OpsError>(())
/// ```
///
/// # Errors
/// When the text is malformed or does not fit the operands, or axes of one letter have different lengths.
pub fn einsum(subscripts: &str, operands: &[&Array]) -> Result<Array, OpsError> {
    run(subscripts, operands).map_err(|e| e.of(OP))
}

fn run(subscripts: &str, operands: &[&Array]) -> Result<Array, OpsError> {
    let ranks: SmallVec<[usize; 4]> = operands.iter().map(|x| x.rank()).collect();
    let Subscripts { inputs, output } = Subscripts::parse(subscripts, &ranks)?;
    if let ([x], [labels]) = (operands, &inputs[..]) {
        let term = Term::new(x, labels)?;
        known(&output, |label| term.has(label))?;
        return term.summed(|label| output.contains(&label))?.in_order(&output);
    }
    let dtype = operands.iter().map(|x| x.dtype()).reduce(promote_types);
    let Some(dtype) = dtype else { return Err(wrong("needs an operand")) };
    let terms = operands.iter().zip(&inputs).map(|(x, labels)| Term::new(x, labels)).collect::<Result<Vec<_>, _>>()?;
    let sizes = Sizes::of(&terms)?;
    let mut terms = terms
        .into_iter()
        .map(|t| t.without_stretched(&sizes).and_then(|t| t.in_dtype(dtype)))
        .collect::<Result<Vec<_>, _>>()?;
    known(&output, |label| sizes.get(label).is_some())?;
    for (i, j) in order::order(&terms, &output, &sizes) {
        let (right, left) = (terms.remove(j), terms.remove(i));
        let product = {
            let needed = |label: Label| output.contains(&label) || terms.iter().any(|t| t.has(label));
            let (of_left, of_right) = (left.labels.clone(), right.labels.clone());
            let left = left.summed(|l| needed(l) || of_right.contains(&l))?;
            let right = right.summed(|l| needed(l) || of_left.contains(&l))?;
            pair::product(left, right, &needed, &output)?
        };
        terms.push(product);
    }
    match terms.pop() {
        Some(term) => term.summed(|label| output.contains(&label))?.in_order(&output),
        None => Err(wrong("needs an operand")),
    }
}

/// Every label of the result must be one of the operands'.
fn known(output: &[Label], has: impl Fn(Label) -> bool) -> Result<(), OpsError> {
    match output.iter().find(|&&label| !has(label)) {
        Some(&label) => Err(wrong(format!("the result names {}, no operand does", subscripts::shown(label)))),
        None => Ok(()),
    }
}

fn wrong(message: impl Into<String>) -> OpsError {
    OpsError::argument(OP, message)
}
