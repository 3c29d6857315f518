//! `freelane eval`: an expression over array files.
use super::json_line;
use crate::expr::{self, Evaluator};
use crate::memory::{self, Peak};
use crate::progress::Progress;
use crate::show::{self, Shown};
use anyhow::{Context, Result, anyhow, bail};
use freelane::{Array, Lane, Runtime, Value};
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Evaluate an expression over array files
///
/// The expression is written as in Python with NumPy: 'sqrt(mean((x - mean(x))**2))', 'x[:, ::-1].sum(axis=0)'.
/// `freelane ops` lists the functions. One that begins with a flag's letter goes behind --, or a blank.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The expression
    #[arg(allow_hyphen_values = true, value_parser = expression)]
    expr: String,
    /// Arrays: x=FILE.npy, x=FILE.npz:key, x=FILE.safetensors:key, x=FILE.csv
    #[arg(value_name = "NAME=FILE", value_parser = Binding::read)]
    arrays: Vec<Binding>,
    /// Write the result to a file: .npy, .npz, .csv or .safetensors
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Split large operations over this many threads
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: u16,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// The gradient with respect to an array (not built yet)
    #[arg(long, value_name = "NAME")]
    grad: Option<String>,
}

/// An array's name and where it is.
#[derive(Clone, Debug, PartialEq)]
struct Binding {
    name: String,
    file: PathBuf,
    key: Option<String>,
}

impl Binding {
    fn read(text: &str) -> Result<Binding, String> {
        let (name, place) = text.split_once('=').ok_or("expected NAME=FILE")?;
        let is_name = name.starts_with(|c: char| c.is_alphabetic() || c == '_')
            && name.chars().all(|c| c.is_alphanumeric() || c == '_');
        if !is_name || expr::is_reserved(name) {
            return Err(format!("'{name}' is not a name for an array"));
        }
        let (file, key) = split_key(place);
        if file.is_empty() {
            return Err("the file's name is missing".to_owned());
        }
        Ok(Binding { name: name.to_owned(), file: file.into(), key: key.map(str::to_owned) })
    }

    fn load(&self) -> Result<Array> {
        let place = || format!("{}={}", self.name, self.file.display());
        freelane::load(&self.file, self.key.as_deref()).with_context(place)
    }
}

/// Files of several arrays are followed by the key of one.
pub(super) fn split_key(place: &str) -> (&str, Option<&str>) {
    let lower = place.to_ascii_lowercase();
    let colon = [".npz:", ".safetensors:"].iter().filter_map(|end| Some(lower.find(end)? + end.len() - 1)).min();
    colon.map_or((place, None), |at| (&place[..at], Some(&place[at + 1..])))
}

/// A misspelled flag is not an expression.
fn expression(text: &str) -> Result<String, String> {
    match text.strip_prefix("--") {
        Some(rest) if rest.starts_with(|c: char| c.is_alphabetic()) => Err("there is no such flag".to_owned()),
        _ => Ok(text.to_owned()),
    }
}

pub fn run(args: Args, out: &mut dyn Write) -> Result<()> {
    if let Some(name) = &args.grad {
        bail!("--grad {name}: gradients are not built yet");
    }
    let tree = expr::parse(&args.expr)?;
    let progress = Progress::new("evaluating", tree.steps() + args.arrays.len() as u64);
    let peak = Peak::new(progress);
    let (arrays, loading) = timed(|| load(&args.arrays, &peak));
    let arrays = arrays?;
    let registry = freelane::registry();
    peak.restart();
    let (value, evaluating) = match args.threads {
        1 => timed(|| Lane::with(|lane| Evaluator::new(lane, &registry, &arrays, &peak).value(&tree))),
        n => {
            let runtime = Runtime::new(n.into())?;
            timed(|| runtime.install(|lane| Evaluator::new(lane, &registry, &arrays, &peak).value(&tree)))
        }
    };
    let value = value?;
    let spent = Spent { loading, evaluating, peak_bytes: peak.bytes() };
    drop(peak);
    if let Some(path) = &args.output {
        write(&value, path)?;
    }
    let shown = Shown::of(&value)?;
    if args.json {
        return json_line(out, &spent.json(&args, &shown));
    }
    writeln!(out, "{shown}")?;
    out.flush()?;
    // Nobody reads what cannot be written.
    let _ = writeln!(io::stderr(), "{}", spent.text(&shown));
    Ok(())
}

fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let start = Instant::now();
    let done = work();
    (done, start.elapsed())
}

fn load(bindings: &[Binding], peak: &Peak) -> Result<BTreeMap<String, Array>> {
    let mut arrays = BTreeMap::new();
    for binding in bindings {
        if arrays.insert(binding.name.clone(), binding.load()?).is_some() {
            bail!("{} is given twice", binding.name);
        }
        freelane::graph::Watch::step(peak);
    }
    Ok(arrays)
}

fn write(value: &Value, path: &Path) -> Result<()> {
    let array = match value {
        Value::Array(array) => array.clone(),
        Value::Scalar(scalar) => Array::scalar(*scalar)?,
        _ => return Err(anyhow!("{}: the result is not an array", path.display())),
    };
    freelane::save(path, &array).with_context(|| path.display().to_string())
}

/// What a command took.
struct Spent {
    loading: Duration,
    evaluating: Duration,
    peak_bytes: u64,
}

#[derive(serde::Serialize)]
struct Report<'a> {
    expr: &'a str,
    #[serde(flatten)]
    shown: &'a Shown<'a>,
    threads: u16,
    load_seconds: f64,
    seconds: f64,
    /// The most that temporaries and the result held after any step.
    peak_bytes: u64,
    /// The most that the process held, files that are mapped included.
    resident_bytes: Option<u64>,
    /// How much of that were pages of files.
    file_bytes: Option<u64>,
}

impl Spent {
    fn json<'a>(&self, args: &'a Args, shown: &'a Shown<'a>) -> Report<'a> {
        let resident = memory::resident();
        Report {
            expr: &args.expr,
            shown,
            threads: args.threads,
            load_seconds: self.loading.as_secs_f64(),
            seconds: self.evaluating.as_secs_f64(),
            peak_bytes: self.peak_bytes,
            resident_bytes: resident.as_ref().map(|r| r.peak_bytes),
            file_bytes: resident.as_ref().map(|r| r.file_bytes),
        }
    }

    fn text(&self, shown: &Shown<'_>) -> String {
        let process = memory::resident().map_or_else(String::new, |r| {
            format!(", process {} with {} of files", show::bytes(r.peak_bytes), show::bytes(r.file_bytes))
        });
        format!(
            "{}; {:.3} ms after {:.3} ms of loading; memory at most: temporaries {}{process}",
            shown.description(),
            self.evaluating.as_secs_f64() * 1e3,
            self.loading.as_secs_f64() * 1e3,
            show::bytes(self.peak_bytes)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bindings() {
        let cases = [
            ("x=a.npy", Some(("x", "a.npy", None))),
            ("x=a=b.npy", Some(("x", "a=b.npy", None))),
            ("x=dir.npz/a.NPZ:k:1", Some(("x", "dir.npz/a.NPZ", Some("k:1")))),
            ("w1=m.safetensors:layer.0/w", Some(("w1", "m.safetensors", Some("layer.0/w")))),
            ("x=C:/a.csv", Some(("x", "C:/a.csv", None))),
            ("x", None),
            ("=a.npy", None),
            ("x=", None),
            ("1x=a.npy", None),
            ("np=a.npy", None),
            ("x-y=a.npy", None),
        ];
        for (text, want) in cases {
            let want = want.map(|(name, file, key)| Binding {
                name: name.to_owned(),
                file: file.into(),
                key: key.map(str::to_owned),
            });
            assert_eq!(Binding::read(text).ok(), want, "{text}");
        }
    }
}
