//! Functions of expressions.
use super::{Expr, Maker, Origin, values};
use crate::{Arg, Call, Cast, GraphError, Limits, Operator, Pick, PickItem};
use freelane_array::{ArrayData, DType, Dims, Index};
use freelane_ops::made::Made;
use freelane_ops::{Array, Function, Operand, OpsError, Outputs, Scalar, UFunc, Value};
use freelane_pool::Lane;
use smallvec::SmallVec;
use std::sync::Arc;

/// Where in a program a function is called, as the errors of its run say it.
pub type Place = Option<Arc<str>>;

/// What a function of expressions is called with beside its arguments.
pub struct Scope<'a> {
    /// The calling thread's lane.
    pub lane: &'a Lane,
    /// How long what has to run at once may run.
    pub limits: Limits<'a>,
    /// Where the call is.
    pub place: Place,
}

impl<'a> Scope<'a> {
    /// No limits, and no place.
    pub fn new(lane: &'a Lane) -> Scope<'a> {
        Scope { lane, limits: Limits::default(), place: None }
    }
}

/// An argument of a function of expressions.
#[derive(Clone)]
pub enum Given {
    /// An expression.
    Expr(Expr),
    /// Anything else.
    Fixed(Value),
    /// A list in which expressions may stand.
    List(Vec<Given>),
}

impl From<&Expr> for Given {
    fn from(expr: &Expr) -> Given {
        Given::Expr(expr.clone())
    }
}

impl From<Expr> for Given {
    fn from(expr: Expr) -> Given {
        Given::Expr(expr)
    }
}

impl From<&Array> for Given {
    fn from(array: &Array) -> Given {
        Given::Fixed(Value::Array(array.clone()))
    }
}

macro_rules! given_from {
    ($($S:ty)*) => { $(
        impl From<$S> for Given {
            fn from(scalar: $S) -> Given {
                Given::Fixed(Value::Scalar(scalar.into()))
            }
        }
    )* };
}
given_from!(bool i32 i64 u8 u32 u64 f32 f64 Scalar);

impl Given {
    /// The argument of a node, whose inputs it adds to.
    fn arg(&self, inputs: &mut Vec<Expr>) -> Arg {
        let mut input = |expr: Expr| {
            inputs.push(expr);
            Arg::Input(inputs.len() - 1)
        };
        match self {
            Given::Expr(expr) => input(expr.clone()),
            Given::Fixed(Value::Array(array)) => input(array.into()),
            Given::Fixed(value) => Arg::Fixed(value.clone()),
            Given::List(items) => Arg::List(items.iter().map(|item| item.arg(inputs)).collect()),
        }
    }

    /// The value that it is, with an array for each expression.
    fn value(&self, array: &dyn Fn(&Expr) -> Result<ArrayData, OpsError>) -> Result<Value, OpsError> {
        Ok(match self {
            Given::Expr(expr) => Value::Array(array(expr)?.into()),
            Given::Fixed(value) => value.clone(),
            Given::List(items) => Value::Tuple(items.iter().map(|item| item.value(array)).collect::<Result<_, _>>()?),
        })
    }
}

/// What a function of expressions makes.
pub enum Recorded {
    /// One array.
    One(Expr),
    /// Several arrays, and their names if they have any.
    Many(&'static [&'static str], Vec<Expr>),
}

impl Recorded {
    /// The expression, unless there are several.
    pub fn one(self) -> Option<Expr> {
        match self {
            Recorded::One(expr) => Some(expr),
            Recorded::Many(..) => None,
        }
    }
}

impl Expr {
    fn of(op: impl Operator, inputs: Vec<Expr>, made: Made, place: &Place) -> Expr {
        // The number of axes never depends on elements.
        let open = !made.shape.is_empty() && inputs.iter().any(Expr::is_open);
        let outputs = vec![(made.dtype, made.shape.clone())];
        let maker = Maker { op: Arc::new(op), inputs, outputs, open, place: place.clone() };
        Expr::new(made.dtype, made.shape, Origin::Node(Arc::new(maker), 0), None)
    }

    /// A function of arguments in order of its parameters.
    ///
    /// ```
    /// use freelane_graph::{Expr, expr::Scope};
    /// use freelane_ops::{Array, Function};
    /// use freelane_pool::Lane;
    /// let x = Expr::from(Array::from_slice(&[3.0, 1.0, 2.0])?);
    /// let sort = Function::by_name("sort").unwrap();
    /// let sorted = Lane::with(|lane| Expr::call(&Scope::new(lane), sort, &[Some((&x).into())]))?.one().unwrap();
    /// assert_eq!((sorted * 2).value()?.to_vec::<f64>()?, [2.0, 4.0, 6.0]);
    /// # Ok::<(), freelane_graph::GraphError>(())
    /// ```
    ///
    /// # Errors
    /// As [`Function::call`], unless only the elements of operands are to blame, which may come later.
    pub fn call(cx: &Scope<'_>, function: Function, args: &[Option<Given>]) -> Result<Recorded, GraphError> {
        let (lane, place) = (cx.lane, &cx.place);
        if let Function::UFunc(f) = function
            && let Some(expr) = Expr::elementwise(place, f, args)
        {
            return Ok(Recorded::One(expr));
        }
        let values_of = |array: &dyn Fn(&Expr) -> Result<ArrayData, OpsError>| {
            args.iter()
                .map(|given| given.as_ref().map(|given| given.value(array)).transpose())
                .collect::<Result<SmallVec<[_; 4]>, _>>()
        };
        let mut inputs = vec![];
        let node = args.iter().map(|given| given.as_ref().map(|given| given.arg(&mut inputs))).collect();
        let op = Call::new(function, node);
        if let Some(made) = function.made(lane, &values_of(&|expr| expr.outline())?) {
            return Ok(Recorded::One(Expr::of(op, inputs, made, place)));
        }
        values(lane, &cx.limits, &inputs)?;
        let at_hand = |expr: &Expr| {
            expr.at_hand().cloned().ok_or_else(|| OpsError::argument(function.name(), "an operand was not computed"))
        };
        let outputs = function.call_placed(lane, &values_of(&at_hand)?)?;
        let looked_at =
            function.params().iter().zip(args).any(|(p, arg)| p.is_looked_at() && matches!(arg, Some(Given::Expr(_))));
        let by_values = looked_at || function.makes_by_values() && !inputs.is_empty();
        Ok(Recorded::of(op, inputs, by_values, place, outputs))
    }

