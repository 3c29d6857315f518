//! Distinct elements of an array, and elements of one array among those of another.
use super::long::in_pieces;
use super::order;
use super::positions::Shared;
use super::rearrange::part;
use crate::function::{Default, Kind, Param};
use crate::{Array, IndexItem, Op, OpsError, Run, concat, promote_types};
use freelane_array::{DType, Element, types::*, with_dtype};
use freelane_kernels::sort::{self as kernel, Keyed};
use freelane_pool::Lane;

/// Values that are compared one by one.
const FEW: usize = 12;

/// What [`Array::unique`] finds, one element for each distinct value, but for `inverse`.
#[derive(Clone)]
pub struct Unique {
    /// The values in ascending order. Each NaN is a value of its own; of zeros of both signs the first one stands for all.
    pub values: Array,
    /// Where each value comes first in row-major order.
    pub indices: Array,
    /// For each element which of the values it is; of the shape of the array.
    pub inverse: Array,
    /// How often each value comes.
    pub counts: Array,
}

impl Array {
    /// The distinct values, where they come from, and how often they come.
    ///
    /// ```
    /// use freelane_ops::Array;
    /// let found = Array::from_slice(&[5, 3, 5, 5])?.unique()?;
    /// assert_eq!(found.values.to_vec::<i32>()?, [3, 5]);
    /// assert_eq!(found.indices.to_vec::<i64>()?, [1, 0]);
    /// assert_eq!(found.inverse.to_vec::<i64>()?, [1, 0, 1, 1]);
    /// assert_eq!(found.counts.to_vec::<i64>()?, [1, 3]);
    /// # Ok::<(), freelane_ops::OpsError>(())
    /// ```
    ///
    /// # Errors
    /// When memory cannot be had, or the thread's poll asks to stop.
    pub fn unique(&self) -> Result<Unique, OpsError> {
        let numbered = Numbered::new("unique", self)?;
        Ok(Unique {
            values: numbered.values()?,
            indices: numbered.order.take(&numbered.heads, 0)?,
            inverse: numbered.inverse(self.shape())?,
            counts: counts(&numbered.heads, self.len())?,
        })
    }

    /// The distinct values in ascending order; each NaN is a value of its own.
    ///
    /// ```
    /// use freelane_ops::Array;
    /// assert_eq!(Array::from_slice(&[5, 3, 5, 5])?.unique_values()?.to_vec::<i32>()?, [3, 5]);
    /// # Ok::<(), freelane_ops::OpsError>(())
    /// ```
    ///
    /// # Errors
    /// As [`Array::unique`].
    pub fn unique_values(&self) -> Result<Array, OpsError> {
        let mut sorted = flat_sorted("unique_values", self)?;
        let n = with_dtype!(self.dtype(), T => {
            kernel::distinct(sorted.view_mut::<T>()?.as_mut_slice().unwrap_or_default())
        });
        if n == sorted.len() { Ok(sorted) } else { part(&sorted, 0, None, Some(n as isize))?.copy() }
    }

    /// For each element whether `others` has it, or with `invert` whether it does not. NaN is nowhere.
    ///
    /// ```
    /// use freelane_ops::Array;
    /// let x = Array::from_slice(&[1, 2, 3, 2])?;
    /// assert_eq!(x.isin(&Array::from_slice(&[2, 7])?, false)?.to_vec::<bool>()?, [false, true, false, true]);
    /// # Ok::<(), freelane_ops::OpsError>(())
    /// ```
    ///
    /// # Errors
    /// As [`Array::unique`].
    pub fn isin(&self, others: &Array, invert: bool) -> Result<Array, OpsError> {
        isin(self, others, invert)
    }
}

fn flat(x: &Array) -> Result<Array, OpsError> {
    x.reshape(&[x.len() as isize])
}

fn flat_sorted(op: &'static str, x: &Array) -> Result<Array, OpsError> {
    let x = flat(x)?;
    Lane::with(|lane| order::sorted(lane, op, x.data(), 0, false)).map(Into::into)
}

