//! Elements by number: read, and written.
use super::given::{area_of, array, axis_of, fact, known, listed, steps};
use super::{Op, Row, Spec, ints_of, row};
use crate::Fault;
use freelane_array::{DType, Element, Index, Slice};
use freelane_graph::{Dim, Fact, GraphError, Operator, Run};
use freelane_ops::Array;
use half::{bf16, f16};
use std::sync::Arc;

pub(super) const ROWS: &[Row] = &[
    row("Gather", 1, gather),
    row("GatherElements", 11, gather_elements),
    row("GatherND", 11, gather_nd),
    row("Scatter", 9, scatter_elements),
    row("ScatterElements", 11, scatter_elements),
    row("ScatterND", 11, scatter_nd),
    row("TensorScatter", 24, tensor_scatter),
];

/// Elements taken along an axis, by their places.
pub(crate) struct Gather {
    /// The axis, counted from the end where it is negative.
    pub axis: i64,
    key: Option<String>,
}

fn gather(spec: &Spec<'_>) -> Result<Arc<dyn Operator>, Fault> {
    Ok(Arc::new(Gather { axis: spec.int("axis", 0)?, key: spec.key() }))
}

impl Operator for Gather {
    fn name(&self) -> &str {
        "Gather"
    }

    fn infer(&self, facts: &[Option<&Fact>], _: usize) -> Result<Vec<Fact>, GraphError> {
        let x = fact(facts, 0).cloned().unwrap_or_default();
        let (Some(shape), Some(places)) = (x.shape, fact(facts, 1).and_then(|f| f.shape.clone())) else {
            return Ok(known(x.dtype, None));
        };
        let axis = axis_of(self.axis, shape.len())?;
        let shape = [&shape[..axis], &places, &shape[axis + 1..]].concat();
        Ok(known(x.dtype, Some(shape)))
    }

    fn run(&self, cx: &mut Run<'_>) -> Result<(), GraphError> {
        let y = array(cx, 0)?.take(array(cx, 1)?, self.axis as isize)?;
        cx.set(0, y);
        Ok(())
    }

    fn key(&self) -> Option<String> {
        self.key.clone()
    }
}

fn gather_elements(spec: &Spec<'_>) -> Result<Arc<dyn Operator>, Fault> {
    let axis = spec.int("axis", 0)?;
    Op::new(spec, move |cx| {
        let (x, places) = (array(cx, 0)?, array(cx, 1)?);
        let at = axis_of(axis, x.rank())?;
        // Of the other axes, as much as there are numbers for.
        let part = |(i, (&n, &d)): (usize, (&usize, &usize))| -> Index {
            if i == at || n >= d { Slice::all() } else { Slice { start: None, stop: Some(n as isize), step: 1 } }.into()
        };
        let index: Vec<Index> = places.shape().iter().zip(x.shape()).enumerate().map(part).collect();
        let y = x.index(&index)?.take_along_axis(places, at as isize)?;
        cx.set(0, y);
        Ok(())
    })
    .infer(|facts, _| Ok(known(fact(facts, 0).and_then(|f| f.dtype), fact(facts, 1).and_then(|f| f.shape.clone()))))
    .done()
}

/// The place of a part of an array that each tuple of numbers along the last axis names.
struct Places {
    /// One place for each tuple, counted in parts.
    at: Vec<i64>,
    /// Number of axes that a tuple names, those of the batch included.
    named: usize,
    /// The shape of all tuples.
    outer: Vec<usize>,
}

impl Places {
    fn of(x: &Array, indices: &Array, batch: usize) -> Result<Places, GraphError> {
        let Some((&width, outer)) = indices.shape().split_last() else {
            return Err(GraphError::invalid("the indices need an axis"));
        };
        let named = batch + width;
        if named > x.rank() || batch > outer.len() || outer[..batch] != x.shape()[..batch] {
            let (found, shape) = (indices.shape(), x.shape());
            return Err(GraphError::invalid(format!("indices of shape {found:?} do not fit data of shape {shape:?}")));
        }
        let step = steps(&x.shape()[..named]);
        let per_batch = outer[batch..].iter().product::<usize>().max(1);
        let numbers = ints_of(indices.data())?;
        let count = outer.iter().try_fold(1, |n, &d| area_of(n, d))?;
        let mut at = listed(count, std::iter::empty())?;
        for i in 0..count {
            let mut place = (i / per_batch * x.shape()[batch..named].iter().product::<usize>()) as i64;
            for (k, &n) in numbers[i * width..(i + 1) * width].iter().enumerate() {
                place += index_of(n, x.shape()[batch + k])? as i64 * step[batch + k] as i64;
            }
            at.push(place);
        }
        Ok(Places { at, named, outer: outer.to_vec() })
    }
}

