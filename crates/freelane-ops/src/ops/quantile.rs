//! Quantiles: numbers at a place in the order, or between two neighbours.
use super::lines::{Group, Lines, carve};
use super::order::{codec_of, sorted};
use crate::function::{Bound, Default, Kind, Param};
use crate::{Array, Axes, Op, OpsError, Run};
use freelane_array::{DType, Kind as Family};
use freelane_kernels::sort::{Key, Keyed, SortKey};
use freelane_mem::ScratchReq;
use freelane_pool::Lane;
use freelane_simd::Isa;

/// Estimated nanoseconds an element.
const COST: u64 = 3;

/// What a quantile is that falls between two elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Between {
    /// On the line between both.
    Linear,
    /// The lower one.
    Lower,
    /// The higher one.
    Higher,
    /// The nearer one; at the same distance that with the even number.
    Nearest,
    /// The middle of both.
    Midpoint,
}

impl Between {
    /// The place of the element that a quantile at `place` is, if it is one.
    fn place(self, place: f64) -> Option<f64> {
        match self {
            Between::Lower => Some(place.floor()),
            Between::Higher => Some(place.ceil()),
            Between::Nearest => Some(place.round_ties_even()),
            Between::Linear | Between::Midpoint => (place.fract() == 0.0).then_some(place),
        }
    }

    /// Whether every quantile is an element.
    fn is_an_element(self) -> bool {
        matches!(self, Between::Lower | Between::Higher | Between::Nearest)
    }
}

impl Array {
    /// The middle element of those along some axes, or the mean of the middle two. NaN if one is NaN.
    ///
    /// ```
    /// use freelane_ops::Array;
    /// assert_eq!(Array::from_slice(&[7, 1, 3, 100])?.median(.., false)?.item::<f64>()?, 5.0);
    /// # Ok::<(), freelane_ops::OpsError>(())
    /// ```
    ///
    /// # Errors
    /// When an axis does not exist, numbers are complex, memory cannot be had, or the thread's poll asks to stop.
    pub fn median(&self, axes: impl Into<Axes>, keepdims: bool) -> Result<Array, OpsError> {
        quantiles("median", self, &[0.5], &axes.into(), Between::Midpoint, keepdims)?.index(&[0isize.into()])
    }

    /// The number below which a share `q` of the elements along some axes lies. NaN if one is NaN.
    ///
    /// ```
    /// use freelane_ops::{Array, Between};
    /// let x = Array::from_slice(&[1.0, 2.0, 4.0, 8.0])?;
    /// assert_eq!(x.quantile(0.5, .., Between::Linear, false)?.item::<f64>()?, 3.0);
    /// # Ok::<(), freelane_ops::OpsError>(())
    /// ```
    ///
    /// # Errors
    /// When `q` lies outside of 0 to 1, and as [`Array::median`].
    pub fn quantile(&self, q: f64, axes: impl Into<Axes>, between: Between, keepdims: bool) -> Result<Array, OpsError> {
        quantiles("quantile", self, &[q], &axes.into(), between, keepdims)?.index(&[0isize.into()])
    }
}

