//! What can go wrong when a graph is made or run.
use freelane_array::ArrayError;
use freelane_mem::MemError;
use freelane_ops::OpsError;

/// A graph that cannot be made, or a run that failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GraphError {
    /// An operation of arrays failed.
    #[error("{0}")]
    Ops(#[from] OpsError),
    /// Shapes do not fit.
    #[error("{0}")]
    Array(#[from] ArrayError),
    /// Memory could not be had.
    #[error("{0}")]
    Memory(#[from] MemError),
    /// An argument or attribute with a wrong value: what was found and what was expected.
    #[error("{0}")]
    Invalid(String),
    /// Something that is defined but not supported: what, and the nearest that is.
    #[error("{0}")]
    Unsupported(String),
    /// An input of a run is missing, unknown, or not what the graph says.
    #[error("input {name}: {message}")]
    Input {
        /// The input.
        name: String,
        /// What was expected and what was found.
        message: String,
    },
    /// A node failed.
    #[error("{}", at(node, op, source))]
    Node {
        /// The node's name; empty if it has none.
        node: String,
        /// Its operator.
        op: String,
        /// What failed.
        #[source]
        source: Box<GraphError>,
    },
    /// The run took longer than it may.
    #[error("the deadline has passed")]
    Deadline,
    /// The run was cancelled.
    #[error("cancelled")]
    Cancelled,
}

/// The node, its operator unless the cause names it, and the cause.
fn at(node: &str, op: &str, source: &GraphError) -> String {
    let place = if node.is_empty() { String::new() } else { format!("node {node}: ") };
    let cause = source.to_string();
    let named = cause.strip_prefix(op).is_some_and(|rest| rest.starts_with(':'));
    if named { format!("{place}{cause}") } else { format!("{place}{op}: {cause}") }
}

impl GraphError {
    /// A wrong argument or attribute.
    pub fn invalid(message: impl Into<String>) -> GraphError {
        GraphError::Invalid(message.into())
    }

    /// Something that is not supported.
    pub fn unsupported(message: impl Into<String>) -> GraphError {
        GraphError::Unsupported(message.into())
    }

    /// The error, with the node it comes from.
    #[must_use]
    pub fn at(self, node: &str, op: &str) -> GraphError {
        GraphError::Node { node: node.to_owned(), op: op.to_owned(), source: Box::new(self) }
    }

    /// The cause, without the nodes around it.
    pub fn cause(&self) -> &GraphError {
        match self {
            GraphError::Node { source, .. } => source.cause(),
            other => other,
        }
    }
}
