//! A model as a graph.
//!
//! Names become values; functions of the model are put in where they are called; graphs that nodes hold become graphs of
//! their own, whose values from outside are inputs of the node. What is the same in every run is computed here, so that the
//! facts of what follows from it are known.
use crate::error::shown;
use crate::ops::{Body, Spec, find};
use crate::proto::{
    Attribute, Function, Graph as GraphProto, Model, Node, OperatorSetId, SparseTensor, Type, ValueInfo,
};
use crate::sorted::in_order;
use crate::text::attributes_text;
use crate::{DataType, ExternalData, Fault, OnnxError, array_of};
use freelane_array::ArrayData;
use freelane_graph::passes::{self, Budget, Pass};
use freelane_graph::{Dim, Fact, Graph, GraphError, Operator, Plan, ValueId};
use freelane_ops::Array;
use freelane_pool::Lane;
use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::sync::Arc;

/// Nodes of one model, those of its functions counted wherever they are called.
const MOST_NODES: usize = 100_000;
/// How deep functions may call each other, and graphs lie in each other.
const MOST_FRAMES: usize = 64;
/// Bytes of the largest sparse tensor: a few numbers must not become a large array.
const MOST_BYTES: usize = 16 << 20;

/// A model as a graph, with the names that its users know.
pub struct Imported {
    /// What is computed.
    pub graph: Graph,
    /// Names of the inputs, in order.
    pub inputs: Vec<String>,
    /// Names of the outputs, in order.
    pub outputs: Vec<String>,
    /// What the model says of the outputs, which may be wrong.
    pub declared: Vec<Fact>,
}

/// Makes a graph of a model, and of the graphs that its nodes hold, and lets passes go over all of them: with none, they do what
/// the file says, node by node.
///
/// # Errors
/// When something in it is not supported, contradicts itself, or could not run; the error names the node.
pub fn import(model: &Model<'_>, external: &ExternalData, passes: &[Pass]) -> Result<Imported, OnnxError> {
    let graph = model.graph.as_deref().ok_or_else(|| Fault::Invalid("the model has no graph".to_owned()))?;
    let functions = model.functions.iter().map(|f| ((domain_of(f.domain), f.name, f.overload), f)).collect();
    Lane::with(|lane| {
        let budget = Budget::default();
        let (frames, levels) = (vec![], vec![]);
        let mut importer = Importer { lane, external, functions, frames, levels, nodes: 0, passes, budget };
        importer.main(graph, &model.opset_import).map_err(|e| e.within(format!("graph {}", graph.name)))
    })
}

fn domain_of(domain: &str) -> &str {
    if domain == "ai.onnx" { "" } else { domain }
}

fn opsets<'m>(sets: &[OperatorSetId<'m>]) -> HashMap<&'m str, u32> {
    sets.iter().map(|set| (domain_of(set.domain), u32::try_from(set.version).unwrap_or(0))).collect()
}

/// A graph that is being made, and what it takes from the one around it.
#[derive(Default)]
struct Level {
    graph: Graph,
    captured: Vec<ValueId>,
    /// Values whose arrays carry elements of narrower types.
    narrow: HashMap<ValueId, &'static DataType>,
    here: HashMap<ValueId, ValueId>,
}

/// Names that are visible together.
struct Frame<'m> {
    level: usize,
    names: HashMap<&'m str, ValueId>,
    opsets: HashMap<&'m str, u32>,
    /// Attributes of the call, in a function, which sees no names from outside.
    call: Option<Vec<Attribute<'m>>>,
    prefix: String,
}

