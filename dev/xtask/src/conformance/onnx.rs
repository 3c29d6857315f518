//! The cases of the ONNX standard and models that packages hold: exported here, run by a test of `freelane-onnx`.

use crate::{py, run};
use anyhow::Result;
use std::path::PathBuf;

/// The standard's package, and the runtime whose outputs the models are compared with.
const PACKAGES: [&str; 3] = ["onnx==1.23.2", "numpy", "pip"];
const RUNTIME: &str = "onnxruntime==1.28.0";

#[derive(clap::Args)]
pub struct Args {
    /// The models of models.json too, about 100 MB to download
    #[arg(long)]
    full: bool,
    /// Folders that are there already instead of new ones, with `:` between them
    #[arg(long, value_name = "DIRS", env = "FREELANE_ONNX_CASES")]
    cases: Option<String>,
    /// Only cases with this in their names
    #[arg(long, value_name = "TEXT", default_value = "")]
    only: String,
    /// The interpreter that exports: a name or a path
    #[arg(long, value_name = "NAME")]
    python: Option<String>,
}

pub fn run(args: &Args) -> Result<()> {
    let sh = run::shell()?;
    let cases = match &args.cases {
        Some(cases) => cases.clone(),
        None => export(args)?.iter().map(|dir| dir.display().to_string()).collect::<Vec<_>>().join(":"),
    };
    let test = ["test", "--quiet", "--package", "freelane-onnx", "--test", "cases", "--", "--nocapture"];
    let test = run::cargo(&sh, &test).env("FREELANE_ONNX_CASES", cases).env("FREELANE_ONNX_ONLY", &args.only);
    run::step("ONNX cases", test)
}

/// Exports cases, and models if they are wanted; returns their folders.
fn export(args: &Args) -> Result<Vec<PathBuf>> {
    let sh = run::shell()?;
    let packages: Vec<&str> = PACKAGES.into_iter().chain(args.full.then_some(RUNTIME)).collect();
    let python = py::bare(&sh, args.python.as_deref(), &packages)?;
    let kinds: &[&str] = if args.full { &["cases", "models"] } else { &["cases"] };
    let folder = run::target_dir().join("conformance");
    let export = |kind: &&str| {
        let to = folder.join(kind);
        let script = run::root().join("dev/conformance/export.py");
        run::step(&format!("ONNX {kind}"), python.python(&sh).arg(script).arg(kind).arg(&to)).map(|()| to)
    };
    kinds.iter().map(export).collect()
}
