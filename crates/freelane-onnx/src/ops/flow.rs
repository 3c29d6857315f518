//! Control flow: branches and loops, whose graphs are plans of their own.
use super::{Body, Row, Spec, row};
use crate::Fault;
use freelane_array::{DType, Index, normalize_axis};
use freelane_graph::{Datum, Fact, GraphError, Operator, Plan, Run, State};
use freelane_ops::{Array, concat, stack};
use std::sync::Arc;

pub(crate) const ROWS: &[Row] = &[
    row("If", 1, |s| Ok(Arc::new(If { yes: s.body("then_branch")?, no: s.body("else_branch")? }))),
    row("Loop", 1, |s| Ok(Arc::new(Loop::new(s)?))),
    row("Scan", 8, |s| Ok(Arc::new(Scan::batched(s)?))),
    row("Scan", 9, |s| Ok(Arc::new(Scan::new(s)?))),
    row("SequenceMap", 17, |s| Ok(Arc::new(Map { body: s.body("body")? }))),
];

/// One of two graphs.
struct If {
    yes: Body,
    no: Body,
}

/// The only element of a truth.
fn truth(cx: &Run<'_>, i: usize) -> Result<Option<bool>, GraphError> {
    cx.array_or_none(i)?.map(|x| truth_of(&Datum::Array(x.clone()))).transpose()
}

fn truth_of(x: &Datum) -> Result<bool, GraphError> {
    let wrong = || GraphError::invalid(format!("a condition must be one truth, not {}", x.describe()));
    let view = x.array().ok_or_else(wrong)?.view::<bool>().map_err(|_| wrong())?;
    if view.layout().len() == 1 { view.iter().next().ok_or_else(wrong) } else { Err(wrong()) }
}

impl Operator for If {
    fn name(&self) -> &str {
        "If"
    }

    fn bodies(&self) -> Vec<&Arc<Plan>> {
        vec![&self.yes.plan, &self.no.plan]
    }

    fn infer(&self, _: &[Option<&Fact>], outputs: usize) -> Result<Vec<Fact>, GraphError> {
        let (yes, no) = (self.yes.output_facts(), self.no.output_facts());
        if yes.len() < outputs || no.len() < outputs {
            return Err(GraphError::invalid(format!("branches of {} and {} outputs", yes.len(), no.len())));
        }
        Ok(yes.iter().zip(&no).map(|(a, b)| a.either(b)).collect())
    }

    fn run(&self, cx: &mut Run<'_>) -> Result<(), GraphError> {
        let taken = truth(cx, 0)?.ok_or_else(|| GraphError::invalid("the condition is missing"))?;
        let body = if taken { &self.yes } else { &self.no };
        let made = cx.with_memo(
            |_| Ok([State::default(), State::default()]),
            |cx, states: &mut [State; 2]| body.run(cx, &mut states[usize::from(taken)], vec![]),
        )?;
        made.into_iter().enumerate().for_each(|(i, x)| cx.set(i, x));
        Ok(())
    }
}

/// What steps make, one behind the other along an axis.
fn joined(parts: &[Datum], axis: isize, backwards: bool) -> Result<Datum, GraphError> {
    let array = |x: &Datum| {
        let found = || GraphError::invalid(format!("a step makes {}, not an array", x.describe()));
        Ok::<_, GraphError>(Array::from(x.array().ok_or_else(found)?.clone()))
    };
    let mut parts = parts.iter().map(array).collect::<Result<Vec<_>, _>>()?;
    if backwards {
        parts.reverse();
    }
    let all: Vec<&Array> = parts.iter().collect();
    Ok(stack(&all, axis)?.into())
}

/// What no step makes: an array without elements.
fn nothing(fact: Option<&Fact>) -> Result<Datum, GraphError> {
    let dtype = fact.and_then(|f| f.dtype).unwrap_or(DType::F32);
    let dims =
        fact.and_then(|f| f.shape.as_ref()).map_or(vec![], |s| s.iter().map(|d| d.known().unwrap_or(0)).collect());
    let shape: Vec<usize> = [0].into_iter().chain(dims).collect();
    Ok(Array::zeros(&shape, dtype)?.into())
}

