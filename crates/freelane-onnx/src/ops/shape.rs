//! Shapes: the same elements under other axes.
use super::given::{Few, Ints, array, axes_of, axis_of, dims_of, fact, known, lengths_of};
use super::{Op, Row, Spec, row};
use crate::Fault;
use freelane_array::DType;
use freelane_graph::{Dim, Fact, GraphError, Operator, broadcast_dims};
use freelane_ops::Array;
use smallvec::SmallVec;
use std::sync::Arc;

/// Sides of the largest block of pixels that becomes channels.
const MOST_BLOCK: usize = 1 << 16;

pub(super) const ROWS: &[Row] = &[
    row("DepthToSpace", 1, depth_to_space),
    row("Expand", 8, expand),
    row("Flatten", 1, flatten),
    row("Identity", 1, identity),
    row("Reshape", 1, reshape),
    row("Shape", 1, shape),
    row("Size", 1, size),
    row("SpaceToDepth", 1, space_to_depth),
    row("Squeeze", 1, squeeze),
    row("Transpose", 1, transpose),
    row("Unsqueeze", 1, unsqueeze),
];

/// The input itself.
pub(super) fn identity(spec: &Spec<'_>) -> Result<Arc<dyn Operator>, Fault> {
    Op::new(spec, |cx| {
        let x = cx.datum(0).ok_or_else(|| GraphError::invalid("input 0 is missing"))?.clone();
        cx.set(0, x);
        Ok(())
    })
    .like_input()
    .done()
}

fn reshape(spec: &Spec<'_>) -> Result<Arc<dyn Operator>, Fault> {
    spec.ignore("consumed_inputs");
    let target = Ints::of(spec, "shape", 1, 5)?;
    let keep_zero = spec.flag("allowzero", false)?;
    let inferred = target.clone();
    Op::new(spec, move |cx| {
        let x = array(cx, 0)?;
        let to = target.get(cx)?.ok_or_else(|| GraphError::invalid("the shape is missing"))?;
        let shape = lengths(&to, x.shape(), keep_zero)?;
        let y = x.reshape(&shape)?;
        cx.set(0, y);
        Ok(())
    })
    .infer(move |facts, _| {
        let x = fact(facts, 0).cloned().unwrap_or_default();
        let shape = match inferred.known(facts).flatten() {
            Some(to) => Some(resolved(&to, x.shape.as_deref().unwrap_or_default(), keep_zero || x.shape.is_none())?),
            None => inferred.count(facts).map(|n| vec![Dim::Unknown; n]),
        };
        // Zeros stand for lengths of the input: without these, nothing is known of them.
        let vague = x.shape.is_none() && !keep_zero;
        let blur = |d: Dim| if vague && d == Dim::Known(0) { Dim::Unknown } else { d };
        Ok(known(x.dtype, shape.map(|s| s.into_iter().map(blur).collect())))
    })
    .done()
}

/// The lengths that `to` asks for: 0 stands for the array's length, -1 for what is left.
fn lengths(to: &[i64], from: &[usize], keep_zero: bool) -> Result<SmallVec<[isize; 8]>, GraphError> {
    let missing =
        |i| GraphError::invalid(format!("length {i} is to be that of the input, which has {} axes", from.len()));
    let one = |(i, &n): (usize, &i64)| match n {
        0 if !keep_zero => from.get(i).map(|&n| n as isize).ok_or_else(|| missing(i)),
        -1 => Ok(-1),
        n => super::given::length_of(n).map(|n| n as isize),
    };
    to.iter().enumerate().map(one).collect()
}

