//! Floats as small integers, and products of those.
use super::given::{array, axis_of, fact};
use super::layers::{groups, sliding};
use super::{Op, Row, Spec, row};
use crate::narrow::{Narrow, Towards};
use crate::{DataType, Fault};
use freelane_array::{DType, Index, Slice};
use freelane_graph::{Fact, GraphError, Operator, Run};
use freelane_nn::bytes::ByteMatrix;
use freelane_nn::conv_bytes::ByteKernels;
use freelane_nn::quant::{self, Quantized, Shared};
use freelane_ops::{Array, OpsError};
use freelane_sync::OnceTable;
use std::sync::Arc;

type Made = Result<Arc<dyn Operator>, Fault>;

pub(crate) const ROWS: &[Row] = &[
    row("QuantizeLinear", 10, quantize),
    row("DequantizeLinear", 10, dequantize),
    row("DynamicQuantizeLinear", 11, dynamic),
    row("MatMulInteger", 10, matmul_integer),
    row("ConvInteger", 10, conv_integer),
    row("QLinearMatMul", 10, |s| {
        Op::new(s, |cx| {
            let a = Quantized { x: cx.array(0)?, scale: cx.array(1)?, zero: Some(cx.array(2)?) };
            let b = Quantized { x: cx.array(3)?, scale: cx.array(4)?, zero: Some(cx.array(5)?) };
            let y = quant::matmul(&a, &b, (cx.array(6)?, cx.array(7)?))?;
            cx.set(0, y);
            Ok(())
        })
        .infer(of_zero_dtype)
        .done()
    }),
    row("QLinearConv", 10, conv_quantized),
];

/// The output has the type of input 7, its zero point.
fn of_zero_dtype(facts: &[Option<&Fact>], outputs: usize) -> Result<Vec<Fact>, GraphError> {
    let dtype = fact(facts, 7).and_then(|f| f.dtype);
    Ok(vec![Fact { dtype, ..Fact::default() }; outputs])
}

/// Which elements share a scale.
fn shared(s: &Spec<'_>) -> Result<Shared, Fault> {
    let block = s.int("block_size", 0)?;
    let block = usize::try_from(block).map_err(|_| Fault::Invalid(format!("attribute block_size is {block}")))?;
    Ok(Shared { axis: s.int("axis", 1)?, block })
}

/// The type that an attribute names; nothing if it is 0.
fn type_of(s: &Spec<'_>, name: &'static str) -> Result<Option<DType>, Fault> {
    if s.int(name, 0)? == 0 { Ok(None) } else { s.dtype(name) }
}

fn like(dtype: Option<DType>) -> impl Fn(&[Option<&Fact>], usize) -> Result<Vec<Fact>, GraphError> + Send + Sync {
    move |facts, outputs| {
        let shape = facts.first().and_then(|f| f.as_ref()?.shape.clone());
        Ok(vec![Fact { dtype, shape, constant: None }; outputs])
    }
}

/// Scales or zero points, stretched to the array that they belong to.
fn spread(s: &Array, x: &[usize], shared: Shared) -> Result<Array, GraphError> {
    if s.len() == 1 && (s.rank() < 2 || shared.block == 0) {
        return Ok(s.reshape(&[])?);
    }
    let axis = axis_of(shared.axis, x.len())?;
    if shared.block == 0 {
        let mut shape = vec![1isize; x.len()];
        shape[axis] = s.len() as isize;
        return Ok(s.reshape(&shape)?);
    }
    let mut index: Vec<Index> = vec![Slice::all().into(); axis];
    index.push(Slice { start: None, stop: Some(x[axis] as isize), step: 1 }.into());
    Ok(s.repeat(shared.block, axis as isize)?.index(&index)?)
}

