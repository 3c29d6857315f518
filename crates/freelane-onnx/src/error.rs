//! What can be wrong with a model.
use freelane_array::ArrayError;
use freelane_graph::GraphError;
use freelane_mem::MemError;
use freelane_ops::OpsError;
use std::path::PathBuf;
use std::{fmt, io};

/// A model that could not be read. Prints on one line, whatever the file holds.
#[derive(Debug)]
pub struct OnnxError {
    /// The file, where there is one.
    pub path: Option<PathBuf>,
    /// The way to the faulty part: graph, node, attribute, tensor, from the outside in.
    pub place: Vec<String>,
    /// What is wrong.
    pub fault: Box<Fault>,
}

/// What is wrong with a model, apart from where.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// The system refused.
    #[error("{0}")]
    System(#[source] io::Error),
    /// The bytes are no such message.
    #[error("{kind}: {what} at byte {at}")]
    Malformed {
        /// The message's type.
        kind: &'static str,
        /// What is wrong with it.
        what: String,
        /// Where, counted from the beginning of the file.
        at: u64,
    },
    /// There is more than a model may have.
    #[error("{what} exceed the limit of {limit}")]
    TooLarge {
        /// What there is too much of.
        what: &'static str,
        /// The limit.
        limit: u64,
    },
    /// A part is missing, or contradicts another.
    #[error("{0}")]
    Invalid(String),
    /// Something that the standard has and this version has not: what, and the nearest that is there.
    #[error("{0}")]
    Unsupported(String),
    /// A node cannot be part of its graph.
    #[error("{0}")]
    Graph(#[from] GraphError),
    /// A number that names no type of elements.
    #[error("{0} is no tensor data type; the standard has 1 (float) to 26 (int2)")]
    UnknownDataType(i64),
    /// A type of elements that is not supported.
    #[error(
        "elements of type {0} are not supported; supported are all others: bool, integers, floats and complex numbers"
    )]
    UnsupportedDataType(&'static str),
    /// A shape that cannot be.
    #[error("{0}")]
    Array(#[from] ArrayError),
    /// Memory could not be had.
    #[error("{0}")]
    Memory(#[from] MemError),
    /// Making an array failed.
    #[error("{0}")]
    Ops(#[from] OpsError),
}

impl Fault {
    /// The fault, found in a part.
    pub fn in_part(self, part: impl Into<String>) -> OnnxError {
        OnnxError { path: None, place: vec![part.into()], fault: Box::new(self) }
    }
}

impl From<Fault> for OnnxError {
    fn from(fault: Fault) -> OnnxError {
        OnnxError { path: None, place: vec![], fault: Box::new(fault) }
    }
}

impl OnnxError {
    /// The error, with the part that the faulty one lies in.
    #[must_use]
    pub fn within(mut self, part: impl Into<String>) -> OnnxError {
        self.place.insert(0, part.into());
        self
    }

    /// The error, with the file's name.
    #[must_use]
    pub fn of_file(mut self, path: impl Into<PathBuf>) -> OnnxError {
        self.path = Some(path.into());
        self
    }
}

impl fmt::Display for OnnxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(path) = &self.path {
            write!(f, "{}: ", shown(&path.display().to_string()))?;
        }
        for part in &self.place {
            write!(f, "{}: ", shown(part))?;
        }
        write!(f, "{}", shown(&self.fault.to_string()))
    }
}

impl std::error::Error for OnnxError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        std::error::Error::source(&*self.fault)
    }
}

/// A text on one line, without characters that move the cursor, cut where it becomes long.
pub(crate) fn shown(text: &str) -> String {
    cut(text, 200)
}

/// A name in a message that goes on behind it.
pub(crate) fn short(name: &str) -> String {
    cut(name, 50)
}

fn cut(text: &str, most: usize) -> String {
    let mut shown: String = text
        .chars()
        .take(most)
        .flat_map(|c| if c.is_control() { c.escape_default().collect() } else { vec![c] })
        .collect();
    if text.chars().nth(most).is_some() {
        shown.push('…');
    }
    shown
}
