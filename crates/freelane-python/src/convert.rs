//! Python objects as what functions take: operands, values, dtypes, arrays.
//!
//! Everything that may run Python code (`__index__`, `__array__`, iteration) happens here, before an array is borrowed.
use crate::errors;
use crate::object::{self, Reading};
use crate::{creation, dtype};
use freelane::function::{Kind, Param};
use freelane::{Array, DType, Operand, Scalar, Value};
use pyo3::types::{PyList, PyString, PyTuple};
use pyo3::{Borrowed, exceptions as exc, ffi, prelude::*};
use smallvec::SmallVec;

/// The operands of a call with arrays alone, the common one. They are nothing but pointers: what else an operand may be has
/// parts of all sizes, and moving it costs more than adding two short arrays.
pub(crate) struct Arrays<'a, const N: usize>([Option<Reading<'a>>; N]);

impl<'a, const N: usize> Arrays<'a, N> {
    /// Reads all operands; `None` if there is anything to say against it, which [`Operands`] will.
    #[inline(always)]
    pub(crate) fn new(args: &'a [Borrowed<'_, '_, PyAny>; N]) -> Option<Self> {
        let mut arrays = Arrays([const { None }; N]);
        for (array, arg) in arrays.0.iter_mut().zip(args) {
            *array = Some(object::try_read(arg)?);
        }
        Some(arrays)
    }

    /// The operands as the crate below takes them.
    #[inline(always)]
    pub(crate) fn all(&self) -> [Operand<'_>; N] {
        let mut all = [Operand::Scalar(Scalar::Bool(false)); N];
        for (operand, array) in all.iter_mut().zip(&self.0) {
            if let Some(array) = array {
                *operand = Operand::Array(array.data());
            }
        }
        all
    }

    /// As [`Operands::cost`].
    #[inline(always)]
    pub(crate) fn cost(&self, cost: f32) -> u64 {
        let elements = self.0.iter().flatten().map(|a| a.len()).max().unwrap_or(0);
        estimate(elements, cost)
    }
}

#[inline(always)]
fn estimate(elements: usize, cost: f32) -> u64 {
    if elements < 1024 { 0 } else { (elements as f64 * f64::from(cost)) as u64 }
}

/// The operands of a call: arrays borrowed for reading, scalars, and what was made out of other objects.
pub(crate) struct Operands<'a, const N: usize> {
    items: [Item<'a>; N],
}

enum Item<'a> {
    Read(Reading<'a>),
    /// Boxed, since an array is many times the size of the others.
    Made(Box<Array>),
    Scalar(Scalar),
    /// The array that the call writes over.
    Out,
}

impl<'a, const N: usize> Operands<'a, N> {
    /// Reads all operands.
    #[inline(always)]
    pub(crate) fn new(args: &'a [Borrowed<'_, '_, PyAny>; N]) -> PyResult<Self> {
        let mut items = [const { Item::Out }; N];
        if args.iter().all(|a| object::is_array(a)) {
            for (item, arg) in items.iter_mut().zip(args) {
                *item = Item::Read(object::read(arg)?);
            }
            return Ok(Operands { items });
        }
        mixed(&mut items, args, None)?;
        Ok(Operands { items })
    }

    /// Reads the operands other than `out`.
    pub(crate) fn beside(args: &'a [Borrowed<'_, '_, PyAny>; N], out: &Bound<'_, PyAny>) -> PyResult<Self> {
        let mut items = [const { Item::Out }; N];
        mixed(&mut items, args, Some(out))?;
        Ok(Operands { items })
    }

    /// Estimated nanoseconds of work at `cost` an element: that of the largest operand.
    #[inline(always)]
    pub(crate) fn cost(&self, cost: f32) -> u64 {
        let len = |item: &Item<'_>| match item {
            Item::Read(a) => a.len(),
            Item::Made(a) => a.len(),
            Item::Scalar(_) | Item::Out => 0,
        };
        estimate(self.items.iter().map(len).max().unwrap_or(0), cost)
    }
}

