//! The protocol's structures, and what a tensor says of itself.
use crate::foreign::{Dims, Strides};
use freelane::DType;
use pyo3::exceptions::{PyBufferError, PyTypeError};
use pyo3::prelude::*;
use smallvec::SmallVec;
use std::ffi::{CStr, c_void};
use std::ptr::null_mut;

pub(super) const CPU: i32 = 1;
pub(super) const READ_ONLY: u64 = 1;
pub(super) const IS_COPIED: u64 = 2;
pub(super) const VERSION: [u32; 2] = [1, 1];
/// Axes of the largest array.
const MAX_RANK: i32 = 64;

/// `DLTensor`, in the layout that the protocol fixes.
#[repr(C)]
pub(super) struct Tensor {
    pub data: *mut c_void,
    pub device: [i32; 2],
    pub ndim: i32,
    pub code: u8,
    pub bits: u8,
    pub lanes: u16,
    pub shape: *mut i64,
    pub strides: *mut i64,
    pub byte_offset: u64,
}

/// `DLManagedTensor`.
#[repr(C)]
pub(super) struct Legacy {
    tensor: Tensor,
    context: *mut c_void,
    deleter: Option<unsafe extern "C" fn(*mut Legacy)>,
}

/// `DLManagedTensorVersioned`.
#[repr(C)]
pub(super) struct Versioned {
    version: [u32; 2],
    context: *mut c_void,
    deleter: Option<unsafe extern "C" fn(*mut Versioned)>,
    flags: u64,
    tensor: Tensor,
}

/// A tensor in its managed form.
pub(super) trait Managed: Sized + 'static {
    const NAME: &'static CStr;
    const USED: &'static CStr;
    fn wrap(tensor: Tensor, flags: u64, deleter: unsafe extern "C" fn(*mut Self)) -> Self;
    fn tensor(&self) -> &Tensor;
    fn tensor_mut(&mut self) -> &mut Tensor;
    /// # Safety
    /// Nobody uses the tensor any more, and nobody deletes it again.
    unsafe fn delete(this: *mut Self);
}

impl Managed for Legacy {
    const NAME: &'static CStr = c"dltensor";
    const USED: &'static CStr = c"used_dltensor";

    fn wrap(tensor: Tensor, _flags: u64, deleter: unsafe extern "C" fn(*mut Self)) -> Legacy {
        Legacy { tensor, context: null_mut(), deleter: Some(deleter) }
    }

    fn tensor(&self) -> &Tensor {
        &self.tensor
    }

    fn tensor_mut(&mut self) -> &mut Tensor {
        &mut self.tensor
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
    const NAME: &'static CStr = c"dltensor_versioned";
    const USED: &'static CStr = c"used_dltensor_versioned";

    fn wrap(tensor: Tensor, flags: u64, deleter: unsafe extern "C" fn(*mut Self)) -> Versioned {
        Versioned { version: VERSION, context: null_mut(), deleter: Some(deleter), flags, tensor }
    }

    fn tensor(&self) -> &Tensor {
        &self.tensor
    }

    fn tensor_mut(&mut self) -> &mut Tensor {
        &mut self.tensor
    }

    unsafe fn delete(this: *mut Versioned) {
        // SAFETY: the caller's promise; the tensor is there until it is deleted.
        if let Some(deleter) = unsafe { (*this).deleter } {
            // SAFETY: the caller's promise.
            unsafe { deleter(this) }
        }
    }
}

/// The protocol's type code and bits.
pub(super) fn type_code(dtype: DType) -> (u8, u8) {
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

/// Where a tensor's elements are.
pub(super) struct Described {
    pub first: *const u8,
    pub dtype: DType,
    pub shape: Dims,
    pub strides: Strides,
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
    /// Where the elements are, if that makes sense.
    ///
    /// # Safety
    /// `shape` and `strides` are null or point to `ndim` numbers.
    pub(super) unsafe fn describe(&self) -> PyResult<Described> {
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
        let shape: Dims = lengths
            .iter()
            .map(|&n| usize::try_from(n).map_err(|_| malformed(format_args!("negative length in shape {lengths:?}"))))
            .collect::<PyResult<_>>()?;
        let strides =
            if self.strides.is_null() { row_major(&shape) } else { Some(SmallVec::from_slice(numbers(self.strides))) };
        let bytes = |s: i64| isize::try_from(s).ok()?.checked_mul(dtype.size() as isize);
        let strides =
            strides.and_then(|s| s.into_iter().map(bytes).collect::<Option<Strides>>()).ok_or_else(overflow)?;
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
fn row_major(shape: &[usize]) -> Option<SmallVec<[i64; 4]>> {
    let (mut strides, mut step) = (SmallVec::from_elem(0, shape.len()), 1i64);
    for (s, &n) in strides.iter_mut().zip(shape).rev() {
        *s = step;
        step = step.checked_mul(i64::try_from(n.max(1)).ok()?)?;
    }
    Some(strides)
}
