//! Writing into an array that exists.
use crate::{InOp, Operand, OpsError, can_cast_same_kind, operand, ops::astype};
use freelane_array::{ArrayData, ArrayError, Index, broadcast_shapes};
use freelane_pool::Lane;

const OP: &str = "assign";

/// Gives the array storage that it owns alone, copying if it shares what it has.
pub(crate) fn make_unique(lane: &Lane, x: &mut ArrayData, op: &'static str) -> Result<(), OpsError> {
    if x.as_mut_ptr().is_none() {
        *x = astype::copy(lane, x, op)?;
    }
    Ok(())
}

/// Writes `value` to all elements of `x`.
pub(crate) fn assign(lane: &Lane, x: &mut ArrayData, value: Operand<'_>) -> Result<(), OpsError> {
    assign_part(lane, x, &[], value)
}

/// Writes `value` to the part of `x` that `index` selects.
pub(crate) fn assign_part(lane: &Lane, x: &mut ArrayData, index: &[Index], value: Operand<'_>) -> Result<(), OpsError> {
    let read = operand::result_type(std::slice::from_ref(&value));
    let dtype = x.dtype();
    let lossy_scalar = matches!(value, Operand::Scalar(_)) && dtype.is_integer() && read.is_integer();
    if !lossy_scalar && !can_cast_same_kind(read, dtype) {
        return Err(OpsError::Output { op: OP, result: read, out: dtype });
    }
    let part = x.layout().index(index).in_op(OP)?;
    let shape = broadcast_shapes([part.shape(), value.shape()]).in_op(OP)?;
    if shape[..] != *part.shape() {
        let (from, to) = (value.shape().to_vec(), part.shape().to_vec());
        return Err(ArrayError::NotBroadcastable { from, to }).in_op(OP);
    }
    make_unique(lane, x, OP)?;
    // The copy may have other strides than the array had.
    let part = x.layout().index(index).in_op(OP)?;
    let first = x.layout().offset();
    let base = x.as_mut_ptr().ok_or(ArrayError::NotUnique).in_op(OP)?;
    let out = base.wrapping_offset((part.offset() as isize - first as isize) * dtype.size() as isize);
    // A scalar is read in the array's own type, so that one out of range is an error and not a wrapped number.
    let read = if matches!(value, Operand::Scalar(_)) { dtype } else { read };
    // SAFETY: `x` alone owns its storage and its layout is injective; `part` selects elements of it.
    unsafe { astype::write(lane, OP, value, read, out, &part, dtype) }
}