impl<const N: usize> Operands<'_, N> {
    /// The operands as the crate below takes them.
    #[inline(always)]
    pub(crate) fn all<'b, O: From<Given<'b>>>(&'b self) -> [O; N] {
        std::array::from_fn(|i| O::from(Given(&self.items[i])))
    }
}

/// One operand, on its way to a type of the crate below.
pub(crate) struct Given<'a>(&'a Item<'a>);

impl<'a> From<Given<'a>> for Operand<'a> {
    #[inline(always)]
    fn from(given: Given<'a>) -> Operand<'a> {
        match given.0 {
            Item::Read(a) => Operand::Array(a.data()),
            Item::Made(a) => Operand::Array(a.data()),
            Item::Scalar(s) => Operand::Scalar(*s),
            Item::Out => unreachable!("no operand is the output here"),
        }
    }
}

impl<'a> From<Given<'a>> for Option<Operand<'a>> {
    #[inline(always)]
    fn from(given: Given<'a>) -> Option<Operand<'a>> {
        (!matches!(given.0, Item::Out)).then(|| given.into())
    }
}

/// Operands of several kinds: what may run Python code comes first, then arrays are borrowed.
#[inline(never)]
fn mixed<'a>(
    items: &mut [Item<'a>],
    args: &'a [Borrowed<'_, '_, PyAny>],
    out: Option<&Bound<'_, PyAny>>,
) -> PyResult<()> {
    for (item, arg) in items.iter_mut().zip(args) {
        if !object::is_array(arg) {
            *item = match scalar(arg).or_else(|error| wide(arg, args, error))? {
                Some(s) => Item::Scalar(s),
                None => Item::Made(Box::new(to_array(arg)?)),
            };
        }
    }
    for (item, arg) in items.iter_mut().zip(args) {
        if object::is_array(arg) && !out.is_some_and(|o| arg.is(o)) {
            *item = Item::Read(object::read(arg)?);
        }
    }
    Ok(())
}

/// An int of more than 64 bits beside arrays: a float where they are, else as it is if 128 bits hold it.
#[cold]
fn wide(arg: &Bound<'_, PyAny>, args: &[Borrowed<'_, '_, PyAny>], error: PyErr) -> PyResult<Option<Scalar>> {
    if !arg.is_exact_instance_of::<pyo3::types::PyInt>() {
        return Err(error);
    }
    let inexact =
        |a: &Borrowed<'_, '_, PyAny>| object::is_array(a) && object::read(a).is_ok_and(|x| x.dtype().is_inexact());
    let found = if args.iter().any(inexact) {
        arg.extract::<f64>().map(Scalar::Float)
    } else {
        arg.extract::<i128>()
            .map(Scalar::Int)
            .map_err(|_| exc::PyOverflowError::new_err(error.value(arg.py()).to_string()))
    };
    errors::discard(arg.py(), error);
    found.map(Some)
}

/// Whether the object is a number of Python's own: an int of any size, a float, a bool or a complex number.
pub(crate) fn is_number(object: &Bound<'_, PyAny>) -> bool {
    use pyo3::types::{PyBool, PyComplex, PyFloat, PyInt};
    object.is_exact_instance_of::<PyFloat>()
        || object.is_exact_instance_of::<PyInt>()
        || object.is_exact_instance_of::<PyBool>()
        || object.is_exact_instance_of::<PyComplex>()
}

