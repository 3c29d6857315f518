//! `freelane run`: an ONNX model over array files.
use super::json_line;
use crate::memory;
use crate::progress::Progress;
use crate::scale::gate::Gate;
use crate::show;
use anyhow::{Context, Result, anyhow, bail};
use freelane::graph::{Datum, Dim, Limits, Measure, NodeTime};
use freelane::onnx::{Checked, ModelFile, Port, Session, SessionOptions, check_passes, passes};
use freelane::{Array, Runtime};
use serde_json::{Value as Json, json};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Run an ONNX model
///
/// The model is loaded once and shared by all threads. Each thread runs it --repeat times.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The model: FILE.onnx
    model: PathBuf,
    /// Inputs: NAME=FILE.npy, NAME=FILE.npz:key, NAME=FILE.safetensors:key, NAME=NUMBER; with one input, NAME= may be left out
    #[arg(short, long = "input", value_name = "NAME=FILE")]
    inputs: Vec<String>,
    /// Make up inputs that are not given: numbers between 0 and 1. Open axes have length 1 where --dim and --shape say nothing,
    /// which is told
    #[arg(long)]
    random: bool,
    /// The length that an open axis gets with --random: NAME=N, or N for all
    #[arg(long = "dim", value_name = "NAME=N", requires = "random")]
    dims: Vec<String>,
    /// The shape of an input with --random: NAME=1,3,224,224
    #[arg(long = "shape", value_name = "NAME=N,N", requires = "random")]
    shapes: Vec<String>,
    /// The seed of --random
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Write each output to DIR/NAME.npy
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Threads that run the model at once
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: u16,
    /// Split large operations of each run over this many threads
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    split: u16,
    /// Runs of each thread
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    repeat: u64,
    /// Check that each row of the inputs alone gives the bits of a row of all, and that 2 and 16 threads do; else name the
    /// first node that does not
    ///
    /// Rows lie along the open axis that the first such input begins with, and along each axis of its name in other inputs;
    /// where axes have no names, along the first open one of each input. --batch-axis tells others. With --json, `batch` has
    /// `axes`, those of the inputs; `rows`, how many there are; `values`, how many results of nodes were compared;
    /// `without_batch`, how many of them have no row for each row of the inputs, as lengths have not; and `threads`, the
    /// numbers of threads that gave the same bits.
    #[arg(long)]
    check_batch: bool,
    /// Where the rows of an input lie, for --check-batch: INPUT=AXIS for each input that has rows
    #[arg(long = "batch-axis", value_name = "INPUT=AXIS", requires = "check_batch")]
    batch_axes: Vec<String>,
    /// Check each pass over the graph: the values of all nodes are what they were before it; else name the first node that is
    /// not
    ///
    /// The model runs once without passes and again with one more each time. With --json, `passes` has of each its name,
    /// `keeps`, what it promises, and `values`, how many were there before and after it.
    #[arg(long, conflicts_with = "plain")]
    check_passes: bool,
    /// Print the time of each operator
    #[arg(long)]
    profile: bool,
    /// Leave the graph as the file has it
    #[arg(long)]
    plain: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

impl Args {
    /// Runs of all threads together.
    fn runs(&self) -> u64 {
        self.repeat.saturating_mul(self.threads.into())
    }
}

/// What was run, and what there is to tell of it.
struct Done {
    session: Session,
    outputs: Vec<Datum>,
    loading: Duration,
    wall: Duration,
    /// Open axes whose length nobody gave.
    assumed: Vec<String>,
    batch: Option<Json>,
    passes: Vec<Checked>,
}

pub fn run(args: Args, out: &mut dyn Write) -> Result<()> {
    let done = carried_out(&args)?;
    if let Some(folder) = &args.output {
        save(folder, &done)?;
    }
    if args.json {
        return json_line(out, &report(&args, &done)?);
    }
    tell(&args, &done, out)?;
    out.flush()?;
    // Nobody reads what cannot be written.
    let _ = writeln!(io::stderr(), "{}", summary(&args, &done));
    Ok(())
}