/// An index, counted from the front.
fn index_of(i: i64, n: usize) -> Result<usize, GraphError> {
    let from_front = if i < 0 { i + n as i64 } else { i };
    match usize::try_from(from_front) {
        Ok(at) if at < n => Ok(at),
        _ => Err(GraphError::invalid(format!("there is no index {i} on an axis of {n}"))),
    }
}

fn shaped(x: &Array, shape: &[usize]) -> Result<Array, GraphError> {
    let shape: Vec<isize> = shape.iter().map(|&n| n as isize).collect();
    Ok(x.reshape(&shape)?)
}

fn gather_nd(spec: &Spec<'_>) -> Result<Arc<dyn Operator>, Fault> {
    let batch = spec.int("batch_dims", 0)?.max(0) as usize;
    Op::new(spec, move |cx| {
        let (x, indices) = (array(cx, 0)?, array(cx, 1)?);
        let places = Places::of(x, indices, batch)?;
        let rest = &x.shape()[places.named..];
        let count = x.shape()[..places.named].iter().product::<usize>();
        let parts = shaped(x, &[&[count], rest].concat())?;
        let y = parts.take(&Array::from_slice(&places.at)?, 0)?;
        cx.set(0, shaped(&y, &[&places.outer, rest].concat())?);
        Ok(())
    })
    .infer(move |facts, _| {
        let x = fact(facts, 0).cloned().unwrap_or_default();
        let (Some(shape), Some(indices)) = (x.shape, fact(facts, 1).and_then(|f| f.shape.clone())) else {
            return Ok(known(x.dtype, None));
        };
        let rest = match indices.split_last() {
            Some((Dim::Known(width), outer)) if batch + width <= shape.len() => {
                Some([outer, &shape[batch + width..]].concat())
            }
            _ => None,
        };
        Ok(known(x.dtype, rest))
    })
    .done()
}

/// What becomes of an element that is written to one that is there.
#[derive(Clone, Copy)]
enum How {
    Replace,
    Add,
    Multiply,
    Max,
    Min,
}

const HOW: [How; 5] = [How::Replace, How::Add, How::Multiply, How::Max, How::Min];

fn how(spec: &Spec<'_>) -> Result<How, Fault> {
    Ok(HOW[spec.word("reduction", "none", &["none", "add", "mul", "max", "min"])?])
}

/// Elements that can be combined.
trait Combine: Element {
    fn combine(self, other: Self, how: How) -> Self;
}

macro_rules! combine {
    ($($T:ty, $add:expr, $mul:expr;)*) => {$(
        impl Combine for $T {
            #[inline]
            fn combine(self, other: Self, how: How) -> Self {
                let (add, mul): (fn($T, $T) -> $T, fn($T, $T) -> $T) = ($add, $mul);
                match how {
                    How::Replace => other,
                    How::Add => add(self, other),
                    How::Multiply => mul(self, other),
                    How::Max => if other > self || other != other { other } else { self },
                    How::Min => if other < self || other != other { other } else { self },
                }
            }
        }
    )*};
}
combine! {
    bool, |a, b| a | b, |a, b| a & b;
    u8, u8::wrapping_add, u8::wrapping_mul;
    i8, i8::wrapping_add, i8::wrapping_mul;
    u16, u16::wrapping_add, u16::wrapping_mul;
    i16, i16::wrapping_add, i16::wrapping_mul;
    u32, u32::wrapping_add, u32::wrapping_mul;
    i32, i32::wrapping_add, i32::wrapping_mul;
    u64, u64::wrapping_add, u64::wrapping_mul;
    i64, i64::wrapping_add, i64::wrapping_mul;
    f16, |a, b| a + b, |a, b| a * b;
    bf16, |a, b| a + b, |a, b| a * b;
    f32, |a, b| a + b, |a, b| a * b;
    f64, |a, b| a + b, |a, b| a * b;
}

