//! Types of elements.
use super::given::{array, fact, known};
use super::{Op, Row, Spec, row};
use crate::Fault;
use freelane_array::{ArrayData, BytesError, DType};
use freelane_graph::{GraphError, Operator};
use freelane_ops::Array;
use std::sync::Arc;

pub(super) const ROWS: &[Row] = &[row("BitCast", 26, bit_cast), row("Cast", 6, cast), row("CastLike", 15, cast_like)];

/// An array in another type.
fn converted(x: &Array, dtype: DType) -> Result<Array, GraphError> {
    if x.dtype() == dtype { Ok(x.clone()) } else { Ok(x.astype(dtype)?) }
}

fn cast(spec: &Spec<'_>) -> Result<Arc<dyn Operator>, Fault> {
    // Of the types that are supported, none saturates or rounds up.
    spec.ignore("saturate");
    spec.ignore("round_mode");
    let to = spec.dtype("to")?.ok_or_else(|| Fault::Invalid("attribute to is missing".to_owned()))?;
    Op::new(spec, move |cx| {
        let y = converted(array(cx, 0)?, to)?;
        cx.set(0, y);
        Ok(())
    })
    .infer(move |facts, _| Ok(known(Some(to), fact(facts, 0).and_then(|f| f.shape.clone()))))
    .done()
}

fn cast_like(spec: &Spec<'_>) -> Result<Arc<dyn Operator>, Fault> {
    spec.ignore("saturate");
    spec.ignore("round_mode");
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