/// Loads the model, checks what is to be checked, and runs it.
fn carried_out(args: &Args) -> Result<Done> {
    let runtime = (args.split > 1).then(|| Runtime::new(args.split.into())).transpose()?.map(Arc::new);
    let measure = if args.profile { Measure::Nodes } else { Measure::Runs };
    let began = Instant::now();
    let progress = Progress::new("loading", 1);
    let session = Session::open(&args.model, &SessionOptions { measure, runtime, plain: args.plain })?;
    drop(progress);
    let loading = began.elapsed();
    let (inputs, assumed) = inputs(args, &session)?;
    let batch = args.check_batch.then(|| super::batch::check(&session, &inputs, &args.batch_axes)).transpose()?;
    let passes = match args.check_passes {
        true => check_passes(&ModelFile::open(&args.model)?, &passes(), &inputs)?,
        false => vec![],
    };
    let (outputs, wall) = repeat(args, &session, &inputs)?;
    Ok(Done { session, outputs, loading, wall, assumed, batch, passes })
}

/// What people read.
fn tell(args: &Args, done: &Done, out: &mut dyn Write) -> Result<()> {
    if let Some(batch) = &done.batch {
        let (rows, values, unknown) = (&batch["rows"], &batch["values"], &batch["without_batch"]);
        writeln!(
            out,
            "same bits: {rows} rows, each alone, and 1, 2 and 16 threads; of {values} results in between {unknown} have no batch"
        )?;
    }
    for Checked { pass, keeps, values } in &done.passes {
        writeln!(out, "pass {pass} keeps {keeps}: {values} values")?;
    }
    for (port, output) in done.session.outputs().iter().zip(&done.outputs) {
        writeln!(out, "{}: {}", port.name, described(output)?)?;
    }
    if args.profile { profile(&done.session, out) } else { Ok(()) }
}

/// Complains of an axis or input that is named on the command line and that the model has not.
fn check_names(args: &Args, session: &Session) -> Result<()> {
    let axes: Vec<String> =
        session.inputs().iter().flat_map(|p| p.fact.shape.iter().flatten()).map(ToString::to_string).collect();
    for text in &args.dims {
        if let Some((name, _)) = text.split_once('=')
            && !axes.iter().any(|axis| axis == name)
        {
            bail!("--dim {text}: the inputs have no axis {name}");
        }
    }
    for text in &args.shapes {
        if !session.inputs().iter().any(|port| text.split_once('=').is_some_and(|(name, _)| name == port.name)) {
            bail!("--shape {text}: expected NAME=N,N; the model takes {}", names(session.inputs()));
        }
    }
    Ok(())
}

/// The model's inputs in order, from files or made up, and the open axes whose length nobody gave.
fn inputs(args: &Args, session: &Session) -> Result<(Vec<Datum>, Vec<String>)> {
    check_names(args, session)?;
    let mut given: Vec<(&str, Datum)> = vec![];
    let mut assumed = vec![];
    for text in &args.inputs {
        let (name, place) = match (text.split_once('='), session.inputs()) {
            (Some((name, place)), _) => (name, place),
            (None, [only]) => (only.name.as_str(), text.as_str()),
            (None, _) => bail!("--input {text}: expected NAME=FILE; the model takes {}", names(session.inputs())),
        };
        given.push((name, read(session, name, place)?));
    }
    if args.random {
        for port in session.inputs() {
            if !given.iter().any(|(name, _)| *name == port.name) {
                let made = random(args, port, given.len() as u32, &mut assumed);
                let made = made.with_context(|| format!("input {}", port.name))?;
                given.push((port.name.as_str(), made));
            }
        }
    }
    let inputs = session.in_order(&given).map_err(|e| match args.random {
        true => anyhow!(e),
        false => anyhow!("{e} (-i NAME=FILE gives it, --random makes it up)"),
    })?;
    Ok((inputs, assumed))
}

/// An input from a file, or a number of the type that the model takes.
fn read(session: &Session, name: &str, place: &str) -> Result<Datum> {
    let port = session.inputs().iter().find(|port| port.name == name);
    if let (Some(dtype), Ok(number)) = (port.and_then(|port| port.fact.dtype), place.parse::<f64>()) {
        return Ok(Array::full(&[], number, freelane::DType::F64)?.astype(dtype)?.into());
    }
    let (file, key) = super::eval::split_key(place);
    Ok(freelane::load(Path::new(file), key).with_context(|| format!("{name}={file}"))?.into())
}

fn names(ports: &[Port]) -> String {
    ports.iter().map(|p| p.name.as_str()).collect::<Vec<_>>().join(", ")
}

