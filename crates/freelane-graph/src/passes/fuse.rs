//! Makes groups of elementwise nodes into one that runs tile by tile.
//!
//! A node joins the group of the node that alone reads it, where the types are known and the group stays a program of few
//! operands. Bits stay: each element goes through the same loops.
use super::Budget;
use super::same::SameShape;
use crate::operator::{Operator, Run};
use crate::{Fact, Graph, GraphError, Node, ValueId};
use freelane_ops::program::{Builder, MOST_INPUTS, Program, Register};
use freelane_ops::{DType, Operand, OpsError, UFunc};
use freelane_pool::Lane;
use smallvec::SmallVec;
use std::collections::HashMap;
use std::sync::Arc;

/// Functions of a group; longer chains are cut, for their operands would not stay in the first-level cache.
const MOST_STEPS: usize = 24;

/// An elementwise group as an operator.
struct Fused {
    program: Arc<Program>,
    name: String,
    fact: Fact,
}

impl Operator for Fused {
    fn name(&self) -> &str {
        &self.name
    }

    fn infer(&self, _: &[Option<&Fact>], _: usize) -> Result<Vec<Fact>, GraphError> {
        Ok(vec![self.fact.clone()])
    }

    fn program(&self) -> Option<&Arc<Program>> {
        Some(&self.program)
    }

    fn run(&self, cx: &mut Run<'_>) -> Result<(), GraphError> {
        let n = self.program.inputs().len();
        let args: SmallVec<[Operand<'_>; MOST_INPUTS]> =
            (0..n).map(|i| cx.array(i).map(Operand::Array)).collect::<Result<_, _>>()?;
        let result = self.program.call(cx.lane(), &args)?;
        cx.set(0, result);
        Ok(())
    }
}

/// What a member of a group does.
#[derive(Clone, Copy)]
enum Step {
    Function(&'static UFunc),
    Cast(DType),
}

impl Step {
    fn name(self) -> &'static str {
        match self {
            Step::Function(f) => f.name,
            Step::Cast(_) => "astype",
        }
    }

