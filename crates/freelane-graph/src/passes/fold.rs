//! Computes nodes of constants ahead.
use crate::operator::run_once;
use crate::{Datum, Fact, Graph, GraphError, Limits, Operator};
use freelane_array::ArrayData;
use freelane_pool::Lane;
use std::time::{Duration, Instant};

/// Larger results are left to the run: a few numbers must not become a large array in every session.
const MOST_BYTES: usize = 16 << 20;
/// What takes longer is left to the run, which has limits of its own.
const LONGEST: Duration = Duration::from_secs(1);

pub(super) fn run(lane: &Lane, graph: &mut Graph) -> Result<(), GraphError> {
    let limits = Limits { deadline: Some(Instant::now() + LONGEST), ..Limits::default() };
    for node in std::mem::take(&mut graph.nodes) {
        if node.outputs.iter().flatten().all(|id| graph.fact(*id).constant.is_some()) {
            continue;
        }
        let facts: Vec<Option<&Fact>> = node.inputs.iter().map(|id| id.map(|id| graph.fact(id))).collect();
        let made: Vec<Option<&Fact>> = node.outputs.iter().map(|id| id.map(|id| graph.fact(id))).collect();
        let Some(arrays) = computed(lane, &*node.op, &facts, &made, &limits) else {
            graph.nodes.push(node);
            continue;
        };
        for (id, array) in node.outputs.iter().zip(arrays) {
            if let (Some(id), Some(array)) = (id, array) {
                *graph.fact_mut(*id) = Fact::constant(array);
            }
        }
    }
    Ok(())
}

/// Bytes of a value, if its type and shape are known.
fn bytes(fact: &Fact) -> Option<usize> {
    Some(fact.known_shape()?.iter().fold(fact.dtype?.size(), |n, &d| n.saturating_mul(d)))
}

/// The outputs of a node whose inputs are the same in every run, where that can be computed ahead: what is known of its
/// outputs says that they are small, and the limits suffice. One that fails is nothing too, for it may lie in a branch that
/// never runs. An output that nobody reads has no fact.
pub fn computed(
    lane: &Lane,
    op: &dyn Operator,
    inputs: &[Option<&Fact>],
    outputs: &[Option<&Fact>],
    limits: &Limits<'_>,
) -> Option<Vec<Option<ArrayData>>> {
    let constant = |fact: &Option<&Fact>| match fact {
        None => Some(None),
        Some(fact) => fact.constant.clone().map(|a| Some(Datum::Array(a))),
    };
    let given = inputs.iter().map(constant).collect::<Option<Vec<Option<Datum>>>>()?;
    let sum = |facts: &[Option<&Fact>]| -> Option<usize> {
        facts.iter().flatten().map(|fact| bytes(fact)).try_fold(0usize, |sum, b| Some(sum.saturating_add(b?)))
    };
    let (before, after) = (sum(inputs)?, sum(outputs)?);
    if !op.is_pure() || after > MOST_BYTES.max(before.saturating_mul(2)) || limits.check().is_err() {
        return None;
    }
    let given: Vec<Option<&Datum>> = given.iter().map(Option::as_ref).collect();
    let wanted: Vec<bool> = outputs.iter().map(Option::is_some).collect();
    let made = run_once(lane, op, &given, &wanted, limits).ok()?;
    let array = |(datum, wanted): (Option<Datum>, &bool)| match datum {
        Some(Datum::Array(array)) => Some(Some(array)),
        _ => (!wanted).then_some(None),
    };
    made.into_iter().zip(&wanted).map(array).collect()
}
