//! Memory of dead array objects, kept by the thread on which they died.
//!
//! The list is emptied while its thread is still attached to the interpreter: a capsule in the thread's dictionary is
//! destroyed when the interpreter clears the thread's state. Before there is such a capsule, and after it is gone, nothing is
//! kept.
use crate::object::{self, ArrayObject};
use freelane_sync::lane_local;
use pyo3::ffi;
use std::cell::Cell;
use std::ptr;

const PLACES: usize = 32;

#[derive(Clone, Copy, PartialEq)]
enum State {
    /// Nothing has been kept yet.
    New,
    Open,
    /// The thread's state is gone, or could not be hooked.
    Shut,
}

struct Spare {
    state: Cell<State>,
    len: Cell<usize>,
    places: [Cell<*mut ArrayObject>; PLACES],
}

lane_local! {
    // LEDGER: its thread; dead objects to use again
    static SPARE: Spare =
        Spare { state: Cell::new(State::New), len: Cell::new(0), places: [const { Cell::new(ptr::null_mut()) }; PLACES] };
}

/// Memory for an object; null if none is kept.
#[inline(always)]
pub(crate) fn take() -> *mut ArrayObject {
    SPARE.with(|spare| {
        let len = spare.len.get();
        if len == 0 {
            return ptr::null_mut();
        }
        spare.len.set(len - 1);
        spare.places[(len - 1) % PLACES].get()
    })
}

/// Keeps the memory of a dead object; false if there is no place for it.
#[inline(always)]
pub(crate) fn put(object: *mut ArrayObject) -> bool {
    SPARE.with(|spare| {
        if spare.state.get() != State::Open && !open(spare) {
            return false;
        }
        let len = spare.len.get();
        if len == PLACES {
            return false;
        }
        spare.places[len].set(object);
        spare.len.set(len + 1);
        true
    })
}

#[cold]
fn open(spare: &Spare) -> bool {
    if spare.state.replace(State::Shut) == State::Shut {
        return false;
    }
    const NAME: &std::ffi::CStr = c"freelane.spare";
    // SAFETY: objects die on attached threads. The dictionary is the thread's own; the capsule holds no memory, its pointer
    // only has to differ from null; errors are cleared, since keeping nothing is no error.
    unsafe {
        let dict = ffi::PyThreadState_GetDict();
        if dict.is_null() {
            return false;
        }
        let capsule = ffi::PyCapsule_New(ptr::dangling_mut::<u8>().cast(), NAME.as_ptr(), Some(shut));
        let kept = !capsule.is_null() && ffi::PyDict_SetItemString(dict, NAME.as_ptr(), capsule) == 0;
        ffi::Py_XDECREF(capsule);
        if kept {
            spare.state.set(State::Open);
        } else {
            ffi::PyErr_Clear();
        }
        kept
    }
}

unsafe extern "C" fn shut(_capsule: *mut ffi::PyObject) {
    SPARE.with(|spare| {
        spare.state.set(State::Shut);
        while spare.len.get() > 0 {
            // SAFETY: the list holds dead objects; the capsule dies while the thread is attached.
            unsafe { object::free(take()) };
        }
    });
}
