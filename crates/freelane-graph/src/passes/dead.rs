//! Drops nodes that nobody reads.
use super::Budget;
use crate::{Graph, GraphError};
use freelane_pool::Lane;

pub(super) fn run(_: &Lane, graph: &mut Graph, _: &mut Budget) -> Result<(), GraphError> {
    let mut read = vec![false; graph.values.len()];
    graph.outputs.iter().for_each(|id| read[id.index()] = true);
    let mut kept = vec![];
    while let Some(mut node) = graph.nodes.pop() {
        let mut wanted = false;
        for output in &mut node.outputs {
            *output = output.filter(|id| read[id.index()]);
            wanted |= output.is_some();
        }
        if wanted {
            node.inputs.iter().flatten().for_each(|id| read[id.index()] = true);
            kept.push(node);
        }
    }
    kept.reverse();
    graph.nodes = kept;
    // Constants that were folded into others need not be kept.
    for (value, read) in graph.values.iter_mut().zip(read) {
        if !read {
            value.fact.constant = None;
        }
    }
    Ok(())
}
