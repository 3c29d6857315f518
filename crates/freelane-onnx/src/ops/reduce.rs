//! Reductions, and folds along an axis.
use super::given::{Ints, array, axes_of, axis_of, fact, int_of, known};
use super::{Op, Row, Spec, row};
use crate::Fault;
use freelane_array::{ArrayData, DType, Index, Kind, Slice};
use freelane_graph::{Dim, Fact, GraphError, Operator};
use freelane_ops::{Array, Axes, ReduceArgs, Reduction, Scalar, concat, reductions as r};
use freelane_pool::Lane;
use smallvec::SmallVec;
use std::sync::Arc;

pub(super) const ROWS: &[Row] = &[
    row("ArgMax", 1, |s| arg(s, &r::ARGMAX)),
    row("ArgMin", 1, |s| arg(s, &r::ARGMIN)),
    row("CumProd", 26, |s| cumulative(s, Array::cumulative_prod, 1)),
    row("CumSum", 11, |s| cumulative(s, Array::cumulative_sum, 0)),
    row("ReduceL1", 1, |s| reduce(s, 18, |l, x, a| fold(l, &r::SUM, Array::from(x.clone()).abs()?.data(), a))),
    row("ReduceL2", 1, |s| reduce(s, 18, |l, x, a| root(&square_sum(l, x, a)?))),
    row("ReduceLogSum", 1, |s| reduce(s, 18, |l, x, a| log(&fold(l, &r::SUM, x, a)?))),
    row("ReduceLogSumExp", 1, |s| {
        reduce(s, 18, |_, x, a| Ok(Array::from(x.clone()).logsumexp(a.axes.clone(), a.keepdims)?.into()))
    }),
    row("ReduceMax", 1, |s| reduce(s, 18, |l, x, a| extreme(l, &r::MAX, x, a))),
    row("ReduceMean", 1, |s| reduce(s, 18, |l, x, a| fold(l, &r::MEAN, x, a))),
    row("ReduceMin", 1, |s| reduce(s, 18, |l, x, a| extreme(l, &r::MIN, x, a))),
    row("ReduceProd", 1, |s| reduce(s, 18, |l, x, a| fold(l, &r::PROD, x, a))),
    row("ReduceSum", 1, |s| reduce(s, 13, |l, x, a| fold(l, &r::SUM, x, a))),
    row("ReduceSumSquare", 1, |s| reduce(s, 18, square_sum)),
];

type Reduce = fn(&Lane, &ArrayData, &ReduceArgs) -> Result<ArrayData, GraphError>;

/// A reduction, in the type of the array.
fn fold(lane: &Lane, f: &Reduction, x: &ArrayData, args: &ReduceArgs) -> Result<ArrayData, GraphError> {
    let y = f.call(lane, x, args)?;
    if y.dtype() == x.dtype() { Ok(y) } else { Ok(Array::from(y).astype(x.dtype())?.into()) }
}

fn square_sum(lane: &Lane, x: &ArrayData, args: &ReduceArgs) -> Result<ArrayData, GraphError> {
    fold(lane, &r::SUM, Array::from(x.clone()).square()?.data(), args)
}

/// The square root, in the type of the array.
fn root(x: &ArrayData) -> Result<ArrayData, GraphError> {
    let x = Array::from(x.clone());
    Ok(x.sqrt()?.astype(x.dtype())?.into())
}

fn log(x: &ArrayData) -> Result<ArrayData, GraphError> {
    let x = Array::from(x.clone());
    Ok(x.log()?.astype(x.dtype())?.into())
}

/// The least or greatest element; of none, the greatest or least number there is.
fn extreme(lane: &Lane, f: &'static Reduction, x: &ArrayData, args: &ReduceArgs) -> Result<ArrayData, GraphError> {
    if !x.layout().is_empty() {
        return fold(lane, f, x, args);
    }
    let shape = r::SUM.call(lane, x, args)?;
    let greatest = std::ptr::eq(f, &r::MIN);
    let bits = x.dtype().size() as u32 * 8;
    let value: Scalar = match x.dtype().kind() {
        Kind::Bool => Scalar::Bool(greatest),
        Kind::Unsigned => Scalar::Int(if greatest { (1i128 << bits) - 1 } else { 0 }),
        Kind::Signed => Scalar::Int(if greatest { (1i128 << (bits - 1)) - 1 } else { -(1i128 << (bits - 1)) }),
        _ => Scalar::Float(if greatest { f64::INFINITY } else { f64::NEG_INFINITY }),
    };
    Ok(Array::full(shape.layout().shape(), value, x.dtype())?.into())
}

