//! Images stay in blocks of 16 channels between convolutions and pools that alone read them.
//!
//! Nothing is reordered for it: where such a part of the graph begins, a convolution reads planar images and writes blocks, and
//! where it ends, one does the opposite. The bits are those of planar images.
use crate::epilogue::operator;
use crate::ops::{Conv, Pool, in_blocks};
use freelane_array::DType;
use freelane_graph::passes::{Budget, Keeps, Pass};
use freelane_graph::{Dim, Graph, GraphError, Node, Operator, ValueId};
use freelane_nn::conv::{BLOCK, Layout};
use freelane_pool::Lane;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Output pixels below which planar images are convolved in a way that blocks have not.
const FEW: usize = 12;

/// Keeps images in blocks where that can be.
pub(crate) const PASS: Pass =
    Pass { name: "blocks", doc: "keeps images in blocks between convolutions", keeps: Keeps::Bits, run };

fn run(_: &Lane, graph: &mut Graph, _: &mut Budget) -> Result<(), GraphError> {
    let blocked = blocked(graph);
    if blocked.is_empty() {
        return Ok(());
    }
    let layout = |id: Option<&Option<ValueId>>| match id {
        Some(Some(id)) if blocked.contains(id) => Layout::Blocked,
        _ => Layout::Planar,
    };
    // Of each value that is kept in blocks, the blocks.
    let mut blocks: HashMap<ValueId, ValueId> = HashMap::new();
    let mut kept = vec![];
    for node in graph.nodes().to_vec() {
        let layouts = [layout(node.inputs.first()), layout(node.outputs.first())];
        let op: Arc<dyn Operator> = match (operator::<Conv>(&node), operator::<Pool>(&node)) {
            _ if layouts == [Layout::Planar; 2] => node.op.clone(),
            (Some(conv), _) => Arc::new(conv.within(layouts)),
            (_, Some(pool)) => Arc::new(pool.within(layouts[0])),
            _ => node.op.clone(),
        };
        let inputs = node.inputs.iter().map(|id| id.map(|id| blocks.get(&id).copied().unwrap_or(id))).collect();
        let mut node = Node { op, inputs, ..node };
        if let (Some(&Some(out)), Layout::Blocked) = (node.outputs.first(), layouts[1]) {
            let mut fact = graph.fact(out).clone();
            fact.shape = fact.shape.map(|shape| in_blocks(Layout::Blocked, shape));
            let own =
                graph.add_shared(&node.name, node.op.clone(), &node.inputs, &[Some("")])?.into_iter().flatten().next();
            let own = own.ok_or_else(|| GraphError::invalid(format!("node {} makes nothing", node.name)))?;
            *graph.fact_mut(own) = fact;
            blocks.insert(out, own);
            node.outputs = vec![Some(own)];
        }
        kept.push(node);
    }
    graph.set_nodes(kept);
    Ok(())
}

/// The values of a node that reads and writes blocks which are all blocked or all planar; nothing of other nodes.
fn tied(graph: &Graph, node: &Node) -> Option<Vec<ValueId>> {
    let (&Some(input), &Some(out)) = (node.inputs.first()?, node.outputs.first()?) else { return None };
    if operator::<Pool>(node).is_some() {
        return (node.outputs.iter().flatten().count() == 1).then(|| vec![input, out]);
    }
    let conv = operator::<Conv>(node)?;
    let weights = graph.fact(node.inputs.get(1).copied().flatten()?).constant.as_ref()?.layout().shape();
    let (&[outputs, each, ..], 3..=4) = (weights, weights.len()) else { return None };
    let depthwise = conv.groups > 1 && each == 1 && conv.groups == outputs;
    let fits = (conv.groups == 1 || depthwise) && conv.sliding.strides.last().is_none_or(|&step| step <= 2);
    let pixels = graph.fact(out).shape.as_ref()?.get(2..)?.iter().map(Dim::known).product::<Option<usize>>();
    if !fits || outputs < BLOCK || pixels.is_some_and(|n| n < FEW) {
        return None;
    }
    let mut tied: Vec<ValueId> = node.inputs.get(3).copied().flatten().into_iter().collect();
    if depthwise {
        tied.push(input);
    }
    if !tied.is_empty() {
        tied.push(out);
    }
    Some(tied)
}

/// The values that are kept in blocks.
fn blocked(graph: &Graph) -> HashSet<ValueId> {
    let nodes: Vec<(&Node, Option<Vec<ValueId>>)> =
        graph.nodes().iter().map(|node| (node, tied(graph, node))).collect();
    let made = nodes.iter().filter(|(_, tied)| tied.is_some()).filter_map(|(node, _)| node.outputs.first().copied()?);
    let mut kept: HashSet<ValueId> = made.filter(|&id| whole(graph, id) && !graph.outputs().contains(&id)).collect();
    for (node, tied) in &nodes {
        // Images and residuals.
        let reads = |i: usize| tied.is_some() && (i == 0 || i == 3);
        let others = node.inputs.iter().enumerate().filter(|(i, _)| !reads(*i)).filter_map(|(_, id)| *id);
        others.for_each(|id| {
            kept.remove(&id);
        });
    }
    loop {
        let before = kept.len();
        for tied in nodes.iter().filter_map(|(_, tied)| tied.as_ref()) {
            if tied.iter().any(|id| !kept.contains(id)) {
                kept.retain(|id| !tied.contains(id));
            }
        }
        if kept.len() == before {
            return kept;
        }
    }
}

/// Whether a value is images in whole blocks.
fn whole(graph: &Graph, id: ValueId) -> bool {
    let fact = graph.fact(id);
    let channels = fact.shape.as_ref().filter(|shape| matches!(shape.len(), 3..=4)).and_then(|shape| shape[1].known());
    fact.dtype == Some(DType::F32) && channels.is_some_and(|n| n > 0 && n.is_multiple_of(BLOCK))
}
