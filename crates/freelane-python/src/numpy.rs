//! NumPy's protocols. What they do is Python, in `freelane/_numpy.py`, which is imported when NumPy first asks.
use crate::foreign::{apart, as_bytes};
use crate::native::{Args, Getter, Native};
use crate::object;
use freelane::DType;
use pyo3::exceptions::{PyAttributeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyMemoryView, PyTuple};
use pyo3::{ffi, intern};
use std::ffi::CStr;

fn logic<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import(intern!(py, "freelane._numpy"))?.getattr(name)
}

fn array<'py>(py: Python<'py>, args: &Args<'_, 'py>) -> PyResult<Bound<'py, PyAny>> {
    logic(py, "array")?.call1((args.required(0), args.some(1), args.some(2)))
}

fn array_function<'py>(py: Python<'py>, args: &Args<'_, 'py>) -> PyResult<Bound<'py, PyAny>> {
    let passed = (args.required(0), args.required(1), args.required(2), args.required(3), args.required(4));
    logic(py, "array_function")?.call1(passed)
}

/// `__array_ufunc__(self, ufunc, method, *inputs, **kwargs)`, which takes any number of arguments.
unsafe extern "C" fn array_ufunc(
    obj: *mut ffi::PyObject,
    args: *mut ffi::PyObject,
    named: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    // SAFETY: CPython calls methods with the interpreter attached.
    let py = unsafe { Python::assume_attached() };
    // SAFETY: CPython passes the object, borrowed.
    let obj = unsafe { Bound::from_borrowed_ptr(py, obj) };
    // SAFETY: CPython passes a tuple, borrowed.
    let args = unsafe { Bound::from_borrowed_ptr(py, args).cast_into_unchecked::<PyTuple>() };
    // SAFETY: CPython passes a dict, borrowed, or null.
    let named = unsafe { Bound::from_borrowed_ptr_or_opt(py, named).map(|d| d.cast_into_unchecked::<PyDict>()) };
    let call = || logic(py, "array_ufunc")?.call1((obj, args, named));
    call().map_or_else(
        |e| {
            e.restore(py);
            std::ptr::null_mut()
        },
        Bound::into_ptr,
    )
}

/// Methods that take any number of arguments: name, function, documentation.
pub(crate) const VARIADIC: &[(&CStr, ffi::PyCFunctionWithKeywords, &CStr)] = &[(
    c"__array_ufunc__",
    array_ufunc,
    c"__array_ufunc__($self, ufunc, method, /, *inputs, **kwargs)\n--\n\nNumPy's ufuncs over arrays of ours give arrays of ours.",
)];

/// NumPy's code of a dtype with its byte order.
fn typestr(dtype: DType) -> Option<String> {
    let order = if dtype.size() == 1 {
        '|'
    } else if cfg!(target_endian = "little") {
        '<'
    } else {
        '>'
    };
    dtype.numpy_code().map(|code| format!("{order}{code}"))
}

/// The memory is given as a buffer, which holds the storage: an address would not.
fn interface<'py>(py: Python<'py>, obj: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let array = object::snapshot(obj)?;
    let typestr = typestr(array.dtype()).ok_or_else(|| {
        PyAttributeError::new_err(format!("NumPy has no {}, so there is no __array_interface__", array.dtype()))
    })?;
    let dense = apart(py, array.nbytes(), || array.contiguous())?;
    let bytes = as_bytes(&dense).ok_or_else(|| PyValueError::new_err("the array could not be made contiguous"))?;
    let found = PyDict::new(py);
    found.set_item(intern!(py, "version"), 3)?;
    found.set_item(intern!(py, "shape"), PyTuple::new(py, array.shape())?)?;
    found.set_item(intern!(py, "typestr"), typestr)?;
    found.set_item(intern!(py, "data"), PyMemoryView::from(&object::wrap(py, bytes)?)?)?;
    found.set_item(intern!(py, "strides"), py.None())?;
    Ok(found.into_any())
}

fn priority<'py>(py: Python<'py>, _obj: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    Ok(1000f64.into_pyobject(py)?.into_any())
}

/// Methods of arrays.
pub(crate) const METHODS: &[Native] = &[
    Native {
        signature: "__array__(self, dtype=None, copy=None)",
        doc: "A NumPy array over the elements, read-only; a copy where dtype or copy ask for one.",
        run: array,
    },
    Native {
        signature: "__array_function__(self, func, types, args, kwargs, /)",
        doc: "NumPy's functions over arrays of ours give arrays of ours.",
        run: array_function,
    },
];

/// Attributes of arrays.
pub(crate) const GETTERS: &[Getter] = &[
    Getter { name: c"__array_interface__", doc: c"NumPy's description of the elements, version 3.", get: interface },
    Getter { name: c"__array_priority__", doc: c"Which type wins in mixed operations of old.", get: priority },
];

/// Writes the elements of an array, in row-major order, into memory that another object lends as a buffer of the same
/// size; returns that object. Filling an array that NumPy made asks less of NumPy than making one of a description.
#[pyfunction]
#[pyo3(name = "_fill")]
pub(crate) fn fill<'py>(to: Bound<'py, PyAny>, from: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let array = object::snapshot(from)?;
    let dense = apart(from.py(), array.nbytes(), || array.contiguous())?;
    let mut view = ffi::Py_buffer::new();
    // SAFETY: the object is alive, the interpreter attached, and the view stays where it is until it is released.
    if unsafe { ffi::PyObject_GetBuffer(to.as_ptr(), &mut view, ffi::PyBUF_WRITABLE) } < 0 {
        return Err(PyErr::fetch(to.py()));
    }
    let fits = usize::try_from(view.len) == Ok(dense.nbytes());
    if fits {
        // SAFETY: both are as many bytes without gaps; the caller just made the one to write to, so nobody else uses it.
        unsafe { std::ptr::copy_nonoverlapping(dense.data().as_ptr(), view.buf.cast::<u8>(), dense.nbytes()) };
    }
    // SAFETY: got above.
    unsafe { ffi::PyBuffer_Release(&mut view) };
    if fits { Ok(to) } else { Err(PyValueError::new_err("the buffer has another size than the array")) }
}