fn reduce(spec: &Spec<'_>, by_input: u32, f: Reduce) -> Result<Arc<dyn Operator>, Fault> {
    let axes = Ints::of(spec, "axes", 1, by_input)?;
    let keepdims = spec.flag("keepdims", true)?;
    let noop = spec.opset >= by_input && spec.flag("noop_with_empty_axes", false)?;
    let inferred = axes.clone();
    let none = move |axes: Option<&[i64]>| axes.is_none_or(<[i64]>::is_empty);
    Op::new(spec, move |cx| {
        let x = cx.array(0)?;
        let axes = axes.get(cx)?;
        let axes = match axes.as_deref() {
            a if none(a) => {
                if noop {
                    Axes::These(SmallVec::new())
                } else {
                    Axes::All
                }
            }
            Some(axes) => Axes::These(axes_of(axes, x.layout().rank())?.iter().map(|&a| a as isize).collect()),
            None => Axes::All,
        };
        let y = f(cx.lane(), x, &ReduceArgs { axes, keepdims, correction: 0.0 })?;
        cx.set(0, y);
        Ok(())
    })
    .infer(move |facts, _| {
        let x = fact(facts, 0).cloned().unwrap_or_default();
        let (Some(shape), Some(axes)) = (x.shape, inferred.known(facts)) else { return Ok(known(x.dtype, None)) };
        let gone = match axes.as_deref() {
            a if none(a) => {
                if noop {
                    SmallVec::new()
                } else {
                    (0..shape.len()).collect()
                }
            }
            Some(axes) => axes_of(axes, shape.len())?,
            None => SmallVec::new(),
        };
        Ok(known(x.dtype, Some(without(&shape, &gone, keepdims))))
    })
    .done()
}

/// A shape without some axes.
fn without(shape: &[Dim], gone: &[usize], keepdims: bool) -> Vec<Dim> {
    let left = shape.iter().enumerate().filter(|(i, _)| keepdims || !gone.contains(i));
    left.map(|(i, d)| if gone.contains(&i) { Dim::Known(1) } else { d.clone() }).collect()
}

fn arg(spec: &Spec<'_>, f: &'static Reduction) -> Result<Arc<dyn Operator>, Fault> {
    let (axis, keepdims) = (spec.int("axis", 0)?, spec.flag("keepdims", true)?);
    let last = spec.flag("select_last_index", false)?;
    Op::new(spec, move |cx| {
        let x = array(cx, 0)?;
        let at = axis_of(axis, x.rank())?;
        let args = ReduceArgs { axes: (at as isize).into(), keepdims, correction: 0.0 };
        let y = if last {
            let found = f.call(cx.lane(), x.flip(at as isize)?.data(), &args)?;
            Array::full(&[], (x.shape()[at] as i64 - 1).max(0), DType::I64)?.subtract(&found)?
        } else {
            f.call(cx.lane(), x.data(), &args)?.into()
        };
        cx.set(0, y);
        Ok(())
    })
    .infer(move |facts, _| {
        let Some(shape) = fact(facts, 0).and_then(|f| f.shape.clone()) else {
            return Ok(vec![Fact::of_dtype(DType::I64)]);
        };
        let at = axis_of(axis, shape.len())?;
        Ok(known(Some(DType::I64), Some(without(&shape, &[at], keepdims))))
    })
    .done()
}

type Scan = fn(&Array, isize) -> Result<Array, freelane_ops::OpsError>;

fn cumulative(spec: &Spec<'_>, f: Scan, start: i64) -> Result<Arc<dyn Operator>, Fault> {
    let (exclusive, reverse) = (spec.flag("exclusive", false)?, spec.flag("reverse", false)?);
    Op::new(spec, move |cx| {
        let x = array(cx, 0)?;
        let at = axis_of(int_of(cx, 1)?.unwrap_or(0), x.rank())?;
        let axis = at as isize;
        let mut y = if reverse { x.flip(axis)? } else { x.clone() };
        y = f(&y, axis)?.astype(x.dtype())?;
        if exclusive && x.shape()[at] > 0 {
            let mut shape = x.shape().to_vec();
            shape[at] = 1;
            let mut index: SmallVec<[Index; 8]> = SmallVec::from_elem(Slice::all().into(), at);
            index.push(Slice { start: None, stop: Some(-1), step: 1 }.into());
            let value: Scalar = if x.dtype().is_inexact() { Scalar::Float(start as f64) } else { start.into() };
            y = concat(&[&Array::full(&shape, value, x.dtype())?, &y.index(&index)?], axis)?;
        }
        cx.set(0, if reverse { y.flip(axis)? } else { y });
        Ok(())
    })
    .like_input()
    .done()
}