/// Writes parts of `width` elements to their places, one after another.
fn write<T: Combine>(to: &mut [T], places: &[i64], from: &[T], width: usize, how: How) {
    match how {
        How::Replace => write_each(to, places, from, width, |_, new| new),
        How::Add => write_each(to, places, from, width, |old, new| old.combine(new, How::Add)),
        how => write_each(to, places, from, width, |old, new| old.combine(new, how)),
    }
}

#[inline]
fn write_each<T: Combine>(to: &mut [T], places: &[i64], from: &[T], width: usize, join: impl Fn(T, T) -> T) {
    if width == 1 {
        places.iter().zip(from).for_each(|(&at, &new)| to[at as usize] = join(to[at as usize], new));
        return;
    }
    for (&at, part) in places.iter().zip(from.chunks(width.max(1))) {
        to[at as usize * width..][..width].iter_mut().zip(part).for_each(|(old, &new)| *old = join(*old, new));
    }
}

/// A copy of `x` with parts of `width` elements written to places.
fn scattered(x: &Array, places: &[i64], updates: &Array, width: usize, how: How) -> Result<Array, GraphError> {
    let mut y = x.copy()?;
    let updates = updates.contiguous()?;
    if updates.dtype() != x.dtype() || updates.len() != places.len() * width {
        let (shape, dtype) = (updates.shape(), updates.dtype());
        return Err(GraphError::invalid(format!("updates {dtype} {shape:?} do not fit data and indices")));
    }
    if width == 0 || places.is_empty() {
        return Ok(y);
    }
    match x.dtype() {
        DType::Bool => each_of::<bool>(&mut y, places, &updates, width, how)?,
        DType::U8 => each_of::<u8>(&mut y, places, &updates, width, how)?,
        DType::I8 => each_of::<i8>(&mut y, places, &updates, width, how)?,
        DType::U16 => each_of::<u16>(&mut y, places, &updates, width, how)?,
        DType::I16 => each_of::<i16>(&mut y, places, &updates, width, how)?,
        DType::U32 => each_of::<u32>(&mut y, places, &updates, width, how)?,
        DType::I32 => each_of::<i32>(&mut y, places, &updates, width, how)?,
        DType::U64 => each_of::<u64>(&mut y, places, &updates, width, how)?,
        DType::I64 => each_of::<i64>(&mut y, places, &updates, width, how)?,
        DType::F16 => each_of::<f16>(&mut y, places, &updates, width, how)?,
        DType::BF16 => each_of::<bf16>(&mut y, places, &updates, width, how)?,
        DType::F32 => each_of::<f32>(&mut y, places, &updates, width, how)?,
        DType::F64 => each_of::<f64>(&mut y, places, &updates, width, how)?,
        other => return Err(GraphError::unsupported(format!("elements of {other} cannot be scattered"))),
    }
    Ok(y)
}

fn each_of<T: Combine>(
    y: &mut Array,
    places: &[i64],
    updates: &Array,
    width: usize,
    how: How,
) -> Result<(), GraphError> {
    let from = updates.view::<T>()?;
    let mut view = y.view_mut::<T>()?;
    if let (Some(to), Some(from)) = (view.as_mut_slice(), from.as_slice()) {
        write(to, places, from, width, how);
    }
    Ok(())
}

/// Where the elements of indices of a shape go in data of a shape: to their own place, but for the index along an axis.
fn places_along(axis: usize, indices: &[i64], shape: &[usize], data: &[usize]) -> Result<Vec<i64>, GraphError> {
    let step = steps(data);
    let line = shape.last().copied().unwrap_or(1);
    let along_line = axis + 1 == shape.len();
    let mut places = listed(indices.len(), std::iter::empty())?;
    let mut outer = vec![0; shape.len().saturating_sub(1)];
    for line in indices.chunks(line.max(1)) {
        let before: usize = (0..outer.len()).filter(|&a| a != axis).map(|a| outer[a] * step[a]).sum();
        for (i, &n) in line.iter().enumerate() {
            let within = if along_line { 0 } else { i };
            places.push((before + within + index_of(n, data[axis])? * step[axis]) as i64);
        }
        for (a, i) in outer.iter_mut().enumerate().rev() {
            *i += 1;
            if *i < shape[a] {
                break;
            }
            *i = 0;
        }
    }
    Ok(places)
}

