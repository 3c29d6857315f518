//! Arrays out of Python objects, and arrays from nothing that are made in a hurry.
use crate::attributes::dtype_argument;
use crate::convert::{items, scalar};
use crate::detach;
use crate::errors::to_py;
use crate::native::{Args, Native, QuickFn, RawCall, raw};
use crate::nested::{Nested, Of};
use crate::object::{self, is_array, wrapped};
use freelane::{Array, DType, OpsError, Scalar, concat, promote_types, stack};
use pyo3::types::{PyString, PyTuple};
use pyo3::{exceptions as exc, ffi, prelude::*};
use smallvec::SmallVec;

/// Lists nested deeper have more axes than an array can.
const MAX_DEPTH: usize = 64;

pub(crate) static FUNCTIONS: &[Native] = &[
    Native {
        signature: "asarray(obj, /, dtype=None, *, device=None, copy=None)",
        doc: "An array of a number, nested lists, or another library's array.\n\nTakes arrays, Python numbers, nested lists and \
              tuples of them, and whatever has the buffer protocol,\n__dlpack__ or __arrow_c_array__: NumPy's arrays for one. \
              Memory of others is used, not copied, and is never\nwritten: writing to the result takes a copy first. \
              copy=True copies at once, copy=False refuses to.\n\n>>> freelane.asarray([[1, 2], [3, 4]]).shape\n(2, 2)\n\
              >>> freelane.asarray([1, 2.5], dtype=freelane.float32)\narray([1. , 2.5], dtype=float32)",
        run: |py, args| asarray(py, args, args.some(3).map(Bound::is_truthy).transpose()?),
    },
    Native {
        signature: "array(obj, /, dtype=None, *, device=None, copy=True)",
        doc: "As asarray, with a copy of memory that belongs to others.\n\n>>> freelane.array([True, False])\narray([ True, \
              False])",
        run: |py, args| {
            let copy = match args.get(3) {
                Some(copy) if copy.is_none() => None,
                Some(copy) => Some(copy.is_truthy()?),
                None => Some(true),
            };
            asarray(py, args, copy)
        },
    },
    Native {
        signature: EMPTY,
        doc: "An array with anything in it: whatever its memory held before.\n\n>>> freelane.empty((2, 3)).shape\n(2, 3)",
        run: empty,
    },
    Native {
        signature: ZEROS,
        doc: "An array of zeros, of float64 unless a dtype is given.\n\n>>> freelane.zeros(2)\narray([0., 0.])",
        run: zeros,
    },
    Native {
        signature: "empty_like(x, /, dtype=None, *, device=None)",
        doc: "An array with anything in it, with the shape and dtype of another.",
        run: |py, args| {
            check_device(args.get(2))?;
            let dtype = dtype_argument(args.get(1))?;
            let x = array_of(args.required(0), None, None)?;
            wrapped(py, Array::empty(x.shape(), dtype.unwrap_or(x.dtype())))
        },
    },
    Native {
        signature: ZEROS_LIKE,
        doc: "An array of zeros with the shape and dtype of another.\n\n>>> freelane.zeros_like([1, 2])\narray([0, 0])",
        run: zeros_like,
    },
    Native {
        signature: "astype(x, dtype, /, *, copy=True, device=None)",
        doc: "The elements converted to another type.\n\nFloats become integers by truncation, saturating at the ends of the \
              range; NaN gives 0.\n\n>>> freelane.astype(freelane.asarray([1.5, -2.5]), freelane.int8)\narray([ 1, -2], dtype=int8)",
        run: |py, args| astype(py, args.required(0), args.required(1), args.get(2), args.get(3)),
    },
];

/// Short ways: a length alone, an array alone, parts of complex numbers.
pub(crate) static QUICK: &[(&str, QuickFn)] = &[
    (EMPTY, |call| {
        let &[length] = call.positional else { return None };
        let length = if call.is_positional() { small_length(length)? } else { return None };
        Some(raw(call.py, object::wrap(call.py, Array::of_length(length, DType::F64)?)))
    }),
    (ZEROS_LIKE, |call| {
        if call.given() != 1 || !call.is_positional() || !is_array(&call.at(0)) {
            return None;
        }
        let x = call.at(0);
        let x = match object::read(&x) {
            Ok(x) => x,
            Err(e) => return Some(raw(call.py, Err(e))),
        };
        if x.nbytes() > 1 << 16 {
            return None;
        }
        Some(raw(call.py, wrapped(call.py, x.zeros_like())))
    }),
    ("real(x, /)", |call| part(call, Array::real)),
    ("imag(x, /)", |call| part(call, Array::imag)),
];

