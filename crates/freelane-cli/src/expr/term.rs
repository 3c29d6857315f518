//! Values that may not be computed yet.
use super::error::{ExprError, Problem};
use freelane::function::Param;
use freelane::graph::expr::{self, Given, Recorded, Scope};
use freelane::graph::{GraphError, Limits, PickItem, Watch};
use freelane::{Array, Expr, Function, IndexItem, Lane, Value};

/// What a part of an expression stands for.
#[derive(Clone)]
pub enum Term {
    /// Anything but an array.
    Fixed(Value),
    /// An array that may not be computed yet.
    Expr(Expr),
    /// A list or tuple.
    Tuple(Vec<Term>),
}

impl From<Value> for Term {
    fn from(value: Value) -> Term {
        match value {
            Value::Array(array) => Term::Expr(array.into()),
            Value::Tuple(items) => Term::Tuple(items.into_iter().map(Term::from).collect()),
            other => Term::Fixed(other),
        }
    }
}

impl Term {
    /// A value of the same types and shapes, whose elements are not to be looked at.
    pub fn in_outline(self) -> Value {
        match self {
            Term::Fixed(value) => value,
            Term::Expr(expr) => match expr.outline() {
                Ok(array) => Value::Array(array.into()),
                Err(_) => Value::None,
            },
            Term::Tuple(items) => Value::Tuple(items.into_iter().map(Term::in_outline).collect()),
        }
    }

    fn is_lazy(&self) -> bool {
        match self {
            Term::Fixed(_) => false,
            Term::Expr(_) => true,
            Term::Tuple(items) => items.iter().any(Term::is_lazy),
        }
    }

    fn given(&self) -> Given {
        match self {
            Term::Fixed(value) => Given::Fixed(value.clone()),
            Term::Expr(expr) => Given::Expr(expr.clone()),
            Term::Tuple(items) if self.is_lazy() => Given::List(items.iter().map(Term::given).collect()),
            Term::Tuple(items) => Given::Fixed(Value::Tuple(items.iter().cloned().map(Term::in_outline).collect())),
        }
    }
}

/// Computes terms, and tells at which column a computation failed.
pub struct Columns<'a> {
    pub lane: &'a Lane,
    pub watch: &'a dyn Watch,
}

impl Columns<'_> {
    fn limits(&self) -> Limits<'_> {
        Limits { watch: Some(self.watch), ..Limits::default() }
    }

    fn scope(&self, column: usize) -> Scope<'_> {
        Scope { limits: self.limits(), place: Some(column.to_string().into()), ..Scope::new(self.lane) }
    }

    /// The value of a term, computed now.
    pub fn settle(&self, term: Term, column: usize) -> Result<Value, ExprError> {
        match term {
            Term::Fixed(value) => Ok(value),
            Term::Tuple(items) => {
                let items = items.into_iter().map(|item| self.settle(item, column));
                items.collect::<Result<_, _>>().map(Value::Tuple)
            }
            Term::Expr(expr) => {
                let made = expr::values(self.lane, &self.limits(), std::slice::from_ref(&expr));
                drop(expr);
                let array = made.map_err(|e| failed(e, column))?.pop().map(Array::from);
                array.map(Value::Array).ok_or_else(|| Problem::misuse("nothing was computed").at(column))
            }
        }
    }

    /// A call of a row that has arrays among its arguments, put off if that can be. Nothing if its arguments are to be looked
    /// at by whoever tells what is wrong with them.
    pub fn put_off(
        &self,
        row: Function,
        positional: &[Term],
        named: &[(&str, Term)],
        column: usize,
    ) -> Option<Result<Term, ExprError>> {
        if !positional.iter().chain(named.iter().map(|(_, term)| term)).any(Term::is_lazy) {
            return None;
        }
        let args = matched(row.params(), positional, named)?;
        Some(match Expr::call(&self.scope(column), row, &args) {
            Ok(Recorded::One(expr)) => Ok(Term::Expr(expr.settled())),
            Ok(Recorded::Many(_, exprs)) => {
                Ok(Term::Tuple(exprs.into_iter().map(|expr| Term::Expr(expr.settled())).collect()))
            }
            Err(e) => Err(failed(e, column)),
        })
    }

    /// What an index selects.
    pub fn part(&self, x: &Expr, indices: &[IndexItem], column: usize) -> Result<Expr, ExprError> {
        let mut arrays = vec![];
        let mut input = |array: &Array| {
            arrays.push(Expr::from(array));
            arrays.len()
        };
        let items = indices.iter().map(|item| match item {
            IndexItem::Basic(index) => PickItem::Basic(*index),
            IndexItem::Ints(array) => PickItem::Ints(input(array)),
            IndexItem::Bools(array) => PickItem::Bools(input(array)),
        });
        let items = items.collect();
        x.pick(&self.scope(column), items, &arrays).map(Expr::settled).map_err(|e| failed(e, column))
    }
}

/// Arguments in order of the parameters; nothing if they do not match.
fn matched(params: &[Param], positional: &[Term], named: &[(&str, Term)]) -> Option<Vec<Option<Given>>> {
    let places = params.iter().filter(|p| !p.keyword_only && !p.rest).count();
    let mut args: Vec<Option<Given>> = vec![None; params.len()];
    for (arg, term) in args.iter_mut().zip(&positional[..places.min(positional.len())]) {
        *arg = Some(term.given());
    }
    if positional.len() > places {
        let rest = params.iter().position(|p| p.rest)?;
        args[rest] = Some(Given::List(positional[places..].iter().map(Term::given).collect()));
    }
    for (name, term) in named {
        let i = params.iter().position(|p| p.answers_to(name))?;
        if args[i].replace(term.given()).is_some() {
            return None;
        }
    }
    let missing =
        |(p, arg): (&Param, &Option<Given>)| arg.is_none() && p.default == freelane::function::Default::Required;
    if params.iter().zip(&args).any(missing) { None } else { Some(args) }
}

/// The fault behind an error, at the column of the node that made it, or at that of the call.
fn failed(error: GraphError, column: usize) -> ExprError {
    match error {
        GraphError::Node { node, source, .. } => failed(*source, node.parse().unwrap_or(column)),
        GraphError::Ops(e) => Problem::Ops(e).at(column),
        other => Problem::misuse(other.to_string()).at(column),
    }
}
