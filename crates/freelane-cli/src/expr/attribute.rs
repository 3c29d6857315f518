//! What is written behind a dot: facts about an array, and functions in the form of methods.
use super::error::Problem;
use super::names;
use freelane::{Array, Callable, Registry, Scalar, Value};

/// Attributes that are no calls.
const FACTS: &[&str] = &["T", "mT", "shape", "ndim", "size", "nbytes", "itemsize", "dtype"];
/// Methods that are no function under the same name.
const METHODS: &[&str] = &["flatten", "ravel", "copy"];
/// Methods that also take a list's items one by one.
const SPREAD: &[&str] = &["reshape", "transpose", "permute_dims"];

/// `x.name`, not called.
pub fn fact(registry: &Registry, x: Value, name: &str) -> Result<Value, Problem> {
    let array = into_array(x, name)?;
    let int = |n: usize| Value::Scalar(Scalar::Int(n as i128));
    Ok(match name {
        "T" => Value::Array(array.t()),
        "mT" => Value::Array(array.matrix_transpose()?),
        "shape" => Value::Tuple(array.shape().iter().map(|&n| int(n)).collect()),
        "ndim" => int(array.rank()),
        "size" => int(array.len()),
        "nbytes" => int(array.nbytes()),
        "itemsize" => int(array.dtype().size()),
        "dtype" => Value::DType(array.dtype()),
        _ if is_method(registry, name) => {
            return Err(Problem::misuse(format!("'{name}' is a method; call it: x.{name}(...)")));
        }
        _ => return Err(unknown(registry, name)),
    })
}

/// How `x.name(...)` is carried out.
pub enum Method<'a> {
    /// As a function of this name with `x` before the other arguments.
    Function(Callable<'a>),
    /// As `reshape(x, -1)`.
    Flatten,
    /// As `x`: nobody can see whether values are shared.
    Itself,
}

/// The method of a name.
pub fn method<'a>(registry: &'a Registry, name: &str) -> Result<Method<'a>, Problem> {
    match name {
        "flatten" | "ravel" => return Ok(Method::Flatten),
        "copy" => return Ok(Method::Itself),
        _ => {}
    }
    if FACTS.contains(&name) {
        return Err(Problem::misuse(format!("'{name}' is no method; write it without brackets")));
    }
    let function = names::function(registry, name).filter(|f| takes_array(*f));
    function.map(Method::Function).ok_or_else(|| unknown(registry, name))
}

/// Whether `x.reshape(2, 3)` means `x.reshape((2, 3))`.
pub fn takes_items_one_by_one(name: &str) -> bool {
    SPREAD.contains(&name)
}

fn takes_array(function: Callable<'_>) -> bool {
    let params = function.params();
    params.first().is_some_and(|p| p.kind == freelane::function::Kind::Operand)
}

fn is_method(registry: &Registry, name: &str) -> bool {
    METHODS.contains(&name) || names::function(registry, name).is_some_and(takes_array)
}

fn unknown(registry: &Registry, name: &str) -> Problem {
    let main = registry.iter().filter(|(namespace, _)| namespace.is_empty()).map(|(_, f)| f);
    let methods = main.filter(|f| takes_array(*f)).map(Callable::name);
    let all = FACTS.iter().chain(METHODS).copied().chain(methods);
    Problem::UnknownAttribute { of: "an array".into(), name: name.into(), suggestion: names::nearest_of(name, all) }
}

fn into_array(x: Value, name: &str) -> Result<Array, Problem> {
    match x {
        Value::Array(array) => Ok(array),
        Value::Scalar(s) => Ok(Array::scalar(s)?),
        _ => Err(Problem::misuse(format!("only arrays have attributes such as '{name}'"))),
    }
}
