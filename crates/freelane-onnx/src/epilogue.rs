//! What follows a convolution becomes part of it: a normalization by constants, a bias, a residual, an activation.
//!
//! A step joins if it alone reads what the convolution makes so far. `x * clip(x + 3, 0, 6) / 6`, the way that some exporters
//! write a hard swish, joins as a whole. Weights and biases must be constants of `f32`; they are changed once, here.
use crate::ops::{BatchNorm, Conv, Curve};
use freelane_array::{ArrayData, DType, Element};
use freelane_graph::passes::{Budget, Keeps, Pass};
use freelane_graph::{Dim, Fact, Graph, GraphError, Node, ValueId};
use freelane_nn::activation::Activation as Shape;
use freelane_nn::conv::Activation;
use freelane_ops::Array;
use freelane_pool::Lane;
use std::any::Any;
use std::collections::HashMap;
use std::sync::Arc;

/// A convolution with what joined it.
struct Group {
    /// The node whose place it takes.
    last: usize,
    input: ValueId,
    weights: ArrayData,
    bias: Option<ArrayData>,
    residual: Option<ValueId>,
    activation: Activation<f32>,
    /// What the last node makes.
    out: ValueId,
}

/// Joins steps to the convolutions before them. Weights that are multiplied once, before the sum in place of after it, make
/// sums of other roundings.
pub(crate) const PASS: Pass =
    Pass { name: "conv", doc: "makes what follows a convolution part of it", keeps: Keeps::Near(1e-4), run: join };

fn join(_: &Lane, graph: &mut Graph, _: &mut Budget) -> Result<(), GraphError> {
    if !graph.nodes().iter().any(|n| conv(n).is_some()) {
        return Ok(());
    }
    let mut finder = Finder::new(graph);
    for i in 0..graph.nodes().len() {
        finder.grow(i)?;
    }
    let (groups, taken) = (finder.groups, finder.taken);
    replace(graph, groups, &taken)
}

/// A node's operator, if it is of a type.
pub(crate) fn operator<T: 'static>(node: &Node) -> Option<&T> {
    (&*node.op as &dyn Any).downcast_ref::<T>()
}

fn conv(node: &Node) -> Option<&Conv> {
    operator::<Conv>(node).filter(|conv| conv.activation == Activation::None)
}

/// The elementwise function of a node.
fn function(node: &Node) -> Option<&'static str> {
    node.op.elementwise().map(|f| f.name)
}

struct Finder<'g> {
    graph: &'g Graph,
    /// Nodes that read each value.
    readers: HashMap<ValueId, Vec<usize>>,
    taken: Vec<bool>,
    groups: HashMap<usize, (usize, Group)>,
}

impl<'g> Finder<'g> {
    fn new(graph: &'g Graph) -> Finder<'g> {
        let mut readers: HashMap<ValueId, Vec<usize>> = HashMap::new();
        for (i, node) in graph.nodes().iter().enumerate() {
            node.inputs.iter().flatten().for_each(|id| readers.entry(*id).or_default().push(i));
        }
        // Outputs are read by somebody who is no node.
        graph.outputs().iter().for_each(|id| readers.entry(*id).or_default().push(usize::MAX));
        Finder { graph, readers, taken: vec![false; graph.nodes().len()], groups: HashMap::new() }
    }

    fn node(&self, i: usize) -> Option<&'g Node> {
        self.graph.nodes().get(i).filter(|_| !self.taken[i])
    }

