//! Reductions that leave NaNs out, and those made of two others.
use crate::function::{Bound, Default, Kind, Param};
use crate::{Array, Axes, Op, Operand, OpsError, Run, Scalar};
use freelane_array::{DType, Kind as Number};

/// Whether elements of a dtype can be NaN.
fn inexact(x: &Array) -> bool {
    matches!(x.dtype().kind(), Number::Float | Number::Complex)
}

/// The elements with a number in the place of NaN.
fn filled(x: &Array, number: f64) -> Result<Array, OpsError> {
    if !inexact(x) {
        return Ok(x.clone());
    }
    x.isnan()?.where_(Operand::Scalar(Scalar::Float(number)), x)
}

/// How many elements are no NaN, as `dtype`; axes stay.
fn counts(x: &Array, axes: &Axes, dtype: DType) -> Result<Array, OpsError> {
    let numbers =
        if inexact(x) { x.isnan()?.logical_not()? } else { Array::ones(&[], DType::Bool)?.broadcast_to(x.shape())? };
    numbers.count_nonzero(axes.clone(), true)?.astype(dtype)
}

/// The axes without those that went, unless they are to stay.
fn settled(x: Array, axes: &Axes, keepdims: bool, op: &'static str) -> Result<Array, OpsError> {
    if keepdims {
        return Ok(x);
    }
    let mask = axes.mask(op, x.rank())?;
    x.squeeze(&(0..mask.len()).filter(|&i| mask[i]).map(|i| i as isize).collect::<Vec<_>>())
}

/// A function of halves in `f32`, where sums of them and their squares fit.
fn widely(x: &Array, f: impl Fn(&Array) -> Result<Array, OpsError>) -> Result<Array, OpsError> {
    match x.dtype() {
        half @ (DType::F16 | DType::BF16) => f(&x.astype(DType::F32)?)?.astype(half),
        _ => f(x),
    }
}

fn mean(x: &Array, axes: &Axes) -> Result<Array, OpsError> {
    let sum = filled(x, 0.0)?.sum(axes.clone(), true)?;
    let sum = if inexact(&sum) { sum } else { sum.astype(DType::F64)? };
    let real = sum.dtype().real();
    sum.divide(&counts(x, axes, real)?)
}

/// The mean square of what the numbers are from their mean; where no NaN is among them, that of all.
fn variance(x: &Array, axes: &Axes, correction: f64) -> Result<Array, OpsError> {
    let plain = x.var(axes.clone(), correction, true)?;
    let undefined = plain.isnan()?;
    if !inexact(x) || !undefined.any(.., false)?.item::<bool>()? {
        return Ok(plain);
    }
    let distance = x.isnan()?.where_(0.0, &x.subtract(&mean(x, axes)?)?)?;
    let squares = distance.abs()?.square()?.sum(axes.clone(), true)?;
    let freedom = counts(x, axes, squares.dtype())?.subtract(correction)?;
    // Of no numbers, and where the correction takes all of them, there is none: 0 / 0.
    undefined.where_(&squares.divide(&freedom.greater(0.0)?.where_(&freedom, 0.0)?)?, &plain)
}

/// The least or greatest number; NaN if there is none.
fn extreme(x: &Array, axes: &Axes, greatest: bool, keepdims: bool) -> Result<Array, OpsError> {
    let of = |x: &Array, keep| if greatest { x.max(axes.clone(), keep) } else { x.min(axes.clone(), keep) };
    if x.dtype().kind() != Number::Float {
        return of(x, keepdims);
    }
    let plain = of(x, keepdims)?;
    if !plain.isnan()?.any(.., false)?.item::<bool>()? {
        return Ok(plain);
    }
    let end = if greatest { f64::NEG_INFINITY } else { f64::INFINITY };
    let found = of(&filled(x, end)?, true)?;
    let none = x.isnan()?.all(axes.clone(), true)?;
    settled(none.where_(f64::NAN, &found)?, axes, keepdims, if greatest { "nanmax" } else { "nanmin" })
}

