//! Sequences, and values that may be missing.
use super::given::{lengths_of, listed};
use super::{Op, Row, Spec, ints_of, row};
use crate::Fault;
use freelane_array::{DType, Index, Slice, normalize_axis};
use freelane_graph::{Datum, GraphError, Operator, Run};
use freelane_ops::{Array, concat, stack};
use std::sync::Arc;

type Made = Result<Arc<dyn Operator>, Fault>;

pub(crate) const ROWS: &[Row] = &[
    row("SequenceConstruct", 11, |s| {
        Op::new(s, |cx| {
            let all = (0..cx.len()).filter_map(|i| cx.datum(i).cloned()).collect();
            cx.set(0, Datum::Sequence(all));
            Ok(())
        })
        .done()
    }),
    row("SequenceEmpty", 11, |s| {
        s.dtype("dtype")?;
        Op::new(s, |cx| {
            cx.set(0, Datum::Sequence(vec![]));
            Ok(())
        })
        .done()
    }),
    row("SequenceInsert", 11, |s| {
        Op::new(s, |cx| {
            let mut all = sequence(cx)?.to_vec();
            let value = cx.datum(1).cloned().ok_or_else(|| GraphError::invalid("input 1 is missing"))?;
            let at = place(cx, 2, all.len(), all.len() + 1)?;
            all.insert(at, value);
            cx.set(0, Datum::Sequence(all));
            Ok(())
        })
        .done()
    }),
    row("SequenceErase", 11, |s| {
        Op::new(s, |cx| {
            let mut all = sequence(cx)?.to_vec();
            let at = place(cx, 1, all.len().saturating_sub(1), all.len())?;
            all.remove(at);
            cx.set(0, Datum::Sequence(all));
            Ok(())
        })
        .done()
    }),
    row("SequenceAt", 11, |s| {
        Op::new(s, |cx| {
            let all = sequence(cx)?;
            let value = all[place(cx, 1, 0, all.len())?].clone();
            cx.set(0, value);
            Ok(())
        })
        .done()
    }),
    row("SequenceLength", 11, |s| {
        Op::new(s, |cx| {
            let n = sequence(cx)?.len() as i64;
            cx.set(0, Array::full(&[], n, DType::I64)?);
            Ok(())
        })
        .of_dtype(DType::I64)
        .done()
    }),
    row("SplitToSequence", 11, split),
    row("ConcatFromSequence", 11, joined),
    row("Optional", 15, |s| {
        s.ignore("type");
        Op::new(s, |cx| {
            let value = cx.datum(0).cloned().map(Box::new);
            cx.set(0, Datum::Optional(value));
            Ok(())
        })
        .done()
    }),
    row("OptionalHasElement", 15, |s| {
        Op::new(s, |cx| {
            let there = !matches!(cx.datum(0), None | Some(Datum::Optional(None)));
            cx.set(0, Array::full(&[], there, DType::Bool)?);
            Ok(())
        })
        .of_dtype(DType::Bool)
        .done()
    }),
    row("OptionalGetElement", 15, |s| {
        Op::new(s, |cx| {
            let value = match cx.datum(0) {
                Some(Datum::Optional(Some(value))) => (**value).clone(),
                None | Some(Datum::Optional(None)) => return Err(GraphError::invalid("there is no element")),
                Some(other) => other.clone(),
            };
            cx.set(0, value);
            Ok(())
        })
        .done()
    }),
];

/// Input 0, which must be a sequence.
fn sequence<'r>(cx: &Run<'r>) -> Result<&'r [Datum], GraphError> {
    match cx.datum(0) {
        Some(Datum::Sequence(all)) => Ok(all),
        other => {
            let found = other.map_or("missing".to_owned(), Datum::describe);
            Err(GraphError::invalid(format!("input 0 must be a sequence, it is {found}")))
        }
    }
}

/// A place in a sequence: input `i`, counted from the end if it is negative; below `end`.
fn place(cx: &Run<'_>, i: usize, default: usize, end: usize) -> Result<usize, GraphError> {
    let given = cx.array_or_none(i)?.map(ints_of).transpose()?.and_then(|list| list.first().copied());
    let count = sequence(cx)?.len() as i64;
    let at = given.map_or(default as i64, |at| if at < 0 { at + count } else { at });
    let at = usize::try_from(at).ok().filter(|at| *at < end);
    at.ok_or_else(|| GraphError::invalid(format!("place {given:?} in a sequence of {count}")))
}

fn split(s: &Spec<'_>) -> Made {
    let (axis, keep) = (s.int("axis", 0)?, s.flag("keepdims", true)?);
    Op::new(s, move |cx| {
        let x = Array::from(cx.array(0)?.clone());
        let axis = normalize_axis(axis as isize, x.rank())?;
        let length = x.shape()[axis];
        let given = cx.array_or_none(1)?;
        let sizes: Vec<usize> = match given {
            None => listed(length, std::iter::repeat_n(1, length))?,
            Some(split) if split.layout().rank() == 0 => {
                let size = ints_of(split)?.first().copied().unwrap_or(0);
                let size = usize::try_from(size).ok().filter(|n| *n > 0);
                let size = size.ok_or_else(|| GraphError::invalid("parts of no length"))?;
                listed(length.div_ceil(size), (0..length).step_by(size).map(|from| size.min(length - from)))?
            }
            Some(split) => lengths_of(&ints_of(split)?)?.to_vec(),
        };
        if sizes.iter().try_fold(0usize, |a, b| a.checked_add(*b)) != Some(length) {
            return Err(GraphError::invalid(format!("parts of {sizes:?} of an axis of {length}")));
        }
        let (mut parts, mut from) = (listed(sizes.len(), std::iter::empty())?, 0);
        for size in sizes {
            let mut index = vec![Index::from(Slice::all()); axis];
            index.push(match given {
                None if !keep => Index::At(from as isize),
                _ => Slice { start: Some(from as isize), stop: Some((from + size) as isize), step: 1 }.into(),
            });
            parts.push(Datum::from(x.index(&index)?));
            from += size;
        }
        cx.set(0, Datum::Sequence(parts));
        Ok(())
    })
    .done()
}

fn joined(s: &Spec<'_>) -> Made {
    let axis = s.int_or_none("axis")?.ok_or_else(|| Fault::Invalid("attribute axis is missing".to_owned()))? as isize;
    let new = s.flag("new_axis", false)?;
    Op::new(s, move |cx| {
        let array = |x: &Datum| {
            let found = || GraphError::invalid(format!("the sequence holds {}", x.describe()));
            Ok::<_, GraphError>(Array::from(x.array().ok_or_else(found)?.clone()))
        };
        let all = sequence(cx)?.iter().map(array).collect::<Result<Vec<_>, _>>()?;
        let all: Vec<&Array> = all.iter().collect();
        cx.set(0, if new { stack(&all, axis)? } else { concat(&all, axis)? });
        Ok(())
    })
    .done()
}
