//! Functions that give several arrays, as a tuple: rows give one.
use crate::convert::to_array;
use crate::errors::to_py;
use crate::native::Native;
use crate::{detach, object};
use freelane::{Array, OpsError, meshgrid, nonzero};
use pyo3::types::{PyString, PyTuple};
use pyo3::{exceptions as exc, prelude::*};

pub(crate) static FUNCTIONS: &[Native] = &[
    Native {
        signature: "meshgrid(*arrays, indexing='xy')",
        doc: "Coordinates of a grid: each array's numbers along one axis of the grid, repeated along the others.\n\nThat is the \
              array's own place among the arrays, with indexing='ij'; with 'xy' the first two change places. Nothing is \
              copied.\n\n>>> x, y = freelane.meshgrid(freelane.arange(3), freelane.arange(2))\n>>> y\n\
              array([[0, 0, 0],\n       [1, 1, 1]])",
        run: |py, args| {
            let swapped = swapped(args.some(0))?;
            let arrays = args.rest().map(|a| to_array(&a)).collect::<PyResult<Vec<_>>>()?;
            tuple(py, meshgrid(&arrays.iter().collect::<Vec<_>>(), swapped))
        },
    },
    Native {
        signature: "nonzero(x, /)",
        doc: "The indices of the elements that are not zero: one array of int64 for each axis, in row-major order.\n\n\
              >>> freelane.nonzero([[0, 7], [8, 0]])\n(array([0, 1]), array([1, 0]))",
        run: |py, args| {
            let x = to_array(args.required(0))?;
            tuple(py, detach::run(py, x.len() as u64, || nonzero(&x)))
        },
    },
    Native {
        signature: "unstack(x, /, *, axis=0)",
        doc: "The arrays of which stack would make this one. Nothing is copied.\n\n\
              >>> freelane.unstack([[1, 2], [3, 4]])\n(array([1, 2]), array([3, 4]))",
        run: |py, args| {
            let x = to_array(args.required(0))?;
            tuple(py, x.unstack(args.get(1).map_or(Ok(0), |axis| axis.extract())?))
        },
    },
];

/// Whether the first two axes change places.
fn swapped(indexing: Option<&Bound<'_, PyAny>>) -> PyResult<bool> {
    let Some(indexing) = indexing else { return Ok(true) };
    match indexing.cast::<PyString>().ok().map(|s| s.to_string()).as_deref() {
        Some("xy") => Ok(true),
        Some("ij") => Ok(false),
        _ => Err(exc::PyValueError::new_err(format!(
            "meshgrid: indexing must be 'xy' or 'ij', not {}",
            indexing.repr()?
        ))),
    }
}

fn tuple<'py>(py: Python<'py>, arrays: Result<Vec<Array>, OpsError>) -> PyResult<Bound<'py, PyAny>> {
    let arrays = arrays.map_err(to_py)?.into_iter().map(|a| object::wrap(py, a)).collect::<PyResult<Vec<_>>>()?;
    Ok(PyTuple::new(py, arrays)?.into_any())
}
