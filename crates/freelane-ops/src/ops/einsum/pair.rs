//! The product of two operands.
use super::term::Term;
use super::{Label, Labels};
use crate::{Array, OpsError};

/// Multiplies, and sums over labels of both that nobody needs. Labels of one alone are needed.
pub(super) fn product(
    left: Term,
    right: Term,
    needed: &impl Fn(Label) -> bool,
    output: &[Label],
) -> Result<Term, OpsError> {
    // The operand whose labels the result names first gives the rows: then nothing is left to permute.
    let first = |t: &Term, other: &Term| output.iter().position(|&l| t.has(l) && !other.has(l)).unwrap_or(usize::MAX);
    let (left, right) = if first(&right, &left) < first(&left, &right) { (right, left) } else { (left, right) };
    let summed: Labels = left.labels.iter().copied().filter(|&l| right.has(l) && !needed(l)).collect();
    if summed.is_empty() { elementwise(&left, &right, output) } else { matrices(&left, &right, &summed, output) }
}

/// Every label is needed.
fn elementwise(left: &Term, right: &Term, output: &[Label]) -> Result<Term, OpsError> {
    let mut labels: Labels = output.iter().copied().filter(|&l| left.has(l) || right.has(l)).collect();
    for &label in left.labels.iter().chain(&right.labels) {
        if !labels.contains(&label) {
            labels.push(label);
        }
    }
    Ok(Term { array: left.spread(&labels)?.multiply(&right.spread(&labels)?)?, labels })
}

/// Labels of both become a batch, those of the left rows, those of the right columns.
fn matrices(left: &Term, right: &Term, summed: &[Label], output: &[Label]) -> Result<Term, OpsError> {
    let both: Labels =
        in_output_order(left.labels.iter().copied().filter(|l| right.has(*l) && !summed.contains(l)), output);
    let rows: Labels = in_output_order(left.labels.iter().copied().filter(|&l| !right.has(l)), output);
    let columns: Labels = in_output_order(right.labels.iter().copied().filter(|&l| !left.has(l)), output);
    let x = stacked(left, [&both, &rows, summed])?;
    let y = stacked(right, [&both, summed, &columns])?;
    let labels: Labels = both.into_iter().chain(rows).chain(columns).collect();
    let length = |label: &Label| {
        let of = |t: &Term| t.labels.iter().position(|l| l == label).map(|axis| t.array.shape()[axis]);
        of(left).or_else(|| of(right)).unwrap_or(1) as isize
    };
    let shape: Vec<isize> = labels.iter().map(length).collect();
    Ok(Term { array: x.matmul(&y)?.reshape(&shape)?, labels })
}

/// Labels in the order of the result; those it has not come last.
fn in_output_order(labels: impl Iterator<Item = Label>, output: &[Label]) -> Labels {
    let mut labels: Labels = labels.collect();
    labels.sort_by_key(|label| output.iter().position(|l| l == label).unwrap_or(usize::MAX));
    labels
}

/// The array with one axis for each group of labels; without a batch axis if that group is empty.
fn stacked(t: &Term, groups: [&[Label]; 3]) -> Result<Array, OpsError> {
    let order: Labels = groups.iter().flat_map(|g| g.iter().copied()).collect();
    let array = t.spread(&order)?;
    let (mut at, mut shape) = (0, Vec::with_capacity(3));
    for (i, group) in groups.iter().enumerate() {
        let length = array.shape()[at..at + group.len()].iter().product::<usize>() as isize;
        at += group.len();
        if i > 0 || !group.is_empty() {
            shape.push(length);
        }
    }
    array.reshape(&shape)
}
