//! What can be wrong with a file: where, what was found, what was expected.
use freelane_array::{ArrayError, BytesError, DType};
use freelane_mem::MemError;
use freelane_ops::OpsError;
use std::path::{Path, PathBuf};
use std::{fmt, io};

/// A file that could not be read or written. Prints on one line, whatever the file holds.
#[derive(Debug)]
pub struct IoError {
    /// The file.
    pub path: PathBuf,
    /// The array or column in it.
    pub entry: Option<String>,
    /// What is wrong.
    pub fault: Fault,
}

impl fmt::Display for IoError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", escaped(&self.path))?;
        if let Some(entry) = &self.entry {
            write!(f, ":{}", Shown(entry))?;
        }
        write!(f, ": {}", self.fault)
    }
}

impl std::error::Error for IoError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        std::error::Error::source(&self.fault)
    }
}

/// What is wrong with a file, apart from its name.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// The system refused.
    #[error("{0}")]
    System(#[source] io::Error),
    /// Memory could not be had, or the file not be mapped.
    #[error("{0}")]
    Memory(#[source] MemError),
    /// A shape that cannot be.
    #[error("{0}")]
    Array(#[source] ArrayError),
    /// A byte that is no bool.
    #[error("element {at} is the byte {byte}, but a bool is 0 or 1")]
    NotBool {
        /// The element's position in the file's order.
        at: usize,
        /// The byte.
        byte: u8,
    },
    /// Preparing an array for writing failed.
    #[error("{0}")]
    Ops(#[source] OpsError),
    /// Neither the first bytes nor the name tell the format.
    #[error("not an array file: the name does not end in .npy, .npz, .safetensors or .csv{}", starts(found))]
    UnknownFormat {
        /// The first bytes, if there is a file.
        found: Vec<u8>,
    },
    /// The file ends too early.
    #[error("truncated: {what} takes {expected} bytes, found {found}")]
    Truncated {
        /// The part that is cut off.
        what: &'static str,
        /// Bytes that the part takes.
        expected: u64,
        /// Bytes there are for it.
        found: u64,
    },
    /// There is more than the array.
    #[error("{found} bytes of data for an array of {expected} bytes")]
    Trailing {
        /// Bytes of the array.
        expected: u64,
        /// Bytes found.
        found: u64,
    },
    /// A header or a directory that breaks the format's rules.
    #[error("malformed {what}: {problem}")]
    Malformed {
        /// The format's part.
        what: &'static str,
        /// What was found and expected.
        problem: String,
    },
    /// Elements that arrays do not hold, or the format does not.
    #[error("dtype {found} is not supported; {way_out}")]
    DType {
        /// The type, as the file names it.
        found: String,
        /// What to do.
        way_out: &'static str,
    },
    /// More than the limits allow.
    #[error("{what} is {found}, more than the limit of {limit}")]
    Limit {
        /// The quantity.
        what: &'static str,
        /// What the file asks for.
        found: u64,
        /// What [`Limits`](crate::Limits) allow.
        limit: u64,
    },
    /// The file has no such array.
    #[error("no {} in the file; it has {}", Shown(key), Names(available))]
    NoSuchKey {
        /// The name asked for.
        key: String,
        /// The names there are.
        available: Vec<String>,
    },
    /// The file has several arrays and none was named.
    #[error("the file has {} arrays, name one: {}", available.len(), Names(available))]
    KeyNeeded {
        /// The names there are.
        available: Vec<String>,
    },
    /// The file has one array without a name, and a name was given.
    #[error("a {format} file has one array without a name, so {} cannot be picked", Shown(key))]
    KeyUnused {
        /// The file's format.
        format: &'static str,
        /// The name asked for.
        key: String,
    },
    /// A field of a table.
    #[error("line {line}, column {column}: {problem}")]
    Field {
        /// The line, from 1.
        line: u64,
        /// The column, from 1.
        column: u64,
        /// What was found and expected.
        problem: String,
    },
    /// The format cannot hold the array.
    #[error("{format} holds {holds}; {found}")]
    Unwritable {
        /// The format.
        format: &'static str,
        /// What it holds.
        holds: &'static str,
        /// What was to be written.
        found: String,
    },
}

impl Fault {
    pub(crate) fn malformed(what: &'static str, problem: impl Into<String>) -> Fault {
        Fault::Malformed { what, problem: problem.into() }
    }

    pub(crate) fn unwritable(format: &'static str, holds: &'static str, dtype: DType) -> Fault {
        Fault::Unwritable { format, holds, found: format!("the array is {dtype}") }
    }

    pub(crate) fn at(self, path: &Path, entry: Option<&str>) -> IoError {
        IoError { path: path.into(), entry: entry.map(Into::into), fault: self }
    }
}

impl From<io::Error> for Fault {
    fn from(source: io::Error) -> Fault {
        Fault::System(source)
    }
}

impl From<MemError> for Fault {
    fn from(source: MemError) -> Fault {
        Fault::Memory(source)
    }
}

impl From<ArrayError> for Fault {
    fn from(source: ArrayError) -> Fault {
        Fault::Array(source)
    }
}

impl From<OpsError> for Fault {
    fn from(source: OpsError) -> Fault {
        Fault::Ops(source)
    }
}

impl From<BytesError> for Fault {
    fn from(e: BytesError) -> Fault {
        match e {
            BytesError::Array(source) => Fault::Array(source),
            BytesError::Memory(source) => Fault::Memory(source),
            BytesError::NotBool { at, byte } => Fault::NotBool { at, byte },
            other => Fault::malformed("array", other.to_string()),
        }
    }
}

/// Text out of a file, quoted, cut, and without line breaks.
pub(crate) struct Shown<'a>(pub(crate) &'a str);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "'{}'", cut(self.0))
    }
}

/// Text out of a file, without line breaks and not too long.
pub(crate) fn cut(text: &str) -> String {
    const MOST: usize = 60;
    let mut cut = String::new();
    for (i, c) in text.chars().enumerate() {
        match c {
            _ if i == MOST => return cut + "...",
            '\'' | '"' => cut.push(c),
            _ => cut.extend(c.escape_debug()),
        }
    }
    cut
}

/// Names, the first few of them.
struct Names<'a>(&'a [String]);

impl fmt::Display for Names<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const MOST: usize = 12;
        if self.0.is_empty() {
            return f.write_str("no names");
        }
        for (i, name) in self.0.iter().take(MOST).enumerate() {
            write!(f, "{}{}", if i == 0 { "" } else { ", " }, Shown(name))?;
        }
        if self.0.len() > MOST { write!(f, " and {} more", self.0.len() - MOST) } else { Ok(()) }
    }
}

fn escaped(path: &Path) -> String {
    let plain = path.display().to_string();
    if plain.contains(char::is_control) { plain.escape_debug().to_string() } else { plain }
}

fn starts(found: &[u8]) -> String {
    if found.is_empty() {
        String::new()
    } else {
        format!(", and it starts with {}", Shown(&String::from_utf8_lossy(found)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_line_whatever_the_file_holds() {
        let key = format!("a\nb\u{1b}[2J{}", "x".repeat(1000));
        let e = Fault::NoSuchKey { key, available: vec!["c\rd".into(); 40] }.at(Path::new("dir/f\n.npz"), Some("e\n"));
        let text = e.to_string();
        assert!(!text.contains(char::is_control) && text.len() < 400, "{text}");
        assert!(text.starts_with("dir/f\\n.npz:'e\\n': no 'a\\nb"), "{text}");
        assert!(text.ends_with("and 28 more"), "{text}");
    }
}
