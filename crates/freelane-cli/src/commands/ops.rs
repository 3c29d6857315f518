//! `freelane ops`: what the rows of `freelane_ops` say.
use super::json_line;
use anyhow::Result;
use freelane::{DType, Function};
use serde::Serialize;
use std::io::Write;

/// List all functions: element types, error bound, gradient, ONNX name
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Print one JSON object a line
    #[arg(long)]
    json: bool,
}

/// One function.
#[derive(Serialize)]
struct Entry {
    /// The namespace; the main one has no name.
    namespace: &'static str,
    op: &'static str,
    kind: &'static str,
    signature: String,
    /// The element types that have a loop; others are converted to one of these. Empty where any will do.
    dtypes: Vec<&'static str>,
    /// Largest error in units in the last place, for float32 and float64.
    ulp: Option<f32>,
    /// `differentiable`, `zero` where there is a derivative, or `none`: nothing real is put in.
    gradient: String,
    onnx: Option<Onnx>,
    summary: &'static str,
}

#[derive(Serialize)]
struct Onnx {
    name: &'static str,
    since_opset: u32,
}

pub fn run(args: Args, out: &mut dyn Write) -> Result<()> {
    let mut entries: Vec<Entry> = freelane::functions().map(|(namespace, f)| entry(namespace, f)).collect();
    entries.sort_by_key(|e| (e.namespace, e.op));
    if args.json {
        return entries.iter().try_for_each(|e| json_line(out, e));
    }
    table(&entries, out)
}

fn entry(namespace: &'static str, function: Function) -> Entry {
    let names = |dtypes: &mut dyn Iterator<Item = DType>| dtypes.map(DType::short_name).collect();
    let (kind, dtypes, ulp, onnx) = match function {
        Function::UFunc(f) => ("elementwise", names(&mut f.dtypes()), Some(f.ulp), f.onnx),
        Function::Reduction(r, _) => ("reduction", names(&mut r.dtypes()), None, r.onnx),
        Function::Op(o) => ("structured", vec![], None, o.onnx),
    };
    let signature = function.signature();
    Entry {
        namespace,
        op: function.name(),
        kind,
        signature: if namespace.is_empty() { signature } else { format!("{namespace}.{signature}") },
        dtypes,
        ulp,
        gradient: function.gradient().to_string(),
        onnx: onnx.map(|(name, since_opset)| Onnx { name, since_opset }),
        summary: function.doc().trim().lines().next().unwrap_or_default().trim(),
    }
}

fn table(entries: &[Entry], out: &mut dyn Write) -> Result<()> {
    let width = entries.iter().map(|e| e.signature.len()).max().unwrap_or(0);
    writeln!(
        out,
        "{:<width$}  {:<16}  {:>5}  {:<14}  {:<20}  what it computes",
        "function", "dtypes", "ulp", "gradient", "ONNX (since)"
    )?;
    for e in entries {
        let ulp = e.ulp.map_or_else(String::new, |u| u.to_string());
        let onnx = e.onnx.as_ref().map_or_else(String::new, |o| format!("{} ({})", o.name, o.since_opset));
        let dtypes = families(&e.dtypes);
        writeln!(
            out,
            "{:<width$}  {dtypes:<16}  {ulp:>5}  {:<14}  {onnx:<20}  {}",
            e.signature, e.gradient, e.summary
        )?;
    }
    Ok(())
}

/// Element types by family: b, u, i, f, c where all of a family are there.
fn families(dtypes: &[&str]) -> String {
    if dtypes.is_empty() || dtypes.len() == DType::COUNT {
        return "any".to_owned();
    }
    let mut parts = vec![];
    for (label, members) in [
        ("bool", &["bool"][..]),
        ("u*", &["u8", "u16", "u32", "u64"]),
        ("i*", &["i8", "i16", "i32", "i64"]),
        ("f*", &["f16", "bf16", "f32", "f64"]),
        ("c*", &["c64", "c128"]),
    ] {
        let present: Vec<&str> = members.iter().copied().filter(|m| dtypes.contains(m)).collect();
        if present.len() == members.len() { parts.push(label) } else { parts.extend(present) }
    }
    parts.join(" ")
}
