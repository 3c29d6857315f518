//! Small numerical tools made of other functions: comparisons of whole arrays, convolution, covariance, integration.
use super::join::concat;
use super::matmul::windows;
use super::rearrange::part;
use crate::function::{Default, Kind, Param};
use crate::{Array, InOp, Op, OpsError, Run, ufuncs};
use freelane_array::{DType, Index, Layout, normalize_axis};
use freelane_pool::Lane;
use std::ops::Range;

impl Array {
    /// Whether two arrays have one shape and equal elements. NaN equals nothing.
    ///
    /// # Errors
    /// When memory cannot be had.
    pub fn array_equal(&self, other: &Array) -> Result<bool, OpsError> {
        Ok(self.shape() == other.shape() && self.equal(other)?.all(.., false)?.item()?)
    }

    /// The discrete convolution of two sequences, wherever they overlap: `n + m - 1` elements.
    ///
    /// ```
    /// use freelane_ops::Array;
    /// let x = Array::from_slice(&[1.0, 2.0, 3.0])?;
    /// assert_eq!(x.convolve(&Array::from_slice(&[0.0, 1.0, 0.5])?)?.to_vec::<f64>()?, [0.0, 1.0, 2.5, 4.0, 1.5]);
    /// # Ok::<(), freelane_ops::OpsError>(())
    /// ```
    ///
    /// # Errors
    /// When an array has more than one axis or no elements, or memory cannot be had.
    pub fn convolve(&self, kernel: &Array) -> Result<Array, OpsError> {
        convolved(self, kernel, "full")
    }
}

/// Each result is a window of a sequence times `taps`, which are no longer.
fn windowed(op: &'static str, a: &Array, taps: &Array, mode: &str) -> Result<Array, OpsError> {
    for x in [a, taps] {
        if x.rank() > 1 || x.is_empty() {
            let message = format!("takes sequences of one axis that are not empty, one has shape {:?}", x.shape());
            return Err(OpsError::argument(op, message));
        }
    }
    let (n, m) = (a.len(), taps.len());
    let (before, after) = match mode {
        "valid" => (0, 0),
        "same" => (m / 2, m - 1 - m / 2),
        _ => (m - 1, m - 1),
    };
    let dtype = crate::promote_types(a.dtype(), taps.dtype());
    let line = |x: &Array| if x.rank() == 1 { x.astype(dtype) } else { x.astype(dtype)?.ravel() };
    let (a, taps) = (line(a)?.contiguous()?, line(taps)?);
    let padded = before + after > 0 && dtype.is_inexact();
    let run = |edges| Lane::with(|lane| windows(lane, a.data(), taps.data(), edges)).map(Array::from);
    let whole = || -> Result<Array, OpsError> {
        if !padded || finite(&taps)? {
            return run([before, after]);
        }
        let end = before + n + 1 - m;
        let parts = [
            overlaps(&a, &taps, before, 0..before)?,
            vec![run([0, 0])?],
            overlaps(&a, &taps, before, end..end + after)?,
        ];
        crate::concat(&parts.iter().flatten().collect::<Vec<_>>(), 0)
    };
    whole().map_err(|e| e.of(op))
}

/// Each result is a window of the longer sequence times the reversed shorter one.
fn convolved(a: &Array, b: &Array, mode: &str) -> Result<Array, OpsError> {
    let (a, b) = if a.len() < b.len() { (b, a) } else { (a, b) };
    windowed("convolve", a, &b.flip(..)?, mode)
}

/// Each result is a window of the longer sequence times the other; those of the second are conjugated.
fn correlated(x: &Array, y: &Array, mode: &str) -> Result<Array, OpsError> {
    const OP: &str = "correlate";
    let conj = |x: &Array| if x.dtype().is_real() { Ok(x.clone()) } else { x.conj() };
    if x.len() < y.len() {
        // With the longer one second, the shifts run the other way.
        return conj(&windowed(OP, y, &conj(x)?, mode)?)?.flip(..);
    }
    windowed(OP, x, &conj(y)?, mode)
}