/// The places where runs of equal elements begin in a sorted array.
fn heads(sorted: &Array) -> Result<Array, OpsError> {
    let mut places = Array::empty(&[sorted.len()], DType::I64)?;
    let runs = with_dtype!(sorted.dtype(), T => {
        let sorted = sorted.view::<T>()?.as_slice().unwrap_or_default();
        kernel::heads(sorted, places.view_mut::<i64>()?.as_mut_slice().unwrap_or_default())
    });
    part(&places, 0, None, Some(runs as isize))
}

/// Lengths of runs that begin at `heads`.
fn counts(heads: &Array, n: usize) -> Result<Array, OpsError> {
    let heads = heads.view::<i64>()?.as_slice().unwrap_or_default();
    let ends = heads.iter().skip(1).copied().chain([n as i64]);
    Array::from_fn_uninit("unique", &[heads.len()], |out| {
        for ((o, start), end) in out.iter_mut().zip(heads).zip(ends) {
            o.write(end - start);
        }
        Ok(())
    })
}

/// The elements of an array in order, by their numbers, and where runs of equal ones begin.
struct Numbered {
    order: Array,
    sorted: Array,
    heads: Array,
}

impl Numbered {
    fn new(op: &'static str, x: &Array) -> Result<Numbered, OpsError> {
        let x = flat(x)?;
        let order: Array = Lane::with(|lane| order::order(lane, op, x.data(), 0, false))?.into();
        let sorted = x.take(&order, 0)?;
        let heads = heads(&sorted)?;
        Ok(Numbered { order, sorted, heads })
    }

    fn values(&self) -> Result<Array, OpsError> {
        self.sorted.take(&self.heads, 0)
    }

    fn inverse(&self, shape: &[usize]) -> Result<Array, OpsError> {
        let mut inverse = Array::empty(shape, DType::I64)?;
        let (order, heads) = (self.order.view::<i64>()?, self.heads.view::<i64>()?);
        if let (Some(order), Some(heads)) = (order.as_slice(), heads.as_slice()) {
            kernel::scatter_runs(order, heads, inverse.view_mut::<i64>()?.as_mut_slice().unwrap_or_default());
        }
        Ok(inverse)
    }
}

fn isin(x: &Array, others: &Array, invert: bool) -> Result<Array, OpsError> {
    const OP: &str = "isin";
    let dtype = promote_types(x.dtype(), others.dtype());
    if dtype.is_inexact() && x.dtype().is_integer() && others.dtype().is_integer() {
        return isin_unsigned(x, others, invert);
    }
    let (x, others) = (x.astype(dtype)?.contiguous()?, flat(&others.astype(dtype)?)?.contiguous()?);
    if others.len() <= FEW {
        return with_dtype!(dtype, T => {
            let few = others.view::<T>()?.as_slice().unwrap_or_default();
            each(OP, &x, 1, |x: &[T], out| kernel::is_one_of(x, few, invert, out))
        });
    }
    if let Some(found) = in_table(&x, &others, invert)? {
        return Ok(found);
    }
    let run = |sorted: &Array| match dtype {
        DType::Bool => in_sorted::<bool>(OP, &x, sorted, invert),
        DType::U8 => in_sorted::<u8>(OP, &x, sorted, invert),
        DType::I8 => in_sorted::<i8>(OP, &x, sorted, invert),
        DType::U16 => in_sorted::<u16>(OP, &x, sorted, invert),
        DType::I16 => in_sorted::<i16>(OP, &x, sorted, invert),
        DType::U32 => in_sorted::<u32>(OP, &x, sorted, invert),
        DType::I32 => in_sorted::<i32>(OP, &x, sorted, invert),
        DType::U64 => in_sorted::<u64>(OP, &x, sorted, invert),
        DType::I64 => in_sorted::<i64>(OP, &x, sorted, invert),
        DType::F16 => in_sorted::<f16>(OP, &x, sorted, invert),
        DType::BF16 => in_sorted::<bf16>(OP, &x, sorted, invert),
        DType::F32 => in_sorted::<f32>(OP, &x, sorted, invert),
        DType::F64 => in_sorted::<f64>(OP, &x, sorted, invert),
        DType::C64 | DType::C128 => unreachable!("numbers that have no keys"),
    };
    if dtype.kind() == freelane_array::Kind::Complex {
        isin_runs(&x, &others, invert)
    } else {
        run(&others.unique_values()?)
    }
}

