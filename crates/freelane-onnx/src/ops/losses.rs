//! Losses, and the steps of optimizers.
use super::{Op, Row, Spec, row};
use crate::Fault;
use freelane_array::{ArrayData, DType};
use freelane_graph::{Fact, GraphError, Operator, Run};
use freelane_nn::loss::{NegativeLogLikelihood, Reduce};
use freelane_nn::softmax::Lines;
use freelane_ops::Array;
use std::sync::Arc;

type Made = Result<Arc<dyn Operator>, Fault>;

const TRAINING: &str = "ai.onnx.preview.training";

pub(crate) const ROWS: &[Row] = &[
    row("NegativeLogLikelihoodLoss", 12, likelihood),
    row("SoftmaxCrossEntropyLoss", 12, cross_entropy),
    Row { domain: TRAINING, name: "Adagrad", since: 1, make: adagrad },
    Row { domain: TRAINING, name: "Adam", since: 1, make: adam },
    Row { domain: TRAINING, name: "Momentum", since: 1, make: momentum },
];

fn loss(s: &Spec<'_>) -> Result<NegativeLogLikelihood, Fault> {
    let reduce = match s.word("reduction", "mean", &["none", "mean", "sum"])? {
        0 => Reduce::None,
        1 => Reduce::Mean,
        _ => Reduce::Sum,
    };
    Ok(NegativeLogLikelihood { reduce, ignore: s.int_or_none("ignore_index")? })
}

fn likelihood(s: &Spec<'_>) -> Made {
    let loss = loss(s)?;
    Op::new(s, move |cx| {
        let y = loss.call("NegativeLogLikelihoodLoss", cx.array(0)?, cx.array(1)?, cx.array_or_none(2)?)?;
        cx.set(0, y);
        Ok(())
    })
    .of_input_dtype()
    .done()
}

fn cross_entropy(s: &Spec<'_>) -> Made {
    const NAME: &str = "SoftmaxCrossEntropyLoss";
    let loss = loss(s)?;
    Op::new(s, move |cx| {
        let scores = cx.array(0)?;
        if scores.layout().rank() < 2 {
            return Err(GraphError::invalid(format!("scores of shape {:?}", scores.layout().shape())));
        }
        let logs = Lines::LogSoftmax.call(cx.lane(), NAME, scores, 1..2)?;
        let y = loss.call(NAME, &logs, cx.array(1)?, cx.array_or_none(2)?)?;
        cx.set(0, y);
        cx.set(1, logs);
        Ok(())
    })
    .of_input_dtype()
    .done()
}

/// An optimizer's step: its rate and count, then each list of tensors one behind the other.
struct Step<'c, 'r> {
    cx: &'c Run<'r>,
    each: usize,
}

impl<'c, 'r> Step<'c, 'r> {
    fn new(cx: &'c Run<'r>, lists: usize) -> Result<Step<'c, 'r>, GraphError> {
        let tensors = cx.len().saturating_sub(2);
        if tensors == 0 || !tensors.is_multiple_of(lists) {
            return Err(GraphError::invalid(format!("{tensors} tensors in {lists} lists")));
        }
        Ok(Step { cx, each: tensors / lists })
    }

    fn number(&self, i: usize) -> Result<f64, GraphError> {
        Ok(Array::from(self.cx.array(i)?.clone()).astype(DType::F64)?.item::<f64>()?)
    }

    fn tensor(&self, list: usize, i: usize) -> Result<Array, GraphError> {
        let x: &ArrayData = self.cx.array(2 + list * self.each + i)?;
        Ok(Array::from(x.clone()))
    }
}

/// Tensors have the type of those they replace.
fn of_tensors(facts: &[Option<&Fact>], outputs: usize) -> Result<Vec<Fact>, GraphError> {
    let dtype = facts.get(2).and_then(|f| f.as_ref()?.dtype);
    Ok(vec![Fact { dtype, ..Fact::default() }; outputs])
}

