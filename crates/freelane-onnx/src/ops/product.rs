//! Products of matrices and what is written with them.
use super::given::{array, fact, known};
use super::{Op, Row, Spec, row};
use crate::Fault;
use freelane_array::{ArrayData, DType};
use freelane_graph::{Dim, Fact, GraphError, Operator, Run, broadcast_dims};
use freelane_nn::dense::Dense;
use freelane_ops::{Operand, UFunc, einsum, matmul, ufuncs as u};
use std::sync::Arc;

pub(super) const ROWS: &[Row] =
    &[row("Det", 11, det), row("Einsum", 12, sums), row("Gemm", 1, gemm), row("MatMul", 1, product)];

/// The shape of a product.
fn product_dims(a: &[Dim], b: &[Dim]) -> Result<Vec<Dim>, GraphError> {
    let (Some(k), Some(rows)) = (a.last(), b.len().checked_sub(2).map_or(b.last(), |i| b.get(i))) else {
        return Err(GraphError::invalid("an operand without axes"));
    };
    if let (Some(k), Some(rows)) = (k.known(), rows.known())
        && k != rows
    {
        return Err(GraphError::invalid(format!("the first operand has {k} columns, the second {rows} rows")));
    }
    let batch = broadcast_dims(&[&a[..a.len().saturating_sub(2)], &b[..b.len().saturating_sub(2)]]);
    let mut shape = batch.ok_or_else(|| GraphError::invalid("the axes before the last two do not fit"))?;
    shape.extend((a.len() > 1).then(|| a[a.len() - 2].clone()));
    shape.extend((b.len() > 1).then(|| b[b.len() - 1].clone()));
    Ok(shape)
}

/// A product with weights that are the same in every run.
pub(crate) struct Packed {
    /// What it computes.
    pub dense: Dense,
    name: &'static str,
}

/// The product as one with packed weights, if its weights and bias are constants of `f32`.
fn packed(
    spec: &Spec<'_>,
    name: &'static str,
    scales: [f32; 2],
    [turn_x, turn_weights]: [bool; 2],
) -> Result<Option<Packed>, Fault> {
    let bias = match (spec.has(2), spec.constant(2)) {
        (true, None) => return Ok(None),
        (_, bias) => bias,
    };
    let Some(weights) = spec.constant(1) else { return Ok(None) };
    let singles = spec.fact(0).is_some_and(|x| x.dtype == Some(DType::F32) && x.rank().is_some_and(|rank| rank >= 2));
    if scales != [1.0; 2] || turn_x || !singles || weights.layout().rank() != 2 {
        return Ok(None);
    }
    let turned = weights.layout().reverse_axes();
    let weights = if turn_weights { weights.with_layout(turned)? } else { weights.clone() };
    let dense = Dense::new(&weights, bias)?;
    if dense.is_some() {
        spec.reads.set(1);
    }
    Ok(dense.map(|dense| Packed { dense, name }))
}

impl Operator for Packed {
    fn name(&self) -> &str {
        self.name
    }

    fn infer(&self, facts: &[Option<&Fact>], _: usize) -> Result<Vec<Fact>, GraphError> {
        let weights = [self.dense.rows(), self.dense.columns()].map(Dim::Known);
        let x = fact(facts, 0).and_then(|x| x.shape.as_deref());
        Ok(known(Some(DType::F32), x.map(|x| product_dims(x, &weights)).transpose()?))
    }

    fn held_bytes(&self) -> usize {
        self.dense.nbytes()
    }

    fn absorb(&self, f: &'static UFunc, with: Option<&ArrayData>, _: bool) -> Option<Arc<dyn Operator>> {
        let dense = match (f.name, with) {
            ("relu", None) => self.dense.clone().with_relu(),
            // A bias with more axes than the product would add axes to the result.
            ("add", Some(bias)) if bias.layout().rank() == 1 => self.dense.with_bias(bias).ok().flatten()?,
            _ => return None,
        };
        Some(Arc::new(Packed { dense, name: self.name }))
    }

    fn run(&self, cx: &mut Run<'_>) -> Result<(), GraphError> {
        let y = self.dense.run(cx.lane(), cx.array(0)?)?;
        cx.set(0, y);
        Ok(())
    }
}

