//! Small models on threads: freelane beside the crate `ort`, in turns within one process.
//!
//! `ort::Session::run` takes the session for itself. So its users put a lock around it, or load the models once for each
//! thread; both stand beside freelane's shared sessions. All take the same 64 numbers and give the same ten.
use anyhow::{Context, Result, anyhow};
use clap::Parser;
use freelane_graph::{Datum, Limits};
use freelane_onnx::{Session, SessionOptions};
use freelane_ops::{Array, DType};
use ort::environment::Environment;
use ort::value::TensorRef;
use std::path::PathBuf;
use std::sync::{Arc, Barrier, Mutex};
use std::thread;
use std::time::{Duration, Instant};

/// Two dense layers over 64 numbers.
const MODEL: &[u8] = include_bytes!("../../../../../crates/freelane-cli/models/mlp.onnx");
const WIDTH: usize = 64;
/// Runs of a thread from which the length of a turn follows.
const WARM: usize = 1000;

#[derive(Parser)]
struct Args {
    /// The shared library of ONNX Runtime
    library: PathBuf,
    /// Numbers of threads
    #[arg(long, value_delimiter = ',', default_value = "1,2,32")]
    threads: Vec<usize>,
    /// Numbers of models
    #[arg(long, value_delimiter = ',', default_value = "1,24")]
    models: Vec<usize>,
    /// Turns, of which medians are shown
    #[arg(long, default_value_t = 7)]
    turns: usize,
    /// About how many seconds a turn takes
    #[arg(long, default_value_t = 0.2)]
    seconds: f64,
}

/// What a thread does once: run one of its models.
type Work = Box<dyn FnMut() -> Result<f32> + Send>;

/// Makes the next thread's work.
type Make = Box<dyn FnMut() -> Result<Work>>;

/// A way to run models on threads.
struct Side {
    name: &'static str,
    /// Loads that many models for that many threads.
    load: fn(&Environment, usize, usize) -> Result<Make>,
}

const SIDES: [Side; 3] = [
    Side { name: "freelane", load: shared },
    Side { name: "ort, a lock for each model", load: locked },
    Side { name: "ort, models for each thread", load: own },
];

/// The model with another description, so that it is another one.
fn bytes(i: usize) -> Vec<u8> {
    [MODEL, &[6 << 3 | 2, 1, b'a' + i as u8]].concat()
}

fn shared(_: &Environment, models: usize, _: usize) -> Result<Make> {
    let open = |i| Session::from_bytes(bytes(i), &SessionOptions::default());
    let sessions = Arc::new((0..models).map(open).collect::<Result<Vec<_>, _>>()?);
    Ok(Box::new(move || {
        let (sessions, mut next) = (Arc::clone(&sessions), 0);
        let inputs = [Datum::from(Array::ones(&[1, WIDTH], DType::F32)?)];
        let mut outputs = sessions[0].run_within(&inputs, &Limits::default())?;
        Ok(Box::new(move || {
            next = (next + 1) % sessions.len();
            sessions[next].run_into(&inputs, &Limits::default(), &mut outputs)?;
            let y = Array::of(outputs[0].array().context("no array")?).view::<f32>()?;
            Ok(y.as_slice().context("in order")?[0])
        }))
    }))
}

fn theirs(environment: &Environment, i: usize) -> Result<ort::session::Session> {
    let options = ort::session::Session::builder(environment).map_err(error)?;
    options.with_intra_threads(1).map_err(error)?.commit_from_memory(&bytes(i)).map_err(error)
}

fn error(error: impl std::fmt::Display) -> anyhow::Error {
    anyhow!("{error}")
}

fn run(session: &mut ort::session::Session, x: &[f32]) -> Result<f32> {
    let x = TensorRef::from_array_view(([1, WIDTH], x)).map_err(error)?;
    let outputs = session.run(ort::inputs![x]).map_err(error)?;
    Ok(outputs[0].try_extract_tensor::<f32>().map_err(error)?.1[0])
}