    fn constant(&self, id: Option<ValueId>) -> Option<&'g ArrayData> {
        self.graph.fact(id?).constant.as_ref()
    }

    /// The nodes that read a value, if all are still there.
    fn readers(&self, id: ValueId) -> Vec<usize> {
        let all = self.readers.get(&id).map_or(&[][..], Vec::as_slice);
        if all.iter().all(|&i| self.node(i).is_some()) { all.to_vec() } else { vec![] }
    }

    fn start(&self, i: usize) -> Option<Group> {
        let node = self.node(i)?;
        conv(node)?;
        let (&[Some(input), weights, ..], &[Some(out)]) = (&node.inputs[..], &node.outputs[..]) else { return None };
        // Weights of fewer axes are an error that the run tells.
        let weights = self.constant(weights).filter(|w| w.dtype() == DType::F32 && w.layout().rank() >= 3)?;
        let bias = match node.inputs.get(2).copied().flatten() {
            None => None,
            Some(id) => Some(self.constant(Some(id))?.clone()),
        };
        let residual = node.inputs.get(3).copied().flatten();
        let plain = residual.is_none() && self.graph.fact(input).dtype == Some(DType::F32);
        let activation = Activation::None;
        plain.then(|| Group { last: i, input, weights: weights.clone(), bias, residual, activation, out })
    }

    /// Makes the largest group of the convolution at a place.
    fn grow(&mut self, first: usize) -> Result<(), GraphError> {
        let Some(mut group) = self.start(first) else { return Ok(()) };
        let mut members = vec![first];
        while group.activation == Activation::None {
            let readers = self.readers(group.out);
            let joined = match readers[..] {
                [one] => self.joined(&mut group, one)?.then(|| vec![one]),
                [a, b] => self.hard_swish(&mut group, a, b).or_else(|| self.hard_swish(&mut group, b, a)),
                _ => None,
            };
            let Some(more) = joined else { break };
            members.extend(more);
        }
        if members.len() > 1 {
            members.iter().for_each(|&i| self.taken[i] = true);
            self.groups.insert(group.last, (first, group));
        }
        Ok(())
    }

    /// Whether the node that alone reads the group's value joins it.
    fn joined(&self, group: &mut Group, i: usize) -> Result<bool, GraphError> {
        let Some(node) = self.node(i) else { return Ok(false) };
        let Some(&Some(out)) = node.outputs.first() else { return Ok(false) };
        let single = node.outputs.iter().flatten().count() == 1;
        let joins = if let Some(batch) = operator::<BatchNorm>(node) {
            single && node.inputs.first() == Some(&Some(group.out)) && self.normalized(group, batch, node)?
        } else if function(node) == Some("add") {
            self.added(group, node)?
        } else {
            match activation(node) {
                Some(f) => {
                    group.activation = f;
                    true
                }
                None => false,
            }
        };
        if joins {
            (group.last, group.out) = (i, out);
        }
        Ok(joins)
    }

    /// A normalization by constants, put into weights and bias.
    fn normalized(&self, group: &mut Group, batch: &BatchNorm, node: &Node) -> Result<bool, GraphError> {
        let constant = |i: usize| self.constant(node.inputs.get(i).copied().flatten());
        let (Some(scale), Some(shift), Some(mean), Some(variance)) =
            (constant(1), constant(2), constant(3), constant(4))
        else {
            return Ok(false);
        };
        let channels = batch.folded([scale, shift, mean, variance]).filter(|_| group.residual.is_none());
        let Some(channels) = channels else { return Ok(false) };
        let shape = group.weights.layout().shape();
        let Some(pairs) = channels.singles().filter(|pairs| pairs.len() == shape[0]) else { return Ok(false) };
        let each = group.weights.layout().len() / pairs.len().max(1);
        let mut weights = Array::from(group.weights.clone()).to_vec::<f32>()?;
        for (row, (factor, _)) in weights.chunks_mut(each.max(1)).zip(pairs) {
            row.iter_mut().for_each(|w| *w *= factor);
        }
        let before = match &group.bias {
            Some(bias) => Array::from(bias.clone()).to_vec::<f32>()?,
            None => vec![0.0; pairs.len()],
        };
        let bias = before.iter().zip(pairs).map(|(b, (factor, summand))| b * factor + summand).collect();
        group.weights = Array::from_vec(weights, shape)?.into();
        group.bias = Some(Array::from_vec::<f32>(bias, &[pairs.len()])?.into());
        Ok(true)
    }

    /// A constant for each channel, or another value of the same shape.
    fn added(&self, group: &mut Group, node: &Node) -> Result<bool, GraphError> {
        let other = match node.inputs[..] {
            [Some(a), Some(b)] if a == group.out && b != a => b,
            [Some(a), Some(b)] if b == group.out && b != a => a,
            _ => return Ok(false),
        };
        if group.residual.is_some() {
            return Ok(false);
        }
        let (mine, fact) = (self.graph.fact(group.out), self.graph.fact(other));
        let outputs = group.weights.layout().shape()[0];
        if let Some(constant) = &fact.constant {
            let rank = group.weights.layout().rank();
            let Some(list) = by_channel(constant, outputs, rank) else { return Ok(false) };
            let before = match &group.bias {
                Some(bias) => Array::from(bias.clone()).to_vec::<f32>()?,
                None => vec![0.0; outputs],
            };
            let sums: Vec<f32> = before.iter().zip(list).map(|(a, b)| a + b).collect();
            group.bias = Some(Array::from_vec(sums, &[outputs])?.into());
            return Ok(true);
        }
        let same = fact.dtype == Some(DType::F32) && same_shape(mine, fact);
        if same {
            group.residual = Some(other);
        }
        Ok(same)
    }

    /// `x * clip(x + 3, 0, 6) / 6`, where `add` and `multiply` read the group's value. Returns the nodes.
    fn hard_swish(&self, group: &mut Group, add: usize, multiply: usize) -> Option<Vec<usize>> {
        let (first, product) = (self.node(add)?, self.node(multiply)?);
        if function(first)? != "add" || function(product)? != "multiply" {
            return None;
        }
        let x = group.out;
        let sum = first.outputs.first().copied().flatten()?;
        (number(self.other(first, x)?)? == 3.0).then_some(())?;
        let [clip] = self.readers(sum)[..] else { return None };
        let curve = operator::<Curve>(self.node(clip)?)?;
        (curve.f == Shape::Clip(0.0, 6.0)).then_some(())?;
        let bounded = self.node(clip)?.outputs.first().copied().flatten()?;
        let reads = |id: ValueId| product.inputs.contains(&Some(id));
        if !reads(x) || !reads(bounded) || self.readers(bounded) != [multiply] {
            return None;
        }
        let twelve = product.outputs.first().copied().flatten()?;
        let [divide] = self.readers(twelve)[..] else { return None };
        let last = self.node(divide)?;
        let by = self.constant(last.inputs.get(1).copied().flatten())?;
        let six = function(last)? == "divide" && last.inputs[0] == Some(twelve) && number(by)? == 6.0;
        let out = last.outputs.first().copied().flatten().filter(|_| six)?;
        group.activation = Activation::HardSwish;
        (group.last, group.out) = (divide, out);
        Some(vec![add, clip, multiply, divide])
    }

    /// The constant that a node of two inputs reads beside a value.
    fn other(&self, node: &Node, x: ValueId) -> Option<&'g ArrayData> {
        match node.inputs[..] {
            [a, b] if a == Some(x) => self.constant(b),
            [a, b] if b == Some(x) => self.constant(a),
            _ => None,
        }
    }
}

