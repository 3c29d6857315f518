//! Memory of somebody else as an array.
//!
//! ```text
//! buffer, dlpack, arrow  ->  Foreign (where, what, how)  ->  Array over that memory, read-only
//!                                                        \>  copy: other byte order, misaligned, bool, or asked for
//! ```
//!
//! The array holds what keeps the memory alive and drops it with its last handle, on whatever thread that happens. Bools
//! are always copied: their owner may store bytes that are neither 0 nor 1, now or later.
use crate::errors::to_py;
use crate::{arrow, buffer, detach, dlpack};
use freelane::mem::Buffer;
use freelane::{Array, ArrayData, DType, Layout, OpsError};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};
use smallvec::SmallVec;
use std::ptr::NonNull;

/// Lengths of axes.
pub type Dims = SmallVec<[usize; 4]>;
/// Distances in bytes.
pub type Strides = SmallVec<[isize; 4]>;

/// Elements somewhere in memory, and what keeps them there.
pub struct Foreign<K> {
    /// The element of index `[0, 0, ..]`.
    pub first: *const u8,
    /// The type of the elements.
    pub dtype: DType,
    /// Whether their bytes are in the other order.
    pub swapped: bool,
    /// Lengths of the axes.
    pub shape: Dims,
    /// Distances between neighbours along each axis, in bytes.
    pub strides: Strides,
    /// Dropped when nobody uses the memory any more; may not need the interpreter to be attached.
    pub keep: K,
}

impl<K: Send + 'static> Foreign<K> {
    /// The array: over the memory where that can be, else a copy. `copy` says `Some(true)` always, `Some(false)` never.
    ///
    /// # Safety
    /// Every element that shape and strides reach from `first` can be read as long as `keep` lives.
    ///
    /// # Errors
    /// When sizes overflow, memory cannot be had, or a copy is needed and not wanted.
    pub unsafe fn into_array(self, py: Python<'_>, copy: Option<bool>) -> PyResult<Array> {
        let Foreign { first, dtype, swapped, shape, strides, keep } = self;
        if shape.contains(&0) {
            return Array::zeros(&shape, dtype).map_err(to_py);
        }
        let place = Place::of(first, dtype, &shape, &strides)?;
        let steps = if swapped && dtype.size() > 1 { None } else { place.steps(dtype, &shape, &strides) };
        // SAFETY: the caller says that the elements can be read while `keep` lives; the bytes between them are not read.
        let buffer = unsafe { Buffer::from_external(place.base, place.len, Box::new(move || drop(keep))) };
        let buffer = buffer.map_err(to_py)?;
        let Some(steps) = steps else { return copied(py, buffer, &place, dtype, swapped, (&shape, &strides), copy) };
        let layout = Layout::strided(&shape, &steps, place.offset / dtype.size()).map_err(to_py)?;
        // SAFETY: the caller says that the elements can be read, and any bytes are values of a dtype that is not bool.
        let array: Array = unsafe { ArrayData::new(buffer, dtype, layout) }.map_err(to_py)?.into();
        if copy == Some(true) { apart(py, array.nbytes(), || array.copy()) } else { Ok(array) }
    }
}

/// The memory that elements reach.
struct Place {
    base: NonNull<u8>,
    len: usize,
    /// Of the first element.
    offset: usize,
}

impl Place {
    fn of(first: *const u8, dtype: DType, shape: &[usize], strides: &[isize]) -> PyResult<Place> {
        let too_large = || PyValueError::new_err(format!("shape {shape:?} exceeds the address space"));
        let (low, high) = reach(shape, strides).ok_or_else(too_large)?;
        let len = high.checked_sub(low).and_then(|n| n.checked_add_unsigned(dtype.size())).ok_or_else(too_large)?;
        let base = NonNull::new(first.wrapping_offset(low).cast_mut())
            .ok_or_else(|| PyValueError::new_err("the elements are at address 0"))?;
        Ok(Place { base, len: len.unsigned_abs(), offset: low.unsigned_abs() })
    }

    /// Strides in elements, if the elements can be used where they are.
    fn steps(&self, dtype: DType, shape: &[usize], strides: &[isize]) -> Option<Strides> {
        let size = dtype.size() as isize;
        let even = shape.iter().zip(strides).all(|(&n, s)| n == 1 || s % size == 0);
        let usable = even && dtype != DType::Bool && self.base.addr().get().is_multiple_of(dtype.align());
        usable.then(|| strides.iter().map(|s| s / size).collect())
    }
}

/// A copy of elements that cannot be used where they are.
fn copied(
    py: Python<'_>,
    buffer: Buffer,
    place: &Place,
    dtype: DType,
    swapped: bool,
    (shape, strides): (&[usize], &[isize]),
    copy: Option<bool>,
) -> PyResult<Array> {
    if copy == Some(false) {
        let why = if dtype == DType::Bool { "bools are always checked and copied" } else { "byte order or alignment" };
        return Err(PyValueError::new_err(format!(
            "this {dtype} data cannot be used without a copy ({why}); pass copy=None or copy=True"
        )));
    }
    let layout = Layout::strided(shape, strides, place.offset).map_err(to_py)?;
    // SAFETY: any initialised byte is a `u8`, and the elements are initialised.
    let bytes: Array = unsafe { ArrayData::new(buffer, DType::U8, layout) }.map_err(to_py)?.into();
    match dtype {
        DType::Bool => apart(py, bytes.nbytes(), || bytes.astype(DType::Bool)),
        _ => regular(py, &bytes, dtype, swapped && dtype.size() > 1, shape, strides),
    }
}

