//! The buffer protocol, both ways.
//!
//! An export is read-only and holds the storage, so a later write to the array first takes a copy and no memory that an
//! exporter's view sees ever changes. An import is an array over the exporter's memory, see [`crate::foreign`].
use crate::errors::discard;
use crate::foreign::{Dims, Foreign, Strides, finalizing, reach};
use crate::object;
use freelane::{Array, ArrayData, DType};
use pyo3::exceptions::{PyBufferError, PyTypeError};
use pyo3::ffi;
use pyo3::prelude::*;
use std::ffi::{CStr, c_int, c_long};
use std::ptr::null_mut;

/// What a `Py_buffer` of ours points to.
struct Export {
    data: ArrayData,
    shape: Strides,
    strides: Strides,
}

impl Export {
    fn new(data: ArrayData) -> Export {
        let size = data.dtype().size() as isize;
        let shape = data.layout().shape().iter().map(|&n| n as isize).collect();
        let strides = data.layout().strides().iter().map(|s| s.wrapping_mul(size)).collect();
        Export { data, shape, strides }
    }

    fn nbytes(&self) -> isize {
        (self.data.layout().len() * self.data.dtype().size()) as isize
    }

    /// Refuses what the request asks for and this array is not.
    fn check(&self, flags: c_int) -> PyResult<()> {
        let asks = |flag| flags & flag == flag;
        let (c, f) = (self.data.layout().is_contiguous(), self.data.layout().reverse_axes().is_contiguous());
        let problem = if asks(ffi::PyBUF_WRITABLE) {
            "arrays are values: their memory is exported read-only; take numpy.array(x) for a writable copy, or write with x[...] = v"
        } else if asks(ffi::PyBUF_C_CONTIGUOUS) && !c {
            "the array is not contiguous in row-major order; take freelane.asarray(x, copy=True)"
        } else if asks(ffi::PyBUF_F_CONTIGUOUS) && !f {
            "the array is not contiguous in column-major order; take numpy.asfortranarray(x)"
        } else if asks(ffi::PyBUF_ANY_CONTIGUOUS) && !c && !f {
            "the array is not contiguous; take freelane.asarray(x, copy=True)"
        } else if !asks(ffi::PyBUF_STRIDES) && !c {
            "the array is not contiguous and the consumer takes no strides; take freelane.asarray(x, copy=True)"
        } else {
            return Ok(());
        };
        Err(PyBufferError::new_err(problem))
    }
}

/// The struct module's code of a dtype, in native order.
pub fn format_of(dtype: DType) -> Option<&'static CStr> {
    let long = size_of::<c_long>() == 8;
    Some(match dtype {
        DType::Bool => c"?",
        DType::U8 => c"B",
        DType::I8 => c"b",
        DType::U16 => c"H",
        DType::I16 => c"h",
        DType::U32 => c"I",
        DType::I32 => c"i",
        // NumPy's int64 is `long` where that has 64 bits.
        DType::U64 => {
            if long {
                c"L"
            } else {
                c"Q"
            }
        }
        DType::I64 => {
            if long {
                c"l"
            } else {
                c"q"
            }
        }
        DType::F16 => c"e",
        DType::F32 => c"f",
        DType::F64 => c"d",
        DType::C64 => c"Zf",
        DType::C128 => c"Zd",
        _ => return None,
    })
}

fn export(obj: &Bound<'_, PyAny>, flags: c_int) -> PyResult<(Box<Export>, &'static CStr)> {
    let array = object::snapshot(obj)?;
    let dtype = array.dtype();
    let format = format_of(dtype).ok_or_else(|| {
        PyBufferError::new_err(format!(
            "the buffer protocol has no {dtype}; take x.astype(freelane.float32), or DLPack, which has it"
        ))
    })?;
    let export = Box::new(Export::new(array.into()));
    export.check(flags)?;
    Ok((export, format))
}

/// `bf_getbuffer` of arrays.
///
/// # Safety
/// As CPython calls it: attached, `obj` an array, `view` writable.
pub unsafe extern "C" fn get_buffer(obj: *mut ffi::PyObject, view: *mut ffi::Py_buffer, flags: c_int) -> c_int {
    // SAFETY: CPython calls with the interpreter attached.
    let py = unsafe { Python::assume_attached() };
    // SAFETY: the caller's promise.
    let view = unsafe { &mut *view };
    view.obj = null_mut();
    // SAFETY: the caller's promise.
    let obj = unsafe { Bound::from_borrowed_ptr(py, obj) };
    let made = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| export(&obj, flags)));
    let made = made.unwrap_or_else(|_| Err(PyBufferError::new_err("exporting the array failed")));
    match made {
        Ok((export, format)) => fill(view, obj, export, format, flags),
        Err(e) => {
            e.restore(py);
            return -1;
        }
    }
    0
}

