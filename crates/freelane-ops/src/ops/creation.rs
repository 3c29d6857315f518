//! Arrays from nothing.
use crate::function::{Default, Kind, Param};
use crate::ops::astype::write;
use crate::ufunc::{finish, uninit};
use crate::{Array, InOp, Op, Operand, OpsError, Run, Scalar};
use freelane_array::{ArrayData, DType, Element, Layout};
use freelane_mem::BufferMut;
use freelane_pool::Lane;
use std::mem::MaybeUninit;

impl Array {
    /// An array of zeros.
    ///
    /// # Errors
    /// When the shape exceeds the address space, or memory cannot be had.
    pub fn zeros(shape: &[usize], dtype: DType) -> Result<Array, OpsError> {
        zeroed("zeros", shape, dtype)
    }

    /// As [`Array::empty`], in memory that the lane is offered if it is: for results of operators in a plan.
    ///
    /// # Errors
    /// As [`Array::zeros`].
    pub fn empty_in(lane: &Lane, shape: &[usize], dtype: DType) -> Result<Array, OpsError> {
        if dtype == DType::Bool {
            return Array::zeros(shape, dtype);
        }
        let layout = Layout::contiguous(shape).in_op("empty")?;
        let buffer = crate::ufunc::uninit(lane, &layout, dtype, "empty")?;
        // SAFETY: as in `empty`.
        Ok(unsafe { ArrayData::from_parts_unchecked(buffer, dtype, layout) }.into())
    }

    /// An array with anything in it: whatever its memory held before.
    ///
    /// # Errors
    /// As [`Array::zeros`].
    pub fn empty(shape: &[usize], dtype: DType) -> Result<Array, OpsError> {
        if dtype == DType::Bool {
            return Array::zeros(shape, dtype);
        }
        if let &[len] = shape
            && let Some(array) = Array::of_length(len, dtype)
        {
            return Ok(array);
        }
        let layout = Layout::contiguous(shape).in_op("empty")?;
        let bytes = freelane_array::element_count(layout.shape(), dtype.size()).in_op("empty")? * dtype.size();
        let buffer = BufferMut::uninit(bytes).in_op("empty")?;
        // SAFETY: the buffer holds the layout's elements. Its bytes lie in mapped memory and have some value, and every
        // value is one of a number's; the compiler sees neither the mapping nor what was there before.
        Ok(unsafe { ArrayData::from_parts_unchecked(buffer, dtype, layout) }.into())
    }

    /// One axis of `len` numbers with anything in them; `None` for booleans, and where
    /// [`Array::empty`] has an error to tell.
    #[inline(always)]
    pub fn of_length(len: usize, dtype: DType) -> Option<Array> {
        if dtype == DType::Bool {
            return None;
        }
        let buffer = BufferMut::uninit(len.checked_mul(dtype.size())?).ok()?;
        // With the storage first, the layout is made where it stays: moving it costs more than making it.
        let layout = Layout::of_one_axis(len);
        // SAFETY: as in `empty`.
        Some(unsafe { ArrayData::from_parts_unchecked(buffer, dtype, layout) }.into())
    }

    /// Scalars in row-major order as an array, each converted to `dtype`.
    ///
    /// ```
    /// use freelane_ops::{Array, DType, Scalar};
    /// let x = Array::from_scalars(&[Scalar::Int(1), Scalar::Float(2.5)], &[2], DType::F32)?;
    /// assert_eq!(x.to_vec::<f32>()?, [1.0, 2.5]);
    /// # Ok::<(), freelane_ops::OpsError>(())
    /// ```
    ///
    /// # Errors
    /// As [`Array::zeros`]; also when there are more or fewer scalars than elements, or one cannot be held by `dtype`.
    pub fn from_scalars(values: &[Scalar], shape: &[usize], dtype: DType) -> Result<Array, OpsError> {
        let mut out = Array::zeros(shape, dtype)?;
        if out.len() != values.len() {
            let to = shape.iter().map(|&d| d as isize).collect();
            let mismatch = freelane_array::ArrayError::ReshapeMismatch { from: vec![values.len()], to };
            return Err(mismatch).in_op("from_scalars");
        }
        let base = out.data_mut().as_mut_ptr().ok_or(freelane_array::ArrayError::NotUnique).in_op("from_scalars")?;
        for (i, value) in values.iter().enumerate() {
            let element = value.to_element("from_scalars", dtype)?;
            // SAFETY: the array is contiguous and has as many elements as there are values.
            unsafe { base.add(i * dtype.size()).copy_from_nonoverlapping(element.0.as_ptr(), dtype.size()) };
        }
        Ok(out)
    }

