//! `cargo xtask bench`: runs the benches of `dev/benches`, keeps their figures, compares with kept ones.
//!
//! A bench prints lines `name,threads,ns_per_op,efficiency`. Kept figures lie in `dev/benches/record/<cpu>/<name>.csv`;
//! figures of another processor are never compared. Against other libraries: `peers.rs`.

mod peers;

use crate::run;
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::PathBuf;

#[derive(clap::Args)]
pub struct Args {
    /// The bench; all of them if left out
    name: Option<String>,
    /// Keep the figures under this name
    #[arg(long)]
    save: Option<String>,
    /// Compare with the figures kept under this name, or with other libraries from Python: numpy,numba,numexpr or onnxruntime
    #[arg(long)]
    against: Option<String>,
    #[command(flatten)]
    peers: peers::Args,
}

/// One printed line.
#[derive(Debug, PartialEq)]
struct Figure {
    name: String,
    threads: usize,
    ns_per_op: f64,
    efficiency: f64,
}

pub fn run(args: &Args) -> Result<()> {
    let sh = run::shell()?;
    if let Some(libraries) = args.against.as_deref().filter(|names| peers::are(names)) {
        return peers::run(&sh, libraries, args.name.as_deref(), &args.peers);
    }
    let which = args.name.as_deref().map_or(vec!["--benches"], |name| vec!["--bench", name]);
    let bench = run::cargo(&sh, &["bench", "--quiet", "--package", "freelane-benches"]).args(which);
    eprintln!("$ {bench}");
    let output = bench.quiet().read().context("bench failed")?;
    println!("{output}");
    if let Some(name) = &args.save {
        let path = record(name);
        fs::create_dir_all(path.parent().context("a record lies in a folder")?)?;
        let lines: Vec<&str> = output.lines().filter(|line| parse(line).is_some()).collect();
        fs::write(&path, lines.join("\n") + "\n")?;
        println!("kept {}", path.display());
    }
    match &args.against {
        Some(name) => compare(&output, name),
        None => Ok(()),
    }
}

fn compare(output: &str, name: &str) -> Result<()> {
    let path = record(name);
    let kept = fs::read_to_string(&path).with_context(|| format!("no figures at {}", path.display()))?;
    let kept: Vec<Figure> = kept.lines().filter_map(parse).collect();
    println!("{:<40} {:>7} {:>12} {:>12} {:>7} {:>17}", "bench", "threads", name, "now", "ratio", "efficiency");
    for now in output.lines().filter_map(parse) {
        let Some(before) = kept.iter().find(|k| k.name == now.name && k.threads == now.threads) else { continue };
        println!(
            "{:<40} {:>7} {:>9.1} ns {:>9.1} ns {:>7.3} {:>7.3} -> {:.3}",
            now.name,
            now.threads,
            before.ns_per_op,
            now.ns_per_op,
            now.ns_per_op / before.ns_per_op,
            before.efficiency,
            now.efficiency
        );
    }
    match kept.is_empty() {
        true => bail!("{} holds no figures", path.display()),
        false => Ok(()),
    }
}

/// Where figures of this machine's processor are kept.
fn record(name: &str) -> PathBuf {
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':'));
    let model = model.map_or(std::env::consts::ARCH, |(_, model)| model.trim());
    let folder: String =
        model.chars().map(|c| if c.is_alphanumeric() { c.to_ascii_lowercase() } else { '-' }).collect();
    run::root().join("dev/benches/record").join(folder).join(format!("{name}.csv"))
}

fn parse(line: &str) -> Option<Figure> {
    let parts: Vec<&str> = line.split(',').collect();
    let [name, threads, ns_per_op, efficiency] = parts[..] else { return None };
    Some(Figure {
        name: name.to_owned(),
        threads: threads.parse().ok()?,
        ns_per_op: ns_per_op.parse().ok()?,
        efficiency: efficiency.parse().ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_told_from_chatter() {
        let figure = Figure { name: "alloc/64B".to_owned(), threads: 2, ns_per_op: 12.5, efficiency: 0.99 };
        assert_eq!(parse("alloc/64B,2,12.5,0.99"), Some(figure));
        for line in ["running 1 test", "a,b,c,d", "alloc,2,1.0", ""] {
            assert_eq!(parse(line), None, "{line}");
        }
    }
}
