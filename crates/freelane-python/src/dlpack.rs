//! DLPack 1.x, both ways.
//!
//! An export is a capsule over the array's own storage with the read-only flag, holding the storage as a buffer does.
//! Consumers that do not know versions cannot see the flag and get a copy of their own. An import takes the tensor out of
//! its capsule, which is renamed, and runs the tensor's deleter once, on the thread that drops the last handle.
use crate::foreign::{Foreign, apart, finalizing};
use crate::native::{Args, Native};
use crate::object;
use freelane::{Array, DType};
use pyo3::exceptions::{PyBufferError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict};
use pyo3::{ffi, intern};
use std::ffi::{CStr, c_void};
use std::ptr::{NonNull, null_mut};

const CPU: i32 = 1;
const READ_ONLY: u64 = 1;
const IS_COPIED: u64 = 2;
const VERSION: [u32; 2] = [1, 1];
/// Axes of the largest array.
const MAX_RANK: i32 = 64;

const VERSIONED: &CStr = c"dltensor_versioned";
const LEGACY: &CStr = c"dltensor";
const USED_VERSIONED: &CStr = c"used_dltensor_versioned";
const USED_LEGACY: &CStr = c"used_dltensor";

/// `DLTensor`, in the layout that the protocol fixes.
#[repr(C)]
struct Tensor {
    data: *mut c_void,
    device: [i32; 2],
    ndim: i32,
    code: u8,
    bits: u8,
    lanes: u16,
    shape: *mut i64,
    strides: *mut i64,
    byte_offset: u64,
}

/// `DLManagedTensor`.
#[repr(C)]
struct Legacy {
    tensor: Tensor,
    context: *mut c_void,
    deleter: Option<unsafe extern "C" fn(*mut Legacy)>,
}

/// `DLManagedTensorVersioned`.
#[repr(C)]
struct Versioned {
    version: [u32; 2],
    context: *mut c_void,
    deleter: Option<unsafe extern "C" fn(*mut Versioned)>,
    flags: u64,
    tensor: Tensor,
}

/// A tensor in its managed form.
trait Managed: Sized + 'static {
    const NAME: &'static CStr;
    const USED: &'static CStr;
    fn wrap(tensor: Tensor, flags: u64) -> Self;
    fn tensor(&self) -> &Tensor;
    /// # Safety
    /// Nobody uses the tensor any more, and nobody deletes it again.
    unsafe fn delete(this: *mut Self);
}

impl Managed for Legacy {
    const NAME: &'static CStr = LEGACY;
    const USED: &'static CStr = USED_LEGACY;

    fn wrap(tensor: Tensor, _flags: u64) -> Legacy {
        Legacy { tensor, context: null_mut(), deleter: Some(delete::<Legacy>) }
    }

    fn tensor(&self) -> &Tensor {
        &self.tensor
    }

    unsafe fn delete(this: *mut Legacy) {
        // SAFETY: the caller's promise; the tensor is there until it is deleted.
        if let Some(deleter) = unsafe { (*this).deleter } {
            // SAFETY: the caller's promise.
            unsafe { deleter(this) }
        }
    }
}

impl Managed for Versioned {
    const NAME: &'static CStr = VERSIONED;
    const USED: &'static CStr = USED_VERSIONED;

    fn wrap(tensor: Tensor, flags: u64) -> Versioned {
        Versioned { version: VERSION, context: null_mut(), deleter: Some(delete::<Versioned>), flags, tensor }
    }

    fn tensor(&self) -> &Tensor {
        &self.tensor
    }

    unsafe fn delete(this: *mut Versioned) {
        // SAFETY: the caller's promise; the tensor is there until it is deleted.
        if let Some(deleter) = unsafe { (*this).deleter } {
            // SAFETY: the caller's promise.
            unsafe { deleter(this) }
        }
    }
}

