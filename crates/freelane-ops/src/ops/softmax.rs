//! Exponentials that add up to one, and the logarithm of their sum.
//!
//! The greatest element of each line is subtracted first, so that nothing overflows. Lines are done a chunk at a time: what
//! one step writes is still in the cache when the next one reads it, and lanes take chunks of their own.
use super::rearrange::part;
use crate::function::{Default, Kind, Param};
use crate::ufunc::{finish, uninit};
use crate::{Array, Axes, InOp, Op, Operand, OpsError, Run, UFunc, concat, ufuncs};
use freelane_array::{DType, Kind as Number, Layout, normalize_axis};
use freelane_pool::Lane;
use freelane_sync::OnceTable;
use std::ops::Range;

/// Elements in a chunk.
const CHUNK: usize = 1 << 15;

/// Estimated nanoseconds an element.
const COST: f64 = 2.0;

/// The array in the precision in which its exponentials are computed: half floats in `f32`, integers in `f64`.
fn widened(op: &'static str, x: &Array) -> Result<(Array, DType), OpsError> {
    match (x.dtype(), x.dtype().kind()) {
        (DType::F16 | DType::BF16, _) => Ok((x.astype(DType::F32)?, x.dtype())),
        (_, Number::Float) => Ok((x.clone(), x.dtype())),
        (_, Number::Unsigned | Number::Signed | Number::Bool) => Ok((x.astype(DType::F64)?, DType::F64)),
        (dtype, Number::Complex) => {
            Err(OpsError::DType { op, found: vec![dtype], supported: "real numbers".to_owned() })
        }
    }
}

/// The first axis along which an array can be cut without cutting a line.
fn cut_axis(x: &Array, mask: &[bool]) -> Option<usize> {
    (0..x.rank()).find(|&i| !mask[i] && x.shape()[i] > 1)
}

/// Pieces along the axis that is cut: their number, and which places are in one.
fn pieces(x: &Array, axis: usize) -> (usize, impl Fn(usize) -> Range<usize>) {
    let len = x.shape()[axis];
    let size = (CHUNK / (x.len() / len).max(1)).clamp(1, len);
    (len.div_ceil(size), move |i| i * size..((i + 1) * size).min(len))
}

