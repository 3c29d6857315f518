//! Conversion between types as an operator, which groups of elementwise functions take in.
use crate::{Fact, GraphError, Operator, Run};
use freelane_array::DType;
use freelane_ops::Array;

/// The elements of its input in another type.
pub struct Cast(pub DType);

impl Operator for Cast {
    fn name(&self) -> &str {
        "astype"
    }

    fn infer(&self, inputs: &[Option<&Fact>], _: usize) -> Result<Vec<Fact>, GraphError> {
        let shape = inputs.first().copied().flatten().and_then(|f| f.shape.clone());
        Ok(vec![Fact { dtype: Some(self.0), shape, constant: None }])
    }

    fn run(&self, cx: &mut Run<'_>) -> Result<(), GraphError> {
        let converted = Array::of(cx.array(0)?).astype(self.0)?;
        cx.set(0, converted);
        Ok(())
    }

    fn cast(&self) -> Option<DType> {
        Some(self.0)
    }

    fn key(&self) -> Option<String> {
        Some(self.0.name().to_owned())
    }
}
