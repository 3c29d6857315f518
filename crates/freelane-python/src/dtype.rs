//! Data types as Python objects: one immortal object each, in static memory.
//!
//! `freelane.float64` is read by every thread; an ordinary object's count would be written by all of them.
use crate::errors::discard;
use crate::native::{Getter, enter, getter_definitions};
use crate::object::zeroed_type;
use crate::slots::bool_object;
use freelane::{DType, Kind};
use freelane_sync::FfiStatic;
use pyo3::types::{PyString, PyType};
use pyo3::{Borrowed, exceptions as exc, ffi, prelude::*};
use std::ffi::c_int;

#[repr(C)]
struct DTypeObject {
    head: ffi::PyObject,
    dtype: DType,
}

// LEDGER: the interpreter; the type object of dtypes, written while the module starts
static TYPE: FfiStatic<ffi::PyTypeObject> = FfiStatic::new(zeroed_type());

// LEDGER: the interpreter; the dtypes, never counted where counting would be shared
static OBJECTS: FfiStatic<[DTypeObject; DType::COUNT]> = FfiStatic::new({
    let mut all = [const { DTypeObject { head: ffi::PyObject_HEAD_INIT, dtype: DType::Bool } }; DType::COUNT];
    let mut i = 0;
    while i < DType::COUNT {
        all[i].dtype = DType::ALL[i];
        i += 1;
    }
    all
});

fn object_ptr(dtype: DType) -> *mut ffi::PyObject {
    OBJECTS.get().cast::<DTypeObject>().wrapping_add(dtype as usize).cast()
}

/// The object of a dtype.
#[inline]
pub fn dtype_object(py: Python<'_>, dtype: DType) -> Bound<'_, PyAny> {
    // SAFETY: the object is static and was made ready while the module started.
    unsafe { Bound::from_borrowed_ptr(py, object_ptr(dtype)) }
}

/// The dtype of one of our objects.
fn own(object: &Bound<'_, PyAny>) -> Option<DType> {
    // SAFETY: a live object; the type is compared before the cast.
    unsafe {
        let own = ffi::Py_TYPE(object.as_ptr()) == TYPE.get();
        own.then(|| (*object.as_ptr().cast::<DTypeObject>()).dtype)
    }
}

/// Whether the object is one of our data types.
pub(crate) fn is_dtype(object: &Bound<'_, PyAny>) -> bool {
    own(object).is_some()
}

/// See `convert::dtype_of`.
pub(crate) fn dtype_of(object: &Bound<'_, PyAny>) -> PyResult<DType> {
    match own(object) {
        Some(d) => Ok(d),
        None => named(object)?.ok_or_else(|| unknown(object)),
    }
}

fn named(object: &Bound<'_, PyAny>) -> PyResult<Option<DType>> {
    if let Ok(name) = object.cast::<PyString>() {
        return Ok(of_code(name.to_str()?));
    }
    if let Ok(kind) = object.cast::<PyType>() {
        let name = kind.name()?;
        return Ok(match name.to_str()? {
            "int" => Some(DType::I64),
            "float" => Some(DType::F64),
            "complex" => Some(DType::C128),
            "bool" | "bool_" => Some(DType::Bool),
            name => of_code(name),
        });
    }
    // A dtype of NumPy's or of another library that follows its names.
    let Some(name) = object.getattr_opt(pyo3::intern!(object.py(), "name"))? else { return Ok(None) };
    name.cast::<PyString>().map_or(Ok(None), |n| Ok(of_code(n.to_str()?)))
}

/// A dtype by its full name, or by NumPy's code with or without a byte order that is ours. Short names of Rust's kind are not
/// taken: to NumPy, `i8` has eight bytes.
fn of_code(name: &str) -> Option<DType> {
    let native = if cfg!(target_endian = "little") { '<' } else { '>' };
    let code = name.strip_prefix([native, '=', '|']).unwrap_or(name);
    let named = |d: &DType| d.name() == name || d.numpy_code() == Some(code);
    DType::ALL.iter().copied().find(named).or_else(|| of_letter(code))
}

/// NumPy's codes of one letter, and Python's names.
fn of_letter(code: &str) -> Option<DType> {
    let long = size_of::<std::ffi::c_long>() == 8;
    Some(match code {
        "?" => DType::Bool,
        "b" => DType::I8,
        "B" => DType::U8,
        "h" => DType::I16,
        "H" => DType::U16,
        "l" if long => DType::I64,
        "L" if long => DType::U64,
        "i" | "l" => DType::I32,
        "I" | "L" => DType::U32,
        "q" | "int" => DType::I64,
        "Q" => DType::U64,
        "e" => DType::F16,
        "f" => DType::F32,
        "d" | "float" => DType::F64,
        "F" => DType::C64,
        "D" | "complex" => DType::C128,
        _ => return None,
    })
}

#[cold]
fn unknown(object: &Bound<'_, PyAny>) -> PyErr {
    let known = DType::ALL.iter().map(|d| d.name()).collect::<Vec<_>>().join(", ");
    let found = object.repr().map_or_else(|_| "?".to_owned(), |r| r.to_string());
    exc::PyTypeError::new_err(format!("{found} is not a data type of freelane's; there are {known}"))
}

fn getter(object: &Bound<'_, PyAny>) -> PyResult<DType> {
    own(object).ok_or_else(|| exc::PyTypeError::new_err("expected a freelane dtype"))
}

fn text<'py>(py: Python<'py>, s: &str) -> PyResult<Bound<'py, PyAny>> {
    Ok(PyString::new(py, s).into_any())
}