struct Importer<'m, 'e> {
    lane: &'e Lane,
    external: &'e ExternalData,
    functions: HashMap<(&'m str, &'m str, &'m str), &'e Function<'m>>,
    frames: Vec<Frame<'m>>,
    levels: Vec<Level>,
    nodes: usize,
    passes: &'e [Pass],
    /// For what is computed while the model is loaded, the graphs that nodes hold included.
    budget: Budget,
}

impl<'m> Importer<'m, '_> {
    fn main(&mut self, graph: &GraphProto<'m>, sets: &[OperatorSetId<'m>]) -> Result<Imported, OnnxError> {
        self.levels.push(Level::default());
        self.frame(opsets(sets), None, String::new())?;
        let inputs = self.contents(graph)?;
        let mut level = self.levels.pop().unwrap_or_default();
        passes::run(self.lane, &mut level.graph, self.passes, &mut self.budget).map_err(Fault::from)?;
        let outputs = graph.output.iter().map(|o| o.name.to_owned()).collect();
        let declared = |o: &ValueInfo<'_>| fact_of(o).map_err(|f| f.in_part(format!("output {}", o.name)));
        let declared = graph.output.iter().map(declared).collect::<Result<_, _>>()?;
        Ok(Imported { graph: level.graph, inputs, outputs, declared })
    }

    fn frame(
        &mut self,
        opsets: HashMap<&'m str, u32>,
        call: Option<Vec<Attribute<'m>>>,
        prefix: String,
    ) -> Result<(), Fault> {
        if self.frames.len() == MOST_FRAMES {
            return Err(Fault::TooLarge { what: "functions and graphs in each other", limit: MOST_FRAMES as u64 });
        }
        let level = self.levels.len().saturating_sub(1);
        self.frames.push(Frame { level, names: HashMap::new(), opsets, call, prefix });
        Ok(())
    }

    fn top(&mut self) -> &mut Frame<'m> {
        self.frames.last_mut().expect("a frame is pushed before anything is imported")
    }

    fn graph(&mut self) -> &mut Graph {
        &mut self.levels.last_mut().expect("a level is pushed before anything is imported").graph
    }

    /// Everything of a graph. Returns the names of its inputs.
    fn contents(&mut self, graph: &GraphProto<'m>) -> Result<Vec<String>, OnnxError> {
        let name = graph.name.to_owned();
        self.graph().name = name;
        self.constants(graph)?;
        let mut inputs = vec![];
        for info in &graph.input {
            if !self.top().names.contains_key(info.name) {
                let part = || format!("input {}", info.name);
                // The inputs of graphs that nodes hold have the types of what is put in.
                if self.levels.len() == 1 && !is_typed(info) {
                    return Err(Fault::Invalid("it has no type".to_owned()).in_part(part()));
                }
                let fact = fact_of(info).map_err(|f| f.in_part(part()))?;
                let id = self.graph().input(info.name, fact);
                if let Some(Type { tensor_type: Some(tensor), .. }) = info.ty.as_deref() {
                    DataType::of(tensor.elem_type).into_iter().for_each(|ty| self.note(id, ty));
                }
                self.define(info.name, id)?;
                inputs.push(info.name.to_owned());
            }
        }
        self.all(&graph.node)?;
        for info in &graph.output {
            let id = self.lookup(info.name).map_err(|f| f.in_part("outputs"))?;
            self.graph().output(id);
        }
        Ok(inputs)
    }

    fn constants(&mut self, graph: &GraphProto<'m>) -> Result<(), OnnxError> {
        for tensor in &graph.initializer {
            let place = || format!("initializer {}", tensor.name);
            let array = array_of(tensor, self.external).map_err(|f| f.in_part(place()))?;
            let id = self.graph().constant(tensor.name, array.into());
            self.note(id, DataType::of(tensor.data_type)?);
            self.define(tensor.name, id).map_err(|f| f.in_part(place()))?;
        }
        for sparse in &graph.sparse_initializer {
            let name = sparse.values.as_ref().map_or("", |t| t.name);
            let array = dense(sparse, self.external).map_err(|f| f.in_part(format!("initializer {name}")))?;
            let id = self.graph().constant(name, array.into());
            self.define(name, id)?;
        }
        Ok(())
    }

    /// Notes the type of a value that is narrower than its array's.
    fn note(&mut self, id: ValueId, ty: &'static DataType) {
        if let (Some(_), Some(level)) = (ty.narrow(), self.levels.last_mut()) {
            level.narrow.insert(id, ty);
        }
    }

    fn narrow(&self, id: Option<ValueId>) -> Option<&'static DataType> {
        self.levels.last()?.narrow.get(&id?).copied()
    }

    fn define(&mut self, name: &'m str, id: ValueId) -> Result<(), Fault> {
        match self.top().names.insert(name, id) {
            Some(_) => Err(Fault::Invalid(format!("two values have the name {}", shown(name)))),
            None => Ok(()),
        }
    }

    /// The value of a name, taken into the innermost graph.
    fn lookup(&mut self, name: &'m str) -> Result<ValueId, Fault> {
        let unknown = || Fault::Invalid(format!("nothing makes the value {}", shown(name)));
        let mut found = None;
        for frame in self.frames.iter().rev() {
            if let Some(&id) = frame.names.get(name) {
                found = Some((frame.level, id));
                break;
            }
            if frame.call.is_some() {
                break;
            }
        }
        let (level, mut id) = found.ok_or_else(unknown)?;
        for inner in level + 1..self.levels.len() {
            id = self.capture(inner, id);
        }
        Ok(id)
    }

    /// A value of the graph around one, inside it.
    fn capture(&mut self, inner: usize, outer: ValueId) -> ValueId {
        if let Some(&id) = self.levels[inner].here.get(&outer) {
            return id;
        }
        let around = &self.levels[inner - 1].graph;
        let (name, fact) = (around.name_of(outer).to_owned(), around.fact(outer).clone());
        let level = &mut self.levels[inner];
        let id = match fact.constant {
            Some(array) => level.graph.constant(&name, array),
            None => {
                level.captured.push(outer);
                level.graph.input(&name, fact)
            }
        };
        level.here.insert(outer, id);
        if let Some(ty) = self.levels[inner - 1].narrow.get(&outer).copied() {
            self.levels[inner].narrow.insert(id, ty);
        }
        id
    }

    fn all(&mut self, nodes: &[Node<'m>]) -> Result<(), OnnxError> {
        for i in in_order(nodes)? {
            let node = &nodes[i];
            self.node(node).map_err(|e| e.within(format!("node {} ({})", name_of(node), node.op_type)))?;
        }
        Ok(())
    }

    fn node(&mut self, node: &Node<'m>) -> Result<(), OnnxError> {
        self.nodes += 1;
        if self.nodes > MOST_NODES {
            return Err(Fault::TooLarge { what: "nodes, with those of functions", limit: MOST_NODES as u64 }.into());
        }
        let domain = domain_of(node.domain);
        let attributes = self.attributes(node)?;
        if let Some(function) = self.functions.get(&(domain, node.op_type, node.overload)).copied() {
            return self.inline(node, function, attributes);
        }
        let opset = self.top().opsets.get(domain).copied().unwrap_or(1);
        let row = find(domain, node.op_type, opset)?;
        let mut inputs = vec![];
        for name in &node.input {
            inputs.push(if name.is_empty() { None } else { Some(self.lookup(name)?) });
        }
        let own = inputs.len();
        let mut bodies = vec![];
        for a in attributes.iter() {
            if let Some(g) = &a.g {
                let body = self.body(g, &mut inputs).map_err(|e| e.within(format!("attribute {}", a.name)))?;
                bodies.push((a.name, body));
            }
        }
        let facts: Vec<Option<Fact>> =
            inputs[..own].iter().map(|id| id.map(|id| self.graph().fact(id).clone())).collect();
        let narrow: Vec<_> = inputs[..own].iter().map(|&id| self.narrow(id)).collect();
        let wanted: Vec<bool> = node.output.iter().map(|name| !name.is_empty()).collect();
        let spec = Spec {
            name: node.op_type,
            opset,
            inputs: &facts,
            outputs: &wanted,
            attributes: &attributes,
            bodies: &bodies,
            external: self.external,
            narrow: &narrow,
            makes: Cell::new(carried(node.op_type, &narrow)?),
            asked: RefCell::default(),
            reads: Cell::new(own),
        };
        let op = (row.make)(&spec)?;
        spec.check_attributes()?;
        let makes = spec.makes.get();
        let unread = spec.reads.get().min(own)..own;
        drop(inputs.drain(unread));
        let ids = self.add(node, &attributes, op, &inputs)?;
        if let Some(ty) = makes {
            ids.iter().flatten().for_each(|&id| self.note(id, ty));
        }
        for (name, id) in node.output.iter().zip(ids) {
            if let Some(id) = id {
                self.define(name, id)?;
            }
        }
        Ok(())
    }

    /// A node's attributes, with those of the function's caller in their places.
    fn attributes<'n>(&mut self, node: &'n Node<'m>) -> Result<Cow<'n, [Attribute<'m>]>, Fault> {
        if node.attribute.iter().all(|a| a.ref_attr_name.is_empty()) {
            return Ok(Cow::Borrowed(&node.attribute));
        }
        let call = self.frames.iter().rev().find_map(|frame| frame.call.as_ref());
        let call =
            call.ok_or_else(|| Fault::Invalid("an attribute refers to a function's outside of one".to_owned()))?;
        let mut resolved = vec![];
        for a in &node.attribute {
            if a.ref_attr_name.is_empty() {
                resolved.push(a.clone());
            } else if let Some(given) = call.iter().find(|c| c.name == a.ref_attr_name) {
                resolved.push(Attribute { name: a.name, ..given.clone() });
            }
        }
        Ok(Cow::Owned(resolved))
    }

    /// Puts in the nodes of a function where it is called.
    fn inline(
        &mut self,
        node: &Node<'m>,
        function: &Function<'m>,
        attributes: Cow<'_, [Attribute<'m>]>,
    ) -> Result<(), OnnxError> {
        let mut given = attributes.into_owned();
        for default in &function.attribute_proto {
            if !given.iter().any(|a| a.name == default.name) {
                given.push(default.clone());
            }
        }
        let mut inputs = vec![];
        for name in &node.input {
            inputs.push(if name.is_empty() { None } else { Some(self.lookup(name)?) });
        }
        let prefix = format!("{}{}/", self.top().prefix, name_of(node));
        self.frame(opsets(&function.opset_import), Some(given), prefix)?;
        for (name, id) in function.input.iter().zip(inputs) {
            if let Some(id) = id {
                self.define(name, id)?;
            }
        }
        let done = self.all(&function.node).map_err(|e| e.within(format!("function {}", function.name)));
        let outputs: Vec<Option<ValueId>> = function.output.iter().map(|name| self.lookup(name).ok()).collect();
        self.frames.pop();
        done?;
        for (name, id) in node.output.iter().zip(outputs) {
            let made = || Fault::Invalid(format!("function {} does not make its outputs", shown(function.name)));
            if !name.is_empty() {
                let id = id.ok_or_else(made)?;
                self.define(name, id)?;
            }
        }
        Ok(())
    }

    /// A graph that a node holds. What it takes from outside is added to the node's inputs.
    fn body(&mut self, graph: &GraphProto<'m>, inputs: &mut Vec<Option<ValueId>>) -> Result<Body, OnnxError> {
        let opsets = self.top().opsets.clone();
        let prefix = self.top().prefix.clone();
        self.levels.push(Level::default());
        let done = self.frame(opsets, None, prefix).map_err(OnnxError::from).and_then(|()| {
            let made = self.contents(graph);
            self.frames.pop();
            made
        });
        let mut level = self.levels.pop().unwrap_or_default();
        let own = done?.len();
        if let Some(ty) = level.graph.outputs().iter().find_map(|id| level.narrow.get(id)) {
            let what = format!("a graph of a node cannot give elements of type {}; cast them to float first", ty.name);
            return Err(Fault::Unsupported(what).into());
        }
        let mut captures = vec![];
        for id in level.captured {
            captures.push(inputs.len());
            inputs.push(Some(id));
        }
        let optimized = passes::run(self.lane, &mut level.graph, self.passes, &mut self.budget);
        let plan = optimized.and_then(|()| Plan::new(level.graph)).map_err(Fault::from)?;
        Ok(Body { plan: Arc::new(plan), inputs: own, captures })
    }

    /// Adds a node, or computes it here if it is the same in every run.
    fn add(
        &mut self,
        node: &Node<'m>,
        attributes: &[Attribute<'m>],
        op: Arc<dyn Operator>,
        inputs: &[Option<ValueId>],
    ) -> Result<Vec<Option<ValueId>>, Fault> {
        let outputs: Vec<Option<&str>> = node.output.iter().map(|n| (!n.is_empty()).then_some(*n)).collect();
        let name = format!("{}{}", self.top().prefix, name_of(node));
        if let Some(arrays) = self.computed(&*op, inputs, &outputs).map_err(|e| e.at(&name, op.name()))? {
            let graph = self.graph();
            let constant = |(name, array): (&Option<&str>, Option<ArrayData>)| {
                name.and_then(|name| array.map(|array| graph.constant(name, array)))
            };
            return Ok(outputs.iter().zip(arrays).map(constant).collect());
        }
        let graph = self.graph();
        let made = graph.add_shared(&name, op, inputs, &outputs)?;
        graph.describe_last(attributes_text(attributes));
        Ok(made)
    }

    /// The outputs of a node of constants, if they are known to be small and can be computed.
    fn computed(
        &mut self,
        op: &dyn Operator,
        inputs: &[Option<ValueId>],
        outputs: &[Option<&str>],
    ) -> Result<Option<Vec<Option<ArrayData>>>, GraphError> {
        let (lane, mut budget) = (self.lane, std::mem::take(&mut self.budget));
        let computed = self.computed_within(lane, op, inputs, outputs, &mut budget);
        self.budget = budget;
        computed
    }

    fn computed_within(
        &mut self,
        lane: &Lane,
        op: &dyn Operator,
        inputs: &[Option<ValueId>],
        outputs: &[Option<&str>],
        budget: &mut Budget,
    ) -> Result<Option<Vec<Option<ArrayData>>>, GraphError> {
        let graph = self.graph();
        let facts: Vec<Option<&Fact>> = inputs.iter().map(|id| id.map(|id| graph.fact(id))).collect();
        if !op.is_pure() || facts.iter().flatten().any(|f| f.constant.is_none()) {
            return Ok(None);
        }
        let made = op.infer(&facts, outputs.len())?;
        let wanted: Vec<Option<&Fact>> = outputs.iter().zip(&made).map(|(name, fact)| name.map(|_| fact)).collect();
        if wanted.len() < outputs.len() {
            return Ok(None);
        }
        Ok(passes::computed(lane, op, &facts, &wanted, budget))
    }
}

