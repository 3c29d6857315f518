//! Which runtime is in scope on a lane.
//!
//! Two kinds of scope nest in any order: those of a closure, which borrow their runtime, and those that are opened and
//! closed by two calls, which share it. A closure's scope closes what was opened inside of it and is left open, and
//! nothing inside of it closes what was opened before.

use crate::Runtime;
use std::cell::{Cell, RefCell};
use std::ptr;
use std::sync::Arc;

pub struct Scopes {
    /// What is in scope; null without a runtime. It lives: a closure's scope borrows it or `opened` holds it.
    current: Cell<*const Runtime>,
    opened: RefCell<Vec<Opened>>,
    /// How many of `opened` are older than the innermost closure, which stay.
    held: Cell<usize>,
}

struct Opened {
    runtime: Arc<Runtime>,
    /// What was in scope before.
    outer: *const Runtime,
}

impl Scopes {
    pub const fn new() -> Scopes {
        Scopes { current: Cell::new(ptr::null()), opened: RefCell::new(Vec::new()), held: Cell::new(0) }
    }

    #[inline]
    pub fn current(&self) -> Option<&Runtime> {
        // SAFETY: what stands here is borrowed by the `within` that put it there, or held by `opened`; what `opened`
        // held before the innermost `within` began is not taken out until that ends.
        unsafe { self.current.get().as_ref() }
    }

    pub fn open(&self, runtime: Arc<Runtime>) {
        let outer = self.current.replace(Arc::as_ptr(&runtime));
        self.opened.borrow_mut().push(Opened { runtime, outer });
    }

    pub fn close(&self) -> Option<Arc<Runtime>> {
        let mut opened = self.opened.borrow_mut();
        let last = if opened.len() > self.held.get() { opened.pop()? } else { return None };
        self.current.set(last.outer);
        Some(last.runtime)
    }

    /// Calls `f` with `runtime` in scope.
    pub fn within<R>(&self, runtime: &Runtime, f: impl FnOnce() -> R) -> R {
        let held = self.held.replace(self.opened.borrow().len());
        let _restore = Restore { scopes: self, outer: self.current.replace(runtime), held };
        f()
    }
}

struct Restore<'a> {
    scopes: &'a Scopes,
    outer: *const Runtime,
    held: usize,
}

impl Drop for Restore<'_> {
    fn drop(&mut self) {
        let Scopes { current, opened, held } = self.scopes;
        current.set(self.outer);
        let left = opened.borrow_mut().split_off(held.replace(self.held));
        // The last owner of a runtime joins its workers, so nothing is borrowed here.
        drop(left);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Lane;

    fn runtime(threads: usize) -> Arc<Runtime> {
        Arc::new(Runtime::new(threads).unwrap())
    }

    fn threads() -> usize {
        Lane::with(Lane::threads)
    }

    fn open(threads: usize) {
        Lane::with(|lane| lane.push_runtime(runtime(threads)));
    }

    fn close() -> Option<usize> {
        Lane::with(Lane::pop_runtime).map(|runtime| runtime.threads())
    }

    #[test]
    fn opened_scopes_close_last_first() {
        assert_eq!((close(), threads()), (None, 1));
        open(2);
        open(3);
        assert_eq!((threads(), close()), (3, Some(3)));
        assert_eq!((threads(), close()), (2, Some(2)));
        assert_eq!((close(), threads()), (None, 1));
    }

    #[test]
    fn a_closure_keeps_what_was_opened_before_it() {
        open(2);
        runtime(4).install(|_| {
            assert_eq!((threads(), close(), threads()), (4, None, 4));
            open(3);
            assert_eq!((threads(), close(), close(), threads()), (3, Some(3), None, 4));
        });
        assert_eq!((threads(), close(), threads()), (2, Some(2), 1));
    }

    #[test]
    fn what_a_closure_leaves_open_is_closed_and_given_back() {
        let left = runtime(2);
        let ended = std::panic::catch_unwind(|| {
            runtime(4).install(|lane| {
                lane.push_runtime(left.clone());
                panic!("leaves it open");
            })
        });
        assert!(ended.is_err());
        assert_eq!((threads(), close(), Arc::strong_count(&left)), (1, None, 1));
    }

    #[test]
    fn a_loop_keeps_the_runtime_it_runs_on() {
        open(2);
        let here = Lane::with(Lane::index);
        let closed = freelane_sync::Mutex::new(vec![]);
        Lane::with(|lane| {
            lane.par_for(64, 1_000_000, &|lane, _| {
                if lane.index() == here && lane.threads() == 2 {
                    closed.lock().push(lane.pop_runtime().is_some());
                }
            });
        });
        let closed = closed.into_inner();
        assert!(!closed.is_empty() && !closed.contains(&true));
        assert_eq!((threads(), close(), threads()), (2, Some(2), 1));
    }

    #[test]
    fn a_thread_that_ends_gives_back_what_it_left_open() {
        let left = runtime(2);
        let opened = left.clone();
        std::thread::spawn(move || Lane::with(|lane| lane.push_runtime(opened))).join().unwrap();
        assert_eq!(Arc::strong_count(&left), 1);
    }
}