/// What is known of values that a body makes step by step, and that begin as something else: their type.
fn of_dtype(facts: &[Fact]) -> Vec<Fact> {
    facts.iter().map(|f| Fact { dtype: f.dtype, ..Fact::default() }).collect()
}

/// A body, run while a condition holds.
struct Loop {
    body: Body,
    states: usize,
    facts: Vec<Fact>,
}

impl Loop {
    fn new(s: &Spec<'_>) -> Result<Loop, Fault> {
        let body = s.body("body")?;
        let facts = body.output_facts();
        let states = body.inputs.checked_sub(2).filter(|n| *n < facts.len());
        let states = states.ok_or_else(|| {
            Fault::Invalid(format!("a loop's body of {} inputs and {} outputs", body.inputs, facts.len()))
        })?;
        Ok(Loop { body, states, facts })
    }
}

impl Operator for Loop {
    fn name(&self) -> &str {
        "Loop"
    }

    fn bodies(&self) -> Vec<&Arc<Plan>> {
        vec![&self.body.plan]
    }

    fn infer(&self, _: &[Option<&Fact>], _: usize) -> Result<Vec<Fact>, GraphError> {
        Ok(of_dtype(&self.facts[1..]))
    }

    fn run(&self, cx: &mut Run<'_>) -> Result<(), GraphError> {
        let most = match cx.array_or_none(0)? {
            None => i64::MAX,
            Some(m) => super::ints_of(m)?.first().copied().unwrap_or(0),
        };
        let mut on = truth(cx, 1)?.unwrap_or(true);
        let given = |i: usize| {
            cx.datum(i + 2).cloned().ok_or_else(|| GraphError::invalid(format!("input {} is missing", i + 2)))
        };
        let mut values = (0..self.states).map(given).collect::<Result<Vec<_>, _>>()?;
        let mut shown = vec![vec![]; self.facts.len() - 1 - self.states];
        cx.with_memo(
            |_| Ok(State::default()),
            |cx, state: &mut State| {
                let mut step = 0;
                while on && step < most {
                    cx.check()?;
                    let mut inputs = vec![
                        Datum::from(Array::full(&[], step, DType::I64)?),
                        Datum::from(Array::full(&[], on, DType::Bool)?),
                    ];
                    inputs.append(&mut values);
                    let mut made = self.body.run(cx, state, inputs)?.into_iter();
                    on = made.next().as_ref().map(truth_of).transpose()?.unwrap_or(false);
                    values = made.by_ref().take(self.states).collect();
                    shown.iter_mut().zip(made).for_each(|(all, x)| all.push(x));
                    step += 1;
                }
                Ok(())
            },
        )?;
        let states = values.len();
        values.into_iter().enumerate().for_each(|(i, x)| cx.set(i, x));
        for (i, parts) in shown.iter().enumerate() {
            let all = match parts[..] {
                [] => nothing(self.facts.get(1 + states + i))?,
                _ => joined(parts, 0, false)?,
            };
            cx.set(states + i, all);
        }
        Ok(())
    }
}

/// A body, run over the places along axes of arrays.
struct Scan {
    body: Body,
    scanned: usize,
    input_axes: Vec<i64>,
    input_backwards: Vec<bool>,
    output_axes: Vec<i64>,
    output_backwards: Vec<bool>,
    facts: Vec<Fact>,
    /// Whether arrays lead with a batch, as in the first version; then input 0 has the lengths.
    batched: bool,
}

impl Scan {
    fn new(s: &Spec<'_>) -> Result<Scan, Fault> {
        Scan::with(s, "scan_input_directions", false)
    }

    fn batched(s: &Spec<'_>) -> Result<Scan, Fault> {
        Scan::with(s, "directions", true)
    }

