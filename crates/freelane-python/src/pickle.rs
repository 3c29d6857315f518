//! Pickling and copying.
//!
//! From protocol 5 on the elements travel as a buffer of their own, which `buffer_callback` takes out of band without a
//! copy; loading makes an array over whatever holds them. Older protocols carry `bytes`.
use crate::convert;
use crate::dtype::dtype_object;
use crate::errors::to_py;
use crate::foreign::{apart, as_bytes, retyped};
use crate::native::{Args, Native};
use crate::{buffer, object};
use freelane::{Array, DType};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};
use pyo3::{ffi, intern};

fn reduce<'py>(py: Python<'py>, args: &Args<'_, 'py>) -> PyResult<Bound<'py, PyAny>> {
    let array = object::snapshot(args.required(0))?;
    let protocol: i64 = args.some(1).map(|p| p.extract()).transpose()?.unwrap_or(0);
    let dense = apart(py, array.nbytes(), || array.contiguous())?;
    let bytes = as_bytes(&dense).ok_or_else(|| PyValueError::new_err("the array could not be made contiguous"))?;
    let data = if protocol >= 5 {
        let exporter = object::wrap(py, bytes)?;
        // SAFETY: attached; a new reference or null with an error set.
        unsafe { Bound::from_owned_ptr_or_err(py, PyPickleBuffer_FromObject(exporter.as_ptr())) }?
    } else {
        let bytes = bytes.data().as_bytes().unwrap_or_default();
        PyBytes::new(py, bytes).into_any()
    };
    let shape = PyTuple::new(py, array.shape())?;
    let rebuild = py.import(intern!(py, "freelane._freelane"))?.getattr(intern!(py, "_rebuild"))?;
    let parts = (data, dtype_object(py, array.dtype()), shape);
    Ok((rebuild, parts).into_pyobject(py)?.into_any())
}

unsafe extern "C" {
    fn PyPickleBuffer_FromObject(base: *mut ffi::PyObject) -> *mut ffi::PyObject;
}

/// The array whose elements lie in `data`, as pickles say.
fn rebuild<'py>(py: Python<'py>, args: &Args<'_, 'py>) -> PyResult<Bound<'py, PyAny>> {
    let dtype = convert::dtype_of(args.required(1))?;
    let shape: Vec<usize> = args.required(2).extract()?;
    let bytes = buffer::from_buffer(args.required(0), None)?
        .ok_or_else(|| PyTypeError::new_err("the elements of a pickled array must be a bytes-like object"))?;
    let wanted = freelane::Layout::contiguous(&shape).map_err(to_py)?.len().checked_mul(dtype.size());
    if bytes.dtype() != DType::U8 || bytes.rank() != 1 || wanted != Some(bytes.nbytes()) {
        return Err(PyValueError::new_err(format!(
            "a pickled {dtype} array of shape {shape:?} cannot have {} bytes",
            bytes.nbytes()
        )));
    }
    let array = elements(py, bytes, dtype, &shape)?;
    object::wrap(py, array)
}

fn elements(py: Python<'_>, bytes: Array, dtype: DType, shape: &[usize]) -> PyResult<Array> {
    if dtype == DType::Bool {
        let shape: Vec<isize> = shape.iter().map(|&n| n as isize).collect();
        return apart(py, bytes.nbytes(), || bytes.astype(DType::Bool)?.reshape(&shape));
    }
    if let Some(array) = retyped(&bytes, dtype, shape) {
        return Ok(array);
    }
    let aligned = apart(py, bytes.nbytes(), || bytes.copy())?;
    retyped(&aligned, dtype, shape)
        .ok_or_else(|| PyValueError::new_err("the elements of a pickled array do not fit it"))
}

/// Arrays are values: a copy shares storage until one of the two is written.
fn copy<'py>(py: Python<'py>, args: &Args<'_, 'py>) -> PyResult<Bound<'py, PyAny>> {
    let array = object::snapshot(args.required(0))?;
    object::wrap(py, array)
}

/// Functions of the module.
pub(crate) const FUNCTIONS: &[Native] =
    &[Native { signature: "_rebuild(data, dtype, shape, /)", doc: "The array of a pickle.", run: rebuild }];

/// Methods of arrays.
pub(crate) const METHODS: &[Native] = &[
    Native {
        signature: "__reduce_ex__(self, protocol, /)",
        doc: "What pickle needs. From protocol 5 on the elements are a buffer that can travel out of band.",
        run: reduce,
    },
    Native {
        signature: "__copy__(self)",
        doc: "Another array of the same elements; both share storage until one is written.",
        run: copy,
    },
    Native {
        signature: "__deepcopy__(self, memo, /)",
        doc: "Another array of the same elements; both share storage until one is written.",
        run: copy,
    },
];