fn product(spec: &Spec<'_>) -> Result<Arc<dyn Operator>, Fault> {
    if let Some(dense) = packed(spec, "MatMul", [1.0; 2], [false; 2])? {
        return Ok(Arc::new(dense));
    }
    Op::new(spec, |cx| {
        let y = matmul(cx.lane(), cx.array(0)?, cx.array(1)?)?;
        cx.set(0, y);
        Ok(())
    })
    .infer(|facts, _| {
        let [a, b] = [0, 1].map(|i| fact(facts, i).cloned().unwrap_or_default());
        let shape = match (a.shape, b.shape) {
            (Some(a), Some(b)) => Some(product_dims(&a, &b)?),
            _ => None,
        };
        Ok(known(a.dtype, shape))
    })
    .done()
}

fn gemm(spec: &Spec<'_>) -> Result<Arc<dyn Operator>, Fault> {
    spec.ignore("broadcast");
    let (alpha, beta) = (spec.float("alpha", 1.0)?, spec.float("beta", 1.0)?);
    let turned = [spec.flag("transA", false)?, spec.flag("transB", false)?];
    if let Some(dense) = packed(spec, "Gemm", [alpha, beta], turned)? {
        return Ok(Arc::new(dense));
    }
    Op::new(spec, move |cx| {
        let operand = |i: usize| -> Result<_, GraphError> {
            let x = cx.array(i)?;
            if x.layout().rank() != 2 {
                return Err(GraphError::invalid(format!("operand {i} must have two axes, not {}", x.layout().rank())));
            }
            Ok(if turned[i] { x.with_layout(x.layout().reverse_axes())? } else { x.clone() })
        };
        let mut y = matmul(cx.lane(), &operand(0)?, &operand(1)?)?;
        let dtype = y.dtype();
        let scaled = |x: &freelane_array::ArrayData, by: f32| -> Result<_, GraphError> {
            let by = if dtype.is_inexact() { f64::from(by).into() } else { (by as i64).into() };
            Ok(u::MULTIPLY.call(cx.lane(), &[Operand::Array(x), Operand::Scalar(by)])?)
        };
        if alpha != 1.0 {
            y = scaled(&y, alpha)?;
        }
        if let Some(c) = cx.array_or_none(2)? {
            let c = if beta == 1.0 { None } else { Some(scaled(c, beta)?) };
            let c = c.as_ref().map_or_else(|| cx.array(2), Ok)?;
            y = u::ADD.call(cx.lane(), &[Operand::Array(&y), Operand::Array(c)])?;
        }
        cx.set(0, y);
        Ok(())
    })
    .infer(move |facts, _| {
        let [a, b] = [0, 1].map(|i| fact(facts, i).cloned().unwrap_or_default());
        let side = |f: &Fact, turned: bool| {
            let mut shape = f.shape.clone().filter(|s| s.len() == 2)?;
            if turned {
                shape.reverse();
            }
            Some(shape)
        };
        let shape = match (side(&a, turned[0]), side(&b, turned[1])) {
            (Some(a), Some(b)) => Some(product_dims(&a, &b)?),
            _ => None,
        };
        Ok(known(a.dtype, shape))
    })
    .done()
}

fn sums(spec: &Spec<'_>) -> Result<Arc<dyn Operator>, Fault> {
    let equation: String = spec.text("equation", "")?.chars().filter(|c| !c.is_whitespace()).collect();
    Op::new(spec, move |cx| {
        let arrays = (0..cx.len()).map(|i| array(cx, i)).collect::<Result<Vec<_>, _>>()?;
        let y = einsum(&equation, &arrays)?;
        cx.set(0, y);
        Ok(())
    })
    .of_input_dtype()
    .done()
}

fn det(spec: &Spec<'_>) -> Result<Arc<dyn Operator>, Fault> {
    Op::new(spec, |cx| {
        let x = array(cx, 0)?;
        let dtype = x.dtype();
        let y = freelane_linalg::det(x)?;
        cx.set(0, if matches!(dtype, DType::F16 | DType::BF16) { y.astype(dtype)? } else { y });
        Ok(())
    })
    .of_input_dtype()
    .done()
}
