//! Counting: how often numbers come, and how many fall into each bin.
use super::search::places;
use crate::function::{Default, Kind, Param};
use crate::{Array, InOp, Op, OpsError, Run, Scalar, Value};
use freelane_array::{DType, Index, Slice};
use freelane_kernels::sort::Side;
use freelane_pool::Lane;
use std::mem::MaybeUninit;

impl Array {
    /// How often each of the numbers from 0 on comes, up to the largest and at least `min_length` of them; or with weights their
    /// sums.
    ///
    /// ```
    /// use freelane_ops::Array;
    /// assert_eq!(Array::from_slice(&[1, 3, 1])?.bincount(None, 5)?.to_vec::<i64>()?, [0, 2, 0, 1, 0]);
    /// # Ok::<(), freelane_ops::OpsError>(())
    /// ```
    ///
    /// # Errors
    /// When the array has not one axis, holds numbers that are not whole or negative, there are not as many weights, or memory
    /// cannot be had.
    pub fn bincount(&self, weights: Option<&Array>, min_length: usize) -> Result<Array, OpsError> {
        const OP: &str = "bincount";
        if self.rank() != 1 || !(self.dtype().is_integer() || self.dtype() == DType::Bool) {
            let message = format!("takes whole numbers of one axis, not {} of shape {:?}", self.dtype(), self.shape());
            return Err(OpsError::argument(OP, message));
        }
        let numbers = self.astype(DType::I64)?.contiguous()?;
        let numbers = numbers.view::<i64>()?.as_slice().unwrap_or_default();
        let (mut low, mut high) = (0, -1);
        in_turn(OP, numbers, |part| {
            part.iter().for_each(|&i| (low, high) = (i.min(low), i.max(high)));
        })?;
        if low < 0 {
            let low = if self.dtype() == DType::U64 { low as u64 as i128 } else { low.into() };
            let problem = if low < 0 { "must not be negative" } else { "are too large to be counted" };
            return Err(OpsError::argument(OP, format!("numbers {problem}, one is {low}")));
        }
        let bins = usize::try_from(high.saturating_add(1)).unwrap_or_default().max(min_length);
        let Some(weights) = weights else {
            return Array::from_fn_uninit(OP, &[bins], |places| {
                let places = zeros(places);
                in_turn(OP, numbers, |part| part.iter().for_each(|&i| places[i as usize] += 1))
            });
        };
        sums(OP, numbers, weights, bins)
    }
}

/// Places of a new array with zeros in them.
fn zeros(places: &mut [MaybeUninit<i64>]) -> &mut [i64] {
    places.fill(MaybeUninit::new(0));
    // SAFETY: all were written.
    unsafe { std::slice::from_raw_parts_mut(places.as_mut_ptr().cast(), places.len()) }
}

/// `f` of pieces of some numbers, one after the other.
fn in_turn(op: &'static str, numbers: &[i64], mut f: impl FnMut(&[i64])) -> Result<(), OpsError> {
    const PIECE: usize = 1 << 18;
    if numbers.len() <= PIECE {
        f(numbers);
        return Ok(());
    }
    let pieces: Vec<&[i64]> = numbers.chunks(PIECE).collect();
    Lane::with(|lane| lane.try_for(pieces.len(), numbers.len() as u64, |i| f(pieces[i]))).in_op(op)
}

/// The sum of the weights of each number.
fn sums(op: &'static str, numbers: &[i64], weights: &Array, bins: usize) -> Result<Array, OpsError> {
    if weights.rank() != 1 || weights.len() != numbers.len() {
        let message = format!("{} numbers, but weights of shape {:?}", numbers.len(), weights.shape());
        return Err(OpsError::argument(op, message));
    }
    let mut sums = Array::zeros(&[bins], DType::F64)?;
    let mut view = sums.view_mut::<f64>()?;
    let places = view.as_mut_slice().unwrap_or_default();
    for (&i, weight) in numbers.iter().zip(weights.in_reals(op)?.to_vec::<f64>()?) {
        places[i as usize] += weight;
    }
    Ok(sums)
}