/// Bits of a table for each element of both arrays, at most.
const ROOM: usize = 64;

/// By a table of the integers between the least and the greatest of `others`, if they lie that close together.
fn in_table(x: &Array, others: &Array, invert: bool) -> Result<Option<Array>, OpsError> {
    if !others.dtype().is_integer() || others.dtype() == DType::U64 {
        return Ok(None);
    }
    let (x, others) = (x.astype(DType::I64)?, others.astype(DType::I64)?);
    let (least, most) = (others.min(.., false)?.item::<i64>()?, others.max(.., false)?.item::<i64>()?);
    let (span, room) = (most.abs_diff(least), ROOM.saturating_mul(x.len().saturating_add(others.len())));
    if span >= room as u64 {
        return Ok(None);
    }
    let mut table = Array::zeros(&[span as usize / 64 + 1], DType::U64)?;
    kernel::mark(
        others.view::<i64>()?.as_slice().unwrap_or_default(),
        least,
        table.view_mut::<u64>()?.as_mut_slice().unwrap_or_default(),
    );
    let marks = table.view::<u64>()?.as_slice().unwrap_or_default();
    each("isin", &x, 1, |x: &[i64], out| kernel::is_marked(x, least, marks, invert, out)).map(Some)
}

/// Of unsigned and signed numbers of 64 bits, which no dtype holds together: negative ones are nowhere.
fn isin_unsigned(x: &Array, others: &Array, invert: bool) -> Result<Array, OpsError> {
    let (positive, others) = (x.greater_equal(0)?, flat(others)?);
    let others = only(&others, others.greater_equal(0)?)?.astype(DType::U64)?;
    let found = isin(&x.astype(DType::U64)?, &others, false)?.logical_and(&positive)?;
    if invert { found.logical_not() } else { Ok(found) }
}

fn in_sorted<T: Keyed + Element>(op: &'static str, x: &Array, sorted: &Array, invert: bool) -> Result<Array, OpsError> {
    let sorted = sorted.view::<T>()?.as_slice().unwrap_or_default();
    let cost = u64::from(usize::BITS - sorted.len().leading_zeros());
    each(op, x, cost, |x: &[T], out| kernel::is_in_sorted(x, sorted, invert, out))
}

/// `f` of pieces of a contiguous array and of an array of booleans. `cost` is in nanoseconds an element.
fn each<T: Element>(
    op: &'static str,
    x: &Array,
    cost: u64,
    f: impl Fn(&[T], &mut [bool]) + Sync,
) -> Result<Array, OpsError> {
    let mut out = Array::zeros(x.shape(), DType::Bool)?;
    let from = x.view::<T>()?.as_slice().unwrap_or_default();
    let mut view = out.view_mut::<bool>()?;
    let to = Shared(view.as_mut_slice().unwrap_or_default().as_mut_ptr());
    Lane::with(|lane| {
        in_pieces(lane, op, from.len(), cost, |part| {
            // SAFETY: pieces are disjoint.
            f(&from[part.clone()], unsafe { to.slice(part) });
        })
    })?;
    Ok(out)
}

/// By the runs of both arrays together: for numbers that cannot be searched for.
fn isin_runs(x: &Array, others: &Array, invert: bool) -> Result<Array, OpsError> {
    let both = concat(&[&flat(x)?, others], 0)?;
    let runs = Numbered::new("isin", &both)?.inverse(&[both.len()])?.to_vec::<i64>()?;
    let mut there = vec![invert; both.len()];
    for &run in &runs[x.len()..] {
        there[run as usize] = !invert;
    }
    let found: Vec<bool> = runs[..x.len()].iter().map(|&run| there[run as usize]).collect();
    Array::from_vec(found, x.shape())
}

fn only(x: &Array, mask: Array) -> Result<Array, OpsError> {
    x.get_items(&[IndexItem::Bools(mask)])
}

fn common(a: &Array, b: &Array) -> Result<[Array; 2], OpsError> {
    let dtype = promote_types(a.dtype(), b.dtype());
    Ok([flat(&a.astype(dtype)?)?, flat(&b.astype(dtype)?)?])
}

