//! NumPy's own arrays from the lanes' heaps: a memory handler as NumPy has them since 1.22 (NEP 49).
//!
//! What is here is the handler, and setting one for the calling context. When to do that, and for which threads, is in
//! `freelane/numpy_allocator.py`. NumPy is reached through the table of functions that it hands to C extensions, so nothing
//! depends on its version at build time.
//!
//! Every array keeps the handler that made it and frees its data with that, on any thread and at any time. The handler is
//! therefore a constant, and its functions need neither the interpreter nor a thread that is known to it.

use freelane::mem::{self, Bare};
use pyo3::exceptions::{PyImportError, PyTypeError};
use pyo3::ffi;
use pyo3::prelude::*;
use std::ffi::{CStr, c_char, c_uint, c_void};
use std::ptr::{self, NonNull};

const NAME: &CStr = c"freelane";
/// The name that NumPy wants the capsule of a handler to have.
const CAPSULE: &CStr = c"mem_handler";

/// Functions of NumPy's table by their place in it, which never changes.
mod place {
    pub const FEATURE_VERSION: usize = 211;
    pub const SET_HANDLER: usize = 304;
    pub const GET_HANDLER: usize = 305;
}

/// The version of NumPy's table from which on it has handlers: that of NumPy 1.22.
const FIRST_WITH_HANDLERS: c_uint = 0xf;

/// `PyDataMem_Handler` of NumPy's C interface, version 1.
#[repr(C)]
struct Handler {
    name: [c_char; 127],
    version: u8,
    allocator: Functions,
}

#[repr(C)]
struct Functions {
    context: *mut c_void,
    malloc: extern "C" fn(*mut c_void, usize) -> *mut c_void,
    calloc: extern "C" fn(*mut c_void, usize, usize) -> *mut c_void,
    realloc: unsafe extern "C" fn(*mut c_void, *mut c_void, usize) -> *mut c_void,
    free: unsafe extern "C" fn(*mut c_void, *mut c_void, usize),
}

// SAFETY: the handler is constant; its context is a null pointer that nobody follows.
unsafe impl Sync for Handler {}

static HANDLER: Handler = Handler {
    name: padded(NAME),
    version: 1,
    allocator: Functions { context: ptr::null_mut(), malloc, calloc, realloc, free },
};

const fn padded(name: &CStr) -> [c_char; 127] {
    let (mut padded, bytes) = ([0; 127], name.to_bytes());
    let mut i = 0;
    while i < bytes.len() {
        padded[i] = bytes[i] as c_char;
        i += 1;
    }
    padded
}

fn address(memory: Result<Bare, mem::MemError>) -> *mut c_void {
    memory.map_or(ptr::null_mut(), |memory| memory.into_raw().as_ptr().cast())
}

extern "C" fn malloc(_: *mut c_void, bytes: usize) -> *mut c_void {
    address(Bare::uninit(bytes))
}

extern "C" fn calloc(_: *mut c_void, count: usize, size: usize) -> *mut c_void {
    count.checked_mul(size).map_or(ptr::null_mut(), |bytes| address(Bare::zeroed(bytes)))
}

/// # Safety
/// `data` is null, or comes from this handler and is not used again unless null is returned.
unsafe extern "C" fn realloc(_: *mut c_void, data: *mut c_void, bytes: usize) -> *mut c_void {
    let Some(data) = NonNull::new(data.cast()) else { return address(Bare::uninit(bytes)) };
    // SAFETY: the caller's promise; when nothing changed, `into_raw` gives the memory back to the caller.
    let mut memory = unsafe { Bare::from_raw(data) };
    let resized = memory.resize(bytes).is_ok();
    let data = memory.into_raw().as_ptr().cast();
    if resized { data } else { ptr::null_mut() }
}