/// The lowest and highest byte, relative to the first element, at which an element starts.
pub fn reach(shape: &[usize], strides: &[isize]) -> Option<(isize, isize)> {
    let (mut low, mut high) = (0isize, 0isize);
    for (&n, &s) in shape.iter().zip(strides) {
        let span = s.checked_mul(isize::try_from(n - 1).ok()?)?;
        if span < 0 { low = low.checked_add(span)? } else { high = high.checked_add(span)? }
    }
    Some((low, high))
}

/// A copy whose elements are aligned and in native order.
fn regular(
    py: Python<'_>,
    bytes: &Array,
    dtype: DType,
    swapped: bool,
    shape: &[usize],
    strides: &[isize],
) -> PyResult<Array> {
    let number = dtype.real().size();
    let (step, start) = if swapped { (-1, number - 1) } else { (1, 0) };
    let shape_of_bytes = [shape, &[dtype.size() / number, number]].concat();
    let strides_of_bytes = [strides, &[number as isize, step]].concat();
    let offset = bytes.data().layout().offset() + start;
    let layout = Layout::strided(&shape_of_bytes, &strides_of_bytes, offset).map_err(to_py)?;
    let each: Array = bytes.data().with_layout(layout).map_err(to_py)?.into();
    let copy = apart(py, each.nbytes(), || each.copy())?;
    retyped(&copy, dtype, shape).ok_or_else(|| PyTypeError::new_err(format!("cannot read {dtype} elements")))
}

/// Bytes without gaps as the elements of another array; `None` if they do not fit, or would have to be bools.
pub fn retyped(bytes: &Array, dtype: DType, shape: &[usize]) -> Option<Array> {
    let data = bytes.data();
    if dtype == DType::Bool || !data.layout().is_contiguous() {
        return None;
    }
    let layout = Layout::contiguous(shape).ok()?;
    let fits = layout.len().checked_mul(dtype.size()) == Some(bytes.nbytes());
    let at = data.layout().offset();
    if !fits || !at.is_multiple_of(dtype.size()) {
        return None;
    }
    let layout = Layout::strided(shape, layout.strides(), at / dtype.size()).ok()?;
    // SAFETY: the bytes are initialised, as those of an array, and any bytes are values of a dtype that is not bool.
    unsafe { ArrayData::new(data.buffer().clone(), dtype, layout) }.ok().map(Into::into)
}

/// The elements of an array without gaps as bytes, sharing its storage.
pub fn as_bytes(array: &Array) -> Option<Array> {
    let data = array.data();
    if !data.layout().is_contiguous() {
        return None;
    }
    let at = if array.is_empty() { 0 } else { data.layout().offset() * array.dtype().size() };
    let layout = Layout::strided(&[array.nbytes()], &[1], at).ok()?;
    // SAFETY: elements are initialised and have no padding.
    unsafe { ArrayData::new(data.buffer().clone(), DType::U8, layout) }.ok().map(Into::into)
}

/// Moves `bytes` bytes, detached from the interpreter if that is much.
pub fn apart(py: Python<'_>, bytes: usize, work: impl FnOnce() -> Result<Array, OpsError>) -> PyResult<Array> {
    detach::run(py, bytes as u64 / 4, work).map_err(to_py)
}

/// The array over what an object offers by any protocol: buffer, Arrow, DLPack, NumPy's. `None` if it has none of them.
///
/// # Errors
/// When the elements are of a type that arrays do not hold, or a copy is needed and not wanted.
pub fn from_object(obj: &Bound<'_, PyAny>, copy: Option<bool>) -> PyResult<Option<Array>> {
    if obj.is_instance_of::<PyList>() || obj.is_instance_of::<PyTuple>() {
        return Ok(None);
    }
    if let Some(array) = buffer::from_buffer(obj, copy)? {
        return Ok(Some(array));
    }
    if let Some(array) = shaped(obj, copy)? {
        return Ok(Some(array));
    }
    if let Some(array) = arrow::from_arrow(obj, copy)? {
        return Ok(Some(array));
    }
    if let Some(array) = dlpack::from_dlpack_object(obj, false, copy)? {
        return Ok(Some(array));
    }
    let method = intern!(obj.py(), "__array__");
    if !obj.hasattr(method)? {
        return Ok(None);
    }
    buffer::from_buffer(&obj.call_method0(method)?, copy)
}

/// What has both Arrow's one axis and a description for NumPy, as images have, has the shape of the description.
fn shaped(obj: &Bound<'_, PyAny>, copy: Option<bool>) -> PyResult<Option<Array>> {
    let py = obj.py();
    if !obj.hasattr(intern!(py, "__arrow_c_array__"))? || !obj.hasattr(intern!(py, "__array_interface__"))? {
        return Ok(None);
    }
    let array = py.import(intern!(py, "numpy"))?.call_method1(intern!(py, "asarray"), (obj,))?;
    // NumPy takes strides as they are given.
    if !buffer::lies_within(&array, &array.getattr(intern!(py, "base"))?) {
        return Err(PyValueError::new_err("__array_interface__ describes elements outside of its data"));
    }
    buffer::from_buffer(&array, copy)
}

/// Whether the interpreter is on its way out, so that nothing of Python may be touched from other threads.
pub fn finalizing() -> bool {
    #[cfg(Py_3_13)]
    // SAFETY: reads a flag; may be called at any time.
    return unsafe { pyo3::ffi::Py_IsFinalizing() } != 0;
    #[cfg(not(Py_3_13))]
    {
        unsafe extern "C" {
            fn _Py_IsFinalizing() -> std::ffi::c_int;
        }
        // SAFETY: reads a flag; may be called at any time.
        unsafe { _Py_IsFinalizing() != 0 }
    }
}
