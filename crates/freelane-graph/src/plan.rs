//! A graph that is ready to run: frozen, and shared by all lanes.
use crate::graph::{Graph, Node};
use crate::memory::{Memory, NONE, Recording};
use crate::runner::{NodeTally, PlanTally};
use crate::{Datum, GraphError, Limits, Run, State, ValueId};
use freelane_array::{ArrayData, DType};
use freelane_ops::Operand;
use freelane_ops::program::{MOST_INPUTS, Program};
use freelane_pool::{Lane, Reserve};
use smallvec::SmallVec;
use std::sync::Arc;
use std::time::Instant;

/// Where a node finds an input.
#[derive(Clone, Copy)]
pub(crate) enum Source {
    Absent,
    Constant(u32),
    Input(u32),
    Value(u32),
}

/// A node, ready to run.
pub(crate) struct Step {
    pub node: usize,
    pub inputs: SmallVec<[Source; 4]>,
    pub outputs: SmallVec<[Option<u32>; 2]>,
    /// Values that nobody reads after this step.
    pub release: SmallVec<[u32; 4]>,
}

/// A frozen graph. Running one takes a [`State`], of which each lane has its own; nothing in the plan is written.
pub struct Plan {
    pub(crate) graph: Graph,
    pub(crate) steps: Vec<Step>,
    constants: Vec<Option<Datum>>,
    outputs: Vec<Source>,
    /// Set if all of the plan is one program: runs then need no state.
    direct: Option<Direct>,
    pub(crate) token: Arc<()>,
}

type Ran = Result<Vec<Datum>, GraphError>;

/// A plan that is one program.
struct Direct {
    program: Arc<Program>,
    /// Where its operands are, and their shapes: all inputs among them.
    operands: Box<[(Source, Box<[usize]>)]>,
    /// Types of the inputs.
    inputs: Box<[DType]>,
    output: Box<[usize]>,
}

/// Equality of short shapes, without a call.
#[inline]
fn same(a: &[usize], b: &[usize]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a == b)
}

const _: fn() = || {
    fn shared<T: Send + Sync>() {}
    shared::<Plan>();
};

impl Plan {
    /// Freezes a graph.
    ///
    /// # Errors
    /// When a node reads a value that no node before it makes.
    pub fn new(graph: Graph) -> Result<Plan, GraphError> {
        let mut sources = vec![Source::Absent; graph.values.len()];
        for (i, value) in graph.values.iter().enumerate() {
            if value.fact.constant.is_some() {
                sources[i] = Source::Constant(i as u32);
            }
        }
        for (i, id) in graph.inputs.iter().enumerate() {
            sources[id.index()] = Source::Input(i as u32);
        }
        let source_of = |sources: &[Source], id: ValueId| match sources[id.index()] {
            Source::Absent => Err(GraphError::invalid(format!("nothing makes value {}", graph.name_of(id)))),
            source => Ok(source),
        };
        let mut steps = vec![];
        for (node, n) in graph.nodes.iter().enumerate() {
            let source = |id: &Option<ValueId>| id.map_or(Ok(Source::Absent), |id| source_of(&sources, id));
            let inputs =
                n.inputs.iter().map(source).collect::<Result<_, _>>().map_err(|e| e.at(&n.name, n.op.name()))?;
            for id in n.outputs.iter().flatten() {
                sources[id.index()] = Source::Value(id.0);
            }
            let outputs = n.outputs.iter().map(|id| id.map(|id| id.0)).collect();
            steps.push(Step { node, inputs, outputs, release: SmallVec::new() });
        }
        let outputs = graph.outputs.iter().map(|&id| source_of(&sources, id)).collect::<Result<Vec<_>, _>>()?;
        release_after_last_use(&mut steps, &outputs, graph.values.len());
        let constants = graph.values.iter().map(|v| v.fact.constant.clone().map(Datum::Array)).collect();
        let mut plan = Plan { graph, steps, constants, outputs, direct: None, token: Arc::new(()) };
        plan.direct = plan.find_direct();
        Ok(plan)
    }

