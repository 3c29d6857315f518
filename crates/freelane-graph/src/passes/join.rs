//! Lets operators do what an elementwise node does to their result: a bias, an activation.
//!
//! The node must alone read the result, and take nothing else but a constant.
use super::Budget;
use crate::{Graph, GraphError, ValueId};
use freelane_pool::Lane;
use std::collections::HashMap;

pub(super) fn run(_: &Lane, graph: &mut Graph, _: &mut Budget) -> Result<(), GraphError> {
    let mut readers: HashMap<ValueId, Vec<usize>> = HashMap::new();
    for (i, node) in graph.nodes.iter().enumerate() {
        node.inputs.iter().flatten().for_each(|id| readers.entry(*id).or_default().push(i));
    }
    graph.outputs.iter().for_each(|id| readers.entry(*id).or_default().push(usize::MAX));
    let mut gone = vec![false; graph.nodes.len()];
    for i in 0..graph.nodes.len() {
        while let Some(next) = absorbed(graph, i, &readers, &gone) {
            gone[next] = true;
        }
    }
    let mut kept = gone.iter().map(|gone| !gone);
    graph.nodes.retain(|_| kept.next().unwrap_or(true));
    Ok(())
}

/// Makes what reads a node's result a part of the node, if that can be; returns which node that was.
fn absorbed(graph: &mut Graph, i: usize, readers: &HashMap<ValueId, Vec<usize>>, gone: &[bool]) -> Option<usize> {
    let [Some(result)] = graph.nodes[i].outputs[..] else { return None };
    let &[next] = readers.get(&result)?.as_slice() else { return None };
    let reader = graph.nodes.get(next).filter(|_| !gone[i] && !gone[next])?;
    let function = reader.op.elementwise()?;
    let with = match reader.inputs[..] {
        [Some(_)] => None,
        [Some(a), Some(b)] => Some(graph.fact(if a == result { b } else { a }).constant.as_ref()?),
        _ => return None,
    };
    let flipped = reader.inputs.first() != Some(&Some(result));
    let joined = graph.nodes[i].op.absorb(function, with, flipped)?;
    let outputs = reader.outputs.clone();
    let node = &mut graph.nodes[i];
    (node.op, node.outputs) = (joined, outputs);
    Some(next)
}
