//! Arrays put together, cut apart, and made larger.
use super::given::{Few, Ints, area_of, array, axes_of, axis_of, fact, int_of, known, length_of, listed};
use super::{Op, Row, Spec, row};
use crate::Fault;
use freelane_array::{ArrayData, DType, Index, Slice};
use freelane_graph::{Dim, Fact, GraphError, Operator, Run};
use freelane_ops::{Array, Pad, Scalar, concat, nonzero};
use smallvec::SmallVec;
use std::sync::Arc;

pub(super) const ROWS: &[Row] = &[
    row("CenterCropPad", 18, center_crop_pad),
    row("Compress", 9, compress),
    row("Concat", 1, concatenate),
    row("Pad", 1, pad),
    row("ReverseSequence", 10, reverse_sequence),
    row("Slice", 1, slice),
    row("Split", 1, split),
    row("Tile", 6, tile),
    row("Trilu", 14, trilu),
];

fn concatenate(spec: &Spec<'_>) -> Result<Arc<dyn Operator>, Fault> {
    let axis = match spec.int_or_none("axis")? {
        Some(axis) => axis,
        None if spec.opset < 4 => 1,
        None => return Err(Fault::Invalid("attribute axis is missing".to_owned())),
    };
    Op::new(spec, move |cx| {
        let arrays = (0..cx.len()).map(|i| array(cx, i)).collect::<Result<SmallVec<[&Array; 8]>, _>>()?;
        let y = concat(&arrays, axis as isize)?;
        cx.set(0, y);
        Ok(())
    })
    .infer(move |facts, _| {
        let dtype = fact(facts, 0).and_then(|f| f.dtype);
        let shapes: Option<Vec<&Vec<Dim>>> = facts.iter().map(|f| f.as_ref()?.shape.as_ref()).collect();
        let Some(shapes) = shapes.filter(|s| !s.is_empty()) else { return Ok(known(dtype, None)) };
        let axis = axis_of(axis, shapes[0].len())?;
        let mut shape = shapes[0].clone();
        for other in &shapes[1..] {
            if other.len() != shape.len() {
                return Err(GraphError::invalid(format!("arrays of {} and {} axes", shape.len(), other.len())));
            }
            for (i, (a, b)) in shape.iter_mut().zip(*other).enumerate() {
                *a = match (&*a, b) {
                    (Dim::Known(a), Dim::Known(b)) if i == axis => a.checked_add(*b).map_or(Dim::Unknown, Dim::Known),
                    _ if i == axis => Dim::Unknown,
                    (Dim::Known(a), _) | (_, Dim::Known(a)) => Dim::Known(*a),
                    (a, _) => a.clone(),
                };
            }
        }
        Ok(known(dtype, Some(shape)))
    })
    .done()
}

/// What a slice says.
#[derive(Clone)]
struct Cut {
    starts: Ints,
    ends: Ints,
    axes: Ints,
    steps: Ints,
}

/// A range of one axis: first index, how many, step.
fn range(n: usize, start: i64, end: i64, step: i64) -> Result<(i64, usize, i64), GraphError> {
    if step == 0 {
        return Err(GraphError::invalid("a step cannot be 0"));
    }
    let n = n as i64;
    let place = |i: i64| if i < 0 { i.saturating_add(n) } else { i };
    let (low, high) = if step > 0 { (0, n) } else { (-1, n - 1) };
    let (start, end) = (place(start).clamp(low.max(0), high.max(0)), place(end).clamp(low, high.max(low)));
    let span = if step > 0 { end - start } else { start - end };
    let count = if span <= 0 || n == 0 { 0 } else { (span - 1) / step.checked_abs().unwrap_or(i64::MAX) + 1 };
    Ok((start, count as usize, step))
}

/// An axis, and where a piece of it starts and ends, and its step.
type Piece = (usize, i64, i64, i64);

impl Cut {
    fn of(spec: &Spec<'_>) -> Result<Cut, Fault> {
        Ok(Cut {
            starts: Ints::of(spec, "starts", 1, 10)?,
            ends: Ints::of(spec, "ends", 2, 10)?,
            axes: Ints::of(spec, "axes", 3, 10)?,
            steps: if spec.opset >= 10 { Ints::of(spec, "steps", 4, 10)? } else { Ints::Absent },
        })
    }