    /// Handles to the constants that nobody else counts.
    pub(crate) fn own_constants(&self) -> Vec<Option<Datum>> {
        let own = |datum: &Datum| datum.array().map_or_else(|| datum.clone(), |array| array.counted_apart().into());
        self.constants.iter().map(|constant| constant.as_ref().map(own)).collect()
    }

    fn find_direct(&self) -> Option<Direct> {
        let ([step], [Source::Value(out)]) = (&self.steps[..], &self.outputs[..]) else { return None };
        let stays = |s: &Source| matches!(s, Source::Constant(_) | Source::Input(_));
        let whole = step.outputs[..] == [Some(*out)] && step.inputs.iter().all(stays);
        let program = self.graph.nodes[step.node].op.program().filter(|_| whole)?.clone();
        let shape = |id: ValueId| Some(self.graph.fact(id).known_shape()?.into_boxed_slice());
        let node = &self.graph.nodes[step.node];
        let operand = |(&source, id): (&Source, &Option<ValueId>)| Some((source, shape((*id)?)?));
        let operands = step.inputs.iter().zip(&node.inputs).map(operand).collect::<Option<_>>()?;
        let read = |id: &&ValueId| node.inputs.contains(&Some(**id));
        let inputs = self.graph.inputs.iter().map(|id| self.graph.fact(*id).dtype.filter(|_| read(&id)));
        Some(Direct { program, operands, inputs: inputs.collect::<Option<_>>()?, output: shape(ValueId(*out))? })
    }

    /// An operand of the plan's one program, if it has the shape that is expected.
    #[inline(always)]
    fn operand<'r>(&'r self, inputs: &'r [Datum], (source, shape): &(Source, Box<[usize]>)) -> Option<&'r ArrayData> {
        let array = match *source {
            Source::Input(i) => inputs.get(i as usize)?.array()?,
            Source::Constant(v) => self.constants[v as usize].as_ref()?.array()?,
            _ => return None,
        };
        same(array.layout().shape(), shape).then_some(array)
    }

    /// Runs the plan if it is one program, nothing limits the run, and all arrays are as expected and as programs like them
    /// best; returns whether it did.
    #[inline]
    pub(crate) fn run_whole(&self, inputs: &[Datum], limits: &Limits<'_>, into: &mut [Datum]) -> bool {
        let (Some(direct), [Datum::Array(out)]) = (&self.direct, into) else { return false };
        limits.are_none()
            && inputs.len() == direct.inputs.len()
            && same(out.layout().shape(), &direct.output)
            && Lane::with(|lane| {
                direct.program.call_whole(lane, direct.operands.iter().map(|o| self.operand(inputs, o)), out)
            })
    }

    /// The run, if the plan is one program and the inputs are as expected.
    pub(crate) fn run_direct(
        &self,
        lane: &Lane,
        inputs: &[Datum],
        limits: &Limits<'_>,
        into: &mut [Datum],
    ) -> Option<Ran> {
        let direct = self.direct.as_ref().filter(|direct| into.len() <= 1 && inputs.len() == direct.inputs.len())?;
        let typed = |(datum, dtype): (&Datum, &DType)| datum.dtype() == Some(*dtype);
        if !inputs.iter().zip(&direct.inputs).all(typed) {
            return None;
        }
        let program = &direct.program;
        let node = &self.graph.nodes[self.steps[0].node];
        let args = direct.operands.iter().map(|o| self.operand(inputs, o).map(Operand::Array));
        let args = args.collect::<Option<SmallVec<[_; MOST_INPUTS]>>>()?;
        let run = || -> Ran {
            limits.check()?;
            let [place] = into else { return Ok(vec![program.call(lane, &args)?.into()]) };
            if let Datum::Array(out) = place
                && program.call_into(lane, &args, out)?
            {
                return Ok(vec![]);
            }
            let made = program.call(lane, &args)?.into();
            if !copy(lane, place, &made)? {
                *place = made;
            }
            Ok(vec![])
        };
        let done = lane.until(limits.deadline, run);
        if let (Ok(_), Some(watch)) = (&done, limits.watch) {
            watch.step();
        }
        Some(done.map_err(|e| match limits.blame(e) {
            limit @ (GraphError::Deadline | GraphError::Cancelled) => limit,
            other => other.at(&node.name, node.op.name()),
        }))
    }