/// One array of quantiles for each of `q`, along a new first axis.
fn quantiles(
    op: &'static str,
    x: &Array,
    q: &[f64],
    axes: &Axes,
    between: Between,
    keepdims: bool,
) -> Result<Array, OpsError> {
    if let Some(q) = q.iter().find(|q| !(0.0..=1.0).contains(*q)) {
        return Err(OpsError::argument(op, format!("{q} does not lie between 0 and 1")));
    }
    let dtype = match (x.dtype().kind(), x.dtype()) {
        (Family::Complex, found) => {
            return Err(OpsError::DType { op, found: vec![found], supported: "real numbers".to_owned() });
        }
        (Family::Float, dtype) => dtype,
        _ => DType::F64,
    };
    let mask = axes.mask(op, x.rank())?;
    let (gone, stay): (Vec<usize>, Vec<usize>) = (0..x.rank()).partition(|&axis| mask[axis]);
    let order: Vec<isize> = stay.iter().chain(&gone).map(|&axis| axis as isize).collect();
    let lines: isize = stay.iter().map(|&axis| x.shape()[axis] as isize).product();
    let n: usize = gone.iter().map(|&axis| x.shape()[axis]).product();
    if n == 0 {
        return Err(OpsError::argument(op, "there are no elements along the axes"));
    }
    let x_lines = x.permute_dims(&order)?.reshape(&[lines, n as isize])?;
    let kept = (0..x.rank()).filter(|&axis| keepdims || !mask[axis]);
    let kept = kept.map(|axis| if mask[axis] { 1 } else { x.shape()[axis] as isize });
    let shape: Vec<isize> = [q.len() as isize].into_iter().chain(kept).collect();
    if x.dtype().kind() != Family::Float && between.is_an_element() {
        return of_whole_numbers(op, &x_lines, q, between)?.t().contiguous()?.reshape(&shape);
    }
    // Both widths of float that have keys of their own; halves are widened without loss.
    let computed = if dtype == DType::F64 { DType::F64 } else { DType::F32 };
    let x_lines = x_lines.astype(computed)?;
    let found = Lane::with(|lane| match computed {
        DType::F64 => run::<f64>(lane, op, &x_lines, q, between),
        _ => run::<f32>(lane, op, &x_lines, q, between),
    })?;
    found.t().contiguous()?.reshape(&shape)?.astype(dtype)
}

/// As [`run`], of elements of any dtype, one of which each quantile is.
fn of_whole_numbers(op: &'static str, x: &Array, q: &[f64], between: Between) -> Result<Array, OpsError> {
    let last = (x.shape()[1] - 1) as f64;
    let places: Vec<i64> = q.iter().map(|q| between.place(q * last).unwrap_or_default() as i64).collect();
    let sorted: Array = Lane::with(|lane| sorted(lane, op, x.data(), 1, false))?.into();
    sorted.take(&Array::from_slice(&places)?, 1)
}

/// A float whose quantiles are computed.
trait Real: freelane_array::Element + Keyed<K: SortKey> + Into<f64> {
    fn narrow(x: f64) -> Self;
}

impl Real for f64 {
    fn narrow(x: f64) -> f64 {
        x
    }
}

impl Real for f32 {
    fn narrow(x: f64) -> f32 {
        x as f32
    }
}

