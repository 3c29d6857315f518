//! `freelane dump`: an ONNX model as text.
use super::json_line;
use anyhow::{Result, bail};
use freelane::graph::passes::Pass;
use freelane::onnx::proto::ValueInfo;
use freelane::onnx::{ModelFile, Text, import, passes, summary};
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
    /// Print the graph, constants and inner graphs included, as it is after a pass: import, before all of them, or one of tables,
    /// conv, blocks, fold, merge, dead, join, fuse
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
    if let Some(name) = &args.after {
        let passes = up_to(name)?;
        let graph = import(&model, &file.external_data(), &passes).map_err(|e| file.blame(e))?.graph;
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

/// The passes up to and with the one of a name; none for `import`.
fn up_to(name: &str) -> Result<Vec<Pass>> {
    let mut passes = passes();
    let count = match passes.iter().position(|pass| pass.name == name) {
        Some(at) => at + 1,
        None if name == "import" => 0,
        None => {
            let names: Vec<&str> = passes.iter().map(|pass| pass.name).collect();
            bail!("there is no pass {name}; there are {}", names.join(", "));
        }
    };
    passes.truncate(count);
    Ok(passes)
}

fn names<'a>(infos: Option<&Vec<ValueInfo<'a>>>) -> Vec<&'a str> {
    infos.into_iter().flatten().map(|info| info.name).collect()
}
