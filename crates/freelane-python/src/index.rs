//! `x[...]` and `x[...] = value`.
use crate::convert::{self, to_array};
use crate::errors::to_py;
use crate::object::{self, is_array, wrapped};
use freelane::{Array, DType, Index, IndexItem, Operand, Slice};
use pyo3::types::{PyBool, PyEllipsis, PyInt, PyList, PySlice, PyTuple};
use pyo3::{exceptions as exc, ffi, prelude::*};
use smallvec::SmallVec;

type Items = SmallVec<[IndexItem; 4]>;

/// `x[item]`.
pub(crate) fn get<'py>(
    py: Python<'py>,
    x: &Bound<'py, PyAny>,
    item: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    if !is_array(item)
        && let Some(items) = basic(item)?
    {
        return wrapped(py, object::read(x)?.index(&items));
    }
    let items = parse(item)?;
    let x = object::read(x)?;
    wrapped(py, crate::detach::run(py, cost(&items), || x.get_items(&items)))
}

/// `x[i]` along the first axis.
pub(crate) fn at<'py>(py: Python<'py>, x: &Bound<'py, PyAny>, i: isize) -> PyResult<Bound<'py, PyAny>> {
    wrapped(py, object::read(x)?.index(&[Index::At(i)]))
}

/// `x[item] = value`.
pub(crate) fn set(x: &Bound<'_, PyAny>, item: &Bound<'_, PyAny>, value: &Bound<'_, PyAny>) -> PyResult<()> {
    let items = parse(item)?;
    let number = if is_array(value) { None } else { convert::scalar(value)? };
    let given: Option<Array> = match number {
        Some(_) => None,
        // The array itself as the value: its elements as they are now.
        None if is_array(value) => Some(object::snapshot(value)?),
        None => Some(beside(x, value)?),
    };
    let operand = match (&number, &given) {
        (Some(s), _) => Operand::Scalar(*s),
        (None, Some(a)) => Operand::Array(a.data()),
        (None, None) => unreachable!("a value is a number or an array"),
    };
    let mut x = object::write(x)?;
    x.set_items(&items, operand).map_err(to_py)
}

/// A value that is no array yet. Lists are read as numbers are: integers in the array's own type, so that one out of range is
/// an error.
fn beside(x: &Bound<'_, PyAny>, value: &Bound<'_, PyAny>) -> PyResult<Array> {
    let dtype = object::read(x)?.dtype();
    let given = to_array(value)?;
    let listed = value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>();
    if listed && dtype.is_integer() && given.dtype().is_integer() {
        return crate::creation::array_of(value, Some(dtype), None);
    }
    Ok(given)
}

/// Estimated nanoseconds of a selection by arrays; slices cost nothing.
fn cost(items: &[IndexItem]) -> u64 {
    let of = |item: &IndexItem| match item {
        IndexItem::Ints(a) | IndexItem::Bools(a) => a.len() as u64 * 2,
        IndexItem::Basic(_) => 0,
    };
    items.iter().map(of).sum()
}

/// An index without arrays; `None` if there is one among its items.
#[inline]
fn basic(item: &Bound<'_, PyAny>) -> PyResult<Option<SmallVec<[Index; 4]>>> {
    let mut items = SmallVec::new();
    let Ok(tuple) = item.cast::<PyTuple>() else {
        return Ok(basic_item(item)?.map(|i| {
            items.push(i);
            items
        }));
    };
    for item in tuple.iter_borrowed() {
        match basic_item(&item)? {
            Some(i) => items.push(i),
            None => return Ok(None),
        }
    }
    Ok(Some(items))
}

#[inline]
fn basic_item(item: &Bound<'_, PyAny>) -> PyResult<Option<Index>> {
    if item.is_exact_instance_of::<PyInt>() {
        return position(item).map(|i| Some(Index::At(i)));
    }
    if let Ok(slice) = item.cast::<PySlice>() {
        return range(slice).map(|s| Some(s.into()));
    }
    if item.is_none() {
        return Ok(Some(Index::NewAxis));
    }
    if item.is_instance_of::<PyEllipsis>() {
        return Ok(Some(Index::Ellipsis));
    }
    if item.is_instance_of::<PyBool>() || crate::convert::whole(item).is_none() {
        return Ok(None);
    }
    position(item).map(|i| Some(Index::At(i)))
}

fn parse(item: &Bound<'_, PyAny>) -> PyResult<Items> {
    match item.cast::<PyTuple>() {
        Ok(tuple) => tuple.iter().map(|i| one(&i)).collect(),
        Err(_) => Ok(SmallVec::from_iter([one(item)?])),
    }
}

pub(crate) fn one(item: &Bound<'_, PyAny>) -> PyResult<IndexItem> {
    if !is_array(item)
        && let Some(index) = basic_item(item)?
    {
        return Ok(IndexItem::Basic(index));
    }
    if let Ok(b) = item.cast::<PyBool>() {
        return Array::scalar(b.is_true()).map(IndexItem::Bools).map_err(to_py);
    }
    let array = by_array(item)?;
    match array.dtype() {
        DType::Bool => Ok(IndexItem::Bools(array)),
        d if d.is_integer() => Ok(IndexItem::Ints(array)),
        d => Err(exc::PyIndexError::new_err(format!(
            "an index is made of integers, slices, ..., None, boolean masks or integer arrays, not of {d}"
        ))),
    }
}

fn by_array(item: &Bound<'_, PyAny>) -> PyResult<Array> {
    let cannot = |_| {
        let found = item.get_type();
        exc::PyIndexError::new_err(format!(
            "an index is made of integers, slices, ..., None, boolean masks or integer arrays, not {found}"
        ))
    };
    let array = to_array(item).map_err(cannot)?;
    // An empty list has no elements that could tell its type.
    if array.is_empty() && !is_array(item) && array.dtype() == DType::F64 {
        return array.astype(DType::I64).map_err(to_py);
    }
    Ok(array)
}

fn position(item: &Bound<'_, PyAny>) -> PyResult<isize> {
    // SAFETY: attached, with a live object; the error is looked for.
    let i = unsafe { ffi::PyNumber_AsSsize_t(item.as_ptr(), ffi::PyExc_IndexError) };
    match (i, PyErr::take(item.py())) {
        (-1, Some(error)) => Err(error),
        _ => Ok(i),
    }
}

/// Ends beyond what can be addressed reach to the edge, and so do those that are not given.
fn range(slice: &Bound<'_, PySlice>) -> PyResult<Slice> {
    let (mut start, mut stop, mut step) = (0, 0, 0);
    // SAFETY: attached, with a live slice.
    let failed = unsafe { ffi::PySlice_Unpack(slice.as_ptr(), &mut start, &mut stop, &mut step) } < 0;
    if failed { Err(PyErr::fetch(slice.py())) } else { Ok(Slice { start: Some(start), stop: Some(stop), step }) }
}
