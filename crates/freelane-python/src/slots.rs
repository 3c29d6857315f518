//! The array type's slots: operators, comparison, length, indexing, iteration, text.
use crate::native::{self, enter, getter_definitions, table};
use crate::object::{self, ArrayObject, array_type, is_array};
use crate::{attributes, buffer, convert, functions, index};
use freelane::{UFunc, ufuncs};
use pyo3::types::{PyBool, PyList, PyTuple};
use pyo3::{Borrowed, exceptions as exc, ffi, prelude::*};
use std::ffi::c_int;
use std::mem::offset_of;

type Object = *mut ffi::PyObject;

/// Flags in the form that the type object has them.
#[cfg(not(Py_GIL_DISABLED))]
pub(crate) fn flags(bits: std::ffi::c_ulong) -> std::ffi::c_ulong {
    bits
}

/// Flags in the form that the type object has them.
#[cfg(Py_GIL_DISABLED)]
pub(crate) fn flags<F: From<std::ffi::c_ulong>>(bits: std::ffi::c_ulong) -> F {
    bits.into()
}

/// Whether an operator takes the object beside an array; others may know what to do with ours.
pub(crate) fn takes(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    if is_array(object) || convert::is_number(object) {
        return Ok(true);
    }
    if object.is_instance_of::<PyList>() || object.is_instance_of::<PyTuple>() {
        return Ok(true);
    }
    // The type is asked: an instance would make its answer.
    let (py, kind) = (object.py(), object.get_type());
    Ok(kind.hasattr(pyo3::intern!(py, "__array_interface__"))? || kind.hasattr(pyo3::intern!(py, "__dlpack__"))?)
}

/// The interpreter, and the objects that a slot is called with.
///
/// # Safety
/// The thread is attached, and the objects live for as long as the call.
#[inline(always)]
unsafe fn given<'a, const N: usize>(objects: [Object; N]) -> (Python<'a>, [Borrowed<'a, 'a, PyAny>; N]) {
    // SAFETY: the caller's promise.
    let py = unsafe { Python::assume_attached() };
    // SAFETY: the caller's promise; slots get no null objects.
    (py, objects.map(|object| unsafe { Borrowed::from_ptr(py, object) }))
}

/// A binary operator.
#[inline(always)]
unsafe fn binary(f: &'static UFunc, a: Object, b: Object) -> Object {
    // SAFETY: the interpreter calls slots attached, with live objects.
    let (py, [a, b]) = unsafe { given([a, b]) };
    enter(py, || {
        if is_array(&a) && is_array(&b) || takes(&a)? && takes(&b)? {
            return functions::apply(py, f, [a, b], None);
        }
        Ok(py.NotImplemented().into_bound(py))
    })
}

/// `x += y`: writes to `x`. An array that is shared cannot be written, so the name gets a new one.
#[inline(always)]
unsafe fn in_place(f: &'static UFunc, x: Object, y: Object) -> Object {
    // SAFETY: the interpreter calls slots attached, with live objects.
    let (py, [x, y]) = unsafe { given([x, y]) };
    enter(py, || {
        if !(is_array(&y) || takes(&y)?) || object::is_frozen(&x)? {
            return Ok(py.NotImplemented().into_bound(py));
        }
        functions::apply_into(py, f, &[x, y], &x)?;
        Ok(x.to_owned())
    })
}

#[inline(always)]
unsafe fn unary(f: &'static UFunc, x: Object) -> Object {
    // SAFETY: the interpreter calls slots attached, with live objects.
    let (py, [x]) = unsafe { given([x]) };
    enter(py, || functions::apply(py, f, [x], None))
}

macro_rules! binary_slots {
    ($($name:ident $assign:ident $row:ident;)*) => { $(
        unsafe extern "C" fn $name(a: Object, b: Object) -> Object {
            // SAFETY: the interpreter calls slots attached, with live objects.
            unsafe { binary(&ufuncs::$row, a, b) }
        }
        unsafe extern "C" fn $assign(a: Object, b: Object) -> Object {
            // SAFETY: as above.
            unsafe { in_place(&ufuncs::$row, a, b) }
        }
    )* };
}

binary_slots! {
    add add_assign ADD;
    subtract subtract_assign SUBTRACT;
    multiply multiply_assign MULTIPLY;
    divide divide_assign DIVIDE;
    floor_divide floor_divide_assign FLOOR_DIVIDE;
    remainder remainder_assign REMAINDER;
    and and_assign BITWISE_AND;
    or or_assign BITWISE_OR;
    xor xor_assign BITWISE_XOR;
    shift_left shift_left_assign BITWISE_LEFT_SHIFT;
    shift_right shift_right_assign BITWISE_RIGHT_SHIFT;
    pow_two pow_two_assign POW;
}

macro_rules! unary_slots {
    ($($name:ident $row:ident;)*) => { $(
        unsafe extern "C" fn $name(x: Object) -> Object {
            // SAFETY: as for binary operators.
            unsafe { unary(&ufuncs::$row, x) }
        }
    )* };
}