/// Floats as elements of a narrow type.
fn quantize_narrow(s: &Spec<'_>, ty: &'static DataType, narrow: Narrow, shared: Shared) -> Made {
    let saturate = s.flag("saturate", true)?;
    type_of(s, "precision")?;
    s.ignore("output_dtype");
    s.makes.set(Some(ty));
    Op::new(s, move |cx| {
        let zero = cx.array_or_none(2)?;
        if let Some((low, high)) = narrow.range() {
            let y = quant::quantize(cx.lane(), cx.array(0)?, cx.array(1)?, zero, narrow.carrier(), shared)?;
            cx.set(0, Array::from(y).clip(Some(low.into()), Some(high.into()))?);
            return Ok(());
        }
        let x = array(cx, 0)?;
        let mut y = x.astype(DType::F64)?.divide(&spread(array(cx, 1)?, x.shape(), shared)?.astype(DType::F64)?)?;
        if let Some(zero) = zero {
            y = y.add(&spread(Array::of(zero), x.shape(), shared)?)?;
        }
        cx.set(0, narrow.cast(&y, saturate, Towards::Nearest)?);
        Ok(())
    })
    .infer(like(Some(narrow.carrier())))
    .done()
}

/// Elements of a narrow floating-point type as floats.
fn dequantize_floats(s: &Spec<'_>, shared: Shared, wanted: Option<DType>) -> Made {
    let dtype = wanted.or(s.fact(1).and_then(|f| f.dtype));
    Op::new(s, move |cx| {
        let (x, scale) = (array(cx, 0)?, array(cx, 1)?);
        let mut y = x.clone();
        if let Some(zero) = cx.array_or_none(2)? {
            y = y.subtract(&spread(Array::of(zero), x.shape(), shared)?)?;
        }
        let y = y.multiply(&spread(scale, x.shape(), shared)?)?;
        cx.set(0, y.astype(wanted.unwrap_or(scale.dtype()))?);
        Ok(())
    })
    .infer(like(dtype))
    .done()
}

fn quantize(s: &Spec<'_>) -> Made {
    let named = match s.int("output_dtype", 0)? {
        0 => None,
        code => Some(DataType::of(code)?),
    };
    if let Some((ty, narrow)) = s.narrow(2).or(named).and_then(|ty| Some((ty, ty.narrow()?))) {
        return quantize_narrow(s, ty, narrow, shared(s)?);
    }
    let (shared, wanted) = (shared(s)?, type_of(s, "output_dtype")?);
    type_of(s, "precision")?;
    s.ignore("saturate");
    let dtype = match s.fact(2) {
        Some(zero) => zero.dtype,
        None => Some(wanted.unwrap_or(DType::U8)),
    };
    Op::new(s, move |cx| {
        let zero = cx.array_or_none(2)?;
        let dtype = zero.map_or(wanted.unwrap_or(DType::U8), |z| z.dtype());
        let y = quant::quantize(cx.lane(), cx.array(0)?, cx.array(1)?, zero, dtype, shared)?;
        cx.set(0, y);
        Ok(())
    })
    .infer(like(dtype))
    .done()
}

fn dequantize(s: &Spec<'_>) -> Made {
    let (shared, wanted) = (shared(s)?, type_of(s, "output_dtype")?);
    if s.narrow(0).and_then(DataType::narrow).is_some_and(|n| n.range().is_none()) {
        return dequantize_floats(s, shared, wanted);
    }
    let dtype = wanted.or(s.fact(1).and_then(|f| f.dtype));
    Op::new(s, move |cx| {
        let scale = cx.array(1)?;
        let dtype = wanted.unwrap_or(scale.dtype());
        let y = quant::dequantize(cx.lane(), cx.array(0)?, scale, cx.array_or_none(2)?, dtype, shared)?;
        cx.set(0, y);
        Ok(())
    })
    .infer(like(dtype))
    .done()
}

fn dynamic(s: &Spec<'_>) -> Made {
    Op::new(s, |cx| {
        let made = quant::quantize_dynamic(cx.lane(), cx.array(0)?)?;
        made.into_iter().enumerate().for_each(|(i, x)| cx.set(i, x));
        Ok(())
    })
    .infer(|facts, _| {
        let shape = facts.first().and_then(|f| f.as_ref()?.shape.clone());
        let y = Fact { dtype: Some(DType::U8), shape, constant: None };
        Ok(vec![y, Fact::known(DType::F32, &[]), Fact::known(DType::U8, &[])])
    })
    .done()
}

