//! What flows along an edge of a graph.
use freelane_array::{ArrayData, DType};
use std::fmt;

/// A value of a graph while it runs.
#[derive(Clone)]
pub enum Datum {
    /// An array.
    Array(ArrayData),
    /// A list of values of one kind.
    Sequence(Vec<Datum>),
    /// A value that may be missing.
    Optional(Option<Box<Datum>>),
}

impl Datum {
    /// The array, if it is one.
    #[inline]
    pub fn array(&self) -> Option<&ArrayData> {
        match self {
            Datum::Array(a) => Some(a),
            _ => None,
        }
    }

    /// The array itself, if it is one.
    pub fn into_array(self) -> Option<freelane_ops::Array> {
        match self {
            Datum::Array(a) => Some(a.into()),
            _ => None,
        }
    }

    /// Bytes of all arrays in it.
    pub fn nbytes(&self) -> usize {
        match self {
            Datum::Array(a) => a.layout().len().saturating_mul(a.dtype().size()),
            Datum::Sequence(items) => items.iter().map(Datum::nbytes).fold(0, usize::saturating_add),
            Datum::Optional(inner) => inner.as_deref().map_or(0, Datum::nbytes),
        }
    }

    /// Its kind in words: `array of float32 [2, 3]`.
    pub fn describe(&self) -> String {
        match self {
            Datum::Array(a) => format!("{} {:?}", a.dtype(), a.layout().shape()),
            Datum::Sequence(items) => match items.first() {
                Some(first) => format!("sequence of {}, the first {}", items.len(), first.describe()),
                None => "empty sequence".to_owned(),
            },
            Datum::Optional(None) => "nothing".to_owned(),
            Datum::Optional(Some(inner)) => format!("optional {}", inner.describe()),
        }
    }

    /// The type of its elements, if it is an array.
    pub fn dtype(&self) -> Option<DType> {
        self.array().map(ArrayData::dtype)
    }
}

impl fmt::Debug for Datum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.describe())
    }
}

impl From<ArrayData> for Datum {
    #[inline]
    fn from(array: ArrayData) -> Datum {
        Datum::Array(array)
    }
}

impl From<freelane_ops::Array> for Datum {
    #[inline]
    fn from(array: freelane_ops::Array) -> Datum {
        Datum::Array(array.into())
    }
}