    /// Start, end and step of each axis that is cut.
    fn parts([starts, ends, axes, steps]: [Option<Few>; 4], rank: usize) -> Result<SmallVec<[Piece; 4]>, GraphError> {
        let (Some(starts), Some(ends)) = (starts, ends) else {
            return Err(GraphError::invalid("starts or ends are missing"));
        };
        let axes = axes.unwrap_or_else(|| (0..starts.len() as i64).collect());
        let steps = steps.unwrap_or_else(|| SmallVec::from_elem(1, starts.len()));
        if [ends.len(), axes.len(), steps.len()].iter().any(|&n| n != starts.len()) {
            return Err(GraphError::invalid("starts, ends, axes and steps have different lengths"));
        }
        let axes = axes_of(&axes, rank)?;
        Ok((0..starts.len()).map(|i| (axes[i], starts[i], ends[i], steps[i])).collect())
    }
}

fn slice(spec: &Spec<'_>) -> Result<Arc<dyn Operator>, Fault> {
    let cut = Cut::of(spec)?;
    let inferred = cut.clone();
    Op::new(spec, move |cx| {
        let x = array(cx, 0)?;
        let given = [cut.starts.get(cx)?, cut.ends.get(cx)?, cut.axes.get(cx)?, cut.steps.get(cx)?];
        let mut index: SmallVec<[Index; 8]> = SmallVec::from_elem(Slice::all().into(), x.rank());
        for (axis, start, end, step) in Cut::parts(given, x.rank())? {
            let (first, count, step) = range(x.shape()[axis], start, end, step)?;
            index[axis] = if count == 0 {
                Slice { start: Some(0), stop: Some(0), step: 1 }.into()
            } else {
                // One past the last, which the count decides; before the first element there is no number to say so.
                let stop = first as i128 + count as i128 * step as i128;
                let stop = isize::try_from(stop).unwrap_or(if step > 0 { isize::MAX } else { -1 });
                let stop = if stop < 0 { None } else { Some(stop) };
                Slice { start: Some(first as isize), stop, step: step as isize }.into()
            };
        }
        let y = x.index(&index)?;
        cx.set(0, y);
        Ok(())
    })
    .infer(move |facts, _| {
        let x = fact(facts, 0).cloned().unwrap_or_default();
        let Some(mut shape) = x.shape else { return Ok(known(x.dtype, None)) };
        let c = &inferred;
        let axes = c.axes.known(facts);
        let all = (c.starts.known(facts), c.ends.known(facts), axes.clone(), c.steps.known(facts));
        if let (Some(starts), Some(ends), Some(axes), Some(steps)) = all {
            for (axis, start, end, step) in Cut::parts([starts, ends, axes, steps], shape.len())? {
                let n = shape[axis].known();
                shape[axis] = match n {
                    Some(n) => Dim::Known(range(n, start, end, step)?.1),
                    None => Dim::Unknown,
                };
            }
        } else if let Some(Some(axes)) = axes {
            axes_of(&axes, shape.len())?.iter().for_each(|&a| shape[a] = Dim::Unknown);
        } else {
            shape.fill(Dim::Unknown);
        }
        Ok(known(x.dtype, Some(shape)))
    })
    .done()
}

/// Lengths of the parts of an axis.
fn parts(n: usize, given: Option<&[i64]>, count: usize, even: bool) -> Result<Vec<usize>, GraphError> {
    let lengths = match given {
        Some(given) => given.iter().map(|&n| length_of(n)).collect::<Result<Vec<_>, _>>()?,
        None => {
            let each = if even { n / count.max(1) } else { n.div_ceil(count.max(1)) };
            (0..count).map(|i| each.min(n.saturating_sub(i * each))).collect()
        }
    };
    if lengths.len() < count || lengths.iter().fold(0usize, |t, &l| t.saturating_add(l)) != n {
        return Err(GraphError::invalid(format!("{n} elements cannot be split into {count} parts as {lengths:?}")));
    }
    Ok(lengths)
}

