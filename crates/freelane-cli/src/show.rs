//! A result for readers and for programs.
use anyhow::Result;
use freelane::{Array, DType, Scalar, Value};
use serde::Serialize;
use serde_json::{Value as Json, json};
use std::fmt;

/// Arrays of more elements are described and not written out.
const MAX_ELEMENTS: usize = 1000;

/// A value, and what is said about it.
#[derive(Serialize)]
pub struct Shown<'a> {
    #[serde(skip)]
    value: &'a Value,
    dtype: Option<&'static str>,
    shape: Option<Vec<usize>>,
    /// Small results.
    result: Json,
    /// Large ones.
    #[serde(flatten)]
    summary: Option<Summary>,
}

/// Facts about the elements of a large array.
#[derive(Serialize)]
struct Summary {
    min: Json,
    max: Json,
    mean: Json,
    #[serde(skip)]
    text: String,
}

impl<'a> Shown<'a> {
    /// Looks at a value.
    pub fn of(value: &'a Value) -> Result<Shown<'a>> {
        let mut shown = Shown { value, dtype: None, shape: None, result: Json::Null, summary: None };
        match value {
            Value::Array(array) => {
                shown.dtype = Some(array.dtype().name());
                shown.shape = Some(array.shape().to_vec());
                if array.len() <= MAX_ELEMENTS {
                    shown.result = nested(array)?;
                } else {
                    shown.summary = Some(Summary::of(array)?);
                }
            }
            Value::Scalar(s) => {
                shown.dtype = Some(s.default_dtype().name());
                shown.shape = Some(vec![]);
                shown.result = number(*s);
            }
            other => shown.result = plain(other)?,
        }
        Ok(shown)
    }

    /// The dtype and shape in words.
    pub fn description(&self) -> String {
        match (self.dtype, self.shape.as_deref()) {
            (Some(dtype), Some([])) => format!("{dtype} without axes"),
            (Some(dtype), Some(shape)) => format!("{dtype} of shape {}", tuple(shape)),
            _ => "no array".to_owned(),
        }
    }
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        text(self.value, f)?;
        match &self.summary {
            Some(summary) => write!(f, "\n{}: {}", self.description(), summary.text),
            None => Ok(()),
        }
    }
}

fn text(value: &Value, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match value {
        Value::Array(array) => write!(f, "{array}"),
        Value::Scalar(s) => match Array::scalar(*s) {
            Ok(array) => write!(f, "{array}"),
            Err(_) => write!(f, "{s}"),
        },
        Value::DType(d) => write!(f, "{d}"),
        Value::Str(word) => write!(f, "'{word}'"),
        Value::None => f.write_str("None"),
        Value::Tuple(items) => {
            f.write_str("(")?;
            for (i, item) in items.iter().enumerate() {
                f.write_str(if i == 0 { "" } else { ", " })?;
                text(item, f)?;
            }
            f.write_str(if items.len() == 1 { ",)" } else { ")" })
        }
    }
}

impl Summary {
    fn of(array: &Array) -> Result<Summary> {
        // Repetitions change neither the extremes nor the mean.
        let once = |&stride: &isize| if stride == 0 { freelane::Index::At(0) } else { freelane::Slice::all().into() };
        let array = &array.index(&array.strides().iter().map(once).collect::<Vec<_>>())?;
        let ordered = array.dtype().is_real();
        let only = |x: Array| Ok::<_, freelane::OpsError>((x.to_scalar()?, x.to_string()));
        let extreme = |x: Result<Array, _>| if ordered { only(x?).map(Some) } else { Ok(None) };
        let (min, max) = (extreme(array.min(.., false))?, extreme(array.max(.., false))?);
        let mean = only(array.mean(.., false)?)?;
        let words = [("min", &min), ("max", &max), ("mean", &Some(mean.clone()))];
        let words: Vec<String> =
            words.iter().filter_map(|(w, v)| v.as_ref().map(|(_, text)| format!("{w} {text}"))).collect();
        let json = |v: Option<(Scalar, String)>| v.map_or(Json::Null, |(scalar, _)| number(scalar));
        Ok(Summary { min: json(min), max: json(max), mean: json(Some(mean)), text: words.join(", ") })
    }
}

/// The elements as nested lists.
fn nested(array: &Array) -> Result<Json> {
    if array.rank() == 0 {
        return Ok(number(array.to_scalar()?));
    }
    let part = |i: usize| nested(&array.index(&[freelane::Index::At(i as isize)])?);
    // An axis of length 0 further on leaves nothing to list, however long this one is.
    let count = if array.is_empty() { 0 } else { array.shape()[0] };
    (0..count).map(part).collect::<Result<Vec<_>>>().map(Json::Array)
}

fn plain(value: &Value) -> Result<Json> {
    Ok(match value {
        Value::Array(array) => nested(array)?,
        Value::Scalar(s) => number(*s),
        Value::DType(d) => json!(DType::name(*d)),
        Value::Str(word) => json!(word),
        Value::Tuple(items) => Json::Array(items.iter().map(plain).collect::<Result<_>>()?),
        Value::None => Json::Null,
    })
}

/// A number; what JSON has no number for is a string, and a complex number a pair.
fn number(s: Scalar) -> Json {
    let real = |x: f64| if x.is_finite() { json!(x) } else { json!(x.to_string()) };
    match s {
        Scalar::Bool(b) => json!(b),
        Scalar::Int(i) => match (i64::try_from(i), u64::try_from(i)) {
            (Ok(i), _) => json!(i),
            (_, Ok(i)) => json!(i),
            _ => json!(i.to_string()),
        },
        Scalar::Float(x) => real(x),
        Scalar::Complex(z) => json!([real(z.re), real(z.im)]),
    }
}

/// A shape as Python writes it.
fn tuple(shape: &[usize]) -> String {
    let items: Vec<String> = shape.iter().map(usize::to_string).collect();
    if let [only] = &items[..] { format!("({only},)") } else { format!("({})", items.join(", ")) }
}

/// A number of bytes with a unit.
pub fn bytes(n: u64) -> String {
    let units = ["B", "KiB", "MiB", "GiB", "TiB"];
    let step = (n.max(1).ilog2() / 10).min(4) as usize;
    if step == 0 { format!("{n} B") } else { format!("{:.1} {}", n as f64 / (1u64 << (10 * step)) as f64, units[step]) }
}
