//! What an array is asked for: attributes, conversion to Python's own types, text.
use crate::convert::whole;
use crate::dtype::{dtype_object, dtype_of};
use crate::errors::to_py;
use crate::native::{Args, Getter, Native};
use crate::object::{self, wrapped};
use crate::slots::bool_object;
use freelane::{Array, DType, Kind, Scalar};
use num_complex::Complex;
use pyo3::types::{PyComplex, PyFloat, PyInt, PyList, PyTuple};
use pyo3::{exceptions as exc, ffi, prelude::*};

type Answer<'py> = PyResult<Bound<'py, PyAny>>;

fn tuple<'py>(py: Python<'py>, items: impl ExactSizeIterator<Item = isize>) -> Answer<'py> {
    Ok(PyTuple::new(py, items)?.into_any())
}

fn int_object(py: Python<'_>, i: usize) -> Answer<'_> {
    Ok(i.into_pyobject(py)?.into_any())
}

pub(crate) static GETTERS: &[Getter] = &[
    Getter {
        name: c"shape",
        doc: c"Lengths of the axes.",
        get: |py, x| tuple(py, object::read(x)?.shape().iter().map(|&d| d as isize)),
    },
    Getter {
        name: c"dtype",
        doc: c"The type of the elements.",
        get: |py, x| Ok(dtype_object(py, object::read(x)?.dtype())),
    },
    Getter { name: c"ndim", doc: c"Number of axes.", get: |py, x| int_object(py, object::read(x)?.rank()) },
    Getter { name: c"size", doc: c"Number of elements.", get: |py, x| int_object(py, object::read(x)?.len()) },
    Getter { name: c"nbytes", doc: c"Bytes of the elements.", get: |py, x| int_object(py, object::read(x)?.nbytes()) },
    Getter {
        name: c"itemsize",
        doc: c"Bytes of one element.",
        get: |py, x| int_object(py, object::read(x)?.dtype().size()),
    },
    Getter {
        name: c"strides",
        doc: c"Distances between neighbours along each axis, in bytes as in NumPy.",
        get: |py, x| {
            let x = object::read(x)?;
            let size = x.dtype().size() as isize;
            tuple(py, x.strides().iter().map(|&s| s * size))
        },
    },
    Getter {
        name: c"device",
        doc: c"Where the elements are: 'cpu'.",
        get: |py, _| Ok("cpu".into_pyobject(py)?.into_any()),
    },
    Getter {
        name: c"T",
        doc: c"The array with its axes reversed; shares storage.",
        get: |py, x| object::wrap(py, object::read(x)?.t()),
    },
    Getter {
        name: c"mT",
        doc: c"The array with its last two axes exchanged; shares storage.",
        get: |py, x| wrapped(py, object::read(x)?.matrix_transpose()),
    },
    Getter {
        name: c"is_shared",
        doc: c"Whether freelane.share made the array one that can only be read.",
        get: |py, x| Ok(bool_object(py, object::is_frozen(x)?)),
    },
];

pub(crate) static METHODS: &[Native] = &[
    Native {
        signature: "item(self, /, *index)",
        doc: "The only element, or the one at an index, as a Python number.\n\n>>> freelane.asarray([[1, 2]]).item(0, 1)\n2",
        run: item,
    },
    Native {
        signature: "tolist(self, /)",
        doc: "The elements as nested lists of Python numbers; a number for an array without axes.\n\n\
              >>> freelane.asarray([[1, 2], [3, 4]]).T.tolist()\n[[1, 3], [2, 4]]",
        run: |py, args| list(py, &object::snapshot(args.required(0))?),
    },
    Native {
        signature: "copy(self, /)",
        doc: "A copy with storage of its own, in row-major order.\n\nArrays are values, so a copy is needed only to write to an \
              array that is shared, or to let go of a large array of which this is a small part.",
        run: |py, args| {
            let x = object::read(args.required(0))?;
            wrapped(py, crate::detach::run(py, x.nbytes() as u64 / 8, || x.copy()))
        },
    },
    Native {
        signature: "to_device(self, device, /, *, stream=None)",
        doc: "The array itself; there is one device, 'cpu'.",
        run: |_, args| {
            crate::creation::check_device(args.get(1))?;
            if args.some(2).is_some() {
                return Err(exc::PyValueError::new_err("to_device: the device 'cpu' has no streams"));
            }
            Ok(args.required(0).clone())
        },
    },
    Native {
        signature: "__array_namespace__(self, /, *, api_version=None)",
        doc: "The module freelane, a namespace by the Array API standard.",
        run: namespace,
    },
    Native {
        signature: "__format__(self, spec, /)",
        doc: "The text by a format, which an array without axes has as its number does.\n\n\
              >>> f'{freelane.asarray(2.5):.2f}'\n'2.50'",
        run: format,
    },
    Native { signature: "__complex__(self, /)", doc: "The only element as a complex number.", run: complex },
    Native {
        signature: "ravel(self, /)",
        doc: "The elements along one axis, in row-major order; shares storage where it can.",
        run: |py, args| wrapped(py, object::read(args.required(0))?.reshape(&[-1])),
    },
    Native {
        signature: "flatten(self, /)",
        doc: "The elements along one axis, in row-major order.",
        run: |py, args| wrapped(py, object::read(args.required(0))?.reshape(&[-1])),
    },
    Native {
        signature: "reshape(self, /, *shape)",
        doc: "The elements in row-major order under another shape, as numbers or one tuple; one length may be -1.\n\n\
              >>> freelane.arange(6).reshape(2, -1).shape\n(2, 3)",
        run: |py, args| {
            let shape = numbers(args, "reshape")?;
            wrapped(py, object::read(args.required(0))?.reshape(&shape))
        },
    },
    Native {
        signature: "transpose(self, /, *axes)",
        doc: "The axes in another order, or reversed; shares storage.",
        run: |py, args| {
            let axes = numbers(args, "transpose")?;
            let x = object::read(args.required(0))?;
            if axes.is_empty() { object::wrap(py, x.t()) } else { wrapped(py, x.permute_dims(&axes)) }
        },
    },
    Native {
        signature: "astype(self, /, dtype, *, copy=True, device=None)",
        doc: "The elements converted to another type.\n\nFloats become integers by truncation, saturating at the ends of the \
              range; NaN gives 0.\n\n>>> freelane.asarray([1.5, -2.5]).astype(freelane.int8).tolist()\n[1, -2]",
        run: |py, args| crate::creation::astype(py, args.required(0), args.required(1), args.get(2), args.get(3)),
    },
];

/// Whole numbers given one by one, or as one tuple or list.
fn numbers(args: &Args<'_, '_>, op: &str) -> PyResult<Vec<isize>> {
    let wrong = || exc::PyTypeError::new_err(format!("{op}: takes whole numbers, or one tuple of them"));
    let given: Vec<Bound<'_, PyAny>> = args.rest().map(|b| b.to_owned()).collect();
    let given = match &given[..] {
        [one] if one.is_none() => vec![],
        [one] if whole(one).is_none() => crate::convert::items(one).ok_or_else(wrong)??.into_vec(),
        _ => given,
    };
    let number = |o: &Bound<'_, PyAny>| match whole(o).ok_or_else(wrong)?? {
        Scalar::Int(i) => isize::try_from(i).map_err(|_| exc::PyValueError::new_err(format!("{op}: {i} is too large"))),
        _ => Err(wrong()),
    };
    given.iter().map(number).collect()
}

