//! Elements picked by their value.
use super::given::{array, axis_of, fact, int_of, known, length_of, listed};
use super::{Op, Row, Spec, row};
use crate::Fault;
use freelane_array::{DType, Element};
use freelane_graph::{Dim, Fact, GraphError, Operator};
use freelane_ops::{Array, Axes, nonzero, stack};
use half::{bf16, f16};
use std::cmp::Ordering;
use std::sync::Arc;

pub(super) const ROWS: &[Row] = &[row("NonZero", 9, non_zero), row("TopK", 1, top_k), row("Unique", 11, unique)];

fn non_zero(spec: &Spec<'_>) -> Result<Arc<dyn Operator>, Fault> {
    Op::new(spec, |cx| {
        let x = array(cx, 0)?;
        if x.rank() == 0 {
            let count = usize::from(x.not_equal(&Array::zeros(&[], x.dtype())?)?.item::<bool>()?);
            cx.set(0, Array::zeros(&[0, count], DType::I64)?);
            return Ok(());
        }
        let places = nonzero(x)?;
        let y = stack(&places.iter().collect::<Vec<_>>(), 0)?;
        cx.set(0, y);
        Ok(())
    })
    .infer(|facts, _| {
        let rank = fact(facts, 0).and_then(Fact::rank).map_or(Dim::Unknown, Dim::Known);
        Ok(known(Some(DType::I64), Some(vec![rank, Dim::Unknown])))
    })
    .done()
}

fn top_k(spec: &Spec<'_>) -> Result<Arc<dyn Operator>, Fault> {
    let (axis, largest) = (spec.int("axis", -1)?, spec.flag("largest", true)?);
    spec.ignore("sorted");
    let fixed = if spec.opset < 10 { Some(spec.int("k", 0)?) } else { None };
    Op::new(spec, move |cx| {
        let x = array(cx, 0)?;
        let k = match fixed {
            Some(k) => k,
            None => int_of(cx, 1)?.ok_or_else(|| GraphError::invalid("k is missing"))?,
        };
        let at = axis_of(axis, x.rank())?;
        let (values, places) = x.topk(length_of(k)?, at as isize, largest)?;
        cx.set(0, values);
        cx.set(1, places);
        Ok(())
    })
    .infer(move |facts, outputs| {
        let x = fact(facts, 0).cloned().unwrap_or_default();
        let shape = match x.shape {
            Some(mut shape) => {
                let at = axis_of(axis, shape.len())?;
                shape[at] = Dim::Unknown;
                Some(shape)
            }
            None => None,
        };
        let mut facts = vec![Fact { dtype: Some(DType::I64), shape, constant: None }; outputs.max(1)];
        facts[0].dtype = x.dtype;
        facts.truncate(outputs);
        Ok(facts)
    })
    .done()
}

/// What is found of equal rows: for each of them the first one, and how many; for each row which it is.
struct Rows {
    first: Vec<i64>,
    counts: Vec<i64>,
    inverse: Vec<i64>,
}

fn distinct<T: Element + PartialOrd>(x: &Array, rows: usize, sorted: bool) -> Result<Rows, GraphError> {
    let values = x.to_vec::<T>()?;
    let width = values.len() / rows.max(1);
    let row = |i: usize| &values[i * width..(i + 1) * width];
    // Every NaN is one value, behind all others.
    let is_nan = |x: &T| x.partial_cmp(x).is_none();
    let each = |(a, b): (&T, &T)| a.partial_cmp(b).unwrap_or_else(|| is_nan(a).cmp(&is_nan(b)));
    let compare =
        |a: usize, b: usize| row(a).iter().zip(row(b)).map(each).find(|o| o.is_ne()).unwrap_or(Ordering::Equal);
    let mut order = listed(rows, 0..rows)?;
    order.sort_by(|&a, &b| compare(a, b));
    let mut groups: Vec<Vec<usize>> = vec![];
    for i in order {
        match groups.last_mut() {
            Some(group) if compare(group[0], i).is_eq() => group.push(i),
            _ => groups.push(vec![i]),
        }
    }
    if !sorted {
        groups.sort_by_key(|group| group[0]);
    }
    let mut inverse = listed(rows, std::iter::repeat_n(0i64, rows))?;
    for (g, group) in groups.iter().enumerate() {
        group.iter().for_each(|&i| inverse[i] = g as i64);
    }
    let first = groups.iter().map(|group| group[0] as i64).collect();
    Ok(Rows { first, counts: groups.iter().map(|group| group.len() as i64).collect(), inverse })
}

fn unique(spec: &Spec<'_>) -> Result<Arc<dyn Operator>, Fault> {
    let (axis, sorted) = (spec.int_or_none("axis")?, spec.flag("sorted", true)?);
    Op::new(spec, move |cx| {
        let x = array(cx, 0)?;
        let (x, at) = match axis {
            Some(axis) => (x.clone(), axis_of(axis, x.rank())? as isize),
            None => (x.ravel()?, 0),
        };
        // Here each NaN is the same value, there one of its own.
        if axis.is_none() && sorted && !(x.dtype().is_inexact() && x.isnan()?.any(Axes::All, false)?.item::<bool>()?) {
            let found = x.unique()?;
            let all = [found.values, found.indices, found.inverse, found.counts];
            all.into_iter().enumerate().for_each(|(i, y)| cx.set(i, y));
            return Ok(());
        }
        let rows = x.shape()[at as usize];
        let moved = x.moveaxis(&[at], &[0])?;
        let found = match x.dtype() {
            DType::Bool => distinct::<bool>(&moved, rows, sorted)?,
            DType::U8 => distinct::<u8>(&moved, rows, sorted)?,
            DType::I8 => distinct::<i8>(&moved, rows, sorted)?,
            DType::U16 => distinct::<u16>(&moved, rows, sorted)?,
            DType::I16 => distinct::<i16>(&moved, rows, sorted)?,
            DType::U32 => distinct::<u32>(&moved, rows, sorted)?,
            DType::I32 => distinct::<i32>(&moved, rows, sorted)?,
            DType::U64 => distinct::<u64>(&moved, rows, sorted)?,
            DType::I64 => distinct::<i64>(&moved, rows, sorted)?,
            DType::F16 => distinct::<f16>(&moved, rows, sorted)?,
            DType::BF16 => distinct::<bf16>(&moved, rows, sorted)?,
            DType::F32 => distinct::<f32>(&moved, rows, sorted)?,
            DType::F64 => distinct::<f64>(&moved, rows, sorted)?,
            other => return Err(GraphError::unsupported(format!("elements of {other} have no order"))),
        };
        let first = Array::from_slice(&found.first)?;
        cx.set(0, x.take(&first, at)?);
        cx.set(1, first);
        cx.set(2, Array::from_slice(&found.inverse)?);
        cx.set(3, Array::from_slice(&found.counts)?);
        Ok(())
    })
    .infer(|facts, outputs| {
        let mut made = vec![Fact::new(DType::I64, [Dim::Unknown]); outputs.max(1)];
        made[0] = Fact { dtype: fact(facts, 0).and_then(|f| f.dtype), ..Fact::default() };
        made.truncate(outputs);
        Ok(made)
    })
    .done()
}
