//! Rows of a table are looked up before the table is unpacked: what is done to each element of constants, too many to be computed
//! ahead, is done to the elements that a run takes.
use crate::epilogue::{Copy, operator};
use crate::ops::Gather;
use freelane_graph::{Dim, Graph, GraphError, Node, ValueId};
use std::collections::HashMap;

/// Takes rows of constants before what is done to each element, along the first axis.
pub(crate) fn first(graph: Graph) -> Result<Graph, GraphError> {
    let mut makers = HashMap::new();
    for node in graph.nodes() {
        let each = node.op.elementwise().is_some() || node.op.name() == "Cast";
        if let ([Some(out)], true) = (&node.outputs[..], each) {
            makers.insert(*out, node);
        }
    }
    let tables = Tables { graph: &graph, makers };
    if !graph.nodes().iter().any(|node| tables.table(node).is_some()) {
        return Ok(graph);
    }
    let mut copy = Copy::new(&graph);
    for node in graph.nodes() {
        let inputs = copy.inputs(node)?;
        match (tables.table(node), &node.outputs[..]) {
            (Some(table), &[Some(out)]) => {
                let rows = tables.rows(&mut copy, node, table)?;
                copy.stand(out, rows);
            }
            _ => copy.node(&node.name, node.op.clone(), &inputs, &node.outputs)?,
        }
    }
    copy.done()
}

struct Tables<'g> {
    graph: &'g Graph,
    /// Of each value, the node that makes it element by element.
    makers: HashMap<ValueId, &'g Node>,
}

impl<'g> Tables<'g> {
    /// The table whose rows a node looks up, if it is made of constants element by element.
    fn table(&self, node: &Node) -> Option<ValueId> {
        let (gather, &Some(table)) = (operator::<Gather>(node)?, node.inputs.first()?) else { return None };
        let rank = self.graph.fact(table).rank()?;
        let along_rows = rank > 0 && (gather.axis == 0 || gather.axis == -(rank as i64));
        (along_rows && self.makers.contains_key(&table) && self.made_of_constants(table)).then_some(table)
    }

    fn made_of_constants(&self, id: ValueId) -> bool {
        let fact = self.graph.fact(id);
        let made = |node: &&Node| {
            node.inputs.iter().all(|x| x.is_some_and(|x| self.made_of_constants(x) && self.joins(x, id)))
        };
        fact.constant.is_some() || self.makers.get(&id).is_some_and(made)
    }

    /// Whether an operand has all rows of what is made of it, or has no such axis, so that it stretches.
    fn joins(&self, operand: ValueId, made: ValueId) -> bool {
        let rows = |id: ValueId| self.graph.fact(id).shape.as_ref().map(|shape| shape.first().and_then(Dim::known));
        let ranks = [operand, made].map(|id| self.graph.fact(id).rank());
        ranks[0].is_some() && ranks[0] < ranks[1] || (rows(operand) == rows(made) && rows(made) != Some(None))
    }

    /// Rows of a value of constants, in the new graph.
    fn rows(&self, copy: &mut Copy<'_>, gather: &Node, id: ValueId) -> Result<ValueId, GraphError> {
        let places = gather.inputs.get(1).copied().flatten();
        let Some(maker) = self.makers.get(&id).filter(|_| self.graph.fact(id).constant.is_none()) else {
            let inputs = [Some(copy.value(id)?), places.map(|places| copy.value(places)).transpose()?];
            return copy.single(&gather.name, gather.op.clone(), &inputs);
        };
        let rank = self.graph.fact(id).rank();
        let mut inputs = vec![];
        for operand in maker.inputs.iter().flatten() {
            let whole = self.graph.fact(*operand).rank() < rank;
            inputs.push(Some(if whole { copy.value(*operand)? } else { self.rows(copy, gather, *operand)? }));
        }
        copy.single(&maker.name, maker.op.clone(), &inputs)
    }
}