fn locked(environment: &Environment, models: usize, _: usize) -> Result<Make> {
    let sessions = (0..models).map(|i| theirs(environment, i).map(Mutex::new)).collect::<Result<Vec<_>>>()?;
    let sessions = Arc::new(sessions);
    Ok(Box::new(move || {
        let (sessions, mut next, x) = (Arc::clone(&sessions), 0, [1.0; WIDTH]);
        Ok(Box::new(move || {
            next = (next + 1) % sessions.len();
            run(&mut *sessions[next].lock().map_err(error)?, &x)
        }))
    }))
}

fn own(environment: &Environment, models: usize, threads: usize) -> Result<Make> {
    let load = |_| (0..models).map(|i| theirs(environment, i)).collect::<Result<Vec<_>>>();
    let mut sets = (0..threads).map(load).collect::<Result<Vec<_>>>()?;
    Ok(Box::new(move || {
        let (mut sessions, mut next, x) = (sets.pop().context("models for each thread")?, 0, [1.0; WIDTH]);
        Ok(Box::new(move || {
            next = (next + 1) % sessions.len();
            run(&mut sessions[next], &x)
        }))
    }))
}

/// Seconds that `count` calls on each of the threads take, and what the last one gave.
fn timed(work: &mut [Work], count: usize) -> Result<(Duration, f32)> {
    let start = &Barrier::new(work.len() + 1);
    thread::scope(|scope| {
        let run = move |work: &mut Work| {
            start.wait();
            (0..count).try_fold(0.0, |_, _| work())
        };
        let threads: Vec<_> = work.iter_mut().map(|work| scope.spawn(move || run(work))).collect();
        // Begun before they all start: this thread may be the last one to go on.
        let begun = Instant::now();
        start.wait();
        let results = threads.into_iter().map(|t| t.join().map_err(|_| anyhow!("a thread panicked"))?);
        let results = results.collect::<Result<Vec<f32>>>()?;
        Ok((begun.elapsed(), results[0]))
    })
}

/// Bytes of the process that are in memory.
fn resident() -> Result<usize> {
    let text = std::fs::read_to_string("/proc/self/statm")?;
    Ok(text.split(' ').nth(1).context("statm has a second field")?.parse::<usize>()? * 4096)
}

fn rows(args: &Args, environment: &Environment, models: usize, threads: usize) -> Result<()> {
    let cores = thread::available_parallelism()?.get();
    let mut sides = Vec::new();
    for side in &SIDES {
        let (before, begun) = (resident()?, Instant::now());
        let mut make = (side.load)(environment, models, threads)?;
        let load = begun.elapsed();
        let mut work = (0..threads).map(|_| make()).collect::<Result<Vec<_>>>()?;
        let (passed, y) = timed(&mut work, WARM)?;
        let count = (WARM as f64 * args.seconds / passed.as_secs_f64()) as usize + models;
        sides.push((side.name, load, resident()?.saturating_sub(before), work, count, Vec::new(), y));
    }
    for _ in 0..args.turns {
        for (_, _, _, work, count, times, _) in &mut sides {
            let (passed, _) = timed(work, *count)?;
            times.push(passed.as_secs_f64() * 1e6 * threads.min(cores) as f64 / (*count * threads) as f64);
        }
    }
    for (name, load, memory, _, _, mut times, y) in sides {
        times.sort_by(f64::total_cmp);
        let (us, load, mib) = (times[times.len() / 2], load.as_secs_f64() * 1e3, memory as f64 / f64::from(1 << 20));
        println!("| {models} | {threads} | {name} | {us:.2} | {load:.1} | {mib:.1} | {y:.6} |");
    }
    Ok(())
}

fn main() -> Result<()> {
    let args = Args::parse();
    let environment = ort::init_from(&args.library).map_err(error)?.build().map_err(error)?;
    println!("| models | threads | sessions | us of a core for a run | load, ms | memory, MiB | first output |");
    println!("| ---: | ---: | --- | ---: | ---: | ---: | ---: |");
    for &models in &args.models {
        args.threads.iter().try_for_each(|&threads| rows(&args, &environment, models, threads))?;
    }
    Ok(())
}
