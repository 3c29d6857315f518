//! The array object: a raw static type, so that making, reading and freeing one writes nothing that another thread reads.
//!
//! A class of the interpreter's own kind would count each instance in its type object. A static type is not counted. Dead
//! objects wait in a short list of their thread's. On free-threaded builds the type belongs to the collector's kind, since
//! only such objects can have deferred reference counts, but an object is shown to the collector only when it is shared.
use crate::errors::{self, to_py};
use crate::flag::Flag;
use crate::spare;
use freelane::Array;
use freelane_sync::FfiStatic;
use pyo3::prelude::*;
use pyo3::{exceptions as exc, ffi};
use std::mem::MaybeUninit;
use std::ops::{Deref, DerefMut};

/// What lies behind a Python array.
#[repr(C)]
pub struct ArrayObject {
    head: ffi::PyObject,
    pub(crate) weakrefs: *mut ffi::PyObject,
    pub(crate) flag: Flag,
    array: Array,
}

// LEDGER: the interpreter; the type object, written while the module starts and then by the interpreter under its own rules
static TYPE: FfiStatic<ffi::PyTypeObject> = FfiStatic::new(zeroed_type());

/// A type object of which nothing is filled in yet.
pub(crate) const fn zeroed_type() -> ffi::PyTypeObject {
    // SAFETY: every field of a type object may be zero: pointers, numbers and optional functions.
    let mut zeroed: ffi::PyTypeObject = unsafe { MaybeUninit::zeroed().assume_init() };
    zeroed.ob_base.ob_base = ffi::PyObject_HEAD_INIT;
    zeroed
}

/// The type object of arrays.
#[inline(always)]
pub(crate) const fn array_type() -> *mut ffi::PyTypeObject {
    TYPE.get()
}

/// Whether the object is an array; there are no subclasses.
#[inline(always)]
pub fn is_array(object: &Bound<'_, PyAny>) -> bool {
    // SAFETY: a `Bound` points at a live object.
    unsafe { ffi::Py_TYPE(object.as_ptr()) == array_type() }
}

/// A new Python array.
///
/// # Errors
/// `MemoryError` when there is no memory for the object.
#[inline(always)]
pub fn wrap<'py>(py: Python<'py>, array: Array) -> PyResult<Bound<'py, PyAny>> {
    let mut object = spare::take();
    if object.is_null() {
        object = fresh();
    }
    if object.is_null() {
        return Err(exc::PyMemoryError::new_err("no memory for an array object"));
    }
    // SAFETY: `object` is a block of the size of an `ArrayObject` that nobody else uses: a fresh one, or one whose object died.
    unsafe {
        ffi::PyObject_Init(object.cast(), array_type());
        (&raw mut (*object).weakrefs).write(std::ptr::null_mut());
        (&raw mut (*object).flag).write(Flag::new());
        (&raw mut (*object).array).write(array);
        Ok(Bound::from_owned_ptr(py, object.cast()))
    }
}

#[cold]
fn fresh() -> *mut ArrayObject {
    #[cfg(Py_GIL_DISABLED)]
    {
        unsafe extern "C" {
            fn _PyObject_GC_New(kind: *mut ffi::PyTypeObject) -> *mut ffi::PyObject;
        }
        // SAFETY: the type is ready, and the calling thread is attached.
        let object = unsafe { _PyObject_GC_New(array_type()) };
        if object.is_null() {
            // SAFETY: attached; the error is reported by our own.
            unsafe { ffi::PyErr_Clear() };
        }
        object.cast()
    }
    #[cfg(not(Py_GIL_DISABLED))]
    // SAFETY: the calling thread is attached.
    unsafe {
        ffi::PyObject_Malloc(size_of::<ArrayObject>()).cast()
    }
}

/// Gives the memory of a dead object back to the interpreter.
///
/// # Safety
/// The object came from `fresh`, is dead, and the calling thread is attached.
pub(crate) unsafe fn free(object: *mut ArrayObject) {
    #[cfg(Py_GIL_DISABLED)]
    // SAFETY: the caller's promise.
    unsafe {
        ffi::PyObject_GC_Del(object.cast());
    }
    #[cfg(not(Py_GIL_DISABLED))]
    // SAFETY: the caller's promise.
    unsafe {
        ffi::PyObject_Free(object.cast());
    }
}

/// `tp_dealloc`.
pub(crate) unsafe extern "C" fn dealloc(object: *mut ffi::PyObject) {
    let object: *mut ArrayObject = object.cast();
    // SAFETY: the interpreter calls this once, for an object of our type that nobody refers to any more.
    unsafe {
        let shared = (*object).flag.is_frozen();
        #[cfg(Py_GIL_DISABLED)]
        if shared {
            ffi::PyObject_GC_UnTrack(object.cast());
        }
        if !(*object).weakrefs.is_null() {
            ffi::PyObject_ClearWeakRefs(object.cast());
        }
        std::ptr::drop_in_place(&raw mut (*object).array);
        // A shared object may still be looked at by the collector.
        if shared || !spare::put(object) {
            free(object);
        }
    }
}

#[inline(always)]
fn object_of<'a>(object: &'a Bound<'_, PyAny>) -> PyResult<&'a ArrayObject> {
    if is_array(object) {
        // SAFETY: the type was compared, and the borrow keeps the object alive.
        return Ok(unsafe { &*object.as_ptr().cast() });
    }
    Err(not_an_array(object))
}

