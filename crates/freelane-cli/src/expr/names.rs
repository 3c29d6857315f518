//! Names that every expression knows: constants, and NumPy's other spellings of functions.
use freelane::{Callable, DType, Registry, Scalar, Value};
use std::f64::consts;

/// Constants.
const CONSTANTS: &[(&str, Value)] = &[
    ("True", Value::Scalar(Scalar::Bool(true))),
    ("False", Value::Scalar(Scalar::Bool(false))),
    ("None", Value::None),
    ("newaxis", Value::None),
    ("pi", Value::Scalar(Scalar::Float(consts::PI))),
    ("e", Value::Scalar(Scalar::Float(consts::E))),
    ("inf", Value::Scalar(Scalar::Float(f64::INFINITY))),
    ("nan", Value::Scalar(Scalar::Float(f64::NAN))),
    ("int", Value::DType(DType::I64)),
    ("float", Value::DType(DType::F64)),
    ("complex", Value::DType(DType::C128)),
];

/// NumPy's spelling, and the function's name here.
const ALIASES: &[(&str, &str)] = &[
    ("absolute", "abs"),
    ("amax", "max"),
    ("amin", "min"),
    ("arccos", "acos"),
    ("arccosh", "acosh"),
    ("arcsin", "asin"),
    ("arcsinh", "asinh"),
    ("arctan", "atan"),
    ("arctan2", "atan2"),
    ("arctanh", "atanh"),
    ("concatenate", "concat"),
    ("conjugate", "conj"),
    ("fabs", "abs"),
    ("invert", "bitwise_invert"),
    ("bitwise_not", "bitwise_invert"),
    ("left_shift", "bitwise_left_shift"),
    ("right_shift", "bitwise_right_shift"),
    ("mod", "remainder"),
    ("power", "pow"),
    ("product", "prod"),
    ("rint", "round"),
    ("around", "round"),
    ("true_divide", "divide"),
];

/// Names that an array cannot be given.
const RESERVED: &[&str] =
    &["True", "False", "None", "and", "or", "not", "in", "is", "if", "else", "for", "lambda", "np", "numpy"];

/// Whether an array cannot be given this name.
pub fn is_reserved(name: &str) -> bool {
    RESERVED.contains(&name)
}

/// Whether this is a prefix of all names that NumPy's users may write.
pub fn is_module(name: &str) -> bool {
    matches!(name, "np" | "numpy")
}

/// A constant or data type.
pub fn constant(name: &str) -> Option<Value> {
    let constant = CONSTANTS.iter().find(|(n, _)| *n == name).map(|(_, value)| value.clone());
    constant.or_else(|| DType::from_name(name).map(Value::DType))
}

/// A name in a namespace, as [`function`] wants it.
pub fn qualified(namespace: &str, name: &str) -> String {
    if namespace.is_empty() { name.to_owned() } else { format!("{namespace}.{name}") }
}

/// A function by its own or NumPy's name, after that of its namespace if it is not in the main one.
pub fn function<'a>(registry: &'a Registry, name: &str) -> Option<Callable<'a>> {
    if let Some((namespace, name)) = name.split_once('.') {
        return registry.get(namespace, name);
    }
    let alias = || ALIASES.iter().find(|(alias, _)| *alias == name);
    registry.get("", name).or_else(|| registry.get("", alias()?.1))
}

/// The name that exists and is most like `name`, if any is much like it.
pub fn nearest<'a>(registry: &Registry, name: &str, more: impl Iterator<Item = &'a str>) -> Option<String> {
    let functions: Vec<String> = registry.iter().map(|(namespace, f)| qualified(namespace, f.name())).collect();
    let aliases = ALIASES.iter().filter(|(_, own)| registry.get("", own).is_some()).map(|(alias, _)| *alias);
    let constants = CONSTANTS.iter().map(|(n, _)| *n).chain(DType::ALL.iter().map(|d| d.name()));
    let more: Vec<&str> = more.collect();
    nearest_of(name, more.into_iter().chain(functions.iter().map(String::as_str)).chain(aliases).chain(constants))
}

/// The candidate most like `name`, if it is at least two thirds alike.
pub fn nearest_of<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<String> {
    let scored = candidates.map(|c| (strsim::normalized_damerau_levenshtein(name, c), c));
    let best = scored.filter(|(score, _)| *score >= 0.6).max_by(|a, b| a.0.total_cmp(&b.0));
    best.map(|(_, name)| name.to_owned())
}