    fn with(s: &Spec<'_>, directions: &'static str, batched: bool) -> Result<Scan, Fault> {
        let body = s.body("body")?;
        let facts = body.output_facts();
        let scanned = s.int("num_scan_inputs", 0)?;
        let scanned = usize::try_from(scanned).ok().filter(|n| (1..=body.inputs).contains(n));
        let scanned = scanned.ok_or_else(|| Fault::Invalid("attribute num_scan_inputs fits no body".to_owned()))?;
        let states = body.inputs - scanned;
        let shown = facts.len().checked_sub(states);
        let shown = shown.ok_or_else(|| Fault::Invalid("a body that does not make its states".to_owned()))?;
        let list = |name, n: usize| -> Result<Vec<i64>, Fault> {
            let mut list = s.ints(name)?.unwrap_or_default().to_vec();
            list.resize(n.max(list.len()), 0);
            Ok(list)
        };
        let flags = |list: Vec<i64>| list.into_iter().map(|x| x != 0).collect();
        Ok(Scan {
            scanned,
            input_axes: if batched { vec![0; scanned] } else { list("scan_input_axes", scanned)? },
            input_backwards: flags(list(directions, scanned)?),
            output_axes: if batched { vec![0; shown] } else { list("scan_output_axes", shown)? },
            output_backwards: if batched { vec![false; shown] } else { flags(list("scan_output_directions", shown)?) },
            body,
            facts,
            batched,
        })
    }

    /// All steps. Returns states and what was made of all steps.
    fn steps(
        &self,
        cx: &Run<'_>,
        state: &mut State,
        mut values: Vec<Datum>,
        arrays: &[Array],
        most: Option<usize>,
    ) -> Result<Vec<Datum>, GraphError> {
        let axes = arrays
            .iter()
            .zip(&self.input_axes)
            .map(|(x, &a)| Ok(normalize_axis(a as isize, x.rank())?))
            .collect::<Result<Vec<usize>, GraphError>>()?;
        let lengths: Vec<usize> = arrays.iter().zip(&axes).map(|(x, &a)| x.shape()[a]).collect();
        let length = lengths[0];
        if lengths.iter().any(|n| *n != length) {
            return Err(GraphError::invalid(format!("scanned axes of lengths {lengths:?}")));
        }
        let length = most.map_or(length, |n| n.min(length));
        let states = values.len();
        let mut shown = vec![vec![]; self.facts.len() - states];
        for step in 0..length {
            cx.check()?;
            let mut inputs = std::mem::take(&mut values);
            for (i, (x, &axis)) in arrays.iter().zip(&axes).enumerate() {
                let at = if self.input_backwards[i] { length - 1 - step } else { step };
                let mut index = vec![Index::from(freelane_ops::Slice::all()); axis];
                index.push(Index::At(at as isize));
                inputs.push(x.index(&index)?.into());
            }
            let mut made = self.body.run(cx, state, inputs)?.into_iter();
            values = made.by_ref().take(states).collect();
            shown.iter_mut().zip(made).for_each(|(all, x)| all.push(x));
        }
        for (i, parts) in shown.iter().enumerate() {
            values.push(match parts[..] {
                [] => nothing(self.facts.get(states + i))?,
                _ => joined(parts, self.output_axes[i] as isize, self.output_backwards[i])?,
            });
        }
        Ok(values)
    }

    fn given(&self, cx: &Run<'_>, i: usize) -> Result<Datum, GraphError> {
        let i = i + usize::from(self.batched);
        cx.datum(i).cloned().ok_or_else(|| GraphError::invalid(format!("input {i} is missing")))
    }

