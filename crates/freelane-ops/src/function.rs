//! Every function of the crate by name: what `freelane eval` and the Python module call.
//!
//! A [`Function`] is a row of one of the three tables. It knows its parameters, so a caller needs no list of its own:
//! arguments are matched to parameters here, once for all.
use crate::{
    Array, Axes, Gradient, InOp, Operand, OpsError, ReduceArgs, Reduction, Scalar, UFunc, ops, reductions, ufuncs,
};
use freelane_array::DType;
use freelane_pool::Lane;
use smallvec::SmallVec;

/// An argument as a program writes it.
#[derive(Clone)]
pub enum Value {
    /// An array.
    Array(Array),
    /// A number.
    Scalar(Scalar),
    /// A data type, by its name.
    DType(DType),
    /// A word: which of several ways, for one.
    Str(String),
    /// A list or tuple.
    Tuple(Vec<Value>),
    /// Nothing: "all axes" for one.
    None,
}

/// What a parameter takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An array or a number.
    Operand,
    /// A list of arrays.
    Operands,
    /// A whole number.
    Int,
    /// A real number.
    Float,
    /// True or false.
    Bool,
    /// Nothing, a whole number, or a list of them.
    Axes,
    /// A whole number or a list of them.
    Shape,
    /// A data type; nothing stands for the function's choice.
    DType,
    /// One of these words.
    Str(&'static [&'static str]),
    /// Any text.
    Text,
    /// Whatever the function makes of it: `2`, `([0], [1])`, `"fro"`.
    Any,
}

/// The value of a parameter that is not given.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Default {
    /// It must be given.
    Required,
    /// Nothing.
    None,
    /// True or false.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A real number.
    Float(f64),
    /// A word.
    Str(&'static str),
}

/// A parameter of a function.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Param {
    /// Its name, and after a `|` another name it is known by.
    pub name: &'static str,
    /// What it takes.
    pub kind: Kind,
    /// What it is when not given.
    pub default: Default,
    /// Whether it is given by name only.
    pub keyword_only: bool,
    /// Whether it takes all positional arguments from its place on, as a list.
    pub rest: bool,
    /// What is known of the derivative with respect to it.
    pub gradient: Gradient,
}

impl Param {
    /// A parameter that must be given.
    pub const fn required(name: &'static str, kind: Kind) -> Param {
        Param { name, kind, default: Default::Required, keyword_only: false, rest: false, gradient: kind.gradient() }
    }

    /// A parameter that has a default.
    pub const fn optional(name: &'static str, kind: Kind, default: Default) -> Param {
        Param { name, kind, default, keyword_only: false, rest: false, gradient: kind.gradient() }
    }

    /// A parameter that has a default and is given by name only.
    pub const fn keyword(name: &'static str, kind: Kind, default: Default) -> Param {
        Param { name, kind, default, keyword_only: true, rest: false, gradient: kind.gradient() }
    }

    /// A parameter that takes all positional arguments from its place on, which are arrays.
    pub const fn rest(name: &'static str) -> Param {
        Param { rest: true, ..Param::optional(name, Kind::Operands, Default::None) }
    }

    /// The parameter as Python writes it: `axis=None`.
    pub fn shown(&self) -> String {
        let name = self.shown_name();
        match self.default {
            _ if self.rest => format!("*{name}"),
            Default::Required => name.to_owned(),
            Default::None => format!("{name}=None"),
            Default::Bool(b) => format!("{name}={}", if b { "True" } else { "False" }),
            Default::Int(i) => format!("{name}={i}"),
            Default::Float(x) => format!("{name}={}", as_python(x)),
            Default::Str(word) => format!("{name}='{word}'"),
        }
    }

    /// Whether this is one of its names.
    pub fn answers_to(&self, name: &str) -> bool {
        self.name.split('|').any(|n| n == name)
    }

    /// The name that documentation shows.
    pub fn shown_name(&self) -> &'static str {
        self.name.split('|').next().unwrap_or(self.name)
    }
}

