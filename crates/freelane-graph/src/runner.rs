//! A plan with what all lanes keep to run it.
use crate::plan::Step;
use crate::{Datum, GraphError, Limits, Node, Plan, State};
use freelane_pool::Lane;
use freelane_sync::{OnceTable, PerLane, Slot, Tally};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What a [`Runner`] measures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Measure {
    /// Nothing.
    #[default]
    Nothing,
    /// How long runs take.
    Runs,
    /// How long each node takes, too.
    Nodes,
}

/// Two buckets for each doubling, from 1 ns on.
const BUCKETS: usize = 80;

/// What a lane keeps for itself; others read the counters.
struct Cell {
    // LEDGER: its lane; taken and put back at each run, asked by whoever trims
    state: Slot<State>,
    // LEDGER: its lane counts; others read
    latency: [Tally; BUCKETS],
    // LEDGER: its lane counts; others read
    total: Tally,
    // LEDGER: its lane notes; others read
    longest: Tally,
    // LEDGER: its lane; made at its first measured run
    nodes: OnceTable<PlanTally>,
}

impl Cell {
    fn new() -> Cell {
        let latency = std::array::from_fn(|_| Tally::new());
        Cell { state: Slot::new(), latency, total: Tally::new(), longest: Tally::new(), nodes: OnceTable::new() }
    }
}

/// Runs and nanoseconds of a plan's nodes.
pub(crate) struct PlanTally {
    of: Arc<()>,
    pub nodes: Box<[NodeTally]>,
}

/// Runs and nanoseconds of a node, and of the plans that it runs.
pub(crate) struct NodeTally {
    // LEDGER: the lane it is of counts; others read
    runs: Tally,
    // LEDGER: the lane it is of counts; others read
    ns: Tally,
    bodies: Box<[PlanTally]>,
}

impl PlanTally {
    fn new(plan: &Plan) -> PlanTally {
        let bodies = |node: &Node| node.op.bodies().into_iter().map(|body| PlanTally::new(body)).collect();
        let node = |step: &Step| {
            let bodies = bodies(&plan.graph.nodes[step.node]);
            NodeTally { runs: Tally::new(), ns: Tally::new(), bodies }
        };
        PlanTally { of: plan.token.clone(), nodes: plan.steps.iter().map(node).collect() }
    }
}

impl NodeTally {
    /// The tally of a plan that the node runs.
    pub fn of(&self, plan: &Plan) -> Option<&PlanTally> {
        self.bodies.iter().find(|body| Arc::ptr_eq(&body.of, &plan.token))
    }

    pub fn add(&self, spent: Duration) {
        self.runs.add(1);
        self.ns.add(u64::try_from(spent.as_nanos()).unwrap_or(u64::MAX));
    }
}

/// How long a node took.
#[derive(Clone, Debug)]
pub struct NodeTime {
    /// The node's name, behind those of the nodes that it lies in; the name of its output if it has none.
    pub node: String,
    /// Its operator.
    pub op: String,
    /// How often it ran.
    pub runs: u64,
    /// All of its runs together.
    pub total: Duration,
    /// Of them, the time of the nodes of its graphs, which are told of by themselves.
    pub inner: Duration,
}

/// How long runs took.
#[derive(Clone, Debug, Default)]
pub struct Latency {
    /// Number of runs.
    pub runs: u64,
    /// All of them together.
    pub total: Duration,
    /// The longest of them.
    pub longest: Duration,
    counts: Vec<u64>,
}

impl Latency {
    /// The time that a share of the runs, 0.5 for half of them, did not exceed: estimated within a bucket, so right within a factor
    /// of 1.42.
    pub fn quantile(&self, share: f64) -> Duration {
        let wanted = (share.clamp(0.0, 1.0) * self.runs as f64).ceil().max(1.0);
        let mut before = 0.0;
        for (bucket, count) in self.counts.iter().map(|&n| n as f64).enumerate() {
            if before + count >= wanted {
                let doublings = (bucket as f64 + (wanted - before) / count) / 2.0;
                return Duration::from_nanos(doublings.exp2() as u64).min(self.longest);
            }
            before += count;
        }
        self.longest
    }
}