fn fill(
    view: &mut ffi::Py_buffer,
    obj: Bound<'_, PyAny>,
    mut export: Box<Export>,
    format: &'static CStr,
    flags: c_int,
) {
    let asks = |flag| flags & flag == flag;
    let rank = export.shape.len();
    view.buf = export.data.as_ptr().cast_mut().cast();
    view.obj = obj.into_ptr();
    view.len = export.nbytes();
    view.itemsize = export.data.dtype().size() as isize;
    view.readonly = 1;
    view.ndim = rank as c_int;
    view.format = if asks(ffi::PyBUF_FORMAT) { format.as_ptr().cast_mut() } else { null_mut() };
    view.shape = if asks(ffi::PyBUF_ND) && rank > 0 { export.shape.as_mut_ptr() } else { null_mut() };
    view.strides = if asks(ffi::PyBUF_STRIDES) && rank > 0 { export.strides.as_mut_ptr() } else { null_mut() };
    view.suboffsets = null_mut();
    view.internal = Box::into_raw(export).cast();
}

/// `bf_releasebuffer` of arrays.
///
/// # Safety
/// As CPython calls it: once for each successful [`get_buffer`], with its `view`.
pub unsafe extern "C" fn release_buffer(_obj: *mut ffi::PyObject, view: *mut ffi::Py_buffer) {
    // SAFETY: the caller's promise.
    let internal = unsafe { std::mem::replace(&mut (*view).internal, null_mut()) };
    if !internal.is_null() {
        // SAFETY: `fill` made it of a box, and it was taken out above.
        drop(unsafe { Box::from_raw(internal.cast::<Export>()) });
    }
}

/// A held export of somebody else, given back where that is still possible.
struct Held(Box<ffi::Py_buffer>);

// SAFETY: the protocol lets any thread read an export and, attached, give it back.
unsafe impl Send for Held {}

impl Held {
    fn get(obj: &Bound<'_, PyAny>) -> PyResult<Held> {
        let mut view = Box::new(ffi::Py_buffer::new());
        // SAFETY: the object is alive, the interpreter attached, and the box stays where it is.
        let status = unsafe { ffi::PyObject_GetBuffer(obj.as_ptr(), &mut *view, ffi::PyBUF_RECORDS_RO) };
        if status < 0 { Err(PyErr::fetch(obj.py())) } else { Ok(Held(view)) }
    }

    fn format(&self) -> &CStr {
        // SAFETY: a format is a string of the exporter's that lives as long as the export.
        if self.0.format.is_null() { c"B" } else { unsafe { CStr::from_ptr(self.0.format) } }
    }

    /// Lengths and strides in bytes, if they make sense.
    fn dims(&self) -> Option<(Dims, Strides)> {
        let rank = usize::try_from(self.0.ndim).ok()?;
        if rank == 0 {
            return Some((Dims::new(), Strides::new()));
        }
        if self.0.shape.is_null() || !self.0.suboffsets.is_null() {
            return None;
        }
        // SAFETY: the exporter says that there are `ndim` lengths.
        let shape = unsafe { std::slice::from_raw_parts(self.0.shape, rank) };
        let shape = shape.iter().map(|&n| usize::try_from(n)).collect::<Result<Dims, _>>().ok()?;
        if self.0.strides.is_null() {
            let strides = row_major(&shape, self.0.itemsize)?;
            return Some((shape, strides));
        }
        // SAFETY: as for the lengths.
        let strides = unsafe { std::slice::from_raw_parts(self.0.strides, rank) };
        Some((shape, Strides::from_slice(strides)))
    }
}

/// Strides in bytes of row-major order without gaps, which exporters like `ctypes` leave out.
fn row_major(shape: &[usize], itemsize: isize) -> Option<Strides> {
    let (mut strides, mut step) = (Strides::from_elem(0, shape.len()), itemsize);
    for (s, &n) in strides.iter_mut().zip(shape).rev() {
        *s = step;
        step = step.checked_mul(isize::try_from(n.max(1)).ok()?)?;
    }
    Some(strides)
}

impl Held {
    /// Where the first byte and the byte after the last lie; `None` if there are no elements, or they cannot be.
    fn span(&self) -> Option<(isize, isize)> {
        let (shape, strides) = self.dims()?;
        let (low, high) = if shape.contains(&0) { return None } else { reach(&shape, &strides)? };
        let at = self.0.buf.addr() as isize;
        Some((at.checked_add(low)?, at.checked_add(high)?.checked_add(self.0.itemsize)?))
    }
}