/// # Safety
/// `data` is null, or comes from this handler and is not used again.
unsafe extern "C" fn free(_: *mut c_void, data: *mut c_void, _bytes: usize) {
    if let Some(data) = NonNull::new(data.cast()) {
        // SAFETY: the caller's promise.
        unsafe { Bare::free_raw(data) }
    }
}

/// NumPy's table of functions, known to have handlers.
struct Table<'py>(Bound<'py, PyAny>, *const *const c_void);

impl<'py> Table<'py> {
    fn load(py: Python<'py>) -> PyResult<Table<'py>> {
        let module = py.import("numpy._core._multiarray_umath").or_else(|error| older(py, error))?;
        let capsule = module.getattr("_ARRAY_API")?;
        // SAFETY: attached, and a Python object; what is not a capsule gives an error.
        let table = unsafe { ffi::PyCapsule_GetPointer(capsule.as_ptr(), ptr::null()) };
        if table.is_null() {
            return Err(PyErr::fetch(py));
        }
        Table(capsule, table.cast()).checked(&module)
    }

    fn checked(self, module: &Bound<'py, PyAny>) -> PyResult<Table<'py>> {
        type FeatureVersion = unsafe extern "C" fn() -> c_uint;
        // SAFETY: all versions of NumPy since 1.4 have this function, of this type, at this place.
        let version: FeatureVersion = unsafe { self.function(place::FEATURE_VERSION) };
        // SAFETY: it only returns a constant.
        if unsafe { version() } >= FIRST_WITH_HANDLERS {
            return Ok(self);
        }
        let version = module.py().import("numpy").and_then(|numpy| numpy.getattr("__version__"));
        let version = version.map_or_else(|_| "this".to_owned(), |version| version.to_string());
        Err(PyImportError::new_err(format!(
            "NumPy {version} has no memory handlers: freelane.numpy_allocator needs 1.22"
        )))
    }

    /// # Safety
    /// `F` is the type of a function pointer, that of the function at this place.
    unsafe fn function<F: Copy>(&self, place: usize) -> F {
        // SAFETY: the table, which `self.0` keeps, has a pointer at this place.
        let function = unsafe { self.1.add(place) };
        // SAFETY: the caller says that it is an `F`, which is a pointer.
        unsafe { function.cast::<F>().read() }
    }

    fn handler(&self) -> PyResult<Bound<'py, PyAny>> {
        type GetHandler = unsafe extern "C" fn() -> *mut ffi::PyObject;
        // SAFETY: `checked` saw that there are handlers; NumPy declares the function so.
        let get: GetHandler = unsafe { self.function(place::GET_HANDLER) };
        // SAFETY: attached; it returns a new reference or sets an error.
        unsafe { Bound::from_owned_ptr_or_err(self.0.py(), get()) }
    }

    fn set_handler(&self, capsule: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        type SetHandler = unsafe extern "C" fn(*mut ffi::PyObject) -> *mut ffi::PyObject;
        // SAFETY: as in `handler`.
        let set: SetHandler = unsafe { self.function(place::SET_HANDLER) };
        // SAFETY: attached, with the capsule of a handler; it returns a new reference or sets an error.
        unsafe { Bound::from_owned_ptr_or_err(self.0.py(), set(capsule.as_ptr())) }
    }
}

/// NumPy before 2.0 has its parts in another place; what went wrong in both comes with the error.
fn older<'py>(py: Python<'py>, error: PyErr) -> PyResult<Bound<'py, PyModule>> {
    py.import("numpy.core._multiarray_umath").map_err(|_| {
        let missing = PyImportError::new_err("freelane.numpy_allocator needs NumPy, which cannot be imported");
        missing.set_cause(py, Some(error));
        missing
    })
}