/// The only element of an array of `f32` that does not add axes to an image.
fn number(x: &ArrayData) -> Option<f32> {
    let one = x.layout().len() == 1 && x.layout().rank() <= 3 && x.dtype() == DType::F32;
    if one { x.view::<f32>().ok()?.iter().next() } else { None }
}

/// One number for each channel of images of a rank, if an array is that.
fn by_channel(x: &ArrayData, channels: usize, rank: usize) -> Option<Vec<f32>> {
    let shape = x.layout().shape();
    let lead = rank.checked_sub(shape.len())?;
    let fits = shape.iter().enumerate().all(|(i, &n)| n == if lead + i == 1 { channels } else { 1 });
    if !fits || lead > 1 || x.dtype() != <f32 as Element>::DTYPE {
        return None;
    }
    Some(x.view::<f32>().ok()?.iter().collect())
}

/// Whether two values surely have one shape.
fn same_shape(a: &Fact, b: &Fact) -> bool {
    match (&a.shape, &b.shape) {
        (Some(a), Some(b)) => a == b && !a.contains(&Dim::Unknown),
        _ => false,
    }
}

/// The activation that a node is.
fn activation(node: &Node) -> Option<Activation<f32>> {
    if let Some(curve) = operator::<Curve>(node) {
        return match curve.f {
            Shape::Leaky(a) => Some(Activation::Leaky(a)),
            Shape::HardSigmoid(a, b) => Some(Activation::HardSigmoid(a, b)),
            Shape::HardSwish => Some(Activation::HardSwish),
            Shape::Swish(1.0) => Some(Activation::Silu),
            Shape::Clip(low, high) => Some(Activation::Clip(low as f32, high as f32)),
            _ => None,
        };
    }
    match function(node)? {
        "relu" => Some(Activation::Relu),
        "sigmoid" => Some(Activation::Sigmoid),
        "silu" => Some(Activation::Silu),
        _ => None,
    }
}

/// Puts groups in place of their nodes.
fn replace(graph: &mut Graph, mut groups: HashMap<usize, (usize, Group)>, taken: &[bool]) -> Result<(), GraphError> {
    let nodes = graph.nodes().to_vec();
    let mut kept = vec![];
    for (i, node) in nodes.iter().enumerate() {
        match groups.remove(&i) {
            Some((first, group)) => kept.push(joined(graph, &nodes[first], group)?),
            None if taken[i] => (),
            None => kept.push(node.clone()),
        }
    }
    graph.set_nodes(kept);
    Ok(())
}

/// The node of a group that begins with a convolution.
fn joined(graph: &mut Graph, first: &Node, group: Group) -> Result<Node, GraphError> {
    let op = conv(first).ok_or_else(|| GraphError::invalid("a group without a convolution"))?;
    let weights = graph.constant("", group.weights);
    let bias = group.bias.map(|bias| graph.constant("", bias));
    Ok(Node {
        op: Arc::new(op.then(group.activation)),
        inputs: vec![Some(group.input), Some(weights), bias, group.residual],
        outputs: vec![Some(group.out)],
        ..first.clone()
    })
}