fn kind_code(dtype: DType) -> &'static str {
    match dtype.kind() {
        Kind::Bool => "b",
        Kind::Unsigned => "u",
        Kind::Signed => "i",
        Kind::Float => "f",
        Kind::Complex => "c",
    }
}

fn numpy_code(dtype: DType) -> PyResult<String> {
    let no = || exc::PyTypeError::new_err(format!("NumPy has no {dtype}; convert with astype first"));
    let order = match (dtype.size(), cfg!(target_endian = "little")) {
        (1, _) => '|',
        (_, true) => '<',
        (_, false) => '>',
    };
    Ok(format!("{order}{}", dtype.numpy_code().ok_or_else(no)?))
}

static GETTERS: &[Getter] = &[
    Getter { name: c"name", doc: c"The name, as in the Array API standard.", get: |py, d| text(py, getter(d)?.name()) },
    Getter {
        name: c"itemsize",
        doc: c"Bytes in one element.",
        get: |py, d| Ok(getter(d)?.size().into_pyobject(py)?.into_any()),
    },
    Getter { name: c"kind", doc: c"NumPy's letter: b, u, i, f or c.", get: |py, d| text(py, kind_code(getter(d)?)) },
    Getter { name: c"str", doc: c"NumPy's code with byte order.", get: |py, d| text(py, &numpy_code(getter(d)?)?) },
    Getter { name: c"dtype", doc: c"The same as a dtype of NumPy's.", get: to_numpy },
    Getter { name: c"__numpy_dtype__", doc: c"The same as a dtype of NumPy's.", get: to_numpy },
    Getter { name: c"type", doc: c"NumPy's scalar type.", get: |_, d| of_numpy(d, "type") },
    Getter { name: c"char", doc: c"NumPy's one-letter code.", get: |_, d| of_numpy(d, "char") },
    Getter { name: c"hasobject", doc: c"False: elements are numbers.", get: |py, _| Ok(bool_object(py, false)) },
    Getter { name: c"names", doc: c"None: elements have no fields.", get: |py, _| Ok(py.None().into_bound(py)) },
    Getter { name: c"fields", doc: c"None: elements have no fields.", get: |py, _| Ok(py.None().into_bound(py)) },
];

fn to_numpy<'py>(py: Python<'py>, object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let code = numpy_code(getter(object)?)?;
    py.import("numpy")?.getattr("dtype")?.call1((code,))
}

/// What NumPy's dtype says.
fn of_numpy<'py>(dtype: &Bound<'py, PyAny>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    let found = to_numpy(dtype.py(), dtype).map_err(|e| exc::PyAttributeError::new_err(e.to_string()))?;
    found.getattr(name)
}

unsafe extern "C" fn repr(object: *mut ffi::PyObject) -> *mut ffi::PyObject {
    // SAFETY: called attached, with an object of this type.
    let (py, object) = unsafe { (Python::assume_attached(), object.cast::<DTypeObject>()) };
    // SAFETY: as above; the field is never written after the module's start.
    let name = unsafe { (*object).dtype.name() };
    enter(py, || text(py, &format!("freelane.{name}")))
}

unsafe extern "C" fn str(object: *mut ffi::PyObject) -> *mut ffi::PyObject {
    // SAFETY: as in `repr`.
    let (py, object) = unsafe { (Python::assume_attached(), object.cast::<DTypeObject>()) };
    // SAFETY: as in `repr`.
    let name = unsafe { (*object).dtype.name() };
    enter(py, || text(py, name))
}

