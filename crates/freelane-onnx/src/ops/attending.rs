//! Attention and what goes with it.
use super::{Body, Op, Row, Spec, row};
use crate::Fault;
use freelane_array::DType;
use freelane_graph::{Datum, Fact, GraphError, Operator, Run, State};
use freelane_nn::attention::{
    Attention, Inputs, LinearAttention, Rotary, Sequence, Stage, causal_conv, scores, weighted,
};
use freelane_nn::softmax::Lines;
use freelane_ops::Array;
use std::sync::Arc;

type Made = Result<Arc<dyn Operator>, Fault>;

pub(crate) const ROWS: &[Row] = &[
    row("Attention", 23, attention),
    row("RotaryEmbedding", 23, rotary),
    row("LinearAttention", 27, linear),
    row("CausalConvWithState", 27, causal),
    Row { domain: "ai.onnx.preview", name: "FlexAttention", since: 1, make: flex },
];

/// A count that stands for nothing if it is not there.
fn count(s: &Spec<'_>, name: &'static str) -> Result<usize, Fault> {
    let n = s.int(name, 0)?;
    usize::try_from(n).map_err(|_| Fault::Invalid(format!("attribute {name} is {n}")))
}

fn attention(s: &Spec<'_>) -> Made {
    let heads = [count(s, "q_num_heads")?, count(s, "kv_num_heads")?];
    let side = |name| -> Result<Option<usize>, Fault> { Ok(usize::try_from(s.int(name, -1)?).ok()) };
    let stages = [Stage::Products, Stage::Capped, Stage::Masked, Stage::Softmax];
    let mode = count(s, "qk_matmul_output_mode")?;
    let shown =
        *stages.get(mode).ok_or_else(|| Fault::Invalid(format!("attribute qk_matmul_output_mode is {mode}")))?;
    s.ignore("softmax_precision");
    let how = Attention {
        heads: (heads != [0, 0]).then_some(heads),
        scale: s.float_or_none("scale")?,
        softcap: s.float("softcap", 0.0)?,
        causal: s.flag("is_causal", false)?,
        window: [side("left_window_size")?, side("right_window_size")?],
        shown,
    };
    Op::new(s, move |cx| {
        let inputs = Inputs {
            q: cx.array(0)?,
            k: cx.array(1)?,
            v: cx.array(2)?,
            mask: cx.array_or_none(3)?,
            past_k: cx.array_or_none(4)?,
            past_v: cx.array_or_none(5)?,
            lengths: cx.array_or_none(6)?,
        };
        let made = how.call(cx.lane(), &inputs, cx.wants(3))?;
        cx.set(0, made.y);
        cx.set(1, made.k);
        cx.set(2, made.v);
        if let Some(scores) = made.scores {
            cx.set(3, scores);
        }
        Ok(())
    })
    .infer(|facts, outputs| {
        let dtype = |i: usize| facts.get(i).and_then(|f| f.as_ref()?.dtype);
        let of = |dtype| Fact { dtype, ..Fact::default() };
        let known = [of(dtype(0)), of(dtype(1)), of(dtype(2)), of(dtype(0))];
        Ok(known[..outputs.min(4)].to_vec())
    })
    .done()
}

fn rotary(s: &Spec<'_>) -> Made {
    let how = Rotary {
        heads: count(s, "num_heads")?,
        dim: count(s, "rotary_embedding_dim")?,
        interleaved: s.flag("interleaved", false)?,
    };
    Op::new(s, move |cx| {
        let y = how.call(cx.lane(), cx.array(0)?, cx.array(1)?, cx.array(2)?, cx.array_or_none(3)?)?;
        cx.set(0, y);
        Ok(())
    })
    .like_input()
    .done()
}

fn linear(s: &Spec<'_>) -> Made {
    let rule = s.word("update_rule", "gated_delta", &["linear", "gated", "delta", "gated_delta"])?;
    s.ignore("chunk_size");
    let how = LinearAttention {
        heads: [count(s, "q_num_heads")?, count(s, "kv_num_heads")?],
        scale: s.float_or_none("scale")?,
        gated: rule % 2 == 1,
        delta: rule >= 2,
    };
    Op::new(s, move |cx| {
        let inputs = Sequence {
            q: cx.array(0)?,
            k: cx.array(1)?,
            v: cx.array(2)?,
            state: cx.array_or_none(3)?,
            decay: cx.array_or_none(4)?,
            beta: cx.array_or_none(5)?,
        };
        let (y, state) = how.call(cx.lane(), &inputs)?;
        cx.set(0, y);
        cx.set(1, state);
        Ok(())
    })
    .done()
}

fn causal(s: &Spec<'_>) -> Made {
    let silu = s.word("activation", "none", &["none", "silu", "swish"])? > 0;
    Op::new(s, move |cx| {
        let (bias, past) = (cx.array_or_none(2)?, cx.array_or_none(3)?);
        let (y, state) = causal_conv(cx.lane(), cx.array(0)?, cx.array(1)?, bias, past, silu)?;
        cx.set(0, y);
        cx.set(1, state);
        Ok(())
    })
    .of_input_dtype()
    .done()
}

/// Scores through a graph of the node's own.
fn modified(cx: &Run<'_>, body: &Option<Body>, x: Datum, dtype: DType) -> Result<Datum, GraphError> {
    let Some(body) = body else { return Ok(x) };
    let made = body.run(cx, &mut State::default(), vec![x])?;
    let array = made.first().and_then(Datum::array).ok_or_else(|| GraphError::invalid("a body that makes no array"))?;
    Ok(Array::from(array.clone()).astype(dtype)?.into())
}

fn flex(s: &Spec<'_>) -> Made {
    let body = |name| {
        let there = s.bodies.iter().any(|(n, _)| *n == name);
        if there { s.body(name).map(Some) } else { Ok(None) }
    };
    let (score, weight) = (body("score_mod")?, body("prob_mod")?);
    let (scale, precision) = (s.float_or_none("scale")?, s.dtype("softmax_precision")?);
    Op::new(s, move |cx| {
        let (q, k, v) = (cx.array(0)?, cx.array(1)?, cx.array(2)?);
        let own = if q.dtype() == DType::F64 { DType::F64 } else { DType::F32 };
        let dtype = precision.unwrap_or(own);
        let products = Array::from(scores(cx.lane(), q, k, v, scale)?).astype(dtype)?;
        let bent = modified(cx, &score, products.into(), dtype)?;
        let bent = bent.array().ok_or_else(|| GraphError::invalid("scores that are no array"))?;
        let rank = bent.layout().rank();
        let weights = Lines::Softmax.call(cx.lane(), "FlexAttention", bent, rank.saturating_sub(1)..rank)?;
        let weights = modified(cx, &weight, weights.into(), dtype)?;
        let weights = weights.array().ok_or_else(|| GraphError::invalid("weights that are no array"))?;
        let y = weighted(cx.lane(), weights, v)?;
        cx.set(0, Array::from(y).astype(v.dtype())?);
        Ok(())
    })
    .of_input_dtype()
    .done()
}
