//! What a function takes: arrays and scalars.
use crate::{Array, Scalar};
use freelane_array::{ArrayData, DType};

/// One argument of an elementwise function.
#[derive(Clone, Copy)]
pub enum Operand<'a> {
    /// An array, borrowed.
    Array(&'a ArrayData),
    /// A scalar, whose dtype follows the arrays beside it.
    Scalar(Scalar),
}

impl<'a> From<&'a ArrayData> for Operand<'a> {
    fn from(a: &'a ArrayData) -> Self {
        Operand::Array(a)
    }
}

impl<'a> From<&'a Array> for Operand<'a> {
    #[inline]
    fn from(a: &'a Array) -> Self {
        Operand::Array(a.data())
    }
}

impl<S: Into<Scalar>> From<S> for Operand<'_> {
    fn from(s: S) -> Self {
        Operand::Scalar(s.into())
    }
}

impl Operand<'_> {
    /// Lengths of the axes; a scalar has none.
    #[inline]
    pub fn shape(&self) -> &[usize] {
        match self {
            Operand::Array(a) => a.layout().shape(),
            Operand::Scalar(_) => &[],
        }
    }
}

/// The common dtype of operands: arrays promote among themselves, scalars give way within their kind.
pub fn result_type(operands: &[Operand<'_>]) -> DType {
    let mut arrays = None;
    let mut scalars = None;
    for operand in operands {
        match operand {
            Operand::Array(a) => {
                arrays = Some(arrays.map_or(a.dtype(), |d| crate::promote_types(d, a.dtype())));
            }
            Operand::Scalar(s) => {
                let d = s.default_dtype();
                scalars = Some(scalars.map_or((d, *s), |(have, kept)| {
                    if crate::scalar::promote_scalars(have, d) == have { (have, kept) } else { (d, *s) }
                }));
            }
        }
    }
    match (arrays, scalars) {
        (Some(a), Some((_, s))) => crate::promote_scalar(a, s),
        (Some(a), None) => a,
        (None, Some((d, _))) => d,
        (None, None) => DType::F64,
    }
}
