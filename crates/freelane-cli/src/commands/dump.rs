//! `freelane dump`: an ONNX model as text.
use super::json_line;
use anyhow::Result;
use freelane::Lane;
use freelane::graph::passes;
use freelane::onnx::proto::ValueInfo;
use freelane::onnx::{ModelFile, Text, import, summary};
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;

/// Print an ONNX model as text: what goes in, what comes out, and every node
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The model
    model: PathBuf,
    /// Count the operators instead
    #[arg(long)]
    operators: bool,
    /// Print the graph as it is after a pass: import, before all of them, or one of fold, merge, dead, join, fuse
    #[arg(long, value_name = "PASS", conflicts_with_all = ["operators", "json"])]
    after: Option<String>,
    /// Print one JSON object: producer, operator sets, counts of operators
    #[arg(long)]
    json: bool,
}

/// What is told of a model to programs.
#[derive(Serialize)]
struct Facts<'a> {
    producer: &'a str,
    ir_version: i64,
    opsets: BTreeMap<&'a str, i64>,
    inputs: Vec<&'a str>,
    outputs: Vec<&'a str>,
    operators: BTreeMap<String, usize>,
}

pub fn run(args: Args, out: &mut dyn Write) -> Result<()> {
    let file = ModelFile::open(&args.model)?;
    let model = file.model()?;
    if let Some(pass) = &args.after {
        let plain = pass == "import";
        let mut graph = import(&model, &file.external_data(), plain).map_err(|e| file.blame(e))?.graph;
        if pass != "import" {
            Lane::with(|lane| passes::optimize(lane, &mut graph, Some(pass)))?;
        }
        return Ok(write!(out, "{graph}")?);
    }
    if args.json {
        let graph = model.graph.as_deref();
        return json_line(
            out,
            &Facts {
                producer: model.producer_name,
                ir_version: model.ir_version,
                opsets: model.opset_import.iter().map(|set| (set.domain, set.version)).collect(),
                inputs: names(graph.map(|g| &g.input)),
                outputs: names(graph.map(|g| &g.output)),
                operators: summary(&model),
            },
        );
    }
    if args.operators {
        let mut counts: Vec<_> = summary(&model).into_iter().collect();
        counts.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        return counts.iter().try_for_each(|(name, count)| Ok(writeln!(out, "{count:>6}  {name}")?));
    }
    Ok(write!(out, "{}", Text(&model))?)
}

fn names<'a>(infos: Option<&Vec<ValueInfo<'a>>>) -> Vec<&'a str> {
    infos.into_iter().flatten().map(|info| info.name).collect()
}
