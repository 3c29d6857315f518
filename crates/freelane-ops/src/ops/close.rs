//! Whether numbers are close to each other; numbers in place of infinities and NaN.
use crate::function::{Default, Kind, Param};
use crate::ufuncs::steps::BOUNDED;
use crate::{Array, InOp, Op, OpsError, Run, promote_types};
use freelane_array::{ArrayData, DType, Kind as Family, Layout};
use freelane_pool::Lane;

/// What `isclose` takes for close.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerance {
    /// Relative to the second number.
    pub relative: f64,
    /// What is added to that.
    pub absolute: f64,
    /// Whether NaN is close to NaN.
    pub equal_nan: bool,
}

impl std::default::Default for Tolerance {
    fn default() -> Self {
        Tolerance { relative: 1e-5, absolute: 1e-8, equal_nan: false }
    }
}

impl Array {
    /// Whether each element is as close to another's as `absolute + relative |other|`. Infinities are close to themselves.
    ///
    /// ```
    /// use freelane_ops::{Array, Tolerance};
    /// let x = Array::from_vec(vec![1.0, 1.1, f64::NAN], &[3])?;
    /// let y = Array::from_vec(vec![1.0 + 1e-9, 1.0, f64::NAN], &[3])?;
    /// assert_eq!(x.isclose(&y, Tolerance::default())?.to_vec::<bool>()?, [true, false, false]);
    /// # Ok::<(), freelane_ops::OpsError>(())
    /// ```
    ///
    /// # Errors
    /// When shapes do not broadcast, or memory cannot be had.
    pub fn isclose(&self, other: &Array, tolerance: Tolerance) -> Result<Array, OpsError> {
        close(self, other, tolerance).map_err(|e| e.of("isclose"))
    }

    /// Whether all elements are close, by [`Array::isclose`].
    ///
    /// # Errors
    /// As [`Array::isclose`].
    pub fn allclose(&self, other: &Array, tolerance: Tolerance) -> Result<bool, OpsError> {
        close(self, other, tolerance).and_then(|c| c.all(.., false)?.item()).map_err(|e| e.of("allclose"))
    }

    /// The array with numbers in place of NaN (0 by default) and of infinities (the ends of the dtype's range by default).
    ///
    /// ```
    /// use freelane_ops::Array;
    /// let x = Array::from_vec(vec![1.0, f64::NAN, f64::NEG_INFINITY], &[3])?;
    /// assert_eq!(x.nan_to_num(0.0, None, Some(-9.0))?.to_vec::<f64>()?, [1.0, 0.0, -9.0]);
    /// # Ok::<(), freelane_ops::OpsError>(())
    /// ```
    ///
    /// # Errors
    /// When memory cannot be had.
    pub fn nan_to_num(&self, nan: f64, posinf: Option<f64>, neginf: Option<f64>) -> Result<Array, OpsError> {
        let run = || match self.dtype().kind() {
            Family::Float => numbers(self, nan, posinf, neginf),
            Family::Complex => whole(&numbers(&parts(self)?, nan, posinf, neginf)?, self.dtype()),
            _ => Ok(self.clone()),
        };
        run().map_err(|e| e.of("nan_to_num"))
    }
}

fn close(x: &Array, y: &Array, t: Tolerance) -> Result<Array, OpsError> {
    let y = if y.dtype().is_inexact() { y.clone() } else { y.astype(promote_types(y.dtype(), DType::F64))? };
    let bound = y.abs()?.multiply(t.relative)?.add(t.absolute)?;
    let near = x.subtract(&y)?.abs()?.less_equal(&bound)?;
    let close = near.logical_and(&y.isfinite()?)?.logical_or(&x.equal(&y)?)?;
    if !t.equal_nan {
        return Ok(close);
    }
    close.logical_or(&x.not_equal(x)?.logical_and(&y.isnan()?)?)
}

