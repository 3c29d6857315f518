//! What one thread owns.

use crate::Reserve;
use crate::Runtime;
use crate::poll::{Asked, Interrupted, POLL_NS, Polls};
use crate::reserve::Reserves;
use crate::scopes::Scopes;
use freelane_mem::{BufferMut, DEFAULT_ALIGN, Heap, MemError, ScratchReq, Workspace};
use freelane_sync::{lane_index, lane_local, on_thread_exit};
use std::cell::Cell;
use std::mem::MaybeUninit;
use std::ptr;
use std::sync::Arc;
use std::time::Instant;

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
// Two lines of its own, as `CachePadded`: scratch and scopes write it at every call.
#[repr(align(128))]
pub struct Lane {
    index: usize,
    /// Like the runtimes' pointers, not `Send`: neither is the lane.
    heap: Heap,
    workspace: Workspace,
    scopes: Scopes,
    reserves: Reserves,
    asked: Cell<Asked>,
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

    /// The thread's heap: where new buffers come from.
    #[inline]
    pub fn heap(&self) -> &Heap {
        &self.heap
    }

    /// Calls `f` with uninitialised scratch memory. Calls may be nested: each has memory of its own. The lane keeps
    /// as much as was needed at once, until [`trim`](Self::trim).
    ///
    /// ```
    /// use freelane_mem::ScratchReq;
    /// use freelane_pool::Lane;
    /// let bytes = Lane::with(|lane| lane.scratch(ScratchReq::of::<f64>(100), |scratch| scratch.len()))?;
    /// assert_eq!(bytes, 800);
    /// # Ok::<(), freelane_mem::MemError>(())
    /// ```
    #[inline]
    pub fn scratch<R>(&self, req: ScratchReq, f: impl FnOnce(&mut [MaybeUninit<u8>]) -> R) -> Result<R, MemError> {
        self.workspace.with(req, f)
    }

    /// A new buffer of the default alignment, of which nothing is said: one that is [offered](Reserve::offer)
    /// for as many bytes, else memory of the lane's heap.
    ///
    /// # Errors
    /// When memory cannot be had.
    #[inline]
    pub fn uninit(&self, bytes: usize) -> Result<BufferMut, MemError> {
        match self.reserves.accept(bytes) {
            Some(buffer) => Ok(buffer),
            None => self.heap.uninit(bytes, DEFAULT_ALIGN),
        }
    }