unary_slots! {
    negative NEGATIVE;
    positive POSITIVE;
    absolute ABS;
    invert BITWISE_INVERT;
}

/// `x ** y`; `pow(x, y, modulus)` is not defined for arrays.
unsafe extern "C" fn power(a: Object, b: Object, modulus: Object) -> Object {
    // SAFETY: as for binary operators; None is never freed.
    unsafe { if modulus == ffi::Py_None() { pow_two(a, b) } else { ffi::Py_NewRef(ffi::Py_NotImplemented()) } }
}

unsafe extern "C" fn power_assign(a: Object, b: Object, _modulus: Object) -> Object {
    // SAFETY: as above.
    unsafe { pow_two_assign(a, b) }
}

unsafe extern "C" fn matmul(a: Object, b: Object) -> Object {
    // SAFETY: the interpreter calls slots attached, with live objects.
    let (py, [a, b]) = unsafe { given([a, b]) };
    enter(py, || {
        if !(takes(&a)? && takes(&b)?) {
            return Ok(py.NotImplemented().into_bound(py));
        }
        let value = |x: &Bound<'_, PyAny>| convert::to_array(x).map(freelane::Value::Array);
        functions::call_row(py, table().matmul, &[Some(value(&a)?), Some(value(&b)?)])
    })
}

unsafe extern "C" fn divmod(a: Object, b: Object) -> Object {
    // SAFETY: the interpreter calls slots attached, with live objects.
    let (py, [a, b]) = unsafe { given([a, b]) };
    enter(py, || {
        if !(takes(&a)? && takes(&b)?) {
            return Ok(py.NotImplemented().into_bound(py));
        }
        let quotient = functions::apply(py, &ufuncs::FLOOR_DIVIDE, [a, b], None)?;
        let remainder = functions::apply(py, &ufuncs::REMAINDER, [a, b], None)?;
        Ok(PyTuple::new(py, [quotient, remainder])?.into_any())
    })
}

unsafe extern "C" fn compare(a: Object, b: Object, op: c_int) -> Object {
    let f = match op {
        ffi::Py_LT => &ufuncs::LESS,
        ffi::Py_LE => &ufuncs::LESS_EQUAL,
        ffi::Py_EQ => &ufuncs::EQUAL,
        ffi::Py_NE => &ufuncs::NOT_EQUAL,
        ffi::Py_GT => &ufuncs::GREATER,
        _ => &ufuncs::GREATER_EQUAL,
    };
    // SAFETY: as for binary operators.
    unsafe { binary(f, a, b) }
}

/// A slot that answers with a Python object.
macro_rules! object_slots {
    ($($name:ident = $body:path;)*) => { $(
        unsafe extern "C" fn $name(x: Object) -> Object {
            // SAFETY: the interpreter calls slots attached, with live objects.
            let (py, [x]) = unsafe { given([x]) };
            enter(py, || $body(py, &x))
        }
    )* };
}

object_slots! {
    repr = attributes::repr;
    str = attributes::str;
    int = attributes::int;
    float = attributes::float;
    as_index = attributes::as_index;
    iter = attributes::iter;
}

/// The number that a slot answers with, -1 after an exception.
unsafe fn number<T: From<i8>>(x: Object, body: impl FnOnce(&Bound<'_, PyAny>) -> PyResult<T>) -> T {
    // SAFETY: the interpreter calls slots attached, with live objects.
    let (py, [x]) = unsafe { given([x]) };
    match std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| body(&x)))
        .unwrap_or_else(|p| Err(native::panicked(p)))
    {
        Ok(number) => number,
        Err(error) => {
            crate::errors::discard_waiting();
            error.restore(py);
            T::from(-1)
        }
    }
}

unsafe extern "C" fn truth(x: Object) -> c_int {
    // SAFETY: as for binary operators.
    unsafe { number(x, |x| attributes::truth(x).map(c_int::from)) }
}

unsafe extern "C" fn length(x: Object) -> ffi::Py_ssize_t {
    // SAFETY: as for binary operators.
    unsafe { number(x, attributes::length) }
}

unsafe extern "C" fn contains(x: Object, value: Object) -> c_int {
    // SAFETY: as for binary operators.
    unsafe {
        number(x, |x| {
            let py = x.py();
            let equal = functions::apply(py, &ufuncs::EQUAL, [x.as_borrowed(), Borrowed::from_ptr(py, value)], None)?;
            let any =
                object::read(&equal)?.any(.., false).and_then(|a| a.item::<bool>()).map_err(crate::errors::to_py)?;
            Ok(c_int::from(any))
        })
    }
}

unsafe extern "C" fn get_item(x: Object, item: Object) -> Object {
    // SAFETY: the interpreter calls slots attached, with live objects.
    let (py, [x, item]) = unsafe { given([x, item]) };
    enter(py, || index::get(py, &x, &item))
}

/// For iteration: ends with an `IndexError`.
unsafe extern "C" fn sequence_item(x: Object, i: ffi::Py_ssize_t) -> Object {
    // SAFETY: the interpreter calls slots attached, with live objects.
    let (py, [x]) = unsafe { given([x]) };
    enter(py, || index::at(py, &x, i))
}