fn namespace<'py>(py: Python<'py>, args: &Args<'_, 'py>) -> Answer<'py> {
    const KNOWN: [&str; 5] = ["2021.12", "2022.12", "2023.12", "2024.12", "2025.12"];
    if let Some(version) = args.some(1) {
        let version: String = version.extract()?;
        if !KNOWN.contains(&version.as_str()) {
            let message = format!("version {version} of the Array API is not known; there are {}", KNOWN.join(", "));
            return Err(exc::PyValueError::new_err(message));
        }
    }
    Ok(py.import("freelane")?.into_any())
}

/// The only element of an array.
fn only(x: &Bound<'_, PyAny>, what: &str) -> PyResult<Scalar> {
    let x = object::read(x)?;
    if x.len() != 1 {
        let message = format!("an array of {} elements has no {what} value; any() and all() reduce one", x.len());
        return Err(exc::PyValueError::new_err(message));
    }
    x.to_scalar().map_err(to_py)
}

/// A Python number for a scalar of a dtype's kind.
fn object_of(py: Python<'_>, s: Scalar) -> Answer<'_> {
    Ok(match s {
        Scalar::Bool(b) => bool_object(py, b),
        Scalar::Int(i) => i.into_pyobject(py)?.into_any(),
        Scalar::Float(x) => PyFloat::new(py, x).into_any(),
        Scalar::Complex(z) => PyComplex::from_doubles(py, z.re, z.im).into_any(),
    })
}

fn item<'py>(py: Python<'py>, args: &Args<'_, 'py>) -> Answer<'py> {
    let x = object::snapshot(args.required(0))?;
    let index = numbers(args, "item")?;
    let picked = match (&index[..], x.rank()) {
        ([], _) => x,
        ([at], rank) if rank != 1 => {
            x.reshape(&[-1]).and_then(|flat| flat.index(&[freelane::Index::At(*at)])).map_err(to_py)?
        }
        (many, rank) if many.len() == rank => {
            let index: Vec<_> = many.iter().map(|&i| freelane::Index::At(i)).collect();
            x.index(&index).map_err(to_py)?
        }
        (many, rank) => {
            let message = format!("item: {} indices for an array of {rank} axes", many.len());
            return Err(exc::PyValueError::new_err(message));
        }
    };
    if picked.len() != 1 {
        let message = format!("item: needs one element, the array has {}; give an index", picked.len());
        return Err(exc::PyValueError::new_err(message));
    }
    object_of(py, picked.to_scalar().map_err(to_py)?)
}