/// A number as Python prints it: an exponent has two digits.
fn as_python(x: f64) -> String {
    let text = format!("{x:?}");
    match text.split_once('e') {
        Some((mantissa, exponent)) => match exponent.strip_prefix('-') {
            Some(digits) => format!("{mantissa}e-{digits:0>2}"),
            None => format!("{mantissa}e+{exponent:0>2}"),
        },
        None => text,
    }
}

/// A structured operation: one row.
pub struct Op {
    /// The name in the Array API standard, where it has one.
    pub name: &'static str,
    /// What it computes; the first line is a summary.
    pub doc: &'static str,
    /// Its parameters, in order.
    pub params: &'static [Param],
    /// Runs it.
    pub run: Run,
    /// Operator name and first opset in ONNX.
    pub onnx: Option<(&'static str, u32)>,
}

/// What a structured operation does. Its arguments are one for each parameter, in order.
#[derive(Clone, Copy)]
pub enum Run {
    /// Makes one array.
    One(fn(&Lane, &Bound<'_>) -> Result<Array, OpsError>),
    /// Makes several arrays, which may have names.
    Many(&'static [&'static str], fn(&Lane, &Bound<'_>) -> Result<Vec<Array>, OpsError>),
}

/// What a function makes.
#[derive(Clone)]
pub enum Outputs {
    /// One array.
    One(Array),
    /// Several arrays, and their names if they have any.
    Many(&'static [&'static str], Vec<Array>),
}

impl Outputs {
    /// The array, unless there are several.
    ///
    /// ```
    /// use freelane_ops::{Function, Value};
    /// use freelane_pool::Lane;
    /// let args = [Value::Tuple(vec![Value::Scalar(2.into())])];
    /// let zeros = Lane::with(|lane| Function::by_name("zeros").unwrap().call(lane, &args, &[]))?;
    /// assert_eq!(zeros.one().unwrap().to_vec::<f64>()?, [0.0, 0.0]);
    /// # Ok::<(), freelane_ops::OpsError>(())
    /// ```
    pub fn one(self) -> Option<Array> {
        match self {
            Outputs::One(array) => Some(array),
            Outputs::Many(..) => None,
        }
    }
}

impl From<Outputs> for Value {
    fn from(outputs: Outputs) -> Value {
        match outputs {
            Outputs::One(array) => Value::Array(array),
            Outputs::Many(_, arrays) => Value::Tuple(arrays.into_iter().map(Value::Array).collect()),
        }
    }
}

/// A function of any of the three tables.
#[derive(Clone, Copy)]
pub enum Function {
    /// An elementwise function.
    UFunc(&'static UFunc),
    /// A reduction.
    Reduction(&'static Reduction, reductions::Signature),
    /// A structured operation.
    Op(&'static Op),
}

const REDUCE: &[Param] = &[
    Param::required("x", Kind::Operand),
    Param::optional("axis", Kind::Axes, Default::None),
    Param::keyword("keepdims", Kind::Bool, Default::Bool(false)),
];
const REDUCE_TYPED: &[Param] = &[
    Param::required("x", Kind::Operand),
    Param::optional("axis", Kind::Axes, Default::None),
    Param::keyword("dtype", Kind::DType, Default::None),
    Param::keyword("keepdims", Kind::Bool, Default::Bool(false)),
];
const REDUCE_WITH_CORRECTION: &[Param] = &[
    Param::required("x", Kind::Operand),
    Param::optional("axis", Kind::Axes, Default::None),
    Param::keyword("correction|ddof", Kind::Float, Default::Int(0)),
    Param::keyword("keepdims", Kind::Bool, Default::Bool(false)),
];

impl std::fmt::Debug for Function {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

impl Function {
    /// All functions.
    pub fn all() -> impl Iterator<Item = Function> {
        ufuncs::all()
            .map(Function::UFunc)
            .chain(reductions::all().map(|(r, s)| Function::Reduction(r, s)))
            .chain(ops::OPS.iter().copied().map(Function::Op))
    }

    /// The function of a name.
    pub fn by_name(name: &str) -> Option<Function> {
        Function::all().find(|f| f.name() == name)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Function::UFunc(f) => f.name,
            Function::Reduction(r, _) => r.name,
            Function::Op(o) => o.name,
        }
    }

    /// What it computes.
    pub fn doc(self) -> &'static str {
        match self {
            Function::UFunc(f) => f.doc,
            Function::Reduction(r, _) => r.doc,
            Function::Op(o) => o.doc,
        }
    }

    /// Its parameters, in order.
    pub fn params(self) -> &'static [Param] {
        match self {
            Function::UFunc(f) => f.params,
            Function::Reduction(_, reductions::Signature::Correction) => REDUCE_WITH_CORRECTION,
            Function::Reduction(_, reductions::Signature::Typed) => REDUCE_TYPED,
            Function::Reduction(..) => REDUCE,
            Function::Op(o) => o.params,
        }
    }

    /// The way it is called, as Python writes it: `sum(x, axis=None, *, keepdims=False)`.
    pub fn signature(self) -> String {
        signature(self.name(), self.params())
    }

    /// Calls it with positional and named arguments.
    ///
    /// # Errors
    /// When an argument is missing, unknown, given twice or of a wrong kind, and what the function itself says.
    pub fn call(self, lane: &Lane, positional: &[Value], named: &[(&str, Value)]) -> Result<Outputs, OpsError> {
        let params = self.params();
        self.call_bound(lane, &bind(self.name(), params, positional, named)?)
    }

    /// As [`Function::call`], with the arguments in order of the parameters, nothing where one is not given. Whoever has
    /// matched them already saves doing it twice.
    ///
    /// # Errors
    /// When there are more than parameters, one that is needed is missing, and as [`Function::call`].
    pub fn call_placed(self, lane: &Lane, args: &[Option<Value>]) -> Result<Outputs, OpsError> {
        self.call_bound(lane, &self.placed(args)?)
    }

    /// Arguments in order of the parameters.
    pub(crate) fn placed(self, args: &[Option<Value>]) -> Result<Bound<'_>, OpsError> {
        let params = self.params();
        let mut values: SmallVec<[Option<&Value>; 4]> = args.iter().map(Option::as_ref).collect();
        values.resize(params.len().max(args.len()), None);
        let wrong = params.iter().zip(&values).any(|(p, v)| v.is_none() && p.default == Default::Required);
        if wrong || values.len() > params.len() {
            return Err(OpsError::argument(self.name(), format!("usage: {}", self.signature())));
        }
        Ok(Bound { op: self.name(), params, values, rest: &[] })
    }

    fn call_bound(self, lane: &Lane, bound: &Bound<'_>) -> Result<Outputs, OpsError> {
        match self {
            Function::UFunc(f) => {
                let operands = (0..f.arity()).map(|i| bound.operand(i)).collect::<Result<SmallVec<[_; 3]>, _>>()?;
                f.call(lane, &operands).map(Array::from).map(Outputs::One)
            }
            Function::Reduction(r, signature) => reduce(lane, r, signature, bound).map(Outputs::One),
            // Functions that it is made of say their own names.
            Function::Op(o) => match o.run {
                Run::One(run) => run(lane, bound).map(Outputs::One),
                Run::Many(names, run) => run(lane, bound).map(|arrays| Outputs::Many(names, arrays)),
            }
            .map_err(|error| error.of(o.name)),
        }
    }
}

/// The parameters of a reduction that takes nothing of its own.
pub(crate) fn reduction_params() -> &'static [Param] {
    REDUCE
}

/// The way a function is called, as Python writes it.
pub(crate) fn signature(name: &str, params: &[Param]) -> String {
    let mut parts = vec![];
    let mut starred = false;
    for p in params {
        if p.keyword_only && !std::mem::replace(&mut starred, true) {
            parts.push("*".to_owned());
        }
        starred |= p.rest;
        parts.push(p.shown());
    }
    format!("{name}({})", parts.join(", "))
}

/// Matches arguments to the parameters of a function.
pub(crate) fn bind<'a>(
    op: &'static str,
    params: &'a [Param],
    positional: &'a [Value],
    named: &'a [(&str, Value)],
) -> Result<Bound<'a>, OpsError> {
    let problem = |what: String| OpsError::argument(op, format!("{what}; usage: {}", signature(op, params)));
    let places = params.iter().filter(|p| !p.keyword_only && !p.rest).count();
    let (positional, rest) = positional.split_at(places.min(positional.len()));
    if !rest.is_empty() && !params.iter().any(|p| p.rest) {
        let given = positional.len() + rest.len();
        return Err(problem(format!("takes {places} positional arguments, {given} given")));
    }
    let mut values: SmallVec<[Option<&Value>; 4]> = positional.iter().map(Some).collect();
    values.resize(params.len(), None);
    for (name, value) in named {
        let Some(i) = params.iter().position(|p| p.answers_to(name)) else {
            return Err(problem(format!("has no parameter named {name}")));
        };
        if values[i].replace(value).is_some() || params[i].rest && !rest.is_empty() {
            return Err(problem(format!("{name} is given twice")));
        }
    }
    let missing = params.iter().zip(&values).find(|(p, v)| v.is_none() && p.default == Default::Required);
    match missing {
        Some((p, _)) => Err(problem(format!("{} is missing", p.shown_name()))),
        None => Ok(Bound { op, params, values, rest }),
    }
}