fn split(spec: &Spec<'_>) -> Result<Arc<dyn Operator>, Fault> {
    let axis = spec.int("axis", 0)?;
    let lengths = match spec.opset {
        1 if spec.has(1) => Ints::Input(1),
        _ => Ints::of(spec, "split", 1, 13)?,
    };
    let count = spec.outputs.len();
    let even = spec.opset < 18;
    if let Some(n) = if even { None } else { spec.int_or_none("num_outputs")? }
        && n != count as i64
    {
        return Err(Fault::Invalid(format!("attribute num_outputs is {n}, the node has {count} outputs")));
    }
    let inferred = lengths.clone();
    Op::new(spec, move |cx| {
        let x = array(cx, 0)?;
        let at = axis_of(axis, x.rank())?;
        let mut from = 0;
        for (i, n) in parts(x.shape()[at], lengths.get(cx)?.as_deref(), cx.outputs(), even)?.into_iter().enumerate() {
            let mut index: SmallVec<[Index; 8]> = SmallVec::from_elem(Slice::all().into(), at);
            index.push(Slice { start: Some(from), stop: Some(from + n as isize), step: 1 }.into());
            from += n as isize;
            cx.set(i, x.index(&index)?);
        }
        Ok(())
    })
    .infer(move |facts, outputs| {
        let x = fact(facts, 0).cloned().unwrap_or_default();
        let blank = Fact { dtype: x.dtype, ..Fact::default() };
        let Some(shape) = x.shape else { return Ok(vec![blank; outputs]) };
        let at = axis_of(axis, shape.len())?;
        let lengths = match (shape[at].known(), inferred.known(facts)) {
            (Some(n), Some(given)) => parts(n, given.as_deref(), outputs, even)?.into_iter().map(Dim::Known).collect(),
            _ => vec![Dim::Unknown; outputs],
        };
        let with = |n: Dim| {
            let mut shape = shape.clone();
            shape[at] = n;
            Fact { shape: Some(shape), ..blank.clone() }
        };
        Ok(lengths.into_iter().take(outputs).map(with).collect())
    })
    .done()
}

fn pad(spec: &Spec<'_>) -> Result<Arc<dyn Operator>, Fault> {
    let mode = spec.word("mode", "constant", &["constant", "reflect", "edge", "wrap"])?;
    let widths = if spec.opset == 1 { Ints::of(spec, "paddings", 1, 2)? } else { Ints::of(spec, "pads", 1, 11)? };
    let fixed = if spec.opset < 11 { spec.float("value", 0.0)? } else { 0.0 };
    let by_input = spec.opset >= 11;
    let axes = if by_input && spec.has(3) { Ints::Input(3) } else { Ints::Absent };
    let (inferred, inferred_axes) = (widths.clone(), axes.clone());
    Op::new(spec, move |cx| {
        let x = array(cx, 0)?;
        let pads = widths.get(cx)?.ok_or_else(|| GraphError::invalid("the widths are missing"))?;
        let pads = per_axis(&pads, axes.get(cx)?.as_deref(), x.rank())?;
        let with = match mode {
            0 => Pad::Constant(match if by_input { cx.array_or_none(2)? } else { None } {
                Some(value) => scalar_of(value)?,
                None if x.dtype().is_inexact() => f64::from(fixed).into(),
                None if x.dtype() == DType::Bool => false.into(),
                None => (fixed as i64).into(),
            }),
            1 => Pad::Reflect,
            2 => Pad::Edge,
            _ => Pad::Wrap,
        };
        let mut cropped: SmallVec<[Index; 8]> = SmallVec::new();
        let mut widths: SmallVec<[(usize, usize); 8]> = SmallVec::new();
        for (&ends, &n) in pads.iter().zip(x.shape()) {
            let (kept, added) = ends_of(n, ends)?;
            cropped.push(kept.into());
            widths.push(added);
        }
        let inner = if pads.iter().any(|&(b, a)| b < 0 || a < 0) { &x.index(&cropped)? } else { x };
        let y = if widths.iter().all(|w| *w == (0, 0)) { inner.clone() } else { inner.pad(&widths, with)? };
        cx.set(0, y);
        Ok(())
    })
    .infer(move |facts, _| {
        let x = fact(facts, 0).cloned().unwrap_or_default();
        let Some(shape) = x.shape else { return Ok(known(x.dtype, None)) };
        let (Some(Some(pads)), Some(axes)) = (inferred.known(facts), inferred_axes.known(facts)) else {
            return Ok(known(x.dtype, Some(vec![Dim::Unknown; shape.len()])));
        };
        let pads = per_axis(&pads, axes.as_deref(), shape.len())?;
        let longer = |(d, &(before, after)): (&Dim, &(i64, i64))| match d.known() {
            _ if (before, after) == (0, 0) => d.clone(),
            Some(n) => usize::try_from(n as i64 + before + after).map_or(Dim::Unknown, Dim::Known),
            None => Dim::Unknown,
        };
        Ok(known(x.dtype, Some(shape.iter().zip(&pads).map(longer).collect())))
    })
    .done()
}