unsafe extern "C" fn set_item(x: Object, item: Object, value: Object) -> c_int {
    // SAFETY: as for binary operators; a null value means `del`.
    unsafe {
        number(x, |x| {
            let py = x.py();
            let Some(value) = Borrowed::from_ptr_or_opt(py, value) else {
                return Err(exc::PyTypeError::new_err(
                    "elements of an array cannot be deleted; select the ones to keep",
                ));
            };
            index::set(x, &Borrowed::from_ptr(py, item), &value).map(|()| 0)
        })
    }
}

#[cfg(Py_GIL_DISABLED)]
unsafe extern "C" fn traverse(_x: Object, _visit: ffi::visitproc, _arg: *mut std::ffi::c_void) -> c_int {
    0
}

/// Fills slots of a table.
macro_rules! fill {
    ($table:ident => $($slot:ident: $function:path),* $(,)?) => { $($table.$slot = Some($function);)* };
}

/// Makes the array type ready and adds it to the module.
pub(crate) fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    // SAFETY: tables of optional functions may be all zero; they are never freed.
    let (n, s, m, b) = unsafe {
        (
            Box::leak(Box::new(std::mem::zeroed::<ffi::PyNumberMethods>())),
            Box::leak(Box::new(std::mem::zeroed::<ffi::PySequenceMethods>())),
            Box::leak(Box::new(std::mem::zeroed::<ffi::PyMappingMethods>())),
            Box::leak(Box::new(std::mem::zeroed::<ffi::PyBufferProcs>())),
        )
    };
    fill! { n =>
        nb_add: add, nb_inplace_add: add_assign,
        nb_subtract: subtract, nb_inplace_subtract: subtract_assign,
        nb_multiply: multiply, nb_inplace_multiply: multiply_assign,
        nb_true_divide: divide, nb_inplace_true_divide: divide_assign,
        nb_floor_divide: floor_divide, nb_inplace_floor_divide: floor_divide_assign,
        nb_remainder: remainder, nb_inplace_remainder: remainder_assign,
        nb_and: and, nb_inplace_and: and_assign,
        nb_or: or, nb_inplace_or: or_assign,
        nb_xor: xor, nb_inplace_xor: xor_assign,
        nb_lshift: shift_left, nb_inplace_lshift: shift_left_assign,
        nb_rshift: shift_right, nb_inplace_rshift: shift_right_assign,
        nb_power: power, nb_inplace_power: power_assign,
        nb_negative: negative, nb_positive: positive, nb_absolute: absolute, nb_invert: invert,
        nb_matrix_multiply: matmul, nb_divmod: divmod, nb_bool: truth, nb_int: int, nb_float: float, nb_index: as_index,
    }
    fill! { s => sq_length: length, sq_item: sequence_item, sq_contains: contains }
    fill! { m => mp_length: length, mp_subscript: get_item, mp_ass_subscript: set_item }
    fill! { b => bf_getbuffer: buffer::get_buffer, bf_releasebuffer: buffer::release_buffer }
    let py = module.py();
    // SAFETY: the module starts, so nobody else has seen the type yet.
    unsafe {
        let kind = &mut *array_type();
        kind.tp_name = c"freelane.Array".as_ptr();
        kind.tp_doc = c"An n-dimensional array with value semantics; freelane.asarray makes one.".as_ptr();
        kind.tp_basicsize = size_of::<ArrayObject>() as ffi::Py_ssize_t;
        kind.tp_dealloc = Some(object::dealloc);
        (kind.tp_as_number, kind.tp_as_sequence, kind.tp_as_mapping, kind.tp_as_buffer) = (n, s, m, b);
        fill! { kind => tp_repr: repr, tp_str: str, tp_iter: iter }
        kind.tp_richcompare = Some(compare);
        kind.tp_hash = Some(ffi::PyObject_HashNotImplemented);
        kind.tp_weaklistoffset = offset_of!(ArrayObject, weakrefs) as ffi::Py_ssize_t;
        kind.tp_methods = native::method_definitions();
        kind.tp_getset = getter_definitions(crate::getters());
        #[cfg(not(Py_GIL_DISABLED))]
        {
            kind.tp_flags = flags(ffi::Py_TPFLAGS_DEFAULT);
        }
        #[cfg(Py_GIL_DISABLED)]
        {
            kind.tp_flags = flags(ffi::Py_TPFLAGS_DEFAULT | ffi::Py_TPFLAGS_HAVE_GC);
            kind.tp_traverse = Some(traverse);
        }
        if ffi::PyType_Ready(kind) < 0 {
            return Err(PyErr::fetch(py));
        }
        module.add("Array", Bound::from_borrowed_ptr(py, array_type().cast::<ffi::PyObject>()))
    }
}

/// Truth as Python has it, for bodies that answer with an object.
pub(crate) fn bool_object(py: Python<'_>, b: bool) -> Bound<'_, PyAny> {
    PyBool::new(py, b).to_owned().into_any()
}