    /// Buffers of at least these sizes, largest first, out of those that the lane keeps for this. Calls may be nested: each
    /// has buffers of its own. Dropping the reserve gives them back.
    ///
    /// ```
    /// use freelane_pool::Lane;
    /// Lane::with(|lane| {
    ///     let mut reserve = lane.reserve(&[1000, 80])?;
    ///     reserve.offer(1, 64);
    ///     let buffer = lane.uninit(64)?;
    ///     assert!(buffer.len() == 64);
    ///     reserve.give(1, buffer);
    ///     Ok(())
    /// })
    /// # .map_err(|e: freelane_mem::MemError| e)?;
    /// # Ok::<(), freelane_mem::MemError>(())
    /// ```
    ///
    /// # Errors
    /// When memory cannot be had.
    pub fn reserve(&self, sizes: &[usize]) -> Result<Reserve<'_>, MemError> {
        Reserve::take(&self.reserves, &self.heap, sizes)
    }

    /// Gives the lane's scratch memory and reserve back to its heap, unless they are in use; returns their bytes.
    pub fn trim(&self) -> usize {
        self.workspace.trim() + self.reserves.trim()
    }

    /// How many threads a loop may split over: 1 unless a runtime is in scope.
    #[inline]
    pub fn threads(&self) -> usize {
        self.scopes.current().map_or(1, Runtime::threads)
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
        if tasks > 1 && cost_ns >= SPLIT_NS && self.split(tasks, f, None).is_some() {
            return;
        }
        (0..tasks).for_each(|task| f(self, task));
    }

    /// As [`par_for`](Self::par_for), for loops that may be interrupted: where a [poll](Self::set_poll) or a
    /// [deadline](Self::until) is set and `cost_ns` is above [`POLL_NS`], it is asked about once every [`POLL_NS`], between
    /// tasks on this thread. Once it says so no further task is begun, on any thread, and those that run end.
    ///
    /// # Errors
    /// When the loop was interrupted: some tasks have not run.
    ///
    /// # Panics
    /// As `par_for`.
    #[inline]
    pub fn try_par_for(
        &self,
        tasks: usize,
        cost_ns: u64,
        f: &(dyn Fn(&Lane, usize) + Sync),
    ) -> Result<(), Interrupted> {
        let asked = self.asked.get();
        if cost_ns > POLL_NS && tasks > 1 && !asked.is_nothing() {
            return self.polled(tasks, cost_ns, f, asked);
        }
        self.par_for(tasks, cost_ns, f);
        Ok(())
    }

    fn polled(
        &self,
        tasks: usize,
        cost_ns: u64,
        f: &(dyn Fn(&Lane, usize) + Sync),
        asked: Asked,
    ) -> Result<(), Interrupted> {
        let polls = Polls::new(asked, tasks, cost_ns);
        if let Some(done) = self.split(tasks, f, Some(polls)) {
            return done;
        }
        (0..tasks).try_for_each(|task| polls.then(task, || f(self, task)))
    }

    /// Runs `f` for every task in `0..tasks` here and in order, and may be interrupted as
    /// [`try_par_for`](Self::try_par_for).
    ///
    /// # Errors
    /// When the loop was interrupted: the last tasks have not run.
    #[inline]
    pub fn try_for(&self, tasks: usize, cost_ns: u64, mut f: impl FnMut(usize)) -> Result<(), Interrupted> {
        let asked = self.asked.get();
        if cost_ns > POLL_NS && !asked.is_nothing() {
            let polls = Polls::new(asked, tasks, cost_ns);
            return (0..tasks).try_for_each(|task| polls.then(task, || f(task)));
        }
        (0..tasks).for_each(f);
        Ok(())
    }

    /// Asks whether to stop: between the steps of what is no loop of [`try_for`](Self::try_for).
    ///
    /// ```
    /// use freelane_pool::{Interrupted, Lane};
    /// Lane::with(|lane| {
    ///     assert_eq!(lane.check(), Ok(()));
    ///     let before = lane.set_poll(Some(|| true));
    ///     assert_eq!(lane.check(), Err(Interrupted));
    ///     lane.set_poll(before);
    /// });
    /// ```
    ///
    /// # Errors
    /// When it is to stop.
    #[inline]
    pub fn check(&self) -> Result<(), Interrupted> {
        if self.asked.get().stops() { Err(Interrupted) } else { Ok(()) }
    }

    /// Into how many tasks a loop of this cost is best cut: one for each thread, or enough to be interrupted in time.
    #[inline]
    pub fn pieces(&self, cost_ns: u64) -> usize {
        let threads = self.threads();
        if cost_ns <= POLL_NS || self.asked.get().is_nothing() {
            return threads;
        }
        threads.max(usize::try_from(cost_ns.div_ceil(POLL_NS)).unwrap_or(usize::MAX))
    }

    /// Sets what [`try_par_for`](Self::try_par_for) asks whether to stop, for loops of this thread; returns what was set
    /// before. It must not panic.
    ///
    /// ```
    /// use freelane_pool::{Interrupted, Lane};
    /// Lane::with(|lane| {
    ///     let before = lane.set_poll(Some(|| true));
    ///     let done = lane.try_par_for(1000, 1_000_000_000, &|_, _| ());
    ///     assert_eq!(done, Err(Interrupted));
    ///     lane.set_poll(before);
    /// });
    /// ```
    pub fn set_poll(&self, poll: Option<fn() -> bool>) -> Option<fn() -> bool> {
        let before = self.asked.get();
        self.asked.set(Asked { poll, ..before });
        before.poll
    }

    /// Calls `f`, whose loops that may be interrupted stop once the deadline has passed, or an earlier one around it.
    ///
    /// ```
    /// use freelane_pool::{Interrupted, Lane};
    /// use std::time::Instant;
    /// Lane::with(|lane| {
    ///     let done = lane.until(Some(Instant::now()), || lane.try_par_for(1000, 1_000_000_000, &|_, _| ()));
    ///     assert_eq!(done, Err(Interrupted));
    /// });
    /// ```
    #[inline]
    pub fn until<R>(&self, deadline: Option<Instant>, f: impl FnOnce() -> R) -> R {
        if deadline.is_none() {
            return f();
        }
        let before = self.asked.get();
        let earlier = before.deadline.into_iter().chain(deadline).min();
        self.asked.set(Asked { deadline: earlier, ..before });
        let _restored = Restored { lane: self, deadline: before.deadline };
        f()
    }

    fn split(
        &self,
        tasks: usize,
        f: &(dyn Fn(&Lane, usize) + Sync),
        polls: Option<Polls>,
    ) -> Option<Result<(), Interrupted>> {
        let runtime = self.scopes.current()?;
        self.scopes.within(runtime, || runtime.try_run(self, tasks, f, polls))
    }

    pub(crate) fn in_scope_of<R>(&self, runtime: &Runtime, f: impl FnOnce() -> R) -> R {
        self.scopes.within(runtime, f)
    }

    /// Puts a runtime in scope on this thread until [`pop_runtime`](Self::pop_runtime), for callers whose scopes are no
    /// closures. Those that are: [`Runtime::install`].
    ///
    /// ```
    /// use freelane_pool::{Lane, Runtime};
    /// use std::sync::Arc;
    /// let runtime = Arc::new(Runtime::new(2)?);
    /// Lane::with(|lane| lane.push_runtime(runtime));
    /// assert_eq!(Lane::with(|lane| lane.threads()), 2);
    /// Lane::with(|lane| lane.pop_runtime());
    /// assert_eq!(Lane::with(|lane| lane.threads()), 1);
    /// # Ok::<(), freelane_pool::PoolError>(())
    /// ```
    pub fn push_runtime(&self, runtime: Arc<Runtime>) {
        self.scopes.open(runtime);
    }

    /// Ends the scope of the runtime that was pushed last, and gives that back. `None`, and nothing changes, if none is
    /// pushed, or none since the innermost [`Runtime::install`] or running loop began on this thread: those end what was
    /// pushed inside of them when they end.
    pub fn pop_runtime(&self) -> Option<Arc<Runtime>> {
        self.scopes.close()
    }
}

