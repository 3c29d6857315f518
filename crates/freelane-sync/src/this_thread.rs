//! What the calling thread must hand over when it ends: hooks first, its index last.
//!
//! A thread-specific key runs the hand-over, not a Rust destructor: key destructors run after all of those, so code
//! in another thread-local's destructor still finds its lane, and use after the hand-over arms it once more (the
//! system grants four rounds). A thread that ends with the process is not handed over.

use crate::{OnceTable, lane_index::release, lane_local};
use std::cell::Cell;
use std::ffi::c_void;
use std::ptr;

struct Hook {
    run: fn(),
    next: *mut Hook,
}

const NO_INDEX: usize = usize::MAX;

lane_local! {
    // LEDGER: its thread; the index it claimed
    static INDEX: Cell<usize> = Cell::new(NO_INDEX);
    // LEDGER: its thread; what it hands over when it ends
    static HOOKS: Cell<*mut Hook> = Cell::new(ptr::null_mut());
}

// LEDGER: the process; the system's key that runs the hooks, made once
static KEY: OnceTable<Option<libc::pthread_key_t>> = OnceTable::new();

/// Runs `hook` when the calling thread ends, later hooks first. A hook may use everything of this crate and register
/// further hooks; it must not panic.
pub fn on_thread_exit(hook: fn()) {
    let entry = Box::new(Hook { run: hook, next: HOOKS.with(Cell::get) });
    HOOKS.with(|hooks| hooks.set(Box::into_raw(entry)));
    arm();
}

#[inline]
pub(crate) fn index() -> Option<usize> {
    let index = INDEX.with(Cell::get);
    (index != NO_INDEX).then_some(index)
}

pub(crate) fn set_index(index: usize) {
    INDEX.with(|cell| cell.set(index));
    arm();
}

/// Without a key (the process has used up all of them) nothing is handed over: indices and hooks' memory leak.
fn arm() {
    if let Some(key) = *KEY.get_or_init(create_key) {
        // SAFETY: `key` was created and is never deleted; any non-null value arms the destructor.
        unsafe { libc::pthread_setspecific(key, ptr::dangling::<c_void>()) };
    }
}

fn create_key() -> Option<libc::pthread_key_t> {
    let mut key = 0;
    // SAFETY: `key` is a valid place, and `hand_over` has the signature the call asks for.
    let failed = unsafe { libc::pthread_key_create(&mut key, Some(hand_over)) };
    (failed == 0).then_some(key)
}

extern "C" fn hand_over(_: *mut c_void) {
    while let Some(hook) = pop_hook() {
        hook();
    }
    let index = INDEX.with(|index| index.replace(NO_INDEX));
    if index != NO_INDEX {
        release(index);
    }
}

fn pop_hook() -> Option<fn()> {
    let top = HOOKS.with(Cell::get);
    if top.is_null() {
        return None;
    }
    // SAFETY: the list holds what `on_thread_exit` leaked on this thread, each entry taken out once.
    let entry = unsafe { Box::from_raw(top) };
    HOOKS.with(|hooks| hooks.set(entry.next));
    Some(entry.run)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lane_index;
    use std::sync::Mutex;

    static ORDER: Mutex<Vec<&str>> = Mutex::new(Vec::new());

    fn note(what: &'static str) {
        ORDER.lock().unwrap().push(what);
    }

    fn first() {
        note("first");
    }

    fn second() {
        note("second");
        on_thread_exit(|| note("registered by second"));
        assert!(index().is_some(), "the index outlives the hooks");
    }

    #[test]
    fn hooks_run_last_first_and_before_the_index_goes() {
        let thread = std::thread::spawn(|| {
            lane_index();
            on_thread_exit(first);
            on_thread_exit(second);
        });
        thread.join().unwrap();
        assert_eq!(*ORDER.lock().unwrap(), ["second", "registered by second", "first"]);
    }

    #[test]
    fn a_destructor_of_another_thread_local_still_has_a_lane() {
        struct Late;
        impl Drop for Late {
            fn drop(&mut self) {
                lane_index();
            }
        }
        thread_local! { static LATE: Late = const { Late }; }
        let highest = (0..500)
            .map(|_| {
                let thread = std::thread::spawn(|| {
                    LATE.with(|_| ());
                    lane_index()
                });
                thread.join().unwrap()
            })
            .max();
        assert!(highest < Some(200), "{highest:?}");
    }
}
