//! The functions by name: pure ones, of a seed, a stream and a position.
use crate::source::Source;
use crate::{
    binomial, bits, child_seeds, choice, exponential, integers, normal, permutation, poisson, random, uniform,
    weighted_choice,
};
use freelane_array::{DType, Kind as Of, normalize_axis};
use freelane_ops::function::{Bound, Default, Kind, Param, Run};
use freelane_ops::{Array, InOp, Op, OpsError, Scalar, Value};

/// Every function of the crate, as `freelane eval` and the Python module call it.
pub const OPS: &[&Op] = &[
    &BINOMIAL,
    &BITS,
    &CHILD_SEEDS,
    &CHOICE,
    &EXPONENTIAL,
    &INTEGERS,
    &NORMAL,
    &PERMUTATION,
    &POISSON,
    &RANDOM,
    &UNIFORM,
];

const SHAPE: Param = Param::required("shape", Kind::Shape);
const SEED: Param = Param::keyword("seed", Kind::Int, Default::Required);
const STREAM: Param = Param::keyword("stream", Kind::Int, Default::Int(0));
const POSITION: Param = Param::keyword("position", Kind::Int, Default::Int(0));
const DTYPE: Param = Param::keyword("dtype", Kind::DType, Default::None);

/// The source of which seed, stream and position are arguments `i` and the two after it.
fn source(op: &'static str, a: &Bound<'_>, i: usize) -> Result<Source, OpsError> {
    let stream = u32::try_from(word(op, a, i + 1, "stream")?)
        .map_err(|_| OpsError::argument(op, "stream must be below 2**32"))?;
    Ok(Source { seed: word(op, a, i, "seed")?, stream, position: word(op, a, i + 2, "position")? })
}

fn word(op: &'static str, a: &Bound<'_>, i: usize, name: &str) -> Result<u64, OpsError> {
    match a.scalar(i)? {
        Scalar::Int(n) => u64::try_from(n).ok(),
        _ => None,
    }
    .ok_or_else(|| OpsError::argument(op, format!("{name} must be a whole number from 0 to 2**64 - 1")))
}

fn dtype(a: &Bound<'_>, i: usize, usual: DType) -> Result<DType, OpsError> {
    Ok(a.dtype(i)?.unwrap_or(usual))
}

static BITS: Op = Op {
    name: "bits",
    doc: "Random bits: whole numbers of an unsigned dtype, of uint64 unless one is given.",
    params: &[SHAPE, SEED, STREAM, POSITION, DTYPE],
    run: Run::One(|_, a| bits(source("bits", a, 1)?, &a.shape(0)?, dtype(a, 4, DType::U64)?)),
    onnx: None,
};

static RANDOM: Op = Op {
    name: "random",
    doc: "Uniform values in [0, 1), of float64 unless a dtype is given.",
    params: &[SHAPE, SEED, STREAM, POSITION, DTYPE],
    run: Run::One(|_, a| random(source("random", a, 1)?, &a.shape(0)?, dtype(a, 4, DType::F64)?)),
    onnx: None,
};

static UNIFORM: Op = Op {
    name: "uniform",
    doc: "Uniform values from low up to high, of float64 unless a dtype is given.",
    params: &[
        SHAPE,
        Param::optional("low", Kind::Float, Default::Float(0.0)),
        Param::optional("high", Kind::Float, Default::Float(1.0)),
        SEED,
        STREAM,
        POSITION,
        DTYPE,
    ],
    run: Run::One(|_, a| {
        uniform(source("uniform", a, 3)?, a.float(1)?, a.float(2)?, &a.shape(0)?, dtype(a, 6, DType::F64)?)
    }),
    onnx: None,
};

static NORMAL: Op = Op {
    name: "normal",
    doc: "Normal values of mean loc and standard deviation scale, of float64 unless a dtype is given.",
    params: &[
        SHAPE,
        Param::optional("loc", Kind::Float, Default::Float(0.0)),
        Param::optional("scale", Kind::Float, Default::Float(1.0)),
        SEED,
        STREAM,
        POSITION,
        DTYPE,
    ],
    run: Run::One(|_, a| {
        normal(source("normal", a, 3)?, a.float(1)?, a.float(2)?, &a.shape(0)?, dtype(a, 6, DType::F64)?)
    }),
    onnx: None,
};

static EXPONENTIAL: Op = Op {
    name: "exponential",
    doc: "Exponential values of mean scale, of float64 unless a dtype is given.",
    params: &[SHAPE, Param::optional("scale", Kind::Float, Default::Float(1.0)), SEED, STREAM, POSITION, DTYPE],
    run: Run::One(|_, a| {
        exponential(source("exponential", a, 2)?, a.float(1)?, &a.shape(0)?, dtype(a, 5, DType::F64)?)
    }),
    onnx: None,
};

