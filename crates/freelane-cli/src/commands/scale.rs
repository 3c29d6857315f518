//! `freelane scale`: measures, then prints a table, JSON lines or a plot.
use super::json_line;
use crate::progress::Progress;
use crate::scale::{Cores, Row, Setup, Workload, measure, plot, report};
use anyhow::{Context, Result, bail};
use std::io::Write;
use std::path::PathBuf;

/// Measure how the systems' workloads scale with threads on this machine
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Which workloads to run, separated by commas
    #[arg(long, value_enum, value_delimiter = ',', default_value = "all")]
    workload: Vec<Workload>,
    /// Numbers of threads, separated by commas [default: 1, 2, 4 and so on, up to the processors]
    #[arg(long, value_delimiter = ',', value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Vec<u16>,
    /// A model for the workload session: FILE.onnx
    #[arg(long, value_name = "FILE")]
    model: Option<PathBuf>,
    /// Only cases of this many elements or bytes
    #[arg(long, value_name = "N")]
    n: Option<usize>,
    /// Rounds, of which medians are taken
    #[arg(long, value_name = "R", default_value_t = 7, value_parser = clap::value_parser!(u16).range(1..))]
    repeat: u16,
    /// Print one JSON object a line
    #[arg(long)]
    json: bool,
    /// Draw speed-up against threads, as .svg or .png
    #[arg(long, value_name = "FILE", value_parser = plot::file)]
    plot: Option<PathBuf>,
}

pub fn run(args: Args, out: &mut dyn Write) -> Result<()> {
    if args.model.is_some() && !args.workload.iter().any(|w| matches!(w, Workload::Session | Workload::All)) {
        bail!("--model is for the workload session");
    }
    let groups = args.workload.iter().map(|w| w.groups(args.n, args.model.as_deref())).collect::<Result<Vec<_>>>()?;
    let groups: Vec<_> = groups.into_iter().flatten().collect();
    if groups.is_empty() {
        let names: Vec<&str> = args.workload.iter().map(|w| w.name()).collect();
        bail!("workload {} has no case of size {}", names.join(","), args.n.unwrap_or_default());
    }
    let cores = Cores::allowed();
    let setup = Setup { threads: counts(&args.threads, &cores), repeat: args.repeat.into() };
    let progress = Progress::new("measuring", groups.len() as u64);
    let mut rows: Vec<Row> = vec![];
    for group in &groups {
        let measured =
            measure(group, &setup).with_context(|| format!("scale {} (n = {})", group.workload.name(), group.n))?;
        if args.json {
            measured.iter().try_for_each(|row| json_line(out, row))?;
        }
        rows.extend(measured);
        progress.step();
    }
    drop(progress);
    if !args.json {
        writeln!(out, "{} processors, {} rounds", cores.count(), setup.repeat)?;
        report(&rows, out)?;
    }
    match &args.plot {
        Some(path) => plot::draw(&rows, path).with_context(|| format!("plot {}", path.display())),
        None => Ok(()),
    }
}

/// The numbers of threads asked for, or those that show a line.
fn counts(asked: &[u16], cores: &Cores) -> Vec<usize> {
    let mut counts = if asked.is_empty() { cores.line() } else { asked.iter().map(|&n| n.into()).collect() };
    counts.sort_unstable();
    counts.dedup();
    counts
}
