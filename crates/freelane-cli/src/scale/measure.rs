//! Timing on pinned threads that start together.
use super::gate::Gate;
use super::group::{Body, Group, Make, Seat};
use super::row::Row;
use anyhow::{Context, Result, anyhow};
use freelane_pool::{Runtime, allowed_cores, pin_to_core};
use freelane_sync::thread;
use std::time::{Duration, Instant};

/// What one side of one round should take on one thread.
const ROUND: Duration = Duration::from_millis(12);
/// Operations to warm up with, at least; fills the caches and magazines a thread keeps.
const WARM: u64 = 3;

/// How to measure.
#[derive(Clone, Debug)]
pub struct Setup {
    /// Numbers of threads, ascending.
    pub threads: Vec<usize>,
    /// Rounds; medians are reported.
    pub repeat: usize,
}

/// The processors to pin threads to.
pub struct Cores(Vec<usize>);

impl Cores {
    /// Those that this thread may use.
    pub fn allowed() -> Cores {
        let cores = allowed_cores();
        Cores(if cores.is_empty() { (0..Runtime::available()).collect() } else { cores })
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// The numbers of threads that show a line: powers of two up to the processors, and their number.
    pub fn line(&self) -> Vec<usize> {
        let mut counts: Vec<usize> =
            std::iter::successors(Some(1), |n| Some(n * 2)).take_while(|n| *n < self.count()).collect();
        counts.push(self.count());
        counts
    }
}

/// Measures all sides of a group, each at every number of threads.
///
/// # Errors
/// When an operation fails, or a thread cannot be started.
pub fn measure(group: &Group, setup: &Setup) -> Result<Vec<Row>> {
    let cores = Cores::allowed();
    let mut counts = setup.threads.clone();
    if !counts.contains(&1) {
        counts.insert(0, 1);
    }
    let ops = (0..group.sides.len()).map(|side| calibrate(group, side, &cores)).collect::<Result<Vec<_>>>()?;
    let mut times = vec![vec![vec![]; counts.len()]; ops.len()];
    for _ in 0..setup.repeat {
        for (c, &threads) in counts.iter().enumerate() {
            let sides: Vec<usize> = (0..ops.len()).collect();
            let round = run(group, &sides, &ops, threads, &cores)?;
            round.into_iter().enumerate().for_each(|(side, time)| times[side][c].push(time));
        }
    }
    let medians: Vec<Vec<f64>> = times.into_iter().map(|side| side.into_iter().map(median).collect()).collect();
    let efficiency = |side: usize, c: usize| {
        let share = (counts[c] as f64 / cores.count() as f64).max(1.0);
        medians[side][0] * share / medians[side][c]
    };
    let limit = group.sides.iter().position(|side| side.is_limit);
    let row = |side: usize, c: usize| Row {
        workload: group.workload.name(),
        case: group.sides[side].case.clone(),
        n: group.n,
        threads: counts[c],
        ns_per_op: medians[side][c],
        ops: ops[side] * counts[c] as u64 * setup.repeat as u64,
        speedup: counts[c] as f64 * medians[side][0] / medians[side][c],
        efficiency: efficiency(side, c),
        limit_efficiency: limit.map_or(1.0, |limit| efficiency(limit, c)),
    };
    let rows = (0..ops.len()).flat_map(|side| (0..counts.len()).map(move |c| (side, c)));
    Ok(rows.filter(|(_, c)| setup.threads.contains(&counts[*c])).map(|(side, c)| row(side, c)).collect())
}

/// Operations that fill a round on one thread.
fn calibrate(group: &Group, side: usize, cores: &Cores) -> Result<u64> {
    let mut ops = vec![0; group.sides.len()];
    ops[side] = 1;
    loop {
        let took = run(group, &[side], &ops, 1, cores)?[0] * ops[side] as f64;
        if took > ROUND.as_nanos() as f64 / 4.0 {
            let wanted = ops[side] as f64 * ROUND.as_nanos() as f64 / took;
            return Ok((wanted.ceil() as u64).max(1));
        }
        ops[side] *= 4;
    }
}

/// Nanoseconds per operation of the slowest thread, for each of the sides.
fn run(group: &Group, sides: &[usize], ops: &[u64], threads: usize, cores: &Cores) -> Result<Vec<f64>> {
    let makes: Vec<(Make, u64)> = sides.iter().map(|&s| ((group.sides[s].prepare)(threads), ops[s])).collect();
    let gate = Gate::new(threads);
    let times = thread::scope(|scope| {
        let start = |thread: usize| {
            let (makes, gate, core) = (&makes, &gate, cores.0[thread % cores.count()]);
            let seat = Seat { thread, threads };
            thread::Builder::new().name(format!("lane {thread}")).spawn_scoped(scope, move || {
                // Where threads cannot be bound, they stay where the system puts them.
                let _ = pin_to_core(core);
                lane(makes, seat, gate)
            })
        };
        let lanes =
            (0..threads).map(|thread| start(thread).unwrap_or_else(|e| no_thread(thread, &e))).collect::<Vec<_>>();
        let join = |lane: thread::ScopedJoinHandle<'_, Result<Vec<f64>>>| {
            lane.join().unwrap_or_else(|_| Err(anyhow!("a measured operation panicked")))
        };
        lanes.into_iter().map(join).collect::<Result<Vec<_>>>()
    })?;
    let slowest = |side: usize| times.iter().map(|lane| lane[side]).fold(0.0, f64::max);
    Ok((0..sides.len()).map(slowest).collect())
}

/// A measurement that lacks a thread would wait for it for ever.
fn no_thread(thread: usize, error: &std::io::Error) -> ! {
    eprintln!("error: cannot start thread {thread}: {error}");
    std::process::exit(1)
}

/// One thread's part: nanoseconds per operation of each side. Comes to every gate, whatever happens.
fn lane(makes: &[(Make, u64)], seat: Seat, gate: &Gate) -> Result<Vec<f64>> {
    let mut outcome = Ok(vec![]);
    for (side, (make, ops)) in makes.iter().enumerate() {
        let mut body = make(seat);
        warm(&mut body, *ops);
        gate.pass(2 * side + 1);
        let start = Instant::now();
        let done = body.as_mut().map_or(Ok(()), |body| body(*ops));
        let took = start.elapsed().as_nanos() as f64 / *ops as f64;
        // What a thread owns lives until all have measured.
        gate.pass(2 * side + 2);
        let failed = body.err().or(done.err());
        outcome = match (outcome, failed) {
            (Ok(_), Some(error)) => Err(error).context("a measured operation failed"),
            (Ok(mut times), None) => {
                times.push(took);
                Ok(times)
            }
            (error, _) => error,
        };
    }
    outcome
}

fn warm(body: &mut Result<Body>, ops: u64) {
    let failed = body.as_mut().ok().and_then(|run| run((ops / 10).max(WARM)).err());
    if let Some(error) = failed {
        *body = Err(error);
    }
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}
