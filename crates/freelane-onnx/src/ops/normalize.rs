//! Normalizations and dropout.
use super::given::array;
use super::random::generator;
use super::{Op, Row, Spec, row};
use crate::Fault;
use freelane_array::{ArrayData, DType};
use freelane_graph::{Fact, GraphError, Operator, Run};
use freelane_nn::norm::{Batch, Channels, LineNorm, channel_moments, group_norm, local_response};
use freelane_ops::Array;
use freelane_random::Generator;
use freelane_sync::OnceTable;
use std::sync::Arc;

type Made = Result<Arc<dyn Operator>, Fault>;

pub(crate) const ROWS: &[Row] = &[
    row("LayerNormalization", 17, layer),
    row("RMSNormalization", 23, root_mean_square),
    row("BatchNormalization", 1, |s| batch(s, false)),
    row("BatchNormalization", 14, |s| batch(s, s.flag("training_mode", false)?)),
    row("InstanceNormalization", 1, |s| grouped(s, "InstanceNormalization", None)),
    row("GroupNormalization", 18, |s| grouped(s, "GroupNormalization", Some(s.int("num_groups", 0)?))),
    row("LRN", 1, local),
    row("MeanVarianceNormalization", 1, |s| {
        let axes = if s.flag("across_channels", false)? { &[0, 1, 2, 3][..] } else { &[0, 2, 3] };
        s.ignore("normalize_variance");
        mean_variance(s, axes.to_vec())
    }),
    row("MeanVarianceNormalization", 9, |s| mean_variance(s, s.ints("axes")?.unwrap_or(&[0, 2, 3]).to_vec())),
    row("LpNormalization", 1, length),
    row("Dropout", 1, |s| {
        let training = s.int_or_none("is_test")? == Some(0);
        dropout(s, training)
    }),
    row("Dropout", 7, |s| dropout(s, false)),
    row("Dropout", 12, training_dropout),
];

fn layer(s: &Spec<'_>) -> Made {
    let stash = s.dtype("stash_type")?.unwrap_or(DType::F32);
    let norm = LineNorm {
        epsilon: s.float("epsilon", 1e-5)?,
        centred: true,
        stash: Some(stash),
        axis: s.int("axis", -1)?,
        moments: s.outputs.iter().skip(1).any(|wanted| *wanted),
    };
    Op::new(s, move |cx| {
        let (x, scale, bias) = (cx.array(0)?, cx.array(1)?, cx.array_or_none(2)?);
        let (y, mean, deviation) = norm.call(cx.lane(), "LayerNormalization", x, Some(scale), bias)?;
        cx.set(0, y);
        if let (Some(mean), Some(deviation)) = (mean, deviation) {
            cx.set(1, mean);
            cx.set(2, deviation);
        }
        Ok(())
    })
    .infer(like_first)
    .done()
}

/// The first output is like the first input.
fn like_first(facts: &[Option<&Fact>], outputs: usize) -> Result<Vec<Fact>, GraphError> {
    let mut known = vec![Fact::unknown(); outputs];
    if let (Some(first), Some(Some(x))) = (known.first_mut(), facts.first()) {
        *first = Fact { constant: None, ..(*x).clone() };
    }
    Ok(known)
}

fn root_mean_square(s: &Spec<'_>) -> Made {
    s.ignore("stash_type");
    let axis = s.int("axis", -1)?;
    let norm = LineNorm { epsilon: s.float("epsilon", 1e-5)?, centred: false, stash: None, axis, moments: false };
    Op::new(s, move |cx| {
        let (y, ..) = norm.call(cx.lane(), "RMSNormalization", cx.array(0)?, Some(cx.array(1)?), None)?;
        cx.set(0, y);
        Ok(())
    })
    .like_input()
    .done()
}

fn batch(s: &Spec<'_>, training: bool) -> Made {
    let (epsilon, momentum) = (s.float("epsilon", 1e-5)?, s.float("momentum", 0.9)?);
    let old = s.int_or_none("is_test")?;
    if s.int_or_none("spatial")? == Some(0) || s.opset < 7 && old != Some(1) && s.outputs.iter().skip(1).any(|w| *w) {
        return Err(Fault::Unsupported(
            "training, or statistics of each pixel; supported are those of channels".into(),
        ));
    }
    s.ignore("consumed_inputs");
    let constant = (1..5).all(|i| s.constant(i).is_some());
    let op = BatchNorm { epsilon, momentum, training, constant, key: s.key(), channels: OnceTable::new() };
    Ok(Arc::new(op))
}

