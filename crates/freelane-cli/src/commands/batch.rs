//! `freelane run --check-batch`: a row alone has the bits of a row of many, for any number of threads.
use anyhow::{Result, anyhow, bail};
use freelane::graph::{Datum, Dim, Graph, Limits, Plan, Runner, ValueId};
use freelane::onnx::Session;
use freelane::{Array, Runtime, Slice};
use serde_json::{Value as Json, json};
use std::sync::Arc;

/// Numbers of threads that a run is split over.
const THREADS: [usize; 2] = [2, 16];

/// A model whose nodes all give their results, and what they were for all rows together.
struct BatchCheck<'s> {
    session: &'s Session,
    runner: Runner,
    /// Where each value that is seen comes from: the node's name and operator.
    seen: Vec<(ValueId, String)>,
    rows: usize,
    all: Vec<Datum>,
}

/// How two runs compare.
enum Compared {
    Same,
    Differs,
    /// The value has no axis that is surely the batch.
    Unknown,
}

/// Runs a model on a batch, on each of its rows, and over several threads. Tells what was compared.
pub fn check(session: &Session, inputs: &[Datum]) -> Result<Json> {
    let batched = batched(session);
    let length = |i: usize| inputs[i].array().map_or(0, |x| x.layout().shape().first().copied().unwrap_or(0));
    let lengths: Vec<usize> = batched.iter().map(|&i| length(i)).collect();
    let rows = match lengths[..] {
        [] => bail!("--check-batch: no input begins with an open axis"),
        [rows, ..] if rows < 2 => bail!("--check-batch: a batch of {rows}; give --dim NAME=N with two rows or more"),
        [rows, ..] => rows,
    };
    if lengths.iter().any(|n| *n != rows) {
        bail!("--check-batch: inputs of {lengths:?} rows");
    }
    let check = BatchCheck::new(session, inputs, rows)?;
    for threads in THREADS {
        let runtime = Runtime::new(threads)?;
        let again = runtime.install(|_| check.runner.run(inputs, &Limits::default()))?;
        check.compare(&again, None, &format!("over {threads} threads"))?;
    }
    let mut unknown = 0;
    for row in 0..rows {
        let of_row = |(i, x): (usize, &Datum)| -> Result<Datum> {
            if batched.contains(&i) { part(x, 0, row, 1) } else { Ok(x.clone()) }
        };
        let alone = inputs.iter().enumerate().map(of_row).collect::<Result<Vec<_>>>()?;
        let made = check.runner.run(&alone, &Limits::default())?;
        unknown = check.compare(&made, Some(row), &format!("with row {row} alone"))?;
    }
    let (values, threads) = (check.seen.len(), [&[1], &THREADS[..]].concat());
    Ok(json!({ "rows": rows, "values": values, "without_batch": unknown, "threads": threads }))
}

/// The inputs whose first axis is the batch: open, and of one name.
fn batched(session: &Session) -> Vec<usize> {
    let first = |i: usize| session.inputs()[i].fact.shape.as_ref().and_then(|s| s.first().cloned());
    let all = 0..session.inputs().len();
    let open = |dim: &Dim| dim.known().is_none();
    let name = all.clone().find_map(|i| first(i).filter(open));
    all.filter(|&i| first(i).is_some_and(|dim| Some(&dim) == name.as_ref())).collect()
}

/// Some elements along an axis.
fn part(x: &Datum, axis: usize, from: usize, count: usize) -> Result<Datum> {
    let x = x.array().ok_or_else(|| anyhow!("an input is {}", x.describe()))?;
    let mut index = vec![Slice::all().into(); axis];
    index.push(Slice { start: Some(from as isize), stop: Some((from + count) as isize), step: 1 }.into());
    Ok(Array::from(x.clone()).index(&index)?.into())
}

impl<'s> BatchCheck<'s> {
    fn new(session: &'s Session, inputs: &[Datum], rows: usize) -> Result<BatchCheck<'s>> {
        let mut graph: Graph = session.plan().graph().clone();
        let mut seen: Vec<(ValueId, String)> = vec![];
        for node in session.plan().graph().nodes() {
            seen.extend(node.outputs.iter().flatten().map(|id| (*id, format!("{} {}", node.op.name(), node.name))));
        }
        seen.iter().for_each(|(id, _)| graph.output(*id));
        let runner = Runner::new(Arc::new(Plan::new(graph)?));
        let all = runner.run(inputs, &Limits::default())?;
        Ok(BatchCheck { session, runner, seen, rows, all })
    }

    /// Compares outputs; if one differs, tells which node was the first whose result does. Returns how many of the nodes'
    /// results have no batch.
    fn compare(&self, made: &[Datum], row: Option<usize>, how: &str) -> Result<usize> {
        let outputs = self.session.outputs().len();
        let pairs = || self.all.iter().zip(made);
        let compared = pairs().map(|(all, one)| self.same(all, one, row)).collect::<Result<Vec<_>>>()?;
        let Some(port) = (0..outputs).find(|&i| matches!(compared[i], Compared::Differs)) else {
            if let Some(port) = (0..outputs).find(|&i| matches!(compared[i], Compared::Unknown)) {
                let name = &self.session.outputs()[port].name;
                bail!("{how} output {name} cannot be compared: no axis of it alone is the batch");
            }
            return Ok(compared[outputs..].iter().filter(|c| matches!(c, Compared::Unknown)).count());
        };
        let first = compared[outputs..].iter().position(|c| matches!(c, Compared::Differs));
        let (id, node) = &self.seen[first.unwrap_or(0)];
        let (name, value) = (&self.session.outputs()[port].name, self.session.plan().graph().name_of(*id));
        bail!("{how} output {name} has other bits; the first node to differ is {} in %{value}", node.trim_end())
    }

    fn same(&self, all: &Datum, one: &Datum, row: Option<usize>) -> Result<Compared> {
        let (Some(a), Some(b)) = (all.array(), one.array()) else { return Ok(Compared::Unknown) };
        let Some(row) = row else { return told(all, one) };
        let (from, to) = (a.layout().shape(), b.layout().shape());
        if from.len() != to.len() {
            return Ok(Compared::Unknown);
        }
        let changed: Vec<usize> = (0..to.len()).filter(|&i| from[i] != to[i]).collect();
        match changed[..] {
            // Whole numbers without a batch may be lengths, which differ as they should.
            [] if a.dtype().is_inexact() => told(all, one),
            [axis] if from[axis] == to[axis] * self.rows => told(&part(all, axis, row * to[axis], to[axis])?, one),
            _ => Ok(Compared::Unknown),
        }
    }
}

/// Whether two arrays have the same bits.
fn told(a: &Datum, b: &Datum) -> Result<Compared> {
    let bits = |x: &Datum| -> Result<Option<Array>> {
        Ok(x.array().map(|x| Array::from(x.clone()).contiguous()).transpose()?)
    };
    let (a, b) = (bits(a)?, bits(b)?);
    let same = match (&a, &b) {
        (Some(a), Some(b)) => a.shape() == b.shape() && a.data().as_bytes() == b.data().as_bytes(),
        _ => true,
    };
    Ok(if same { Compared::Same } else { Compared::Differs })
}
