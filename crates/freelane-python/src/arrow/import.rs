//! Others' vectors as arrays.
use super::layout::{Released, Schema, Vector, format_of, release};
use crate::errors::to_py;
use crate::foreign::{Foreign, finalizing};
use freelane::{Array, DType};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::critical_section::with_critical_section;
use pyo3::types::PyCapsule;
use smallvec::smallvec;
use std::ffi::CStr;
use std::ptr::NonNull;

/// A vector taken out of its capsule.
struct Taken(Vector);

impl Drop for Taken {
    fn drop(&mut self) {
        if !finalizing() {
            release(&mut self.0);
        }
    }
}

impl Taken {
    /// # Safety
    /// `at` points to a live vector, which nobody else uses meanwhile.
    unsafe fn take(at: NonNull<Vector>) -> Option<Taken> {
        // SAFETY: the caller's promise.
        let vector = unsafe { at.read() };
        vector.release?;
        // SAFETY: the caller's promise. The interface lets a vector be moved like this.
        unsafe { (*at.as_ptr()).release = None };
        Some(Taken(vector))
    }

    /// Where the parts of the vector start: which elements are there, and the elements.
    ///
    /// # Safety
    /// The vector says the truth about its buffers.
    unsafe fn buffers(&self) -> PyResult<[*const u8; 2]> {
        let v = &self.0;
        if v.n_buffers != 2 || v.n_children != 0 || !v.dictionary.is_null() || v.buffers.is_null() {
            return Err(malformed("it is no vector of numbers"));
        }
        let sum = v.length.checked_add(v.offset);
        if v.length < 0 || v.offset < 0 || sum.is_none() {
            return Err(malformed(format_args!("length {} from {} on", v.length, v.offset)));
        }
        // SAFETY: there are two buffers, as checked.
        let [valid, data] = unsafe { v.buffers.cast::<[*const u8; 2]>().read() };
        if data.is_null() && v.length > 0 {
            return Err(malformed("it has elements and no data"));
        }
        Ok([valid, data])
    }

    /// # Safety
    /// `valid` is null or has a bit for each element up to the last.
    unsafe fn nulls(&self, valid: *const u8) -> usize {
        if valid.is_null() || self.0.null_count == 0 {
            return 0;
        }
        // SAFETY: the caller's promise.
        (0..self.0.length).filter(|i| !unsafe { bit(valid, self.0.offset + i) }).count()
    }
}

/// # Safety
/// `bits` has a bit at `at`, which is not negative.
unsafe fn bit(bits: *const u8, at: i64) -> bool {
    // SAFETY: the caller's promise.
    unsafe { *bits.offset((at / 8) as isize) >> (at % 8) & 1 == 1 }
}

fn malformed(problem: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(format!("malformed Arrow array: {problem}"))
}

/// The array over a vector's memory; of bools a copy.
///
/// # Safety
/// The vector says the truth about its buffers.
unsafe fn adopt(py: Python<'_>, taken: Taken, dtype: DType, copy: Option<bool>) -> PyResult<Array> {
    // SAFETY: the caller's promise.
    let [valid, data] = unsafe { taken.buffers() }?;
    // SAFETY: the interface says that there is a bit for each element.
    let nulls = unsafe { taken.nulls(valid) };
    if nulls > 0 {
        return Err(PyValueError::new_err(format!(
            "the Arrow array has {nulls} missing values, which arrays cannot hold; fill or drop them first (fill_null, drop_null)"
        )));
    }
    let (length, offset) = (taken.0.length as usize, taken.0.offset);
    if dtype == DType::Bool {
        if copy == Some(false) {
            return Err(PyValueError::new_err("Arrow's bools are single bits and must be copied; pass copy=None"));
        }
        // SAFETY: there is a bit for each element.
        let values = (0..length as i64).map(|i| unsafe { bit(data, offset + i) }).collect();
        return Array::from_vec::<bool>(values, &[length]).map_err(to_py);
    }
    let start = (offset as isize).checked_mul(dtype.size() as isize).ok_or_else(|| malformed("its offset"))?;
    let strides = smallvec![dtype.size() as isize];
    let first = data.wrapping_offset(start);
    let foreign = Foreign { first, dtype, swapped: false, shape: smallvec![length], strides, keep: taken };
    // SAFETY: `length` elements can be read from there on until the vector is released, which dropping `Taken` does.
    unsafe { foreign.into_array(py, copy) }
}

fn dtype_of(schema: &Bound<'_, PyAny>) -> PyResult<DType> {
    let schema = schema.cast::<PyCapsule>()?.pointer_checked(Some(Schema::NAME))?.cast::<Schema>();
    // SAFETY: a capsule of this name holds a schema.
    let schema = unsafe { schema.as_ref() };
    if schema.release.is_none() || schema.format.is_null() {
        return Err(malformed("its schema was released"));
    }
    // SAFETY: the format of a live schema is a string.
    let format = unsafe { CStr::from_ptr(schema.format) };
    let found = DType::ALL.iter().copied().find(|&d| format_of(d) == Some(format));
    let plain = schema.n_children == 0 && schema.dictionary.is_null();
    found.filter(|_| plain).ok_or_else(|| {
        let format = format.to_string_lossy();
        PyTypeError::new_err(format!(
            "Arrow elements of format '{format}' are not supported; cast them to numbers first"
        ))
    })
}

/// The array that an object offers through the Arrow C data interface; `None` if it does not.
///
/// # Errors
/// When elements are missing, or of a type that arrays do not hold.
pub(crate) fn from_arrow(obj: &Bound<'_, PyAny>, copy: Option<bool>) -> PyResult<Option<Array>> {
    let py = obj.py();
    let method = intern!(py, "__arrow_c_array__");
    if !obj.hasattr(method)? {
        return Ok(None);
    }
    let pair = obj.call_method0(method)?;
    let (schema, vector): (Bound<'_, PyAny>, Bound<'_, PyAny>) = pair.extract()?;
    let dtype = dtype_of(&schema)?;
    let vector = vector.cast::<PyCapsule>()?;
    // Of threads that meet at one capsule, one takes the vector.
    let taken = with_critical_section(vector, || {
        let vector = vector.pointer_checked(Some(Vector::NAME))?.cast::<Vector>();
        // SAFETY: a capsule of this name holds a vector, which nobody else uses meanwhile.
        unsafe { Taken::take(vector) }.ok_or_else(|| malformed("it was released or used before"))
    })?;
    // SAFETY: the interface says so.
    unsafe { adopt(py, taken, dtype, copy) }.map(Some)
}
