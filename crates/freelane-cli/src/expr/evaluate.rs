//! From tree to value. Temporaries are owned by the step that uses them, so that it can write into their storage.
use super::arithmetic;
use super::ast::{Call, Item, Node, NodeKind};
use super::attribute::{self, Method};
use super::error::{ExprError, Problem};
use super::names;
use freelane::function::Kind;
use freelane::{Array, Callable, DType, Index, IndexItem, Lane, OpsError, Registry, Scalar, Slice, Value};
use std::collections::BTreeMap;

/// Sees each step of an evaluation when it ends.
pub trait Watch {
    /// An operator, call or subscript has been carried out; what it used still lives.
    fn step(&self);
}

impl Watch for () {
    fn step(&self) {}
}

/// Evaluates trees over named arrays.
pub struct Evaluator<'a> {
    lane: &'a Lane,
    registry: &'a Registry,
    arrays: &'a BTreeMap<String, Array>,
    watch: &'a dyn Watch,
}

type Evaluated<T> = Result<T, ExprError>;

impl<'a> Evaluator<'a> {
    /// An evaluator on a lane, with the functions of a registry, over arrays by name.
    pub fn new(
        lane: &'a Lane,
        registry: &'a Registry,
        arrays: &'a BTreeMap<String, Array>,
        watch: &'a dyn Watch,
    ) -> Self {
        Evaluator { lane, registry, arrays, watch }
    }

    /// The value of a tree.
    ///
    /// # Errors
    /// When a name is unknown, or an operation refuses its arguments; with the column.
    pub fn value(&self, node: &Node) -> Evaluated<Value> {
        let value = match &node.kind {
            NodeKind::Number(s) => return Ok(Value::Scalar(*s)),
            NodeKind::Name(name) => return self.name(name).map_err(|p| p.at(node.column)),
            NodeKind::Text(word) => return Ok(Value::Str(word.clone())),
            NodeKind::Tuple(items) | NodeKind::List(items) => {
                return items.iter().map(|i| self.value(i)).collect::<Evaluated<_>>().map(Value::Tuple);
            }
            NodeKind::Attribute(x, name) => return self.attribute(x, name).map_err(|e| e.place(node.column)),
            NodeKind::Unary(op, x) => self.unary(op, self.value(x)?).map_err(|p| p.at(node.column))?,
            NodeKind::Binary(op, a, b) => {
                let (a, b) = (self.value(a)?, self.value(b)?);
                self.binary(op, a, b).map_err(|p| p.at(node.column))?
            }
            NodeKind::Index(x, items) => self.index(x, items, node.column)?,
            NodeKind::Call(call) => self.call(call)?,
        };
        self.watch.step();
        Ok(value)
    }

    fn name(&self, name: &str) -> Result<Value, Problem> {
        if let Some(array) = self.arrays.get(name) {
            return Ok(Value::Array(array.clone()));
        }
        if let Some(value) = names::constant(name) {
            return Ok(value);
        }
        if let Some(function) = names::function(self.registry, name) {
            return Err(Problem::misuse(format!("'{name}' is a function; call it: {}", function.signature())));
        }
        let suggestion = names::nearest(self.registry, name, self.arrays.keys().map(String::as_str));
        Err(Problem::UnknownName { name: name.to_owned(), suggestion })
    }

    fn attribute(&self, x: &Node, name: &str) -> Result<Value, Fault> {
        if let Some(module) = self.module(x) {
            return Ok(self.name(&names::qualified(module, name))?);
        }
        Ok(attribute::fact(self.registry, self.value(x)?, name)?)
    }