    fn elementwise(place: &Place, f: &'static UFunc, args: &[Option<Given>]) -> Option<Expr> {
        let stand_in = |given: &Option<Given>| match given.as_ref()? {
            Given::Expr(expr) => expr.outline().ok(),
            Given::Fixed(Value::Array(array)) => Some(array.data().clone()),
            _ => None,
        };
        let stand_ins: SmallVec<[Option<ArrayData>; 3]> = args.iter().map(stand_in).collect();
        let mut operands: SmallVec<[Operand<'_>; 3]> = SmallVec::new();
        for (array, given) in stand_ins.iter().zip(args) {
            operands.push(match (array, given) {
                (Some(array), _) => Operand::Array(array),
                (None, Some(Given::Fixed(Value::Scalar(s)))) => Operand::Scalar(*s),
                _ => return None,
            });
        }
        if stand_ins.iter().all(Option::is_none) {
            return None;
        }
        let (reads, made) = f.made(&operands).ok()?;
        if reads.last().is_some_and(|&dtype| f.looks_at_elements(dtype)) {
            return None;
        }
        let input = |(given, &read): (&Option<Given>, &DType)| match given.as_ref()? {
            Given::Expr(expr) => Some(expr.cast(read, place)),
            Given::Fixed(Value::Array(array)) => Some(Expr::from(array).cast(read, place)),
            Given::Fixed(Value::Scalar(s)) => Array::full(&[], *s, read).ok().map(Expr::from),
            _ => None,
        };
        let inputs = args.iter().zip(&reads).map(input).collect::<Option<Vec<Expr>>>()?;
        Some(Expr::of(Call::ufunc(f), inputs, made, place))
    }

    /// The elements in another type; as it is if they have it.
    pub fn cast(&self, dtype: DType, place: &Place) -> Expr {
        if self.dtype() == dtype {
            return self.clone();
        }
        Expr::of(Cast(dtype), vec![self.clone()], Made { dtype, shape: self.shape().into() }, place)
    }

    /// What an index selects; its arrays are the items' inputs, counted from 1.
    ///
    /// # Errors
    /// As [`Array::get_items`].
    pub fn pick(&self, cx: &Scope<'_>, items: Vec<PickItem>, arrays: &[Expr]) -> Result<Expr, GraphError> {
        let (lane, place) = (cx.lane, &cx.place);
        let inputs: Vec<Expr> = std::iter::once(self).chain(arrays).cloned().collect();
        let basic: Option<Vec<Index>> =
            items.iter().map(|item| if let PickItem::Basic(index) = item { Some(*index) } else { None }).collect();
        if let Some(basic) = basic {
            let part = Array::from(self.outline()?).index(&basic)?;
            let made = Made { dtype: self.dtype(), shape: part.shape().into() };
            return Ok(Expr::of(Pick(items), inputs, made, place));
        }
        values(lane, &cx.limits, &inputs)?;
        let by_values = items.iter().any(|item| matches!(item, PickItem::Bools(_)));
        let op = Pick(items);
        let data: Vec<crate::Datum> = inputs.iter().filter_map(|x| x.at_hand().cloned()).map(Into::into).collect();
        let data: Vec<Option<&crate::Datum>> = data.iter().map(Some).collect();
        let mut made = crate::run_once(lane, &op, &data, &[true], &crate::Limits::default())?;
        match made.pop().flatten() {
            Some(crate::Datum::Array(part)) => {
                let recorded = Recorded::of(op, inputs, by_values, place, Outputs::One(part.into()));
                recorded.one().ok_or_else(|| GraphError::invalid("one part"))
            }
            _ => Err(GraphError::invalid("an index makes an array")),
        }
    }
}

impl Recorded {
    /// The outputs of a node that has been run already.
    fn of(op: impl Operator, inputs: Vec<Expr>, by_values: bool, place: &Place, outputs: Outputs) -> Recorded {
        let (names, arrays) = match outputs {
            Outputs::One(array) => (None, vec![array]),
            Outputs::Many(names, arrays) => (Some(names), arrays),
        };
        let open = by_values || inputs.iter().any(Expr::is_open);
        let shapes: Vec<(DType, Dims)> = arrays.iter().map(|a| (a.dtype(), a.shape().into())).collect();
        let maker = Arc::new(Maker { op: Arc::new(op), inputs, outputs: shapes, open, place: place.clone() });
        let output = |(i, array): (usize, Array)| {
            let (dtype, shape) = maker.outputs[i].clone();
            Expr::new(dtype, shape, Origin::Node(maker.clone(), i), Some(array.into()))
        };
        let mut exprs: Vec<Expr> = arrays.into_iter().enumerate().map(output).collect();
        match names {
            None => Recorded::One(exprs.swap_remove(0)),
            Some(names) => Recorded::Many(names, exprs),
        }
    }
}