fn reduce(lane: &Lane, r: &Reduction, signature: reductions::Signature, b: &Bound<'_>) -> Result<Array, OpsError> {
    use reductions::Signature::{Correction, Typed};
    let keepdims = b.bool(if matches!(signature, Typed | Correction) { 3 } else { 2 })?;
    let correction = if signature == Correction { b.float(2)? } else { 0.0 };
    let args = ReduceArgs { axes: b.axes(1)?, correction, keepdims };
    let x = b.array(0)?;
    match if signature == Typed { b.dtype(2)? } else { None } {
        Some(dtype) => r.call_as(lane, x.data(), &args, dtype),
        None => r.call(lane, x.data(), &args),
    }
    .map(Array::from)
}

/// Arguments matched to the parameters of a function.
pub struct Bound<'a> {
    op: &'static str,
    params: &'a [Param],
    values: SmallVec<[Option<&'a Value>; 4]>,
    rest: &'a [Value],
}

impl<'a> Bound<'a> {
    fn wrong(&self, i: usize, expected: &str) -> OpsError {
        let found = match self.values[i] {
            None => "its default".to_owned(),
            Some(v) => v.describe(),
        };
        OpsError::argument(self.op, format!("{} must be {expected}, not {found}", self.params[i].shown_name()))
    }