/// Numbers between 0 and 1, zeros and ones where whole numbers are asked for. Open axes have length 1 or what --dim says.
fn random(args: &Args, port: &Port, stream: u32, assumed: &mut Vec<String>) -> Result<Datum> {
    let dtype = port.fact.dtype.ok_or_else(|| anyhow!("it is no array, or its type is not known: give it with -i"))?;
    let shape = match given_shape(args, port)? {
        Some(shape) => shape,
        None => {
            let unknown = || anyhow!("its shape is not known: give it with -i or --shape");
            let dims = port.fact.shape.as_ref().ok_or_else(unknown)?;
            let mut shape = vec![];
            for (axis, dim) in dims.iter().enumerate() {
                let given = length(args, dim)?;
                if given.is_none() {
                    assumed.push(format!("{dim} = 1, axis {axis} of {}", port.name));
                }
                shape.push(given.unwrap_or(1));
            }
            shape
        }
    };
    let mut generator = freelane::random::Generator::new(args.seed).stream(stream);
    let numbers = generator.random(&shape)?;
    let numbers = if dtype.is_inexact() { numbers } else { numbers.greater(0.5)? };
    Ok(numbers.astype(dtype)?.into())
}

/// The shape that --shape gives an input, if it does.
fn given_shape(args: &Args, port: &Port) -> Result<Option<Vec<usize>>> {
    let of = |text: &&String| text.split_once('=').is_some_and(|(name, _)| name == port.name);
    let Some(text) = args.shapes.iter().find(of) else { return Ok(None) };
    let lengths = text.split_once('=').map_or("", |(_, lengths)| lengths);
    let lengths = lengths.split(',').map(str::parse).collect::<Result<_, _>>();
    Ok(Some(lengths.map_err(|_| anyhow!("--shape {text}: expected NAME=N,N"))?))
}

/// The length of an axis, if the model or --dim tells it.
fn length(args: &Args, dim: &Dim) -> Result<Option<usize>> {
    if let Some(n) = dim.known() {
        return Ok(Some(n));
    }
    let mut length = None;
    for text in &args.dims {
        let (name, n) = text.split_once('=').map_or((None, text.as_str()), |(name, n)| (Some(name), n));
        let n = n.parse().map_err(|_| anyhow!("--dim {text}: expected NAME=N or N"))?;
        if name.is_none_or(|name| name == dim.to_string()) {
            length = Some(n);
        }
    }
    Ok(length)
}

/// Runs on all threads at once; the outputs of the first, and the time of the slowest.
fn repeat(args: &Args, session: &Session, inputs: &[Datum]) -> Result<(Vec<Datum>, Duration)> {
    let progress = Progress::new("running", args.runs());
    let gate = Gate::new(args.threads.into());
    let one = |_: u16| {
        gate.pass(1);
        let began = Instant::now();
        let mut outputs = session.run_within(inputs, &Limits::default())?;
        progress.step();
        for _ in 1..args.repeat {
            session.run_into(inputs, &Limits::default(), &mut outputs)?;
            progress.step();
        }
        Ok((outputs, began.elapsed()))
    };
    let results: Vec<Result<(Vec<Datum>, Duration)>> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..args.threads).map(|k| scope.spawn(move || one(k))).collect();
        threads.into_iter().map(|t| t.join().unwrap_or_else(|_| Err(anyhow!("a thread panicked")))).collect()
    });
    let mut results = results.into_iter().collect::<Result<Vec<_>>>()?;
    let wall = results.iter().map(|(_, wall)| *wall).max().unwrap_or_default();
    Ok((results.swap_remove(0).0, wall))
}

fn save(folder: &Path, done: &Done) -> Result<()> {
    std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    for (port, output) in done.session.outputs().iter().zip(&done.outputs) {
        let Some(array) = output.array() else { bail!("{}: {} cannot be written", port.name, output.describe()) };
        let path = folder.join(format!("{}.npy", port.name.replace(['/', ':'], "_")));
        freelane::save(&path, &Array::from(array.clone())).with_context(|| path.display().to_string())?;
    }
    Ok(())
}

fn described(output: &Datum) -> Result<String> {
    let Some(array) = output.array() else { return Ok(output.describe()) };
    let value = freelane::Value::Array(Array::from(array.clone()));
    let shown = show::Shown::of(&value)?;
    Ok(format!("{}\n{shown}", shown.description()))
}