fn format<'py>(py: Python<'py>, args: &Args<'_, 'py>) -> Answer<'py> {
    let (x, spec) = (object::snapshot(args.required(0))?, args.required(1));
    if spec.len()? == 0 {
        return str(py, args.required(0));
    }
    if x.rank() > 0 {
        let message = format!("an array of {} axes takes no format {spec}; format its elements", x.rank());
        return Err(exc::PyTypeError::new_err(message));
    }
    object_of(py, x.to_scalar().map_err(to_py)?)?.call_method1("__format__", (spec,))
}

/// Nested lists of Python numbers.
fn list<'py>(py: Python<'py>, x: &Array) -> Answer<'py> {
    if x.rank() == 0 {
        return object_of(py, x.to_scalar().map_err(to_py)?);
    }
    if x.rank() > 1 {
        let rows = (0..x.shape()[0]).map(|i| x.index(&[freelane::Index::At(i as isize)]).map_err(to_py));
        let rows = rows.map(|row| list(py, &row?)).collect::<PyResult<Vec<_>>>()?;
        return Ok(PyList::new(py, rows)?.into_any());
    }
    let wide = |dtype| x.astype(dtype).map_err(to_py);
    Ok(match x.dtype().kind() {
        Kind::Bool => PyList::new(py, x.to_vec::<bool>().map_err(to_py)?)?,
        Kind::Unsigned => PyList::new(py, wide(DType::U64)?.to_vec::<u64>().map_err(to_py)?)?,
        Kind::Signed => PyList::new(py, wide(DType::I64)?.to_vec::<i64>().map_err(to_py)?)?,
        Kind::Float => PyList::new(py, wide(DType::F64)?.to_vec::<f64>().map_err(to_py)?)?,
        Kind::Complex => {
            let numbers = wide(DType::C128)?.to_vec::<Complex<f64>>().map_err(to_py)?;
            PyList::new(py, numbers.iter().map(|z| PyComplex::from_doubles(py, z.re, z.im)))?
        }
    }
    .into_any())
}