    /// The namespace that is written before a dot: none in `np.sin`, `linalg` in `linalg.inv` and `np.linalg.inv`.
    fn module<'n>(&self, x: &'n Node) -> Option<&'n str> {
        match &x.kind {
            NodeKind::Name(n) if names::is_module(n) => Some(""),
            NodeKind::Name(n) if !self.arrays.contains_key(n) => self.namespace(n),
            NodeKind::Attribute(x, n) if self.module(x) == Some("") => self.namespace(n),
            _ => None,
        }
    }

    fn namespace<'n>(&self, name: &'n str) -> Option<&'n str> {
        (!name.is_empty() && self.registry.has_namespace(name)).then_some(name)
    }

    fn unary(&self, op: &str, x: Value) -> Result<Value, Problem> {
        match x {
            Value::Scalar(s) => arithmetic::unary(op, s).map(Value::Scalar),
            x => self.apply(op, vec![x], vec![]),
        }
    }

    fn binary(&self, op: &str, a: Value, b: Value) -> Result<Value, Problem> {
        match (a, b) {
            (Value::Scalar(a), Value::Scalar(b)) if op != "matmul" => arithmetic::binary(op, a, b).map(Value::Scalar),
            (Value::DType(a), Value::DType(b)) if op == "equal" => Ok(Value::Scalar(Scalar::Bool(a == b))),
            (a, b) => self.apply(op, vec![a, b], vec![]),
        }
    }

    fn apply(&self, name: &str, positional: Vec<Value>, named: Vec<(&str, Value)>) -> Result<Value, Problem> {
        let Some(function) = names::function(self.registry, name) else {
            return Err(Problem::UnknownName { name: name.to_owned(), suggestion: None });
        };
        self.run(function, positional, named)
    }

    fn run(
        &self,
        function: Callable<'_>,
        mut positional: Vec<Value>,
        mut named: Vec<(&str, Value)>,
    ) -> Result<Value, Problem> {
        let params = function.params();
        let places = params.iter().filter(|p| !p.keyword_only).take_while(|p| !p.rest);
        let rest = params.iter().filter(|p| p.rest).cycle();
        for (value, param) in positional.iter_mut().zip(places.chain(rest)) {
            // What the rest is made of are operands.
            fill(value, if param.rest { Kind::Operand } else { param.kind })?;
        }
        for (name, value) in &mut named {
            params.iter().find(|p| p.answers_to(name)).map_or(Ok(()), |p| fill(value, p.kind))?;
        }
        Ok(function.call_owned(self.lane, positional, &named)?.into())
    }

    fn call(&self, call: &Call) -> Evaluated<Value> {
        let at = |problem: Problem| problem.at(call.callee.column);
        match &call.callee.kind {
            NodeKind::Name(name) => self.call_function(name, call).map_err(|e| e.place(call.callee.column)),
            NodeKind::Attribute(object, name) => match self.module(object) {
                Some(module) => self.call_function(&names::qualified(module, name), call),
                None => self.call_method(object, name, call),
            }
            .map_err(|e| e.place(call.callee.column)),
            _ => Err(at(Problem::misuse("only functions and methods can be called"))),
        }
    }

    fn call_function(&self, name: &str, call: &Call) -> Result<Value, Fault> {
        if self.arrays.contains_key(name) {
            return Err(Problem::misuse(format!("'{name}' is an array here and cannot be called")).into());
        }
        if matches!(name, "array" | "asarray") {
            return self.array_literal(call);
        }
        match names::constant(name) {
            Some(Value::DType(dtype)) => {
                let mut arguments = self.arguments(&call.positional)?;
                arguments.push(Value::DType(dtype));
                return Ok(self.apply("astype", arguments, vec![])?);
            }
            Some(_) => return Err(Problem::misuse(format!("'{name}' cannot be called")).into()),
            None => {}
        }
        let Some(function) = names::function(self.registry, name) else {
            return Err(Fault::from(self.name(name).err().unwrap_or_else(|| Problem::misuse("cannot be called"))));
        };
        let (positional, named) = (self.arguments(&call.positional)?, self.named(call)?);
        Ok(self.run(function, positional, named)?)
    }

    fn call_method(&self, object: &Node, name: &str, call: &Call) -> Result<Value, Fault> {
        let x = self.value(object)?;
        let mut arguments = self.arguments(&call.positional)?;
        let (function, name) = match attribute::method(self.registry, name)? {
            Method::Function(function) => (function, name),
            Method::Itself if arguments.is_empty() => return Ok(x),
            Method::Flatten if arguments.is_empty() => {
                return Ok(self.apply("reshape", vec![x, Value::Scalar(Scalar::Int(-1))], vec![])?);
            }
            _ => return Err(Problem::misuse(format!("{name} takes no arguments")).into()),
        };
        arguments = attribute::spread(name, arguments);
        arguments.insert(0, x);
        Ok(self.run(function, arguments, self.named(call)?)?)
    }

    fn arguments(&self, nodes: &[Node]) -> Evaluated<Vec<Value>> {
        nodes.iter().map(|node| self.value(node)).collect()
    }

    fn named<'n>(&self, call: &'n Call) -> Evaluated<Vec<(&'n str, Value)>> {
        call.named.iter().map(|(name, node)| Ok((name.as_str(), self.value(node)?))).collect()
    }

    /// `array(values, dtype=None)`.
    fn array_literal(&self, call: &Call) -> Result<Value, Fault> {
        let mut values = self.arguments(&call.positional)?;
        let named = self.named(call)?;
        let usage = || Problem::misuse("usage: array(values, dtype=None)");
        let dtype = match (values.len(), &named[..]) {
            (2, []) => values.pop(),
            (1, []) => None,
            (1, [("dtype", dtype)]) => Some(dtype.clone()),
            _ => return Err(usage().into()),
        };
        let array = array_of(&values[0])?;
        match dtype {
            None | Some(Value::None) => Ok(Value::Array(array)),
            Some(Value::DType(dtype)) => Ok(Value::Array(array.astype(dtype)?)),
            Some(_) => Err(usage().into()),
        }
    }

    fn index(&self, x: &Node, items: &[Item], column: usize) -> Evaluated<Value> {
        let object = self.value(x)?;
        let mut indices = vec![];
        for item in items {
            self.item(item, column, &mut indices)?;
        }
        match object {
            Value::Array(array) => {
                let part = array.get_items(&indices).map_err(|e| Problem::Ops(e).at(column))?;
                Ok(Value::Array(part))
            }
            Value::Tuple(values) => of_tuple(values, &indices).map_err(|p| p.at(column)),
            _ => Err(Problem::misuse("a number has no parts to select").at(column)),
        }
    }

    fn item(&self, item: &Item, column: usize, out: &mut Vec<IndexItem>) -> Evaluated<()> {
        match item {
            Item::Ellipsis => out.push(Index::Ellipsis.into()),
            Item::At(node) if matches!(node.kind, NodeKind::List(_)) => {
                let indices = array_of(&self.value(node)?).and_then(|list| elements(&list));
                out.push(indices.map_err(|p| p.at(node.column))?);
            }
            Item::At(node) => position(self.value(node)?, out).map_err(|p| p.at(node.column))?,
            Item::Range([start, stop, step]) => {
                let bound = |node: &Option<Node>| node.as_ref().map_or(Ok(None), |n| self.bound(n));
                let (start, stop, step) = (bound(start)?, bound(stop)?, bound(step)?.unwrap_or(1));
                if step == 0 {
                    return Err(Problem::misuse("a slice step cannot be zero").at(column));
                }
                out.push(Index::Range(Slice { start, stop, step }).into());
            }
        }
        Ok(())
    }

    fn bound(&self, node: &Node) -> Evaluated<Option<isize>> {
        match self.value(node)? {
            Value::None => Ok(None),
            value => whole(&value).map(Some).map_err(|p| p.at(node.column)),
        }
    }
}