/// A part of complex numbers, which is a view.
fn part(call: &RawCall<'_, '_>, of: fn(&Array) -> Result<Array, OpsError>) -> Option<*mut ffi::PyObject> {
    if call.given() != 1 || !call.is_positional() {
        return None;
    }
    let z = call.at(0);
    let z = object::try_read(&z)?;
    (z.dtype().kind() == freelane::Kind::Complex).then(|| raw(call.py, wrapped(call.py, of(&z))))
}

const ZEROS: &str = "zeros(shape, dtype=None, *, device=None)";
const EMPTY: &str = "empty(shape, dtype=None, *, device=None)";
const ZEROS_LIKE: &str = "zeros_like(x, /, dtype=None, *, device=None)";

/// A length given as an `int` that fits a machine word.
#[inline(always)]
fn small_length(object: *mut ffi::PyObject) -> Option<usize> {
    let mut overflow = 0;
    // SAFETY: an argument is a live object; its exact type is compared before the number is read.
    let value = unsafe {
        if ffi::Py_TYPE(object) != &raw mut ffi::PyLong_Type {
            return None;
        }
        ffi::PyLong_AsLongLongAndOverflow(object, &mut overflow)
    };
    (overflow == 0).then(|| usize::try_from(value).ok())?
}

/// The only device is `"cpu"`.
pub(crate) fn check_device(device: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
    match device.filter(|d| !d.is_none()) {
        Some(d) if d.cast::<PyString>().is_ok_and(|s| s.to_str().is_ok_and(|s| s == "cpu")) => Ok(()),
        Some(d) => Err(exc::PyValueError::new_err(format!("there is no device {d}; freelane computes on 'cpu'"))),
        None => Ok(()),
    }
}

fn asarray<'py>(py: Python<'py>, args: &Args<'_, 'py>, copy: Option<bool>) -> PyResult<Bound<'py, PyAny>> {
    check_device(args.get(2))?;
    let (obj, dtype) = (args.required(0), dtype_argument(args.get(1))?);
    if is_array(obj) && copy != Some(true) && dtype.is_none_or(|d| object::read(obj).is_ok_and(|a| a.dtype() == d)) {
        return Ok(obj.clone());
    }
    object::wrap(py, array_of(obj, dtype, copy)?)
}

/// An array of a Python object, converted to `dtype` if one is given.
pub(crate) fn array_of(obj: &Bound<'_, PyAny>, dtype: Option<DType>, copy: Option<bool>) -> PyResult<Array> {
    if is_array(obj) {
        return convert(obj.py(), object::snapshot(obj)?, dtype, copy);
    }
    if let Some(s) = scalar(obj)? {
        refuse_copy(copy, "a Python number")?;
        return filled(&[s], &[], dtype.unwrap_or(s.default_dtype()));
    }
    let message = "an object asks for conversions of itself, or of objects nested too deep";
    let _nested = Nested::enter(Of::Conversions, 2 * MAX_DEPTH as u32 + 1, message)?;
    if let Some(array) = import(obj, copy)? {
        // What was just copied is not copied again.
        return convert(obj.py(), array, dtype, copy.filter(|&c| !c));
    }
    if let Some(items) = items(obj) {
        refuse_copy(copy, "a list")?;
        return nested(items?, dtype);
    }
    if let Ok(number) = obj.extract::<f64>() {
        refuse_copy(copy, "a number")?;
        return filled(&[Scalar::Float(number)], &[], dtype.unwrap_or(DType::F64));
    }
    let found = obj.get_type();
    Err(exc::PyTypeError::new_err(format!(
        "{found} cannot become an array; numbers, nested lists, and objects with the buffer protocol, __dlpack__ or \
         __arrow_c_array__ can"
    )))
}

fn refuse_copy(copy: Option<bool>, what: &str) -> PyResult<()> {
    if copy == Some(false) {
        return Err(exc::PyValueError::new_err(format!(
            "{what} cannot become an array without a copy; leave out copy=False"
        )));
    }
    Ok(())
}

fn convert(py: Python<'_>, array: Array, dtype: Option<DType>, copy: Option<bool>) -> PyResult<Array> {
    let work = array.nbytes() as u64 / 4;
    match dtype.filter(|&d| d != array.dtype()) {
        Some(d) if copy == Some(false) => Err(exc::PyValueError::new_err(format!(
            "an array of {} cannot become one of {d} without a copy; leave out copy=False",
            array.dtype()
        ))),
        Some(d) => detach::run(py, work, || array.astype(d)).map_err(to_py),
        None if copy == Some(true) => detach::run(py, work, || array.copy()).map_err(to_py),
        None => Ok(array),
    }
}