/// What is kept of an axis, and the widths that are put before and behind it. A crop that takes more than the axis has takes the
/// rest from what is put at the other end.
fn ends_of(n: usize, (before, after): (i64, i64)) -> Result<(Slice, (usize, usize)), GraphError> {
    let length = n as i64;
    let total = length.saturating_add(before).saturating_add(after);
    if total < 0 {
        return Err(GraphError::invalid(format!("widths {before} and {after} leave {total} of an axis of {n}")));
    }
    let start = before.saturating_neg().clamp(0, length);
    let stop = length.saturating_add(after.min(0)).clamp(start, length);
    let added = total - (stop - start);
    let ahead = before.max(0).min(added);
    let kept = Slice { start: Some(start as isize), stop: Some(stop as isize), step: 1 };
    Ok((kept, (ahead as usize, (added - ahead) as usize)))
}

/// Widths before and after each axis.
fn per_axis(pads: &[i64], axes: Option<&[i64]>, rank: usize) -> Result<SmallVec<[(i64, i64); 8]>, GraphError> {
    let all: Few = (0..rank as i64).collect();
    let axes = axes_of(axes.unwrap_or(&all), rank)?;
    if pads.len() != 2 * axes.len() {
        return Err(GraphError::invalid(format!("{} widths for {} axes, which take two each", pads.len(), axes.len())));
    }
    if let Some(wide) = pads.iter().find(|p| p.unsigned_abs() > 1 << 40) {
        return Err(GraphError::invalid(format!("a width of {wide} is beyond all memory")));
    }
    let mut widths = SmallVec::from_elem((0, 0), rank);
    axes.iter().enumerate().for_each(|(i, &a)| widths[a] = (pads[i], pads[i + axes.len()]));
    Ok(widths)
}

/// The number that an array of one element holds. Nothing is copied: others may look at the array at the same time.
fn scalar_of(value: &ArrayData) -> Result<Scalar, GraphError> {
    Ok(match value.dtype() {
        DType::F32 => Scalar::Float(value.view::<f32>()?.iter().next().unwrap_or(0.0).into()),
        DType::F64 => Scalar::Float(value.view::<f64>()?.iter().next().unwrap_or(0.0)),
        DType::I64 => value.view::<i64>()?.iter().next().unwrap_or(0).into(),
        _ => Array::from(value.clone()).to_scalar()?,
    })
}

fn tile(spec: &Spec<'_>) -> Result<Arc<dyn Operator>, Fault> {
    Op::new(spec, |cx| {
        let x = array(cx, 0)?;
        let times = super::given::lengths_of(&super::ints_of(cx.array(1)?)?)?;
        let y = x.tile(&times)?;
        cx.set(0, y);
        Ok(())
    })
    .infer(|facts, _| {
        let x = fact(facts, 0).cloned().unwrap_or_default();
        let Some(shape) = x.shape else { return Ok(known(x.dtype, None)) };
        let Some(Some(times)) = Ints::Input(1).known(facts) else {
            return Ok(known(x.dtype, Some(vec![Dim::Unknown; shape.len()])));
        };
        if times.len() != shape.len() {
            return Err(GraphError::invalid(format!("{} repeats for {} axes", times.len(), shape.len())));
        }
        let longer = |(d, &t): (&Dim, &i64)| match d.known() {
            Some(n) => length_of(t).map(|t| n.checked_mul(t).map_or(Dim::Unknown, Dim::Known)),
            None => Ok(if t == 1 { d.clone() } else { Dim::Unknown }),
        };
        Ok(known(x.dtype, Some(shape.iter().zip(&times).map(longer).collect::<Result<_, _>>()?)))
    })
    .done()
}

