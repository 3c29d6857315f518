//! Types of elements.
use super::given::{array, fact, known};
use super::{Op, Row, Spec, row};
use crate::narrow::{Narrow, Towards};
use crate::{DataType, Fault};
use freelane_array::{ArrayData, BytesError, DType};
use freelane_graph::{GraphError, Operator};
use freelane_ops::Array;
use std::sync::Arc;

pub(super) const ROWS: &[Row] = &[row("BitCast", 26, bit_cast), row("Cast", 6, cast), row("CastLike", 15, cast_like)];

/// What is asked of casts to narrow types: whether they saturate, and where powers of two are rounded to.
fn rounding(spec: &Spec<'_>) -> Result<(bool, Towards), Fault> {
    let towards = [Towards::Up, Towards::Down, Towards::Nearest];
    Ok((spec.flag("saturate", true)?, towards[spec.word("round_mode", "up", &["up", "down", "nearest"])?]))
}

/// A cast to a narrow type.
fn narrowed(spec: &Spec<'_>, to: &'static DataType, narrow: Narrow) -> Result<Arc<dyn Operator>, Fault> {
    let (saturate, towards) = rounding(spec)?;
    spec.makes.set(Some(to));
    Op::new(spec, move |cx| {
        cx.set(0, narrow.cast(array(cx, 0)?, saturate, towards)?);
        Ok(())
    })
    .infer(move |facts, _| Ok(known(Some(narrow.carrier()), fact(facts, 0).and_then(|f| f.shape.clone()))))
    .done()
}

/// An array in another type.
fn converted(x: &Array, dtype: DType) -> Result<Array, GraphError> {
    if x.dtype() == dtype { Ok(x.clone()) } else { Ok(x.astype(dtype)?) }
}

fn cast(spec: &Spec<'_>) -> Result<Arc<dyn Operator>, Fault> {
    let to = spec.data_type("to")?.ok_or_else(|| Fault::Invalid("attribute to is missing".to_owned()))?;
    if let Some(narrow) = to.narrow() {
        return narrowed(spec, to, narrow);
    }
    rounding(spec)?;
    let to = to.dtype()?;
    Op::new(spec, move |cx| {
        let y = converted(array(cx, 0)?, to)?;
        cx.set(0, y);
        Ok(())
    })
    .infer(move |facts, _| Ok(known(Some(to), fact(facts, 0).and_then(|f| f.shape.clone()))))
    .done()
}

fn cast_like(spec: &Spec<'_>) -> Result<Arc<dyn Operator>, Fault> {
    if let Some((to, narrow)) = spec.narrow(1).and_then(|ty| Some((ty, ty.narrow()?))) {
        return narrowed(spec, to, narrow);
    }
    rounding(spec)?;
    Op::new(spec, |cx| {
        let y = converted(array(cx, 0)?, cx.array(1)?.dtype())?;
        cx.set(0, y);
        Ok(())
    })
    .infer(|facts, _| Ok(known(fact(facts, 1).and_then(|f| f.dtype), fact(facts, 0).and_then(|f| f.shape.clone()))))
    .done()
}

fn bit_cast(spec: &Spec<'_>) -> Result<Arc<dyn Operator>, Fault> {
    let to = spec.dtype("to")?.ok_or_else(|| Fault::Invalid("attribute to is missing".to_owned()))?;
    Op::new(spec, move |cx| {
        let x = array(cx, 0)?.contiguous()?;
        let from = x.dtype();
        if from.size() != to.size() {
            return Err(GraphError::invalid(format!("{from} and {to} have different sizes")));
        }
        let bytes = x.data().as_bytes().unwrap_or_default();
        let layout = x.data().layout().to_contiguous();
        let y = ArrayData::from_bytes_with(to, layout, |memory| {
            memory.copy_from_slice(bytes);
            Ok::<_, BytesError>(())
        });
        cx.set(0, y.map_err(|e| GraphError::invalid(e.to_string()))?);
        Ok(())
    })
    .infer(move |facts, _| Ok(known(Some(to), fact(facts, 0).and_then(|f| f.shape.clone()))))
    .done()
}
