//! Graphs: values, and nodes that make values of values.
use crate::{Fact, GraphError, Operator};
use freelane_array::{ArrayData, DType, Slice};
use freelane_ops::Array;
use std::fmt;
use std::sync::Arc;

/// A value of a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ValueId(pub(crate) u32);

impl ValueId {
    /// Its place among the values of its graph.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A value's name and what is known of it.
#[derive(Clone, Debug)]
pub struct Value {
    /// Its name; may be empty.
    pub name: String,
    /// What is known of it.
    pub fact: Fact,
}

/// An operator with its inputs and outputs.
#[derive(Clone)]
pub struct Node {
    /// Its name; may be empty.
    pub name: String,
    /// What it does.
    pub op: Arc<dyn Operator>,
    /// What it reads; nothing where an input is left out.
    pub inputs: Vec<Option<ValueId>>,
    /// What it makes; nothing where nobody wants it.
    pub outputs: Vec<Option<ValueId>>,
    /// What its file says of it beside all that, for its readers.
    pub attributes: String,
}

/// Values and nodes, in an order in which they can run: a node's inputs are there before the node.
///
/// ```
/// use freelane_graph::{Call, Datum, Fact, Graph, Plan, State};
/// use freelane_ops::{Array, DType, ufuncs};
/// use freelane_pool::Lane;
///
/// let mut graph = Graph::default();
/// let x = graph.input("x", Fact::of_dtype(DType::F64));
/// let two = graph.constant("two", Array::from_vec(vec![2.0], &[])?.into());
/// let y = graph.add("", Call::ufunc(&ufuncs::MULTIPLY), &[Some(x), Some(two)], 1)?[0];
/// graph.output(y);
/// let plan = Plan::new(graph)?;
/// let x = Array::from_vec(vec![1.0, 2.5], &[2])?;
/// let out = Lane::with(|lane| plan.run(lane, &mut State::default(), &[x.into()]))?;
/// assert_eq!(Array::from(out[0].array().unwrap().clone()).to_vec::<f64>()?, [2.0, 5.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Default)]
pub struct Graph {
    /// Its name.
    pub name: String,
    pub(crate) values: Vec<Value>,
    pub(crate) nodes: Vec<Node>,
    pub(crate) inputs: Vec<ValueId>,
    pub(crate) outputs: Vec<ValueId>,
}

impl Graph {
    fn value(&mut self, name: &str, fact: Fact) -> ValueId {
        let id = ValueId(
            u32::try_from(self.values.len()).expect("fewer than 2^32 values: each takes a message of the file"),
        );
        self.values.push(Value { name: name.to_owned(), fact });
        id
    }

    /// Adds an input.
    pub fn input(&mut self, name: &str, fact: Fact) -> ValueId {
        let id = self.value(name, fact);
        self.inputs.push(id);
        id
    }

    /// Adds a value that is the same in every run.
    pub fn constant(&mut self, name: &str, array: ArrayData) -> ValueId {
        self.value(name, Fact::constant(array))
    }

    /// Adds a node; returns its outputs.
    ///
    /// # Errors
    /// When no run of the node can succeed.
    pub fn add(
        &mut self,
        name: &str,
        op: impl Operator,
        inputs: &[Option<ValueId>],
        outputs: usize,
    ) -> Result<Vec<ValueId>, GraphError> {
        self.add_shared(name, Arc::new(op), inputs, &vec![Some(""); outputs])
            .map(|ids| ids.into_iter().flatten().collect())
    }

    /// Adds a node; `outputs` names those that are wanted. Returns them.
    ///
    /// # Errors
    /// When no run of the node can succeed.
    pub fn add_shared(
        &mut self,
        name: &str,
        op: Arc<dyn Operator>,
        inputs: &[Option<ValueId>],
        outputs: &[Option<&str>],
    ) -> Result<Vec<Option<ValueId>>, GraphError> {
        let facts: Vec<Option<&Fact>> = inputs.iter().map(|id| id.map(|id| self.fact(id))).collect();
        let mut facts = op.infer(&facts, outputs.len()).map_err(|e| e.at(name, op.name()))?;
        facts.resize(outputs.len(), Fact::unknown());
        let ids: Vec<Option<ValueId>> =
            outputs.iter().zip(facts).map(|(name, fact)| name.map(|name| self.value(name, fact))).collect();
        let (name, inputs, attributes) = (name.to_owned(), inputs.to_vec(), String::new());
        self.nodes.push(Node { name, op, inputs, outputs: ids.clone(), attributes });
        Ok(ids)
    }

    /// Puts other nodes in place of all, in an order in which they can run.
    pub fn set_nodes(&mut self, nodes: Vec<Node>) {
        self.nodes = nodes;
    }

    /// Says what its file says of the node that was added last, for its readers.
    pub fn describe_last(&mut self, attributes: String) {
        if let Some(node) = self.nodes.last_mut() {
            node.attributes = attributes;
        }
    }