    fn apply(self, builder: &mut Builder, args: &[Register]) -> Result<Register, OpsError> {
        match (self, args) {
            (Step::Function(f), _) => builder.apply(f, args),
            (Step::Cast(dtype), &[x]) => Ok(builder.cast(x, dtype)),
            (Step::Cast(_), _) => Err(OpsError::argument("astype", "takes one operand")),
        }
    }
}

/// What a node that may join a group does, and its output. Operands must have the types that it computes in.
fn pointwise(graph: &Graph, node: &Node) -> Option<(Step, ValueId)> {
    let step = match node.op.cast() {
        Some(dtype) => Step::Cast(dtype),
        None => Step::Function(node.op.elementwise()?),
    };
    let &[Some(out)] = &node.outputs[..] else { return None };
    let mut alone = Builder::default();
    let input = |id: &Option<ValueId>| alone.input(graph.fact((*id)?).dtype?).ok();
    let args = node.inputs.iter().map(input).collect::<Option<Vec<_>>>()?;
    step.apply(&mut alone, &args).ok().map(|_| (step, out))
}

/// A group while it grows: its functions in order, and what it reads.
struct Group {
    nodes: Vec<usize>,
    inputs: Vec<ValueId>,
}

pub(super) fn run(_: &Lane, graph: &mut Graph, _: &mut Budget) -> Result<(), GraphError> {
    let mut readers: HashMap<ValueId, usize> = HashMap::new();
    let read = graph.nodes.iter().flat_map(|n| n.inputs.iter().flatten()).chain(&graph.outputs);
    read.for_each(|id| *readers.entry(*id).or_default() += 1);
    let maker: HashMap<ValueId, usize> =
        graph.nodes.iter().enumerate().filter_map(|(i, n)| Some((pointwise(graph, n)?.1, i))).collect();
    let same = SameShape::of(graph);
    let mut taken = vec![false; graph.nodes.len()];
    let mut replaced: HashMap<usize, Node> = HashMap::new();
    for last in (0..graph.nodes.len()).rev() {
        if taken[last] || pointwise(graph, &graph.nodes[last]).is_none() {
            continue;
        }
        let group = grow(graph, last, &maker, &readers, &taken, &same);
        if group.nodes.len() < 2 {
            continue;
        }
        if let Ok(node) = fused(graph, &group) {
            group.nodes.iter().for_each(|&i| taken[i] = true);
            replaced.insert(last, node);
        }
    }
    let nodes = std::mem::take(&mut graph.nodes);
    graph.nodes = nodes
        .into_iter()
        .enumerate()
        .filter_map(|(i, node)| replaced.remove(&i).or_else(|| (!taken[i]).then_some(node)))
        .collect();
    Ok(())
}

/// The largest group that ends with a node: the makers of what it reads join as long as nobody else reads them.
fn grow(
    graph: &Graph,
    last: usize,
    maker: &HashMap<ValueId, usize>,
    readers: &HashMap<ValueId, usize>,
    taken: &[bool],
    same: &SameShape,
) -> Group {
    // A value that is smaller than the result would be computed again for each repetition.
    let out = graph.nodes[last].outputs[0].expect("an elementwise node has an output");
    let mut nodes = vec![last];
    let mut inputs = distinct(graph.nodes[last].inputs.iter().flatten().copied());
    let mut refused: Vec<ValueId> = vec![];
    while let Some(&next) = inputs.iter().find(|id| maker.contains_key(id) && !refused.contains(id)) {
        let node = maker[&next];
        let reads =
            nodes.iter().flat_map(|&i| graph.nodes[i].inputs.iter().flatten()).filter(|id| **id == next).count();
        let others = inputs.iter().copied().filter(|id| *id != next);
        let joined = distinct(others.chain(graph.nodes[node].inputs.iter().flatten().copied()));
        let fits = joined.len() <= MOST_INPUTS && nodes.len() < MOST_STEPS;
        if taken[node] || readers[&next] != reads || !fits || !same.are(graph, next, out) {
            refused.push(next);
            continue;
        }
        nodes.push(node);
        inputs = joined;
    }
    nodes.sort_unstable();
    Group { nodes, inputs }
}

fn distinct(ids: impl Iterator<Item = ValueId>) -> Vec<ValueId> {
    let mut all: Vec<ValueId> = vec![];
    ids.for_each(|id| {
        if !all.contains(&id) {
            all.push(id);
        }
    });
    all
}

fn fused(graph: &Graph, group: &Group) -> Result<Node, OpsError> {
    let unknown = || OpsError::argument("fuse", "a type is not known");
    let dtype = |id: ValueId| -> Result<DType, OpsError> { graph.fact(id).dtype.ok_or_else(unknown) };
    let mut builder = Builder::default();
    let mut registers = HashMap::new();
    for &id in &group.inputs {
        registers.insert(id, builder.input(dtype(id)?)?);
    }
    let mut names = vec![];
    let mut result = None;
    for &i in &group.nodes {
        let (step, out) = pointwise(graph, &graph.nodes[i]).ok_or_else(unknown)?;
        let args: Vec<_> = graph.nodes[i].inputs.iter().flatten().map(|id| registers[id]).collect();
        let register = step.apply(&mut builder, &args)?;
        registers.insert(out, register);
        names.push(step.name());
        result = Some((out, register));
    }
    let (out, register) = result.ok_or_else(unknown)?;
    let program = Arc::new(builder.finish(register)?);
    let last = &graph.nodes[group.nodes[group.nodes.len() - 1]];
    let op = Fused { program, name: names.join("+"), fact: graph.fact(out).clone() };
    let inputs = group.inputs.iter().copied().map(Some).collect();
    Ok(Node { name: last.name.clone(), op: Arc::new(op), inputs, outputs: vec![Some(out)], attributes: String::new() })
}