    /// The graph it was made of.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// Bytes of the values that are the same in every run, those that operators keep and those of bodies included.
    pub fn constant_bytes(&self) -> usize {
        let values = self.constants.iter().flatten().map(Datum::nbytes);
        let held = self.graph.nodes.iter().map(|node| node.op.held_bytes());
        let bodies = self.graph.nodes.iter().flat_map(|node| node.op.bodies()).map(|body| body.constant_bytes());
        values.chain(held).chain(bodies).fold(0, usize::saturating_add)
    }

    /// Runs the graph; returns its outputs. Inputs are in order of the graph's.
    ///
    /// # Errors
    /// When inputs are not what the graph says, or a node fails.
    pub fn run(&self, lane: &Lane, state: &mut State, inputs: &[Datum]) -> Result<Vec<Datum>, GraphError> {
        self.run_within(lane, state, inputs, &Limits::default())
    }

    /// As [`Plan::run`], for as long as the limits allow.
    ///
    /// # Errors
    /// As [`Plan::run`], and when a limit is reached.
    pub fn run_within(
        &self,
        lane: &Lane,
        state: &mut State,
        inputs: &[Datum],
        limits: &Limits<'_>,
    ) -> Result<Vec<Datum>, GraphError> {
        if let Some(done) = self.run_direct(lane, inputs, limits, &mut []) {
            return done;
        }
        self.run_with(lane, state, inputs, limits, &mut [], None)
    }

    /// As [`Plan::run_within`], into arrays of the caller: an array that has an output's type and shape and shares its
    /// storage with nobody is written to, others are replaced.
    ///
    /// # Errors
    /// As [`Plan::run_within`], and when there are not as many arrays as outputs.
    pub fn run_into(
        &self,
        lane: &Lane,
        state: &mut State,
        inputs: &[Datum],
        limits: &Limits<'_>,
        outputs: &mut [Datum],
    ) -> Result<(), GraphError> {
        self.check_outputs(outputs)?;
        self.run_with(lane, state, inputs, limits, outputs, None).map(drop)
    }

    pub(crate) fn check_outputs(&self, outputs: &[Datum]) -> Result<(), GraphError> {
        let (n, found) = (self.outputs.len(), outputs.len());
        if n == found {
            return Ok(());
        }
        Err(GraphError::invalid(format!("the graph has {n} outputs, {found} arrays were given for them")))
    }

    pub(crate) fn run_with(
        &self,
        lane: &Lane,
        state: &mut State,
        inputs: &[Datum],
        limits: &Limits<'_>,
        into: &mut [Datum],
        times: Option<&PlanTally>,
    ) -> Result<Vec<Datum>, GraphError> {
        self.check_inputs(inputs)?;
        let mut memory = state.take(self, inputs, !into.is_empty());
        let mut reserve = lane.reserve(&memory.slots)?;
        let mut recording = (!memory.recorded).then(Recording::default);
        let State { values, constants, .. } = &mut *state;
        let execution = Execution { plan: self, lane, inputs, constants, limits, times };
        let steps = || execution.steps(values, &mut memory, &mut reserve, &mut recording);
        let done = lane.until(limits.deadline, steps);
        let result = done.and_then(|()| match into {
            [] => execution.collect(values),
            into => execution.write(values, into, &memory, &mut reserve, &mut recording),
        });
        drop(reserve);
        match &result {
            Ok(_) => {
                if let Some(recording) = recording {
                    recording.finish(&mut memory);
                }
                state.keep(memory);
            }
            Err(_) => state.values.iter_mut().for_each(|v| *v = None),
        }
        result
    }

