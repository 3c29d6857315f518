//! Ends runs from another thread: `freelane.Cancel`.
use freelane::graph;
use pyo3::prelude::*;

/// Ends the runs it was given to: session.run(inputs, cancel=cancel) raises CancelledError soon after another thread has
/// called cancel.cancel().
///
/// >>> cancel = freelane.Cancel()
/// >>> cancel.cancel()
/// >>> cancel.cancelled
/// True
#[pyclass(name = "Cancel", module = "freelane", frozen)]
#[derive(Default)]
pub(crate) struct Cancel(pub(crate) graph::Cancel);

#[pymethods]
impl Cancel {
    #[new]
    fn new() -> Cancel {
        Cancel::default()
    }

    /// Ends the runs that were given this, before their next node.
    fn cancel(&self) {
        self.0.cancel();
    }

    /// Lets runs go on again.
    fn reset(&self) {
        self.0.reset();
    }

    /// Whether it has been called.
    #[getter]
    fn cancelled(&self) -> bool {
        self.0.is_cancelled()
    }
}
