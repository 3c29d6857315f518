//! Activations and lines that are normalized by exponentials.
use super::{Op, Row, Spec, row};
use crate::Fault;
use freelane_array::{ArrayData, DType};
use freelane_graph::{Fact, GraphError, Operator, Run};
use freelane_nn::activation::{Activation, prelu, swiglu};
use freelane_nn::softmax::Lines;
use freelane_ops::Array;
use std::sync::Arc;

type Made = Result<Arc<dyn Operator>, Fault>;

pub(crate) const ROWS: &[Row] = &[
    row("Relu", 1, |s| {
        s.ignore("consumed_inputs");
        super::ufunc(&freelane_ops::ufuncs::RELU)
    }),
    row("Sigmoid", 1, |s| {
        s.ignore("consumed_inputs");
        super::ufunc(&freelane_ops::ufuncs::SIGMOID)
    }),
    row("LeakyRelu", 1, |s| one(s, "LeakyRelu", Activation::Leaky(s.float("alpha", 0.01)?))),
    row("Elu", 1, |s| one(s, "Elu", Activation::Elu(s.float("alpha", 1.0)?))),
    row("Selu", 1, |s| selu(s, 1.6732, 1.0507)),
    row("Selu", 6, |s| selu(s, 1.673_263_2, 1.050_701)),
    row("Celu", 12, |s| one(s, "Celu", Activation::Celu(s.float("alpha", 1.0)?))),
    row("HardSigmoid", 1, |s| {
        one(s, "HardSigmoid", Activation::HardSigmoid(s.float("alpha", 0.2)?, s.float("beta", 0.5)?))
    }),
    row("HardSwish", 14, |s| one(s, "HardSwish", Activation::HardSwish)),
    row("ThresholdedRelu", 1, |s| one(s, "ThresholdedRelu", Activation::Thresholded(s.float("alpha", 1.0)?))),
    row("Softsign", 1, |s| one(s, "Softsign", Activation::Softsign)),
    row("Mish", 18, |s| one(s, "Mish", Activation::Mish)),
    row("Swish", 24, |s| one(s, "Swish", Activation::Swish(s.float("alpha", 1.0)?))),
    row("Affine", 1, |s| one(s, "Affine", Activation::Affine(s.float("alpha", 1.0)?, s.float("beta", 0.0)?))),
    row("ScaledTanh", 1, |s| {
        one(s, "ScaledTanh", Activation::ScaledTanh(s.float("alpha", 1.0)?, s.float("beta", 1.0)?))
    }),
    row("Softplus", 1, |_| super::ufunc(&freelane_ops::ufuncs::SOFTPLUS)),
    row("Gelu", 20, gelu),
    row("SwiGLU", 28, |s| {
        let alpha = s.float("alpha", 1.0)?;
        Op::new(s, move |cx| {
            let y = swiglu(cx.lane(), cx.array(0)?, cx.array(1)?, alpha)?;
            cx.set(0, y);
            Ok(())
        })
        .like_input()
        .done()
    }),
    row("Shrink", 9, shrink),
    row("PRelu", 1, prelu_of),
    row("PRelu", 7, |s| {
        Op::new(s, |cx| {
            let y = prelu(cx.lane(), cx.array(0)?, cx.array(1)?)?;
            cx.set(0, y);
            Ok(())
        })
        .like_input()
        .done()
    }),
    row("Clip", 1, |s| {
        s.ignore("consumed_inputs");
        let bounds = [s.float_or_none("min")?, s.float_or_none("max")?].map(|b| b.map(f64::from));
        let f = Activation::Clip(bounds[0].unwrap_or(f64::NEG_INFINITY), bounds[1].unwrap_or(f64::INFINITY));
        one(s, "Clip", f)
    }),
    row("Clip", 11, clip),
    row("Softmax", 1, |s| flattened(s, "Softmax", Lines::Softmax)),
    row("Softmax", 13, |s| lines(s, "Softmax", Lines::Softmax)),
    row("LogSoftmax", 1, |s| flattened(s, "LogSoftmax", Lines::LogSoftmax)),
    row("LogSoftmax", 13, |s| lines(s, "LogSoftmax", Lines::LogSoftmax)),
    row("Hardmax", 1, |s| flattened(s, "Hardmax", Lines::Hardmax)),
    row("Hardmax", 13, |s| lines(s, "Hardmax", Lines::Hardmax)),
];

/// A function of each element.
pub(crate) struct Curve {
    name: &'static str,
    /// Which.
    pub f: Activation,
}

impl Operator for Curve {
    fn name(&self) -> &str {
        self.name
    }

    fn infer(&self, inputs: &[Option<&Fact>], outputs: usize) -> Result<Vec<Fact>, GraphError> {
        let mut known = vec![Fact::unknown(); outputs];
        if let (Some(first), Some(Some(x))) = (known.first_mut(), inputs.first()) {
            *first = Fact { constant: None, ..(*x).clone() };
        }
        Ok(known)
    }

    fn run(&self, cx: &mut Run<'_>) -> Result<(), GraphError> {
        let y = self.f.call(cx.lane(), self.name, cx.array(0)?)?;
        cx.set(0, y);
        Ok(())
    }

    fn key(&self) -> Option<String> {
        Some(format!("{:?}", self.f))
    }
}

fn one(s: &Spec<'_>, name: &'static str, f: Activation) -> Made {
    s.ignore("consumed_inputs");
    Ok(Arc::new(Curve { name, f }))
}

