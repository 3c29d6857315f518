//! Computes nodes of constants ahead.
use crate::operator::Run;
use crate::{Datum, Fact, Graph, GraphError, Limits};
use freelane_pool::Lane;
use smallvec::SmallVec;

/// Larger results are left to the run: a few numbers must not become a large array in every session.
const MOST_BYTES: usize = 64 << 20;

pub(super) fn run(lane: &Lane, graph: &mut Graph) -> Result<(), GraphError> {
    let nodes = std::mem::take(&mut graph.nodes);
    for node in nodes {
        let known: Option<Vec<Option<Datum>>> = node
            .inputs
            .iter()
            .map(|id| match id {
                None => Some(None),
                Some(id) => graph.fact(*id).constant.clone().map(|a| Some(Datum::Array(a))),
            })
            .collect();
        let told = node.outputs.iter().flatten().all(|id| graph.fact(*id).constant.is_some());
        if told {
            continue;
        }
        let Some(known) = known.filter(|_| node.op.is_pure()) else {
            graph.nodes.push(node);
            continue;
        };
        let inputs: Vec<Option<&Datum>> = known.iter().map(Option::as_ref).collect();
        let wanted: Vec<Option<u32>> = node.outputs.iter().map(|id| id.map(|id| id.0)).collect();
        let mut outputs = SmallVec::new();
        outputs.resize_with(wanted.len(), || None);
        let (memo, limits) = (&mut None, &Limits::default());
        let mut cx = Run { lane, inputs: &inputs, outputs, wanted: &wanted, memo, limits };
        // A node that fails is left where it is: it may lie in a branch that never runs.
        let done = node.op.run(&mut cx);
        let outputs = cx.outputs;
        let arrays = outputs.iter().all(|o| matches!(o, None | Some(Datum::Array(_))));
        let bytes: usize = outputs.iter().flatten().map(Datum::nbytes).sum();
        let before: usize = known.iter().flatten().map(Datum::nbytes).sum();
        if done.is_err() || !arrays || bytes > MOST_BYTES.max(4 * before) {
            graph.nodes.push(node);
            continue;
        }
        for (id, output) in node.outputs.iter().zip(outputs) {
            if let (Some(id), Some(Datum::Array(array))) = (id, output) {
                *graph.fact_mut(*id) = Fact::constant(array);
            }
        }
    }
    Ok(())
}