/// Memory that a runner holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Memory {
    /// Bytes of values that are the same in every run, which all lanes and all runners of the plan share.
    pub constants: usize,
    /// Lanes that keep tables for the next run.
    pub lanes: usize,
    /// Bytes that values of a run need at once, in the largest of all runs so far. Lanes keep as much for all of their
    /// runners together.
    pub values: usize,
}

/// A plan, to be run from any number of threads at once. Each finds the tables of its last run again; nobody waits, and no
/// memory that two threads use is written.
///
/// ```
/// use freelane_graph::{Call, Datum, Fact, Graph, Limits, Plan, Runner};
/// use freelane_ops::{Array, DType, ufuncs};
/// use std::sync::Arc;
///
/// let mut graph = Graph::default();
/// let x = graph.input("x", Fact::of_dtype(DType::F64));
/// let y = graph.add("", Call::ufunc(&ufuncs::SQUARE), &[Some(x)], 1)?[0];
/// graph.output(y);
/// let runner = Runner::new(Arc::new(Plan::new(graph)?));
/// std::thread::scope(|threads| {
///     for k in 0..4 {
///         let runner = &runner;
///         threads.spawn(move || {
///             let x: Datum = Array::from_slice(&[f64::from(k)]).unwrap().into();
///             let y = runner.run(&[x], &Limits::default()).unwrap();
///             assert_eq!(Array::from(y[0].array().unwrap().clone()).item::<f64>().unwrap(), f64::from(k * k));
///         });
///     }
/// });
/// # Ok::<(), freelane_graph::GraphError>(())
/// ```
pub struct Runner {
    plan: Arc<Plan>,
    // LEDGER: the runner; each lane has a cell of its own
    cells: PerLane<Cell>,
    measure: Measure,
}

impl Runner {
    /// A plan, and nothing kept yet.
    pub fn new(plan: Arc<Plan>) -> Runner {
        Runner { plan, cells: PerLane::new(Cell::new), measure: Measure::Nothing }
    }

    /// The runner, which measures from now on.
    #[must_use]
    pub fn measuring(self, measure: Measure) -> Runner {
        Runner { measure, ..self }
    }

    /// The plan.
    pub fn plan(&self) -> &Arc<Plan> {
        &self.plan
    }

    /// As [`Plan::run_within`].
    ///
    /// # Errors
    /// As [`Plan::run_within`].
    #[inline]
    pub fn run(&self, inputs: &[Datum], limits: &Limits<'_>) -> Result<Vec<Datum>, GraphError> {
        self.with(inputs, limits, &mut [])
    }

    /// As [`Plan::run_into`].
    ///
    /// # Errors
    /// As [`Plan::run_into`].
    #[inline]
    pub fn run_into(&self, inputs: &[Datum], limits: &Limits<'_>, outputs: &mut [Datum]) -> Result<(), GraphError> {
        if self.measure == Measure::Nothing && self.plan.run_whole(inputs, limits, outputs) {
            return Ok(());
        }
        self.plan.check_outputs(outputs)?;
        self.with(inputs, limits, outputs).map(drop)
    }

    fn with(&self, inputs: &[Datum], limits: &Limits<'_>, into: &mut [Datum]) -> Result<Vec<Datum>, GraphError> {
        Lane::with(|lane| {
            if self.measure == Measure::Nothing
                && let Some(done) = self.plan.run_direct(lane, inputs, limits, into)
            {
                return done;
            }
            let cell = self.cells.cell(lane.index());
            // Empty at the first run, and where an operator runs its own plan again.
            let mut state = cell.state.take().unwrap_or_default();
            let began = (self.measure >= Measure::Runs).then(Instant::now);
            let result = self.plan.run_with(lane, &mut state, inputs, limits, into, self.tallies(cell));
            if let Some(began) = began {
                count(cell, began.elapsed());
            }
            cell.state.put(state);
            result
        })
    }