    /// An array of ones.
    ///
    /// # Errors
    /// As [`Array::zeros`].
    pub fn ones(shape: &[usize], dtype: DType) -> Result<Array, OpsError> {
        filled("ones", shape, Scalar::Int(1), dtype)
    }

    /// An array with one value in every place.
    ///
    /// # Errors
    /// As [`Array::zeros`]; also when an integer is out of the dtype's range.
    pub fn full(shape: &[usize], value: impl Into<Scalar>, dtype: DType) -> Result<Array, OpsError> {
        filled("full", shape, value.into(), dtype)
    }

    /// Whole numbers from `start` up to, not including, `stop`, `step` apart, as `i64`.
    ///
    /// # Errors
    /// When the step is zero or memory cannot be had.
    pub fn arange(start: i64, stop: i64, step: i64) -> Result<Array, OpsError> {
        Array::arange_of(start, stop, step, |x| x)
    }

    /// The same, of another type that each number is made into.
    fn arange_of<T: Element>(start: i64, stop: i64, step: i64, make: impl Fn(i64) -> T) -> Result<Array, OpsError> {
        if step == 0 {
            return Err(OpsError::argument("arange", "the step is 0"));
        }
        let span = i128::from(stop) - i128::from(start);
        let steps = i128::from(step);
        let count = if (span > 0) == (steps > 0) { span.unsigned_abs().div_ceil(steps.unsigned_abs()) } else { 0 };
        let n = usize::try_from(count).map_err(|_| OpsError::argument("arange", "too many values"))?;
        let steps = |i: usize| (i as i64).wrapping_mul(step);
        fill("arange", n, |i| start.wrapping_add(steps(i)), steps, |first, more| make(first.wrapping_add(more)))
    }

    /// Numbers from `start` up to, not including, `stop`, `step` apart, as `f64`: element `i` is `start + i * step`.
    ///
    /// # Errors
    /// When the step is zero or not finite, an end is not finite, or memory cannot be had.
    pub fn arange_f64(start: f64, stop: f64, step: f64) -> Result<Array, OpsError> {
        let count = ((stop - start) / step).ceil();
        if step == 0.0 || !count.is_finite() || count > isize::MAX as f64 {
            return Err(OpsError::argument("arange", format!("no finite range from {start} to {stop} by {step}")));
        }
        fill("arange", count.max(0.0) as usize, |i| i as f64, |i| i as f64, |first, more| start + (first + more) * step)
    }

    /// `count` numbers evenly spaced from `start` to `stop`, both included, as `f64`.
    ///
    /// # Errors
    /// When memory cannot be had.
    pub fn linspace(start: f64, stop: f64, count: usize) -> Result<Array, OpsError> {
        evenly(start, stop, count, true)
    }

    /// A matrix of `rows` by `columns` with ones on diagonal `k` (0: the main one, positive: above it), zero elsewhere.
    ///
    /// # Errors
    /// As [`Array::zeros`].
    pub fn eye(rows: usize, columns: usize, k: isize, dtype: DType) -> Result<Array, OpsError> {
        let mut out = zeroed("eye", &[rows, columns], dtype)?;
        let (first_row, first_column) = if k < 0 { (k.unsigned_abs(), 0) } else { (0, k.unsigned_abs()) };
        let n = rows.saturating_sub(first_row).min(columns.saturating_sub(first_column));
        let one = Scalar::Int(1).to_element("eye", dtype)?;
        let base = out.data_mut().as_mut_ptr().ok_or(freelane_array::ArrayError::NotUnique).in_op("eye")?;
        for i in 0..n {
            let at = ((first_row + i) * columns + first_column + i) * dtype.size();
            // SAFETY: `n` keeps row and column inside the matrix, and `one` holds an element of this dtype.
            unsafe { base.add(at).copy_from_nonoverlapping(one.0.as_ptr(), dtype.size()) };
        }
        Ok(out)
    }

    /// An array of zeros with another's shape and dtype.
    ///
    /// # Errors
    /// As [`Array::zeros`].
    pub fn zeros_like(&self) -> Result<Array, OpsError> {
        Array::zeros(self.shape(), self.dtype())
    }
}

fn zeroed(op: &'static str, shape: &[usize], dtype: DType) -> Result<Array, OpsError> {
    let layout = Layout::contiguous(shape).in_op(op)?;
    let bytes = freelane_array::element_count(shape, dtype.size()).in_op(op)? * dtype.size();
    let buffer = BufferMut::zeroed(bytes).in_op(op)?;
    // SAFETY: zero bytes are a valid element of every dtype, and the buffer holds the layout's elements.
    Ok(unsafe { ArrayData::from_parts_unchecked(buffer, dtype, layout) }.into())
}

