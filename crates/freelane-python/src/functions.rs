//! Rows as Python functions and methods.
//!
//! A row of `freelane-ops` has everything that is needed: name, parameters, documentation, cost. Elementwise functions and
//! reductions of an array have short ways; everything else goes through `Function::call`.
use crate::convert::{self, Arrays, Operands};
use crate::native::{Body, Callable, NativeFn, RawCall, raw};
use crate::object::{self, wrapped};
use crate::{detach, errors, errors::to_py, jit, results};
use freelane::function::{Default, Kind, Param};
use freelane::{Array, Axes, DType, Function, Lane, Outputs, ReduceArgs, Reduction, UFunc, Value};
use pyo3::exceptions::PyOverflowError;
use pyo3::types::PyInt;
use pyo3::{Borrowed, ffi, prelude::*};
use smallvec::SmallVec;

/// Elements from which the work of a structured operation is taken to be long.
const MANY: usize = 16_384;

/// The rows that become functions, with their namespaces: all but those written by hand.
pub(crate) fn rows() -> impl Iterator<Item = (&'static str, Function)> {
    let by_hand = |row: &Function| crate::natives().any(|n| n.signature.split('(').next() == Some(row.name()));
    freelane::functions().filter(move |(namespace, row)| !(namespace.is_empty() && by_hand(row)))
}

/// The rows that become methods too: those of an array.
pub(crate) fn method_rows() -> impl Iterator<Item = Function> {
    let by_hand = |row: &Function| crate::native_methods().any(|n| n.signature.split('(').next() == Some(row.name()));
    Function::all().filter(move |row| {
        let first = row.params().first().copied();
        let of_array = first.is_some_and(|p| p.kind == Kind::Operand && p.default == Default::Required);
        of_array && !by_hand(row) && row.name() != "where"
    })
}

/// The way a row is called: arrays by position, options by name.
pub(crate) fn signature(row: Function) -> String {
    let params = row.params();
    let leading = params.iter().take_while(|p| p.default == Default::Required && is_array(p)).count();
    let mut parts: Vec<String> = vec![];
    for (i, p) in params.iter().enumerate() {
        if p.keyword_only && !params.iter().any(|p| p.rest) && !parts.contains(&"*".to_owned()) {
            parts.push("*".to_owned());
        }
        parts.push(p.shown());
        if i + 1 == leading {
            parts.push("/".to_owned());
        }
    }
    if makes_arrays(row) {
        parts.extend((!parts.contains(&"*".to_owned())).then(|| "*".to_owned()));
        parts.push("device=None".to_owned());
    }
    if matches!(row, Function::UFunc(_)) {
        parts.extend(["*".to_owned(), "out=None".to_owned()]);
    }
    format!("{}({})", row.name(), parts.join(", "))
}

/// Whether the row is one of those that the standard gives a device: structured ones that are told a dtype.
fn makes_arrays(row: Function) -> bool {
    matches!(row, Function::Op(_)) && row.params().iter().any(|p| p.kind == Kind::DType)
}

fn is_array(p: &Param) -> bool {
    matches!(p.kind, Kind::Operand | Kind::Operands)
}

/// What a row computes, for which dtypes, how exactly.
pub(crate) fn doc(row: Function) -> String {
    let list =
        |dtypes: &mut dyn Iterator<Item = freelane::DType>| dtypes.map(|d| d.name()).collect::<Vec<_>>().join(", ");
    let text = row.doc().lines().map(str::trim).collect::<Vec<_>>().join("\n");
    match row {
        Function::UFunc(f) => format!(
            "{text}\n\nOf each element, after broadcasting. Computed in {}; other dtypes are converted to the nearest of \
             them.\nWith out=, the result is written there and out is returned.",
            list(&mut f.dtypes())
        ),
        Function::Reduction(r, _) => format!(
            "{text}\n\nOver axis (None: all, a number, or a tuple), whose lengths become 1 with keepdims and go without. \
             Takes {}.\nThe order of the elements is fixed: the bits do not depend on threads or strides.",
            list(&mut r.dtypes())
        ),
        Function::Op(_) => text,
    }
}