fn numbers(x: &Array, nan: f64, posinf: Option<f64>, neginf: Option<f64>) -> Result<Array, OpsError> {
    let most = match x.dtype() {
        DType::F16 => half::f16::MAX.to_f64(),
        DType::BF16 => half::bf16::MAX.to_f64(),
        DType::F32 => f32::MAX.into(),
        _ => f64::MAX,
    };
    let (posinf, neginf) = (posinf.unwrap_or(most), neginf.unwrap_or(-most));
    let bounded = Lane::with(|lane| BOUNDED.call(lane, &[x.into(), posinf.into(), neginf.into()]))?;
    x.isnan()?.where_(nan, &Array::from(bounded))
}

/// The parts of complex numbers, along one more axis at the end.
fn parts(z: &Array) -> Result<Array, OpsError> {
    let z = z.contiguous()?;
    let mut shape = z.shape().to_vec();
    shape.push(2);
    relaid(&z, z.dtype().real(), &shape, z.data().layout().offset() * 2)
}

/// Complex numbers from their parts.
fn whole(parts: &Array, dtype: DType) -> Result<Array, OpsError> {
    let parts = parts.contiguous()?;
    let offset = parts.data().layout().offset();
    let parts = if offset % 2 == 0 { parts } else { parts.copy()? };
    let shape = &parts.shape()[..parts.rank() - 1];
    relaid(&parts, dtype, shape, parts.data().layout().offset() / 2)
}

/// The same bytes, all initialised, as elements of another type side by side.
fn relaid(x: &Array, dtype: DType, shape: &[usize], offset: usize) -> Result<Array, OpsError> {
    let strides = Layout::contiguous(shape).in_op("nan_to_num")?.strides().to_vec();
    let layout = Layout::strided(shape, &strides, if x.is_empty() { 0 } else { offset }).in_op("nan_to_num")?;
    // SAFETY: a complex number is two real ones side by side, and all of them are initialised.
    unsafe { ArrayData::new(x.data().buffer().clone(), dtype, layout) }.in_op("nan_to_num").map(Into::into)
}

const CLOSE: &[Param] = &[
    Param::required("a", Kind::Operand).flat(),
    Param::required("b", Kind::Operand).flat(),
    Param::optional("rtol", Kind::Float, Default::Float(1e-5)),
    Param::optional("atol", Kind::Float, Default::Float(1e-8)),
    Param::optional("equal_nan", Kind::Bool, Default::Bool(false)),
];

fn tolerance(a: &crate::function::Bound<'_>) -> Result<Tolerance, OpsError> {
    Ok(Tolerance { relative: a.float(2)?, absolute: a.float(3)?, equal_nan: a.bool(4)? })
}

pub(crate) static ISCLOSE: Op = Op {
    name: "isclose",
    doc: "Whether each element of a is as close to that of b as atol + rtol |b|.\nInfinities are close to themselves, NaN with equal_nan.",
    params: CLOSE,
    run: Run::One(|_, a| a.array(0)?.isclose(&a.array(1)?, tolerance(a)?)),
    onnx: None,
};

pub(crate) static ALLCLOSE: Op = Op {
    name: "allclose",
    doc: "Whether all elements are close, as isclose has it.",
    params: CLOSE,
    run: Run::One(|_, a| Array::scalar(a.array(0)?.allclose(&a.array(1)?, tolerance(a)?)?)),
    onnx: None,
};

pub(crate) static NAN_TO_NUM: Op = Op {
    name: "nan_to_num",
    doc: "The array with numbers in place of NaN and of infinities, which become the ends of the dtype's range by default.",
    params: &[
        Param::required("x", Kind::Operand),
        Param::optional("nan", Kind::Float, Default::Float(0.0)),
        Param::optional("posinf", Kind::Float, Default::None),
        Param::optional("neginf", Kind::Float, Default::None),
    ],
    run: Run::One(|_, a| {
        let bound = |i| if a.is_given(i) { a.float(i).map(Some) } else { Ok(None) };
        a.array(0)?.nan_to_num(a.float(1)?, bound(2)?, bound(3)?)
    }),
    onnx: None,
};
