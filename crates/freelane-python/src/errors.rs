//! Errors of the crates as the exceptions that NumPy's users expect.
use freelane::graph::GraphError;
use freelane::mem::MemError;
use freelane::onnx::{self, OnnxError};
use freelane::{ArrayError, OpsError, PoolError};
use pyo3::exceptions as exc;
use pyo3::prelude::*;

/// An error of any crate below.
pub enum Failure {
    /// An operation's.
    Ops(OpsError),
    /// A description's.
    Array(ArrayError),
    /// The memory runtime's.
    Memory(MemError),
    /// The pool's.
    Pool(PoolError),
    /// A graph's.
    Graph(GraphError),
    /// A model's.
    Onnx(OnnxError),
}

macro_rules! from {
    ($($error:ty => $variant:ident),*) => { $(impl From<$error> for Failure { fn from(e: $error) -> Failure { Failure::$variant(e) } })* };
}
from!(OpsError => Ops, ArrayError => Array, MemError => Memory, PoolError => Pool, GraphError => Graph, OnnxError => Onnx);

/// The exception for an error.
#[cold]
pub fn to_py(error: impl Into<Failure>) -> PyErr {
    match error.into() {
        Failure::Ops(e) => of_ops(&e, e.to_string()),
        Failure::Array(e) => of_array(&e, e.to_string()),
        Failure::Memory(e) => of_memory(&e, e.to_string()),
        Failure::Pool(e) => exc::PyValueError::new_err(e.to_string()),
        Failure::Graph(e) => of_graph(e.cause(), e.to_string()),
        Failure::Onnx(e) => of_onnx(&e),
    }
}

pub(crate) fn of_graph(cause: &GraphError, message: String) -> PyErr {
    match cause {
        GraphError::Ops(e) => of_ops(e, message),
        GraphError::Array(e) => of_array(e, message),
        GraphError::Memory(e) => of_memory(e, message),
        GraphError::Deadline => exc::PyTimeoutError::new_err(message),
        GraphError::Cancelled => of_class("CancelledError", message),
        GraphError::Unsupported(_) => exc::PyNotImplementedError::new_err(message),
        _ => exc::PyValueError::new_err(message),
    }
}

fn of_onnx(e: &OnnxError) -> PyErr {
    match &*e.fault {
        onnx::Fault::System(source) => std::io::Error::new(source.kind(), e.to_string()).into(),
        onnx::Fault::Memory(source) => of_memory(source, e.to_string()),
        onnx::Fault::Graph(source) => of_graph(source.cause(), e.to_string()),
        onnx::Fault::Ops(source) => of_ops(source, e.to_string()),
        onnx::Fault::Array(source) => of_array(source, e.to_string()),
        onnx::Fault::Unsupported(_) | onnx::Fault::UnsupportedDataType(_) => {
            exc::PyNotImplementedError::new_err(e.to_string())
        }
        _ => exc::PyValueError::new_err(e.to_string()),
    }
}

fn of_ops(e: &OpsError, message: String) -> PyErr {
    match e {
        OpsError::Array { source, .. } => of_array(source, message),
        OpsError::Memory { source, .. } => of_memory(source, message),
        OpsError::DType { .. } | OpsError::Output { .. } => exc::PyTypeError::new_err(message),
        OpsError::Interrupted { .. } => interrupted(message),
        OpsError::LinAlg { .. } => of_class("LinAlgError", message),
        OpsError::ScalarRange { .. } => exc::PyOverflowError::new_err(message),
        _ => exc::PyValueError::new_err(message),
    }
}

/// The exception that a signal handler raised while the operation ran.
fn interrupted(message: String) -> PyErr {
    Python::attach(PyErr::take).unwrap_or_else(|| exc::PyKeyboardInterrupt::new_err(message))
}

fn of_array(e: &ArrayError, message: String) -> PyErr {
    match e {
        ArrayError::IndexOutOfRange { .. }
        | ArrayError::TooManyIndices { .. }
        | ArrayError::TwoEllipses
        | ArrayError::MaskMismatch { .. }
        | ArrayError::IndexMismatch { .. } => exc::PyIndexError::new_err(message),
        ArrayError::DTypeMismatch { .. } => exc::PyTypeError::new_err(message),
        ArrayError::BadAxis { .. } => of_class("AxisError", message),
        _ => exc::PyValueError::new_err(message),
    }
}

/// A class of `freelane._errors`.
pub(crate) fn of_class(name: &str, message: String) -> PyErr {
    fn class<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        py.import("freelane._errors")?.getattr(name)
    }
    Python::attach(|py| class(py, name)?.call1((message,)).map(PyErr::from_value)).unwrap_or_else(|failure| failure)
}

fn of_memory(e: &MemError, message: String) -> PyErr {
    match e {
        MemError::BadAlignment { .. } => exc::PyValueError::new_err(message),
        _ => exc::PyMemoryError::new_err(message),
    }
}

/// Two threads met at one array.
#[cold]
pub(crate) fn in_use(verb: &str) -> PyErr {
    exc::PyRuntimeError::new_err(format!(
        "the array cannot be {verb}: another thread is using it; give each thread its own array, or freelane.share(x) one \
         that all only read"
    ))
}

/// Drops an error that was looked at. PyO3 would keep it until the next time that it attaches, which raw calls do not make
/// it do.
#[cold]
pub(crate) fn discard(py: Python<'_>, error: PyErr) {
    error.restore(py);
    // SAFETY: attached.
    unsafe { pyo3::ffi::PyErr_Clear() };
}

/// Drops what PyO3 keeps because it does not know that the thread is attached: errors that were replaced by others.
#[cold]
pub(crate) fn discard_waiting() {
    Python::attach(|_| ());
}