/// What an exported tensor lies in: the tensor comes first.
#[repr(C)]
struct Export<M> {
    managed: M,
    _array: Array,
    _dims: Vec<i64>,
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

/// The protocol's type code and bits.
fn type_code(dtype: DType) -> (u8, u8) {
    let code = match dtype {
        DType::I8 | DType::I16 | DType::I32 | DType::I64 => 0,
        DType::U8 | DType::U16 | DType::U32 | DType::U64 => 1,
        DType::F16 | DType::F32 | DType::F64 => 2,
        DType::BF16 => 4,
        DType::C64 | DType::C128 => 5,
        DType::Bool => 6,
    };
    (code, dtype.size() as u8 * 8)
}

fn capsule_of<M: Managed>(py: Python<'_>, array: Array, flags: u64) -> PyResult<Bound<'_, PyAny>> {
    let ndim = array.rank();
    let lengths = array.shape().iter().map(|&n| n as i64);
    // One more, so that no pointer dangles for an array without axes.
    let mut dims: Vec<i64> = lengths.chain(array.strides().iter().map(|&s| s as i64)).chain([0]).collect();
    let (code, bits) = type_code(array.dtype());
    let data = if array.is_empty() { null_mut() } else { array.data().as_ptr().cast_mut().cast() };
    let shape = dims.as_mut_ptr();
    let strides = shape.wrapping_add(ndim);
    let tensor =
        Tensor { data, device: [CPU, 0], ndim: ndim as i32, code, bits, lanes: 1, shape, strides, byte_offset: 0 };
    let export = Box::new(Export { managed: M::wrap(tensor, flags), _array: array, _dims: dims });
    let pointer = NonNull::from(Box::leak(export)).cast::<c_void>();
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

fn dlpack<'py>(py: Python<'py>, args: &Args<'_, 'py>) -> PyResult<Bound<'py, PyAny>> {
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
        if copy == Some(false) {
            return Err(PyBufferError::new_err(
                "without a copy the memory is read-only, which only DLPack 1.0 and later can say: pass max_version=(1, 0)",
            ));
        }
        return capsule_of::<Legacy>(py, apart(py, array.nbytes(), || array.copy())?, 0);
    }
    if copy == Some(true) {
        return capsule_of::<Versioned>(py, apart(py, array.nbytes(), || array.copy())?, IS_COPIED);
    }
    capsule_of::<Versioned>(py, array, READ_ONLY)
}

fn dlpack_device<'py>(py: Python<'py>, args: &Args<'_, 'py>) -> PyResult<Bound<'py, PyAny>> {
    object::read(args.required(0))?;
    Ok((CPU, 0).into_pyobject(py)?.into_any())
}

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

/// Where a tensor's elements are.
struct Described {
    first: *const u8,
    dtype: DType,
    shape: Vec<usize>,
    strides: Vec<isize>,
}

fn malformed(problem: impl std::fmt::Display) -> PyErr {
    PyBufferError::new_err(format!("malformed DLPack tensor: {problem}"))
}

fn dtype_of(tensor: &Tensor) -> PyResult<DType> {
    let kinds = || DType::ALL.iter().copied();
    let found = kinds().find(|&d| type_code(d) == (tensor.code, tensor.bits));
    let named = (tensor.code, tensor.bits, tensor.lanes);
    match found {
        Some(dtype) if tensor.lanes == 1 => Ok(dtype),
        _ => Err(PyTypeError::new_err(format!(
            "DLPack elements of (type code, bits, lanes) {named:?} are not supported; convert them first"
        ))),
    }
}