    fn check_inputs(&self, inputs: &[Datum]) -> Result<(), GraphError> {
        if inputs.len() != self.graph.inputs.len() {
            let (n, found) = (self.graph.inputs.len(), inputs.len());
            return Err(GraphError::invalid(format!("the graph has {n} inputs, {found} given")));
        }
        let mut named: SmallVec<[(&str, usize); 4]> = SmallVec::new();
        for (id, input) in self.graph.inputs.iter().zip(inputs) {
            let fact = self.graph.fact(*id);
            let checked = match input.array() {
                Some(array) => fact.check(array).and_then(|()| fact.check_names(array, &mut named)),
                None if fact.dtype.is_some() => Err(format!("expected {fact}, found {}", input.describe())),
                None => Ok(()),
            };
            checked.map_err(|message| GraphError::Input { name: self.graph.name_of(*id).to_owned(), message })?;
        }
        Ok(())
    }
}

/// Notes at each step which values it is the last to read. What nobody reads ends with the step that makes it.
fn release_after_last_use(steps: &mut [Step], outputs: &[Source], values: usize) {
    let mut read_later = vec![false; values];
    for output in outputs {
        if let Source::Value(v) = output {
            read_later[*v as usize] = true;
        }
    }
    for step in steps.iter_mut().rev() {
        let read = step.inputs.iter().filter_map(|s| if let Source::Value(v) = s { Some(*v) } else { None });
        let touched: SmallVec<[u32; 8]> = step.outputs.iter().flatten().copied().chain(read).collect();
        for v in touched {
            if !std::mem::replace(&mut read_later[v as usize], true) {
                step.release.push(v);
            }
        }
    }
}

/// One run of a plan.
struct Execution<'r> {
    plan: &'r Plan,
    lane: &'r Lane,
    inputs: &'r [Datum],
    constants: &'r [Option<Datum>],
    limits: &'r Limits<'r>,
    times: Option<&'r PlanTally>,
}

