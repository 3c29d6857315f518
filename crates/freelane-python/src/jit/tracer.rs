//! The arrays that a traced function sees: a type, a shape, and no elements.
use super::index;
use super::record::place;
use crate::{dtype, errors, object};
use freelane::DType;
use freelane::graph::Expr;
use pyo3::types::{PyDict, PyTuple};
use pyo3::{Borrowed, exceptions as exc, prelude::*};

/// An array inside a function that freelane.jit traces. It has what an array has, but no elements yet.
#[pyclass(name = "TracedArray", module = "freelane", frozen)]
pub(crate) struct Tracer {
    pub expr: Expr,
}

/// Whether the object is a traced array.
#[inline]
pub(crate) fn is_tracer(object: &Bound<'_, PyAny>) -> bool {
    object.is_exact_instance_of::<Tracer>()
}

/// The expression of a traced array.
pub(super) fn expr_of(object: &Bound<'_, PyAny>) -> Option<Expr> {
    object.cast_exact::<Tracer>().ok().map(|t| t.get().expr.clone())
}

/// A traced array of an expression.
pub(super) fn wrap(py: Python<'_>, expr: Expr) -> PyResult<Bound<'_, PyAny>> {
    Ok(Bound::new(py, Tracer { expr })?.into_any())
}

/// Elements were asked for.
#[cold]
fn no_elements(py: Python<'_>, what: &str, instead: &str) -> PyErr {
    let at = place(py).map_or_else(String::new, |place| format!("\n  at {place}"));
    let message = format!("{what}: an array has no elements while freelane.jit traces the function; {instead}{at}");
    errors::of_class("TraceError", message)
}

const BRANCH: &str = "choose with fl.where(condition, a, b), branch on shapes, dtypes or Python numbers, or leave this part \
                      outside of the jitted function";
const NUMBER: &str = "keep it an array, or pass the number as a Python number, for which the function is traced again";

impl Tracer {
    pub(super) fn cast<'py>(&self, py: Python<'py>, dtype: Option<DType>) -> PyResult<Bound<'py, PyAny>> {
        wrap(py, self.expr.cast(dtype.unwrap_or(self.expr.dtype()), &place(py)))
    }

    /// The shape, if it does not depend on elements.
    pub(super) fn shape(&self, what: &str) -> PyResult<Vec<usize>> {
        if !self.expr.is_open() {
            return Ok(self.expr.shape().to_vec());
        }
        let instead = "it is the result of a function such as nonzero or x[mask], whose length its elements decide; \
                       functions of the array work all the same, but Python cannot ask for lengths";
        Python::attach(|py| Err(no_elements(py, what, instead)))
    }
}

type Answer<'py> = PyResult<Bound<'py, PyAny>>;

#[pymethods]
impl Tracer {
    /// NumPy leaves operators to this class.
    #[classattr]
    fn __array_ufunc__(py: Python<'_>) -> Py<PyAny> {
        py.None()
    }

    /// Whether an operator takes the object beside a traced array; operators are in _jit.py.
    #[staticmethod]
    fn _takes(other: &Bound<'_, PyAny>) -> PyResult<bool> {
        Ok(is_tracer(other) || crate::slots::takes(other)?)
    }

    fn __getitem__<'py>(&self, py: Python<'py>, item: &Bound<'py, PyAny>) -> Answer<'py> {
        index::get(py, &self.expr, item)
    }

    fn __setitem__(&self, py: Python<'_>, _item: &Bound<'_, PyAny>, _value: &Bound<'_, PyAny>) -> PyResult<()> {
        let instead =
            "make a new array instead of writing to this one: fl.where(mask, value, x), fl.concat or fl.stack";
        Err(no_elements(py, "x[item] = value", instead))
    }

    fn __len__(&self) -> PyResult<usize> {
        let shape = self.shape("len(x)")?;
        shape.first().copied().ok_or_else(|| exc::PyTypeError::new_err("len() of an array without axes"))
    }

    fn __bool__(&self, py: Python<'_>) -> PyResult<bool> {
        Err(no_elements(py, "bool(x)", BRANCH))
    }

    fn __float__(&self, py: Python<'_>) -> PyResult<f64> {
        Err(no_elements(py, "float(x)", NUMBER))
    }

