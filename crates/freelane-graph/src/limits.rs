//! When a run has to end.
use crate::GraphError;
use freelane_ops::OpsError;
use freelane_sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Cancels runs from another thread.
///
/// ```
/// let cancel = freelane_graph::Cancel::default();
/// cancel.cancel();
/// assert!(cancel.is_cancelled());
/// ```
#[derive(Debug, Default)]
pub struct Cancel {
    // LEDGER: whoever cancels a run; read between nodes by runs that were given it, written once
    flag: AtomicBool,
}

impl Cancel {
    /// Ends the runs that were given this, before their next node.
    pub fn cancel(&self) {
        self.flag.store(true, Ordering::Release);
    }

    /// Whether it has been called.
    pub fn is_cancelled(&self) -> bool {
        self.flag.load(Ordering::Acquire)
    }

    /// Lets runs go on again.
    pub fn reset(&self) {
        self.flag.store(false, Ordering::Release);
    }
}

/// Sees a run go on.
pub trait Watch {
    /// A node has run; what it read still lives.
    fn step(&self);
}

/// Nobody watches.
impl Watch for () {
    fn step(&self) {}
}

/// How long a run may go on, and who watches. Asked between nodes; the deadline reaches the loops of nodes too.
#[derive(Clone, Copy, Default)]
pub struct Limits<'a> {
    /// When it must have ended.
    pub deadline: Option<Instant>,
    /// What may cancel it.
    pub cancel: Option<&'a Cancel>,
    /// What sees each node of the run end.
    pub watch: Option<&'a dyn Watch>,
}

impl Limits<'_> {
    /// What ended a run: the limit, where an operation was interrupted for it.
    pub(crate) fn blame(&self, error: GraphError) -> GraphError {
        match error {
            GraphError::Ops(OpsError::Interrupted { .. }) => self.check().err().unwrap_or(error),
            other => other,
        }
    }

    /// Whether nothing ends a run early, and nobody watches it.
    #[inline]
    pub(crate) fn are_none(&self) -> bool {
        self.deadline.is_none() && self.cancel.is_none() && self.watch.is_none()
    }

    /// # Errors
    /// When the run is to end.
    #[inline]
    pub fn check(&self) -> Result<(), GraphError> {
        if self.cancel.is_some_and(Cancel::is_cancelled) {
            return Err(GraphError::Cancelled);
        }
        match self.deadline {
            Some(deadline) if Instant::now() > deadline => Err(GraphError::Deadline),
            _ => Ok(()),
        }
    }
}