/// The shape that `to` asks for: 0 stands for the input's length, -1 for what is left.
fn resolved(to: &[i64], from: &[Dim], keep_zero: bool) -> Result<Vec<Dim>, GraphError> {
    let mut shape = Vec::with_capacity(to.len());
    for (i, &n) in to.iter().enumerate() {
        shape.push(match n {
            -1 => Dim::Unknown,
            0 if !keep_zero => from.get(i).cloned().ok_or_else(|| {
                GraphError::invalid(format!("length {i} is to be that of the input, which has {} axes", from.len()))
            })?,
            n => Dim::Known(super::given::length_of(n)?),
        });
    }
    match to.iter().filter(|&&n| n == -1).count() {
        0 | 1 => {}
        n => return Err(GraphError::invalid(format!("{n} lengths are to be computed; only one can be"))),
    }
    let total: Option<usize> = from.iter().map(Dim::known).try_fold(1usize, |t, d| t.checked_mul(d?));
    let known: Option<usize> =
        shape.iter().zip(to).filter(|(_, n)| **n != -1).try_fold(1usize, |t, (d, _)| t.checked_mul(d.known()?));
    if let (Some(total), Some(known), Some(i)) = (total, known, to.iter().position(|&n| n == -1))
        && !from.is_empty()
    {
        if known == 0 || total % known != 0 {
            return Err(GraphError::invalid(format!("{total} elements cannot have the shape {to:?}")));
        }
        shape[i] = Dim::Known(total / known);
    } else if let (true, Some(i)) = (from.is_empty() && !keep_zero, to.iter().position(|&n| n == -1)) {
        shape[i] = Dim::Known(1);
    }
    Ok(shape)
}

fn flatten(spec: &Spec<'_>) -> Result<Arc<dyn Operator>, Fault> {
    let axis = spec.int("axis", 1)?;
    let split = move |rank: usize| -> Result<usize, GraphError> {
        if axis == rank as i64 { Ok(rank) } else { axis_of(axis, rank.max(1)) }
    };
    Op::new(spec, move |cx| {
        let x = array(cx, 0)?;
        let at = split(x.rank())?;
        let of = |dims: &[usize]| dims.iter().product::<usize>() as isize;
        let y = x.reshape(&[of(&x.shape()[..at]), of(&x.shape()[at..])])?;
        cx.set(0, y);
        Ok(())
    })
    .infer(move |facts, _| {
        let x = fact(facts, 0).cloned().unwrap_or_default();
        let Some(shape) = x.shape else { return Ok(known(x.dtype, Some(vec![Dim::Unknown; 2]))) };
        let at = split(shape.len())?;
        let of = |dims: &[Dim]| match dims {
            [one] => one.clone(),
            dims => dims.iter().map(Dim::known).try_fold(1, |t, d| Some(t * d?)).map_or(Dim::Unknown, Dim::Known),
        };
        Ok(known(x.dtype, Some(vec![of(&shape[..at]), of(&shape[at..])])))
    })
    .done()
}

fn squeeze(spec: &Spec<'_>) -> Result<Arc<dyn Operator>, Fault> {
    let axes = Ints::of(spec, "axes", 1, 13)?;
    let inferred = axes.clone();
    Op::new(spec, move |cx| {
        let x = array(cx, 0)?;
        let axes: SmallVec<[isize; 8]> = match axes.get(cx)? {
            Some(axes) => axes_of(&axes, x.rank())?.iter().map(|&a| a as isize).collect(),
            None => (0..x.rank()).filter(|&a| x.shape()[a] == 1).map(|a| a as isize).collect(),
        };
        let y = x.squeeze(&axes)?;
        cx.set(0, y);
        Ok(())
    })
    .infer(move |facts, _| {
        let x = fact(facts, 0).cloned().unwrap_or_default();
        let (Some(shape), Some(axes)) = (&x.shape, inferred.known(facts)) else { return Ok(known(x.dtype, None)) };
        let gone = match axes {
            Some(axes) => axes_of(&axes, shape.len())?,
            None if shape.iter().any(|d| d.known().is_none()) => return Ok(known(x.dtype, None)),
            None => (0..shape.len()).filter(|&a| shape[a] == Dim::Known(1)).collect(),
        };
        let left = shape.iter().enumerate().filter(|(i, _)| !gone.contains(i)).map(|(_, d)| d.clone()).collect();
        Ok(known(x.dtype, Some(left)))
    })
    .done()
}