/// Where that is.
fn position(x: &Array, axes: &Axes, greatest: bool, keepdims: bool) -> Result<Array, OpsError> {
    let op = if greatest { "nanargmax" } else { "nanargmin" };
    let of = |x: &Array| if greatest { x.argmax(axes.clone(), keepdims) } else { x.argmin(axes.clone(), keepdims) };
    if x.dtype().kind() != Number::Float {
        return of(x);
    }
    let extreme = if greatest { x.max(axes.clone(), false)? } else { x.min(axes.clone(), false)? };
    if !extreme.isnan()?.any(.., false)?.item::<bool>()? {
        return of(x);
    }
    let nans = x.isnan()?;
    if nans.all(axes.clone(), false)?.any(.., false)?.item::<bool>()? && !x.is_empty() {
        return Err(OpsError::argument(op, "all elements are NaN: there is none whose position could be told"));
    }
    // NaN stands in no place: the search is among the numbers, and an infinity of a NaN comes after one of theirs.
    let end = if greatest { f64::NEG_INFINITY } else { f64::INFINITY };
    let numbers = nans.where_(end, x)?;
    let best = if greatest { numbers.max(axes.clone(), true)? } else { numbers.min(axes.clone(), true)? };
    numbers.equal(&best)?.logical_and(&nans.logical_not()?)?.argmax(axes.clone(), keepdims)
}

impl Array {
    /// The greatest element less the least; NaN if there is one.
    ///
    /// # Errors
    /// As for [`max`](Array::max).
    pub fn ptp(&self, axes: impl Into<Axes>, keepdims: bool) -> Result<Array, OpsError> {
        let axes = axes.into();
        self.max(axes.clone(), keepdims)?.subtract(&self.min(axes, keepdims)?)
    }

    /// The mean of the elements, each as often as its weight says.
    ///
    /// ```
    /// use freelane_ops::Array;
    /// let x = Array::from_vec(vec![1.0, 2.0], &[2])?;
    /// let weights = Array::from_vec(vec![3.0, 1.0], &[2])?;
    /// assert_eq!(x.average(&weights, .., false)?.item::<f64>()?, 1.25);
    /// # Ok::<(), freelane_ops::OpsError>(())
    /// ```
    ///
    /// # Errors
    /// When the shapes do not broadcast, an axis does not exist, or memory cannot be had.
    pub fn average(&self, weights: &Array, axes: impl Into<Axes>, keepdims: bool) -> Result<Array, OpsError> {
        let axes = axes.into();
        let dtype = if self.dtype().is_inexact() { self.dtype() } else { DType::F64 };
        let dtype = crate::promote_types(dtype, weights.dtype());
        let (x, weights) = (self.astype(dtype)?, weights.astype(dtype)?);
        let total = weights.broadcast_to(self.shape())?.sum(axes.clone(), keepdims)?;
        x.multiply(&weights)?.sum(axes, keepdims)?.divide(&total)
    }
}

const X: Param = Param::required("x", Kind::Operand);
const AXIS: Param = Param::optional("axis", Kind::Axes, Default::None);
const KEEPDIMS: Param = Param::keyword("keepdims", Kind::Bool, Default::Bool(false));
const PLAIN: &[Param] = &[X, AXIS, KEEPDIMS];
const WHERE: &[Param] = &[X.flat(), AXIS, KEEPDIMS];
const CORRECTED: &[Param] = &[X, AXIS, Param::keyword("correction|ddof", Kind::Float, Default::Int(0)), KEEPDIMS];

/// The operands of a row.
fn plain(a: &Bound<'_>) -> Result<(Array, Axes, bool), OpsError> {
    Ok((a.array(0)?, a.axes(1)?, a.bool(2)?))
}

macro_rules! rows {
    ($($NAME:ident $name:literal ($params:ident) $doc:literal |$x:ident, $axes:ident, $keepdims:ident| $run:expr;)*) => {$(
        pub(crate) static $NAME: Op = Op {
            name: $name,
            doc: $doc,
            params: $params,
            run: Run::One(|_, a| {
                let ($x, $axes, $keepdims) = plain(a)?;
                ($run).map_err(|e: OpsError| e.of($name))
            }),
            onnx: None,
        };
    )*};
}

