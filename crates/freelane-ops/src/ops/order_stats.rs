//! The largest elements, and those at a place in the order, without sorting all.
use super::line;
use super::lines::{Lines, carve};
use super::order::{COST, codec_of, order, order_keys};
use super::rearrange::part;
use super::take::take_along_axis;
use crate::function::{Bound, Default, Kind, Param};
use crate::ufunc::{finish, uninit};
use crate::{Array, InOp, Op, OpsError, Run};
use freelane_array::{ArrayData, DType, Element, Layout, normalize_axis};
use freelane_kernels::sort::{self as kernel, Codec, Key, SortKey};
use freelane_mem::ScratchReq;
use freelane_pool::Lane;
use freelane_simd::Isa;

/// Lines shorter than this are sorted.
const FEW: usize = 256;

impl Array {
    /// The `k` largest elements along an axis, the largest first, and their numbers; or the smallest. They are the first `k` in the
    /// order of [`argsort`](Array::argsort): NaN comes after every number either way, and of equal elements the first come first.
    ///
    /// ```
    /// use freelane_ops::Array;
    /// let (values, indices) = Array::from_slice(&[3, 9, 1, 9])?.topk(3, -1, true)?;
    /// assert_eq!((values.to_vec::<i32>()?, indices.to_vec::<i64>()?), (vec![9, 9, 3], vec![1, 3, 0]));
    /// # Ok::<(), freelane_ops::OpsError>(())
    /// ```
    ///
    /// # Errors
    /// When there is no such axis, it has fewer elements, memory cannot be had, or the thread's poll asks to stop.
    pub fn topk(&self, k: usize, axis: isize, largest: bool) -> Result<(Array, Array), OpsError> {
        const OP: &str = "topk";
        let at = normalize_axis(axis, self.rank()).in_op(OP)?;
        let n = self.shape()[at];
        if k > n {
            return Err(OpsError::argument(OP, format!("k is {k}, the axis has {n} elements")));
        }
        let want = |keys: usize| if k * 8 > keys || keys < FEW { Want::All } else { Want::First };
        Lane::with(|lane| {
            let numbers = numbers(lane, OP, self.data(), at, largest, k, want(n))?;
            if line::fits(self, &numbers) {
                return Ok((line::get(lane, OP, self.data(), numbers.data())?.into(), numbers));
            }
            let values = take_along_axis(lane, self.data(), &numbers, at as isize).map_err(|e| e.of(OP))?;
            Ok((values.into(), numbers))
        })
    }

    /// The numbers of the elements along an axis with that one at place `k` which is there in sorted order, those of smaller ones
    /// before it, those of larger ones behind.
    ///
    /// # Errors
    /// When there is no such axis or no such place, memory cannot be had, or the thread's poll asks to stop.
    pub fn argpartition(&self, k: isize, axis: isize) -> Result<Array, OpsError> {
        argpartition("argpartition", self, &[k], axis)
    }

    /// The elements along an axis with that one at place `k` which is there in sorted order, smaller ones before it, larger ones
    /// behind.
    ///
    /// ```
    /// use freelane_ops::Array;
    /// assert_eq!(Array::from_slice(&[7, 1, 9, 3, 2])?.partition(2, 0)?.to_vec::<i32>()?, [1, 2, 3, 7, 9]);
    /// # Ok::<(), freelane_ops::OpsError>(())
    /// ```
    ///
    /// # Errors
    /// As [`Array::argpartition`].
    pub fn partition(&self, k: isize, axis: isize) -> Result<Array, OpsError> {
        partition(self, &[k], axis)
    }
}

/// Which numbers of a line are wanted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Want {
    /// The first of all in order.
    All,
    /// The first few in order.
    First,
    /// All, those before place `k` first.
    Parted,
}

/// Numbers of elements along an axis: the first `k`, or all, around place `k`.
fn numbers(
    lane: &Lane,
    op: &'static str,
    x: &ArrayData,
    axis: usize,
    descending: bool,
    k: usize,
    want: Want,
) -> Result<Array, OpsError> {
    let (codec, mut shape) = (codec_of(x.dtype(), descending), x.layout().shape().to_vec());
    let Some(codec) = codec.filter(|_| want != Want::All) else {
        let all: Array = order(lane, op, x, axis, descending)?.into();
        return if want == Want::Parted { Ok(all) } else { part(&all, axis, None, Some(k as isize))?.contiguous() };
    };
    if want == Want::First {
        shape[axis] = k;
    }
    let layout = Layout::contiguous(&shape).in_op(op)?;
    let mut buffer = uninit(lane, &layout, DType::I64, op)?;
    let lines = Lines::new(x, axis, buffer.as_mut_ptr(), &layout, size_of::<i64>());
    if !layout.is_empty() {
        match codec.width {
            1 => select_lines::<i8, i32>(lane, op, codec, &lines, k, want)?,
            2 => select_lines::<i16, i32>(lane, op, codec, &lines, k, want)?,
            4 => select_lines::<i32, i32>(lane, op, codec, &lines, k, want)?,
            _ => select_lines::<i64, i64>(lane, op, codec, &lines, k, want)?,
        }
    }
    // SAFETY: every line was written.
    Ok(unsafe { finish(buffer, i64::DTYPE, layout) }.into())
}