/// The handler that a capsule holds.
fn handler_of(capsule: &Bound<'_, PyAny>) -> PyResult<NonNull<Handler>> {
    // SAFETY: attached, and a Python object; what is not such a capsule gives null and an error.
    let handler = unsafe { ffi::PyCapsule_GetPointer(capsule.as_ptr(), CAPSULE.as_ptr()) };
    NonNull::new(handler.cast()).ok_or_else(|| {
        let cause = PyErr::fetch(capsule.py());
        PyTypeError::new_err(format!("not the capsule of a NumPy memory handler: {cause}"))
    })
}

/// A capsule of the handler, immortal on interpreters without global lock: every array counts a reference to it.
fn capsule(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    let handler = ptr::from_ref(&HANDLER).cast_mut().cast();
    // SAFETY: attached; the handler is a constant, and its name too. It returns a new reference or sets an error.
    let capsule = unsafe { Bound::from_owned_ptr_or_err(py, ffi::PyCapsule_New(handler, CAPSULE.as_ptr(), None)) }?;
    #[cfg(Py_GIL_DISABLED)]
    make_immortal(&capsule)?;
    Ok(capsule)
}

/// Has nobody count references to an object that this thread has made just now.
#[cfg(Py_GIL_DISABLED)]
fn make_immortal(object: &Bound<'_, PyAny>) -> PyResult<()> {
    use std::ffi::c_int;
    unsafe extern "C" {
        fn PyUnstable_IsImmortal(object: *mut ffi::PyObject) -> c_int;
        #[cfg(not(Py_3_15))]
        fn _Py_SetRefcnt(object: *mut ffi::PyObject, count: isize);
        #[cfg(Py_3_15)]
        fn PyUnstable_SetImmortal(object: *mut ffi::PyObject) -> c_int;
    }
    // SAFETY: this thread owns the object, so that a count too large for its field makes it immortal.
    #[cfg(not(Py_3_15))]
    unsafe {
        _Py_SetRefcnt(object.as_ptr(), isize::MAX)
    };
    // SAFETY: this thread owns the object, and nobody else has it.
    #[cfg(Py_3_15)]
    unsafe {
        PyUnstable_SetImmortal(object.as_ptr())
    };
    // SAFETY: attached, and a Python object.
    let done = unsafe { PyUnstable_IsImmortal(object.as_ptr()) } != 0;
    if done {
        Ok(())
    } else {
        Err(pyo3::exceptions::PyRuntimeError::new_err("this interpreter cannot make a capsule immortal"))
    }
}

/// Makes `handler`, a capsule, the calling context's handler; returns the former one.
#[pyfunction]
fn swap<'py>(handler: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    handler_of(handler)?;
    Table::load(handler.py())?.set_handler(handler)
}

/// The calling context's handler: its name, and whether it is freelane's.
#[pyfunction]
fn current(py: Python<'_>) -> PyResult<(String, bool)> {
    let capsule = Table::load(py)?.handler()?;
    let handler = handler_of(&capsule)?;
    // SAFETY: the capsule, which is alive, holds a handler.
    let name = unsafe { &raw const (*handler.as_ptr()).name };
    // SAFETY: names end with a zero byte.
    let name = unsafe { CStr::from_ptr(name.cast()) };
    Ok((name.to_string_lossy().into_owned(), ptr::eq(handler.as_ptr(), &HANDLER)))
}

/// Gives free memory back to the system; returns the bytes.
#[pyfunction]
fn trim(py: Python<'_>) -> usize {
    py.detach(mem::trim)
}

/// Adds the submodule that `freelane/numpy_allocator.py` is made from.
pub(crate) fn register(parent: &Bound<'_, PyModule>) -> PyResult<()> {
    let module = PyModule::new(parent.py(), "_numpy_allocator")?;
    module.add("handler", capsule(parent.py())?)?;
    module.add_function(wrap_pyfunction!(swap, &module)?)?;
    module.add_function(wrap_pyfunction!(current, &module)?)?;
    module.add_function(wrap_pyfunction!(trim, &module)?)?;
    // Set and not added, which would export it.
    parent.setattr("_numpy_allocator", module)
}
