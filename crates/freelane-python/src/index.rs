//! `x[...]` and `x[...] = value`.
use crate::convert::{self, to_array};
use crate::errors::to_py;
use crate::object::{self, is_array, wrapped};
use freelane::{Array, DType, Index, IndexItem, Operand, Slice};
use pyo3::types::{PyBool, PyEllipsis, PySlice, PyTuple};
use pyo3::{exceptions as exc, ffi, prelude::*};
use smallvec::SmallVec;

type Items = SmallVec<[IndexItem; 4]>;

/// `x[item]`.
pub(crate) fn get<'py>(
    py: Python<'py>,
    x: &Bound<'py, PyAny>,
    item: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
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
        None => Some(to_array(value)?),
    };
    let operand = match (&number, &given) {
        (Some(s), _) => Operand::Scalar(*s),
        (None, Some(a)) => Operand::Array(a.data()),
        (None, None) => unreachable!("a value is a number or an array"),
    };
    let mut x = object::write(x)?;
    x.set_items(&items, operand).map_err(to_py)
}

/// Estimated nanoseconds of a selection by arrays; slices cost nothing.
fn cost(items: &[IndexItem]) -> u64 {
    let of = |item: &IndexItem| match item {
        IndexItem::Ints(a) | IndexItem::Bools(a) => a.len() as u64 * 2,
        IndexItem::Basic(_) => 0,
    };
    items.iter().map(of).sum()
}

fn parse(item: &Bound<'_, PyAny>) -> PyResult<Items> {
    match item.cast::<PyTuple>() {
        Ok(tuple) => tuple.iter().map(|i| one(&i)).collect(),
        Err(_) => Ok(SmallVec::from_iter([one(item)?])),
    }
}

fn one(item: &Bound<'_, PyAny>) -> PyResult<IndexItem> {
    if let Ok(slice) = item.cast::<PySlice>() {
        return range(slice).map(|s| IndexItem::Basic(s.into()));
    }
    if item.is_none() {
        return Ok(IndexItem::Basic(Index::NewAxis));
    }
    if item.is_instance_of::<PyEllipsis>() {
        return Ok(IndexItem::Basic(Index::Ellipsis));
    }
    if let Ok(b) = item.cast::<PyBool>() {
        return Array::scalar(b.is_true()).map(IndexItem::Bools).map_err(to_py);
    }
    if let Some(i) = convert::whole(item) {
        i?;
        return position(item).map(|i| IndexItem::Basic(Index::At(i)));
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

fn range(slice: &Bound<'_, PySlice>) -> PyResult<Slice> {
    let py = slice.py();
    let end = |name| -> PyResult<Option<isize>> {
        let end = slice.getattr(name)?;
        if end.is_none() {
            return Ok(None);
        }
        // Ends beyond what can be addressed reach to the edge.
        // SAFETY: attached, with a live object; no exception type: too large a number is clipped.
        let i = unsafe { ffi::PyNumber_AsSsize_t(end.as_ptr(), std::ptr::null_mut()) };
        match (i, PyErr::take(py)) {
            (-1, Some(error)) => Err(error),
            _ => Ok(Some(i)),
        }
    };
    Ok(Slice {
        start: end(pyo3::intern!(py, "start"))?,
        stop: end(pyo3::intern!(py, "stop"))?,
        step: end(pyo3::intern!(py, "step"))?.unwrap_or(1),
    })
}