/// The normalization of each channel by its mean and variance, which are given or those of the batch.
pub(crate) struct BatchNorm {
    epsilon: f32,
    momentum: f32,
    training: bool,
    /// Whether all but the images are the same in every run.
    constant: bool,
    key: Option<String>,
    // LEDGER: the node; written once, then read by all lanes
    channels: OnceTable<Channels>,
}

impl BatchNorm {
    /// Factors and summands of constant means and variances.
    pub fn folded(&self, [scale, shift, mean, variance]: [&ArrayData; 4]) -> Option<Channels> {
        let batch = Batch { scale, shift, mean, variance, epsilon: self.epsilon };
        batch.channels(DType::F32).ok().filter(|_| !self.training)
    }

    fn train(&self, cx: &mut Run<'_>) -> Result<(), GraphError> {
        let (x, scale, shift) = (cx.array(0)?, cx.array(1)?, cx.array(2)?);
        let (mean, variance) = channel_moments(x)?;
        let batch = Batch { scale, shift, mean: &mean, variance: &variance, epsilon: self.epsilon };
        let y = batch.channels(x.dtype())?.call(cx.lane(), x)?;
        let momentum = f64::from(self.momentum);
        let mixed = |before: &ArrayData, now: ArrayData| -> Result<Array, GraphError> {
            let now = Array::from(now).multiply(1.0 - momentum)?;
            Ok(Array::from(before.clone()).multiply(momentum)?.add(&now)?.astype(before.dtype())?)
        };
        let (mean, variance) = (mixed(cx.array(3)?, mean)?, mixed(cx.array(4)?, variance)?);
        cx.set(0, y);
        cx.set(1, mean);
        cx.set(2, variance);
        Ok(())
    }
}

impl Operator for BatchNorm {
    fn name(&self) -> &str {
        "BatchNormalization"
    }

    fn infer(&self, inputs: &[Option<&Fact>], outputs: usize) -> Result<Vec<Fact>, GraphError> {
        like_first(inputs, outputs)
    }

    fn run(&self, cx: &mut Run<'_>) -> Result<(), GraphError> {
        if self.training {
            return self.train(cx);
        }
        let x = cx.array(0)?;
        let make = |cx: &Run<'_>| -> Result<Channels, GraphError> {
            let (scale, shift, mean, variance) = (cx.array(1)?, cx.array(2)?, cx.array(3)?, cx.array(4)?);
            Ok(Batch { scale, shift, mean, variance, epsilon: self.epsilon }.channels(x.dtype())?)
        };
        let y = if self.constant {
            self.channels.get_or_try_init(|| make(cx))?.call(cx.lane(), x)?
        } else {
            make(cx)?.call(cx.lane(), x)?
        };
        cx.set(0, y);
        Ok(())
    }

    fn key(&self) -> Option<String> {
        self.key.clone()
    }
}

fn grouped(s: &Spec<'_>, name: &'static str, groups: Option<i64>) -> Made {
    let epsilon = s.float("epsilon", 1e-5)?;
    s.ignore("stash_type");
    s.ignore("consumed_inputs");
    let groups = groups
        .map(|n| usize::try_from(n).map_err(|_| Fault::Invalid(format!("attribute num_groups is {n}"))))
        .transpose()?;
    Op::new(s, move |cx| {
        let x = cx.array(0)?;
        let channels = x.layout().shape().get(1).copied().unwrap_or(1);
        let y = group_norm(cx.lane(), name, x, cx.array(1)?, cx.array(2)?, groups.unwrap_or(channels), epsilon)?;
        cx.set(0, y);
        Ok(())
    })
    .like_input()
    .done()
}

