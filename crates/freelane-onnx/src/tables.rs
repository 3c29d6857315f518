//! Rows of a table are looked up before the table is unpacked: what is done to each element of constants, too many to be computed
//! ahead, is done to the elements that a run takes.
use crate::epilogue::operator;
use crate::ops::Gather;
use freelane_graph::passes::{Budget, Keeps, Pass};
use freelane_graph::{Dim, Graph, GraphError, Node, ValueId};
use freelane_pool::Lane;
use std::collections::HashMap;

/// Takes rows of constants before what is done to each element, along the first axis.
pub(crate) const PASS: Pass =
    Pass { name: "tables", doc: "looks rows of a table up before it is unpacked", keeps: Keeps::Bits, run };

fn run(_: &Lane, graph: &mut Graph, _: &mut Budget) -> Result<(), GraphError> {
    let nodes = graph.nodes().to_vec();
    let mut makers = HashMap::new();
    for node in &nodes {
        let each = node.op.elementwise().is_some() || node.op.name() == "Cast";
        if let ([Some(out)], true) = (&node.outputs[..], each) {
            makers.insert(*out, node);
        }
    }
    let mut tables = Tables { graph, makers, kept: vec![] };
    for node in &nodes {
        match (tables.table(node), &node.outputs[..]) {
            (Some(table), &[Some(out)]) => {
                tables.rows(node, table)?;
                tables.kept.iter_mut().rev().take(1).for_each(|last| last.outputs = vec![Some(out)]);
            }
            _ => tables.kept.push(node.clone()),
        }
    }
    let kept = tables.kept;
    graph.set_nodes(kept);
    Ok(())
}

struct Tables<'n, 'g> {
    graph: &'g mut Graph,
    /// Of each value, the node that makes it element by element.
    makers: HashMap<ValueId, &'n Node>,
    /// The nodes that the graph will have.
    kept: Vec<Node>,
}

impl Tables<'_, '_> {
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

    /// Rows of a value of constants, by new nodes, the last of which makes them.
    fn rows(&mut self, gather: &Node, id: ValueId) -> Result<ValueId, GraphError> {
        let maker = self.makers.get(&id).copied().filter(|_| self.graph.fact(id).constant.is_none());
        let Some(maker) = maker else {
            return self.add(gather, &[Some(id), gather.inputs.get(1).copied().flatten()]);
        };
        let rank = self.graph.fact(id).rank();
        let mut inputs = vec![];
        for &operand in maker.inputs.iter().flatten() {
            let whole = self.graph.fact(operand).rank() < rank;
            inputs.push(Some(if whole { operand } else { self.rows(gather, operand)? }));
        }
        self.add(maker, &inputs)
    }

    /// A node that does what another one does.
    fn add(&mut self, like: &Node, inputs: &[Option<ValueId>]) -> Result<ValueId, GraphError> {
        let made = self.graph.add_shared(&like.name, like.op.clone(), inputs, &[Some("")])?;
        self.kept.extend(self.graph.nodes().last().cloned());
        let made = made.into_iter().flatten().next();
        made.ok_or_else(|| GraphError::invalid(format!("node {} makes nothing", like.name)))
    }
}