/// Runs a callable; null with the error raised.
#[inline(always)]
pub(crate) fn call(callable: &Callable, call: &RawCall<'_, '_>) -> *mut ffi::PyObject {
    match callable.body {
        Body::Row(Function::UFunc(f)) => ufunc(callable, f, call),
        Body::Row(Function::Reduction(r, _)) if call.given() == 1 && call.is_positional() => {
            reduce_all(callable, r, call)
        }
        Body::Row(row) => raw(call.py, general(callable, row, call)),
        Body::QuickRow(quick, row) => quick(call).unwrap_or_else(|| raw(call.py, general(callable, row, call))),
        Body::Native(run) => by_hand(callable, run, call),
        Body::Quick(quick, run) => quick(call).unwrap_or_else(|| by_hand(callable, run, call)),
    }
}

#[inline(never)]
fn by_hand(callable: &Callable, run: NativeFn, call: &RawCall<'_, '_>) -> *mut ffi::PyObject {
    raw(
        call.py,
        callable.bind(call).and_then(|args| match args.get(0) {
            Some(x) if jit::is_tracer(x) => jit::native(call.py, callable, &args),
            _ => run(call.py, &args),
        }),
    )
}

fn ufunc(callable: &Callable, f: &'static UFunc, call: &RawCall<'_, '_>) -> *mut ffi::PyObject {
    let (py, arity) = (call.py, f.arity());
    let out = if call.is_positional() { None } else { call.only_named(callable.interned(arity)) };
    if call.given() != arity || !(call.is_positional() || out.is_some()) {
        return raw(py, ufunc_by_name(callable, f, call));
    }
    let out = out.filter(|o| !o.is_none());
    match arity {
        1 => raw(py, apply(py, f, [call.at(0)], out)),
        2 => raw(py, apply(py, f, [call.at(0), call.at(1)], out)),
        _ => raw(py, apply(py, f, [call.at(0), call.at(1), call.at(2)], out)),
    }
}

#[inline(never)]
fn ufunc_by_name<'py>(callable: &Callable, f: &'static UFunc, call: &RawCall<'_, 'py>) -> PyResult<Bound<'py, PyAny>> {
    let args = callable.bind(call)?;
    let (arity, out) = (f.arity(), args.some(f.arity()).map(Bound::as_borrowed));
    let at = |i: usize| args.required(i).as_borrowed();
    match arity {
        1 => apply(call.py, f, [at(0)], out),
        2 => apply(call.py, f, [at(0), at(1)], out),
        _ => apply(call.py, f, [at(0), at(1), at(2)], out),
    }
}

/// Applies an elementwise function to Python objects.
#[inline(always)]
pub(crate) fn apply<'py, const N: usize>(
    py: Python<'py>,
    f: &'static UFunc,
    args: [Borrowed<'_, 'py, PyAny>; N],
    out: Option<Borrowed<'_, 'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    match out {
        None => match apply_new(py, f, &args) {
            Ok(done) => Ok(done),
            Err(error) => beyond(py, f, &args, error),
        },
        Some(out) => {
            apply_into(py, f, &args, &out)?;
            Ok(out.to_owned())
        }
    }
}

#[inline(always)]
fn apply_new<'py, const N: usize>(
    py: Python<'py>,
    f: &'static UFunc,
    args: &[Borrowed<'_, 'py, PyAny>; N],
) -> PyResult<Bound<'py, PyAny>> {
    let Some(arrays) = Arrays::new(args) else { return apply_mixed(py, f, args) };
    let done = detach::run(py, arrays.cost(f.cost), || Lane::with(|lane| f.call(lane, &arrays.all())));
    wrapped(py, done)
}