fn selu(s: &Spec<'_>, alpha: f32, gamma: f32) -> Made {
    one(s, "Selu", Activation::Selu(s.float("alpha", alpha)?, s.float("gamma", gamma)?))
}

fn gelu(s: &Spec<'_>) -> Made {
    match s.word("approximate", "none", &["none", "tanh"])? {
        0 => super::ufunc(&freelane_ops::ufuncs::GELU),
        _ => one(s, "Gelu", Activation::GeluTanh),
    }
}

/// A function that is made for floats, of numbers that may be integers.
fn shrink(s: &Spec<'_>) -> Made {
    let f = Activation::Shrink(s.float("lambd", 0.5)?, s.float("bias", 0.0)?);
    Op::new(s, move |cx| {
        let x = cx.array(0)?;
        let y = if x.dtype().is_integer() {
            let wide = Array::from(x.clone()).astype(DType::F64)?;
            Array::from(f.call(cx.lane(), "Shrink", wide.data())?).astype(x.dtype())?.into()
        } else {
            f.call(cx.lane(), "Shrink", x)?
        };
        cx.set(0, y);
        Ok(())
    })
    .like_input()
    .done()
}

/// The first versions' slopes: one for each channel.
fn prelu_of(s: &Spec<'_>) -> Made {
    s.ignore("consumed_inputs");
    Op::new(s, |cx| {
        let (x, slope) = (cx.array(0)?, cx.array(1)?);
        let (rank, count) = (x.layout().rank(), slope.layout().len());
        let y = if slope.layout().rank() == 1 && rank > 1 && count == x.layout().shape()[1] {
            let shape: Vec<isize> = (1..rank).map(|i| if i == 1 { count as isize } else { 1 }).collect();
            prelu(cx.lane(), x, Array::from(slope.clone()).reshape(&shape)?.data())?
        } else {
            prelu(cx.lane(), x, slope)?
        };
        cx.set(0, y);
        Ok(())
    })
    .like_input()
    .done()
}

/// A bound that is one float.
fn bound(b: Option<&ArrayData>, none: f64) -> Option<f64> {
    let Some(b) = b else { return Some(none) };
    match b.dtype() {
        _ if b.layout().len() != 1 => None,
        DType::F32 => b.view::<f32>().ok()?.iter().next().map(f64::from),
        DType::F64 => b.view::<f64>().ok()?.iter().next(),
        _ => None,
    }
}

fn between(low: Option<&ArrayData>, high: Option<&ArrayData>) -> Option<Activation> {
    Some(Activation::Clip(bound(low, f64::NEG_INFINITY)?, bound(high, f64::INFINITY)?))
}

fn clip(s: &Spec<'_>) -> Made {
    let known = |i: usize| !s.has(i) || s.constant(i).is_some();
    let float = s.fact(0).is_some_and(|x| matches!(x.dtype, Some(DType::F32 | DType::F64)));
    if float
        && known(1)
        && known(2)
        && let Some(f) = between(s.constant(1), s.constant(2))
    {
        return one(s, "Clip", f);
    }
    Op::new(s, |cx| {
        let y = clipped(cx, cx.array(0)?)?;
        cx.set(0, y);
        Ok(())
    })
    .like_input()
    .done()
}

fn clipped(cx: &Run<'_>, x: &ArrayData) -> Result<ArrayData, GraphError> {
    let bounds = [cx.array_or_none(1)?, cx.array_or_none(2)?];
    if let Some(b) = bounds.into_iter().flatten().find(|b| b.layout().len() != 1) {
        return Err(GraphError::invalid(format!("a bound of shape {:?}; it is one number", b.layout().shape())));
    }
    if matches!(x.dtype(), DType::F32 | DType::F64)
        && let Some(f) = between(bounds[0], bounds[1])
    {
        return Ok(f.call(cx.lane(), "Clip", x)?);
    }
    let [low, high] = bounds.map(|b| b.map(|b| Array::from(b.clone()).reshape(&[])));
    let mut y = Array::from(x.clone());
    if let Some(low) = low.transpose()? {
        y = y.maximum(&low)?;
    }
    if let Some(high) = high.transpose()? {
        y = y.minimum(&high)?;
    }
    Ok(y.into())
}

fn axis(cx: &Run<'_>, axis: i64) -> Result<usize, GraphError> {
    let rank = cx.array(0)?.layout().rank().max(1);
    Ok(freelane_array::normalize_axis(axis as isize, rank)?)
}

/// Along one axis.
fn lines(s: &Spec<'_>, name: &'static str, lines: Lines) -> Made {
    let along = s.int("axis", -1)?;
    Op::new(s, move |cx| {
        let (x, axis) = (cx.array(0)?, axis(cx, along)?);
        let y = lines.call(cx.lane(), name, x, axis..(axis + 1).min(x.layout().rank()))?;
        cx.set(0, y);
        Ok(())
    })
    .like_input()
    .done()
}

/// Along an axis and all behind it, taken as one.
fn flattened(s: &Spec<'_>, name: &'static str, lines: Lines) -> Made {
    let along = s.int("axis", 1)?;
    Op::new(s, move |cx| {
        let x = cx.array(0)?;
        let rank = x.layout().rank();
        let axis = if along == rank as i64 { rank } else { axis(cx, along)? };
        let y = lines.call(cx.lane(), name, x, axis..rank)?;
        cx.set(0, y);
        Ok(())
    })
    .like_input()
    .done()
}
