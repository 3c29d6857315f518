//! Timing on pinned threads that start together.
use super::gate::Gate;
use super::group::{Body, Group, Make, Seat};
use super::row::Row;
use anyhow::{Context, Result, anyhow};
use freelane_pool::{Runtime, allowed_cores, pin_to_core};
use freelane_sync::thread;
use std::io::Write;
use std::time::{Duration, Instant};

/// What one side of one round should take on one thread.
const ROUND: Duration = Duration::from_millis(12);
/// Parts of a round that are timed apart.
const PARTS: u64 = 15;
/// A measurement is repeated where threads waited for their cores for more than this part of its time: others used them.
const DISTURBED: f64 = 0.02;
/// How long to go on for rounds that are not disturbed, once there are as many as asked for.
const PATIENCE: Duration = Duration::from_secs(3);
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
    let sides: Vec<usize> = (0..ops.len()).collect();
    let mut samples = vec![vec![Samples::default(); counts.len()]; ops.len()];
    let begun = Instant::now();
    let mut rounds = 0;
    let calm = |samples: &[Vec<Samples>], c: usize| samples.iter().all(|side| side[c].calm.len() >= setup.repeat);
    while rounds < setup.repeat || begun.elapsed() < PATIENCE && !(0..counts.len()).all(|c| calm(&samples, c)) {
        rounds += 1;
        for (c, &threads) in counts.iter().enumerate() {
            if calm(&samples, c) {
                continue;
            }
            let round = run(group, &sides, &ops, threads, &cores)?;
            round.into_iter().zip(&mut samples).for_each(|(sample, side)| side[c].add(sample));
        }
    }
    let (medians, disturbed): (Vec<Vec<f64>>, Vec<Vec<bool>>) =
        samples.into_iter().map(|side| side.into_iter().map(|s| s.median(setup.repeat)).unzip()).unzip();
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
        ops: done(ops[side]) * counts[c] as u64 * setup.repeat as u64,
        speedup: counts[c] as f64 * medians[side][0] / medians[side][c],
        efficiency: efficiency(side, c),
        limit_efficiency: limit.map_or(1.0, |limit| efficiency(limit, c)),
        disturbed: disturbed[side][0] || disturbed[side][c],
    };
    let rows = (0..ops.len()).flat_map(|side| (0..counts.len()).map(move |c| (side, c)));
    Ok(rows.filter(|(_, c)| setup.threads.contains(&counts[*c])).map(|(side, c)| row(side, c)).collect())
}

/// Operations that fill a round on one thread.
fn calibrate(group: &Group, side: usize, cores: &Cores) -> Result<u64> {
    let mut ops = vec![0; group.sides.len()];
    ops[side] = 1;
    loop {
        let took = run(group, &[side], &ops, 1, cores)?[0].ns * ops[side] as f64;
        if took > ROUND.as_nanos() as f64 / 4.0 {
            let wanted = ops[side] as f64 * ROUND.as_nanos() as f64 / took;
            return Ok((wanted.ceil() as u64).max(1));
        }
        ops[side] *= 4;
    }
}

/// One round: the mean of the threads, for each of the sides; of more threads than cores the slowest.
fn run(group: &Group, sides: &[usize], ops: &[u64], threads: usize, cores: &Cores) -> Result<Vec<Sample>> {
    let makes: Vec<(Make, u64)> = sides.iter().map(|&s| ((group.sides[s].prepare)(threads), ops[s])).collect();
    let gate = Gate::new(threads);
    let times = thread::scope(|scope| {
        let start = |thread: usize| {
            let (makes, gate, core) = (&makes, &gate, cores.0[thread % cores.count()]);
            let seat = Seat { thread, threads };
            thread::Builder::new().name(format!("lane {thread}")).spawn_scoped(scope, move || {
                // Where threads cannot be bound, they stay where the system puts them.
                let _ = pin_to_core(core);
                lane(makes, seat, gate, threads > cores.count())
            })
        };
        let lanes =
            (0..threads).map(|thread| start(thread).unwrap_or_else(|e| no_thread(thread, &e))).collect::<Vec<_>>();
        let join = |lane: thread::ScopedJoinHandle<'_, Result<Vec<Sample>>>| {
            lane.join().unwrap_or_else(|_| Err(anyhow!("a measured operation panicked")))
        };
        lanes.into_iter().map(join).collect::<Result<Vec<_>>>()
    })?;
    let together = |side: usize| {
        let each = times.iter().map(|lane| lane[side]);
        if threads > cores.count() {
            // They wait for each other.
            return Sample { ns: each.map(|s| s.ns).fold(0.0, f64::max), disturbed: false };
        }
        let ns = each.clone().map(|s| s.ns).sum::<f64>() / threads as f64;
        Sample { ns, disturbed: each.into_iter().any(|s| s.disturbed) }
    };
    Ok((0..sides.len()).map(together).collect())
}