/// `bool(x)`.
pub(crate) fn truth(x: &Bound<'_, PyAny>) -> PyResult<bool> {
    Ok(match only(x, "truth")? {
        Scalar::Bool(b) => b,
        Scalar::Int(i) => i != 0,
        Scalar::Float(x) => x != 0.0,
        Scalar::Complex(z) => z != Complex::new(0.0, 0.0),
    })
}

/// `len(x)`.
pub(crate) fn length(x: &Bound<'_, PyAny>) -> PyResult<ffi::Py_ssize_t> {
    let x = object::read(x)?;
    let first = x.shape().first().ok_or_else(|| exc::PyTypeError::new_err("an array without axes has no length"))?;
    Ok(*first as ffi::Py_ssize_t)
}

fn no_complex(what: &str) -> PyErr {
    exc::PyTypeError::new_err(format!("a complex element is no {what}; take its real part or its absolute value"))
}

/// `int(x)`.
pub(crate) fn int<'py>(py: Python<'py>, x: &Bound<'py, PyAny>) -> Answer<'py> {
    match only(x, "integer")? {
        Scalar::Bool(b) => Ok(PyInt::new(py, i32::from(b)).into_any()),
        Scalar::Int(i) => Ok(i.into_pyobject(py)?.into_any()),
        Scalar::Float(f) => PyFloat::new(py, f).call_method0("__int__"),
        Scalar::Complex(_) => Err(no_complex("integer")),
    }
}

/// `float(x)`.
pub(crate) fn float<'py>(py: Python<'py>, x: &Bound<'py, PyAny>) -> Answer<'py> {
    let value = match only(x, "float")? {
        Scalar::Bool(b) => f64::from(u8::from(b)),
        Scalar::Int(i) => i as f64,
        Scalar::Float(f) => f,
        Scalar::Complex(_) => return Err(no_complex("float")),
    };
    Ok(PyFloat::new(py, value).into_any())
}

fn complex<'py>(py: Python<'py>, args: &Args<'_, 'py>) -> Answer<'py> {
    let z = match only(args.required(0), "complex")? {
        Scalar::Bool(b) => Complex::new(f64::from(u8::from(b)), 0.0),
        Scalar::Int(i) => Complex::new(i as f64, 0.0),
        Scalar::Float(f) => Complex::new(f, 0.0),
        Scalar::Complex(z) => z,
    };
    Ok(PyComplex::from_doubles(py, z.re, z.im).into_any())
}

/// `operator.index(x)`: an integer array without axes.
pub(crate) fn as_index<'py>(py: Python<'py>, x: &Bound<'py, PyAny>) -> Answer<'py> {
    let (rank, dtype) = {
        let x = object::read(x)?;
        (x.rank(), x.dtype())
    };
    if rank != 0 || !dtype.is_integer() {
        let message = format!("only an integer array without axes is an index, this has {rank} axes of {dtype}");
        return Err(exc::PyTypeError::new_err(message));
    }
    int(py, x)
}

/// `iter(x)`: along the first axis.
pub(crate) fn iter<'py>(py: Python<'py>, x: &Bound<'py, PyAny>) -> Answer<'py> {
    if object::read(x)?.rank() == 0 {
        return Err(exc::PyTypeError::new_err("an array without axes cannot be iterated over"));
    }
    // SAFETY: attached; the result is a new reference or null.
    unsafe { Bound::from_owned_ptr_or_err(py, ffi::PySeqIter_New(x.as_ptr())) }
}

/// `str(x)`.
pub(crate) fn str<'py>(py: Python<'py>, x: &Bound<'py, PyAny>) -> Answer<'py> {
    Ok(object::snapshot(x)?.to_string().into_pyobject(py)?.into_any())
}

/// `repr(x)`: as NumPy writes it.
pub(crate) fn repr<'py>(py: Python<'py>, x: &Bound<'py, PyAny>) -> Answer<'py> {
    let x = object::snapshot(x)?;
    Ok(x.to_repr().into_pyobject(py)?.into_any())
}

/// The dtype that an optional argument names.
pub(crate) fn dtype_argument(object: Option<&Bound<'_, PyAny>>) -> PyResult<Option<DType>> {
    object.filter(|o| !o.is_none()).map(dtype_of).transpose()
}