/// For each line of a matrix one quantile for each of `q`.
fn run<T: Real>(lane: &Lane, op: &'static str, x: &Array, q: &[f64], between: Between) -> Result<Array, OpsError>
where
    T::K: SortKey + Key,
{
    let mut out = Array::zeros(&[x.shape()[0], q.len()], T::DTYPE)?;
    if out.is_empty() {
        return Ok(out);
    }
    let layout = out.data().layout().clone();
    let mut view = out.view_mut::<T>()?;
    let first = view.as_mut_slice().unwrap_or_default().as_mut_ptr();
    let lines = Lines::new(x.data(), 1, first.cast(), &layout, size_of::<T>());
    let n = lines.n;
    let codec = codec_of(T::DTYPE, false).unwrap_or_else(|| unreachable!("floats have keys"));
    lines.for_each(lane, op, COST * q.len() as u64, |lane, group| {
        lane.scratch(ScratchReq::of::<T::K>(2 * n), |scratch| {
            let (both, _) = carve::<T::K>(scratch, 2 * n);
            let (keys, aside) = both.split_at_mut(n);
            for line in (0..group.count).map(|i| group.line(i)) {
                line.encode(codec, codec.encode, keys.as_mut_ptr().cast(), 0, size_of::<T>());
                of_line::<T>(&line, keys, aside, q, between);
            }
        })
    })?;
    Ok(out)
}

fn of_line<T: Real>(line: &Group<'_>, keys: &mut [T::K], aside: &mut [T::K], q: &[f64], between: Between)
where
    T::K: SortKey + Key,
{
    let highest = keys.iter().copied().max().unwrap_or_default();
    let nan = T::of_key(highest, false).into().is_nan();
    for (i, &q) in q.iter().enumerate() {
        let place = q * (keys.len() - 1) as f64;
        let value = if nan { f64::NAN } else { at_place::<T>(keys, aside, place, between) };
        // SAFETY: the line of the result has a place for each quantile.
        unsafe { line.out_at(i).cast::<T>().write(T::narrow(value)) };
    }
}

/// The number at a place that may lie between two.
fn at_place<T: Real>(keys: &mut [T::K], aside: &mut [T::K], place: f64, between: Between) -> f64
where
    T::K: SortKey + Key,
{
    let (low, share) = (place.floor(), place.fract());
    let exact = between.place(place);
    let k = exact.unwrap_or(low) as usize;
    <T::K as SortKey>::select(Isa::current(), keys, aside, k);
    let number = |k| T::of_key(k, false).into();
    let a: f64 = number(keys[k]);
    let next = keys[k + 1..].iter().copied().min();
    match (exact, next) {
        (None, Some(next)) if between == Between::Midpoint => middle(a, number(next)),
        (None, Some(next)) => on_line(a, number(next), share),
        _ => a,
    }
}

fn middle(a: f64, b: f64) -> f64 {
    let sum = a + b;
    if sum.is_finite() { sum / 2.0 } else { a / 2.0 + b / 2.0 }
}

/// From the nearer end, so that both ends are met.
fn on_line(a: f64, b: f64, share: f64) -> f64 {
    if a == b {
        return a;
    }
    if (b - a).is_infinite() && a.is_finite() && b.is_finite() {
        return a * (1.0 - share) + b * share;
    }
    if share < 0.5 { a + (b - a) * share } else { b - (b - a) * (1.0 - share) }
}

const X: Param = Param::required("x", Kind::Operand);
const METHODS: &[&str] = &["linear", "lower", "higher", "nearest", "midpoint"];
const AXIS: Param = Param::optional("axis", Kind::Axes, Default::None);
const METHOD: Param = Param::keyword("method", Kind::Str(METHODS), Default::Str("linear"));
const KEEPDIMS: Param = Param::keyword("keepdims", Kind::Bool, Default::Bool(false));

/// The quantiles that a call asks for, `q` being given in parts of `whole`.
fn called(op: &'static str, a: &Bound<'_>, whole: f64) -> Result<Array, OpsError> {
    let between = match a.word(3)? {
        "lower" => Between::Lower,
        "higher" => Between::Higher,
        "nearest" => Between::Nearest,
        "midpoint" => Between::Midpoint,
        _ => Between::Linear,
    };
    let q = a.array(1)?.in_reals(op)?;
    let shares: Vec<f64> = q.to_vec::<f64>()?.into_iter().map(|q| q / whole).collect();
    let found = quantiles(op, &a.array(0)?, &shares, &a.axes(2)?, between, a.bool(4)?)?;
    let shape: Vec<isize> = q.shape().iter().chain(&found.shape()[1..]).map(|&n| n as isize).collect();
    found.reshape(&shape)
}

pub(crate) static MEDIAN: Op = Op {
    name: "median",
    doc: "The middle element of those along some axes, or the mean of the middle two; NaN if one is NaN.",
    params: &[X, AXIS, KEEPDIMS],
    run: Run::One(|_, a| a.array(0)?.median(a.axes(1)?, a.bool(2)?)),
    onnx: None,
};

pub(crate) static QUANTILE: Op = Op {
    name: "quantile",
    doc: "The number below which a share q, from 0 to 1, of the elements along some axes lies; NaN if one is NaN. With several q \
          they make the first axes.",
    params: &[X, Param::required("q", Kind::Operand), AXIS, METHOD, KEEPDIMS],
    run: Run::One(|_, a| called("quantile", a, 1.0)),
    onnx: None,
};

pub(crate) static PERCENTILE: Op = Op {
    name: "percentile",
    doc: "As quantile, with q from 0 to 100.",
    params: &[X, Param::required("q", Kind::Operand), AXIS, METHOD, KEEPDIMS],
    run: Run::One(|_, a| called("percentile", a, 100.0)),
    onnx: None,
};