/// A node's name; that of its first output if it has none.
fn name_of<'n>(node: &'n Node<'_>) -> Cow<'n, str> {
    match (node.name, node.output.iter().find(|name| !name.is_empty())) {
        ("", Some(first)) => format!("%{first}").into(),
        (name, _) => name.into(),
    }
}

/// Operators that give elements as they take them.
const MOVES: &[&str] = &[
    "Concat",
    "Expand",
    "Flatten",
    "Gather",
    "Identity",
    "Reshape",
    "Slice",
    "Split",
    "Squeeze",
    "Tile",
    "Transpose",
    "Unsqueeze",
];
/// Operators that know what narrow elements they take.
const KNOWS: &[&str] = &["Cast", "CastLike", "DequantizeLinear", "QuantizeLinear", "Shape", "Size"];

/// The narrow type of what an operator makes of elements of such types.
fn carried(op: &str, inputs: &[Option<&'static DataType>]) -> Result<Option<&'static DataType>, Fault> {
    match inputs.iter().flatten().next() {
        Some(ty) if MOVES.contains(&op) => Ok(Some(ty)),
        Some(ty) if !KNOWS.contains(&op) => {
            let what = format!("{op} does not take elements of type {}; cast them to float first", ty.name);
            Err(Fault::Unsupported(what))
        }
        _ => Ok(None),
    }
}

/// Whether a value has a type, whatever it is.
fn is_typed(info: &ValueInfo<'_>) -> bool {
    info.ty.as_deref().is_some_and(|ty| match &ty.tensor_type {
        Some(tensor) => tensor.elem_type != 0,
        None => {
            let wrapped = ty.sequence_type.is_some() || ty.optional_type.is_some();
            wrapped || ty.map_type.is_some() || ty.sparse_tensor_type.is_some()
        }
    })
}

/// What a type says.
fn fact_of(info: &ValueInfo<'_>) -> Result<Fact, Fault> {
    let Some(Type { tensor_type: Some(tensor), .. }) = info.ty.as_deref() else { return Ok(Fact::unknown()) };
    if tensor.elem_type == 0 {
        return Ok(Fact::unknown());
    }
    let mut fact = Fact::of_dtype(DataType::of(tensor.elem_type)?.dtype()?);
    fact.shape = tensor.shape.as_ref().map(|shape| {
        let dim = |d: &crate::proto::Dimension<'_>| match (d.dim_value.map(usize::try_from), d.dim_param) {
            (Some(Ok(n)), _) => Dim::Known(n),
            // Some exporters write "?" for all that they do not know.
            (None, name) if name.contains(char::is_alphanumeric) => Dim::Named(name.into()),
            _ => Dim::Unknown,
        };
        shape.dim.iter().map(dim).collect()
    });
    Ok(fact)
}

/// Places in the row-major order of a shape, of indices that are such places or have one number for each axis.
fn places(indices: &Array, shape: &[usize]) -> Option<Vec<i64>> {
    let numbers = indices.to_vec::<i64>().ok()?;
    if numbers.is_empty() {
        return Some(vec![]);
    }
    let total = i64::try_from(shape.iter().try_fold(1usize, |n, &d| n.checked_mul(d))?).ok()?;
    let below = |i: i64, n: i64| (0..n).contains(&i).then_some(i);
    match *indices.shape() {
        [_] => numbers.into_iter().map(|i| below(i, total)).collect(),
        [_, rank] if rank == shape.len() => {
            let step = |at: i64, (&i, &n): (&i64, &usize)| Some(at * n as i64 + below(i, n as i64)?);
            numbers.chunks(rank.max(1)).map(|index| index.iter().zip(shape).try_fold(0, step)).collect()
        }
        _ => None,
    }
}

/// A tensor that is mostly zero, with its zeros.
pub(crate) fn dense(sparse: &SparseTensor<'_>, external: &ExternalData) -> Result<Array, Fault> {
    let invalid = |what: &str| Fault::Invalid(format!("sparse tensor: {what}"));
    let (Some(values), Some(indices)) = (&sparse.values, &sparse.indices) else {
        return Err(invalid("values or indices are missing"));
    };
    let (values, indices) = (array_of(values, external)?, array_of(indices, external)?);
    let shape: Vec<usize> = sparse
        .dims
        .iter()
        .map(|&d| usize::try_from(d).map_err(|_| invalid("a length is negative")))
        .collect::<Result<_, _>>()?;
    let total = freelane_array::element_count(&shape, values.dtype().size())?;
    if total.saturating_mul(values.dtype().size()) > MOST_BYTES {
        return Err(Fault::TooLarge { what: "bytes of a sparse tensor", limit: MOST_BYTES as u64 });
    }
    let places = places(&indices, &shape).ok_or_else(|| {
        let (indices, found) = (indices.shape(), values.shape());
        invalid(&format!("indices of shape {indices:?} for values of {found:?}, or one outside of {shape:?}"))
    })?;
    if values.rank() != 1 || values.len() != places.len() {
        return Err(invalid(&format!("{} places for values of shape {:?}", places.len(), values.shape())));
    }
    let mut out = Array::zeros(&[total], values.dtype())?;
    out.set_items(&[freelane_ops::IndexItem::Ints(Array::from_slice(&places)?)], &values)?;
    let shape: Vec<isize> = shape.iter().map(|&d| d as isize).collect();
    Ok(out.reshape(&shape)?)
}
