//! What the calling thread must hand over when it ends, by a destructor: for the model checker, and for systems
//! without thread-specific keys. Code that runs in a later destructor of the same thread has no lane any more.

use crate::lane_index::release;
use std::cell::{Cell, RefCell};

#[cfg(loom)]
use ::loom::thread_local;
#[cfg(not(loom))]
use std::thread_local;

struct Guard {
    index: Cell<Option<usize>>,
    hooks: RefCell<Vec<fn()>>,
}

thread_local! {
    // LEDGER: its thread; its index and hooks where the system has no such keys
    static GUARD: Guard = Guard { index: Cell::new(None), hooks: RefCell::new(Vec::new()) };
}

/// Runs `hook` when the calling thread ends, later hooks first; it must not panic.
pub fn on_thread_exit(hook: fn()) {
    GUARD.with(|guard| guard.hooks.borrow_mut().push(hook));
}

#[inline]
pub(crate) fn index() -> Option<usize> {
    GUARD.with(|guard| guard.index.get())
}

pub(crate) fn set_index(index: usize) {
    GUARD.with(|guard| guard.index.set(Some(index)));
}

impl Drop for Guard {
    fn drop(&mut self) {
        while let Some(hook) = self.hooks.get_mut().pop() {
            hook();
        }
        if let Some(index) = self.index.take() {
            release(index);
        }
    }
}