impl Execution<'_> {
    fn steps(
        &self,
        values: &mut [Option<Datum>],
        memory: &mut Memory,
        reserve: &mut Reserve<'_>,
        recording: &mut Option<Recording>,
    ) -> Result<(), GraphError> {
        for (i, step) in self.plan.steps.iter().enumerate() {
            self.limits.check()?;
            let tally = self.times.map(|times| &times.nodes[i]);
            let began = tally.map(|tally| (tally, Instant::now()));
            self.step(i, step, values, memory, reserve, tally).map_err(|e| self.at(step, e))?;
            if let Some(watch) = self.limits.watch {
                watch.step();
            }
            if let Some((tally, began)) = began {
                tally.add(began.elapsed());
            }
            if let Some(recording) = recording {
                for &v in step.outputs.iter().flatten() {
                    if let Some(datum) = &values[v as usize] {
                        recording.made(v as usize, datum, i);
                    }
                }
                step.release.iter().for_each(|&v| recording.released(v as usize, i));
            }
            for &v in &step.release {
                let value = values[v as usize].take();
                give_back(value, v as usize, memory, reserve);
            }
        }
        Ok(())
    }

    fn at(&self, step: &Step, e: GraphError) -> GraphError {
        let node: &Node = &self.plan.graph.nodes[step.node];
        match self.limits.blame(e) {
            limit @ (GraphError::Deadline | GraphError::Cancelled) => limit,
            other => other.at(&node.name, node.op.name()),
        }
    }

    #[inline]
    fn step(
        &self,
        i: usize,
        step: &Step,
        values: &mut [Option<Datum>],
        memory: &mut Memory,
        reserve: &mut Reserve<'_>,
        tally: Option<&NodeTally>,
    ) -> Result<(), GraphError> {
        for &v in step.outputs.iter().flatten() {
            let place = memory.places[v as usize];
            if place.slot != NONE {
                reserve.offer(place.slot.into(), place.bytes);
            }
        }
        let inputs: SmallVec<[Option<&Datum>; 8]> = step.inputs.iter().map(|s| self.find(*s, values)).collect();
        let mut outputs = SmallVec::new();
        outputs.resize_with(step.outputs.len(), || None);
        let (lane, limits) = (self.lane, self.limits);
        let memo = &mut memory.memos[i];
        let mut cx = Run { lane, inputs: &inputs, outputs, wanted: &step.outputs, memo, limits, tally };
        let done = self.plan.graph.nodes[step.node].op.run(&mut cx);
        let outputs = cx.outputs;
        drop(inputs);
        reserve.withdraw();
        done?;
        for (k, (id, datum)) in step.outputs.iter().zip(outputs).enumerate() {
            match (id, datum) {
                (Some(v), Some(datum)) => values[*v as usize] = Some(datum),
                (Some(_), None) => return Err(GraphError::invalid(format!("made no output {k}"))),
                (None, _) => (),
            }
        }
        Ok(())
    }

    #[inline]
    fn find<'v>(&'v self, source: Source, values: &'v [Option<Datum>]) -> Option<&'v Datum> {
        match source {
            Source::Absent => None,
            Source::Constant(v) => self.constants[v as usize].as_ref(),
            Source::Input(i) => self.inputs.get(i as usize),
            Source::Value(v) => values[v as usize].as_ref(),
        }
    }

    /// The outputs.
    fn collect(&self, values: &mut [Option<Datum>]) -> Result<Vec<Datum>, GraphError> {
        let outputs = &self.plan.outputs;
        let again = |i: usize, v: u32| outputs[i + 1..].iter().any(|o| matches!(o, Source::Value(w) if *w == v));
        let output = |(i, &source): (usize, &Source)| match source {
            Source::Value(v) if !again(i, v) => values[v as usize].take(),
            other => self.find(other, values).cloned(),
        };
        outputs.iter().enumerate().map(output).map(|found| found.ok_or_else(not_made)).collect()
    }

    /// Writes the outputs into the caller's arrays, and gives back the memory that they lie in.
    fn write(
        &self,
        values: &mut [Option<Datum>],
        into: &mut [Datum],
        memory: &Memory,
        reserve: &mut Reserve<'_>,
        recording: &mut Option<Recording>,
    ) -> Result<Vec<Datum>, GraphError> {
        for (place, &source) in into.iter_mut().zip(&self.plan.outputs) {
            let found = self.find(source, values).ok_or_else(not_made)?;
            if !copy(self.lane, place, found)? {
                *place = found.clone();
            }
        }
        for source in &self.plan.outputs {
            let Source::Value(v) = *source else { continue };
            let value = values[v as usize].take();
            if let (Some(_), Some(recording)) = (&value, recording.as_mut()) {
                recording.released(v as usize, self.plan.steps.len());
            }
            give_back(value, v as usize, memory, reserve);
        }
        Ok(vec![])
    }
}

/// Gives the memory of a value that nobody reads any more back to its slot.
#[inline]
fn give_back(value: Option<Datum>, v: usize, memory: &Memory, reserve: &mut Reserve<'_>) {
    let slot = memory.places[v].slot;
    if let Some(Datum::Array(array)) = value
        && slot != NONE
        && let Ok(buffer) = array.into_buffer().try_into_mut()
    {
        reserve.give(slot.into(), buffer);
    }
}

#[cold]
fn not_made() -> GraphError {
    GraphError::invalid("an output was not made")
}

/// Copies a result into an array of the caller, if it fits there.
fn copy(lane: &Lane, place: &mut Datum, found: &Datum) -> Result<bool, GraphError> {
    let (Datum::Array(to), Datum::Array(from)) = (place, found) else { return Ok(false) };
    if to.dtype() != from.dtype() || to.layout().shape() != from.layout().shape() || to.as_mut_ptr().is_none() {
        return Ok(false);
    }
    freelane_ops::assign(lane, to, Operand::Array(from))?;
    Ok(true)
}