/// See the method and the function of this name.
pub(crate) fn astype<'py>(
    py: Python<'py>,
    x: &Bound<'py, PyAny>,
    dtype: &Bound<'py, PyAny>,
    copy: Option<&Bound<'py, PyAny>>,
    device: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    check_device(device)?;
    let dtype = crate::convert::dtype_of(dtype)?;
    let copy = copy.map_or(Ok(true), Bound::is_truthy)?;
    let array = array_of(x, None, None)?;
    if array.dtype() == dtype && !copy && is_array(x) {
        return Ok(x.clone());
    }
    // Arrays are values: another handle on the same storage is as good as a copy.
    wrapped(py, detach::run(py, array.nbytes() as u64 / 4, || array.astype(dtype)))
}

/// Lists of numbers, or of arrays, nested to any depth that an array can have.
fn nested(items: SmallVec<[Bound<'_, PyAny>; 4]>, dtype: Option<DType>) -> PyResult<Array> {
    let mut numbers = Numbers { shape: vec![], values: vec![], arrays: false };
    numbers.list(&items, 0)?;
    if numbers.arrays {
        return stacked(&items, dtype);
    }
    let common = numbers.values.iter().map(|s| s.default_dtype()).reduce(kind_of_both);
    let wide = |s: &Scalar| matches!(s, Scalar::Int(i) if *i > i64::MAX.into());
    let negative = |s: &Scalar| matches!(s, Scalar::Int(i) if *i < 0);
    let common = match common {
        Some(DType::I64 | DType::U64) if numbers.values.iter().any(wide) => {
            if numbers.values.iter().any(negative) {
                DType::F64
            } else {
                DType::U64
            }
        }
        other => other.unwrap_or(DType::F64),
    };
    filled(&numbers.values, &numbers.shape, dtype.unwrap_or(common))
}

/// Numbers in row-major order as an array.
fn filled(values: &[Scalar], shape: &[usize], dtype: DType) -> PyResult<Array> {
    if dtype.is_real() && dtype != DType::Bool && values.iter().any(|s| matches!(s, Scalar::Complex(_))) {
        return Err(exc::PyTypeError::new_err(format!(
            "asarray: complex numbers cannot become {dtype}; take their real parts first"
        )));
    }
    Array::from_scalars(values, shape, dtype).map_err(|e| match e {
        OpsError::ScalarRange { value, dtype, .. } => {
            exc::PyOverflowError::new_err(format!("asarray: {value} is out of range for {dtype}"))
        }
        e => to_py(e),
    })
}

/// Python's numbers widen from bool over int and float to complex.
fn kind_of_both(a: DType, b: DType) -> DType {
    if a.kind() == b.kind() || a.is_integer() && b.is_integer() { a } else { promote_types(a, b) }
}

/// The numbers of nested lists in row-major order.
struct Numbers {
    shape: Vec<usize>,
    values: Vec<Scalar>,
    /// Whether something else than a number or a list was met.
    arrays: bool,
}

impl Numbers {
    fn list(&mut self, list: &[Bound<'_, PyAny>], depth: usize) -> PyResult<()> {
        if depth == MAX_DEPTH {
            return Err(exc::PyValueError::new_err(format!(
                "lists nested deeper than {MAX_DEPTH}, the most axes of an array"
            )));
        }
        let first_row = self.values.is_empty() && self.shape.len() == depth;
        if first_row {
            self.shape.push(list.len());
        } else if self.shape.get(depth) != Some(&list.len()) {
            let expected = self.shape.get(depth).map_or("a number".to_owned(), |n| format!("a list of {n}"));
            return Err(ragged(depth, &expected, &format!("a list of {}", list.len())));
        }
        let full = |_| exc::PyMemoryError::new_err(format!("no memory for the {} items of a list", list.len()));
        self.values.try_reserve(list.len()).map_err(full)?;
        for item in list {
            if self.arrays {
                return Ok(());
            }
            match scalar(item)? {
                Some(s) if self.shape.len() == depth + 1 => self.values.push(s),
                Some(_) => {
                    let expected = format!("a list of {}", self.shape[depth + 1]);
                    return Err(ragged(depth + 1, &expected, "a number"));
                }
                None if is_array(item) || !is_list(item) => self.arrays = true,
                None => {
                    let inner = items(item).unwrap_or_else(|| Ok(SmallVec::new()))?;
                    self.list(&inner, depth + 1)?;
                }
            }
        }
        Ok(())
    }
}

fn is_list(object: &Bound<'_, PyAny>) -> bool {
    object.is_instance_of::<PyTuple>() || object.is_instance_of::<pyo3::types::PyList>()
}

#[cold]
fn ragged(depth: usize, expected: &str, found: &str) -> PyErr {
    exc::PyValueError::new_err(format!(
        "ragged lists: at depth {depth} {expected} was expected and {found} found; all rows must have one length"
    ))
}

/// Lists in which arrays or other libraries' numbers stand.
fn stacked(list: &[Bound<'_, PyAny>], dtype: Option<DType>) -> PyResult<Array> {
    let parts = list.iter().map(|item| array_of(item, dtype, None)).collect::<PyResult<Vec<_>>>()?;
    let Some(first) = parts.first() else { return concat(&[], 0).map_err(to_py) };
    if let Some(other) = parts.iter().find(|p| p.shape() != first.shape()) {
        let (expected, found) = (first.shape(), other.shape());
        return Err(ragged(1, &format!("shape {expected:?}"), &format!("shape {found:?}")));
    }
    let common = parts.iter().map(Array::dtype).reduce(promote_types).unwrap_or(first.dtype());
    let parts = parts.iter().map(|p| p.astype(common)).collect::<Result<Vec<_>, _>>().map_err(to_py)?;
    stack(&parts.iter().collect::<Vec<_>>(), 0).map_err(to_py)
}

fn empty<'py>(py: Python<'py>, args: &Args<'_, 'py>) -> PyResult<Bound<'py, PyAny>> {
    check_device(args.get(2))?;
    let dtype = dtype_argument(args.get(1))?.unwrap_or(DType::F64);
    let shape = shape_of(args.required(0), "empty")?;
    wrapped(py, Array::empty(&shape, dtype))
}

fn zeros<'py>(py: Python<'py>, args: &Args<'_, 'py>) -> PyResult<Bound<'py, PyAny>> {
    check_device(args.get(2))?;
    let dtype = dtype_argument(args.get(1))?.unwrap_or(DType::F64);
    let shape = shape_of(args.required(0), "zeros")?;
    let elements = shape.iter().fold(1u64, |n, &d| n.saturating_mul(d as u64));
    wrapped(py, detach::run(py, elements, || Array::zeros(&shape, dtype)))
}