fn scatter_elements(spec: &Spec<'_>) -> Result<Arc<dyn Operator>, Fault> {
    let (axis, how) = (spec.int("axis", 0)?, how(spec)?);
    Op::new(spec, move |cx| {
        let (x, indices, updates) = (array(cx, 0)?, array(cx, 1)?, array(cx, 2)?);
        let at = axis_of(axis, x.rank())?;
        let shape = indices.shape();
        let fits = shape.len() == x.rank() && (0..x.rank()).all(|i| i == at || shape[i] <= x.shape()[i]);
        if !fits || updates.shape() != shape {
            let (u, s) = (updates.shape(), x.shape());
            return Err(GraphError::invalid(format!("data {s:?}, indices {shape:?} and updates {u:?} do not fit")));
        }
        let places = places_along(at, &ints_of(indices.data())?, shape, x.shape())?;
        let y = scattered(x, &places, updates, 1, how)?;
        cx.set(0, y);
        Ok(())
    })
    .like_input()
    .done()
}

fn scatter_nd(spec: &Spec<'_>) -> Result<Arc<dyn Operator>, Fault> {
    let how = how(spec)?;
    Op::new(spec, move |cx| {
        let (x, indices, updates) = (array(cx, 0)?, array(cx, 1)?, array(cx, 2)?);
        let places = Places::of(x, indices, 0)?;
        let width = x.shape()[places.named..].iter().product();
        let y = scattered(x, &places.at, updates, width, how)?;
        cx.set(0, y);
        Ok(())
    })
    .like_input()
    .done()
}

/// Writes a block to a cache along an axis, for each sequence of the batch from another place on.
fn tensor_scatter(spec: &Spec<'_>) -> Result<Arc<dyn Operator>, Fault> {
    let axis = spec.int("axis", -2)?;
    let circular = spec.word("mode", "linear", &["linear", "circular"])? == 1;
    Op::new(spec, move |cx| {
        let (x, updates) = (array(cx, 0)?, array(cx, 1)?);
        let at = axis_of(axis, x.rank())?;
        let starts = cx.array_or_none(2)?.map(ints_of).transpose()?;
        let (shape, new) = (x.shape(), updates.shape());
        if at == 0 || new.len() != shape.len() || (0..shape.len()).any(|i| i != at && shape[i] != new[i]) {
            return Err(GraphError::invalid(format!("an update of {new:?} does not fit a cache of {shape:?}")));
        }
        if let Some(found) = starts.as_ref().map(|s| s.len()).filter(|n| *n != shape[0]) {
            return Err(GraphError::invalid(format!("{found} places for a batch of {}", shape[0])));
        }
        let width: usize = shape[at + 1..].iter().product();
        let rows: usize = shape[..at].iter().product();
        let per_batch = rows / shape[0].max(1);
        let mut places = listed(area_of(rows, new[at])?, std::iter::empty())?;
        for row in 0..rows {
            let batch = row / per_batch.max(1);
            let start = starts.as_ref().map_or(0, |s| s[batch]);
            for i in 0..new[at] as i64 {
                let n = shape[at] as i64;
                let place = start.checked_add(i).map(|to| if circular && n > 0 { to.rem_euclid(n) } else { to });
                let Some(place) = place.filter(|place| (0..n).contains(place)) else {
                    let new = new[at];
                    return Err(GraphError::invalid(format!("{new} from {start} on lie outside of a cache of {n}")));
                };
                places.push(row as i64 * n + place);
            }
        }
        let y = scattered(x, &places, updates, width, How::Replace)?;
        cx.set(0, y);
        Ok(())
    })
    .like_input()
    .done()
}