/// A Python number, if the object is one; its width follows the arrays beside it.
///
/// # Errors
/// `OverflowError` for integers of more than 64 bits.
#[inline]
pub(crate) fn scalar(object: &Bound<'_, PyAny>) -> PyResult<Option<Scalar>> {
    let p = object.as_ptr();
    // SAFETY: the types are compared exactly before each macro-like read.
    unsafe {
        let kind = ffi::Py_TYPE(p);
        if kind == &raw mut ffi::PyFloat_Type {
            return Ok(Some(Scalar::Float(ffi::PyFloat_AS_DOUBLE(p))));
        }
        if kind == &raw mut ffi::PyBool_Type {
            return Ok(Some(Scalar::Bool(p == ffi::Py_True())));
        }
        if kind == &raw mut ffi::PyLong_Type {
            return integer(object).map(Some);
        }
        if kind == &raw mut ffi::PyComplex_Type {
            let z = ffi::PyComplex_AsCComplex(p);
            return Ok(Some(Scalar::Complex(num_complex::Complex::new(z.real, z.imag))));
        }
    }
    Ok(None)
}

fn integer(object: &Bound<'_, PyAny>) -> PyResult<Scalar> {
    let mut overflow = 0;
    // SAFETY: the object is an int.
    let value = unsafe { ffi::PyLong_AsLongLongAndOverflow(object.as_ptr(), &mut overflow) };
    if overflow == 0 {
        return Ok(Scalar::Int(value.into()));
    }
    match object.extract::<u64>() {
        Ok(v) => Ok(Scalar::Int(v.into())),
        Err(_) => {
            Err(exc::PyOverflowError::new_err(format!("{object} does not fit 64 bits, the widest integers here")))
        }
    }
}

/// An array out of anything that `asarray` takes.
pub fn to_array(object: &Bound<'_, PyAny>) -> PyResult<Array> {
    creation::array_of(object, None, None)
}

/// The dtype that an object names: one of ours, a name, a dtype or scalar type of NumPy's, or `bool`, `int`, `float`,
/// `complex`.
pub fn dtype_of(object: &Bound<'_, PyAny>) -> PyResult<DType> {
    dtype::dtype_of(object)
}

/// An argument of a row as a value.
pub(crate) fn value(op: &str, param: &Param, object: &Bound<'_, PyAny>) -> PyResult<Value> {
    let wrong = |expected: &str| {
        let found = object.get_type();
        exc::PyTypeError::new_err(format!("{op}: {} must be {expected}, not {found}", param.shown_name()))
    };
    let nothing = object.is_none();
    match param.kind {
        Kind::Operand if nothing && param.default != freelane::function::Default::Required => Ok(Value::None),
        Kind::Operand if nothing => Err(wrong("an array or a number")),
        Kind::Operand => operand(object),
        Kind::Operands => {
            let items = items(object).ok_or_else(|| wrong("a list or tuple of arrays"))??;
            items.iter().map(operand).collect::<PyResult<_>>().map(Value::Tuple)
        }
        _ if nothing && param.default != freelane::function::Default::Required => Ok(Value::None),
        Kind::Int => whole(object).ok_or_else(|| wrong("a whole number"))?.map(Value::Scalar),
        Kind::Float => match scalar(object)? {
            Some(s) => Ok(Value::Scalar(s)),
            None => object.extract().map(|x| Value::Scalar(Scalar::Float(x))).map_err(|_| wrong("a number")),
        },
        Kind::Bool => match scalar(object)? {
            Some(s @ Scalar::Bool(_)) => Ok(Value::Scalar(s)),
            _ => Err(wrong("True or False")),
        },
        Kind::Axes | Kind::Shape => match whole(object) {
            Some(n) => n.map(Value::Scalar),
            None => {
                let expected = "a whole number or a tuple of them";
                let items = items(object).ok_or_else(|| wrong(expected))??;
                let one = |i: &Bound<'_, PyAny>| whole(i).ok_or_else(|| wrong(expected))?.map(Value::Scalar);
                items.iter().map(one).collect::<PyResult<_>>().map(Value::Tuple)
            }
        },
        Kind::DType => dtype_of(object).map(Value::DType),
        Kind::Str(_) | Kind::Text => match object.cast::<PyString>() {
            Ok(word) => Ok(Value::Str(word.to_str()?.to_owned())),
            Err(_) => Err(wrong("a string")),
        },
        Kind::Any => anything(object, MAX_NESTING).transpose().unwrap_or_else(|| Err(wrong("nested less deeply"))),
    }
}

