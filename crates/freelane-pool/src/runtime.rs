//! The handle that owns a set of workers.

use crate::poll::{Interrupted, Polls};
use crate::region::Body;
use crate::team::Team;
use crate::{Lane, PoolError, allowed_cores, sizing};
use freelane_sync::Mutex;
use std::fmt;

/// The most threads a runtime takes.
pub const MAX_THREADS: usize = 1024;

/// A fixed set of workers, for loops run while it is [installed](Self::install).
///
/// Any number of threads may share one. A loop that finds the workers busy runs on its caller, so nothing waits for
/// anybody else's loop, nested loops included. In a forked child the workers are started anew at the first loop; where
/// the parent's other threads were using them at the moment of the fork, loops in the child run on their callers.
///
/// Dropping the runtime ends and joins its workers.
pub struct Runtime {
    threads: usize,
    cores: Box<[usize]>,
    // LEDGER: the runtime; one loop at a time takes the workers, all others run on their callers
    team: Mutex<Team>,
}

impl Runtime {
    /// A runtime of `threads` threads, the calling one included: it starts `threads - 1` workers.
    pub fn new(threads: usize) -> Result<Runtime, PoolError> {
        Self::builder(threads).build()
    }

    /// As [`new`](Self::new), with options.
    pub fn builder(threads: usize) -> RuntimeBuilder {
        RuntimeBuilder { threads, pinned: false }
    }

    /// How many threads make sense here: the cores that affinity and control group quota (rounded down) grant, at most
    /// `FREELANE_NUM_THREADS` and `OMP_NUM_THREADS`, at least 1. Of those variables only the first comma-separated
    /// item counts, and only if it is a whole number of at least 1; anything else is ignored. Reads files: ask once.
    pub fn available() -> usize {
        sizing::available().min(MAX_THREADS)
    }

    /// How many threads the runtime has, the caller of a loop included.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// Calls `f` with the calling thread's lane while this runtime is in scope there: loops inside split over it.
    pub fn install<R>(&self, f: impl FnOnce(&Lane) -> R) -> R {
        Lane::with(|lane| lane.in_scope_of(self, || f(lane)))
    }

    /// Runs the loop on the workers, or returns `None` at once if they are busy.
    pub(crate) fn try_run(
        &self,
        lane: &Lane,
        tasks: usize,
        body: Body<'_>,
        polls: Option<Polls>,
    ) -> Option<Result<(), Interrupted>> {
        let mut team = self.team.try_lock()?;
        if !team.is_home() {
            team.abandon();
            *team = Team::spawn(self.threads, &self.cores).unwrap_or_else(|_| Team::nobody());
        }
        if team.is_nobody() {
            return None;
        }
        Some(team.run(lane, tasks, body, polls))
    }
}

impl fmt::Debug for Runtime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Runtime").field("threads", &self.threads).field("cores", &self.cores).finish_non_exhaustive()
    }
}

/// Options of a [`Runtime`].
#[derive(Clone, Debug)]
pub struct RuntimeBuilder {
    threads: usize,
    pinned: bool,
}

impl RuntimeBuilder {
    /// Binds each worker to one core of those allowed to the calling thread, from the second on. The first is left to
    /// the caller, which is not bound: pin it with [`pin_to_core`](crate::pin_to_core). For benches and dedicated
    /// machines; on a shared one the system places threads better.
    pub fn pinned(mut self, pinned: bool) -> Self {
        self.pinned = pinned;
        self
    }

    /// Starts the workers.
    pub fn build(self) -> Result<Runtime, PoolError> {
        let threads = self.threads;
        if !(1..=MAX_THREADS).contains(&threads) {
            return Err(PoolError::Threads { threads, max: MAX_THREADS });
        }
        let cores: Box<[usize]> = if self.pinned { allowed_cores().into() } else { Box::default() };
        let team = if threads == 1 { Team::nobody() } else { Team::spawn(threads, &cores)? };
        Ok(Runtime { threads, cores, team: Mutex::new(team) })
    }
}
