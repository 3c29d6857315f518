//! Others' tensors as arrays.
use super::tensor::{CPU, Described, Legacy, Managed, VERSION, Versioned};
use crate::errors::discard;
use crate::foreign::{Foreign, finalizing};
use freelane::Array;
use pyo3::exceptions::{PyBufferError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::critical_section::with_critical_section;
use pyo3::types::{PyCapsule, PyDict};
use pyo3::{ffi, intern};

/// A tensor taken out of its capsule.
struct Taken<M: Managed>(*mut M);

// SAFETY: the protocol lets any thread read the elements and call the deleter.
unsafe impl<M: Managed> Send for Taken<M> {}

impl<M: Managed> Drop for Taken<M> {
    fn drop(&mut self) {
        // A deleter may need the interpreter; one that is going away takes what it owns with it.
        if !finalizing() {
            // SAFETY: the capsule was renamed when the tensor was taken, so nobody else deletes it.
            unsafe { M::delete(self.0) }
        }
    }
}

/// The array over a tensor in a capsule, which is marked as used unless there is an error in what it says.
fn take<M: Managed>(capsule: &Bound<'_, PyCapsule>, copy: Option<bool>) -> PyResult<Array> {
    // Of threads that meet at one capsule, one takes the tensor.
    let foreign = with_critical_section(capsule, || {
        let managed = capsule.pointer_checked(Some(M::NAME))?.cast::<M>().as_ptr();
        // SAFETY: a capsule of this name holds a managed tensor that nobody took yet.
        let tensor = unsafe { (*managed).tensor() };
        // SAFETY: the protocol says that shape and strides have `ndim` numbers.
        let Described { first, dtype, shape, strides } = unsafe { tensor.describe() }?;
        // SAFETY: a capsule, attached; the name is static.
        if unsafe { ffi::PyCapsule_SetName(capsule.as_ptr(), M::USED.as_ptr()) } != 0 {
            return Err(PyErr::fetch(capsule.py()));
        }
        Ok(Foreign { first, dtype, swapped: false, shape, strides, keep: Taken(managed) })
    })?;
    // SAFETY: the protocol says that the elements can be read until the deleter runs, which dropping `Taken` does.
    unsafe { foreign.into_array(capsule.py(), copy) }
}

/// The array in a DLPack capsule of either kind.
fn import(capsule: &Bound<'_, PyAny>, copy: Option<bool>) -> PyResult<Array> {
    let capsule = capsule
        .cast::<PyCapsule>()
        .map_err(|_| PyTypeError::new_err("__dlpack__ must return a capsule; it returned something else"))?;
    if capsule.is_valid_checked(Some(Legacy::NAME)) {
        return take::<Legacy>(capsule, copy);
    }
    if !capsule.is_valid_checked(Some(Versioned::NAME)) {
        return Err(PyValueError::new_err(
            "the capsule is no DLPack tensor, or was used before: each can be used once",
        ));
    }
    let managed = capsule.pointer_checked(Some(Versioned::NAME))?.cast::<[u32; 2]>();
    // SAFETY: whatever its version, a versioned tensor starts with it.
    let [major, minor] = unsafe { managed.read() };
    if major != VERSION[0] {
        return Err(PyBufferError::new_err(format!("DLPack version {major}.{minor} is not supported, 1.x is")));
    }
    take::<Versioned>(capsule, copy)
}

/// Asks for a capsule, of producers that know no versions too.
fn capsule_from<'py>(x: &Bound<'py, PyAny>, to_cpu: bool, copy: Option<bool>) -> PyResult<Bound<'py, PyAny>> {
    let py = x.py();
    let named = PyDict::new(py);
    named.set_item(intern!(py, "max_version"), (VERSION[0], VERSION[1]))?;
    if to_cpu {
        named.set_item(intern!(py, "dl_device"), (CPU, 0))?;
    }
    if let Some(copy) = copy {
        named.set_item(intern!(py, "copy"), copy)?;
    }
    let method = x.getattr(intern!(py, "__dlpack__"))?;
    match method.call((), Some(&named)) {
        Err(e) if e.is_instance_of::<PyTypeError>(py) && !to_cpu => {
            let again = method.call0();
            discard(py, e);
            again
        }
        result => result,
    }
}

/// The array that an object offers through DLPack; `None` if it does not.
///
/// # Errors
/// When the data is elsewhere than on the CPU, of a type that arrays do not hold, or malformed.
pub(crate) fn from_dlpack_object(x: &Bound<'_, PyAny>, to_cpu: bool, copy: Option<bool>) -> PyResult<Option<Array>> {
    let py = x.py();
    if !x.hasattr(intern!(py, "__dlpack__"))? {
        return Ok(None);
    }
    let (kind, id): (i32, i32) = x.call_method0(intern!(py, "__dlpack_device__"))?.extract()?;
    if kind != CPU && !to_cpu {
        return Err(PyBufferError::new_err(format!(
            "the data is on device {:?}; pass device=\"cpu\", or move it to the CPU first",
            (kind, id)
        )));
    }
    let capsule = capsule_from(x, kind != CPU, copy)?;
    import(&capsule, copy).map(Some)
}