/// Whether no element is infinite or NaN.
fn finite(x: &Array) -> Result<bool, OpsError> {
    if let Ok(x) = x.view::<f64>() {
        return Ok(x.iter().all(f64::is_finite));
    }
    if let Ok(x) = x.view::<f32>() {
        return Ok(x.iter().all(f32::is_finite));
    }
    x.isfinite()?.all(.., false)?.item::<bool>()
}

/// Some of the results, each of what overlaps: where zeros beside the sequence would not vanish, as infinity times zero is
/// NaN. Each has an axis of one element.
fn overlaps(a: &Array, turned: &Array, before: usize, results: Range<usize>) -> Result<Vec<Array>, OpsError> {
    let (n, m) = (a.len() as isize, turned.len() as isize);
    let part = |x: &Array, from: isize, to: isize| part(x, 0, Some(from), Some(to));
    let result = |i: usize| {
        let first = i as isize - before as isize;
        let (from, to) = (first.max(0), (first + m).min(n));
        part(a, from, to)?.matmul(&part(turned, from - first, to - first)?)?.expand_dims(0)
    };
    results.map(result).collect()
}

/// The area under lines through the points (x, y).
fn trapezoid(y: &Array, x: Option<&Array>, dx: f64, axis: isize) -> Result<Array, OpsError> {
    const OP: &str = "trapezoid";
    let axis = normalize_axis(axis, y.rank()).in_op(OP)?;
    let twice = part(y, axis, None, Some(-1))?.add(&part(y, axis, Some(1), None)?)?;
    let weighted = match x {
        None => twice.multiply(dx / 2.0)?,
        Some(x) => {
            let steps = if x.rank() == 1 { x.diff(1, 0)? } else { x.diff(1, axis as isize)? };
            let behind = if x.rank() == 1 { y.rank() - 1 - axis } else { 0 };
            let steps = (0..behind).try_fold(steps, |s, _| s.expand_dims(-1))?;
            twice.multiply(&steps)?.divide(2.0)?
        }
    };
    weighted.sum(axis as isize, false).map_err(|e| e.of(OP))
}

/// Rows are variables, columns are observations.
fn covariance(x: Array, rows_vary: bool, ddof: f64) -> Result<Array, OpsError> {
    const OP: &str = "cov";
    if x.rank() > 2 {
        return Err(OpsError::argument(OP, format!("takes at most two axes, the array has {}", x.rank())));
    }
    let x = x.astype(crate::promote_types(x.dtype(), DType::F64))?;
    let x = if x.rank() < 2 {
        x.reshape(&[1, x.len() as isize])?
    } else if rows_vary {
        x
    } else {
        x.t()
    };
    let (count, n) = (x.shape()[0], x.shape()[1]);
    if count == 1 && x.dtype() == DType::F64 {
        return x.var(.., ddof, false);
    }
    let mean = x.mean(1, true)?;
    let centred = ufuncs::SUBTRACT.over(x, &[None, Some((&mean).into())])?;
    let products = centred.matmul(&centred.conj()?.t())?;
    let divided = products.multiply(1.0 / (n as f64 - ddof).max(0.0))?;
    let one = divided.shape() == [1, 1];
    if one { divided.reshape(&[]) } else { Ok(divided) }
}

fn correlation(x: Array, rows_vary: bool) -> Result<Array, OpsError> {
    let c = covariance(x, rows_vary, 1.0)?;
    if c.rank() == 0 {
        return c.divide(&c);
    }
    let n = c.shape()[0];
    let diagonal = Layout::strided(&[n], &[c.strides().iter().sum()], c.data().layout().offset()).in_op("corrcoef")?;
    let diagonal: Array = c.data().with_layout(diagonal).in_op("corrcoef")?.into();
    let spread = diagonal.real()?.sqrt()?;
    let c = c.divide(&spread.expand_dims(1)?)?.divide(&spread)?;
    // Rounding may have led beyond.
    if c.dtype().kind() == freelane_array::Kind::Complex {
        Ok(c)
    } else {
        c.clip(Some((-1.0).into()), Some(1.0.into()))
    }
}