fn unsqueeze(spec: &Spec<'_>) -> Result<Arc<dyn Operator>, Fault> {
    let axes = Ints::of(spec, "axes", 1, 13)?;
    let inferred = axes.clone();
    Op::new(spec, move |cx| {
        let axes = axes.get(cx)?.ok_or_else(|| GraphError::invalid("the axes are missing"))?;
        let mut x = array(cx, 0)?.clone();
        let mut axes = axes_of(&axes, x.rank() + axes.len())?;
        axes.sort_unstable();
        for a in axes {
            x = x.expand_dims(a as isize)?;
        }
        cx.set(0, x);
        Ok(())
    })
    .infer(move |facts, _| {
        let x = fact(facts, 0).cloned().unwrap_or_default();
        let (Some(mut shape), Some(Some(axes))) = (x.shape, inferred.known(facts)) else {
            return Ok(known(x.dtype, None));
        };
        let mut axes = axes_of(&axes, shape.len() + axes.len())?;
        axes.sort_unstable();
        axes.iter().for_each(|&a| shape.insert(a, Dim::Known(1)));
        Ok(known(x.dtype, Some(shape)))
    })
    .done()
}

fn transpose(spec: &Spec<'_>) -> Result<Arc<dyn Operator>, Fault> {
    let order: Option<Few> = spec.ints("perm")?.map(Into::into);
    let inferred = order.clone();
    Op::new(spec, move |cx| {
        let x = cx.array(0)?;
        let layout = match &order {
            Some(order) => {
                let order: SmallVec<[isize; 8]> = order.iter().map(|&a| a as isize).collect();
                x.layout().permute(&order)?
            }
            None => x.layout().reverse_axes(),
        };
        let y = x.with_layout(layout)?;
        cx.set(0, y);
        Ok(())
    })
    .infer(move |facts, _| {
        let x = fact(facts, 0).cloned().unwrap_or_default();
        let Some(shape) = x.shape else { return Ok(known(x.dtype, None)) };
        let Some(order) = &inferred else { return Ok(known(x.dtype, Some(shape.into_iter().rev().collect()))) };
        let axes = axes_of(order, shape.len())?;
        if axes.len() != shape.len() {
            return Err(GraphError::invalid(format!("{order:?} is no order of {} axes", shape.len())));
        }
        Ok(known(x.dtype, Some(axes.iter().map(|&a| shape[a].clone()).collect())))
    })
    .done()
}

/// The range of axes that `start` and `end` name: beyond the ends counts as the end.
fn part(rank: usize, start: i64, end: Option<i64>) -> (usize, usize) {
    let place = |a: i64| (if a < 0 { a + rank as i64 } else { a }).clamp(0, rank as i64) as usize;
    let from = place(start);
    (from, end.map_or(rank, place).max(from))
}

fn shape(spec: &Spec<'_>) -> Result<Arc<dyn Operator>, Fault> {
    let (start, end) = (spec.int("start", 0)?, spec.int_or_none("end")?);
    Op::new(spec, move |cx| {
        let shape = cx.array(0)?.layout().shape();
        let (from, to) = part(shape.len(), start, end);
        let lengths: Few = shape[from..to].iter().map(|&n| n as i64).collect();
        let y = Array::from_slice(&lengths)?;
        cx.set(0, y);
        Ok(())
    })
    .infer(move |facts, _| {
        let Some(shape) = fact(facts, 0).and_then(|f| f.shape.as_ref()) else {
            return Ok(known(Some(DType::I64), Some(vec![Dim::Unknown])));
        };
        let (from, to) = part(shape.len(), start, end);
        let lengths: Option<Vec<i64>> = shape[from..to].iter().map(|d| d.known().map(|n| n as i64)).collect();
        Ok(match lengths {
            Some(lengths) => vec![Fact::constant(Array::from_slice(&lengths)?.into())],
            None => known(Some(DType::I64), Some(dims_of(&[to - from]))),
        })
    })
    .done()
}

fn size(spec: &Spec<'_>) -> Result<Arc<dyn Operator>, Fault> {
    Op::new(spec, |cx| {
        let n = cx.array(0)?.layout().len();
        cx.set(0, Array::from_vec(vec![n as i64], &[])?);
        Ok(())
    })
    .infer(|_, _| Ok(known(Some(DType::I64), Some(vec![]))))
    .done()
}