/// Sets a deadline again when it is dropped, after a panic too.
struct Restored<'l> {
    lane: &'l Lane,
    deadline: Option<Instant>,
}

impl Drop for Restored<'_> {
    fn drop(&mut self) {
        let asked = self.lane.asked.get();
        self.lane.asked.set(Asked { deadline: self.deadline, ..asked });
    }
}

#[cold]
fn create() -> *const Lane {
    let (heap, workspace) = (Heap::current(), Workspace::new());
    let lane = Lane {
        index: lane_index(),
        heap,
        workspace,
        scopes: Scopes::new(),
        reserves: Reserves::default(),
        asked: Cell::default(),
    };
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lane_is_the_same_for_the_whole_thread() {
        let here = Lane::with(|outer| Lane::with(|inner| ptr::eq(outer, inner).then_some(outer.index()))).unwrap();
        assert_eq!(here, Lane::with(Lane::index));
        assert_ne!(here, std::thread::spawn(|| Lane::with(Lane::index)).join().unwrap());
    }

    #[test]
    fn lanes_share_no_cache_line() {
        assert_eq!((align_of::<Lane>(), size_of::<Lane>() % 128), (128, 0));
    }

    #[test]
    fn nested_scratch_is_disjoint_and_survives_the_inner_call() {
        let nested = Lane::with(|lane| {
            lane.scratch(ScratchReq::of::<u64>(1000), |outer| {
                outer.fill(MaybeUninit::new(1));
                Lane::with(|lane| lane.scratch(ScratchReq::of::<u64>(5000), |inner| inner.fill(MaybeUninit::new(2))))?;
                // SAFETY: filled above.
                Ok::<_, MemError>(outer.iter().all(|byte| unsafe { byte.assume_init() } == 1))
            })
        });
        assert!(nested.unwrap().unwrap());
        assert!(Lane::with(Lane::trim) >= 48_000);
    }

    #[test]
    fn impossible_scratch_is_an_error() {
        for bytes in [usize::MAX, 1 << 60] {
            assert!(Lane::with(|lane| lane.scratch(ScratchReq::new(bytes, 64), |_| ())).is_err());
        }
    }

    #[test]
    #[allow(clippy::disallowed_types, reason = "a foreign thread-local, with a destructor")]
    fn a_lane_may_be_used_while_its_thread_ends() {
        struct Late;
        impl Drop for Late {
            fn drop(&mut self) {
                let wrote = Lane::with(|lane| lane.scratch(ScratchReq::of::<u8>(100), |scratch| scratch.len()));
                assert_eq!(wrote.unwrap(), 100);
            }
        }
        let late = std::thread::spawn(|| {
            std::thread_local! { static LATE: Late = const { Late } }
            LATE.with(|_| Lane::with(|lane| lane.scratch(ScratchReq::of::<u8>(10), |_| ()))).unwrap();
        });
        late.join().unwrap();
    }
}
