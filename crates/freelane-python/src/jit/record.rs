//! Rows called with traced arrays, and where in the program that was.
use super::tracer::{Tracer, expr_of, is_tracer, wrap};
use crate::native::Callable;
use crate::{convert, creation, detach, errors, object, results};
use freelane::function::{Kind, Param};
use freelane::graph::expr::{Given, Place, Recorded, Scope};
use freelane::graph::{Expr, GraphError};
use freelane::{Array, Function, Lane, UFunc, Value};
use pyo3::types::{PyList, PyTuple};
use pyo3::{Borrowed, exceptions as exc, prelude::*};

/// The line of the user's program that runs now: `file.py:12, in f`.
pub(super) fn place(py: Python<'_>) -> Place {
    let found = || -> PyResult<Option<String>> {
        let mut frame = py.import("sys")?.call_method0("_getframe")?;
        while !frame.is_none() {
            let module = frame.getattr("f_globals")?.call_method1("get", ("__name__", ""))?;
            let module: String = module.extract().unwrap_or_default();
            if module != "freelane" && !module.starts_with("freelane.") {
                let code = frame.getattr("f_code")?;
                let (file, name): (String, String) =
                    (code.getattr("co_filename")?.extract()?, code.getattr("co_name")?.extract()?);
                return Ok(Some(format!("{file}:{}, in {name}", frame.getattr("f_lineno")?)));
            }
            frame = frame.getattr("f_back")?;
        }
        Ok(None)
    };
    // Where there are no frames to ask, errors come without a place.
    found().ok().flatten().map(Into::into)
}

/// The exception for an error of a traced function, with the line that it comes from.
pub(super) fn failed(error: &GraphError) -> PyErr {
    match error {
        GraphError::Node { node, source, .. } if !node.is_empty() => {
            let cause = source.cause();
            errors::of_graph(cause, format!("{cause}\n  computed at {node}"))
        }
        other => errors::of_graph(other.cause(), other.cause().to_string()),
    }
}

/// Whether an argument is a traced array, or a list or tuple in which one is.
pub(crate) fn holds_tracer(object: &Bound<'_, PyAny>) -> bool {
    is_tracer(object) || holds_within(object, DEPTH)
}

fn holds_within(object: &Bound<'_, PyAny>, depth: usize) -> bool {
    let holds = |item: &Bound<'_, PyAny>| is_tracer(item) || depth > 0 && holds_within(item, depth - 1);
    if let Ok(list) = object.cast_exact::<PyList>() {
        return list.iter().take(MOST_ITEMS).any(|item| holds(&item));
    }
    object.cast::<PyTuple>().is_ok_and(|tuple| tuple.iter_borrowed().take(MOST_ITEMS).any(|item| holds(&item)))
}

/// How many lists may lie in each other where arrays are looked for, and how many items of each are asked.
const DEPTH: usize = 2;
const MOST_ITEMS: usize = 256;

/// What a parameter gets.
fn given(op: &str, param: &Param, object: &Bound<'_, PyAny>) -> PyResult<Given> {
    if param.is_looked_at() && holds_tracer(object) {
        return Err(no_number(op, param));
    }
    if let Some(expr) = expr_of(object) {
        return Ok(Given::Expr(expr));
    }
    if matches!(param.kind, Kind::Operand | Kind::Operands | Kind::Any)
        && !object::is_array(object)
        && holds_tracer(object)
        && let Some(items) = convert::items(object)
    {
        let item = Param::required(param.name, Kind::Operand);
        let items = items?.iter().map(|object| given(op, &item, object)).collect::<PyResult<Vec<_>>>()?;
        return match param.kind {
            // A list of numbers and arrays where one array belongs.
            Kind::Operand => stacked(object.py(), items),
            _ => Ok(Given::List(items)),
        };
    }
    let value = convert::value(op, param, object)?;
    own(value, object).map(Given::Fixed)
}

/// A value that nobody writes to later: what is no array of ours lies in memory of another library.
fn own(value: Value, object: &Bound<'_, PyAny>) -> PyResult<Value> {
    match value {
        Value::Array(array) if !object::is_array(object) => array.copy().map(Value::Array).map_err(errors::to_py),
        Value::Tuple(values) => match convert::items(object) {
            Some(items) => {
                let pairs = values.into_iter().zip(items?);
                pairs.map(|(value, item)| own(value, &item)).collect::<PyResult<_>>().map(Value::Tuple)
            }
            None => Ok(Value::Tuple(values)),
        },
        other => Ok(other),
    }
}

