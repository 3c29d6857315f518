//! Joining arrays: `concat` along an axis that exists, `stack` along a new one.
use crate::function::{Default, Kind, Param};
use crate::ops::astype::write;
use crate::ufunc::{finish, uninit};
use crate::{Array, InOp, Op, Operand, OpsError, Run, result_type};
use freelane_array::{ArrayError, Dims, Index, Layout, Slice, element_count, normalize_axis};
use freelane_kernels::moves::copy_loop;
use freelane_pool::Lane;
use smallvec::SmallVec;

/// Joins arrays along an axis. Dtypes are promoted to their common type.
///
/// # Errors
/// When there are no arrays, they differ in a length other than that of the axis, or memory cannot be had.
pub fn concat(arrays: &[&Array], axis: isize) -> Result<Array, OpsError> {
    join("concat", arrays, axis)
}

/// Elements of an array that are not worth more than a loop.
const FEW: usize = 1024;

fn join(op: &'static str, arrays: &[&Array], axis: isize) -> Result<Array, OpsError> {
    let Some(first) = arrays.first() else {
        return Err(OpsError::argument(op, "needs at least one array"));
    };
    let axis = normalize_axis(axis, first.rank()).in_op(op)?;
    let mut shape: Dims = first.shape().into();
    for a in &arrays[1..] {
        let same = a.rank() == first.rank() && (0..shape.len()).all(|i| i == axis || shape[i] == a.shape()[i]);
        if !same {
            return Err(different(op, &format!("one shape apart from axis {axis}"), first, a));
        }
        let overflow = || ArrayError::ShapeOverflow { shape: a.shape().to_vec() };
        shape[axis] = shape[axis].checked_add(a.shape()[axis]).ok_or_else(overflow).in_op(op)?;
    }
    let dtype = if arrays.iter().all(|a| a.dtype() == first.dtype()) {
        first.dtype()
    } else {
        result_type(&arrays.iter().map(|a| Operand::from(*a)).collect::<Vec<_>>())
    };
    element_count(&shape, dtype.size()).in_op(op)?;
    let layout = Layout::contiguous(&shape).in_op(op)?;
    Lane::with(|lane| {
        let mut buffer = uninit(lane, &layout, dtype, op)?;
        let base = buffer.as_mut_ptr();
        let mut at = 0;
        for a in arrays {
            // Along the first axis one array follows the other.
            let part = if axis == 0 {
                a.data().layout().to_contiguous()
            } else {
                part_of(&layout, axis, at, a.shape()[axis]).in_op(op)?
            };
            let before = match axis {
                0 if a.is_empty() => 0,
                0 => at * (a.len() / a.shape()[0]),
                _ => part.offset(),
            };
            let out = base.wrapping_add(before * dtype.size());
            if axis == 0 && a.rank() == 1 && a.len() <= FEW && a.dtype() == dtype {
                let (size, step) = (dtype.size() as isize, a.strides()[0]);
                if let Some(copy) = copy_loop(dtype.size()) {
                    // SAFETY: the array has these elements, and the buffer room for those of all arrays.
                    unsafe { copy(a.len(), a.data().as_ptr(), step * size, out, size) };
                    at += a.len();
                    continue;
                }
            }
            // SAFETY: `part` selects elements of the buffer, which was made for `layout`.
            unsafe { write(lane, op, Operand::from(*a), a.dtype(), out, &part, dtype)? };
            at += a.shape()[axis];
        }
        // SAFETY: the parts cover the axis from end to end, so every element is written.
        Ok(unsafe { finish(buffer, dtype, layout) }.into())
    })
}

/// Joins arrays of one shape along a new axis.
///
/// # Errors
/// When there are no arrays, their shapes differ, there is no such axis, or memory cannot be had.
pub fn stack(arrays: &[&Array], axis: isize) -> Result<Array, OpsError> {
    const OP: &str = "stack";
    let Some(first) = arrays.first() else {
        return Err(OpsError::argument(OP, "needs at least one array"));
    };
    if let Some(other) = arrays.iter().find(|a| a.shape() != first.shape()) {
        return Err(different(OP, "one shape", first, other));
    }
    let axis = normalize_axis(axis, first.rank() + 1).in_op(OP)? as isize;
    let expanded = arrays.iter().map(|a| a.viewed(OP, a.data().layout().expand_dims(axis)));
    join(OP, &expanded.collect::<Result<Vec<_>, _>>()?.iter().collect::<Vec<_>>(), axis)
}

#[cold]
fn different(op: &'static str, wanted: &str, a: &Array, b: &Array) -> OpsError {
    OpsError::argument(op, format!("arrays must have {wanted}, not {:?} and {:?}", a.shape(), b.shape()))
}

/// The elements `at..at + n` along an axis.
fn part_of(layout: &Layout, axis: usize, at: usize, n: usize) -> Result<Layout, ArrayError> {
    let mut index = vec![Index::from(Slice::all()); axis];
    index.push(Slice { start: Some(at as isize), stop: Some((at + n) as isize), step: 1 }.into());
    layout.index(&index)
}

const ARRAYS: Param = Param::required("arrays", Kind::Operands);
const AXIS: Param = Param::keyword("axis", Kind::Int, Default::Int(0));

pub(crate) static CONCAT: Op = Op {
    name: "concat",
    doc: "Joins arrays along an axis that they have; with None for the axis, all their elements in a row.",
    params: &[ARRAYS, AXIS],
    run: Run::One(|_, a| {
        let arrays = a.arrays(0)?;
        let all = |arrays: &[Array], axis| concat(&arrays.iter().collect::<SmallVec<[_; 4]>>(), axis);
        if a.is_nothing(1) {
            let flat = arrays.iter().map(|x| x.reshape(&[x.len() as isize])).collect::<Result<Vec<_>, _>>()?;
            return all(&flat, 0);
        }
        all(&arrays, a.int(1)? as isize)
    }),
    onnx: Some(("Concat", 4)),
};

pub(crate) static STACK: Op = Op {
    name: "stack",
    doc: "Joins arrays of one shape along a new axis.",
    params: &[ARRAYS, AXIS],
    run: Run::One(|_, a| stack(&a.arrays(0)?.iter().collect::<Vec<_>>(), a.int(1)? as isize)),
    onnx: None,
};
