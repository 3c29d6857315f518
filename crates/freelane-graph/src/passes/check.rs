//! Checks a pass: what it leaves of a graph's values is what they were.
//!
//! A graph is run so that every value can be seen, before the pass and after it. Values are the same if they are printed the
//! same: passes keep the names and numbers of those that they keep. What follows from random numbers is not compared, and no
//! values of which several have one name.
use super::{Keeps, Pass};
use crate::{Datum, Graph, GraphError, Operator, Plan, State, ValueId};
use freelane_ops::{Array, DType};
use freelane_pool::Lane;
use std::collections::HashMap;

/// A value of a run, and who made it.
struct Seen {
    value: String,
    node: String,
    op: String,
    datum: Datum,
}

/// The values of a graph's run.
pub struct Trace {
    /// In the order they were made.
    seen: Vec<Seen>,
    /// Constants, of which passes make nodes of before.
    constants: HashMap<String, Datum>,
    outputs: Vec<Option<Datum>>,
}

/// Whether two runs of an operator and of the plans that it runs give the same.
fn is_pure(op: &dyn Operator) -> bool {
    op.is_pure() && op.bodies().iter().all(|body| body.graph().nodes().iter().all(|node| is_pure(&*node.op)))
}

impl Trace {
    /// Runs a graph.
    ///
    /// # Errors
    /// When the inputs are not what the graph takes, or a node fails.
    pub fn of(lane: &Lane, graph: &Graph, inputs: &[Datum]) -> Result<Trace, GraphError> {
        let mut random = vec![false; graph.values().len()];
        let mut places: Vec<(ValueId, String, String)> = vec![];
        for node in graph.nodes() {
            let any = !is_pure(&*node.op) || node.inputs.iter().flatten().any(|id| random[id.index()]);
            for &id in node.outputs.iter().flatten() {
                random[id.index()] = any;
                if !any {
                    places.push((id, graph.node_name(node), node.op.name().to_owned()));
                }
            }
        }
        let mut open = graph.clone();
        places.iter().for_each(|(id, ..)| open.output(*id));
        let mut made = Plan::new(open)?.run(lane, &mut State::default(), inputs)?;
        let inner = made.split_off(graph.outputs().len());
        let seen = places.into_iter().zip(inner);
        let seen = seen.map(|((id, node, op), datum)| Seen { value: graph.shown(id), node, op, datum }).collect();
        let constant = |id: u32| {
            let id = ValueId(id);
            graph.fact(id).constant.clone().map(|array| (graph.shown(id), Datum::Array(array)))
        };
        let constants = (0..graph.values().len() as u32).filter_map(constant).collect();
        let certain = |(id, datum): (&ValueId, Datum)| (!random[id.index()]).then_some(datum);
        let outputs = graph.outputs().iter().zip(made).map(certain).collect();
        Ok(Trace { seen, constants, outputs })
    }

    /// Compares with the run of the same graph before a pass. Returns how many values are in both.
    ///
    /// # Errors
    /// When the pass has changed one: its name, with the pass and the first node that makes another value.
    pub fn check(&self, pass: &Pass, before: &Trace) -> Result<usize, GraphError> {
        let name = pass.name;
        let (before_by_name, by_name) = (before.by_name(), self.by_name());
        let mut compared = 0;
        for Seen { value, node, op, datum } in &self.seen {
            let Some(was) = by_name.get(value.as_str()).and_then(|_| before_by_name.get(value.as_str())) else {
                continue;
            };
            if let Some(how) = difference(was, datum, pass.keeps)? {
                return Err(GraphError::invalid(format!("pass {name} changes {value} of node {node} ({op}): {how}")));
            }
            compared += 1;
        }
        for Seen { value, node, op, .. } in &before.seen {
            let now = self.constants.get(value).filter(|_| !before.constants.contains_key(value));
            let Some((was, is)) = before_by_name.get(value.as_str()).zip(now) else { continue };
            if let Some(how) = difference(was, is, pass.keeps)? {
                return Err(GraphError::invalid(format!(
                    "pass {name} makes another {value} of node {node} ({op}): {how}"
                )));
            }
            compared += 1;
        }
        for (i, (was, is)) in before.outputs.iter().zip(&self.outputs).enumerate() {
            let (Some(was), Some(is)) = (was, is) else { continue };
            if let Some(how) = difference(was, is, pass.keeps)? {
                return Err(GraphError::invalid(format!("pass {name} changes output {i}: {how}")));
            }
        }
        Ok(compared)
    }

    /// The values that nodes made and whose names are their own.
    fn by_name(&self) -> HashMap<&str, &Datum> {
        let mut named: HashMap<&str, Option<&Datum>> = HashMap::new();
        for seen in &self.seen {
            named.entry(seen.value.as_str()).and_modify(|found| *found = None).or_insert(Some(&seen.datum));
        }
        named.into_iter().filter_map(|(name, found)| Some((name, found?))).collect()
    }
}

/// How a value differs from what it was; nothing if it is as promised.
fn difference(was: &Datum, is: &Datum, keeps: Keeps) -> Result<Option<String>, GraphError> {
    match (was, is) {
        (Datum::Array(a), Datum::Array(b)) => elements_differ(&a.clone().into(), &b.clone().into(), keeps),
        (Datum::Sequence(a), Datum::Sequence(b)) if a.len() == b.len() => {
            let each = a.iter().zip(b).map(|(a, b)| difference(a, b, keeps));
            Ok(each.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().next())
        }
        (Datum::Optional(Some(a)), Datum::Optional(Some(b))) => difference(a, b, keeps),
        (Datum::Optional(None), Datum::Optional(None)) => Ok(None),
        _ => Ok(Some(format!("{} instead of {}", is.describe(), was.describe()))),
    }
}

fn elements_differ(was: &Array, is: &Array, keeps: Keeps) -> Result<Option<String>, GraphError> {
    if was.dtype() != is.dtype() || was.shape() != is.shape() {
        let [a, b] = [was, is].map(|x| format!("{} {:?}", x.dtype(), x.shape()));
        return Ok(Some(format!("{b} instead of {a}")));
    }
    let [a, b] = [was.contiguous()?, is.contiguous()?];
    if bytes(&a) == bytes(&b) {
        return Ok(None);
    }
    let width = a.dtype().size();
    let (was, is) = (numbers(&a)?, numbers(&b)?);
    let largest = was.iter().filter(|x| x.is_finite()).fold(0.0, |most: f64, x| most.max(x.abs()));
    let near = |i: usize| match keeps {
        _ if was[i].is_nan() || is[i].is_nan() => was[i].is_nan() && is[i].is_nan(),
        Keeps::Bits => false,
        Keeps::Near(part) => was[i] == is[i] || (was[i] - is[i]).abs() <= part * largest,
    };
    let differ = |i: &usize| bytes(&a)[i * width..][..width] != bytes(&b)[i * width..][..width] && !near(*i);
    let wrong: Vec<usize> = (0..a.len()).filter(differ).collect();
    let tell = |&i: &usize| format!("{} of {} differ, at {i} {} instead of {}", wrong.len(), a.len(), is[i], was[i]);
    Ok(wrong.first().map(tell))
}

fn bytes(x: &Array) -> &[u8] {
    x.data().as_bytes().unwrap_or_default()
}

/// The elements; the magnitudes of complex ones.
fn numbers(x: &Array) -> Result<Vec<f64>, GraphError> {
    let real = if x.dtype().is_real() { x.clone() } else { x.abs()? };
    Ok(real.astype(DType::F64)?.to_vec::<f64>()?)
}
