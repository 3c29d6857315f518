//! Our arrays for others.
use super::tensor::{CPU, IS_COPIED, Legacy, Managed, READ_ONLY, Tensor, Versioned, type_code};
use crate::foreign::apart;
use crate::native::Args;
use crate::object;
use freelane::Array;
use pyo3::exceptions::PyBufferError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use smallvec::SmallVec;
use std::ffi::c_void;
use std::ptr::{NonNull, null_mut};

/// What an exported tensor lies in: the tensor comes first.
#[repr(C)]
struct Export<M> {
    managed: M,
    _array: Array,
    dims: SmallVec<[i64; 9]>,
}

/// The deleter of our exports: drops the storage's handle. Needs no interpreter.
unsafe extern "C" fn delete<M: Managed>(managed: *mut M) {
    // SAFETY: `capsule_of` made it of a box, in which the tensor comes first; a deleter is called once.
    drop(unsafe { Box::from_raw(managed.cast::<Export<M>>()) });
}

/// The destructor of our capsules: deletes a tensor that nobody took out.
unsafe extern "C" fn drop_capsule<M: Managed>(capsule: *mut ffi::PyObject) {
    // SAFETY: called with a capsule that is going away, attached.
    if unsafe { ffi::PyCapsule_IsValid(capsule, M::NAME.as_ptr()) } == 1 {
        // SAFETY: valid under this name, as checked.
        let managed = unsafe { ffi::PyCapsule_GetPointer(capsule, M::NAME.as_ptr()) };
        // SAFETY: the name says that nobody took the tensor.
        unsafe { M::delete(managed.cast()) };
    }
}

fn capsule_of<M: Managed>(py: Python<'_>, array: Array, flags: u64) -> PyResult<Bound<'_, PyAny>> {
    let ndim = array.rank();
    let lengths = array.shape().iter().map(|&n| n as i64);
    // One more, so that no pointer dangles for an array without axes.
    let dims = lengths.chain(array.strides().iter().map(|&s| s as i64)).chain([0]).collect();
    let (code, bits) = type_code(array.dtype());
    let data = if array.is_empty() { null_mut() } else { array.data().as_ptr().cast_mut().cast() };
    let (shape, strides, device) = (null_mut(), null_mut(), [CPU, 0]);
    let tensor = Tensor { data, device, ndim: ndim as i32, code, bits, lanes: 1, shape, strides, byte_offset: 0 };
    let export = Box::leak(Box::new(Export { managed: M::wrap(tensor, flags, delete::<M>), _array: array, dims }));
    // Short dims lie in the box itself, so they are looked for where they stay.
    let shape = export.dims.as_mut_ptr();
    let tensor = export.managed.tensor_mut();
    (tensor.shape, tensor.strides) = (shape, shape.wrapping_add(ndim));
    let pointer = NonNull::from(export).cast::<c_void>();
    // SAFETY: the pointer is what `drop_capsule` expects under this name.
    let capsule = unsafe { PyCapsule::new_with_pointer_and_destructor(py, pointer, M::NAME, Some(drop_capsule::<M>)) };
    match capsule {
        Ok(capsule) => Ok(capsule.into_any()),
        Err(e) => {
            // SAFETY: there is no capsule, so nobody else has the pointer.
            unsafe { M::delete(pointer.as_ptr().cast()) };
            Err(e)
        }
    }
}

pub(super) fn dlpack<'py>(py: Python<'py>, args: &Args<'_, 'py>) -> PyResult<Bound<'py, PyAny>> {
    let array = object::snapshot(args.required(0))?;
    if args.some(1).is_some() {
        return Err(PyBufferError::new_err("arrays live on the CPU, which has no streams: stream must be None"));
    }
    if let Some(device) = args.some(3) {
        let wanted: (i32, i32) = device.extract()?;
        if wanted != (CPU, 0) {
            return Err(PyBufferError::new_err(format!("arrays live on the CPU, device (1, 0), not on {wanted:?}")));
        }
    }
    let copy: Option<bool> = args.some(4).map(|v| v.is_truthy()).transpose()?;
    let versions = args.some(2).map(|v| v.extract::<(u32, u32)>()).transpose()?;
    if versions.is_none_or(|(major, _)| major < 1) {
        // Before 1.0 nothing can say that memory is read-only: a copy is the answer, unless the caller rules it out.
        let given = if copy == Some(false) { array } else { apart(py, array.nbytes(), || array.copy())? };
        return capsule_of::<Legacy>(py, given, 0);
    }
    if copy == Some(true) {
        return capsule_of::<Versioned>(py, apart(py, array.nbytes(), || array.copy())?, IS_COPIED);
    }
    capsule_of::<Versioned>(py, array, READ_ONLY)
}

pub(super) fn dlpack_device<'py>(py: Python<'py>, args: &Args<'_, 'py>) -> PyResult<Bound<'py, PyAny>> {
    object::read(args.required(0))?;
    Ok((CPU, 0).into_pyobject(py)?.into_any())
}