fn expand(spec: &Spec<'_>) -> Result<Arc<dyn Operator>, Fault> {
    Op::new(spec, |cx| {
        let x = array(cx, 0)?;
        let to = lengths_of(&super::ints_of(cx.array(1)?)?)?;
        let shape = freelane_array::broadcast_shapes([x.shape(), &to])?;
        let y = x.broadcast_to(&shape)?;
        cx.set(0, y);
        Ok(())
    })
    .infer(|facts, _| {
        let x = fact(facts, 0).cloned().unwrap_or_default();
        let to = fact(facts, 1);
        let target = match to.and_then(|f| f.constant.as_ref()) {
            Some(to) => Some(dims_of(&lengths_of(&super::ints_of(to)?)?)),
            None => Ints::Input(1).count(facts).map(|n| vec![Dim::Unknown; n]),
        };
        let (Some(from), Some(target)) = (&x.shape, target) else { return Ok(known(x.dtype, None)) };
        let shape = broadcast_dims(&[from, &target])
            .ok_or_else(|| GraphError::invalid(format!("{x} cannot be stretched to {target:?}")))?;
        Ok(known(x.dtype, Some(shape)))
    })
    .done()
}

/// The length of a block's sides.
fn block_of(spec: &Spec<'_>) -> Result<usize, Fault> {
    let block = spec.int("blocksize", 0)?;
    let fits = usize::try_from(block).ok().filter(|b| (1..=MOST_BLOCK).contains(b));
    fits.ok_or_else(|| Fault::Invalid(format!("attribute blocksize is {block}, not from 1 to {MOST_BLOCK}")))
}

/// An image's shape.
fn image(x: &Array) -> Result<[usize; 4], GraphError> {
    match *x.shape() {
        [n, c, h, w] => Ok([n, c, h, w]),
        _ => Err(GraphError::invalid(format!("needs four axes, found {:?}", x.shape()))),
    }
}

/// A length times a block, or its area.
fn widened(n: usize, by: usize) -> Result<usize, GraphError> {
    n.checked_mul(by).ok_or_else(|| GraphError::invalid(format!("an axis of {n} times {by} is too long")))
}

fn reshaped(x: &Array, shape: &[usize]) -> Result<Array, GraphError> {
    let shape: Vec<isize> = shape.iter().map(|&n| n as isize).collect();
    Ok(x.reshape(&shape)?)
}

fn depth_to_space(spec: &Spec<'_>) -> Result<Arc<dyn Operator>, Fault> {
    let b = block_of(spec)?;
    let column_first = spec.word("mode", "DCR", &["DCR", "CRD"])? == 1;
    Op::new(spec, move |cx| {
        let x = array(cx, 0)?;
        let [n, c, h, w] = image(x)?;
        let depth = c / (b * b);
        let y = if column_first {
            reshaped(x, &[n, depth, b, b, h, w])?.permute_dims(&[0, 1, 4, 2, 5, 3])?
        } else {
            reshaped(x, &[n, b, b, depth, h, w])?.permute_dims(&[0, 3, 4, 1, 5, 2])?
        };
        cx.set(0, reshaped(&y, &[n, depth, widened(h, b)?, widened(w, b)?])?);
        Ok(())
    })
    .of_input_dtype()
    .done()
}

fn space_to_depth(spec: &Spec<'_>) -> Result<Arc<dyn Operator>, Fault> {
    let b = block_of(spec)?;
    let column_first = spec.word("mode", "DCR", &["DCR", "CRD"])? == 1;
    Op::new(spec, move |cx| {
        let x = array(cx, 0)?;
        let [n, c, h, w] = image(x)?;
        let y = reshaped(x, &[n, c, h / b, b, w / b, b])?;
        let order: [isize; 6] = if column_first { [0, 1, 3, 5, 2, 4] } else { [0, 3, 5, 1, 2, 4] };
        let y = y.permute_dims(&order)?;
        cx.set(0, reshaped(&y, &[n, widened(c, b * b)?, h / b, w / b])?);
        Ok(())
    })
    .of_input_dtype()
    .done()
}