fn select_lines<K: Key, W: SortKey + Key + From<K> + Into<i64>>(
    lane: &Lane,
    op: &'static str,
    codec: Codec,
    lines: &Lines,
    k: usize,
    want: Want,
) -> Result<(), OpsError> {
    let n = lines.n;
    let request = ScratchReq::of::<K>(n).and(ScratchReq::of::<W>(3 * n)).and(ScratchReq::of::<i64>(4 * k));
    lines.for_each(lane, op, COST / 3, |lane, group| {
        lane.scratch(request, |scratch| {
            let (narrow, rest) = carve::<K>(scratch, n);
            let (wide, rest) = carve::<W>(rest, 3 * n);
            let (found, _) = carve::<i64>(rest, 4 * k);
            let (keys, rest) = wide.split_at_mut(n);
            let (work, aside) = rest.split_at_mut(n);
            for line in (0..group.count).map(|i| group.line(i)) {
                line.encode(codec, codec.rank, narrow.as_mut_ptr().cast(), 0, size_of::<K>());
                keys.iter_mut().zip(&*narrow).for_each(|(w, &k)| *w = k.into());
                work.copy_from_slice(keys);
                let put = |place: usize, number: i64| {
                    // SAFETY: the line of the result has these places.
                    unsafe { line.out_at(place).cast::<i64>().write(number) };
                };
                if want == Want::Parted {
                    W::select(Isa::current(), work, aside, k);
                    kernel::part_numbers(keys, work[k], put);
                } else {
                    W::select(Isa::current(), work, aside, k - 1);
                    first_in_order(keys, work[k - 1], found, put);
                }
            }
        })
    })
}

/// The numbers of the keys up to `kth`, in order; `scratch` has room for four times as many.
fn first_in_order<K: Key + Into<i64>>(keys: &[K], kth: K, scratch: &mut [i64], mut put: impl FnMut(usize, i64)) {
    let k = scratch.len() / 4;
    let (numbers, rest) = scratch.split_at_mut(k);
    let (some, rest) = rest.split_at_mut(k);
    let (packed, aside) = rest.split_at_mut(k);
    kernel::first_numbers(keys, kth, numbers);
    some.iter_mut().zip(&*numbers).for_each(|(s, &i)| *s = keys[i as usize].into());
    let packing = order_keys(some, packed, aside);
    for (place, &p) in packed.iter().enumerate() {
        put(place, numbers[packing.number(p) as usize]);
    }
}

fn argpartition(op: &'static str, x: &Array, places: &[isize], axis: isize) -> Result<Array, OpsError> {
    let axis = normalize_axis(axis, x.rank()).in_op(op)?;
    let n = x.shape()[axis];
    let mut at = places.iter().map(|&k| {
        let place = if k < 0 { k.saturating_add_unsigned(n) } else { k };
        let outside = || OpsError::argument(op, format!("place {k} does not exist, the axis has {n} elements"));
        usize::try_from(place).ok().filter(|&k| k < n).ok_or_else(outside)
    });
    let k = at.next().transpose()?.unwrap_or(0);
    let several = at.try_fold(false, |_, k| k.map(|_| true))?;
    let want = if several || n < FEW { Want::All } else { Want::Parted };
    Lane::with(|lane| numbers(lane, op, x.data(), axis, false, if several || n < FEW { n } else { k }, want))
}

fn partition(x: &Array, places: &[isize], axis: isize) -> Result<Array, OpsError> {
    const OP: &str = "partition";
    let order = argpartition(OP, x, places, axis)?;
    x.take_along_axis(&order, axis).map_err(|e| e.of(OP))
}

const X: Param = Param::required("x", Kind::Operand);
const KTH: Param = Param::required("kth", Kind::Axes);
const AXIS: Param = Param::optional("axis", Kind::Int, Default::Int(-1));

/// The array and the axis; all elements in a row if the axis is nothing.
fn along(a: &Bound<'_>, axis: usize) -> Result<(Array, isize), OpsError> {
    let x = a.array(0)?;
    if a.is_nothing(axis) { Ok((x.reshape(&[x.len() as isize])?, 0)) } else { Ok((x, a.int(axis)? as isize)) }
}

pub(crate) static TOPK: Op = Op {
    name: "topk",
    doc: "The k largest elements along an axis, the largest first, and their numbers; or the smallest: the first k in the order of \
          argsort. NaN comes after every number either way (PyTorch calls it the largest). They are sorted, whatever sorted says.",
    params: &[
        X,
        Param::required("k", Kind::Int),
        AXIS,
        Param::keyword("largest", Kind::Bool, Default::Bool(true)),
        Param::keyword("sorted", Kind::Bool, Default::Bool(true)),
    ],
    run: Run::Many(&["values", "indices"], |_, a| {
        a.bool(4)?;
        let (values, indices) = a.array(0)?.topk(a.length(1)?, a.int(2)? as isize, a.bool(3)?)?;
        Ok(vec![values, indices])
    }),
    onnx: Some(("TopK", 1)),
};

pub(crate) static PARTITION_ROW: Op = Op {
    name: "partition",
    doc: "The elements along an axis with that one at place kth which is there in sorted order, smaller ones before it, larger \
          ones behind.",
    params: &[X, KTH, AXIS],
    run: Run::One(|_, a| {
        let (x, axis) = along(a, 2)?;
        partition(&x, &a.ints(1)?, axis)
    }),
    onnx: None,
};

pub(crate) static ARGPARTITION: Op = Op {
    name: "argpartition",
    doc: "The numbers of the elements along an axis with that one at place kth which is there in sorted order.",
    params: &[X.flat(), KTH, AXIS],
    run: Run::One(|_, a| {
        let (x, axis) = along(a, 2)?;
        argpartition("argpartition", &x, &a.ints(1)?, axis)
    }),
    onnx: None,
};