unsafe extern "C" fn compare(a: *mut ffi::PyObject, b: *mut ffi::PyObject, op: c_int) -> *mut ffi::PyObject {
    // SAFETY: called attached, with live objects.
    let (py, a, b) = unsafe {
        let py = Python::assume_attached();
        (py, Borrowed::from_ptr(py, a), Borrowed::from_ptr(py, b))
    };
    enter(py, || {
        let other = match own(&b) {
            Some(d) => Some(d),
            None => named(&b).unwrap_or_else(|e| {
                discard(py, e);
                None
            }),
        };
        let same = other.is_some() && own(&a) == other;
        let answer = match op {
            ffi::Py_EQ => same,
            ffi::Py_NE => !same,
            _ => return Ok(py.NotImplemented().into_bound(py)),
        };
        Ok(pyo3::types::PyBool::new(py, answer).to_owned().into_any())
    })
}

unsafe extern "C" fn reduce(object: *mut ffi::PyObject, _: *mut ffi::PyObject) -> *mut ffi::PyObject {
    // SAFETY: called attached, with an object of this type.
    let (py, object) = unsafe { (Python::assume_attached(), object.cast::<DTypeObject>()) };
    enter(py, || {
        // SAFETY: as above.
        let name = unsafe { (*object).dtype.name() };
        let find = py.import("freelane")?.getattr("dtype")?;
        Ok((find, (name,)).into_pyobject(py)?.into_any())
    })
}

unsafe extern "C" fn new(
    _kind: *mut ffi::PyTypeObject,
    args: *mut ffi::PyObject,
    names: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    // SAFETY: called attached, with a tuple and a dict or null.
    let (py, args, names) = unsafe {
        let py = Python::assume_attached();
        (py, Borrowed::from_ptr(py, args), Borrowed::from_ptr_or_opt(py, names))
    };
    enter(py, || match args.extract::<(Bound<'_, PyAny>,)>() {
        Ok((object,)) if names.is_none() => Ok(dtype_object(py, dtype_of(&object)?)),
        _ => Err(exc::PyTypeError::new_err("dtype() takes one argument, by position; usage: dtype(name, /)")),
    })
}

/// A dtype lives for ever; where it is counted all the same, its count cannot reach zero.
unsafe extern "C" fn keep(_object: *mut ffi::PyObject) {}

/// Makes type and objects ready and adds them to the module.
pub(crate) fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    let methods = vec![
        ffi::PyMethodDef {
            ml_name: c"__reduce__".as_ptr(),
            ml_meth: ffi::PyMethodDefPointer { PyCFunction: reduce },
            ml_flags: ffi::METH_NOARGS,
            ml_doc: std::ptr::null(),
        },
        ffi::PyMethodDef::zeroed(),
    ];
    // SAFETY: the module starts, so nobody else has seen the type or the objects yet.
    unsafe {
        let kind = &mut *TYPE.get();
        kind.tp_name = c"freelane.dtype".as_ptr();
        kind.tp_doc =
            c"dtype(name, /)\n--\n\nThe type of an array's elements: dtype('float32') is freelane.float32.".as_ptr();
        kind.tp_basicsize = size_of::<DTypeObject>() as ffi::Py_ssize_t;
        kind.tp_flags = crate::slots::flags(ffi::Py_TPFLAGS_DEFAULT);
        kind.tp_dealloc = Some(keep);
        kind.tp_repr = Some(repr);
        kind.tp_str = Some(str);
        kind.tp_richcompare = Some(compare);
        kind.tp_hash = Some(hash);
        kind.tp_new = Some(new);
        kind.tp_methods = methods.leak().as_mut_ptr();
        kind.tp_getset = getter_definitions(GETTERS.iter());
        if ffi::PyType_Ready(kind) < 0 {
            return Err(PyErr::fetch(py));
        }
        for &dtype in DType::ALL {
            (*object_ptr(dtype)).ob_type = TYPE.get();
        }
        module.add("dtype", Bound::from_borrowed_ptr(py, TYPE.get().cast::<ffi::PyObject>()))?;
    }
    DType::ALL.iter().try_for_each(|&d| module.add(d.name(), dtype_object(py, d)))
}

unsafe extern "C" fn hash(object: *mut ffi::PyObject) -> ffi::Py_hash_t {
    // SAFETY: called with an object of this type.
    unsafe { (*object.cast::<DTypeObject>()).dtype as ffi::Py_hash_t + 1 }
}