    /// Each row of the batch by itself.
    fn rows(
        &self,
        cx: &Run<'_>,
        state: &mut State,
        states: Vec<Datum>,
        arrays: &[Array],
    ) -> Result<Vec<Datum>, GraphError> {
        let batch = arrays[0].shape().first().copied().unwrap_or(0);
        let lengths = cx.array_or_none(0)?.map(super::ints_of).transpose()?;
        let row = |x: &Array, b: usize| x.index(&[Index::At(b as isize)]);
        let mut all: Vec<Vec<Array>> = vec![];
        for b in 0..batch {
            let mut values = vec![];
            for x in &states {
                let x = x.array().ok_or_else(|| GraphError::invalid("a state that is no array"))?;
                values.push(Datum::from(row(&Array::from(x.clone()), b)?));
            }
            let arrays = arrays.iter().map(|x| row(x, b)).collect::<Result<Vec<_>, _>>()?;
            let most = lengths.as_ref().and_then(|n| n.get(b)).map(|&n| n.max(0) as usize);
            let whole = arrays[0].shape().first().copied().unwrap_or(0);
            let made = self.steps(cx, state, values, &arrays, most)?;
            all.resize_with(made.len(), Vec::new);
            for (i, (all, x)) in all.iter_mut().zip(made).enumerate() {
                let x = x.array().ok_or_else(|| GraphError::invalid("a step that makes no array"))?.clone();
                let mut x = Array::from(x);
                // Steps that a shorter row has not are zeros.
                if i >= states.len() && x.shape()[0] < whole {
                    let mut rest = x.shape().to_vec();
                    rest[0] = whole - rest[0];
                    x = concat(&[&x, &Array::zeros(&rest, x.dtype())?], 0)?;
                }
                all.push(x);
            }
        }
        all.iter().map(|rows| Ok(stack(&rows.iter().collect::<Vec<_>>(), 0)?.into())).collect()
    }
}

impl Operator for Scan {
    fn name(&self) -> &str {
        "Scan"
    }

    fn bodies(&self) -> Vec<&Arc<Plan>> {
        vec![&self.body.plan]
    }

    fn infer(&self, _: &[Option<&Fact>], _: usize) -> Result<Vec<Fact>, GraphError> {
        Ok(of_dtype(&self.facts))
    }

    fn run(&self, cx: &mut Run<'_>) -> Result<(), GraphError> {
        let states = self.body.inputs - self.scanned;
        let values = (0..states).map(|i| self.given(cx, i)).collect::<Result<Vec<_>, _>>()?;
        let array = |i: usize| -> Result<Array, GraphError> {
            let x = self.given(cx, states + i)?;
            let found = || GraphError::invalid(format!("a scanned input is {}", x.describe()));
            Ok(Array::from(x.array().ok_or_else(found)?.clone()))
        };
        let arrays = (0..self.scanned).map(array).collect::<Result<Vec<_>, _>>()?;
        let made = cx.with_memo(
            |_| Ok(State::default()),
            |cx, state: &mut State| {
                if self.batched {
                    self.rows(cx, state, values, &arrays)
                } else {
                    self.steps(cx, state, values, &arrays, None)
                }
            },
        )?;
        made.into_iter().enumerate().for_each(|(i, x)| cx.set(i, x));
        Ok(())
    }
}

/// A body, run for each value of a sequence.
struct Map {
    body: Body,
}

impl Operator for Map {
    fn name(&self) -> &str {
        "SequenceMap"
    }

    fn bodies(&self) -> Vec<&Arc<Plan>> {
        vec![&self.body.plan]
    }

    fn run(&self, cx: &mut Run<'_>) -> Result<(), GraphError> {
        let inputs: Vec<&Datum> = (0..self.body.inputs).map_while(|i| cx.datum(i)).collect();
        let Some(Datum::Sequence(first)) = inputs.first() else {
            return Err(GraphError::invalid("input 0 must be a sequence"));
        };
        let count = first.len();
        let mut made: Vec<Vec<Datum>> = vec![vec![]; cx.outputs()];
        let state = &mut State::default();
        for i in 0..count {
            cx.check()?;
            let value = |x: &&Datum| match x {
                Datum::Sequence(all) => {
                    let short = || GraphError::invalid(format!("a sequence of {} beside one of {count}", all.len()));
                    all.get(i).cloned().ok_or_else(short)
                }
                other => Ok((*other).clone()),
            };
            let values = inputs.iter().map(value).collect::<Result<Vec<_>, _>>()?;
            let results = self.body.run(cx, state, values)?;
            made.iter_mut().zip(results).for_each(|(all, x)| all.push(x));
        }
        made.into_iter().enumerate().for_each(|(i, all)| cx.set(i, Datum::Sequence(all)));
        Ok(())
    }
}
