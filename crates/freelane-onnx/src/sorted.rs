//! The order in which nodes can run.
use crate::error::shown;
use crate::proto::{Graph, Node};
use crate::{Fault, OnnxError};
use std::collections::HashMap;

/// Places of nodes, each after those it needs; as they stand in the file, if that will do.
pub(crate) fn in_order(nodes: &[Node<'_>]) -> Result<Vec<usize>, OnnxError> {
    let mut makers: HashMap<&str, usize> = HashMap::new();
    for (i, node) in nodes.iter().enumerate() {
        makers.extend(node.output.iter().filter(|name| !name.is_empty()).map(|name| (*name, i)));
    }
    let mut needs: Vec<Vec<usize>> = Vec::with_capacity(nodes.len());
    for node in nodes {
        let mut names = vec![];
        reads(node, &mut names);
        needs.push(names.iter().filter_map(|name| makers.get(name).copied()).collect());
    }
    if needs.iter().enumerate().all(|(i, needed)| needed.iter().all(|&j| j < i)) {
        return Ok((0..nodes.len()).collect());
    }
    sort(nodes, &needs)
}

/// Names that a node reads, those of the graphs it holds included.
fn reads<'m>(node: &Node<'m>, names: &mut Vec<&'m str>) {
    names.extend(&node.input);
    for attribute in &node.attribute {
        attribute.g.as_deref().into_iter().chain(&attribute.graphs).for_each(|graph| reads_of_graph(graph, names));
    }
}

/// Names that a graph reads and does not make.
fn reads_of_graph<'m>(graph: &Graph<'m>, names: &mut Vec<&'m str>) {
    let mut inner = vec![];
    graph.node.iter().for_each(|node| reads(node, &mut inner));
    inner.extend(graph.output.iter().map(|o| o.name));
    let made: std::collections::HashSet<&str> = (graph.node.iter().flat_map(|n| n.output.iter().copied()))
        .chain(graph.input.iter().map(|i| i.name))
        .chain(graph.initializer.iter().map(|t| t.name))
        .collect();
    names.extend(inner.into_iter().filter(|name| !made.contains(name)));
}

fn sort(nodes: &[Node<'_>], needs: &[Vec<usize>]) -> Result<Vec<usize>, OnnxError> {
    let mut missing: Vec<usize> = needs.iter().map(Vec::len).collect();
    let mut readers: Vec<Vec<usize>> = vec![vec![]; nodes.len()];
    for (i, needed) in needs.iter().enumerate() {
        needed.iter().for_each(|&j| readers[j].push(i));
    }
    let mut order: Vec<usize> = (0..nodes.len()).filter(|&i| missing[i] == 0).collect();
    let mut next = 0;
    while let Some(&i) = order.get(next) {
        next += 1;
        for &reader in &readers[i] {
            missing[reader] -= 1;
            if missing[reader] == 0 {
                order.push(reader);
            }
        }
    }
    match missing.iter().position(|&n| n > 0) {
        Some(i) => {
            let (name, op) = (shown(nodes[i].name), shown(nodes[i].op_type));
            Err(Fault::Invalid(format!("node {name} ({op}) needs its own output, or waits for one that does")).into())
        }
        None => Ok(order),
    }
}