    fn tallies<'c>(&self, cell: &'c Cell) -> Option<&'c PlanTally> {
        (self.measure == Measure::Nodes).then(|| cell.nodes.get_or_init(|| PlanTally::new(&self.plan)))
    }

    /// Frees what lanes keep for their next run, except where one is running; returns how many lanes kept something.
    pub fn trim(&self) -> usize {
        self.cells.iter().filter_map(|cell| cell.state.take()).count()
    }

    /// How long runs took, if that is measured: all lanes together.
    pub fn latency(&self) -> Latency {
        let mut latency = Latency { counts: vec![0; BUCKETS], ..Latency::default() };
        for cell in self.cells.iter() {
            latency.counts.iter_mut().zip(&cell.latency).for_each(|(sum, n)| *sum += n.get());
            latency.total += Duration::from_nanos(cell.total.get());
            latency.longest = latency.longest.max(Duration::from_nanos(cell.longest.get()));
        }
        latency.runs = latency.counts.iter().sum();
        latency
    }

    /// How long each node took, those of branches and loops too, if that is measured: all lanes together, the slowest first.
    pub fn profile(&self) -> Vec<NodeTime> {
        let tallies: Vec<&PlanTally> = self.cells.iter().filter_map(|cell| cell.nodes.get()).collect();
        let mut times = vec![];
        collect_times(&self.plan, &tallies, "", &mut times);
        times.sort_by_key(|t| std::cmp::Reverse(t.total));
        times
    }

    /// Memory that it holds, as far as lanes that are not running now tell.
    pub fn memory(&self) -> Memory {
        let mut memory = Memory { constants: self.plan.constant_bytes(), ..Memory::default() };
        for cell in self.cells.iter() {
            if let Some(state) = cell.state.take() {
                memory.lanes += 1;
                memory.values = memory.values.max(state.slot_bytes());
                cell.state.put(state);
            }
        }
        memory
    }
}

/// Adds the times of a plan's nodes; returns their sum. Names begin with the node that runs the plan.
fn collect_times(plan: &Plan, tallies: &[&PlanTally], prefix: &str, times: &mut Vec<NodeTime>) -> Duration {
    let mut sum = Duration::ZERO;
    for (i, step) in plan.steps.iter().enumerate() {
        let node = &plan.graph.nodes[step.node];
        let name = format!("{prefix}{}", plan.graph.node_name(node));
        let of_lanes = || tallies.iter().map(|t| &t.nodes[i]);
        let total = Duration::from_nanos(of_lanes().map(|t| t.ns.get()).sum());
        let runs = of_lanes().map(|t| t.runs.get()).sum();
        let at = times.len();
        times.push(NodeTime { node: name.clone(), op: node.op.name().to_owned(), runs, total, inner: Duration::ZERO });
        for body in node.op.bodies() {
            let inner: Vec<&PlanTally> = of_lanes().filter_map(|t| t.of(body)).collect();
            let sum = collect_times(body, &inner, &format!("{name}/"), times);
            times[at].inner += sum;
        }
        sum += total;
    }
    sum
}

fn count(cell: &Cell, spent: Duration) {
    let ns = u64::try_from(spent.as_nanos()).unwrap_or(u64::MAX).max(1);
    let doubling = 2 * ns.ilog2() as usize;
    let upper = (ns as f64) >= 2f64.powi(ns.ilog2() as i32) * std::f64::consts::SQRT_2;
    cell.latency[(doubling + usize::from(upper)).min(BUCKETS - 1)].add(1);
    cell.total.add(ns);
    cell.longest.set(cell.longest.get().max(ns));
}
