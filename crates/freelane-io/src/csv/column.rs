//! Numbers out of text.
use crate::Fault;
use freelane_array::ArrayError;
use freelane_ops::{Array, OpsError};

/// The numbers read so far: integers as long as there are no others.
pub(crate) enum Numbers {
    Ints(Vec<i64>),
    Floats(Vec<f64>),
}

impl Numbers {
    pub(crate) fn new() -> Numbers {
        Numbers::Ints(Vec::new())
    }

    /// Adds a field; `false` when it is not a number.
    pub(crate) fn push(&mut self, field: &[u8]) -> bool {
        let Ok(field) = std::str::from_utf8(field) else { return false };
        let field = field.trim();
        if let Numbers::Ints(ints) = self {
            if let Some(value) = int(field) {
                ints.push(value);
                return true;
            }
            // An int64 rounds to float64 as its digits do.
            *self = Numbers::Floats(ints.iter().map(|&i| i as f64).collect());
        }
        let (Numbers::Floats(floats), Some(value)) = (self, float(field)) else { return false };
        floats.push(value);
        true
    }

    pub(crate) fn into_array(self, shape: &[usize]) -> Result<Array, Fault> {
        match self {
            // As in NumPy, nothing at all is float64.
            Numbers::Ints(v) if v.is_empty() => from_vec(Vec::<f64>::new(), shape),
            Numbers::Ints(v) => from_vec(v, shape),
            Numbers::Floats(v) => from_vec(v, shape),
        }
    }
}

fn from_vec<T: freelane_array::Element>(values: Vec<T>, shape: &[usize]) -> Result<Array, Fault> {
    Array::from_vec(values, shape).map_err(|e| match e {
        OpsError::Array { source: source @ ArrayError::ShapeOverflow { .. }, .. } => Fault::Array(source),
        other => Fault::Ops(other),
    })
}

/// Negative zero is a float.
fn int(field: &str) -> Option<i64> {
    field.parse().ok().filter(|&i| i != 0 || !field.starts_with('-'))
}

fn float(field: &str) -> Option<f64> {
    if field.is_empty() { Some(f64::NAN) } else { field.parse().ok() }
}

/// Whether a field of the first line can be part of the table itself.
pub(crate) fn is_number(field: &[u8]) -> bool {
    std::str::from_utf8(field).is_ok_and(|f| float(f.trim()).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_until_something_else_comes() {
        for (fields, want) in [
            (&["1", " -2 ", "+3"][..], Ok(vec![1, -2, 3])),
            (&["1", "", "3"], Err(vec![1.0, f64::NAN, 3.0])),
            (&["9007199254740993", "0.5"], Err(vec![9007199254740992.0, 0.5])),
            (&["9223372036854775808"], Err(vec![9223372036854775808.0])),
            (&["-0"], Err(vec![-0.0])),
            (&["1e3", "inf", "-Infinity", "NaN"], Err(vec![1000.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN])),
        ] {
            let mut numbers = Numbers::new();
            assert!(fields.iter().all(|f| numbers.push(f.as_bytes())), "{fields:?}");
            let bits = |v: &[f64]| v.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
            match (numbers, want) {
                (Numbers::Ints(a), Ok(b)) => assert_eq!(a, b),
                (Numbers::Floats(a), Err(b)) => assert_eq!(bits(&a), bits(&b), "{fields:?}"),
                _ => panic!("{fields:?} has the wrong type"),
            }
        }
        for text in ["x", "1.2.3", "0x10", "1_000", "True", "1 2"] {
            assert!(!Numbers::new().push(text.as_bytes()), "{text}");
        }
        assert!(!Numbers::new().push(b"\xff"));
    }
}
