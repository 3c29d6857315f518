//! `freelane run --check-batch`: a row alone has the bits of a row of many, for any number of threads.
use anyhow::{Context, Result, anyhow, bail};
use freelane::graph::{Datum, Graph, Limits, Plan, Runner, ValueId};
use freelane::onnx::{Port, Session};
use freelane::{Array, Runtime, Slice};
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Numbers of threads that a run is split over.
const THREADS: [usize; 2] = [2, 16];

/// A model whose nodes all give their results, and what they were for all rows together.
struct BatchCheck<'s> {
    session: &'s Session,
    runner: Runner,
    /// The values that are seen, behind the outputs, and which node makes each.
    seen: Vec<(ValueId, usize)>,
    rows: usize,
    all: Vec<Datum>,
}

/// How two runs compare.
#[derive(Clone, Copy, PartialEq)]
enum Compared {
    Same,
    Differs,
    /// The value has no axis that is surely the batch.
    Unknown,
}

/// Runs a model on a batch, on each of its rows, and over several threads. Tells what was compared.
pub fn check(session: &Session, inputs: &[Datum], axes: &[String]) -> Result<Json> {
    let axes = if axes.is_empty() { axes_of(session) } else { given_axes(session, axes)? };
    let rows = rows(session, inputs, &axes)?;
    let check = BatchCheck::new(session, inputs, rows)?;
    for threads in THREADS {
        let runtime = Runtime::new(threads)?;
        let again = runtime.install(|_| check.runner.run(inputs, &Limits::default()))?;
        check.compare(&again, None, &format!("over {threads} threads"))?;
    }
    let mut unknown = 0;
    for row in 0..rows {
        let of_row = |(x, axis): (&Datum, &Option<usize>)| match axis {
            Some(axis) => part(x, *axis, row, 1),
            None => Ok(x.clone()),
        };
        let alone = inputs.iter().zip(&axes).map(of_row).collect::<Result<Vec<_>>>()?;
        let made = check.runner.run(&alone, &Limits::default()).with_context(|| format!("with row {row} alone"))?;
        unknown = check.compare(&made, Some(row), &format!("with row {row} alone"))?;
    }
    let named = session.inputs().iter().zip(&axes).filter_map(|(port, axis)| Some((port.name.as_str(), (*axis)?)));
    let (values, threads) = (check.seen.len(), [&[1], &THREADS[..]].concat());
    let axes: BTreeMap<&str, usize> = named.collect();
    Ok(json!({ "axes": axes, "rows": rows, "values": values, "without_batch": unknown, "threads": threads }))
}

/// Of each input the axis along which rows lie, as the model names its axes: that of the first input that begins with an open
/// one, and those of the same name; if it has no name, the first open one of each.
fn axes_of(session: &Session) -> Vec<Option<usize>> {
    let dims = |port: &Port| port.fact.shape.clone().unwrap_or_default();
    let first = |port: &Port| dims(port).first().cloned().filter(|dim| dim.known().is_none());
    let Some(batch) = session.inputs().iter().find_map(first) else { return vec![None; session.inputs().len()] };
    session.inputs().iter().map(|port| dims(port).iter().position(|dim| *dim == batch)).collect()
}

/// The axes that the command line gives.
fn given_axes(session: &Session, given: &[String]) -> Result<Vec<Option<usize>>> {
    let mut axes = vec![None; session.inputs().len()];
    for text in given {
        let wrong = || anyhow!("--batch-axis {text}: expected INPUT=AXIS");
        let (name, axis) = text.rsplit_once('=').ok_or_else(wrong)?;
        let input = session.inputs().iter().position(|port| port.name == name);
        let input = input.ok_or_else(|| anyhow!("--batch-axis {text}: the model has no input {name}"))?;
        axes[input] = Some(axis.parse().map_err(|_| wrong())?);
    }
    Ok(axes)
}

/// How many rows all inputs have.
fn rows(session: &Session, inputs: &[Datum], axes: &[Option<usize>]) -> Result<usize> {
    let mut found: Option<(usize, &str)> = None;
    for ((port, input), axis) in session.inputs().iter().zip(inputs).zip(axes) {
        let Some(axis) = *axis else { continue };
        let shape = input.array().map_or(&[][..], |x| x.layout().shape());
        let Some(&n) = shape.get(axis) else { bail!("--check-batch: {} has no axis {axis}", port.name) };
        match found {
            Some((rows, name)) if rows != n => {
                bail!("--check-batch: {rows} rows in {name}, {n} in {}", port.name)
            }
            _ => found = Some((n, &port.name)),
        }
    }
    match found {
        None => bail!("--check-batch: no input begins with an open axis; --batch-axis INPUT=AXIS tells where rows lie"),
        Some((rows, _)) if rows < 2 => {
            bail!("--check-batch: a batch of {rows}; give --dim NAME=N with two rows or more")
        }
        Some((rows, _)) => Ok(rows),
    }
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
        let mut seen: Vec<(ValueId, usize)> = vec![];
        for (i, node) in session.plan().graph().nodes().iter().enumerate() {
            seen.extend(node.outputs.iter().flatten().map(|id| (*id, i)));
        }
        seen.iter().for_each(|(id, _)| graph.output(*id));
        let runner = Runner::new(Arc::new(Plan::new(graph)?));
        let all = runner.run(inputs, &Limits::default()).with_context(|| format!("with {rows} rows"))?;
        Ok(BatchCheck { session, runner, seen, rows, all })
    }

    /// Compares outputs; if one differs, tells which node was the first whose result does. Returns how many of the nodes'
    /// results have no batch.
    fn compare(&self, made: &[Datum], row: Option<usize>, how: &str) -> Result<usize> {
        let pairs = self.all.iter().zip(made);
        let mut outputs = pairs.map(|(all, one)| self.same(all, one, row)).collect::<Result<Vec<_>>>()?;
        let inner = outputs.split_off(self.session.outputs().len());
        if let Some(port) = outputs.iter().position(|c| *c == Compared::Differs) {
            let first = inner.iter().position(|c| *c == Compared::Differs).unwrap_or(0);
            let (name, node) = (&self.session.outputs()[port].name, self.described(first));
            bail!("{how} output {name} has other bits; the first node to differ is {node}");
        }
        if let Some(port) = outputs.iter().position(|c| *c == Compared::Unknown) {
            let name = &self.session.outputs()[port].name;
            let node = self.joining(&inner).map_or(String::new(), |i| format!("; rows end in {}", self.described(i)));
            bail!("{how} output {name} cannot be compared: no axis of it alone is the batch{node}");
        }
        Ok(inner.iter().filter(|c| **c == Compared::Unknown).count())
    }

    /// The last value that has no rows though what it is made of has.
    fn joining(&self, inner: &[Compared]) -> Option<usize> {
        let nodes = self.session.plan().graph().nodes();
        let has_rows = |id: &ValueId| {
            self.seen.iter().position(|(seen, _)| seen == id).is_some_and(|i| inner[i] == Compared::Same)
        };
        (0..inner.len()).rev().find(|&i| {
            let inexact = self.all[self.session.outputs().len() + i].dtype().is_some_and(|d| d.is_inexact());
            inner[i] == Compared::Unknown && inexact && nodes[self.seen[i].1].inputs.iter().flatten().any(has_rows)
        })
    }

    /// A value that is seen: who makes it.
    fn described(&self, i: usize) -> String {
        let (graph, (id, node)) = (self.session.plan().graph(), self.seen[i]);
        let node = &graph.nodes()[node];
        format!("{} {} in {}", node.op.name(), graph.node_name(node), graph.shown(id))
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