/// How many lists may lie in each other where a function takes what it likes.
const MAX_NESTING: usize = 8;

/// A word, an array, a number, or a list or tuple of such things; `None` if they lie too deep in each other.
fn anything(object: &Bound<'_, PyAny>, nesting: usize) -> PyResult<Option<Value>> {
    if object.is_none() {
        return Ok(Some(Value::None));
    }
    if let Ok(word) = object.cast::<PyString>() {
        return Ok(Some(Value::Str(word.to_str()?.to_owned())));
    }
    let items = if object::is_array(object) { None } else { items(object) };
    match items {
        None => operand(object).map(Some),
        Some(_) if nesting == 0 => Ok(None),
        Some(items) => {
            let items = items?.iter().map(|item| anything(item, nesting - 1)).collect::<PyResult<Option<_>>>()?;
            Ok(items.map(Value::Tuple))
        }
    }
}

pub(crate) fn operand(object: &Bound<'_, PyAny>) -> PyResult<Value> {
    if object::is_array(object) {
        return object::snapshot(object).map(Value::Array);
    }
    match scalar(object)? {
        Some(s) => Ok(Value::Scalar(s)),
        None => to_array(object).map(Value::Array),
    }
}

/// A whole number: an int or what has `__index__`, an array of rank 0 among them.
pub(crate) fn whole(object: &Bound<'_, PyAny>) -> Option<PyResult<Scalar>> {
    if object.is_exact_instance_of::<pyo3::types::PyInt>() {
        return Some(integer(object));
    }
    // SAFETY: a live object.
    if unsafe { ffi::PyIndex_Check(object.as_ptr()) } == 0 || (object::is_array(object) && !is_index(object)) {
        return None;
    }
    // SAFETY: attached, and the result is a new reference or null.
    let index = unsafe { Bound::from_owned_ptr_or_opt(object.py(), ffi::PyNumber_Index(object.as_ptr())) };
    match index {
        Some(index) => Some(integer(&index)),
        None => {
            let error = PyErr::fetch(object.py());
            let not_whole = error.is_instance_of::<exc::PyTypeError>(object.py());
            if !not_whole {
                return Some(Err(error));
            }
            // Other libraries' arrays have `__index__` too and refuse unless they are numbers.
            errors::discard(object.py(), error);
            None
        }
    }
}

fn is_index(object: &Bound<'_, PyAny>) -> bool {
    object::read(object).is_ok_and(|a| a.rank() == 0 && a.dtype().is_integer())
}

type Items<'py> = SmallVec<[Bound<'py, PyAny>; 4]>;

/// The items of a list or tuple, or of another sequence that is not text; `None` for anything else.
pub(crate) fn items<'py>(object: &Bound<'py, PyAny>) -> Option<PyResult<Items<'py>>> {
    if let Ok(tuple) = object.cast::<PyTuple>() {
        return Some(Ok(tuple.iter().collect()));
    }
    if let Ok(list) = object.cast::<PyList>() {
        return Some(Ok(list.iter().collect()));
    }
    let sequence = object.cast::<pyo3::types::PySequence>().ok()?;
    if object.is_instance_of::<PyString>() || object.is_instance_of::<pyo3::types::PyBytes>() {
        return None;
    }
    Some(sequence.len().and_then(|n| {
        let mut items = Items::new();
        let full = |_| exc::PyMemoryError::new_err(format!("no memory for the {n} items of a sequence"));
        items.try_reserve(n).map_err(full)?;
        for item in sequence.try_iter()? {
            items.push(item?);
        }
        Ok(items)
    }))
}
