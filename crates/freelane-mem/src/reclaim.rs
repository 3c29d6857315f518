//! The reclaim thread: it unmaps and destroys, so that no lane has to wait for it.
//!
//! It starts with the first thing it is given. The bytes that wait for it are bounded: beyond the bound a lane does the work
//! itself, unless it asked not to wait (`Heap::without_waiting`) or its thread is ending; only such lanes can push the backlog
//! past its bound, and `MemStats::backlog_bytes` shows it.

use crate::block::Block;
use crate::chain::Chain;
use crate::limits;
use freelane_sync::atomic::{AtomicUsize, Ordering};
use freelane_sync::{OnceTable, Queue};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

enum Job {
    Unmap(Chain),
    Call(Box<dyn FnOnce() + Send>),
}

struct Work {
    job: Job,
    bytes: usize,
}

pub(crate) struct Reclaimer {
    // LEDGER: the process; reached when memory goes back to the system
    shared: Arc<Shared>,
    // LEDGER: the process; the thread is started once
    started: OnceTable<bool>,
}

struct Shared {
    // LEDGER: the reclaim thread; lanes leave it work
    queue: Queue<Work>,
    // LEDGER: the reclaim thread; bounds what waits for it
    backlog: AtomicUsize,
}

impl Reclaimer {
    pub fn new() -> Reclaimer {
        let shared = Shared { queue: Queue::new(usize::MAX), backlog: AtomicUsize::new(0) };
        Reclaimer { shared: Arc::new(shared), started: OnceTable::new() }
    }

    /// Has a free block given back to the system.
    pub fn give_block(&self, block: Block, may_wait: bool) {
        let bytes = block.bytes();
        let mut chain = Chain::EMPTY;
        chain.push(block);
        if block.size_class().is_mapped() {
            self.give(Work { job: Job::Unmap(chain), bytes }, may_wait);
        } else {
            chain.destroy();
        }
    }

    /// Has `job`, which frees `bytes`, run on the reclaim thread.
    pub fn give_call(&self, bytes: usize, may_wait: bool, job: Box<dyn FnOnce() + Send>) {
        self.give(Work { job: Job::Call(job), bytes }, may_wait);
    }

    fn give(&self, work: Work, may_wait: bool) {
        let bytes = work.bytes;
        if !self.reserve(bytes, may_wait) || !self.start() {
            work.job.run();
        } else if let Err(refused) = self.shared.queue.try_push(work) {
            refused.into_item().job.run();
            self.shared.backlog.fetch_sub(bytes, Ordering::Relaxed);
        }
    }

    /// Relaxed: the number bounds how much waits, it orders nothing.
    fn reserve(&self, bytes: usize, may_wait: bool) -> bool {
        let before = self.shared.backlog.fetch_add(bytes, Ordering::Relaxed);
        let fits = before.saturating_add(bytes) <= limits::reclaim_backlog() || !may_wait;
        if !fits {
            self.shared.backlog.fetch_sub(bytes, Ordering::Relaxed);
        }
        fits
    }

    fn start(&self) -> bool {
        *self.started.get_or_init(|| {
            let shared = self.shared.clone();
            let thread = std::thread::Builder::new().name("freelane-reclaim".into());
            thread.spawn(move || while shared.queue.pop().map(|work| shared.finish(work)).is_some() {}).is_ok()
        })
    }

    /// Does what waits, on this thread; returns the bytes.
    pub fn help(&self) -> usize {
        let waiting = std::iter::from_fn(|| self.shared.queue.try_pop());
        waiting.map(|work| self.shared.finish(work)).sum()
    }

    /// The bytes that wait.
    pub fn backlog(&self) -> usize {
        self.shared.backlog.load(Ordering::Relaxed)
    }
}

impl Shared {
    fn finish(&self, work: Work) -> usize {
        // A destructor that panics has printed its message and ends there.
        let _ = catch_unwind(AssertUnwindSafe(|| work.job.run()));
        self.backlog.fetch_sub(work.bytes, Ordering::Relaxed);
        work.bytes
    }
}

impl Job {
    fn run(self) {
        match self {
            Job::Unmap(chain) => drop(chain.destroy()),
            Job::Call(call) => call(),
        }
    }
}