const X: Param = Param::required("x", Kind::Operand);
const PAIR: &[Param] = &[Param::required("x1", Kind::Operand), Param::required("x2", Kind::Operand)];

pub(crate) static UNIQUE_ALL: Op = Op {
    name: "unique_all",
    doc: "The distinct values in ascending order, where each comes first, which of them each element is, and how often each comes. \
          Each NaN is a value of its own.",
    params: &[X],
    run: Run::Many(&["values", "indices", "inverse_indices", "counts"], |_, a| {
        let Unique { values, indices, inverse, counts } = a.array(0)?.unique()?;
        Ok(vec![values, indices, inverse, counts])
    }),
    onnx: None,
};

pub(crate) static UNIQUE_COUNTS: Op = Op {
    name: "unique_counts",
    doc: "The distinct values in ascending order and how often each comes. Each NaN is a value of its own.",
    params: &[X],
    run: Run::Many(&["values", "counts"], |_, a| {
        let sorted = flat_sorted("unique_counts", &a.array(0)?)?;
        let heads = heads(&sorted)?;
        Ok(vec![sorted.take(&heads, 0)?, counts(&heads, sorted.len())?])
    }),
    onnx: None,
};

pub(crate) static UNIQUE_INVERSE: Op = Op {
    name: "unique_inverse",
    doc: "The distinct values in ascending order and which of them each element is. Each NaN is a value of its own.",
    params: &[X],
    run: Run::Many(&["values", "inverse_indices"], |_, a| {
        let x = a.array(0)?;
        let numbered = Numbered::new("unique_inverse", &x)?;
        Ok(vec![numbered.values()?, numbered.inverse(x.shape())?])
    }),
    onnx: None,
};

pub(crate) static UNIQUE_VALUES: Op = Op {
    name: "unique_values",
    doc: "The distinct values in ascending order. Each NaN is a value of its own.",
    params: &[X],
    run: Run::One(|_, a| a.array(0)?.unique_values()),
    onnx: None,
};

pub(crate) static ISIN: Op = Op {
    name: "isin",
    doc: "For each element of x1 whether x2 has it, or with invert whether it does not. NaN is nowhere.",
    params: &[PAIR[0].flat(), PAIR[1].flat(), Param::keyword("invert", Kind::Bool, Default::Bool(false))],
    run: Run::One(|_, a| a.array(0)?.isin(&a.array(1)?, a.bool(2)?)),
    onnx: None,
};

pub(crate) static UNION1D: Op = Op {
    name: "union1d",
    doc: "The distinct values of two arrays in ascending order.",
    params: PAIR,
    run: Run::One(|_, a| {
        let [a, b] = common(&a.array(0)?, &a.array(1)?)?;
        concat(&[&a, &b], 0)?.unique_values()
    }),
    onnx: None,
};

pub(crate) static INTERSECT1D: Op = Op {
    name: "intersect1d",
    doc: "The distinct values that both arrays have, in ascending order.",
    params: PAIR,
    run: Run::One(|_, a| {
        let [a, b] = common(&a.array(0)?, &a.array(1)?)?;
        let a = a.unique_values()?;
        only(&a, a.isin(&b, false)?)
    }),
    onnx: None,
};

pub(crate) static SETDIFF1D: Op = Op {
    name: "setdiff1d",
    doc: "The distinct values of x1 that x2 has not, in ascending order.",
    params: PAIR,
    run: Run::One(|_, a| {
        let (values, b) = (a.array(0)?.unique_values()?, a.array(1)?);
        only(&values, values.isin(&b, true)?)
    }),
    onnx: None,
};

pub(crate) static SETXOR1D: Op = Op {
    name: "setxor1d",
    doc: "The distinct values that one of the arrays has and the other has not, in ascending order.",
    params: PAIR,
    run: Run::One(|_, a| {
        let [a, b] = common(&a.array(0)?, &a.array(1)?)?;
        let (a, b) = (a.unique_values()?, b.unique_values()?);
        concat(&[&only(&a, a.isin(&b, true)?)?, &only(&b, b.isin(&a, true)?)?], 0)?.sort(0, false)
    }),
    onnx: None,
};