fn local(s: &Spec<'_>) -> Made {
    let size = s.int("size", 1)?;
    let size = usize::try_from(size).map_err(|_| Fault::Invalid(format!("attribute size is {size}")))?;
    let numbers = [s.float("alpha", 1e-4)?, s.float("beta", 0.75)?, s.float("bias", 1.0)?];
    Op::new(s, move |cx| {
        let y = local_response(cx.lane(), cx.array(0)?, size, numbers)?;
        cx.set(0, y);
        Ok(())
    })
    .like_input()
    .done()
}

fn mean_variance(s: &Spec<'_>, axes: Vec<i64>) -> Made {
    let axes: Vec<isize> = axes.into_iter().map(|a| a as isize).collect();
    Op::new(s, move |cx| {
        let dtype = cx.array(0)?.dtype();
        let wide = if dtype == DType::F64 { DType::F64 } else { DType::F32 };
        let x = Array::from(cx.array(0)?.clone()).astype(wide)?;
        let mean = x.mean(&axes[..], true)?;
        let centred = x.subtract(&mean)?;
        let deviation = centred.square()?.mean(&axes[..], true)?.sqrt()?.add(1e-9)?;
        cx.set(0, centred.divide(&deviation)?.astype(dtype)?);
        Ok(())
    })
    .like_input()
    .done()
}

fn length(s: &Spec<'_>) -> Made {
    let (axis, p) = (s.int("axis", -1)? as isize, s.int("p", 2)?);
    if !(1..=2).contains(&p) {
        return Err(Fault::Invalid(format!("attribute p is {p}; it must be 1 or 2")));
    }
    Op::new(s, move |cx| {
        let x = Array::from(cx.array(0)?.clone());
        let norm = if p == 1 { x.abs()?.sum(axis, true)? } else { x.square()?.sum(axis, true)?.sqrt()? };
        // What has no length stays as it is.
        let norm = norm.equal(0.0)?.where_(1.0, &norm)?.astype(x.dtype())?;
        cx.set(0, x.divide(&norm)?);
        Ok(())
    })
    .like_input()
    .done()
}

/// The input, and a mask of everything.
fn kept(cx: &mut Run<'_>, mask: DType) -> Result<(), GraphError> {
    let x = cx.array(0)?.clone();
    if cx.wants(1) {
        let ones = Array::ones(x.layout().shape(), mask)?;
        cx.set(1, ones);
    }
    cx.set(0, x);
    Ok(())
}

fn dropout(s: &Spec<'_>, training: bool) -> Made {
    s.ignore("ratio");
    s.ignore("consumed_inputs");
    if training {
        return Err(Fault::Unsupported("Dropout that trains; supported is inference".to_owned()));
    }
    let mask = if s.opset < 10 { None } else { Some(DType::Bool) };
    Op::new(s, move |cx| {
        let dtype = cx.array(0)?.dtype();
        kept(cx, mask.unwrap_or(dtype))
    })
    .infer(like_first)
    .done()
}

fn training_dropout(s: &Spec<'_>) -> Made {
    let seed = s.int_or_none("seed")?.map(|seed| seed as u64);
    Op::new(s, move |cx| {
        let flag = |x: &ArrayData| Array::from(x.clone()).astype(DType::Bool)?.item::<bool>();
        let training = cx.array_or_none(2)?.map(flag).transpose()?.unwrap_or(false);
        let number = |x: &ArrayData| Array::from(x.clone()).astype(DType::F64)?.item::<f64>();
        let ratio = cx.array_or_none(1)?.map(number).transpose()?.unwrap_or(0.5);
        if !training || ratio == 0.0 {
            return kept(cx, DType::Bool);
        }
        cx.with_memo(|_| generator(seed), |cx, from| dropped(cx, ratio, from))
    })
    .infer(like_first)
    .impure()
    .done()
}

/// Drops elements at random, and scales those that stay.
fn dropped(cx: &mut Run<'_>, ratio: f64, from: &mut Generator) -> Result<(), GraphError> {
    let x = array(cx, 0)?;
    let mask = from.random(x.shape())?.greater_equal(ratio)?;
    let scale = if ratio < 1.0 { 1.0 / (1.0 - ratio) } else { 0.0 };
    let y = x.multiply(&mask)?.multiply(scale)?.astype(x.dtype())?;
    cx.set(0, y);
    cx.set(1, mask);
    Ok(())
}
