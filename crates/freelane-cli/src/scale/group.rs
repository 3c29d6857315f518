//! What is measured side by side.
use anyhow::Result;
use std::path::Path;
use std::sync::Arc;

/// One of the systems' workloads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Workload {
    /// Small arrays allocated and freed in a loop.
    Alloc,
    /// Large temporaries.
    Temporaries,
    /// Functions over arrays.
    Ufunc,
    /// Models that all threads share.
    Session,
    /// All of them.
    All,
}

impl Workload {
    /// The name in tables and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Workload::Alloc => "alloc",
            Workload::Temporaries => "temporaries",
            Workload::Ufunc => "ufunc",
            Workload::Session => "session",
            Workload::All => "all",
        }
    }

    /// The groups of this workload, of size `n` only if one is given; those of sessions with a model of the user's.
    ///
    /// # Errors
    /// When a model cannot be loaded.
    pub fn groups(self, n: Option<usize>, model: Option<&Path>) -> Result<Vec<Group>> {
        let mut groups = match self {
            Workload::Alloc => super::alloc::groups(),
            Workload::Temporaries => super::temporaries::groups(),
            Workload::Ufunc => super::ufunc::groups(),
            Workload::Session => super::session::groups(model)?,
            Workload::All => {
                let all = [Workload::Alloc, Workload::Temporaries, Workload::Ufunc, Workload::Session];
                all.into_iter()
                    .map(|w| w.groups(None, model))
                    .collect::<Result<Vec<_>>>()?
                    .into_iter()
                    .flatten()
                    .collect()
            }
        };
        groups.retain(|group| n.is_none_or(|n| n == group.n));
        Ok(groups)
    }
}

/// A thread's place in a measurement.
#[derive(Clone, Copy, Debug)]
pub struct Seat {
    /// Counted from 0.
    pub thread: usize,
    /// How many there are.
    pub threads: usize,
}

/// Does a number of operations on what one thread owns.
pub type Body = Box<dyn FnMut(u64) -> Result<()>>;
/// Makes a thread's operation, on that thread.
pub type Make = Box<dyn Fn(Seat) -> Result<Body> + Send + Sync>;
/// Makes what the threads of one measurement share, if anything, and from it what makes their operations.
pub type Prepare = Box<dyn Fn(usize) -> Make + Send + Sync>;

/// One way to do the work.
pub struct Side {
    /// Its name; contains "contended" where threads share something.
    pub case: String,
    /// Called with the number of threads.
    pub prepare: Prepare,
    /// Whether this is the plain loop that bounds the others.
    pub is_limit: bool,
}

/// Sides that do the same work and are measured in turns.
pub struct Group {
    /// The workload it belongs to.
    pub workload: Workload,
    /// Elements or bytes of one operation.
    pub n: usize,
    /// What is measured. At most one is the limit.
    pub sides: Vec<Side>,
}

impl Side {
    /// Threads that share nothing: `make` is called on each.
    pub fn alone<M, F>(case: impl Into<String>, make: M) -> Side
    where
        M: Fn() -> Result<F> + Send + Sync + 'static,
        F: FnMut() -> Result<()> + 'static,
    {
        let make = Arc::new(make);
        let prepare = move |_| -> Make {
            let make = Arc::clone(&make);
            Box::new(move |_| make().map(repeated))
        };
        Side { case: case.into(), prepare: Box::new(prepare), is_limit: false }
    }

    /// The plain loop with the same memory traffic.
    pub fn limit<M, F>(case: impl Into<String>, make: M) -> Side
    where
        M: Fn() -> Result<F> + Send + Sync + 'static,
        F: FnMut() -> Result<()> + 'static,
    {
        Side { is_limit: true, ..Side::alone(case, make) }
    }

    /// Threads that share what `share` makes for their number.
    pub fn sharing<S, M, F>(
        case: impl Into<String>,
        share: impl Fn(usize) -> S + Send + Sync + 'static,
        make: M,
    ) -> Side
    where
        S: Send + Sync + 'static,
        M: Fn(Arc<S>, Seat) -> Result<F> + Send + Sync + 'static,
        F: FnMut() -> Result<()> + 'static,
    {
        let make = Arc::new(make);
        let prepare = move |threads| -> Make {
            let (make, shared) = (Arc::clone(&make), Arc::new(share(threads)));
            Box::new(move |seat| make(Arc::clone(&shared), seat).map(repeated))
        };
        Side { case: case.into(), prepare: Box::new(prepare), is_limit: false }
    }
}

fn repeated<F: FnMut() -> Result<()> + 'static>(mut op: F) -> Body {
    Box::new(move |count| {
        for _ in 0..count {
            op()?;
        }
        Ok(())
    })
}
