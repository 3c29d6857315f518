//! A parallel region: one loop, cut into one contiguous part per thread.

use crate::Lane;
use crate::poll::Polls;
use freelane_sync::{Mutex, OnceTable};
use std::any::Any;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::NonNull;

/// The body of a loop: called with the lane it runs on and the task's index.
pub type Body<'a> = &'a (dyn Fn(&Lane, usize) + Sync);

type Payload = Box<dyn Any + Send>;

/// Lives on the caller's stack until all parts have ended.
pub struct Region<'a> {
    body: Body<'a>,
    tasks: usize,
    parts: usize,
    /// The panic of the lowest part so far.
    // LEDGER: the loop's caller; a worker leaves its panic here, so it is taken only when one panics
    panic: Mutex<Option<(usize, Payload)>>,
    /// Set once the loop is interrupted.
    // LEDGER: the loop's caller; workers read it between tasks
    interrupted: OnceTable<()>,
}

impl<'a> Region<'a> {
    pub fn new(body: Body<'a>, tasks: usize, parts: usize) -> Self {
        Self { body, tasks, parts, panic: Mutex::new(None), interrupted: OnceTable::new() }
    }

    /// Runs part `part` on `lane`, up to its first panic, which is kept, or until the loop is interrupted. The caller
    /// asks `polls` between tasks.
    pub fn run(&self, lane: &Lane, part: usize, polls: Option<Polls>) {
        let run = || {
            for (done, task) in range(self.tasks, self.parts, part).enumerate() {
                if polls.is_some_and(|polls| polls.interrupt(done)) {
                    self.interrupted.get_or_init(|| ());
                }
                if self.is_interrupted() {
                    return;
                }
                (self.body)(lane, task);
            }
        };
        if let Err(payload) = catch_unwind(AssertUnwindSafe(run)) {
            self.keep(part, payload);
        }
    }

    /// Parts hold ascending tasks and each stops at its first panic, so the lowest part's is the one that a loop on
    /// one thread would have met.
    #[cold]
    fn keep(&self, part: usize, payload: Payload) {
        let mut kept = self.panic.lock();
        let lowest = kept.as_ref().is_none_or(|&(lowest, _)| part < lowest);
        let other = if lowest { kept.replace((part, payload)) } else { Some((part, payload)) };
        // A payload may panic as it is dropped, and nothing may unwind before all parts have ended: it is leaked.
        std::mem::forget(other);
    }

    pub fn is_interrupted(&self) -> bool {
        self.interrupted.get().is_some()
    }

    pub fn into_panic(self) -> Option<Payload> {
        self.panic.into_inner().map(|(_, payload)| payload)
    }
}

/// Part `part` of `parts`: sizes differ by one at most, the larger come first.
fn range(tasks: usize, parts: usize, part: usize) -> Range<usize> {
    let (each, more) = (tasks / parts, tasks % parts);
    let start = |part| each * part + more.min(part);
    start(part)..start(part + 1)
}

/// One part of a region, as handed to a worker.
pub struct Part {
    region: NonNull<Region<'static>>,
    part: usize,
}

// SAFETY: `Part::new` obliges the maker to keep the region alive; a region is shared by its `Sync` body and its mutex.
unsafe impl Send for Part {}

impl Part {
    /// # Safety
    /// The region must stay alive, and be used by reference only, until the part has run or was dropped unrun.
    pub unsafe fn new(region: &Region<'_>, part: usize) -> Self {
        Self { region: NonNull::from(region).cast(), part }
    }

    pub fn run(self, lane: &Lane, polls: Option<Polls>) {
        // SAFETY: by the promise made to `Part::new` the region is alive until this returns.
        let region = unsafe { self.region.as_ref() };
        region.run(lane, self.part, polls);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_contiguous_even_and_complete() {
        for (tasks, parts) in [(0, 1), (1, 4), (7, 3), (8, 4), (1_000_001, 16), (usize::MAX, 1024)] {
            let mut next = 0;
            for part in 0..parts {
                let range = range(tasks, parts, part);
                assert_eq!(range.start, next);
                assert!(range.len() == tasks / parts || range.len() == tasks / parts + 1);
                next = range.end;
            }
            assert_eq!(next, tasks);
        }
    }
}