    fn __int__(&self, py: Python<'_>) -> PyResult<i64> {
        Err(no_elements(py, "int(x)", NUMBER))
    }

    fn __index__(&self, py: Python<'_>) -> PyResult<i64> {
        Err(no_elements(py, "an array as a Python index or length", NUMBER))
    }

    fn __complex__(&self, py: Python<'_>) -> PyResult<f64> {
        Err(no_elements(py, "complex(x)", NUMBER))
    }

    fn __iter__(&self, py: Python<'_>) -> PyResult<bool> {
        Err(no_elements(py, "for ... in x", "take parts by index, x[i] for i in range(x.shape[0]), or fl.unstack(x)"))
    }

    fn __contains__(&self, py: Python<'_>, _item: &Bound<'_, PyAny>) -> PyResult<bool> {
        Err(no_elements(py, "... in x", "compute fl.any(x == value)"))
    }

    #[pyo3(signature = (*_args, **_kwargs))]
    fn __array__(
        &self,
        py: Python<'_>,
        _args: &Bound<'_, PyTuple>,
        _kwargs: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<()> {
        Err(no_elements(py, "a NumPy array of x", "call freelane's functions instead of NumPy's"))
    }

    fn __repr__(&self) -> String {
        format!("TracedArray(shape={:?}, dtype={})", self.expr.shape(), self.expr.dtype())
    }

    /// Attributes and methods of an array.
    fn __getattr__<'py>(slf: &Bound<'py, Self>, name: &str) -> Answer<'py> {
        attribute(slf, name)
    }
}

fn attribute<'py>(slf: &Bound<'py, Tracer>, name: &str) -> Answer<'py> {
    let (py, x) = (slf.py(), slf.get());
    let int = |n: usize| Ok(n.into_pyobject(py)?.into_any());
    let size = |what: &str| x.shape(what).map(|shape| shape.iter().product::<usize>());
    match name {
        "shape" => Ok(PyTuple::new(py, x.shape("x.shape")?)?.into_any()),
        "dtype" => Ok(dtype::dtype_object(py, x.expr.dtype())),
        "ndim" => int(x.expr.rank()),
        "size" => int(size("x.size")?),
        "nbytes" => int(size("x.nbytes")? * x.expr.dtype().size()),
        "itemsize" => int(x.expr.dtype().size()),
        "device" => Ok("cpu".into_pyobject(py)?.into_any()),
        "T" => {
            let axes: Vec<isize> = (0..x.expr.rank() as isize).rev().collect();
            py.import("freelane")?.call_method1("permute_dims", (slf, PyTuple::new(py, axes)?))
        }
        "mT" => py.import("freelane")?.call_method1("matrix_transpose", (slf,)),
        "item" | "tolist" | "strides" => Err(no_elements(py, &format!("x.{name}"), NUMBER)),
        "sort" | "partition" | "put" | "__dlpack__" | "__arrow_c_array__" => {
            Err(no_elements(py, &format!("x.{name}"), "functions of arrays, fl.sort(x) for one, make new ones"))
        }
        // Private names, `__array_interface__` for one, tell others what an object can do.
        _ if name.starts_with('_') && name != "__array_namespace__" => Err(missing(name)),
        _ => method(slf, name),
    }
}

#[cold]
fn missing(name: &str) -> PyErr {
    exc::PyAttributeError::new_err(format!("a traced array has no attribute {name:?}"))
}

/// A method of arrays: the function of its name, with the array as its first argument.
fn method<'py>(slf: &Bound<'py, Tracer>, name: &str) -> Answer<'py> {
    let py = slf.py();
    let helpers = py.import("freelane._jit")?;
    let by_hand = helpers.getattr("METHODS")?.cast_into::<PyDict>()?;
    let function = match by_hand.get_item(name)? {
        Some(function) => function,
        None => {
            // SAFETY: the array type lives for ever.
            let kind = unsafe { Borrowed::from_ptr(py, object::array_type().cast::<pyo3::ffi::PyObject>()) };
            let known = kind.hasattr(name)?;
            let function = py.import("freelane")?.getattr(name).map_err(|_| missing(name));
            if known { function? } else { return Err(missing(name)) }
        }
    };
    py.import("functools")?.call_method1("partial", (function, slf))
}