const X: Param = Param::required("x", Kind::Operand);
const Y: Param = Param::required("y", Kind::Operand);
const ROWVAR: Param = Param::keyword("rowvar", Kind::Bool, Default::Bool(true));

pub(crate) static ARRAY_EQUAL: Op = Op {
    name: "array_equal",
    doc: "Whether two arrays have one shape and equal elements; with equal_nan, NaN equals NaN.",
    params: &[X.flat(), Y.flat(), Param::keyword("equal_nan", Kind::Bool, Default::Bool(false))],
    run: Run::One(|_, a| {
        let (x, y) = (a.array(0)?, a.array(1)?);
        let mut same = x.array_equal(&y)?;
        if !same && a.bool(2)? && x.shape() == y.shape() && x.dtype().is_inexact() && y.dtype().is_inexact() {
            let both_nan = x.isnan()?.logical_and(&y.isnan()?)?;
            same = x.equal(&y)?.logical_or(&both_nan)?.all(.., false)?.item()?;
        }
        Array::scalar(same)
    }),
    onnx: None,
};

const MODE: Param = Param::optional("mode", Kind::Str(&["full", "same", "valid"]), Default::Str("full"));
const CORRELATE_MODE: Param = Param::optional("mode", Kind::Str(&["full", "same", "valid"]), Default::Str("valid"));

pub(crate) static CONVOLVE: Op = Op {
    name: "convolve",
    doc: "The discrete convolution of two sequences: wherever they overlap ('full'), as long as the longer one ('same'), or \
          where they overlap entirely ('valid').",
    params: &[X, Y, MODE],
    run: Run::One(|_, a| convolved(&a.array(0)?, &a.array(1)?, a.word(2)?)),
    onnx: None,
};

pub(crate) static CORRELATE: Op = Op {
    name: "correlate",
    doc: "The cross-correlation of two sequences: sums of x[i + k] times the conjugate of y[i], for each shift k.",
    params: &[X, Y, CORRELATE_MODE],
    run: Run::One(|_, a| correlated(&a.array(0)?, &a.array(1)?, a.word(2)?)),
    onnx: None,
};

pub(crate) static TRAPEZOID: Op = Op {
    name: "trapezoid",
    doc: "The integral along an axis by the trapezoidal rule, over points x or points dx apart.",
    params: &[
        Y,
        Param::optional("x", Kind::Operand, Default::None),
        Param::optional("dx", Kind::Float, Default::Float(1.0)),
        Param::optional("axis", Kind::Int, Default::Int(-1)),
    ],
    run: Run::One(|_, a| trapezoid(&a.array(0)?, a.array_or_none(1)?.as_ref(), a.float(2)?, a.int(3)? as isize)),
    onnx: None,
};

pub(crate) static POLYVAL: Op = Op {
    name: "polyval",
    doc: "The polynomial whose coefficients are p, highest power first, at each element of x.",
    params: &[Param::required("p", Kind::Operand), X],
    run: Run::One(|lane, a| {
        let (p, x) = (a.array(0)?, a.array(1)?);
        let zero = x.zeros_like()?.astype(crate::promote_types(p.dtype(), x.dtype()))?;
        let coefficients = if p.rank() == 0 { vec![p] } else { p.unstack(0)? };
        let next = |sum: Array, c: &Array| {
            if c.rank() > 0 {
                return sum.multiply(&x)?.add(c);
            }
            ufuncs::ADD.over(ufuncs::MULTIPLY.over(sum, &[None, Some((&x).into())])?, &[None, Some(c.into())])
        };
        let (mut sum, mut failed) = (Some(zero), None);
        let mut step = |i: usize| match sum.take().map(|sum| next(sum, &coefficients[i])) {
            Some(Ok(next)) => sum = Some(next),
            Some(Err(e)) => failed = Some(e),
            None => (),
        };
        // Asked after each coefficient whether to go on.
        lane.try_for(coefficients.len(), u64::MAX, &mut step).in_op("polyval")?;
        match (sum, failed) {
            (_, Some(e)) => Err(e.of("polyval")),
            (sum, None) => Ok(sum.unwrap_or(x)),
        }
    }),
    onnx: None,
};