    /// Argument `i` as an array or a scalar.
    pub fn operand(&self, i: usize) -> Result<Operand<'a>, OpsError> {
        match self.values[i] {
            Some(Value::Array(a)) => Ok(a.into()),
            Some(Value::Scalar(s)) => Ok(Operand::Scalar(*s)),
            _ => Err(self.wrong(i, "an array or a number")),
        }
    }

    /// Argument `i` as an array; a number becomes an array without axes.
    pub fn array(&self, i: usize) -> Result<Array, OpsError> {
        match self.values[i] {
            Some(Value::Array(a)) => Ok(a.clone()),
            Some(Value::Scalar(s)) => Array::scalar(*s),
            _ => Err(self.wrong(i, "an array or a number")),
        }
    }

    /// Argument `i` as an array, unless it is not given or is nothing.
    pub fn array_or_none(&self, i: usize) -> Result<Option<Array>, OpsError> {
        if self.is_given(i) { self.array(i).map(Some) } else { Ok(None) }
    }

    /// Argument `i` as it is, unless it is not given or is nothing.
    pub fn value(&self, i: usize) -> Option<&'a Value> {
        self.values[i].filter(|v| !matches!(v, Value::None))
    }

    /// Argument `i` as a word: one of those that the parameter knows, or its default.
    pub fn word(&self, i: usize) -> Result<&'a str, OpsError> {
        let Param { kind, default, .. } = self.params[i];
        let word = match (self.values[i], default) {
            (Some(Value::Str(word)), _) => word.as_str(),
            (None, Default::Str(word)) => word,
            _ => return Err(self.wrong(i, &choices(kind))),
        };
        match kind {
            Kind::Str(words) if !words.contains(&word) => Err(self.wrong(i, &choices(kind))),
            _ => Ok(word),
        }
    }

    /// Argument `i` as a list of arrays.
    pub fn arrays(&self, i: usize) -> Result<SmallVec<[Array; 2]>, OpsError> {
        let items = match self.values[i] {
            Some(Value::Tuple(items)) => items.as_slice(),
            None if self.params[i].rest => self.rest,
            _ => return Err(self.wrong(i, "a list of arrays")),
        };
        let array = |v: &Value| match v {
            Value::Array(a) => Ok(a.clone()),
            Value::Scalar(s) => Array::scalar(*s),
            _ => Err(self.wrong(i, "a list of arrays")),
        };
        items.iter().map(array).collect()
    }

    /// Argument `i` as a number.
    pub fn scalar(&self, i: usize) -> Result<Scalar, OpsError> {
        match (self.values[i], self.params[i].default) {
            (Some(Value::Scalar(s)), _) => Ok(*s),
            (Some(Value::Array(a)), _) if a.rank() == 0 => a.to_scalar(),
            (None, Default::Int(d)) => Ok(Scalar::Int(d.into())),
            (None, Default::Float(d)) => Ok(Scalar::Float(d)),
            (None, Default::Bool(d)) => Ok(Scalar::Bool(d)),
            _ => Err(self.wrong(i, "a number")),
        }
    }

    /// Argument `i` as a whole number.
    pub fn int(&self, i: usize) -> Result<i64, OpsError> {
        match self.scalar(i) {
            Ok(Scalar::Int(v)) => v.try_into().map_err(|_| self.wrong(i, "a whole number of at most 64 bits")),
            _ => Err(self.wrong(i, "a whole number")),
        }
    }

    /// Argument `i` as a length, zero or more.
    pub fn length(&self, i: usize) -> Result<usize, OpsError> {
        usize::try_from(self.int(i)?).map_err(|_| self.wrong(i, "a whole number that is not negative"))
    }

    /// Argument `i` as a real number.
    pub fn float(&self, i: usize) -> Result<f64, OpsError> {
        match self.scalar(i) {
            Ok(Scalar::Int(v)) => Ok(v as f64),
            Ok(Scalar::Float(v)) => Ok(v),
            _ => Err(self.wrong(i, "a real number")),
        }
    }

    /// Argument `i` as true or false.
    pub fn bool(&self, i: usize) -> Result<bool, OpsError> {
        match self.scalar(i) {
            Ok(Scalar::Bool(b)) => Ok(b),
            _ => Err(self.wrong(i, "True or False")),
        }
    }

    /// Argument `i` as a data type, if one is given.
    pub fn dtype(&self, i: usize) -> Result<Option<DType>, OpsError> {
        match self.values[i] {
            Some(Value::DType(d)) => Ok(Some(*d)),
            Some(Value::Str(name)) => DType::from_name(name).map(Some).ok_or_else(|| self.wrong(i, "a data type")),
            None | Some(Value::None) => Ok(None),
            _ => Err(self.wrong(i, "a data type")),
        }
    }

    /// Argument `i` as a list of whole numbers; one number counts as a list of one.
    pub fn ints(&self, i: usize) -> Result<SmallVec<[isize; 4]>, OpsError> {
        let one = |v: &Value| match v {
            Value::Scalar(Scalar::Int(n)) => isize::try_from(*n).map_err(|_| self.wrong(i, "made of smaller numbers")),
            _ => Err(self.wrong(i, "a whole number or a list of them")),
        };
        match self.values[i] {
            Some(Value::Tuple(items)) => items.iter().map(one).collect(),
            Some(v) => Ok(SmallVec::from_slice(&[one(v)?])),
            None => Err(self.wrong(i, "a whole number or a list of them")),
        }
    }

    /// Argument `i` as axes: nothing for all.
    pub fn axes(&self, i: usize) -> Result<Axes, OpsError> {
        match self.values[i] {
            None | Some(Value::None) => Ok(Axes::All),
            Some(_) => self.ints(i).map(Axes::These),
        }
    }

    /// Argument `i` as a shape.
    pub fn shape(&self, i: usize) -> Result<SmallVec<[usize; 4]>, OpsError> {
        let length =
            |d: &isize| usize::try_from(*d).map_err(|_| self.wrong(i, "made of lengths that are not negative"));
        self.ints(i)?.iter().map(length).collect()
    }

    /// Whether argument `i` is given, as nothing.
    pub fn is_nothing(&self, i: usize) -> bool {
        matches!(self.values[i], Some(Value::None))
    }

    /// Whether argument `i` is given and is not nothing.
    pub fn is_given(&self, i: usize) -> bool {
        !matches!(self.values[i], None | Some(Value::None))
    }
}

