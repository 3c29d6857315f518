//! Computes nodes of constants ahead.
use crate::operator::run_once;
use crate::{Datum, Fact, Graph, GraphError, Limits, Operator};
use freelane_array::ArrayData;
use freelane_pool::Lane;
use std::time::{Duration, Instant};

/// Larger results are left to the run: a few numbers must not become a large array in every session.
const MOST_BYTES: usize = 16 << 20;
/// What computing ahead may take in all; the rest is left to the run, which has limits of its own.
const LONGEST: Duration = Duration::from_secs(1);
const MOST_GROWTH: usize = 1 << 30;

/// What computing ahead may still take: time, and bytes by which results are larger than what they are made of. Only what is
/// computed counts, so that how fast a file is read changes nothing.
#[derive(Clone, Debug)]
pub struct Budget {
    time: Duration,
    growth: usize,
}

impl Default for Budget {
    fn default() -> Budget {
        Budget { time: LONGEST, growth: MOST_GROWTH }
    }
}

pub(super) fn run(lane: &Lane, graph: &mut Graph, budget: &mut Budget) -> Result<(), GraphError> {
    for node in std::mem::take(&mut graph.nodes) {
        if node.outputs.iter().flatten().all(|id| graph.fact(*id).constant.is_some()) {
            continue;
        }
        let facts: Vec<Option<&Fact>> = node.inputs.iter().map(|id| id.map(|id| graph.fact(id))).collect();
        let made: Vec<Option<&Fact>> = node.outputs.iter().map(|id| id.map(|id| graph.fact(id))).collect();
        let Some(arrays) = computed(lane, &*node.op, &facts, &made, budget) else {
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
/// outputs says that they are small, and the budget suffices. One that fails is nothing too, for it may lie in a branch that
/// never runs. An output that nobody reads has no fact.
pub fn computed(
    lane: &Lane,
    op: &dyn Operator,
    inputs: &[Option<&Fact>],
    outputs: &[Option<&Fact>],
    budget: &mut Budget,
) -> Option<Vec<Option<ArrayData>>> {
    let constant = |fact: &Option<&Fact>| match fact {
        None => Some(None),
        Some(fact) => fact.constant.clone().map(|a| Some(Datum::Array(a))),
    };
    let given = inputs.iter().map(constant).collect::<Option<Vec<Option<Datum>>>>()?;
    let sum = |facts: &[Option<&Fact>]| -> Option<usize> {
        facts.iter().flatten().map(|fact| bytes(fact)).try_fold(0usize, |sum, b| Some(sum.saturating_add(b?)))
    };
    let mut distinct: Vec<Option<&Fact>> = vec![];
    for fact in inputs {
        if !distinct.iter().any(|seen| seen.zip(*fact).is_some_and(|(a, b)| std::ptr::eq(a, b))) {
            distinct.push(*fact);
        }
    }
    let (before, after) = (sum(&distinct)?, sum(outputs)?);
    // Constants that are nodes are part of the file.
    let growth = if inputs.is_empty() { 0 } else { after.saturating_sub(before) };
    if !op.is_pure() || after > MOST_BYTES.max(before.saturating_mul(2)) || growth > budget.growth {
        return None;
    }
    let began = Instant::now();
    let limits = Limits { deadline: Some(began + budget.time), ..Limits::default() };
    if !inputs.is_empty() && budget.time.is_zero() {
        return None;
    }
    let given: Vec<Option<&Datum>> = given.iter().map(Option::as_ref).collect();
    let wanted: Vec<bool> = outputs.iter().map(Option::is_some).collect();
    let limits = if inputs.is_empty() { Limits::default() } else { limits };
    let made = run_once(lane, op, &given, &wanted, &limits);
    budget.time = budget.time.saturating_sub(began.elapsed());
    let made = made.ok()?;
    budget.growth -= growth;
    let array = |(datum, wanted): (Option<Datum>, &bool)| match datum {
        Some(Datum::Array(array)) => Some(Some(array)),
        _ => (!wanted).then_some(None),
    };
    made.into_iter().zip(&wanted).map(array).collect()
}
