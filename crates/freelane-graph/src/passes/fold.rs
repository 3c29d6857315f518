//! Computes nodes of constants ahead.
use crate::operator::run_once;
use crate::{Datum, Fact, Graph, GraphError, Node};
use freelane_pool::Lane;

/// Larger results are left to the run: a few numbers must not become a large array in every session.
const MOST_BYTES: usize = 64 << 20;

pub(super) fn run(lane: &Lane, graph: &mut Graph) -> Result<(), GraphError> {
    for node in std::mem::take(&mut graph.nodes) {
        if node.outputs.iter().flatten().all(|id| graph.fact(*id).constant.is_some()) {
            continue;
        }
        // A node that fails is left where it is: it may lie in a branch that never runs.
        let Some(outputs) = computed(lane, graph, &node) else {
            graph.nodes.push(node);
            continue;
        };
        for (id, output) in node.outputs.iter().zip(outputs) {
            if let (Some(id), Some(Datum::Array(array))) = (id, output) {
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

/// The outputs of a node of constants. How large they are must be known before anything is computed.
fn computed(lane: &Lane, graph: &Graph, node: &Node) -> Option<Vec<Option<Datum>>> {
    let input = |id: &Option<_>| match id {
        None => Some(None),
        Some(id) => graph.fact(*id).constant.clone().map(|a| Some(Datum::Array(a))),
    };
    let inputs = node.inputs.iter().map(input).collect::<Option<Vec<Option<Datum>>>>()?;
    let before = inputs.iter().flatten().map(Datum::nbytes).fold(0, usize::saturating_add);
    let outputs = node.outputs.iter().flatten();
    let after = outputs.map(|id| bytes(graph.fact(*id))).try_fold(0usize, |sum, b| Some(sum.saturating_add(b?)))?;
    if !node.op.is_pure() || after > MOST_BYTES.max(before.saturating_mul(4)) {
        return None;
    }
    let inputs: Vec<Option<&Datum>> = inputs.iter().map(Option::as_ref).collect();
    let wanted: Vec<bool> = node.outputs.iter().map(Option::is_some).collect();
    let outputs = run_once(lane, &*node.op, &inputs, &wanted).ok()?;
    let arrays = outputs.iter().zip(&wanted).all(|(o, wanted)| !wanted || matches!(o, Some(Datum::Array(_))));
    arrays.then(|| outputs.into_vec())
}
