//! What can go wrong in an operation, with the operation's name.
use freelane_array::{ArrayError, DType};
use freelane_mem::MemError;
use freelane_pool::Interrupted;

/// An operation that could not be carried out.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpsError {
    /// Shapes, axes or indices do not fit.
    #[error("{op}: {source}")]
    Array {
        /// The operation.
        op: &'static str,
        /// What does not fit.
        source: ArrayError,
    },
    /// The operation has no loop for these element types.
    #[error("{op}: not defined for {}; it takes {supported}", list(found))]
    DType {
        /// The operation.
        op: &'static str,
        /// The element types of the operands.
        found: Vec<DType>,
        /// The element types that the operation takes.
        supported: String,
    },
    /// The result has a type that the output cannot hold.
    #[error(
        "{op}: the result is {result} and cannot be written to an output of {out}; give an output of {result} or convert the operands with astype"
    )]
    Output {
        /// The operation.
        op: &'static str,
        /// Type of the result.
        result: DType,
        /// Type of the output array.
        out: DType,
    },
    /// The output has another shape than the result.
    #[error("{op}: the result has shape {expected:?}, the output {found:?}")]
    OutputShape {
        /// The operation.
        op: &'static str,
        /// Shape of the result.
        expected: Vec<usize>,
        /// Shape of the output array.
        found: Vec<usize>,
    },
    /// A scalar that does not fit the type it is used with.
    #[error("{op}: {value} is out of range for {dtype}")]
    ScalarRange {
        /// The operation.
        op: &'static str,
        /// The value as written.
        value: String,
        /// The type it should have.
        dtype: DType,
    },
    /// An argument with a wrong value.
    #[error("{op}: {message}")]
    Argument {
        /// The operation.
        op: &'static str,
        /// What was found and what was expected.
        message: String,
    },
    /// Matrices for which the operation has no result: not square, or singular.
    #[error("{op}: {message}")]
    LinAlg {
        /// The operation.
        op: &'static str,
        /// What is wrong with the matrix.
        message: String,
    },
    /// Memory could not be had.
    #[error("{op}: {source}")]
    Memory {
        /// The operation.
        op: &'static str,
        /// What the memory runtime says.
        source: MemError,
    },
    /// A registry has a function of this name already.
    #[error("{op}: there is a function of this name already")]
    NameTaken {
        /// The name.
        op: &'static str,
    },
    /// A closure of the program panicked. An output that was handed in is half written.
    #[error("{op}: panicked: {message}")]
    Panicked {
        /// The operation.
        op: &'static str,
        /// What the panic says.
        message: String,
    },
    /// The calling thread's poll asked to stop. An output that was handed in is half written.
    #[error("{op}: interrupted")]
    Interrupted {
        /// The operation.
        op: &'static str,
    },
}

fn list(dtypes: &[DType]) -> String {
    dtypes.iter().map(|d| d.name()).collect::<Vec<_>>().join(" and ")
}

impl OpsError {
    /// An argument error.
    pub fn argument(op: &'static str, message: impl Into<String>) -> OpsError {
        OpsError::Argument { op, message: message.into() }
    }

    /// The error with another operation's name: of the one that the user called.
    #[must_use]
    pub fn of(mut self, name: &'static str) -> OpsError {
        match &mut self {
            OpsError::Array { op, .. }
            | OpsError::DType { op, .. }
            | OpsError::Output { op, .. }
            | OpsError::OutputShape { op, .. }
            | OpsError::ScalarRange { op, .. }
            | OpsError::Argument { op, .. }
            | OpsError::LinAlg { op, .. }
            | OpsError::Memory { op, .. }
            | OpsError::Panicked { op, .. }
            | OpsError::NameTaken { op }
            | OpsError::Interrupted { op } => *op = name,
        }
        self
    }
}

/// Names the operation in which an error of a lower layer arose.
pub trait InOp<T> {
    /// Adds the operation's name.
    fn in_op(self, op: &'static str) -> Result<T, OpsError>;
}

impl<T> InOp<T> for Result<T, ArrayError> {
    #[inline]
    fn in_op(self, op: &'static str) -> Result<T, OpsError> {
        self.map_err(|source| OpsError::Array { op, source })
    }
}

impl<T> InOp<T> for Result<T, MemError> {
    #[inline]
    fn in_op(self, op: &'static str) -> Result<T, OpsError> {
        self.map_err(|source| OpsError::Memory { op, source })
    }
}

impl<T> InOp<T> for Result<T, Interrupted> {
    #[inline]
    fn in_op(self, op: &'static str) -> Result<T, OpsError> {
        self.map_err(|Interrupted| OpsError::Interrupted { op })
    }
}