/// A fault whose place may be known already.
enum Fault {
    Placed(ExprError),
    Unplaced(Problem),
}

impl Fault {
    fn place(self, column: usize) -> ExprError {
        match self {
            Fault::Placed(error) => error,
            Fault::Unplaced(problem) => problem.at(column),
        }
    }
}

impl From<ExprError> for Fault {
    fn from(error: ExprError) -> Fault {
        Fault::Placed(error)
    }
}

impl From<Problem> for Fault {
    fn from(problem: Problem) -> Fault {
        Fault::Unplaced(problem)
    }
}

impl From<OpsError> for Fault {
    fn from(error: OpsError) -> Fault {
        Fault::Unplaced(error.into())
    }
}

/// A list where an operand belongs becomes an array.
fn fill(value: &mut Value, kind: Kind) -> Result<(), Problem> {
    if kind == Kind::Operand && matches!(value, Value::Tuple(_)) {
        *value = Value::Array(array_of(value)?);
    }
    Ok(())
}

/// An array of a number, an array, or nested lists of them.
fn array_of(value: &Value) -> Result<Array, Problem> {
    match value {
        Value::Array(array) => Ok(array.clone()),
        Value::Scalar(s) => Ok(Array::scalar(*s)?),
        Value::Tuple(items) if items.is_empty() => Ok(Array::zeros(&[0], DType::F64)?),
        Value::Tuple(items) => {
            let arrays = items.iter().map(array_of).collect::<Result<Vec<_>, _>>()?;
            Ok(freelane::stack(&arrays.iter().collect::<Vec<_>>(), 0)?)
        }
        Value::DType(_) | Value::Str(_) | Value::None => Err(Problem::misuse("an array is made of numbers")),
    }
}