fn report(args: &Args, done: &Done) -> Result<Json> {
    let mut shown = vec![];
    for (port, output) in done.session.outputs().iter().zip(&done.outputs) {
        let mut entry = match output.array() {
            Some(array) => serde_json::to_value(show::Shown::of(&freelane::Value::Array(Array::from(array.clone())))?)?,
            None => json!({ "kind": output.describe() }),
        };
        entry["name"] = json!(port.name);
        shown.push(entry);
    }
    let (latency, memory) = (done.session.latency(), done.session.memory());
    let runs = args.runs();
    let mut report = json!({
        "model": args.model.display().to_string(),
        "threads": args.threads,
        "repeat": args.repeat,
        "assumed": done.assumed,
        "load_seconds": done.loading.as_secs_f64(),
        "seconds": done.wall.as_secs_f64(),
        "runs_per_second": runs as f64 / done.wall.as_secs_f64(),
        "ns_per_run": latency.total.as_nanos() as f64 / latency.runs.max(1) as f64,
        "p50_ns": latency.quantile(0.5).as_nanos() as u64,
        "p99_ns": latency.quantile(0.99).as_nanos() as u64,
        "weight_bytes": memory.constants,
        "lane_bytes": memory.values,
        "resident_bytes": memory::resident().map(|r| r.peak_bytes),
        "outputs": shown,
    });
    if args.profile {
        let ns = |d: Duration| d.as_nanos() as u64;
        let row = |t: &NodeTime| json!({ "node": t.node, "op": t.op, "runs": t.runs, "ns": ns(t.total), "inner_ns": ns(t.inner) });
        report["profile"] = done.session.profile().iter().map(row).collect();
    }
    if let Some(batch) = &done.batch {
        report["batch"] = batch.clone();
    }
    if args.check_passes {
        let row = |p: &Checked| json!({ "pass": p.pass, "keeps": p.keeps.to_string(), "values": p.values });
        report["passes"] = done.passes.iter().map(row).collect();
    }
    Ok(report)
}

/// Time by operator, then the slowest nodes. Nodes that run graphs have the time beside those.
fn profile(session: &Session, out: &mut dyn Write) -> Result<()> {
    let mut times = session.profile();
    times.iter_mut().for_each(|t| t.total = t.total.saturating_sub(t.inner));
    times.sort_by_key(|t| std::cmp::Reverse(t.total));
    let all: f64 = times.iter().map(|t| t.total.as_secs_f64()).sum::<f64>().max(1e-12);
    let mut by_op: Vec<(&str, usize, f64)> = vec![];
    for t in &times {
        match by_op.iter_mut().find(|(op, ..)| *op == t.op) {
            Some((_, nodes, seconds)) => {
                *nodes += 1;
                *seconds += t.total.as_secs_f64();
            }
            None => by_op.push((&t.op, 1, t.total.as_secs_f64())),
        }
    }
    by_op.sort_by(|a, b| b.2.total_cmp(&a.2));
    writeln!(out, "\n{:>8}  {:>6}  {:>12}  operator", "share", "nodes", "ms")?;
    for (op, nodes, seconds) in by_op {
        writeln!(out, "{:>7.1}%  {nodes:>6}  {:>12.3}  {op}", 100.0 * seconds / all, seconds * 1e3)?;
    }
    writeln!(out, "\n{:>8}  {:>12}  slowest nodes", "share", "us a run")?;
    for t in times.iter().take(10) {
        let (share, each) = (t.total.as_secs_f64() / all, t.total.as_secs_f64() * 1e6 / t.runs.max(1) as f64);
        writeln!(out, "{:>7.1}%  {each:>12.2}  {} {}", 100.0 * share, t.op, t.node)?;
    }
    Ok(())
}

fn summary(args: &Args, done: &Done) -> String {
    let (latency, memory) = (done.session.latency(), done.session.memory());
    let runs = args.runs();
    let ms = |d: Duration| d.as_secs_f64() * 1e3;
    let assumed =
        if done.assumed.is_empty() { String::new() } else { format!("; assumed {}", done.assumed.join(", ")) };
    format!(
        "{} on {} in {:.3} ms after {:.3} ms of loading; half within {:.3} ms, 99 of 100 within {:.3} ms; weights {}, a thread's values {}{assumed}",
        if runs == 1 { "1 run".to_owned() } else { format!("{runs} runs") },
        if args.threads == 1 { "1 thread".to_owned() } else { format!("{} threads", args.threads) },
        ms(done.wall),
        ms(done.loading),
        ms(latency.quantile(0.5)),
        ms(latency.quantile(0.99)),
        show::bytes(memory.constants as u64),
        show::bytes(memory.values as u64),
    )
}
