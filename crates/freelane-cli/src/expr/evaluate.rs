//! From tree to value. Functions of arrays are put off where their results' types and shapes are known all the same; what is
//! left to do at the end, or where elements are asked for, runs as one plan.
use super::arithmetic;
use super::ast::{Call, Item, Node, NodeKind};
use super::attribute::{self, Method};
use super::error::{ExprError, Problem};
use super::names;
use super::term::{Columns, Term};
use freelane::function::Kind;
use freelane::graph::Watch;
use freelane::{Array, Callable, DType, Expr, Index, IndexItem, Lane, OpsError, Registry, Scalar, Slice, Value};
use std::collections::BTreeMap;

/// Evaluates trees over named arrays.
pub struct Evaluator<'a> {
    lane: &'a Lane,
    registry: &'a Registry,
    arrays: BTreeMap<&'a str, Expr>,
    columns: Columns<'a>,
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
        let arrays = arrays.iter().map(|(name, array)| (name.as_str(), Expr::from(array))).collect();
        Evaluator { lane, registry, arrays, columns: Columns { lane, watch } }
    }

    /// The value of a tree.
    ///
    /// # Errors
    /// When a name is unknown, or an operation refuses its arguments; with the column.
    pub fn value(&self, node: &Node) -> Evaluated<Value> {
        let value = self.columns.settle(self.term(node)?, node.column)?;
        self.columns.watch.step();
        Ok(value)
    }

    fn term(&self, node: &Node) -> Evaluated<Term> {
        let column = node.column;
        let term = match &node.kind {
            NodeKind::Number(s) => return Ok(Term::Fixed(Value::Scalar(*s))),
            NodeKind::Name(name) => return self.name(name).map_err(|p| p.at(column)),
            NodeKind::Text(word) => return Ok(Term::Fixed(Value::Str(word.clone()))),
            NodeKind::Tuple(items) | NodeKind::List(items) => {
                return items.iter().map(|i| self.term(i)).collect::<Evaluated<_>>().map(Term::Tuple);
            }
            NodeKind::Attribute(x, name) => return self.attribute(x, name, column).map_err(|e| e.place(column)),
            NodeKind::Unary(op, x) => self.unary(op, self.term(x)?, column).map_err(|e| e.place(column))?,
            NodeKind::Binary(op, a, b) => {
                let (a, b) = (self.term(a)?, self.term(b)?);
                self.binary(op, a, b, column).map_err(|e| e.place(column))?
            }
            NodeKind::Index(x, items) => self.index(x, items, column)?,
            NodeKind::Call(call) => self.call(call)?,
        };
        self.columns.watch.step();
        Ok(term)
    }

    /// The value of a part of the tree, computed now.
    fn settled(&self, node: &Node) -> Evaluated<Value> {
        self.columns.settle(self.term(node)?, node.column)
    }

    fn name(&self, name: &str) -> Result<Term, Problem> {
        if let Some(array) = self.arrays.get(name) {
            return Ok(Term::Expr(array.clone()));
        }
        if let Some(value) = names::constant(name) {
            return Ok(Term::Fixed(value));
        }
        if let Some(function) = names::function(self.registry, name) {
            return Err(Problem::misuse(format!("'{name}' is a function; call it: {}", function.signature())));
        }
        let suggestion = names::nearest(self.registry, name, self.arrays.keys().copied());
        Err(Problem::UnknownName { name: name.to_owned(), suggestion })
    }

    fn attribute(&self, x: &Node, name: &str, column: usize) -> Result<Term, Fault> {
        if let Some(module) = self.module(x) {
            return Ok(self.name(&names::qualified(module, name))?);
        }
        let x = self.term(x)?;
        match (name, &x) {
            ("T", Term::Expr(x)) => {
                let axes: Vec<isize> = (0..x.rank() as isize).rev().collect();
                let axes = Value::Tuple(axes.iter().map(|&a| Value::Scalar(Scalar::Int(a as i128))).collect());
                self.apply("permute_dims", vec![Term::Expr(x.clone()), Term::Fixed(axes)], vec![], column)
            }
            ("mT", Term::Expr(x)) => self.apply("matrix_transpose", vec![Term::Expr(x.clone())], vec![], column),
            _ => Ok(Term::Fixed(attribute::fact(self.registry, x.in_outline(), name)?)),
        }
    }

    /// The namespace that is written before a dot: none in `np.sin`, `linalg` in `linalg.inv` and `np.linalg.inv`.
    fn module<'n>(&self, x: &'n Node) -> Option<&'n str> {
        match &x.kind {
            NodeKind::Name(n) if names::is_module(n) => Some(""),
            NodeKind::Name(n) if !self.arrays.contains_key(n.as_str()) => self.namespace(n),
            NodeKind::Attribute(x, n) if self.module(x) == Some("") => self.namespace(n),
            _ => None,
        }
    }

    fn namespace<'n>(&self, name: &'n str) -> Option<&'n str> {
        (!name.is_empty() && self.registry.has_namespace(name)).then_some(name)
    }

    fn unary(&self, op: &str, x: Term, column: usize) -> Result<Term, Fault> {
        match x {
            Term::Fixed(Value::Scalar(s)) => Ok(Term::Fixed(arithmetic::unary(op, s).map(Value::Scalar)?)),
            x => self.apply(op, vec![x], vec![], column),
        }
    }

    fn binary(&self, op: &str, a: Term, b: Term, column: usize) -> Result<Term, Fault> {
        match (a, b) {
            (Term::Fixed(Value::Scalar(a)), Term::Fixed(Value::Scalar(b))) if op != "matmul" => {
                Ok(Term::Fixed(arithmetic::binary(op, a, b).map(Value::Scalar)?))
            }
            (Term::Fixed(Value::DType(a)), Term::Fixed(Value::DType(b))) if op == "equal" => {
                Ok(Term::Fixed(Value::Scalar(Scalar::Bool(a == b))))
            }
            (a, b) => self.apply(op, vec![a, b], vec![], column),
        }
    }

    fn apply(&self, name: &str, positional: Vec<Term>, named: Vec<(&str, Term)>, column: usize) -> Result<Term, Fault> {
        let Some(function) = names::function(self.registry, name) else {
            return Err(Problem::UnknownName { name: name.to_owned(), suggestion: None }.into());
        };
        self.run(function, positional, named, column)
    }

    fn run(
        &self,
        function: Callable<'_>,
        mut positional: Vec<Term>,
        mut named: Vec<(&str, Term)>,
        column: usize,
    ) -> Result<Term, Fault> {
        let params = function.params();
        let places = params.iter().filter(|p| !p.keyword_only).take_while(|p| !p.rest);
        let rest = params.iter().filter(|p| p.rest).cycle();
        for (term, param) in positional.iter_mut().zip(places.chain(rest)) {
            // What the rest is made of are operands.
            self.fill(term, if param.rest { Kind::Operand } else { param.kind }, column)?;
        }
        for (name, term) in &mut named {
            params.iter().find(|p| p.answers_to(name)).map_or(Ok(()), |p| self.fill(term, p.kind, column))?;
        }
        if let Callable::Row(row) = function
            && let Some(made) = self.columns.put_off(row, &positional, &named, column)
        {
            return Ok(made?);
        }
        let settle = |term: Term| self.columns.settle(term, column);
        let positional = positional.into_iter().map(settle).collect::<Evaluated<Vec<_>>>()?;
        let named = named.into_iter().map(|(name, term)| Ok((name, settle(term)?))).collect::<Evaluated<Vec<_>>>()?;
        Ok(Term::from(Value::from(function.call_owned(self.lane, positional, &named)?)))
    }

    /// A list where an operand belongs becomes an array.
    fn fill(&self, term: &mut Term, kind: Kind, column: usize) -> Result<(), Fault> {
        let is_list = matches!(term, Term::Tuple(_) | Term::Fixed(Value::Tuple(_)));
        if kind == Kind::Operand && is_list {
            let list = std::mem::replace(term, Term::Fixed(Value::None));
            *term = Term::from(Value::Array(array_of(&self.columns.settle(list, column)?)?));
        }
        Ok(())
    }

    fn call(&self, call: &Call) -> Evaluated<Term> {
        let column = call.callee.column;
        match &call.callee.kind {
            NodeKind::Name(name) => self.call_function(name, call),
            NodeKind::Attribute(object, name) => match self.module(object) {
                Some(module) => self.call_function(&names::qualified(module, name), call),
                None => self.call_method(object, name, call),
            },
            _ => Err(Problem::misuse("only functions and methods can be called").into()),
        }
        .map_err(|e| e.place(column))
    }

    fn call_function(&self, name: &str, call: &Call) -> Result<Term, Fault> {
        let column = call.callee.column;
        if self.arrays.contains_key(name) {
            return Err(Problem::misuse(format!("'{name}' is an array here and cannot be called")).into());
        }
        if matches!(name, "array" | "asarray") {
            return self.array_literal(call).map(Term::from);
        }
        match names::constant(name) {
            Some(Value::DType(dtype)) => {
                let mut arguments = self.arguments(&call.positional)?;
                arguments.push(Term::Fixed(Value::DType(dtype)));
                return self.apply("astype", arguments, vec![], column);
            }
            Some(_) => return Err(Problem::misuse(format!("'{name}' cannot be called")).into()),
            None => {}
        }
        let Some(function) = names::function(self.registry, name) else {
            return Err(Fault::from(self.name(name).err().unwrap_or_else(|| Problem::misuse("cannot be called"))));
        };
        let (positional, named) = (self.arguments(&call.positional)?, self.named(call)?);
        self.run(function, positional, named, column)
    }

    fn call_method(&self, object: &Node, name: &str, call: &Call) -> Result<Term, Fault> {
        let column = call.callee.column;
        let x = self.term(object)?;
        let mut arguments = self.arguments(&call.positional)?;
        let (function, name) = match attribute::method(self.registry, name)? {
            Method::Function(function) => (function, name),
            Method::Itself if arguments.is_empty() => return Ok(x),
            Method::Flatten if arguments.is_empty() => {
                let all = Term::Fixed(Value::Scalar(Scalar::Int(-1)));
                return self.apply("reshape", vec![x, all], vec![], column);
            }
            _ => return Err(Problem::misuse(format!("{name} takes no arguments")).into()),
        };
        if attribute::takes_items_one_by_one(name) && arguments.len() > 1 {
            arguments = vec![Term::Tuple(arguments)];
        }
        arguments.insert(0, x);
        self.run(function, arguments, self.named(call)?, column)
    }

    fn arguments(&self, nodes: &[Node]) -> Evaluated<Vec<Term>> {
        nodes.iter().map(|node| self.term(node)).collect()
    }

    fn named<'n>(&self, call: &'n Call) -> Evaluated<Vec<(&'n str, Term)>> {
        call.named.iter().map(|(name, node)| Ok((name.as_str(), self.term(node)?))).collect()
    }

    /// `array(values, dtype=None)`.
    fn array_literal(&self, call: &Call) -> Result<Value, Fault> {
        let mut values = call.positional.iter().map(|node| self.settled(node)).collect::<Evaluated<Vec<_>>>()?;
        let named = call.named.iter().map(|(name, node)| Ok((name.as_str(), self.settled(node)?)));
        let named = named.collect::<Evaluated<Vec<_>>>()?;
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

    fn index(&self, x: &Node, items: &[Item], column: usize) -> Evaluated<Term> {
        let object = self.term(x)?;
        let mut indices = vec![];
        for item in items {
            self.item(item, column, &mut indices)?;
        }
        match object {
            Term::Expr(expr) => self.columns.part(&expr, &indices, column).map(Term::Expr),
            Term::Tuple(terms) => of_tuple(terms, &indices).map_err(|p| p.at(column)),
            Term::Fixed(Value::Tuple(values)) => {
                let terms = values.into_iter().map(Term::from).collect();
                of_tuple(terms, &indices).map_err(|p| p.at(column))
            }
            Term::Fixed(_) => Err(Problem::misuse("a number has no parts to select").at(column)),
        }
    }

    fn item(&self, item: &Item, column: usize, out: &mut Vec<IndexItem>) -> Evaluated<()> {
        match item {
            Item::Ellipsis => out.push(Index::Ellipsis.into()),
            Item::At(node) if matches!(node.kind, NodeKind::List(_)) => {
                let indices = array_of(&self.settled(node)?).and_then(|list| elements(&list));
                out.push(indices.map_err(|p| p.at(node.column))?);
            }
            Item::At(node) => position(self.settled(node)?, out).map_err(|p| p.at(node.column))?,
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
        match self.settled(node)? {
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
fn of_tuple(values: Vec<Term>, indices: &[IndexItem]) -> Result<Term, Problem> {
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
            Ok(Term::Tuple((0..count).map(at).collect()))
        }
        _ => Err(Problem::misuse("a list takes one index or slice")),
    }
}
