//! `x[...]` of traced arrays.
use super::record::{failed, place};
use super::tracer::{expr_of, wrap};
use crate::{detach, index};
use freelane::graph::expr::Scope;
use freelane::graph::{Expr, PickItem};
use freelane::{DType, IndexItem, Lane};
use pyo3::types::PyTuple;
use pyo3::{exceptions as exc, prelude::*};

/// What an index selects of an expression.
pub(super) fn get<'py>(py: Python<'py>, x: &Expr, item: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let (mut items, mut arrays) = (vec![], vec![]);
    match item.cast::<PyTuple>() {
        Ok(tuple) => tuple.iter().try_for_each(|item| one(&item, &mut items, &mut arrays))?,
        Err(_) => one(item, &mut items, &mut arrays)?,
    }
    let place = place(py);
    let pick = |lane: &Lane| x.pick(&Scope { place, ..Scope::new(lane) }, items, &arrays);
    let part = detach::detached(py, || Lane::with(pick));
    wrap(py, part.map_err(|e| failed(&e))?)
}

fn one(item: &Bound<'_, PyAny>, items: &mut Vec<PickItem>, arrays: &mut Vec<Expr>) -> PyResult<()> {
    let array = match expr_of(item) {
        Some(expr) => expr,
        None => match index::one(item)? {
            IndexItem::Basic(index) => {
                items.push(PickItem::Basic(index));
                return Ok(());
            }
            IndexItem::Ints(array) | IndexItem::Bools(array) => Expr::from(array),
        },
    };
    let input = arrays.len() + 1;
    items.push(match array.dtype() {
        DType::Bool => PickItem::Bools(input),
        d if d.is_integer() => PickItem::Ints(input),
        d => {
            let message = format!("an index is made of integers, slices, ..., None or arrays of those, not of {d}");
            return Err(exc::PyIndexError::new_err(message));
        }
    });
    arrays.push(array);
    Ok(())
}
