//! What one thread owns.

use crate::Runtime;
use freelane_sync::{lane_index, lane_local, on_thread_exit};
use std::cell::Cell;
use std::marker::PhantomData;
use std::ptr;

/// Estimated serial time from which a loop is split. A worker that sleeps takes 15 to 20 us to wake, so that less work
/// than this is done before help arrives (bench `par_for`).
pub const SPLIT_NS: u64 = 20_000;

lane_local! {
    // LEDGER: its thread; the lane found again at each call
    static LANE: Cell<*const Lane> = Cell::new(ptr::null());
}

/// What the calling thread owns: its heap, its scratch memory, its index, and the runtime in scope.
///
/// A lane stays on its thread: it is neither `Send` nor `Sync`.
///
/// ```compile_fail
/// fn send<T: Send>(_: T) {}
/// freelane_pool::Lane::with(|lane| send(lane));
/// ```
pub struct Lane {
    index: usize,
    runtime: Cell<*const Runtime>,
    stays_here: PhantomData<*mut ()>,
}

impl Lane {
    /// Calls `f` with the calling thread's lane. May be nested; costs a load and a comparison.
    #[inline]
    pub fn with<R>(f: impl FnOnce(&Lane) -> R) -> R {
        let mut lane = LANE.with(Cell::get);
        if lane.is_null() {
            lane = create();
        }
        // SAFETY: the lane lives until its thread's exit hooks run, and no frame of `f` is left then.
        f(unsafe { &*lane })
    }

    /// A small number, unique among living lanes, reused after the thread ends.
    #[inline]
    pub fn index(&self) -> usize {
        self.index
    }

    /// How many threads a loop may split over: 1 unless a runtime is in scope.
    #[inline]
    pub fn threads(&self) -> usize {
        self.runtime().map_or(1, Runtime::threads)
    }

    /// Runs `f(lane, task)` for every task in `0..tasks` and returns when all have ended.
    ///
    /// The loop is split, each thread of the runtime in scope taking one contiguous part, if its workers are free and
    /// `cost_ns`, the estimated time of all tasks on one thread, is at least [`SPLIT_NS`]; else it runs here, in order.
    /// `f` gets the lane it runs on. What a task writes must depend on the task's index alone, so that the results do
    /// not depend on which of the two happened.
    ///
    /// # Panics
    /// If a task panics, with the panic of the lowest such task, once all running tasks have ended; tasks after it may
    /// or may not have run. The runtime stays usable.
    #[inline]
    pub fn par_for(&self, tasks: usize, cost_ns: u64, f: &(dyn Fn(&Lane, usize) + Sync)) {
        if tasks > 1 && cost_ns >= SPLIT_NS && self.runtime().is_some_and(|runtime| runtime.try_run(self, tasks, f)) {
            return;
        }
        (0..tasks).for_each(|task| f(self, task));
    }

    pub(crate) fn in_scope_of<R>(&self, runtime: &Runtime, f: impl FnOnce() -> R) -> R {
        struct Restore<'a>(&'a Cell<*const Runtime>, *const Runtime);
        impl Drop for Restore<'_> {
            fn drop(&mut self) {
                self.0.set(self.1);
            }
        }
        let _restore = Restore(&self.runtime, self.runtime.replace(runtime));
        f()
    }

    #[inline]
    fn runtime(&self) -> Option<&Runtime> {
        // SAFETY: `in_scope_of` borrows the runtime for as long as its pointer stands here.
        unsafe { self.runtime.get().as_ref() }
    }
}

#[cold]
fn create() -> *const Lane {
    let lane = Lane { index: lane_index(), runtime: Cell::new(ptr::null()), stays_here: PhantomData };
    let lane = Box::into_raw(Box::new(lane));
    LANE.with(|place| place.set(lane));
    on_thread_exit(destroy);
    lane
}

fn destroy() {
    let lane = LANE.with(|place| place.replace(ptr::null()));
    // SAFETY: `create` leaked the box on this thread and registered this hook once for it.
    drop(unsafe { Box::from_raw(lane.cast_mut()) });
}