/// A whole number, as an index needs it.
fn whole(value: &Value) -> Result<isize, Problem> {
    let scalar = match value {
        Value::Scalar(s) => *s,
        Value::Array(a) if a.rank() == 0 => a.to_scalar()?,
        Value::Array(a) => return Err(Problem::ArrayIndex(a.dtype())),
        _ => return Err(Problem::misuse("an index must be a whole number, a slice, None or ...")),
    };
    match scalar {
        Scalar::Int(i) => isize::try_from(i).map_err(|_| Problem::misuse(format!("the index {i} is out of range"))),
        other => Err(Problem::misuse(format!("an index must be a whole number, not {other}"))),
    }
}

/// An array as an index: a mask, or elements by number.
fn elements(array: &Array) -> Result<IndexItem, Problem> {
    match array.dtype() {
        DType::Bool => Ok(IndexItem::Bools(array.clone())),
        dtype if dtype.is_integer() => Ok(IndexItem::Ints(array.clone())),
        _ if array.is_empty() => Ok(IndexItem::Ints(array.astype(DType::I64)?)),
        dtype => Err(Problem::ArrayIndex(dtype)),
    }
}

/// The indices that a value stands for: `x[i]`, `x[None]`, `x[(i, j)]`, `x[mask]`.
fn position(value: Value, out: &mut Vec<IndexItem>) -> Result<(), Problem> {
    match value {
        Value::None => out.push(Index::NewAxis.into()),
        Value::Array(array) if array.rank() > 0 || array.dtype() == DType::Bool => out.push(elements(&array)?),
        Value::Tuple(items) => {
            for item in items {
                position(item, out)?;
            }
        }
        value => out.push(Index::At(whole(&value)?).into()),
    }
    Ok(())
}

/// `x.shape[-1]`, `x.shape[1:]`.
fn of_tuple(values: Vec<Value>, indices: &[IndexItem]) -> Result<Value, Problem> {
    let n = values.len();
    match indices {
        [IndexItem::Basic(Index::At(i))] => {
            let at = if *i < 0 { i.checked_add_unsigned(n) } else { Some(*i) };
            let at = at.and_then(|at| usize::try_from(at).ok());
            let value = at.and_then(|at| values.into_iter().nth(at));
            value.ok_or_else(|| Problem::misuse(format!("index {i} is out of range for a list of {n}")))
        }
        [IndexItem::Basic(Index::Range(slice))] => {
            let (first, count) = slice.resolve(n).map_err(|e| Problem::misuse(e.to_string()))?;
            let at = |i: usize| values[(first as isize + i as isize * slice.step) as usize].clone();
            Ok(Value::Tuple((0..count).map(at).collect()))
        }
        _ => Err(Problem::misuse("a list takes one index or slice")),
    }
}
