//! Writing into an array that exists.
use crate::{InOp, Operand, OpsError, can_cast_same_kind, operand, ops::astype};
use freelane_array::{ArrayData, ArrayError, DType, Index, Layout, broadcast_shapes};
use freelane_pool::Lane;

const OP: &str = "assign";

/// Gives the array storage that it owns alone, copying if it shares what it has.
pub(crate) fn make_unique(lane: &Lane, x: &mut ArrayData, op: &'static str) -> Result<(), OpsError> {
    if x.as_mut_ptr().is_none() {
        *x = astype::copy(lane, x, op)?;
    }
    Ok(())
}

/// Writes `value`, broadcast, to all elements of `x`, which first takes a copy of its own if it shares its storage.
///
/// # Errors
/// When the shapes do not broadcast or the type of `x` cannot hold the value's without loss of kind.
pub fn assign(lane: &Lane, x: &mut ArrayData, value: Operand<'_>) -> Result<(), OpsError> {
    assign_part(lane, x, &[], value)
}

/// Whether `value` may be written to an array of `dtype`; the type to read it in.
pub(crate) fn check_kind(op: &'static str, value: Operand<'_>, dtype: DType) -> Result<DType, OpsError> {
    let read = operand::result_type(std::slice::from_ref(&value));
    let is_scalar = matches!(value, Operand::Scalar(_));
    let lossy_scalar = is_scalar && read.is_integer() && (dtype.is_integer() || dtype == DType::Bool);
    if !lossy_scalar && !can_cast_same_kind(read, dtype) {
        return Err(OpsError::Output { op, result: read, out: dtype });
    }
    // A scalar is read in the array's own type, so that one out of range is an error and not a wrapped number.
    Ok(if is_scalar { dtype } else { read })
}

/// A value's layout broadcast to the shape it is written to; axes of length 1 may be too many in front.
pub(crate) fn broadcast_to(value: &Layout, shape: &[usize]) -> Result<Layout, ArrayError> {
    let mut layout = value.clone();
    while layout.rank() > shape.len() && layout.shape()[0] == 1 {
        layout = layout.squeeze(0)?;
    }
    layout.broadcast_to(shape).map_err(|_| {
        let (from, to) = (value.shape().to_vec(), shape.to_vec());
        broadcast_shapes([shape, value.shape()]).err().unwrap_or(ArrayError::NotBroadcastable { from, to })
    })
}

/// Writes `value` to the part of `x` that `index` selects.
pub(crate) fn assign_part(lane: &Lane, x: &mut ArrayData, index: &[Index], value: Operand<'_>) -> Result<(), OpsError> {
    let dtype = x.dtype();
    let read = check_kind(OP, value, dtype)?;
    let part = x.layout().index(index).in_op(OP)?;
    let wide;
    let value = match value {
        Operand::Array(a) => {
            wide = broadcast_to(a.layout(), part.shape()).and_then(|l| a.with_layout(l)).in_op(OP)?;
            Operand::Array(&wide)
        }
        scalar => scalar,
    };
    make_unique(lane, x, OP)?;
    // The copy may have other strides than the array had.
    let part = x.layout().index(index).in_op(OP)?;
    let first = x.layout().offset();
    let base = x.as_mut_ptr().ok_or(ArrayError::NotUnique).in_op(OP)?;
    let out = base.wrapping_offset((part.offset() as isize - first as isize) * dtype.size() as isize);
    // SAFETY: `x` alone owns its storage and its layout is injective; `part` selects elements of it.
    unsafe { astype::write(lane, OP, value, read, out, &part, dtype) }
}