fn trilu(spec: &Spec<'_>) -> Result<Arc<dyn Operator>, Fault> {
    let upper = spec.flag("upper", true)?;
    Op::new(spec, move |cx| {
        let x = array(cx, 0)?;
        let k = int_of(cx, 1)?.unwrap_or(0) as isize;
        let y = if upper { x.triu(k)? } else { x.tril(k)? };
        cx.set(0, y);
        Ok(())
    })
    .like_input()
    .done()
}

fn compress(spec: &Spec<'_>) -> Result<Arc<dyn Operator>, Fault> {
    let axis = spec.int_or_none("axis")?;
    Op::new(spec, move |cx| {
        let x = array(cx, 0)?;
        let (x, axis) = match axis {
            Some(axis) => (x, axis as isize),
            None => (&x.ravel()?, 0),
        };
        let places = nonzero(array(cx, 1)?)?;
        let places = places.first().ok_or_else(|| GraphError::invalid("the condition must have one axis"))?;
        let y = x.take(places, axis)?;
        cx.set(0, y);
        Ok(())
    })
    .of_input_dtype()
    .done()
}

fn reverse_sequence(spec: &Spec<'_>) -> Result<Arc<dyn Operator>, Fault> {
    let (batch, time) = (spec.int("batch_axis", 1)?, spec.int("time_axis", 0)?);
    Op::new(spec, move |cx| {
        let x = array(cx, 0)?;
        let (batch, time) = (axis_of(batch, x.rank())?, axis_of(time, x.rank())?);
        let lengths = super::ints_of(cx.array(1)?)?;
        let n = x.shape()[time] as i64;
        if batch == time || lengths.len() != x.shape()[batch] || lengths.iter().any(|&l| !(0..=n).contains(&l)) {
            return Err(GraphError::invalid(format!("lengths {lengths:?} do not fit the shape {:?}", x.shape())));
        }
        let from = |t: i64, l: i64| if t < l { l - 1 - t } else { t };
        // Numbers along the time axis, one row each, for each sequence of the batch.
        let count = area_of(x.shape()[time], lengths.len())?;
        let places = if time < batch {
            listed(count, (0..n).flat_map(|t| lengths.iter().map(move |&l| from(t, l))))?
        } else {
            listed(count, lengths.iter().flat_map(|&l| (0..n).map(move |t| from(t, l))))?
        };
        let mut shape = vec![1isize; x.rank()];
        (shape[time], shape[batch]) = (n as isize, lengths.len() as isize);
        let y = x.take_along_axis(&Array::from_slice(&places)?.reshape(&shape)?, time as isize)?;
        cx.set(0, y);
        Ok(())
    })
    .like_input()
    .done()
}

fn center_crop_pad(spec: &Spec<'_>) -> Result<Arc<dyn Operator>, Fault> {
    let axes: Option<Few> = spec.ints("axes")?.map(Into::into);
    let run = move |cx: &mut Run<'_>| {
        let x = array(cx, 0)?;
        let lengths = super::ints_of(cx.array(1)?)?;
        let all: Few = (0..x.rank() as i64).collect();
        let axes = axes_of(axes.as_deref().unwrap_or(&all), x.rank())?;
        let mut widths = vec![(0, 0); x.rank()];
        let mut index: Vec<Index> = vec![Slice::all().into(); x.rank()];
        for (&axis, &length) in axes.iter().zip(&lengths) {
            let (n, length) = (x.shape()[axis], length_of(length)?);
            if length > n {
                widths[axis] = ((length - n) / 2, length - n - (length - n) / 2);
            } else {
                let start = ((n - length) / 2) as isize;
                index[axis] = Slice { start: Some(start), stop: Some(start + length as isize), step: 1 }.into();
            }
        }
        let x = x.index(&index)?;
        let zero = Array::zeros(&[], x.dtype())?.to_scalar()?;
        cx.set(0, x.pad(&widths, Pad::Constant(zero))?);
        Ok(())
    };
    Op::new(spec, run).of_input_dtype().done()
}