#[inline(never)]
fn apply_mixed<'py, const N: usize>(
    py: Python<'py>,
    f: &'static UFunc,
    args: &[Borrowed<'_, 'py, PyAny>; N],
) -> PyResult<Bound<'py, PyAny>> {
    if args.iter().any(|a| jit::is_tracer(a))
        && let Some(traced) = jit::ufunc(py, f, args)
    {
        return traced;
    }
    let operands = Operands::new(args)?;
    let cost = operands.cost(f.cost);
    let done = detach::run(py, cost, || Lane::with(|lane| f.call(lane, &operands.all())));
    wrapped(py, done)
}

/// A comparison of integers with a number that their dtype cannot hold has an answer all the same: it is the same for all.
#[cold]
fn beyond<'py>(
    py: Python<'py>,
    f: &'static UFunc,
    args: &[Borrowed<'_, 'py, PyAny>],
    error: PyErr,
) -> PyResult<Bound<'py, PyAny>> {
    let &[a, b] = args else { return Err(error) };
    let (x, number) = if object::is_array(&a) { (a, b) } else { (b, a) };
    let is_one = object::is_array(&x) && number.is_exact_instance_of::<PyInt>();
    if !is_one || !error.is_instance_of::<PyOverflowError>(py) || !object::read(&x)?.dtype().is_integer() {
        return Err(error);
    }
    let less = number.lt(0)? != object::is_array(&a);
    let answer = match f.name {
        "equal" => false,
        "not_equal" => true,
        "less" | "less_equal" => less,
        "greater" | "greater_equal" => !less,
        _ => return Err(error),
    };
    errors::discard(py, error);
    wrapped(py, Array::full(object::read(&x)?.shape(), answer, DType::Bool))
}

/// Applies an elementwise function and writes the result to an array, which may be one of the operands.
#[inline(always)]
pub(crate) fn apply_into<'py, const N: usize>(
    py: Python<'py>,
    f: &'static UFunc,
    args: &[Borrowed<'_, 'py, PyAny>; N],
    out: &Bound<'py, PyAny>,
) -> PyResult<()> {
    if args.iter().any(|a| a.is(out)) {
        let others = Operands::beside(args, out)?;
        let mut out = object::write(out)?;
        let cost = others.cost(f.cost).max((out.len() as f64 * f64::from(f.cost)) as u64);
        let work = || Lane::with(|lane| f.call_over(lane, out.data_mut(), &others.all()));
        return detach::run(py, cost, work).map_err(to_py);
    }
    if let Some(arrays) = Arrays::new(args) {
        let mut out = object::write(out)?;
        let work = || Lane::with(|lane| f.call_into(lane, &arrays.all(), out.data_mut()));
        return detach::run(py, arrays.cost(f.cost), work).map_err(to_py);
    }
    let operands = Operands::new(args)?;
    let mut out = object::write(out)?;
    let cost = operands.cost(f.cost);
    detach::run(py, cost, || Lane::with(|lane| f.call_into(lane, &operands.all(), out.data_mut()))).map_err(to_py)
}

/// A reduction of all elements of one array.
fn reduce_all(callable: &Callable, r: &'static Reduction, call: &RawCall<'_, '_>) -> *mut ffi::PyObject {
    let py = call.py;
    let x = call.at(0);
    if !object::is_array(&x) {
        let row = match callable.body {
            Body::Row(row) | Body::QuickRow(_, row) => row,
            Body::Native(_) | Body::Quick(..) => unreachable!("a row"),
        };
        return raw(py, general(callable, row, call));
    }
    let x = match object::read(&x) {
        Ok(x) => x,
        Err(error) => return raw(py, Err(error)),
    };
    let args = ReduceArgs { axes: Axes::All, keepdims: false, correction: 0.0 };
    let cost = (x.len() as f64 * f64::from(r.cost)) as u64;
    let done = detach::run(py, cost, || Lane::with(|lane| r.call(lane, x.data(), &args)));
    raw(py, wrapped(py, done))
}

