//! Elements of an array of one axis by number: the short way of [`transfer`](super::transfer), without a plan.
use super::indexing::IndexItem;
use super::selection::Term;
use super::transfer::{Pieces, Values, outside};
use crate::ufunc::{finish, uninit};
use crate::{Array, InOp, OpsError};
use freelane_array::{ArrayData, ArrayError, DType};
use freelane_kernels::moves::{LineLoop, all_inside, gather_line, scatter_line};
use freelane_pool::Lane;
use freelane_sync::OnceTable;

/// Estimated nanoseconds an element.
const COST: f64 = 1.5;

/// The index of an array of one axis, if it is one array of numbers side by side.
pub(crate) fn of<'a>(x: &Array, items: &'a [IndexItem]) -> Option<&'a Array> {
    match items {
        [IndexItem::Ints(indices)] if indices.rank() > 0 && fits(x, indices) => Some(indices),
        _ => None,
    }
}

/// Whether elements of `x` with these numbers move the short way.
pub(crate) fn fits(x: &Array, indices: &Array) -> bool {
    let simple = matches!(indices.dtype(), DType::I64 | DType::I32) && indices.data().layout().is_contiguous();
    simple && x.rank() == 1 && !x.is_empty() && !indices.is_empty()
}

/// The elements with these numbers.
pub(crate) fn get(lane: &Lane, op: &'static str, x: &ArrayData, indices: &ArrayData) -> Result<ArrayData, OpsError> {
    let size = x.dtype().size();
    let close;
    let x = if is_spread_out(x, indices.layout().len()) {
        close = super::astype::copy(lane, x, op)?;
        &close
    } else {
        x
    };
    let layout = indices.layout().to_contiguous();
    let mut buffer = uninit(lane, &layout, x.dtype(), op)?;
    let line = Line::new(x, indices, x.as_ptr().cast_mut(), buffer.as_mut_ptr(), size as isize);
    let Some(run) = (if line.wide { gather_line::<i64>(size) } else { gather_line::<i32>(size) }) else {
        unreachable!("no element of {size} bytes")
    };
    let (n, failed) = (layout.len(), OnceTable::new());
    let cost = (n as f64 * COST) as u64;
    let pieces = Pieces::new(n, lane.pieces(cost));
    let done = lane.try_par_for(pieces.count(), cost, &|_, i| {
        if !line.run(run, pieces.at(i)) {
            failed.get_or_init(|| ());
        }
    });
    if failed.get().is_some() {
        return Err(outside(op, &[term(x, indices)]));
    }
    done.in_op(op)?;
    // SAFETY: every element was written, since every index lies inside of the axis.
    Ok(unsafe { finish(buffer, x.dtype(), layout) })
}

/// Bytes that a line may take up without harm: half of what a second-level cache holds.
const CLOSE: usize = 1 << 18;

/// Whether elements with gaps between them had better be put together before so many are taken, so that more of them fit a cache.
fn is_spread_out(x: &ArrayData, taken: usize) -> bool {
    let (n, step) = (x.layout().len(), x.layout().strides()[0].unsigned_abs());
    step > 1 && taken >= n && n.saturating_mul(step).saturating_mul(x.dtype().size()) > CLOSE
}

/// Writes values to the elements with these numbers, or gives the values back if that takes the long way. `x` owns its
/// storage alone.
pub(crate) fn set(
    lane: &Lane,
    op: &'static str,
    x: &mut ArrayData,
    indices: &ArrayData,
    values: Values,
) -> Result<Option<Values>, OpsError> {
    let (size, len) = (x.dtype().size(), x.layout().len());
    let (from, stride) = match &values {
        Values::One(element) => (element.0.as_ptr(), 0),
        Values::Many(array) if array.shape() == indices.layout().shape() && array.data().layout().is_contiguous() => {
            (array.data().as_ptr(), size as isize)
        }
        Values::Many(_) => return Ok(Some(values)),
    };
    let inside = match indices.dtype() {
        DType::I64 => indices.view::<i64>().in_op(op)?.as_slice().is_some_and(|i| all_inside(i, len)),
        _ => indices.view::<i32>().in_op(op)?.as_slice().is_some_and(|i| all_inside(i, len)),
    };
    if !inside {
        return Err(outside(op, &[term(x, indices)]));
    }
    let to = x.as_mut_ptr().ok_or(ArrayError::NotUnique).in_op(op)?;
    let line = Line::new(x, indices, to, from.cast_mut(), stride);
    let Some(run) = (if line.wide { scatter_line::<i64>(size) } else { scatter_line::<i32>(size) }) else {
        unreachable!("no element of {size} bytes")
    };
    let n = indices.layout().len();
    let cost = (n as f64 * COST) as u64;
    // In order: of two values for one element the last remains.
    let pieces = Pieces::new(n, lane.pieces(cost));
    lane.try_for(pieces.count(), cost, |i| {
        line.run(run, pieces.at(i));
    })
    .in_op(op)?;
    Ok(None)
}

/// The axis, the indices, and the other side.
struct Line {
    indices: *const u8,
    /// Whether indices have 64 bits, else 32.
    wide: bool,
    len: usize,
    at: *mut u8,
    step: isize,
    other: *mut u8,
    stride: isize,
}

// SAFETY: pieces read indices and elements that the caller borrows, and write places of their own.
unsafe impl Sync for Line {}

impl Line {
    fn new(x: &ArrayData, indices: &ArrayData, at: *mut u8, other: *mut u8, stride: isize) -> Line {
        let step = x.layout().strides()[0] * x.dtype().size() as isize;
        let wide = indices.dtype() == DType::I64;
        Line { indices: indices.as_ptr(), wide, len: x.layout().len(), at, step, other, stride }
    }

    /// False, with elements left unmoved, if an index lies outside of the axis.
    fn run(&self, run: LineLoop, part: std::ops::Range<usize>) -> bool {
        let indices = self.indices.wrapping_add(part.start * if self.wide { 8 } else { 4 });
        let other = self.other.wrapping_offset(part.start as isize * self.stride);
        // SAFETY: the indices are of this type and lie side by side; the axis has `len` elements at this step; on the other
        // side there is one for each index, or one for all with stride zero.
        unsafe { run(part.len(), indices, self.len, self.at, self.step, other, self.stride) }
    }
}

fn term(x: &ArrayData, indices: &ArrayData) -> Term {
    let (len, stride) = (x.layout().len(), x.layout().strides()[0]);
    Term { indices: indices.clone(), len, stride, axis: 0, mask: false }
}