pub(crate) static COV: Op = Op {
    name: "cov",
    doc: "Covariances of variables, which are the rows (with rowvar) or the columns; n - ddof is divided by.",
    params: &[Param::required("m", Kind::Operand), ROWVAR, Param::keyword("ddof", Kind::Float, Default::Int(1))],
    run: Run::One(|_, a| covariance(a.array(0)?, a.bool(1)?, a.float(2)?)),
    onnx: None,
};

pub(crate) static CORRCOEF: Op = Op {
    name: "corrcoef",
    doc: "Correlation coefficients of variables, which are the rows (with rowvar) or the columns.",
    params: &[X, ROWVAR],
    run: Run::One(|_, a| correlation(a.array(0)?, a.bool(1)?)),
    onnx: None,
};

/// `n` evenly spaced exponents as powers of a base.
fn powers(base: f64, exponents: Array, dtype: Option<DType>) -> Result<Array, OpsError> {
    let numbers = Array::full(&[], base, DType::F64)?.pow(&exponents)?;
    dtype.map_or(Ok(numbers.clone()), |d| numbers.astype(d))
}

const START: Param = Param::required("start", Kind::Float);
const STOP: Param = Param::required("stop", Kind::Float);
const NUM: Param = Param::optional("num", Kind::Int, Default::Int(50));
const DTYPE: Param = Param::keyword("dtype", Kind::DType, Default::None);

pub(crate) static LOGSPACE: Op = Op {
    name: "logspace",
    doc: "Numbers evenly spaced on a logarithmic scale, from base**start to base**stop.",
    params: &[START, STOP, NUM, Param::keyword("base", Kind::Float, Default::Float(10.0)), DTYPE],
    run: Run::One(|_, a| powers(a.float(3)?, Array::linspace(a.float(0)?, a.float(1)?, a.length(2)?)?, a.dtype(4)?)),
    onnx: None,
};

pub(crate) static GEOMSPACE: Op = Op {
    name: "geomspace",
    doc: "Numbers evenly spaced on a logarithmic scale, from start to stop, which have one sign.",
    params: &[START, STOP, NUM, DTYPE],
    run: Run::One(|_, a| {
        let (start, stop) = (a.float(0)?, a.float(1)?);
        if start == 0.0 || stop == 0.0 || (start > 0.0) != (stop > 0.0) || start.is_nan() || stop.is_nan() {
            let message = format!("start and stop must have one sign and not be zero, found {start} and {stop}");
            return Err(OpsError::argument("geomspace", message));
        }
        let exponents = Array::linspace(start.abs().log10(), stop.abs().log10(), a.length(2)?)?;
        let between = powers(10.0, exponents, None)?.multiply(start.signum())?;
        let ends = between.len().min(2);
        let mut numbers = between;
        if ends > 0 {
            numbers.assign(&[Index::At(0)], start)?;
        }
        if ends > 1 {
            numbers.assign(&[Index::At(-1)], stop)?;
        }
        a.dtype(3)?.map_or(Ok(numbers.clone()), |d| numbers.astype(d))
    }),
    onnx: None,
};

pub(crate) static IDENTITY: Op = Op {
    name: "identity",
    doc: "The square matrix with ones on its diagonal.",
    params: &[Param::required("n", Kind::Int), DTYPE],
    run: Run::One(|_, a| Array::eye(a.length(0)?, a.length(0)?, 0, a.dtype(1)?.unwrap_or(DType::F64))),
    onnx: None,
};

pub(crate) static APPEND: Op = Op {
    name: "append",
    doc: "An array with values behind it along an axis; without an axis, all elements of both in a row.",
    params: &[X, Param::required("values", Kind::Operand), Param::optional("axis", Kind::Int, Default::None)],
    run: Run::One(|_, a| {
        let (x, values) = (a.array(0)?, a.array(1)?);
        match a.is_given(2) {
            true => concat(&[&x, &values], a.int(2)? as isize),
            false => concat(&[&x.ravel()?, &values.ravel()?], 0),
        }
        .map_err(|e| e.of("append"))
    }),
    onnx: None,
};