/// What a word must be.
fn choices(kind: Kind) -> String {
    match kind {
        Kind::Str(words) => words.iter().map(|w| format!("'{w}'")).collect::<Vec<_>>().join(" or "),
        _ => "a text".to_owned(),
    }
}

impl Value {
    fn describe(&self) -> String {
        match self {
            Value::Array(a) => format!("an array of {} with shape {:?}", a.dtype(), a.shape()),
            Value::Scalar(s) => s.to_string(),
            Value::DType(d) => d.to_string(),
            Value::Str(word) => format!("'{word}'"),
            Value::Tuple(items) => format!("a list of {}", items.len()),
            Value::None => "None".to_owned(),
        }
    }
}

impl Array {
    /// The only element of an array that holds one, as a scalar without a width.
    ///
    /// # Errors
    /// When there are more or fewer elements.
    pub fn to_scalar(&self) -> Result<Scalar, OpsError> {
        if self.len() != 1 {
            return Err(OpsError::argument("to_scalar", format!("needs one element, the array has {}", self.len())));
        }
        match self.dtype().kind() {
            freelane_array::Kind::Bool => Ok(Scalar::Bool(self.item::<bool>()?)),
            freelane_array::Kind::Unsigned => Ok(Scalar::Int(self.astype(DType::U64)?.item::<u64>()?.into())),
            freelane_array::Kind::Signed => Ok(Scalar::Int(self.astype(DType::I64)?.item::<i64>()?.into())),
            freelane_array::Kind::Float => Ok(Scalar::Float(self.astype(DType::F64)?.item::<f64>()?)),
            freelane_array::Kind::Complex => Ok(Scalar::Complex(self.astype(DType::C128)?.item()?)),
        }
    }

    /// The axes in another order, or reversed when none are given.
    pub(crate) fn transposed(&self, axes: Option<&[isize]>) -> Result<Array, OpsError> {
        match axes {
            Some(axes) => self.viewed("transpose", self.data().layout().permute(axes)),
            None => Ok(self.t()),
        }
    }

    /// The last two axes exchanged.
    ///
    /// # Errors
    /// When there are fewer than two axes.
    pub fn matrix_transpose(&self) -> Result<Array, OpsError> {
        let rank = self.rank() as isize;
        if rank < 2 {
            return Err(OpsError::argument("matrix_transpose", format!("needs two axes, the array has {rank}")));
        }
        let mut axes: Vec<isize> = (0..rank).collect();
        axes.swap(rank as usize - 1, rank as usize - 2);
        self.data()
            .layout()
            .permute(&axes)
            .and_then(|l| self.data().with_layout(l))
            .in_op("matrix_transpose")
            .map(Into::into)
    }
}
