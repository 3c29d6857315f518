//! The Arrow C data interface, both ways, for arrays of one axis.
//!
//! Numbers are exchanged without copies. Bools are single bits there and bytes here, so they are copied. Missing values
//! have no counterpart and are refused.
use crate::errors::to_py;
use crate::foreign::{Foreign, apart, finalizing};
use crate::native::{Args, Native};
use crate::object;
use freelane::{Array, DType};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyTuple};
use pyo3::{ffi, intern};
use std::ffi::{CStr, c_char, c_void};
use std::ptr::{NonNull, null, null_mut};

const SCHEMA: &CStr = c"arrow_schema";
const ARRAY: &CStr = c"arrow_array";

/// `ArrowSchema`, in the layout that the interface fixes.
#[repr(C)]
struct Schema {
    format: *const c_char,
    name: *const c_char,
    metadata: *const c_char,
    flags: i64,
    n_children: i64,
    children: *mut *mut Schema,
    dictionary: *mut Schema,
    release: Option<unsafe extern "C" fn(*mut Schema)>,
    private_data: *mut c_void,
}

/// `ArrowArray`.
#[repr(C)]
struct Vector {
    length: i64,
    null_count: i64,
    offset: i64,
    n_buffers: i64,
    n_children: i64,
    buffers: *mut *const c_void,
    children: *mut *mut Vector,
    dictionary: *mut Vector,
    release: Option<unsafe extern "C" fn(*mut Vector)>,
    private_data: *mut c_void,
}

// SAFETY: the interface lets any thread read the elements and call `release`.
unsafe impl Send for Vector {}

/// What is released, and how it says that it was.
trait Released: 'static {
    const NAME: &'static CStr;
    fn release(&mut self) -> &mut Option<unsafe extern "C" fn(*mut Self)>;
}

impl Released for Schema {
    const NAME: &'static CStr = SCHEMA;
    fn release(&mut self) -> &mut Option<unsafe extern "C" fn(*mut Schema)> {
        &mut self.release
    }
}

impl Released for Vector {
    const NAME: &'static CStr = ARRAY;
    fn release(&mut self) -> &mut Option<unsafe extern "C" fn(*mut Vector)> {
        &mut self.release
    }
}

fn release<T: Released>(this: &mut T) {
    if let Some(release) = *this.release() {
        // SAFETY: not released yet, since the pointer is there; the interface says that it clears the pointer.
        unsafe { release(this) }
    }
}

/// The code of a dtype in the interface.
fn format_of(dtype: DType) -> Option<&'static CStr> {
    Some(match dtype {
        DType::Bool => c"b",
        DType::I8 => c"c",
        DType::U8 => c"C",
        DType::I16 => c"s",
        DType::U16 => c"S",
        DType::I32 => c"i",
        DType::U32 => c"I",
        DType::I64 => c"l",
        DType::U64 => c"L",
        DType::F16 => c"e",
        DType::F32 => c"f",
        DType::F64 => c"g",
        _ => return None,
    })
}

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

fn arrow_c_array<'py>(py: Python<'py>, args: &Args<'_, 'py>) -> PyResult<Bound<'py, PyAny>> {
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
    let strides = vec![dtype.size() as isize];
    let first = data.wrapping_offset(start);
    let foreign = Foreign { first, dtype, swapped: false, shape: vec![length], strides, keep: Box::new(taken) };
    // SAFETY: `length` elements can be read from there on until the vector is released, which dropping `Taken` does.
    unsafe { foreign.into_array(py, copy) }
}

fn dtype_of(schema: &Bound<'_, PyAny>) -> PyResult<DType> {
    let schema = schema.cast::<PyCapsule>()?.pointer_checked(Some(SCHEMA))?.cast::<Schema>();
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
pub fn from_arrow(obj: &Bound<'_, PyAny>, copy: Option<bool>) -> PyResult<Option<Array>> {
    let py = obj.py();
    let method = intern!(py, "__arrow_c_array__");
    if !obj.hasattr(method)? {
        return Ok(None);
    }
    let pair = obj.call_method0(method)?;
    let (schema, vector): (Bound<'_, PyAny>, Bound<'_, PyAny>) = pair.extract()?;
    let dtype = dtype_of(&schema)?;
    let vector = vector.cast::<PyCapsule>()?.pointer_checked(Some(ARRAY))?.cast::<Vector>();
    // SAFETY: a capsule of this name holds a vector, and `vector` is ours for now: it was just made for us.
    let taken = unsafe { Taken::take(vector) }.ok_or_else(|| malformed("it was released or used before"))?;
    // SAFETY: the interface says so.
    unsafe { adopt(py, taken, dtype, copy) }.map(Some)
}

/// Methods of arrays.
pub(crate) const METHODS: &[Native] = &[Native {
    signature: "__arrow_c_array__(self, requested_schema=None)",
    doc: "Capsules of the Arrow C data interface over the elements of an array of one axis. Bools are copied.",
    run: arrow_c_array,
}];
