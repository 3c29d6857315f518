//! What can go wrong with a pool.

use std::io;

/// An error of this crate.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PoolError {
    /// A runtime of no threads, or of absurdly many.
    #[error("a runtime takes 1 to {max} threads, not {threads}")]
    Threads {
        /// What was asked for.
        threads: usize,
        /// The most that is granted.
        max: usize,
    },
    /// The system refused a thread.
    #[error("cannot start worker {worker} of {threads}: {source}")]
    Spawn {
        /// The worker that could not start.
        worker: usize,
        /// How many threads were asked for.
        threads: usize,
        /// The system's reason.
        source: io::Error,
    },
    /// The system refused to bind a thread to a core.
    #[error("cannot pin this thread to core {core}: {source}")]
    Pin {
        /// The core asked for.
        core: usize,
        /// The system's reason.
        source: io::Error,
    },
}
