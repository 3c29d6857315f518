//! `cargo xtask bench --against numpy,numba,numexpr`: every function of the Python package beside other libraries'.
//!
//! Builds the release wheel, puts it and the libraries into an environment under `target/py`, and runs
//! `dev/benches/peers/against` there. A full run is kept under `dev/benches/record/<cpu>/<date>.csv`, and the page and the plot
//! in `docs/` are made from it; with a filter or `--quick` it is only shown. `--against onnxruntime` compares sessions instead,
//! with `dev/benches/peers/sessions`.

use super::record;
use crate::{py, run};
use anyhow::{Context, Result};
use xshell::Shell;

const LIBRARIES: &[&str] = &["numpy", "numba", "numexpr"];
const SCRIPT: &str = "dev/benches/peers/against";
const PAGE: &str = "docs/against-numpy.md";
const PLOT: &str = "docs/against-numpy";
/// Models instead of functions.
const MODELS: &str = "onnxruntime";
const SESSIONS: &str = "dev/benches/peers/sessions";
const MODELS_PAGE: &str = "docs/against-onnxruntime.md";
/// Why functions are behind, for the page.
const CAUSES: &str = "dev/benches/peers/against/causes.txt";

#[derive(clap::Args)]
pub struct Args {
    /// Of the functions, only this one or this family; NAME* for all whose names have it in them
    #[arg(long, value_name = "NAME", requires = "against")]
    filter: Vec<String>,
    /// Short turns
    #[arg(long, requires = "against")]
    quick: bool,
    /// How much faster large arrays are with a Runtime of this many threads
    #[arg(long, value_name = "N", requires = "against")]
    threads: Option<u16>,
    /// Print one JSON object a line
    #[arg(long, requires = "against")]
    json: bool,
    /// The interpreter: a name or a path
    #[arg(long, value_name = "NAME", requires = "against")]
    python: Option<String>,
}

/// Whether these are libraries, and not the name of kept figures.
pub fn are(names: &str) -> bool {
    names == MODELS || names.split(',').all(|name| LIBRARIES.contains(&name))
}

/// Runs the comparison; `name` is a filter too.
pub fn run(sh: &Shell, libraries: &str, name: Option<&str>, args: &Args) -> Result<()> {
    let python = py::with_peers(sh, args.python.as_deref())?;
    if libraries == MODELS {
        return sessions(sh, &python, name, args);
    }
    let filters: Vec<&str> = name.into_iter().chain(args.filter.iter().map(String::as_str)).collect();
    let kept = filters.is_empty() && !args.quick && args.threads.is_none();
    let against = python.python(sh).args([SCRIPT, "--peers", libraries]);
    let against = against.args(filters.iter().flat_map(|filter| ["--filter", filter]));
    let against = against.args(args.quick.then_some("--quick")).args(args.json.then_some("--json"));
    let against = match args.threads {
        Some(threads) => against.args(["--threads", &threads.to_string()]),
        None => against,
    };
    let against = match kept {
        true => {
            against.arg("--csv").arg(record("{date}")).args(["--markdown", PAGE, "--plot", PLOT, "--causes", CAUSES])
        }
        false => against,
    };
    eprintln!("$ {against}");
    against.quiet().run().context("the comparison failed")
}

/// Models beside ONNX Runtime: those that are exported, and the small ones that threads share.
fn sessions(sh: &Shell, python: &py::Venv, name: Option<&str>, args: &Args) -> Result<()> {
    let json = args.json.then_some("--json");
    let folder = run::target_dir().join("conformance/models");
    if folder.join("manifest.jsonl").is_file() {
        let only = name.into_iter().chain(args.filter.iter().map(String::as_str)).collect::<Vec<_>>();
        let page = (only.is_empty() && !args.quick).then_some(["--markdown", MODELS_PAGE]).into_iter().flatten();
        let models = python.python(sh).args([SESSIONS, "models"]).arg(&folder).args(json).args(page);
        run::step("models", models.args(only.iter().flat_map(|name| ["--model", name])))?;
    } else {
        run::skipped("models", "not exported: cargo xtask conformance onnx --full exports them");
    }
    run::step("models that threads share", python.python(sh).args([SESSIONS, "threads"]).args(json))
}

#[cfg(test)]
mod tests {
    use super::are;

    #[test]
    fn libraries_are_told_from_names() {
        assert!(are("numpy") && are("numpy,numba,numexpr") && are("onnxruntime"));
        assert!(!are("before") && !are("numpy,before") && !are(""));
    }
}
