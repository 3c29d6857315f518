//! Conversion and copying: one table of loops, from every dtype to every dtype.
use crate::function::{Default, Kind, Param};
use crate::ufunc::{Ready, drive, finish, uninit};
use crate::{InOp, Op, Operand, OpsError, Run};
use freelane_array::{ArrayData, DType, Layout, with_dtype};
use freelane_kernels::convert::cast_loop;
use freelane_kernels::elementwise::Loop1;
use freelane_kernels::moves::copy_loop;
use freelane_pool::Lane;
use freelane_simd::Isa;

/// Estimated nanoseconds to move one element.
pub(crate) const COST: f32 = 0.3;

/// The loop that converts elements of `from` to `to`.
pub(crate) fn cast(from: DType, to: DType) -> Loop1 {
    with_dtype!(from, A => with_dtype!(to, B => cast_loop::<A, B>()))
}

/// Whether NumPy's "same kind" rule lets a value of `from` be stored as `to`: width may be lost, kind may not.
///
/// ```
/// # use freelane_ops::{can_cast_same_kind, DType::*};
/// assert!(can_cast_same_kind(F64, F32) && can_cast_same_kind(I64, F16));
/// assert!(!can_cast_same_kind(F32, I64) && !can_cast_same_kind(I8, U8));
/// ```
pub fn can_cast_same_kind(from: DType, to: DType) -> bool {
    match (from.kind(), to.kind()) {
        (freelane_array::Kind::Signed, freelane_array::Kind::Unsigned) => false,
        (a, b) => a <= b,
    }
}

/// A copy of `x` in another type, row-major.
pub(crate) fn astype(lane: &Lane, x: &ArrayData, dtype: DType) -> Result<ArrayData, OpsError> {
    convert(lane, x, dtype, "astype")
}

/// A copy of `x`, row-major.
pub(crate) fn copy(lane: &Lane, x: &ArrayData, op: &'static str) -> Result<ArrayData, OpsError> {
    convert(lane, x, x.dtype(), op)
}

fn convert(lane: &Lane, x: &ArrayData, dtype: DType, op: &'static str) -> Result<ArrayData, OpsError> {
    let layout = Layout::contiguous(x.layout().shape()).map_err(|source| OpsError::Array { op, source })?;
    let mut buffer = uninit(lane, &layout, dtype, op)?;
    // SAFETY: the buffer was made for the elements of `layout`.
    unsafe { write(lane, op, Operand::Array(x), x.dtype(), buffer.as_mut_ptr(), &layout, dtype)? };
    // SAFETY: `write` wrote every element.
    Ok(unsafe { finish(buffer, dtype, layout) })
}

/// Writes `value`, broadcast and converted, to all elements of `layout` at `out`. `read` is the type to read `value` in.
///
/// # Safety
/// `out` is writable for `dtype` at every position of `layout`, relative to its first element.
pub(crate) unsafe fn write(
    lane: &Lane,
    op: &'static str,
    value: Operand<'_>,
    read: DType,
    out: *mut u8,
    layout: &Layout,
    dtype: DType,
) -> Result<(), OpsError> {
    if layout.is_empty() {
        return Ok(());
    }
    let (run, isa) = (cast(read, dtype), Isa::current());
    let ready = Ready::new(lane, op, value, read)?;
    let (size, straight) = (dtype.size() as isize, if read == dtype { copy_loop(dtype.size()) } else { None });
    drive(lane, [&ready], out, layout, dtype.size(), COST, |[x, o], [xs, os], n| match straight {
        // SAFETY: `drive` hands over parts of the operand and of the output that hold `n` elements at these strides.
        Some(copy) if xs != 0 && (os != size || (xs != size && size >= 8)) => unsafe { copy(n, x, xs, o, os) },
        // SAFETY: as above.
        _ => unsafe { run(isa, n, x, xs, o, os) },
    })
    .in_op(op)
}

pub(crate) static ASTYPE: Op = Op {
    name: "astype",
    doc: "The elements converted to another type. Storage is shared where there is nothing to convert, whatever copy says: a \
          later write goes to a copy.",
    params: &[
        Param::required("x", Kind::Operand),
        Param::required("dtype", Kind::DType),
        Param::keyword("copy", Kind::Bool, Default::Bool(true)),
    ],
    run: Run::One(|_, a| {
        let dtype = a.dtype(1)?.ok_or_else(|| OpsError::argument("astype", "dtype must be a data type, not None"))?;
        a.array(0)?.astype(dtype)
    }),
    onnx: Some(("Cast", 6)),
};