impl Tensor {
    /// # Safety
    /// `shape` and `strides` are null or point to `ndim` numbers.
    unsafe fn describe(&self) -> PyResult<Described> {
        if self.device[0] != CPU {
            let device = (self.device[0], self.device[1]);
            return Err(PyBufferError::new_err(format!("the data is on device {device:?}; move it to the CPU first")));
        }
        if !(0..=MAX_RANK).contains(&self.ndim) {
            return Err(malformed(format_args!("{} axes; there can be 0 to {MAX_RANK}", self.ndim)));
        }
        let (dtype, rank) = (dtype_of(self)?, self.ndim as usize);
        if rank > 0 && self.shape.is_null() {
            return Err(malformed("it has axes and no shape"));
        }
        let numbers = |at: *mut i64| {
            // SAFETY: the caller says that there are `ndim` numbers.
            if rank == 0 { &[][..] } else { unsafe { std::slice::from_raw_parts(at, rank) } }
        };
        let lengths = numbers(self.shape);
        let overflow = || malformed(format_args!("shape {lengths:?} exceeds the address space"));
        let shape: Vec<usize> = lengths
            .iter()
            .map(|&n| usize::try_from(n).map_err(|_| malformed(format_args!("negative length in shape {lengths:?}"))))
            .collect::<PyResult<_>>()?;
        let strides = if self.strides.is_null() { row_major(&shape) } else { Some(numbers(self.strides).to_vec()) };
        let bytes = |s: i64| isize::try_from(s).ok()?.checked_mul(dtype.size() as isize);
        let strides =
            strides.and_then(|s| s.into_iter().map(bytes).collect::<Option<Vec<_>>>()).ok_or_else(overflow)?;
        let empty = shape.contains(&0);
        if self.data.is_null() && !empty {
            return Err(malformed("it has elements and no data"));
        }
        let first = (self.data.addr() as u64).checked_add(self.byte_offset).ok_or_else(overflow)?;
        let first = self.data.cast_const().cast::<u8>().with_addr(usize::try_from(first).map_err(|_| overflow())?);
        Ok(Described { first, dtype, shape, strides })
    }
}

/// Strides, in elements, of row-major order without gaps.
fn row_major(shape: &[usize]) -> Option<Vec<i64>> {
    let (mut strides, mut step) = (vec![0; shape.len()], 1i64);
    for (s, &n) in strides.iter_mut().zip(shape).rev() {
        *s = step;
        step = step.checked_mul(i64::try_from(n.max(1)).ok()?)?;
    }
    Some(strides)
}

/// The array over a tensor in a capsule, which is marked as used unless there is an error in what it says.
fn take<M: Managed>(capsule: &Bound<'_, PyCapsule>, copy: Option<bool>) -> PyResult<Array> {
    let managed = capsule.pointer_checked(Some(M::NAME))?.cast::<M>().as_ptr();
    // SAFETY: a capsule of this name holds a managed tensor that nobody took yet.
    let tensor = unsafe { (*managed).tensor() };
    // SAFETY: the protocol says that shape and strides have `ndim` numbers.
    let Described { first, dtype, shape, strides } = unsafe { tensor.describe() }?;
    // SAFETY: a capsule, attached; the name is static.
    if unsafe { ffi::PyCapsule_SetName(capsule.as_ptr(), M::USED.as_ptr()) } != 0 {
        return Err(PyErr::fetch(capsule.py()));
    }
    let foreign = Foreign { first, dtype, swapped: false, shape, strides, keep: Box::new(Taken(managed)) };
    // SAFETY: the protocol says that the elements can be read until the deleter runs, which dropping `Taken` does.
    unsafe { foreign.into_array(capsule.py(), copy) }
}

/// The array in a DLPack capsule of either kind.
fn import(capsule: &Bound<'_, PyAny>, copy: Option<bool>) -> PyResult<Array> {
    let capsule = capsule
        .cast::<PyCapsule>()
        .map_err(|_| PyTypeError::new_err("__dlpack__ must return a capsule; it returned something else"))?;
    if capsule.is_valid_checked(Some(LEGACY)) {
        return take::<Legacy>(capsule, copy);
    }
    if !capsule.is_valid_checked(Some(VERSIONED)) {
        return Err(PyValueError::new_err(
            "the capsule is no DLPack tensor, or was used before: each can be used once",
        ));
    }
    let managed = capsule.pointer_checked(Some(VERSIONED))?.cast::<[u32; 2]>();
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
            method.call0().inspect_err(|again| again.set_cause(py, Some(e)))
        }
        result => result,
    }
}

/// The array that an object offers through DLPack; `None` if it does not.
///
/// # Errors
/// When the data is elsewhere than on the CPU, of a type that arrays do not hold, or malformed.
pub fn from_dlpack_object(x: &Bound<'_, PyAny>, to_cpu: bool, copy: Option<bool>) -> PyResult<Option<Array>> {
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
        run: dlpack,
    },
    Native {
        signature: "__dlpack_device__(self)",
        doc: "Where the elements are: (1, 0), the CPU.",
        run: dlpack_device,
    },
];