#[cold]
fn not_an_array(object: &Bound<'_, PyAny>) -> PyErr {
    let found = object.get_type();
    exc::PyTypeError::new_err(format!("expected a freelane array, found {found}; freelane.asarray converts"))
}

/// An array that is being read: nobody writes it meanwhile.
pub struct Reading<'a>(&'a ArrayObject);

impl Deref for Reading<'_> {
    type Target = Array;
    #[inline(always)]
    fn deref(&self) -> &Array {
        &self.0.array
    }
}

impl Drop for Reading<'_> {
    #[inline(always)]
    fn drop(&mut self) {
        self.0.flag.end_read();
    }
}

/// Starts reading an array.
///
/// # Errors
/// `TypeError` for another object, `RuntimeError` while another thread writes to the array.
#[inline(always)]
pub fn read<'a>(object: &'a Bound<'_, PyAny>) -> PyResult<Reading<'a>> {
    let object = object_of(object)?;
    if object.flag.read() { Ok(Reading(object)) } else { Err(errors::in_use("read")) }
}

/// As [`read`], without an error to tell.
#[inline(always)]
pub(crate) fn try_read<'a>(object: &'a Bound<'_, PyAny>) -> Option<Reading<'a>> {
    if !is_array(object) {
        return None;
    }
    // SAFETY: the type was compared, and the borrow keeps the object alive.
    let object: &ArrayObject = unsafe { &*object.as_ptr().cast() };
    // Not `then_some`, which would make a guard, and drop it, where there is nothing to end.
    if object.flag.read() { Some(Reading(object)) } else { None }
}

/// An array that is being written: nobody else reads or writes it meanwhile.
pub struct Writing<'a>(&'a ArrayObject);

impl Deref for Writing<'_> {
    type Target = Array;
    #[inline(always)]
    fn deref(&self) -> &Array {
        &self.0.array
    }
}

impl DerefMut for Writing<'_> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut Array {
        // SAFETY: the flag grants this guard alone the use of the array, and the guard is borrowed mutably.
        unsafe { &mut *(&raw const self.0.array).cast_mut() }
    }
}

impl Drop for Writing<'_> {
    #[inline(always)]
    fn drop(&mut self) {
        self.0.flag.end_write();
    }
}

/// Starts writing to an array.
///
/// # Errors
/// `TypeError` for another object, `ValueError` for an array that is shared, `RuntimeError` while another thread uses it.
#[inline(always)]
pub fn write<'a>(object: &'a Bound<'_, PyAny>) -> PyResult<Writing<'a>> {
    let object = object_of(object)?;
    if object.flag.write() { Ok(Writing(object)) } else { Err(cannot_write(object)) }
}

#[cold]
fn cannot_write(object: &ArrayObject) -> PyErr {
    if object.flag.is_frozen() {
        return exc::PyValueError::new_err(
            "the array is shared (freelane.share) and can only be read; write to a copy: x = x.copy()",
        );
    }
    errors::in_use("written")
}

/// Whether the array can only be read.
pub(crate) fn is_frozen(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    Ok(object_of(object)?.flag.is_frozen())
}

/// Makes an array one that many threads read: nobody can write to it any more, reading writes nothing, and on
/// free-threaded builds its references are not counted (the collector frees it).
pub(crate) fn share(object: &Bound<'_, PyAny>) -> PyResult<()> {
    let flag = &object_of(object)?.flag;
    // Of several threads one alone goes on: it shows the object to the collector.
    if !flag.freeze() {
        return if flag.is_frozen() { Ok(()) } else { Err(errors::in_use("shared")) };
    }
    defer(object);
    Ok(())
}

/// On free-threaded builds, makes an object one whose references threads do not count; the collector frees it. Its type is
/// of the collector's kind, and this thread alone knows it or has it to itself.
pub(crate) fn defer(object: &Bound<'_, PyAny>) {
    #[cfg(Py_GIL_DISABLED)]
    {
        unsafe extern "C" {
            fn PyUnstable_Object_EnableDeferredRefcount(object: *mut ffi::PyObject) -> std::ffi::c_int;
        }
        // SAFETY: the object is alive, of a collector's type, and nobody else shows it to the collector.
        unsafe {
            if ffi::PyObject_GC_IsTracked(object.as_ptr()) == 0 {
                ffi::PyObject_GC_Track(object.as_ptr().cast());
            }
            PyUnstable_Object_EnableDeferredRefcount(object.as_ptr());
        }
    }
    #[cfg(not(Py_GIL_DISABLED))]
    let _ = object;
}

/// [`defer`] for lists and dictionaries that sessions hold and all threads read; returns its argument.
#[pyfunction]
#[pyo3(name = "_deferred")]
pub(crate) fn deferred<'py>(object: Bound<'py, PyAny>) -> Bound<'py, PyAny> {
    defer(&object);
    object
}

/// A copy of the array's description for an export: it holds the storage, so that later writes go elsewhere.
pub(crate) fn snapshot(object: &Bound<'_, PyAny>) -> PyResult<Array> {
    Ok(read(object)?.clone())
}

/// The array that came out of an operation, as a Python object.
#[inline(always)]
pub(crate) fn wrapped<'py, A: Into<Array>, E: Into<errors::Failure>>(
    py: Python<'py>,
    result: Result<A, E>,
) -> PyResult<Bound<'py, PyAny>> {
    match result {
        Ok(array) => wrap(py, array.into()),
        Err(e) => Err(to_py(e)),
    }
}