/// Edges of bins.
struct Edges {
    edges: Array,
    values: Vec<f64>,
    /// Whether all bins are of one width.
    even: bool,
}

impl Edges {
    fn even(x: &[f64], bins: usize, range: Option<(f64, f64)>) -> Result<Edges, OpsError> {
        let problem = |what: String| OpsError::argument("histogram", what);
        if bins == 0 {
            return Err(problem("there must be one bin at least".to_owned()));
        }
        let span = x.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &x| {
            (if x < low || x.is_nan() { x } else { low }, if x > high || x.is_nan() { x } else { high })
        });
        let (low, high) = range.unwrap_or(if x.is_empty() { (0.0, 1.0) } else { span });
        if !(low.is_finite() && high.is_finite() && low <= high) {
            return Err(problem(format!("the range from {low} to {high} has no bins; give range")));
        }
        let (low, high) = if low == high { (low - 0.5, high + 0.5) } else { (low, high) };
        if !(high - low).is_finite() {
            return Err(problem(format!("the distance from {low:e} to {high:e} is not finite")));
        }
        let edges = Array::linspace(low, high, bins.saturating_add(1)).map_err(|e| e.of("histogram"))?;
        let values: Vec<f64> = edges.to_vec()?;
        if values.windows(2).any(|pair| pair[0] >= pair[1]) {
            return Err(problem(format!(
                "{bins} bins from {low} to {high} are too many: numbers between them do not exist"
            )));
        }
        Ok(Edges { values, edges, even: true })
    }

    fn given(edges: &Array) -> Result<Edges, OpsError> {
        let values = edges.in_reals("histogram")?.to_vec::<f64>()?;
        if edges.rank() != 1 || values.len() < 2 || !values.is_sorted() {
            let message = "bins must be a whole number, or edges in ascending order, two at least";
            return Err(OpsError::argument("histogram", message));
        }
        Ok(Edges { edges: edges.clone(), values, even: false })
    }

    fn bins(&self) -> usize {
        self.values.len() - 1
    }

    /// The bin of a number between the first and the last edge, which belongs to the last bin.
    fn bin(&self, x: f64) -> usize {
        let (first, last) = (self.values[0], self.values[self.bins()]);
        let mut i = (((x - first) / (last - first)) * self.bins() as f64) as usize;
        i = i.min(self.bins() - 1);
        // Rounding may have led across an edge.
        if x < self.values[i] {
            i - 1
        } else if x >= self.values[i + 1] && i + 1 < self.bins() {
            i + 1
        } else {
            i
        }
    }

    /// Calls `f` with each number's place and bin.
    fn for_each(&self, x: &[f64], mut f: impl FnMut(usize, usize)) -> Result<(), OpsError> {
        let (first, last) = (self.values[0], self.values[self.bins()]);
        let inside = |x: f64| x >= first && x <= last;
        if self.even {
            x.iter().enumerate().filter(|(_, x)| inside(**x)).for_each(|(i, &x)| f(i, self.bin(x)));
            return Ok(());
        }
        let (all, edges) = (Array::from_slice(x)?, Array::from_slice(&self.values)?);
        let behind = Lane::with(|lane| places(lane, "histogram", &edges, (&all).into(), Side::Right))?;
        for (i, place) in behind.to_vec::<i64>()?.into_iter().enumerate().filter(|(i, _)| inside(x[*i])) {
            f(i, (place as usize - 1).min(self.bins() - 1));
        }
        Ok(())
    }
}

