//! Random numbers. Each lane that runs a model draws its own; with a seed, runs of one lane repeat from its beginning.
use super::given::{fact, known, lengths_of};
use super::{Op, Row, Spec, row};
use crate::Fault;
use freelane_array::DType;
use freelane_graph::{Fact, GraphError, Operator, Run};
use freelane_ops::Array;
use freelane_random::Generator;
use smallvec::SmallVec;
use std::sync::Arc;

pub(super) const ROWS: &[Row] = &[
    row("Bernoulli", 15, bernoulli),
    row("Multinomial", 7, multinomial),
    row("RandomNormal", 1, |s| drawn(s, normal, ["mean", "scale"], false)),
    row("RandomNormalLike", 1, |s| drawn(s, normal, ["mean", "scale"], true)),
    row("RandomUniform", 1, |s| drawn(s, uniform, ["low", "high"], false)),
    row("RandomUniformLike", 1, |s| drawn(s, uniform, ["low", "high"], true)),
];

type Draw = fn(&mut Generator, [f64; 2], &[usize]) -> Result<Array, freelane_ops::OpsError>;

fn normal(from: &mut Generator, [mean, scale]: [f64; 2], shape: &[usize]) -> Result<Array, freelane_ops::OpsError> {
    from.normal(mean, scale, shape)
}

fn uniform(from: &mut Generator, [low, high]: [f64; 2], shape: &[usize]) -> Result<Array, freelane_ops::OpsError> {
    from.uniform(low, high, shape)
}

/// The seed that a node names.
fn seed_of(spec: &Spec<'_>) -> Result<Option<u64>, Fault> {
    Ok(spec.float_or_none("seed")?.map(|seed| u64::from(seed.to_bits())))
}

/// The generator that a node keeps for itself.
pub(super) fn generator(seed: Option<u64>) -> Result<Generator, GraphError> {
    match seed {
        Some(seed) => Ok(Generator::new(seed)),
        None => Generator::from_system().map_err(|e| GraphError::invalid(e.to_string())),
    }
}

fn drawn(spec: &Spec<'_>, draw: Draw, names: [&'static str; 2], like: bool) -> Result<Arc<dyn Operator>, Fault> {
    let bounds = [f64::from(spec.float(names[0], 0.0)?), f64::from(spec.float(names[1], 1.0)?)];
    let (seed, dtype) = (seed_of(spec)?, spec.dtype("dtype")?);
    let fixed = if like { None } else { Some(lengths(spec)?) };
    Op::new(spec, move |cx| {
        let (shape, dtype) = match &fixed {
            Some(shape) => (shape.clone(), dtype.unwrap_or(DType::F32)),
            None => (cx.array(0)?.layout().shape().into(), dtype.unwrap_or(cx.array(0)?.dtype())),
        };
        let made = |cx: &mut Run<'_>, from: &mut Generator| {
            let y = draw(from, bounds, &shape)?.astype(dtype)?;
            cx.set(0, y);
            Ok(())
        };
        cx.with_memo(|_| generator(seed), made)
    })
    .impure()
    .infer(move |facts, _| Ok(vec![Fact { dtype: dtype.or(fact(facts, 0).and_then(|f| f.dtype)), ..Fact::default() }]))
    .done()
}

fn lengths(spec: &Spec<'_>) -> Result<SmallVec<[usize; 8]>, Fault> {
    let shape = spec.ints("shape")?.ok_or_else(|| Fault::Invalid("attribute shape is missing".to_owned()))?;
    Ok(lengths_of(shape)?)
}

fn bernoulli(spec: &Spec<'_>) -> Result<Arc<dyn Operator>, Fault> {
    let (seed, dtype) = (seed_of(spec)?, spec.dtype("dtype")?);
    Op::new(spec, move |cx| {
        let p = Array::from(cx.array(0)?.clone());
        cx.with_memo(
            |_| generator(seed),
            |cx, from: &mut Generator| {
                let chance = from.random(p.shape())?;
                let y = chance.less(&p.astype(DType::F64)?)?;
                cx.set(0, y.astype(dtype.unwrap_or(p.dtype()))?);
                Ok(())
            },
        )
    })
    .impure()
    .infer(move |facts, _| {
        let x = fact(facts, 0).cloned().unwrap_or_default();
        Ok(known(dtype.or(x.dtype), x.shape))
    })
    .done()
}

/// Draws numbers of columns, each as often as the exponential of the number there says.
fn multinomial(spec: &Spec<'_>) -> Result<Arc<dyn Operator>, Fault> {
    let (seed, dtype) = (seed_of(spec)?, spec.dtype("dtype")?.unwrap_or(DType::I32));
    let count = spec.int("sample_size", 1)?.max(0) as usize;
    Op::new(spec, move |cx| {
        let x = Array::from(cx.array(0)?.clone());
        let [rows, columns] = *x.shape() else {
            return Err(GraphError::invalid(format!("needs two axes, found {:?}", x.shape())));
        };
        let chances = x.astype(DType::F64)?.softmax(-1)?.to_vec::<f64>()?;
        cx.with_memo(
            |_| generator(seed),
            |cx, from: &mut Generator| {
                let drawn = from.random(&[rows, count])?.to_vec::<f64>()?;
                let pick = |(i, &u): (usize, &f64)| {
                    let mut left = u;
                    let row = &chances[i / count * columns..][..columns];
                    let place = row.iter().position(|p| {
                        left -= p;
                        left < 0.0
                    });
                    place.unwrap_or(columns.saturating_sub(1)) as i64
                };
                let picked: Vec<i64> = drawn.iter().enumerate().map(pick).collect();
                cx.set(0, Array::from_vec(picked, &[rows, count])?.astype(dtype)?);
                Ok(())
            },
        )
    })
    .impure()
    .infer(move |_, _| Ok(vec![Fact::of_dtype(dtype)]))
    .done()
}