/// Two arrays and the function that makes the result of them.
type Last = (Array, Array, &'static UFunc);

fn softmax(x: &Array, axes: &Axes) -> Result<Last, OpsError> {
    let e = ufuncs::EXP.over(x.subtract(&x.max(axes.clone(), true)?)?, &[None])?;
    let sum = e.sum(axes.clone(), true)?;
    Ok((e, sum, &ufuncs::DIVIDE))
}

fn log_softmax(x: &Array, axes: &Axes) -> Result<Last, OpsError> {
    let shifted = x.subtract(&x.max(axes.clone(), true)?)?;
    let sum = shifted.exp()?.sum(axes.clone(), true)?;
    Ok((shifted, ufuncs::LOG.over(sum, &[None])?, &ufuncs::SUBTRACT))
}

/// Where lanes write chunks of the result.
struct Place(*mut u8);
// SAFETY: chunks do not overlap.
unsafe impl Sync for Place {}

impl Place {
    fn at(&self, bytes: usize) -> *mut u8 {
        self.0.wrapping_add(bytes)
    }
}

/// A function of lines with results of their length.
fn along(
    lane: &Lane,
    op: &'static str,
    x: &Array,
    axis: isize,
    steps: fn(&Array, &Axes) -> Result<Last, OpsError>,
) -> Result<Array, OpsError> {
    let axis = normalize_axis(axis, x.rank()).in_op(op)?;
    let (x, dtype) = widened(op, x)?;
    if x.is_empty() {
        return x.copy()?.astype(dtype);
    }
    let axes = Axes::from(axis as isize);
    let layout = Layout::contiguous(x.shape()).in_op(op)?;
    let mut buffer = uninit(lane, &layout, x.dtype(), op)?;
    let place = Place(buffer.as_mut_ptr());
    let write = |x: &Array, first: usize| -> Result<(), OpsError> {
        let (a, b, f) = steps(x, &axes)?;
        let to = Layout::strided(x.shape(), layout.strides(), 0).in_op(op)?;
        let at = place.at(first * x.dtype().size());
        Lane::with(|lane| f.run(lane, x.dtype(), &[Operand::from(&a), Operand::from(&b)], at, &to))
    };
    let mask: Vec<bool> = (0..x.rank()).map(|i| i == axis).collect();
    match cut_axis(&x, &mask) {
        Some(cut) if x.len() > CHUNK => {
            let (count, piece) = pieces(&x, cut);
            let (cost, failed) = ((x.len() as f64 * COST) as u64, OnceTable::new());
            let done = lane.try_par_for(count, cost, &|_, i| {
                let range = piece(i);
                let first = range.start * layout.strides()[cut] as usize;
                if let Err(e) =
                    part(&x, cut, Some(range.start as isize), Some(range.end as isize)).and_then(|x| write(&x, first))
                {
                    failed.get_or_init(|| e);
                }
            });
            done.in_op(op)?;
            if let Some(error) = failed.into_inner() {
                return Err(error.of(op));
            }
        }
        _ => write(&x, 0).map_err(|e| e.of(op))?,
    }
    // SAFETY: every chunk was written.
    let result = Array::from(unsafe { finish(buffer, x.dtype(), layout) });
    if dtype == result.dtype() { Ok(result) } else { result.astype(dtype) }
}

/// The logarithm of the sum of exponentials over axes, which stay with length 1.
fn log_sum(x: &Array, axes: &Axes) -> Result<Array, OpsError> {
    // Finite, so that nothing is infinity minus infinity.
    let most = if x.dtype() == DType::F32 { f32::MAX.into() } else { f64::MAX };
    let shift = x.max(axes.clone(), true)?.clip(Some((-most).into()), Some(most.into()))?;
    let sum = ufuncs::EXP.over(x.subtract(&shift)?, &[None])?.sum(axes.clone(), true)?;
    ufuncs::ADD.over(ufuncs::LOG.over(sum, &[None])?, &[None, Some((&shift).into())])
}

fn logsumexp(x: &Array, axes: &Axes, keepdims: bool) -> Result<Array, OpsError> {
    const OP: &str = "logsumexp";
    let mask = axes.mask(OP, x.rank())?;
    let (x, dtype) = widened(OP, x)?;
    let kept: Vec<usize> = (0..x.rank()).map(|i| if mask[i] { 1 } else { x.shape()[i] }).collect();
    let sums = match cut_axis(&x, &mask) {
        _ if x.is_empty() => Array::full(&kept, f64::NEG_INFINITY, x.dtype())?,
        Some(cut) if x.len() > CHUNK => {
            let (count, piece) = pieces(&x, cut);
            let piece = |i: usize| part(&x, cut, Some(piece(i).start as isize), Some(piece(i).end as isize));
            let parts = (0..count).map(|i| log_sum(&piece(i)?, axes)).collect::<Result<Vec<_>, _>>()?;
            concat(&parts.iter().collect::<Vec<_>>(), cut as isize)?
        }
        _ => log_sum(&x, axes)?,
    };
    let gone: Vec<isize> = (0..x.rank()).filter(|&i| mask[i] && !keepdims).map(|i| i as isize).collect();
    sums.squeeze(&gone)?.astype(dtype)
}

impl Array {
    /// Exponentials of the elements, divided by their sum along an axis. Half floats are computed in `f32`, integers in
    /// `f64`. Where an element is NaN or plus infinity, or all are minus infinity, the whole line is NaN.
    ///
    /// ```
    /// use freelane_ops::Array;
    /// let x = Array::from_vec(vec![1000.0, 1000.0], &[2])?;
    /// assert_eq!(x.softmax(-1)?.to_vec::<f64>()?, [0.5, 0.5]);
    /// # Ok::<(), freelane_ops::OpsError>(())
    /// ```
    ///
    /// # Errors
    /// When there is no such axis, elements are complex, or memory cannot be had.
    pub fn softmax(&self, axis: isize) -> Result<Array, OpsError> {
        Lane::with(|lane| along(lane, "softmax", self, axis, softmax))
    }

    /// The logarithm of the [softmax](Array::softmax), which is exact where that is too small.
    ///
    /// # Errors
    /// As for `softmax`.
    pub fn log_softmax(&self, axis: isize) -> Result<Array, OpsError> {
        Lane::with(|lane| along(lane, "log_softmax", self, axis, log_softmax))
    }

    /// The logarithm of the sum of the exponentials of the elements; minus infinity for none.
    ///
    /// ```
    /// use freelane_ops::Array;
    /// let x = Array::from_vec(vec![1000.0, 1000.0], &[2])?;
    /// assert_eq!(x.logsumexp(.., false)?.item::<f64>()?, 1000.0 + 2f64.ln());
    /// # Ok::<(), freelane_ops::OpsError>(())
    /// ```
    ///
    /// # Errors
    /// When an axis does not exist, elements are complex, or memory cannot be had.
    pub fn logsumexp(&self, axes: impl Into<Axes>, keepdims: bool) -> Result<Array, OpsError> {
        logsumexp(self, &axes.into(), keepdims).map_err(|e| e.of("logsumexp"))
    }
}

const LINE: &[Param] = &[Param::required("x", Kind::Operand), Param::optional("axis", Kind::Int, Default::Int(-1))];

pub(crate) static SOFTMAX: Op = Op {
    name: "softmax",
    doc: "Exponentials of the elements, divided by their sum along an axis. Nothing overflows.",
    params: LINE,
    run: Run::One(|_, a| a.array(0)?.softmax(a.int(1)? as isize)),
    onnx: Some(("Softmax", 13)),
};

pub(crate) static LOG_SOFTMAX: Op = Op {
    name: "log_softmax",
    doc: "The logarithm of the softmax along an axis, exact where that is too small.",
    params: LINE,
    run: Run::One(|_, a| a.array(0)?.log_softmax(a.int(1)? as isize)),
    onnx: Some(("LogSoftmax", 13)),
};

pub(crate) static LOGSUMEXP: Op = Op {
    name: "logsumexp",
    doc: "The logarithm of the sum of the exponentials of the elements over axes; minus infinity for none.",
    params: &[
        Param::required("x", Kind::Operand),
        Param::optional("axis", Kind::Axes, Default::None),
        Param::keyword("keepdims", Kind::Bool, Default::Bool(false)),
    ],
    run: Run::One(|_, a| a.array(0)?.logsumexp(a.axes(1)?, a.bool(2)?)),
    onnx: Some(("ReduceLogSumExp", 13)),
};