rows! {
    PTP "ptp" (PLAIN) "The greatest element less the least; NaN if there is one."
        |x, axes, keepdims| x.ptp(axes, keepdims);
    NANSUM "nansum" (PLAIN) "The sum of the elements that are no NaN; 0 for none."
        |x, axes, keepdims| filled(&x, 0.0)?.sum(axes, keepdims);
    NANPROD "nanprod" (PLAIN) "The product of the elements that are no NaN; 1 for none."
        |x, axes, keepdims| filled(&x, 1.0)?.prod(axes, keepdims);
    NANMEAN "nanmean" (PLAIN) "The mean of the elements that are no NaN; NaN for none."
        |x, axes, keepdims| settled(widely(&x, |x| mean(x, &axes))?, &axes, keepdims, "nanmean");
    NANMIN "nanmin" (PLAIN) "The least of the elements that are no NaN; NaN if all are."
        |x, axes, keepdims| extreme(&x, &axes, false, keepdims);
    NANMAX "nanmax" (PLAIN) "The greatest of the elements that are no NaN; NaN if all are."
        |x, axes, keepdims| extreme(&x, &axes, true, keepdims);
    NANARGMIN "nanargmin" (WHERE) "The position of the first least of the elements that are no NaN, counted over the reduced axes."
        |x, axes, keepdims| position(&x, &axes, false, keepdims);
    NANARGMAX "nanargmax" (WHERE) "The position of the first greatest of the elements that are no NaN, counted over the reduced axes."
        |x, axes, keepdims| position(&x, &axes, true, keepdims);
}

pub(crate) static NANVAR: Op = Op {
    name: "nanvar",
    doc: "The mean squared distance of the elements that are no NaN from their mean; NaN for none.",
    params: CORRECTED,
    run: Run::One(|_, a| {
        let axes = a.axes(1)?;
        let (axes, correction) = (&axes, a.float(2)?);
        settled(widely(&a.array(0)?, |x| variance(x, axes, correction))?, axes, a.bool(3)?, "nanvar")
    }),
    onnx: None,
};

pub(crate) static NANSTD: Op = Op {
    name: "nanstd",
    doc: "The square root of the variance of the elements that are no NaN; NaN for none.",
    params: CORRECTED,
    run: Run::One(|_, a| {
        let axes = a.axes(1)?;
        let (axes, correction) = (&axes, a.float(2)?);
        settled(widely(&a.array(0)?, |x| variance(x, axes, correction)?.sqrt())?, axes, a.bool(3)?, "nanstd")
    }),
    onnx: None,
};

pub(crate) static AVERAGE: Op = Op {
    name: "average",
    doc: "The mean of the elements, each as often as its weight says; without weights all alike.",
    params: &[X, AXIS, Param::optional("weights", Kind::Operand, Default::None), KEEPDIMS],
    run: Run::One(|_, a| {
        let (x, axes, keepdims) = (a.array(0)?, a.axes(1)?, a.bool(3)?);
        match a.array_or_none(2)? {
            None => x.mean(axes, keepdims),
            Some(weights) => along(&x, &weights, &axes)
                .and_then(|weights| x.average(&weights, axes, keepdims))
                .map_err(|e| e.of("average")),
        }
    }),
    onnx: None,
};

/// Weights of one axis stand along the only axis that goes.
fn along(x: &Array, weights: &Array, axes: &Axes) -> Result<Array, OpsError> {
    match axes {
        Axes::These(axes) if axes.len() == 1 && weights.rank() == 1 && x.rank() > 1 => {
            let axis = freelane_array::normalize_axis(axes[0], x.rank());
            let axis = axis.map_err(|source| OpsError::Array { op: "average", source })?;
            let mut shape = vec![1; x.rank()];
            shape[axis] = weights.len() as isize;
            weights.reshape(&shape)
        }
        _ => Ok(weights.clone()),
    }
}
