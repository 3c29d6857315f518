//! DLPack 1.x, both ways.
//!
//! An export is a capsule over the array's own storage with the read-only flag, holding the storage as a buffer does.
//! Consumers that do not know versions cannot see the flag and get a copy of their own. An import takes the tensor out of
//! its capsule, which is renamed, and runs the tensor's deleter once, on the thread that drops the last handle.
mod export;
mod import;
mod tensor;

use crate::foreign::apart;
use crate::native::{Args, Native};
use crate::object;
pub(crate) use import::from_dlpack_object;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

fn from_dlpack<'py>(py: Python<'py>, args: &Args<'_, 'py>) -> PyResult<Bound<'py, PyAny>> {
    let x = args.required(0);
    let device = args.some(1).map(|d| d.str()).transpose()?;
    if let Some(device) = device.as_ref().filter(|d| d.to_cow().is_ok_and(|d| d != "cpu")) {
        return Err(PyValueError::new_err(format!("device must be \"cpu\" or None, not {device}")));
    }
    let copy: Option<bool> = args.some(2).map(|v| v.is_truthy()).transpose()?;
    if object::is_array(x) {
        let array = object::snapshot(x)?;
        let array = if copy == Some(true) { apart(py, array.nbytes(), || array.copy())? } else { array };
        return object::wrap(py, array);
    }
    let found = from_dlpack_object(x, device.is_some(), copy)?;
    let kind = || x.get_type().name().map_or_else(|_| "object".to_owned(), |n| n.to_string());
    let array = found.ok_or_else(|| {
        PyTypeError::new_err(format!("from_dlpack takes an object with __dlpack__, not {}; try asarray", kind()))
    })?;
    object::wrap(py, array)
}

/// Functions of the module.
pub(crate) const FUNCTIONS: &[Native] = &[Native {
    signature: "from_dlpack(x, /, *, device=None, copy=None)",
    doc: "The array that an object offers through DLPack, over its memory where that can be.\n\nBools are copied. Writing to the array copies first, so the object's memory is never written.\n\nRaises BufferError for data that is not on the CPU or malformed, TypeError for types that arrays do not hold, ValueError when copy=False and a copy is needed.",
    run: from_dlpack,
}];

/// Methods of arrays.
pub(crate) const METHODS: &[Native] = &[
    Native {
        signature: "__dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None)",
        doc: "A DLPack capsule over the elements, read-only; a copy for consumers that know no versions.",
        run: export::dlpack,
    },
    Native {
        signature: "__dlpack_device__(self)",
        doc: "Where the elements are: (1, 0), the CPU.",
        run: export::dlpack_device,
    },
];