/// The product of integers. A constant right operand is packed once for all lanes.
fn matmul_integer(s: &Spec<'_>) -> Made {
    let constant = s.constant(1).is_some_and(|b| b.layout().rank() == 2);
    // LEDGER: the node; written once, then read by all lanes
    let packed: Arc<OnceTable<ByteMatrix>> = Arc::new(OnceTable::new());
    let held = packed.clone();
    Op::new(s, move |cx| {
        let (a, b) = (cx.array(0)?, cx.array(1)?);
        let (a_zero, b_zero) = (cx.array_or_none(2)?, cx.array_or_none(3)?);
        let plain = a.layout().rank() > 0 && b.layout().rank() == 2;
        let few = a_zero.is_none_or(|z| z.layout().len() == 1) && b_zero.is_none_or(|z| z.layout().rank() < 2);
        if !plain || !few {
            let y = quant::matmul_integer(a, b, a_zero, b_zero)?;
            cx.set(0, y);
            return Ok(());
        }
        let y = if constant {
            packed.get_or_try_init(|| ByteMatrix::pack(b))?.multiply(cx.lane(), a, a_zero, b_zero)?
        } else {
            ByteMatrix::pack(b)?.multiply(cx.lane(), a, a_zero, b_zero)?
        };
        cx.set(0, y);
        Ok(())
    })
    .holding(move || held.get().map_or(0, ByteMatrix::nbytes))
    .of_dtype(DType::I32)
    .done()
}

/// The weights of a convolution of bytes: packed once, for all lanes, if they are constant.
struct Weights {
    input: usize,
    groups: usize,
    packed: Option<ByteKernels>,
}

impl Weights {
    fn new(s: &Spec<'_>, input: usize) -> Result<Weights, Fault> {
        let groups = groups(s)?;
        // Weights that do not fit are told of when they meet an image.
        let packed = s.constant(input).and_then(|w| ByteKernels::pack(w, groups).ok());
        Ok(Weights { input, groups, packed })
    }

    fn nbytes(&self) -> usize {
        self.packed.as_ref().map_or(0, ByteKernels::nbytes)
    }

    fn with<R>(&self, cx: &Run<'_>, f: impl FnOnce(&ByteKernels) -> Result<R, OpsError>) -> Result<R, GraphError> {
        match &self.packed {
            Some(packed) => Ok(f(packed)?),
            None => Ok(f(&ByteKernels::pack(cx.array(self.input)?, self.groups)?)?),
        }
    }
}

fn conv_integer(s: &Spec<'_>) -> Made {
    let (sliding, weights) = (sliding(s)?, Weights::new(s, 1)?);
    let held = weights.nbytes();
    Op::new(s, move |cx| {
        let (x, zero, w_zero) = (cx.array(0)?, cx.array_or_none(2)?, cx.array_or_none(3)?);
        let y = weights.with(cx, |w| w.exact(cx.lane(), x, zero, w_zero, &sliding))?;
        cx.set(0, y);
        Ok(())
    })
    .holding(move || held)
    .of_dtype(DType::I32)
    .done()
}

fn conv_quantized(s: &Spec<'_>) -> Made {
    let (sliding, weights) = (sliding(s)?, Weights::new(s, 3)?);
    let held = weights.nbytes();
    Op::new(s, move |cx| {
        let x = Quantized { x: cx.array(0)?, scale: cx.array(1)?, zero: Some(cx.array(2)?) };
        let (w, y) = ((cx.array(4)?, Some(cx.array(5)?)), (cx.array(6)?, cx.array(7)?));
        let bias = cx.array_or_none(8)?;
        let y = weights.with(cx, |kernels| kernels.rescaled(cx.lane(), &x, w, bias, y, &sliding))?;
        cx.set(0, y);
        Ok(())
    })
    .holding(move || held)
    .infer(of_zero_dtype)
    .done()
}