/// Numbers in each bin, or sums of weights; with `density` so that the area is one.
fn histogram(
    x: &Array,
    edges: &Edges,
    x_values: &[f64],
    weights: Option<&Array>,
    density: bool,
) -> Result<Array, OpsError> {
    if let Some(weights) = weights
        && weights.shape() != x.shape()
    {
        let message = format!("weights must have shape {:?}, not {:?}", x.shape(), weights.shape());
        return Err(OpsError::argument("histogram", message));
    }
    let mut counts = vec![0i64; edges.bins()];
    let mut sums = vec![0.0; edges.bins()];
    match weights {
        None => edges.for_each(x_values, |_, bin| counts[bin] += 1)?,
        Some(weights) => {
            let weights = weights.in_reals("histogram")?.to_vec::<f64>()?;
            edges.for_each(x_values, |i, bin| sums[bin] += weights[i])?;
        }
    }
    if !density {
        return if weights.is_some() { Array::from_slice(&sums) } else { Array::from_slice(&counts) };
    }
    if weights.is_none() {
        sums.iter_mut().zip(&counts).for_each(|(s, &n)| *s = n as f64);
    }
    let total: f64 = sums.iter().sum();
    let widths = edges.values.windows(2).map(|w| w[1] - w[0]);
    Array::from_slice(&sums.iter().zip(widths).map(|(n, width)| n / width / total).collect::<Vec<_>>())
}

fn range(value: Option<&Value>) -> Result<Option<(f64, f64)>, OpsError> {
    let number = |v: &Value| match v {
        Value::Scalar(Scalar::Int(v)) => Some(*v as f64),
        Value::Scalar(Scalar::Float(v)) => Some(*v),
        _ => None,
    };
    match value {
        None => Ok(None),
        Some(Value::Tuple(ends)) if ends.len() == 2 && ends.iter().all(|v| number(v).is_some()) => {
            Ok(number(&ends[0]).zip(number(&ends[1])))
        }
        Some(_) => Err(OpsError::argument("histogram", "range must be two numbers, the first and the last edge")),
    }
}

/// The value at each of `x` on the lines between points (`xp`, `fp`), `xp` ascending.
fn interp(x: &Array, xp: &Array, fp: &Array, outside: [Option<f64>; 2]) -> Result<Array, OpsError> {
    const OP: &str = "interp";
    if xp.rank() != 1 || xp.shape() != fp.shape() || xp.is_empty() {
        let message = format!("xp and fp must have one axis of one length, not {:?} and {:?}", xp.shape(), fp.shape());
        return Err(OpsError::argument(OP, message));
    }
    let (x, xp) = (x.in_reals(OP)?.contiguous()?, xp.in_reals(OP)?.contiguous()?);
    let behind = Lane::with(|lane| places(lane, OP, &xp, (&x).into(), Side::Right))?;
    let (at, value) = (xp.to_vec::<f64>()?, fp.in_reals(OP)?.to_vec::<f64>()?);
    let last = at.len() - 1;
    let one = |x: f64, place: i64| -> f64 {
        if x.is_nan() {
            x
        } else if x > at[last] {
            outside[1].unwrap_or(value[last])
        } else if place == 0 {
            outside[0].unwrap_or(value[0])
        } else if place as usize > last {
            value[last]
        } else {
            let i = place as usize - 1;
            between(x, [at[i], at[i + 1]], [value[i], value[i + 1]])
        }
    };
    let places = behind.view::<i64>()?.as_slice().unwrap_or_default();
    let x_values = x.view::<f64>()?.as_slice().unwrap_or_default();
    Array::from_fn_uninit(OP, x.shape(), |out| {
        for ((o, &x), &place) in out.iter_mut().zip(x_values).zip(places) {
            o.write(one(x, place));
        }
        Ok(())
    })
}

/// On the line between two points; infinities may make one end of it unusable.
fn between(x: f64, at: [f64; 2], value: [f64; 2]) -> f64 {
    let slope = (value[1] - value[0]) / (at[1] - at[0]);
    let from_left = slope * (x - at[0]) + value[0];
    if !from_left.is_nan() {
        return from_left;
    }
    let from_right = slope * (x - at[1]) + value[1];
    if from_right.is_nan() && value[0] == value[1] { value[0] } else { from_right }
}

const X: Param = Param::required("x", Kind::Operand);