/// A measurement that lacks a thread would wait for it for ever.
fn no_thread(thread: usize, error: &std::io::Error) -> ! {
    let _ = writeln!(std::io::stderr(), "error: cannot start thread {thread}: {error}");
    std::process::exit(1)
}

/// One thread's part. Comes to every gate, whatever happens.
fn lane(makes: &[(Make, u64)], seat: Seat, gate: &Gate, waits: bool) -> Result<Vec<Sample>> {
    let mut outcome = Ok(vec![]);
    for (side, (make, ops)) in makes.iter().enumerate() {
        let mut body = make(seat);
        warm(&mut body, *ops);
        gate.pass(2 * side + 1);
        let timed = body.as_mut().map_or(Ok(Sample::default()), |body| time(body, *ops, waits));
        // What a thread owns lives until all have measured.
        gate.pass(2 * side + 2);
        let took = body.and(timed).context("a measured operation failed");
        outcome = outcome.and_then(|mut times: Vec<Sample>| {
            times.push(took?);
            Ok(times)
        });
    }
    outcome
}

/// A time, and whether others had the core meanwhile.
#[derive(Clone, Copy, Default)]
struct Sample {
    ns: f64,
    disturbed: bool,
}

/// The rounds of one side at one number of threads.
#[derive(Clone, Default)]
struct Samples {
    calm: Vec<f64>,
    disturbed: Vec<f64>,
}

impl Samples {
    fn add(&mut self, sample: Sample) {
        if sample.disturbed { self.disturbed.push(sample.ns) } else { self.calm.push(sample.ns) }
    }

    /// The median of calm rounds, if there are half as many as asked for; else of all, and that this is so.
    fn median(mut self, repeat: usize) -> (f64, bool) {
        let disturbed = self.calm.len() * 2 < repeat;
        if disturbed {
            self.calm.append(&mut self.disturbed);
        }
        (median(self.calm), disturbed)
    }
}

/// The median of a round's parts, of which some may have lost the core for a moment; the mean where the thread waits for others,
/// since that belongs to its time.
fn time(body: &mut Body, ops: u64, waits: bool) -> Result<Sample> {
    let part = ops.div_ceil(PARTS);
    let mut times = vec![];
    let (waited, begun) = (waited(), Instant::now());
    for _ in 0..ops.div_ceil(part) {
        let start = Instant::now();
        body(part)?;
        times.push(start.elapsed().as_nanos() as f64 / part as f64);
    }
    let (took, waited) = (begun.elapsed(), self::waited().saturating_sub(waited));
    let ns = if waits { took.as_nanos() as f64 / done(ops) as f64 } else { median(times) };
    Ok(Sample { ns, disturbed: waited.as_secs_f64() > DISTURBED * took.as_secs_f64() })
}

/// How long this thread has been ready to run and had no core; nothing where the system does not say.
fn waited() -> Duration {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    Duration::from_nanos(text.split_whitespace().nth(1).and_then(|ns| ns.parse().ok()).unwrap_or(0))
}

fn warm(body: &mut Result<Body>, ops: u64) {
    let failed = body.as_mut().ok().and_then(|run| run((ops / 10).max(WARM)).err());
    if let Some(error) = failed {
        *body = Err(error);
    }
}

/// Operations that a round of `ops` comes to in whole parts.
fn done(ops: u64) -> u64 {
    let part = ops.div_ceil(PARTS);
    part * ops.div_ceil(part)
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}
