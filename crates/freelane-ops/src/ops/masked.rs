//! Elements under a mask of the whole array, where both lie in row-major order.
use super::indexing::IndexItem;
use super::positions::{Mask, Shared};
use crate::scalar::Element16;
use crate::ufunc::{finish, uninit};
use crate::{Array, InOp, OpsError};
use freelane_array::{ArrayData, ArrayError, DType, Layout};
use freelane_kernels::moves::{compress_loop, fill_loop};
use freelane_pool::Lane;

/// The mask, if the index is one of the array's shape and the elements lie side by side.
pub(crate) fn whole<'a>(x: &Array, items: &'a [IndexItem]) -> Option<&'a Array> {
    match items {
        [IndexItem::Bools(mask)] if mask.dtype() == DType::Bool && mask.shape() == x.shape() && x.rank() > 0 => {
            x.data().layout().is_contiguous().then_some(mask)
        }
        _ => None,
    }
}

/// The elements of `x` where the mask is true.
pub(crate) fn compress(lane: &Lane, op: &'static str, x: &ArrayData, mask: &Mask) -> Result<ArrayData, OpsError> {
    let (layout, size) = (Layout::contiguous(&[mask.count()]).in_op(op)?, x.dtype().size());
    let mut buffer = uninit(lane, &layout, x.dtype(), op)?;
    let (run, out) = (compress_loop(size), Shared(buffer.as_mut_ptr()));
    mask.for_each_piece(lane, op, |piece, at, places| {
        let (from, to) = (x.as_ptr().wrapping_add(at * size), out.at(places.start * size));
        // SAFETY: `x` is contiguous with the mask's shape; the piece's true elements, counted, have these places alone.
        unsafe { run(piece, from, to, places.len(), size) };
    })?;
    // SAFETY: there is a place for each true element, and each was written.
    Ok(unsafe { finish(buffer, x.dtype(), layout) })
}

/// Writes one element wherever the mask is true.
pub(crate) fn fill(
    lane: &Lane,
    op: &'static str,
    x: &mut ArrayData,
    mask: &Mask,
    value: &Element16,
) -> Result<(), OpsError> {
    let size = x.dtype().size();
    let (run, out) = (fill_loop(size), Shared(x.as_mut_ptr().ok_or(ArrayError::NotUnique).in_op(op)?));
    mask.for_each_piece(lane, op, |piece, at, _| {
        // SAFETY: `x` is contiguous with the mask's shape and owns its storage; pieces are disjoint.
        unsafe { run(piece, value.0.as_ptr(), out.at(at * size), size) };
    })
}