/// Whether the elements that one object exports lie in the memory that another exports.
pub fn lies_within(part: &Bound<'_, PyAny>, whole: &Bound<'_, PyAny>) -> bool {
    let held = |obj: &Bound<'_, PyAny>| Held::get(obj).map_err(|e| discard(obj.py(), e)).ok();
    let (Some(part), Some(whole)) = (held(part), held(whole)) else { return false };
    match (part.dims(), part.span(), whole.span()) {
        (Some((shape, _)), None, _) => shape.contains(&0),
        (_, Some(part), Some(whole)) => whole.0 <= part.0 && part.1 <= whole.1,
        _ => false,
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        // An interpreter that is going away takes what it owns with it.
        if !finalizing() {
            // SAFETY: attached, and the view came from `PyObject_GetBuffer`.
            Python::try_attach(|_| unsafe { ffi::PyBuffer_Release(&mut *self.0) });
        }
    }
}

/// What a buffer's format says: the dtype, and whether its bytes are in the other order.
fn dtype_of_format(format: &CStr, itemsize: usize) -> Option<(DType, bool)> {
    let text = format.to_str().ok()?;
    let order = text.chars().next().filter(|c| "@=<>!^".contains(*c));
    let code = text.strip_prefix(|c| Some(c) == order).unwrap_or(text);
    let unsigned = |size| [DType::U8, DType::U16, DType::U32, DType::U64].into_iter().find(|d| d.size() == size);
    let signed = |size| [DType::I8, DType::I16, DType::I32, DType::I64].into_iter().find(|d| d.size() == size);
    let dtype = match code {
        "?" => DType::Bool,
        "b" | "h" | "i" | "l" | "q" | "n" => signed(itemsize)?,
        "B" | "H" | "I" | "L" | "Q" | "N" => unsigned(itemsize)?,
        "e" => DType::F16,
        "f" => DType::F32,
        "d" => DType::F64,
        "Zf" | "F" => DType::C64,
        "Zd" | "D" => DType::C128,
        _ => return None,
    };
    let big = matches!(order, Some('>' | '!'));
    let little = order == Some('<');
    let swapped = if cfg!(target_endian = "little") { big } else { little };
    (dtype.size() == itemsize).then_some((dtype, swapped))
}

/// The array over the memory that an object exports; `None` if it exports none. `copy` as in `asarray`.
///
/// # Errors
/// When the elements are of a type that arrays do not hold, or a copy is needed and not wanted.
pub fn from_buffer(obj: &Bound<'_, PyAny>, copy: Option<bool>) -> PyResult<Option<Array>> {
    // SAFETY: the object is alive, and the interpreter attached.
    if unsafe { ffi::PyObject_CheckBuffer(obj.as_ptr()) } == 0 {
        return Ok(None);
    }
    let held = match Held::get(obj) {
        Ok(held) => held,
        Err(e) => return not_exported(obj, e, copy).map(Some),
    };
    let size = usize::try_from(held.0.itemsize).unwrap_or(0);
    let (dtype, swapped) = dtype_of_format(held.format(), size).ok_or_else(|| {
        let format = held.format().to_string_lossy();
        PyTypeError::new_err(format!(
            "elements of format '{format}' ({size} bytes each) are not supported; convert them to a number type first"
        ))
    })?;
    let (shape, strides) =
        held.dims().ok_or_else(|| PyTypeError::new_err("the object exports a buffer without a proper shape"))?;
    let first = held.0.buf.cast_const().cast();
    let foreign = Foreign { first, dtype, swapped, shape, strides, keep: held };
    // SAFETY: the protocol says that the elements can be read until the buffer is released, which dropping `Held` does.
    unsafe { foreign.into_array(obj.py(), copy) }.map(Some)
}

/// NumPy exports no `bfloat16`, but two-byte integers over the same memory.
fn not_exported(obj: &Bound<'_, PyAny>, error: PyErr, copy: Option<bool>) -> PyResult<Array> {
    let py = obj.py();
    let Ok(dtype) = obj.getattr("dtype") else { return Err(error) };
    let name = dtype.str()?;
    if name.to_cow()? != "bfloat16" || object::is_array(obj) {
        let wrong = PyTypeError::new_err(format!("elements of dtype {name} are not supported; convert them first"));
        wrong.set_cause(py, Some(error));
        return Err(wrong);
    }
    let bits = from_buffer(&obj.call_method1("view", ("uint16",))?, copy)?.ok_or(error)?;
    let data = bits.data();
    // SAFETY: both types have two bytes, and any two bytes are a `bfloat16`.
    let data = unsafe { ArrayData::new(data.buffer().clone(), DType::BF16, data.layout().clone()) };
    Ok(data.map_err(crate::errors::to_py)?.into())
}