    /// Makes a value an output.
    pub fn output(&mut self, id: ValueId) {
        self.outputs.push(id);
    }

    /// What is known of a value.
    pub fn fact(&self, id: ValueId) -> &Fact {
        &self.values[id.index()].fact
    }

    /// What is known of a value, to be added to by whoever knows more.
    pub fn fact_mut(&mut self, id: ValueId) -> &mut Fact {
        &mut self.values[id.index()].fact
    }

    /// A value's name.
    pub fn name_of(&self, id: ValueId) -> &str {
        &self.values[id.index()].name
    }

    /// A value as it is printed: by its name, or by its number if it has none.
    pub fn shown(&self, id: ValueId) -> String {
        match self.name_of(id) {
            "" => format!("%{}", id.0),
            name => format!("%{name}"),
        }
    }

    /// A node's name; that of its first output if it has none.
    pub fn node_name(&self, node: &Node) -> String {
        match (node.name.as_str(), node.outputs.iter().flatten().next()) {
            ("", Some(first)) => self.shown(*first),
            (name, _) => name.to_owned(),
        }
    }

    /// The nodes, in the order they run.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The inputs.
    pub fn inputs(&self) -> &[ValueId] {
        &self.inputs
    }

    /// The outputs.
    pub fn outputs(&self) -> &[ValueId] {
        &self.outputs
    }

    /// All values.
    pub fn values(&self) -> &[Value] {
        &self.values
    }
}

/// One line a node, `%result: float32 [2, 3] = operator(%a, %b) {attributes}`, between the inputs and the outputs. Constants
/// stand before the node that reads them first; the graphs that a node runs, below it.
impl fmt::Display for Graph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, "")
    }
}

impl Graph {
    fn write(&self, f: &mut fmt::Formatter<'_>, pad: &str) -> fmt::Result {
        let shown = |id: &ValueId| self.shown(*id);
        let told = |id: &ValueId| format!("{}: {}", shown(id), self.fact(*id));
        let list =
            |ids: &[ValueId], each: &dyn Fn(&ValueId) -> String| ids.iter().map(each).collect::<Vec<_>>().join(", ");
        writeln!(f, "graph {}({}) {{", self.name, list(&self.inputs, &told))?;
        let mut known = vec![false; self.values.len()];
        for node in &self.nodes {
            self.write_constants(f, pad, node.inputs.iter().flatten(), &mut known)?;
            let outputs: Vec<ValueId> = node.outputs.iter().flatten().copied().collect();
            let inputs: Vec<String> = node.inputs.iter().map(|id| id.as_ref().map_or("_".to_owned(), shown)).collect();
            write!(f, "{pad}    {} = {}({})", list(&outputs, &told), node.op.name(), inputs.join(", "))?;
            writeln!(
                f,
                "{}",
                if node.attributes.is_empty() { String::new() } else { format!(" {{{}}}", node.attributes) }
            )?;
            for body in node.op.bodies() {
                let pad = format!("{pad}      ");
                write!(f, "{pad}")?;
                body.graph().write(f, &pad)?;
            }
        }
        self.write_constants(f, pad, self.outputs.iter(), &mut known)?;
        writeln!(f, "{pad}    return {}\n{pad}}}", list(&self.outputs, &shown))
    }

    /// Lines for those values that are constants and not `known` yet.
    fn write_constants<'v>(
        &self,
        f: &mut fmt::Formatter<'_>,
        pad: &str,
        ids: impl Iterator<Item = &'v ValueId>,
        known: &mut [bool],
    ) -> fmt::Result {
        for id in ids {
            let fact = self.fact(*id);
            if let Some(array) = fact.constant.as_ref().filter(|_| !std::mem::replace(&mut known[id.index()], true)) {
                writeln!(f, "{pad}    {}: {fact} = {}", self.shown(*id), elements(array))?;
            }
        }
        Ok(())
    }
}

/// The first elements of a constant.
fn elements(array: &ArrayData) -> String {
    const MOST: usize = 8;
    let array = Array::from(array.clone());
    let numbers = |array: Array| -> Option<String> {
        let first = array
            .reshape(&[-1])
            .ok()?
            .index(&[Slice { start: None, stop: Some(MOST as isize), step: 1 }.into()])
            .ok()?;
        let list: Vec<String> = match first.dtype() {
            DType::Bool => first.to_vec::<bool>().ok()?.iter().map(bool::to_string).collect(),
            dtype if dtype.is_integer() => {
                first.astype(DType::I64).ok()?.to_vec::<i64>().ok()?.iter().map(i64::to_string).collect()
            }
            dtype if dtype.is_real() => {
                first.astype(DType::F64).ok()?.to_vec::<f64>().ok()?.iter().map(|x| format!("{x:?}")).collect()
            }
            _ => return None,
        };
        Some(list.join(", "))
    };
    let more = if array.len() > MOST { ", ..." } else { "" };
    numbers(array).map_or("constant".to_owned(), |list| format!("{list}{more}"))
}