fn filled(op: &'static str, shape: &[usize], value: Scalar, dtype: DType) -> Result<Array, OpsError> {
    let layout = Layout::contiguous(shape).in_op(op)?;
    value.to_element(op, dtype)?;
    Lane::with(|lane| {
        let mut buffer = uninit(lane, &layout, dtype, op)?;
        // SAFETY: the buffer was made for the elements of `layout`.
        unsafe { write(lane, op, Operand::Scalar(value), dtype, buffer.as_mut_ptr(), &layout, dtype)? };
        // SAFETY: `write` wrote every element.
        Ok(unsafe { finish(buffer, dtype, layout) }.into())
    })
}

/// `count` numbers evenly spaced from `start`; the last is `stop` if that is included.
fn evenly(start: f64, stop: f64, count: usize, included: bool) -> Result<Array, OpsError> {
    let steps = if included { count.saturating_sub(1) } else { count };
    let step = (stop - start) / steps.max(1) as f64;
    let numbers = fill("linspace", count, |i| i as f64, |i| i as f64, |first, more| start + (first + more) * step);
    if !included || count < 2 {
        return numbers;
    }
    let mut numbers = numbers?;
    numbers.assign(&[freelane_array::Index::At(-1)], stop)?;
    Ok(numbers)
}

/// The same between complex numbers.
fn evenly_complex(start: Scalar, stop: Scalar, count: usize, included: bool) -> Result<Array, OpsError> {
    let (start, stop) = (start.as_complex(), stop.as_complex());
    let imaginary = evenly(start.im, stop.im, count, included)?;
    evenly(start.re, stop.re, count, included)?.add(&imaginary.multiply(num_complex::Complex::new(0.0, 1.0))?)
}

/// An array of one axis whose element `i + k` is `join(first(i), more(k))`: what a vector's numbers have in common is made
/// once for each vector, what sets them apart once for all.
fn fill<T: Element, A: Copy, B: Copy>(
    op: &'static str,
    n: usize,
    first: impl Fn(usize) -> A,
    more: impl Fn(usize) -> B,
    join: impl Fn(A, B) -> T,
) -> Result<Array, OpsError> {
    const LANES: usize = 16;
    let more: [B; LANES] = std::array::from_fn(more);
    /// Elements between two questions whether to go on.
    const PIECE: usize = 1 << 16;
    Array::from_fn_uninit(op, &[n], |out| {
        let piece = |i: usize| {
            let (start, end) = (i * PIECE, n.min((i + 1) * PIECE));
            let (whole, rest) = out[start..end].as_chunks_mut::<LANES>();
            let last = start + whole.len() * LANES;
            for (k, places) in whole.iter_mut().enumerate() {
                let first = first(start + k * LANES);
                *places = std::array::from_fn(|k| MaybeUninit::new(join(first, more[k])));
            }
            for (place, &more) in rest.iter_mut().zip(&more) {
                place.write(join(first(last), more));
            }
        };
        Lane::with(|lane| lane.try_for(n.div_ceil(PIECE), n as u64, piece)).in_op(op)
    })
}

const SHAPE: Param = Param::required("shape", Kind::Shape);
const X: Param = Param::required("x", Kind::Operand).flat();
const DTYPE: Param = Param::keyword("dtype", Kind::DType, Default::None);

pub(crate) static ZEROS: Op = Op {
    name: "zeros",
    doc: "An array of zeros, of float64 unless a dtype is given.",
    params: &[SHAPE, DTYPE],
    run: Run::One(|_, a| Array::zeros(&a.shape(0)?, a.dtype(1)?.unwrap_or(DType::F64))),
    onnx: None,
};

pub(crate) static ONES: Op = Op {
    name: "ones",
    doc: "An array of ones, of float64 unless a dtype is given.",
    params: &[SHAPE, DTYPE],
    run: Run::One(|_, a| Array::ones(&a.shape(0)?, a.dtype(1)?.unwrap_or(DType::F64))),
    onnx: None,
};

pub(crate) static FULL: Op = Op {
    name: "full",
    doc: "An array with one value in every place, of the value's dtype unless one is given.",
    params: &[SHAPE, Param::required("fill_value", Kind::Float), DTYPE],
    run: Run::One(|_, a| {
        let value = a.scalar(1)?;
        Array::full(&a.shape(0)?, value, a.dtype(2)?.unwrap_or(value.default_dtype()))
    }),
    onnx: None,
};

pub(crate) static EMPTY: Op = Op {
    name: "empty",
    doc: "An array with anything in it, of float64 unless a dtype is given.",
    params: &[SHAPE, DTYPE],
    run: Run::One(|_, a| Array::empty(&a.shape(0)?, a.dtype(1)?.unwrap_or(DType::F64))),
    onnx: None,
};

