//! Makes one node of those that compute the same: same operator, same key, same inputs.
use super::Budget;
use crate::{Graph, GraphError, ValueId};
use freelane_pool::Lane;
use std::any::Any;
use std::collections::HashMap;

pub(super) fn run(_: &Lane, graph: &mut Graph, _: &mut Budget) -> Result<(), GraphError> {
    let mut same: Vec<ValueId> = (0..graph.values.len() as u32).map(ValueId).collect();
    let mut seen = HashMap::new();
    let mut kept: Vec<crate::Node> = vec![];
    for mut node in std::mem::take(&mut graph.nodes) {
        node.inputs.iter_mut().flatten().for_each(|id| *id = same[id.index()]);
        let Some(key) = node.op.key().filter(|_| node.op.is_pure()) else {
            kept.push(node);
            continue;
        };
        let kind = {
            let op: &dyn Any = &*node.op;
            op.type_id()
        };
        let key = (kind, node.op.name().to_owned(), key, node.inputs.clone(), node.outputs.len());
        let first = *seen.entry(key).or_insert(kept.len());
        if first == kept.len() {
            kept.push(node);
            continue;
        }
        for (mine, other) in node.outputs.iter().zip(&mut kept[first].outputs) {
            match (mine, &*other) {
                (Some(mine), Some(other)) => same[mine.index()] = *other,
                (Some(mine), None) => *other = Some(*mine),
                (None, _) => (),
            }
        }
    }
    graph.nodes = kept;
    graph.outputs.iter_mut().for_each(|id| *id = same[id.index()]);
    Ok(())
}
