//! Methods that change their array and give nothing back, as NumPy's do. The functions of their names leave it as it is.
use crate::native::{Args, Native};
use crate::{convert, errors::to_py, object};
use freelane::{Function, Lane, OpsError, Value};
use pyo3::prelude::*;

/// Methods of this file.
pub(crate) const METHODS: &[Native] = &[
    Native {
        signature: "sort(self, /, axis=-1, *, descending=False, stable=True)",
        doc: "Puts the elements in order along an axis, in place; NaN comes last.\n\n\
              >>> x = freelane.asarray([3, 1, 2])\n>>> x.sort()\n>>> x.tolist()\n[1, 2, 3]",
        run: |py, args| replace(py, args, "sort"),
    },
    Native {
        signature: "partition(self, /, kth, axis=-1)",
        doc: "Brings that element to place kth along an axis which is there in sorted order, smaller ones before it, larger ones \
              behind, in place.",
        run: |py, args| replace(py, args, "partition"),
    },
    Native {
        signature: "put(self, /, indices, values)",
        doc: "Writes values to the elements that have these numbers in row-major order. If there are fewer values than numbers, \
              they come again from the first on.\n\n\
              >>> x = freelane.asarray([3, 1, 2])\n>>> x.put([0, -1], 7)\n>>> x.tolist()\n[7, 1, 7]",
        run: |py, args| replace(py, args, "put"),
    },
];

/// What the function of a name makes of the array and the other arguments, in the array's place.
fn replace<'py>(py: Python<'py>, args: &Args<'_, 'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    let Some(row) = Function::by_name(name) else { unreachable!("a method of a row") };
    let params = row.params();
    let given = (1..params.len()).filter_map(|i| args.get(i).map(|value| (&params[i], value)));
    let named = given
        .map(|(param, value)| Ok((param.shown_name(), convert::value(name, param, value)?)))
        .collect::<PyResult<Vec<(&str, Value)>>>()?;
    let mut this = object::write(args.required(0))?;
    let cost = this.len() as u64 * 8;
    let work = || {
        let made = Lane::with(|lane| row.call(lane, &[Value::Array(this.clone())], &named))?.one();
        *this = made.unwrap_or_else(|| unreachable!("{name} makes one array"));
        Ok(())
    };
    crate::detach::run(py, cost, work).map_err(|e: OpsError| to_py(e))?;
    Ok(py.None().into_bound(py))
}