pub(crate) static EMPTY_LIKE: Op = Op {
    name: "empty_like",
    doc: "An array with anything in it, with the shape and dtype of another.",
    params: &[X, DTYPE],
    run: Run::One(|_, a| {
        let x = a.array(0)?;
        Array::empty(x.shape(), a.dtype(1)?.unwrap_or(x.dtype()))
    }),
    onnx: None,
};

pub(crate) static ZEROS_LIKE: Op = Op {
    name: "zeros_like",
    doc: "An array of zeros with the shape and dtype of another.",
    params: &[X, DTYPE],
    run: Run::One(|_, a| like("zeros_like", &a.array(0)?, a.dtype(1)?, Scalar::Int(0))),
    onnx: None,
};

pub(crate) static ONES_LIKE: Op = Op {
    name: "ones_like",
    doc: "An array of ones with the shape and dtype of another.",
    params: &[X, DTYPE],
    run: Run::One(|_, a| like("ones_like", &a.array(0)?, a.dtype(1)?, Scalar::Int(1))),
    onnx: None,
};

pub(crate) static FULL_LIKE: Op = Op {
    name: "full_like",
    doc: "An array with one value in every place, with the shape and dtype of another.",
    params: &[X, Param::required("fill_value", Kind::Float), DTYPE],
    run: Run::One(|_, a| like("full_like", &a.array(0)?, a.dtype(2)?, a.scalar(1)?)),
    onnx: None,
};

fn like(op: &'static str, x: &Array, dtype: Option<DType>, value: Scalar) -> Result<Array, OpsError> {
    filled(op, x.shape(), value, dtype.unwrap_or(x.dtype()))
}

pub(crate) static ARANGE: Op = Op {
    name: "arange",
    doc: "Numbers from start (0) up to, not including, stop, step (1) apart. With one argument, that is the stop.",
    params: &[
        Param::required("start", Kind::Float),
        Param::optional("stop", Kind::Float, Default::None),
        Param::optional("step", Kind::Float, Default::Int(1)),
        DTYPE,
    ],
    run: Run::One(|_, a| {
        let (start, stop) = if a.is_given(1) { (a.scalar(0)?, a.scalar(1)?) } else { (Scalar::Int(0), a.scalar(0)?) };
        let range = match (start, stop, a.scalar(2)?) {
            (Scalar::Int(start), Scalar::Int(stop), Scalar::Int(step)) => {
                let narrow = |v: i128| {
                    i64::try_from(v).map_err(|_| OpsError::argument("arange", format!("{v} exceeds 64 bits")))
                };
                let (start, stop, step) = (narrow(start)?, narrow(stop)?, narrow(step)?);
                match a.dtype(3)? {
                    Some(DType::I32) => Array::arange_of(start, stop, step, |x| x as i32)?,
                    _ => Array::arange(start, stop, step)?,
                }
            }
            _ if a.is_given(1) => Array::arange_f64(a.float(0)?, a.float(1)?, a.float(2)?)?,
            _ => Array::arange_f64(0.0, a.float(0)?, a.float(2)?)?,
        };
        a.dtype(3)?.map_or(Ok(range.clone()), |d| range.astype(d))
    }),
    onnx: Some(("Range", 11)),
};

pub(crate) static LINSPACE: Op = Op {
    name: "linspace",
    doc: "Evenly spaced numbers from start to stop, which is the last one unless endpoint is False.",
    params: &[
        Param::required("start", Kind::Float),
        Param::required("stop", Kind::Float),
        Param::required("num", Kind::Int),
        DTYPE,
        Param::keyword("endpoint", Kind::Bool, Default::Bool(true)),
    ],
    run: Run::One(|_, a| {
        let (count, included) = (a.length(2)?, a.bool(4)?);
        let numbers = match (a.scalar(0)?, a.scalar(1)?) {
            (start, stop @ Scalar::Complex(_)) | (start @ Scalar::Complex(_), stop) => {
                evenly_complex(start, stop, count, included)?
            }
            _ => evenly(a.float(0)?, a.float(1)?, count, included)?,
        };
        a.dtype(3)?.map_or(Ok(numbers.clone()), |d| numbers.astype(d))
    }),
    onnx: None,
};

pub(crate) static EYE: Op = Op {
    name: "eye",
    doc: "A matrix with ones on diagonal k and zeros elsewhere.",
    params: &[
        Param::required("n_rows", Kind::Int),
        Param::optional("n_cols", Kind::Int, Default::None),
        Param::keyword("k", Kind::Int, Default::Int(0)),
        DTYPE,
    ],
    run: Run::One(|_, a| {
        let rows = a.length(0)?;
        let columns = if a.is_given(1) { a.length(1)? } else { rows };
        Array::eye(rows, columns, a.int(2)? as isize, a.dtype(3)?.unwrap_or(DType::F64))
    }),
    onnx: Some(("EyeLike", 9)),
};