fn adagrad(s: &Spec<'_>) -> Made {
    let number = |name, default| s.float(name, default).map(f64::from);
    let (norm, epsilon, decay) =
        (number("norm_coefficient", 0.0)?, number("epsilon", 0.0)?, number("decay_factor", 0.0)?);
    Op::new(s, move |cx| {
        let step = Step::new(cx, 3)?;
        let rate = step.number(0)? / (1.0 + step.number(1)? * decay);
        let mut made = vec![];
        for i in 0..step.each {
            let (x, g, h) = (step.tensor(0, i)?, step.tensor(1, i)?, step.tensor(2, i)?);
            let g = x.multiply(norm)?.add(&g)?;
            let h = h.add(&g.square()?)?;
            let x = x.subtract(&g.multiply(rate)?.divide(&h.sqrt()?.add(epsilon)?)?)?;
            made.push([x, h]);
        }
        give(cx, made);
        Ok(())
    })
    .infer(of_tensors)
    .done()
}

fn adam(s: &Spec<'_>) -> Made {
    let number = |name, default| s.float(name, default).map(f64::from);
    let (alpha, beta, epsilon) = (number("alpha", 0.9)?, number("beta", 0.999)?, number("epsilon", 0.0)?);
    let (norm, after) = (number("norm_coefficient", 0.0)?, number("norm_coefficient_post", 0.0)?);
    Op::new(s, move |cx| {
        let step = Step::new(cx, 4)?;
        let (rate, count) = (step.number(0)?, step.number(1)?);
        let rate = if count > 0.0 { rate * (1.0 - beta.powf(count)).sqrt() / (1.0 - alpha.powf(count)) } else { rate };
        let mut made = vec![];
        for i in 0..step.each {
            let (x, g, v, h) = (step.tensor(0, i)?, step.tensor(1, i)?, step.tensor(2, i)?, step.tensor(3, i)?);
            let g = x.multiply(norm)?.add(&g)?;
            let v = v.multiply(alpha)?.add(&g.multiply(1.0 - alpha)?)?;
            let h = h.multiply(beta)?.add(&g.square()?.multiply(1.0 - beta)?)?;
            let x = x.subtract(&v.divide(&h.sqrt()?.add(epsilon)?)?.multiply(rate)?)?;
            made.push([x.multiply(1.0 - after)?, v, h]);
        }
        give(cx, made);
        Ok(())
    })
    .infer(of_tensors)
    .done()
}

fn momentum(s: &Spec<'_>) -> Made {
    let number = |name, default| s.float(name, default).map(f64::from);
    let (alpha, beta, norm) = (number("alpha", 0.0)?, number("beta", 0.0)?, number("norm_coefficient", 0.0)?);
    let nesterov = s.word("mode", "standard", &["standard", "nesterov"])? == 1;
    Op::new(s, move |cx| {
        let step = Step::new(cx, 3)?;
        let (rate, count) = (step.number(0)?, step.number(1)?);
        let beta = if count > 0.0 { beta } else { 1.0 };
        let mut made = vec![];
        for i in 0..step.each {
            let (x, g, v) = (step.tensor(0, i)?, step.tensor(1, i)?, step.tensor(2, i)?);
            let g = x.multiply(norm)?.add(&g)?;
            let v = v.multiply(alpha)?.add(&g.multiply(beta)?)?;
            let change = if nesterov { g.add(&v.multiply(alpha)?)? } else { v.clone() };
            made.push([x.subtract(&change.multiply(rate)?)?, v]);
        }
        give(cx, made);
        Ok(())
    })
    .infer(of_tensors)
    .done()
}

/// New tensors, list by list.
fn give<const N: usize>(cx: &mut Run<'_>, made: Vec<[Array; N]>) {
    let each = made.len();
    for (i, lists) in made.into_iter().enumerate() {
        for (list, x) in lists.into_iter().enumerate() {
            cx.set(list * each + i, x);
        }
    }
}
