//! Our arrays for others.
use super::layout::{Released, Schema, Vector, format_of, release};
use crate::errors::to_py;
use crate::foreign::apart;
use crate::native::Args;
use crate::object;
use freelane::{Array, DType};
use pyo3::exceptions::PyTypeError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyTuple};
use std::ffi::{CStr, c_void};
use std::ptr::{NonNull, null, null_mut};

/// What an exported vector points to.
struct Export {
    buffers: [*const c_void; 2],
    _storage: Array,
}

unsafe extern "C" fn release_schema(schema: *mut Schema) {
    // SAFETY: called with a live schema; ours owns nothing.
    unsafe { (*schema).release = None }
}

unsafe extern "C" fn release_vector(vector: *mut Vector) {
    // SAFETY: called with a live vector of ours, whose private data is a box made in `vector_of`.
    drop(unsafe { Box::from_raw((*vector).private_data.cast::<Export>()) });
    // SAFETY: as above.
    unsafe { (*vector).release = None }
}

fn schema_of(format: &'static CStr) -> Schema {
    Schema {
        format: format.as_ptr(),
        name: c"".as_ptr(),
        metadata: null(),
        flags: 0,
        n_children: 0,
        children: null_mut(),
        dictionary: null_mut(),
        release: Some(release_schema),
        private_data: null_mut(),
    }
}

/// A vector over the elements of an array without gaps; `storage` has them in the interface's form.
fn vector_of(length: usize, storage: Array) -> Vector {
    let buffers = [null(), storage.data().as_ptr().cast()];
    let export = Box::into_raw(Box::new(Export { buffers, _storage: storage }));
    Vector {
        length: length as i64,
        null_count: 0,
        offset: 0,
        n_buffers: 2,
        n_children: 0,
        // SAFETY: made of a box just now; only the address is taken.
        buffers: unsafe { &raw mut (*export).buffers }.cast(),
        children: null_mut(),
        dictionary: null_mut(),
        release: Some(release_vector),
        private_data: export.cast(),
    }
}

unsafe extern "C" fn drop_capsule<T: Released>(capsule: *mut ffi::PyObject) {
    // SAFETY: called with a capsule of ours that is going away, attached.
    let held = unsafe { ffi::PyCapsule_GetPointer(capsule, T::NAME.as_ptr()) };
    if !held.is_null() {
        // SAFETY: `capsule_of` made it of a box, and the capsule goes away once.
        let mut held = unsafe { Box::from_raw(held.cast::<T>()) };
        release(&mut *held);
    }
}

fn capsule_of<T: Released>(py: Python<'_>, value: T) -> PyResult<Bound<'_, PyCapsule>> {
    let pointer = NonNull::from(Box::leak(Box::new(value))).cast();
    // SAFETY: the pointer is what `drop_capsule` expects under this name.
    unsafe { PyCapsule::new_with_pointer_and_destructor(py, pointer, T::NAME, Some(drop_capsule::<T>)) }
}

/// Bools as single bits, the first in the lowest place.
fn packed(array: &Array) -> PyResult<Array> {
    let mut bits = Array::zeros(&[array.len().div_ceil(8)], DType::U8).map_err(to_py)?;
    let values = array.view::<bool>().map_err(to_py)?;
    let mut view = bits.view_mut::<u8>().map_err(to_py)?;
    if let Some(bytes) = view.as_mut_slice() {
        for (i, value) in values.iter().enumerate() {
            bytes[i / 8] |= u8::from(value) << (i % 8);
        }
    }
    Ok(bits)
}

pub(super) fn arrow_c_array<'py>(py: Python<'py>, args: &Args<'_, 'py>) -> PyResult<Bound<'py, PyAny>> {
    let array = object::snapshot(args.required(0))?;
    let format = format_of(array.dtype()).ok_or_else(|| {
        PyTypeError::new_err(format!("Arrow has no {}; convert with x.astype(freelane.float32) first", array.dtype()))
    })?;
    if array.rank() != 1 {
        return Err(PyTypeError::new_err(format!(
            "Arrow takes arrays of one axis, this has {}; take x.reshape(-1)",
            array.rank()
        )));
    }
    let storage = match array.dtype() {
        DType::Bool => packed(&array)?,
        _ => apart(py, array.nbytes(), || array.contiguous())?,
    };
    let schema = capsule_of(py, schema_of(format))?;
    let vector = capsule_of(py, vector_of(array.len(), storage))?;
    Ok(PyTuple::new(py, [schema, vector])?.into_any())
}