fn zeros_like<'py>(py: Python<'py>, args: &Args<'_, 'py>) -> PyResult<Bound<'py, PyAny>> {
    check_device(args.get(2))?;
    let dtype = dtype_argument(args.get(1))?;
    let x = args.required(0);
    if is_array(x) {
        let x = object::read(x)?;
        let work = || Array::zeros(x.shape(), dtype.unwrap_or(x.dtype()));
        return wrapped(py, detach::run(py, x.nbytes() as u64 / 16, work));
    }
    let x = array_of(x, None, None)?;
    wrapped(py, Array::zeros(x.shape(), dtype.unwrap_or(x.dtype())))
}

/// A length, or a tuple of them.
#[inline]
pub(crate) fn shape_of(object: &Bound<'_, PyAny>, op: &str) -> PyResult<SmallVec<[usize; 4]>> {
    let wrong = || {
        let found = object.get_type();
        exc::PyTypeError::new_err(format!("{op}: shape must be a whole number or a tuple of them, not {found}"))
    };
    let number = |n: Scalar| match n {
        Scalar::Int(n) => usize::try_from(n)
            .map_err(|_| exc::PyValueError::new_err(format!("{op}: a length cannot be {n}, only zero or more"))),
        _ => Err(wrong()),
    };
    let length = |o: &Bound<'_, PyAny>| number(crate::convert::whole(o).ok_or_else(wrong)??);
    if let Ok(tuple) = object.cast::<PyTuple>() {
        return tuple.iter_borrowed().map(|o| length(&o)).collect();
    }
    // Asked once: what answers may be a program of its own.
    if let Some(whole) = crate::convert::whole(object) {
        return Ok(SmallVec::from_slice(&[number(whole?)?]));
    }
    items(object).ok_or_else(wrong)??.iter().map(length).collect()
}

/// Memory of another library, if the object has a protocol for it.
fn import(obj: &Bound<'_, PyAny>, copy: Option<bool>) -> PyResult<Option<Array>> {
    crate::foreign::from_object(obj, copy)
}
