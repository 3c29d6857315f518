//! What is wrong with an expression, and where.
use freelane::{DType, OpsError};

/// A fault in an expression, with its column.
#[derive(Debug, thiserror::Error)]
#[error("column {column}: {problem}")]
pub struct ExprError {
    /// Counted in characters from 1.
    pub column: usize,
    /// The fault.
    pub problem: Problem,
}

/// The kinds of faults.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// Not a sentence of the language.
    #[error("{0}")]
    Syntax(String),
    /// More text, nesting or operators than is read.
    #[error("the expression has more than {limit} {what}")]
    TooLarge {
        /// What there is too much of.
        what: &'static str,
        /// How much is read.
        limit: usize,
    },
    /// A name that nothing has.
    #[error("unknown name '{name}'{}", hint(suggestion))]
    UnknownName {
        /// The name.
        name: String,
        /// The nearest name that exists.
        suggestion: Option<String>,
    },
    /// An attribute or method that values do not have.
    #[error("{of} has no attribute '{name}'{}", hint(suggestion))]
    UnknownAttribute {
        /// What kind of value was asked.
        of: String,
        /// The attribute.
        name: String,
        /// The nearest one that exists.
        suggestion: Option<String>,
    },
    /// A value used as what it is not.
    #[error("{0}")]
    Misuse(String),
    /// An array of something else than positions and truths as an index.
    #[error("selecting by an array of {0}: positions are integers, masks are booleans")]
    ArrayIndex(DType),
    /// An operation said no.
    #[error("{0}")]
    Ops(#[from] OpsError),
}

fn hint(suggestion: &Option<String>) -> String {
    suggestion.as_ref().map_or_else(String::new, |name| format!("; did you mean '{name}'?"))
}

impl Problem {
    /// The fault at a column.
    pub fn at(self, column: usize) -> ExprError {
        ExprError { column, problem: self }
    }

    /// Text that is not of the language.
    pub fn syntax(what: impl Into<String>) -> Problem {
        Problem::Syntax(what.into())
    }

    /// A value used as what it is not.
    pub fn misuse(what: impl Into<String>) -> Problem {
        Problem::Misuse(what.into())
    }
}
