//! Which dtype comes out, and which shapes go together.
use crate::convert::{scalar, to_array};
use crate::dtype::{dtype_object, dtype_of};
use crate::errors::to_py;
use crate::native::{Args, Native};
use crate::object::{self, is_array};
use freelane::{Array, DType, Operand, Scalar, promote_types, result_type};
use pyo3::types::{PyString, PyTuple};
use pyo3::{exceptions as exc, prelude::*};

pub(crate) static FUNCTIONS: &[Native] = &[
    Native {
        signature: "can_cast(from_, to, /)",
        doc: "Whether values of a dtype, or of an array's, can be had in another without loss of kind or range.\n\n\
              >>> freelane.can_cast(freelane.int32, freelane.int64), freelane.can_cast(freelane.float64, freelane.float32)\n\
              (True, False)",
        run: |py, args| {
            let (from, to) = (array_or_dtype(args.required(0))?, dtype_of(args.required(1))?);
            Ok(crate::slots::bool_object(py, promote_types(from, to) == to))
        },
    },
    Native {
        signature: "result_type(*arrays_and_dtypes)",
        doc: "The dtype that arrays, dtypes and Python numbers have together; numbers give way to the others.\n\n\
              >>> freelane.result_type(freelane.float32, freelane.int8, 1.0)\nfreelane.float32",
        run: |py, args| Ok(dtype_object(py, common(args)?)),
    },
    Native {
        signature: "broadcast_shapes(*shapes)",
        doc: "The shape that arrays of these shapes have together.\n\n>>> freelane.broadcast_shapes((3,), (2, 1))\n(2, 3)",
        run: |py, args| {
            let shapes = args.rest().map(|s| crate::creation::shape_of(&s, "broadcast_shapes"));
            let shapes = shapes.collect::<PyResult<Vec<_>>>()?;
            let shape = freelane::broadcast_shapes(shapes.iter().map(|s| &s[..])).map_err(to_py)?;
            Ok(PyTuple::new(py, shape)?.into_any())
        },
    },
];

fn array_or_dtype(object: &Bound<'_, PyAny>) -> PyResult<DType> {
    if is_array(object) { Ok(object::read(object)?.dtype()) } else { dtype_of(object) }
}

fn common(args: &Args<'_, '_>) -> PyResult<DType> {
    let (mut dtype, mut numbers) = (None::<DType>, vec![]);
    for arg in args.rest() {
        let this = match scalar(&arg)? {
            Some(s) => {
                numbers.push(s);
                continue;
            }
            None if is_array(&arg) => array_or_dtype(&arg)?,
            None if arg.is_instance_of::<PyString>() => dtype_of(&arg)?,
            None => dtype_of(&arg).or_else(|_| to_array(&arg).map(|a| a.dtype()))?,
        };
        dtype = Some(dtype.map_or(this, |d| promote_types(d, this)));
    }
    if dtype.is_none() && numbers.is_empty() {
        return Err(exc::PyValueError::new_err("result_type: needs at least one array, dtype or number"));
    }
    // An array of one element stands for the dtypes: numbers give way to it as to any array.
    let stand_in = dtype.map(|d| Array::from_scalars(&[Scalar::Bool(false)], &[], d)).transpose().map_err(to_py)?;
    let operands = numbers.into_iter().map(Operand::Scalar).chain(stand_in.iter().map(Operand::from));
    Ok(result_type(&operands.collect::<Vec<_>>()))
}