static INTEGERS: Op = Op {
    name: "integers",
    doc: "Whole numbers from low up to, not including, high, all as likely, of int64 unless a dtype is given.",
    params: &[
        SHAPE,
        Param::required("low", Kind::Int),
        Param::required("high", Kind::Int),
        SEED,
        STREAM,
        POSITION,
        DTYPE,
    ],
    run: Run::One(|_, a| {
        let bound = |i: usize| match a.scalar(i)? {
            Scalar::Int(n) => Ok(n),
            _ => a.int(i).map(i128::from),
        };
        integers(source("integers", a, 3)?, bound(1)?, bound(2)?, &a.shape(0)?, dtype(a, 6, DType::I64)?)
    }),
    onnx: None,
};

static POISSON: Op = Op {
    name: "poisson",
    doc: "Numbers of events, int64, of which lam, at most 1e9, are expected.",
    params: &[SHAPE, Param::optional("lam", Kind::Float, Default::Float(1.0)), SEED, STREAM, POSITION],
    run: Run::One(|_, a| poisson(source("poisson", a, 2)?, a.float(1)?, &a.shape(0)?)),
    onnx: None,
};

static BINOMIAL: Op = Op {
    name: "binomial",
    doc: "Numbers of successes, int64, of n trials, each with probability p.",
    params: &[SHAPE, Param::required("n", Kind::Int), Param::required("p", Kind::Float), SEED, STREAM, POSITION],
    run: Run::One(|_, a| binomial(source("binomial", a, 3)?, a.length(1)? as u64, a.float(2)?, &a.shape(0)?)),
    onnx: None,
};

static PERMUTATION: Op = Op {
    name: "permutation",
    doc: "The numbers below x, or the parts of an array along an axis, in an order of which each is as likely.",
    params: &[
        Param::required("x", Kind::Operand),
        Param::keyword("axis", Kind::Int, Default::Int(0)),
        SEED,
        STREAM,
        POSITION,
    ],
    run: Run::One(|_, a| {
        let from = source("permutation", a, 2)?;
        match whole("permutation", a, 0)? {
            Some(n) => permutation(from, n),
            None => {
                let (x, axis) = (a.array(0)?, a.int(1)? as isize);
                x.take(&permutation(from, length(&x, axis))?, axis)
            }
        }
    }),
    onnx: None,
};

static CHOICE: Op = Op {
    name: "choice",
    doc: "Numbers below x, or parts of an array along an axis: independent, or all different without replace.\n\nEach is as \
          likely as p says, which need not add up to 1, or as all others.",
    params: &[
        Param::required("x", Kind::Operand),
        SHAPE,
        Param::keyword("replace", Kind::Bool, Default::Bool(true)),
        Param::keyword("p", Kind::Operand, Default::None),
        Param::keyword("axis", Kind::Int, Default::Int(0)),
        SEED,
        STREAM,
        POSITION,
    ],
    run: Run::One(|_, a| {
        let (from, shape, replace) = (source("choice", a, 5)?, a.shape(1)?, a.bool(2)?);
        let number = whole("choice", a, 0)?;
        let (x, axis) = (a.array(0)?, a.int(4)? as isize);
        if number.is_none() {
            normalize_axis(axis, x.rank()).in_op("choice")?;
        }
        let n = number.unwrap_or(length(&x, axis));
        let chosen = match a.array_or_none(3)? {
            None => choice(from, n, &shape, replace)?,
            Some(p) => weighted_choice(from, &weights(&p, n)?, &shape, replace)?,
        };
        if number.is_some() { Ok(chosen) } else { x.take(&chosen, axis) }
    }),
    onnx: None,
};

static CHILD_SEEDS: Op = Op {
    name: "child_seeds",
    doc: "Seeds for generators that have nothing to do with each other, nor with the sequence they come from.",
    params: &[Param::required("n", Kind::Int), SEED, STREAM, POSITION],
    run: Run::One(|_, a| child_seeds(source("child_seeds", a, 1)?, a.length(0)?)),
    onnx: None,
};

/// The number that is given in place of an array.
fn whole(op: &'static str, a: &Bound<'_>, i: usize) -> Result<Option<usize>, OpsError> {
    match a.value(i) {
        Some(Value::Array(x)) if x.rank() > 0 => Ok(None),
        Some(Value::Array(x)) if !matches!(x.dtype().kind(), Of::Signed | Of::Unsigned) => {
            Err(OpsError::argument(op, "needs a whole number or an array with an axis"))
        }
        _ => a.length(i).map(Some),
    }
}

/// The length of an axis; that there is no such axis is said by `take`.
fn length(x: &Array, axis: isize) -> usize {
    freelane_array::normalize_axis(axis, x.rank()).map_or(0, |axis| x.shape()[axis])
}

fn weights(p: &Array, n: usize) -> Result<Vec<f64>, OpsError> {
    if p.shape() != [n] {
        return Err(OpsError::argument("choice", format!("p has shape {:?}, not ({n},)", p.shape())));
    }
    p.in_reals("choice")?.to_vec()
}
