//! A model as text, for people: what goes in, what comes out, and each node as an assignment.
use crate::DataType;
use crate::error::shown;
use crate::proto::{Attribute, Dimension, Function, Graph, Model, Node, OperatorSetId, Tensor, Type, ValueInfo};
use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};

/// Prints a model.
pub struct Text<'m, 'a>(pub &'m Model<'a>);

impl Display for Text<'_, '_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let model = self.0;
        writeln!(f, "// format {}, made by {}", model.ir_version, Producer(model))?;
        writeln!(f, "// operators: {}", Opsets(&model.opset_import))?;
        for entry in &model.metadata_props {
            writeln!(f, "// {}: {}", shown(entry.key), shown(entry.value))?;
        }
        for function in &model.functions {
            write_function(f, function)?;
        }
        match &model.graph {
            Some(graph) => write_graph(f, graph, 0),
            None => writeln!(f, "// no graph"),
        }
    }
}

struct Producer<'m, 'a>(&'m Model<'a>);

impl Display for Producer<'_, '_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match (self.0.producer_name, self.0.producer_version) {
            ("", _) => f.write_str("nobody who says so"),
            (name, "") => f.write_str(&shown(name)),
            (name, version) => write!(f, "{} {}", shown(name), shown(version)),
        }
    }
}

struct Opsets<'m, 'a>(&'m [OperatorSetId<'a>]);

impl Display for Opsets<'_, '_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let domain = |domain: &str| if domain.is_empty() { "ai.onnx".to_owned() } else { shown(domain) };
        let list: Vec<String> = self.0.iter().map(|set| format!("{} {}", domain(set.domain), set.version)).collect();
        f.write_str(&list.join(", "))
    }
}

fn write_graph(f: &mut Formatter<'_>, graph: &Graph<'_>, depth: usize) -> fmt::Result {
    let pad = "    ".repeat(depth);
    write!(f, "graph {}", shown(graph.name))?;
    write!(f, "({})", infos(&graph.input))?;
    writeln!(f, " -> ({}) {{", infos(&graph.output))?;
    for tensor in &graph.initializer {
        writeln!(f, "{pad}    {} = constant {}", name(tensor.name), TensorType(tensor))?;
    }
    for node in &graph.node {
        write_node(f, node, depth + 1)?;
    }
    writeln!(f, "{pad}}}")
}

fn write_function(f: &mut Formatter<'_>, function: &Function<'_>) -> fmt::Result {
    let list = |names: &[&str]| names.iter().map(|n| name(n)).collect::<Vec<_>>().join(", ");
    let operator = operator(function.domain, function.name);
    writeln!(f, "function {operator}({}) -> ({}) {{", list(&function.input), list(&function.output))?;
    for node in &function.node {
        write_node(f, node, 1)?;
    }
    writeln!(f, "}}")
}

fn write_node(f: &mut Formatter<'_>, node: &Node<'_>, depth: usize) -> fmt::Result {
    let list = |names: &[&str]| names.iter().map(|n| name(n)).collect::<Vec<_>>().join(", ");
    let pad = "    ".repeat(depth);
    write!(f, "{pad}{} = {}({})", list(&node.output), operator(node.domain, node.op_type), list(&node.input))?;
    let plain = attributes_text(&node.attribute);
    if !plain.is_empty() {
        write!(f, " {{{plain}}}")?;
    }
    writeln!(f)?;
    for attribute in &node.attribute {
        if let Some(graph) = &attribute.g {
            write!(f, "{pad}  {} = ", shown(attribute.name))?;
            write_graph(f, graph, depth)?;
        }
    }
    Ok(())
}