pub(crate) static BINCOUNT: Op = Op {
    name: "bincount",
    doc: "How often each of the numbers from 0 on comes, at least minlength of them; with weights, their sums.",
    params: &[
        X.whole(),
        Param::optional("weights", Kind::Operand, Default::None),
        Param::optional("minlength", Kind::Int, Default::Int(0)),
    ],
    run: Run::One(|_, a| a.array(0)?.bincount(a.array_or_none(1)?.as_ref(), a.length(2)?)),
    onnx: None,
};

pub(crate) static HISTOGRAM: Op = Op {
    name: "histogram",
    doc: "How many elements fall into each bin, and the edges of the bins: as many as bins says, of one width over range or from \
          the smallest element to the largest; or edges given by bins. With weights their sums; with density such that the area \
          is one.",
    params: &[
        X.flat(),
        Param::optional("bins", Kind::Any, Default::Int(10)),
        Param::optional("range", Kind::Any, Default::None),
        Param::keyword("density", Kind::Bool, Default::Bool(false)),
        Param::keyword("weights", Kind::Operand, Default::None),
    ],
    run: Run::Many(&["hist", "bin_edges"], |_, a| {
        let x = a.array(0)?;
        let values = x.in_reals("histogram")?.to_vec::<f64>()?;
        let edges = match a.value(1) {
            Some(Value::Array(edges)) if edges.rank() > 0 => Edges::given(edges)?,
            Some(Value::Tuple(_)) => Edges::given(&numbers(a.value(1))?)?,
            _ => Edges::even(&values, a.length(1)?, range(a.value(2))?)?,
        };
        let counts = histogram(&x, &edges, &values, a.array_or_none(4)?.as_ref(), a.bool(3)?)?;
        Ok(vec![counts, edges.edges])
    }),
    onnx: None,
};

/// A list of numbers as an array.
fn numbers(list: Option<&Value>) -> Result<Array, OpsError> {
    let wrong = || OpsError::argument("histogram", "bins must be a whole number or a list of numbers");
    let Some(Value::Tuple(items)) = list else { return Err(wrong()) };
    let number = |v: &Value| match v {
        Value::Scalar(s) => Ok(*s),
        _ => Err(wrong()),
    };
    let scalars = items.iter().map(number).collect::<Result<Vec<Scalar>, _>>()?;
    let whole = scalars.iter().all(|s| matches!(s, Scalar::Int(_)));
    Array::from_scalars(&scalars, &[scalars.len()], if whole { DType::I64 } else { DType::F64 })
}

pub(crate) static INTERP: Op = Op {
    name: "interp",
    doc: "The value at each of x on the lines between the points (xp, fp), whose xp ascend; left and right of all points left and \
          right, or the value of the nearest one.",
    params: &[
        X,
        Param::required("xp", Kind::Operand),
        Param::required("fp", Kind::Operand),
        Param::optional("left", Kind::Float, Default::None),
        Param::optional("right", Kind::Float, Default::None),
    ],
    run: Run::One(|_, a| {
        let end = |i: usize| if a.is_given(i) { a.float(i).map(Some) } else { Ok(None) };
        interp(&a.array(0)?, &a.array(1)?, &a.array(2)?, [end(3)?, end(4)?])
    }),
    onnx: None,
};

pub(crate) static ARGWHERE: Op = Op {
    name: "argwhere",
    doc: "The indices of the elements that are not zero, one row each.",
    params: &[X.flat()],
    run: Run::One(|_, a| {
        let x = a.array(0)?;
        if x.rank() == 0 {
            return Array::zeros(&[usize::from(x.astype(DType::Bool)?.item::<bool>()?), 0], DType::I64);
        }
        let indices = super::positions::nonzero(&x)?;
        crate::stack(&indices.iter().collect::<Vec<_>>(), 1)
    }),
    onnx: Some(("NonZero", 9)),
};

pub(crate) static FLATNONZERO: Op = Op {
    name: "flatnonzero",
    doc: "The numbers in row-major order of the elements that are not zero.",
    params: &[X.flat()],
    run: Run::One(|_, a| {
        let x = a.array(0)?;
        super::positions::nonzero(&x.reshape(&[x.len() as isize])?)?[0].index(&[Index::from(Slice::all())])
    }),
    onnx: None,
};