/// Any row with any arguments.
#[inline(never)]
fn general<'py>(callable: &Callable, row: Function, call: &RawCall<'_, 'py>) -> PyResult<Bound<'py, PyAny>> {
    let args = callable.bind(call)?;
    let params = row.params();
    if makes_arrays(row) {
        crate::creation::check_device(args.get(params.len()))?;
    }
    if let Some(traced) = traced(call.py, row, &args) {
        return traced;
    }
    let mut values: SmallVec<[Option<Value>; 4]> = SmallVec::new();
    let mut i = 0;
    for param in params {
        if param.rest {
            let items = args.rest().map(|object| convert::operand(&object)).collect::<PyResult<_>>()?;
            values.push(Some(Value::Tuple(items)));
            continue;
        }
        values.push(args.get(i).map(|object| convert::value(row.name(), param, object)).transpose()?);
        i += 1;
    }
    call_row(call.py, row, &values)
}

/// The call of a row that was given a traced array, by itself or in a list.
fn traced<'py>(
    py: Python<'py>,
    row: Function,
    args: &crate::native::Args<'_, 'py>,
) -> Option<PyResult<Bound<'py, PyAny>>> {
    let count = row.params().iter().filter(|p| !p.rest).count();
    let holds = |x: &Bound<'py, PyAny>| !object::is_array(x) && jit::holds_tracer(x);
    if !(0..count).any(|i| args.get(i).is_some_and(holds)) && !args.rest().any(|x| holds(&x)) {
        return None;
    }
    let objects: Vec<_> = (0..count).map(|i| args.get(i).cloned()).collect();
    let rest: Vec<_> = args.rest().map(|x| x.to_owned()).collect();
    jit::row(py, row, &objects, &rest)
}

/// Whether the result is a view, however many elements there are.
fn moves_nothing(row: Function, values: &[Option<Value>]) -> bool {
    const VIEWS: &[&str] =
        &["real", "permute_dims", "matrix_transpose", "swapaxes", "moveaxis", "expand_dims", "squeeze"];
    match (row.name(), values) {
        ("imag", [Some(Value::Array(z))]) => z.dtype().kind() == freelane::Kind::Complex,
        ("einsum", [Some(Value::Str(text)), Some(Value::Tuple(operands))]) => {
            let all_stay = |(from, to): (&str, &str)| from.chars().all(|label| to.contains(label));
            operands.len() == 1 && text.split_once("->").is_some_and(all_stay)
        }
        (name, _) => VIEWS.contains(&name),
    }
}

/// Calls a row with converted arguments in order of its parameters.
pub(crate) fn call_row<'py>(py: Python<'py>, row: Function, values: &[Option<Value>]) -> PyResult<Bound<'py, PyAny>> {
    let elements: usize = values.iter().flatten().map(size).fold(0, usize::saturating_add);
    let cost = if elements < MANY || moves_nothing(row, values) { 0 } else { u64::MAX };
    match detach::run(py, cost, || Lane::with(|lane| row.call_placed(lane, values))).map_err(to_py)? {
        Outputs::One(array) => object::wrap(py, array),
        Outputs::Many(names, arrays) => results::wrap(py, row.name(), names, arrays),
    }
}

/// Elements that a value holds or asks for.
fn size(value: &Value) -> usize {
    match value {
        Value::Array(a) => a.len(),
        Value::Tuple(items) if items.iter().all(|v| matches!(v, Value::Scalar(_))) => {
            let length = |v: &Value| if let Value::Scalar(freelane::Scalar::Int(n)) = v { *n as usize } else { 1 };
            items.iter().map(length).fold(1, usize::saturating_mul)
        }
        Value::Tuple(items) => items.iter().map(size).fold(0, usize::saturating_add),
        Value::Scalar(freelane::Scalar::Int(n)) => usize::try_from(*n).unwrap_or(0),
        _ => 0,
    }
}