/// Attributes that are no graphs: `axis = 1, mode = "linear"`.
pub(crate) fn attributes_text(attributes: &[Attribute<'_>]) -> String {
    let plain = attributes.iter().filter(|a| a.g.is_none()).map(|a| AttributeText(a).to_string());
    plain.collect::<Vec<_>>().join(", ")
}

fn name(name: &str) -> String {
    if name.is_empty() { "_".to_owned() } else { format!("%{}", shown(name)) }
}

fn operator(domain: &str, name: &str) -> String {
    if domain.is_empty() || domain == "ai.onnx" { shown(name) } else { format!("{}:{}", shown(domain), shown(name)) }
}

fn infos(infos: &[ValueInfo<'_>]) -> String {
    let one = |info: &ValueInfo<'_>| match &info.ty {
        Some(ty) => format!("{}: {}", name(info.name), TypeText(ty)),
        None => name(info.name),
    };
    infos.iter().map(one).collect::<Vec<_>>().join(", ")
}

fn data_type(code: i64) -> String {
    DataType::of(code).map_or_else(|_| format!("type {code}"), |row| row.name.to_owned())
}

/// A type: `float[n, 3]`, `seq(float)`.
pub(crate) struct TypeText<'m, 'a>(pub &'m Type<'a>);

impl Display for TypeText<'_, '_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let ty = self.0;
        let inner = |f: &mut Formatter<'_>, what: &str, inner: &Option<Box<Type<'_>>>| match inner {
            Some(inner) => write!(f, "{what}({})", TypeText(inner)),
            None => write!(f, "{what}(?)"),
        };
        if let Some(tensor) = ty.tensor_type.as_ref().or(ty.sparse_tensor_type.as_ref()) {
            let sparse = if ty.sparse_tensor_type.is_some() { "sparse " } else { "" };
            write!(f, "{sparse}{}", data_type(tensor.elem_type))?;
            return match &tensor.shape {
                Some(shape) => write!(f, "[{}]", shape.dim.iter().map(dimension).collect::<Vec<_>>().join(", ")),
                None => f.write_str("[...]"),
            };
        }
        if let Some(sequence) = &ty.sequence_type {
            return inner(f, "seq", &sequence.elem_type);
        }
        if let Some(optional) = &ty.optional_type {
            return inner(f, "optional", &optional.elem_type);
        }
        match &ty.map_type {
            Some(map) => inner(f, &format!("map({}) to ", data_type(map.key_type)), &map.value_type),
            None => f.write_str("?"),
        }
    }
}

fn dimension(dimension: &Dimension<'_>) -> String {
    match (dimension.dim_value, dimension.dim_param) {
        (Some(n), _) => n.to_string(),
        (None, "") => "?".to_owned(),
        (None, name) => shown(name),
    }
}

struct TensorType<'m, 'a>(&'m Tensor<'a>);

impl Display for TensorType<'_, '_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}{:?}", data_type(self.0.data_type), self.0.dims)
    }
}

struct AttributeText<'m, 'a>(&'m Attribute<'a>);

impl Display for AttributeText<'_, '_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let a = self.0;
        write!(f, "{} = ", shown(a.name))?;
        if !a.ref_attr_name.is_empty() {
            return write!(f, "@{}", shown(a.ref_attr_name));
        }
        let text = |bytes: &[u8]| format!("{:?}", shown(&String::from_utf8_lossy(bytes)));
        match a.kind {
            1 => write!(f, "{:?}", a.f),
            2 => write!(f, "{}", a.i),
            3 => f.write_str(&text(a.s)),
            4 => a.t.as_ref().map_or(Ok(()), |t| write!(f, "{}", TensorType(t))),
            6 => f.write_str(&shortened(&a.floats, |x| format!("{x:?}"))),
            7 => f.write_str(&shortened(&a.ints, i64::to_string)),
            8 => f.write_str(&shortened(&a.strings, |s| text(s))),
            9 => f.write_str(&shortened(&a.tensors, |t| TensorType(t).to_string())),
            13 => a.tp.as_ref().map_or(Ok(()), |tp| write!(f, "{}", TypeText(tp))),
            other => write!(f, "(kind {other})"),
        }
    }
}

/// The first items of a list.
fn shortened<T>(items: &[T], show: impl Fn(&T) -> String) -> String {
    const MOST: usize = 16;
    let mut parts: Vec<String> = items.iter().take(MOST).map(show).collect();
    if items.len() > MOST {
        parts.push(format!("... {} in all", items.len()));
    }
    format!("[{}]", parts.join(", "))
}

/// How often each operator occurs in a model, inner graphs and functions included.
pub fn summary<'m>(model: &'m Model<'_>) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    let functions = model.functions.iter().map(|f| &f.node);
    let graph = model.graph.iter().map(|g| &g.node);
    let mut waiting: Vec<&'m [Node<'_>]> = functions.chain(graph).map(Vec::as_slice).collect();
    while let Some(nodes) = waiting.pop() {
        for node in nodes {
            *counts.entry(operator(node.domain, node.op_type)).or_insert(0) += 1;
            let graphs = node.attribute.iter().flat_map(|a| a.g.as_deref().into_iter().chain(&a.graphs));
            waiting.extend(graphs.map(|g| g.node.as_slice()));
        }
    }
    counts
}