#[cold]
fn no_number(op: &str, param: &Param) -> PyErr {
    errors::of_class(
        "TraceError",
        format!(
            "{op}: {} must be known when the function is traced, and a traced array has no elements yet; pass it as a \
             Python number, for which the function is traced again",
            param.shown_name()
        ),
    )
}

fn stacked(py: Python<'_>, items: Vec<Given>) -> PyResult<Given> {
    let stack = Function::by_name("stack").ok_or_else(|| exc::PyRuntimeError::new_err("there is no stack"))?;
    let array = |given: Given| match given {
        Given::Fixed(Value::Scalar(s)) => Array::scalar(s).map(Value::Array).map(Given::Fixed).map_err(errors::to_py),
        other => Ok(other),
    };
    let items = items.into_iter().map(array).collect::<PyResult<Vec<_>>>()?;
    let made = call(py, stack, &[Some(Given::List(items))])?;
    made.one().map(Given::Expr).ok_or_else(|| exc::PyRuntimeError::new_err("stack makes one array"))
}

fn call(py: Python<'_>, row: Function, args: &[Option<Given>]) -> PyResult<Recorded> {
    let place = place(py);
    let call = |lane: &Lane| Expr::call(&Scope { place, ..Scope::new(lane) }, row, args);
    detach::detached(py, || Lane::with(call)).map_err(|e| failed(&e))
}

/// Calls a row, if a traced array is among its arguments, which are in order of its parameters.
pub(crate) fn row<'py>(
    py: Python<'py>,
    row: Function,
    args: &[Option<Bound<'py, PyAny>>],
    rest: &[Bound<'py, PyAny>],
) -> Option<PyResult<Bound<'py, PyAny>>> {
    let traced = args.iter().flatten().chain(rest).any(|object| holds_tracer(object));
    traced.then(|| {
        let mut args = args.iter();
        let mut values = vec![];
        for param in row.params() {
            values.push(if param.rest {
                let item = Param::required(param.name, Kind::Operand);
                let items = rest.iter().map(|object| given(row.name(), &item, object)).collect::<PyResult<_>>()?;
                Some(Given::List(items))
            } else {
                let object = args.next().and_then(Option::as_ref);
                object.map(|object| given(row.name(), param, object)).transpose()?
            });
        }
        object_of(py, row, call(py, row, &values)?)
    })
}

fn object_of<'py>(py: Python<'py>, row: Function, made: Recorded) -> PyResult<Bound<'py, PyAny>> {
    match made {
        Recorded::One(expr) => wrap(py, expr),
        Recorded::Many(names, exprs) => {
            let objects = exprs.into_iter().map(|expr| wrap(py, expr)).collect::<PyResult<Vec<_>>>()?;
            results::wrap_objects(py, row.name(), names, objects)
        }
    }
}

/// Calls an elementwise row, if a traced array is among its operands.
pub(crate) fn ufunc<'py>(
    py: Python<'py>,
    f: &'static UFunc,
    args: &[Borrowed<'_, 'py, PyAny>],
) -> Option<PyResult<Bound<'py, PyAny>>> {
    let args: Vec<_> = args.iter().map(|&object| Some(Bound::clone(&object))).collect();
    row(py, Function::UFunc(f), &args, &[])
}

/// A function that is not a row, called with a traced array.
#[cold]
pub(crate) fn native<'py>(
    py: Python<'py>,
    callable: &Callable,
    args: &crate::native::Args<'_, 'py>,
) -> PyResult<Bound<'py, PyAny>> {
    let x = args.required(0).cast::<Tracer>()?.get();
    let dtype = |i: usize| args.some(i).map(|d| convert::dtype_of(d)).transpose();
    match callable.name() {
        "asarray" | "array" => x.cast(py, dtype(1)?),
        "astype" => {
            creation::check_device(args.get(3))?;
            x.cast(py, Some(convert::dtype_of(args.required(1))?))
        }
        "zeros_like" | "empty_like" => {
            creation::check_device(args.get(2))?;
            let dtype = dtype(1)?.unwrap_or(x.expr.dtype());
            object::wrapped(py, Array::zeros(&x.shape("zeros_like")?, dtype))
        }
        name => Err(errors::of_class(
            "TraceError",
            format!("{name}() needs elements, and a traced array has none yet; call it outside of the jitted function"),
        )),
    }
}
