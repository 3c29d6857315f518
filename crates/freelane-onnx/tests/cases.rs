//! Cases that others wrote: a model, inputs, and what must come out.
//!
//! The folders are named by FREELANE_ONNX_CASES, with `:` between them; each has a manifest.jsonl. `cargo xtask conformance
//! onnx` makes them. What fails must stand in skips.txt under a reason, and what stands there must fail.
use freelane_graph::{Datum, Limits};
use freelane_onnx::proto::{Graph, ValueInfo};
use freelane_onnx::{ModelFile, Port, Session, SessionOptions, check_passes, passes, value_of};
use freelane_ops::{Array, DType};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// A line of a manifest.
struct Case {
    name: String,
    group: String,
    folder: PathBuf,
    ops: Vec<String>,
    plain: bool,
    random: bool,
    expanded: bool,
    sets: u64,
    inputs: Vec<String>,
    tolerance: [f64; 2],
}

const PLAIN: [&str; 12] =
    ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float", "double"];

fn texts(value: &Value) -> Vec<String> {
    value.as_array().into_iter().flatten().filter_map(|v| v.as_str().map(str::to_owned)).collect()
}

fn case(root: &Path, line: &str) -> Case {
    let row: Value = serde_json::from_str(line).expect("a manifest has a JSON object a line");
    let text = |key: &str| row[key].as_str().expect("a text").to_owned();
    let random = row["random"] == true;
    let plain = texts(&row["dtypes"]).iter().all(|d| PLAIN.contains(&d.as_str()))
        && texts(&row["io_kinds"]).iter().all(|k| k == "tensor");
    let ops = row["ops"].as_array().into_iter().flatten().map(|op| op[1].as_str().unwrap_or("").to_owned());
    Case {
        name: text("name"),
        group: text("group"),
        folder: root.join(text("path")),
        ops: ops.collect(),
        plain: plain && !random,
        random,
        expanded: row["expanded"] == true,
        sets: row["n_data_sets"].as_u64().expect("a number"),
        inputs: texts(&row["input_names"]),
        tolerance: [row["rtol"].as_f64().expect("a number"), row["atol"].as_f64().expect("a number")],
    }
}

fn read(folder: &Path, what: &str, i: usize, info: &ValueInfo<'_>) -> Result<Datum, String> {
    let path = folder.join(format!("{what}_{i}.pb"));
    let bytes = std::fs::read(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    value_of(&bytes, info.ty.as_deref()).map_err(|e| format!("{what} {i}: {e}"))
}

fn info<'g, 'm>(graph: &'g Graph<'m>, name: &str) -> Result<&'g ValueInfo<'m>, String> {
    graph.input.iter().find(|v| v.name == name).ok_or_else(|| format!("the model has no input {name}"))
}

impl Case {
    fn open(&self) -> Result<(ModelFile, Session), String> {
        let path = self.folder.join("model.onnx");
        let file = ModelFile::open(&path).map_err(|e| e.to_string())?;
        let session = Session::open(&path, &SessionOptions::default()).map_err(|e| format!("load: {e}"))?;
        Ok((file, session))
    }

    fn data_set(&self, set: u64) -> PathBuf {
        self.folder.join(format!("test_data_set_{set}"))
    }

    /// The inputs of a data set, in order of the session's.
    fn feeds(&self, proto: &Graph<'_>, session: &Session, set: u64) -> Result<Vec<Datum>, String> {
        let feed = |Port { name, .. }: &Port| {
            let i = self.inputs.iter().position(|n| n == name).ok_or_else(|| format!("nothing feeds {name}"))?;
            read(&self.data_set(set), "input", i, info(proto, name)?)
        };
        session.inputs().iter().map(feed).collect()
    }
}

/// Runs one case: every data set three times, so that memory is used again.
fn run(case: &Case) -> Result<(), String> {
    let (file, session) = case.open()?;
    let model = file.model().map_err(|e| e.to_string())?;
    let proto = model.graph.as_deref().ok_or("no graph")?;
    for set in 0..case.sets {
        let (folder, feeds) = (case.data_set(set), case.feeds(proto, &session, set)?);
        let mut found = vec![];
        for _ in 0..3 {
            found = session.run_within(&feeds, &Limits::default()).map_err(|e| format!("run: {e}"))?;
        }
        for (i, (found, output)) in found.iter().zip(&proto.output).enumerate() {
            let expected = read(&folder, "output", i, output)?;
            let compared = if case.random { alike(found, &expected) } else { same(found, &expected, case.tolerance) };
            compared.map_err(|e| format!("value: output {i}: {e}"))?;
        }
    }
    Ok(())
}

/// Whether types and shapes are the same.
fn alike(found: &Datum, expected: &Datum) -> Result<(), String> {
    let shown = |x: &Datum| x.array().map(|x| (x.dtype(), x.layout().shape().to_vec()));
    let (found, expected) = (shown(found), shown(expected));
    if found.is_some() && found == expected { Ok(()) } else { Err(format!("found {found:?}, expected {expected:?}")) }
}

fn same(found: &Datum, expected: &Datum, tolerance: [f64; 2]) -> Result<(), String> {
    match (found, expected) {
        (Datum::Array(a), Datum::Array(b)) => close(&a.clone().into(), &b.clone().into(), tolerance),
        (Datum::Sequence(a), Datum::Sequence(b)) if a.len() == b.len() => {
            a.iter().zip(b).try_for_each(|(a, b)| same(a, b, tolerance))
        }
        (Datum::Optional(None), Datum::Optional(None)) => Ok(()),
        (Datum::Optional(Some(a)), Datum::Optional(Some(b))) => same(a, b, tolerance),
        _ => Err(format!("found {found:?}, expected {expected:?}")),
    }
}

fn close(a: &Array, b: &Array, [rtol, atol]: [f64; 2]) -> Result<(), String> {
    if a.dtype() != b.dtype() || a.shape() != b.shape() {
        return Err(format!("found {} {:?}, expected {} {:?}", a.dtype(), a.shape(), b.dtype(), b.shape()));
    }
    let rtol = if a.dtype() == DType::BF16 { rtol.max(1.0 / 64.0) } else { rtol };
    let numbers = |x: &Array| -> Result<Vec<f64>, String> {
        let wide = if x.dtype().is_real() { DType::F64 } else { DType::C128 };
        let x = x.astype(wide).map_err(|e| e.to_string())?;
        if wide == DType::F64 {
            return x.to_vec::<f64>().map_err(|e| e.to_string());
        }
        let parts = [x.real().map_err(|e| e.to_string())?, x.imag().map_err(|e| e.to_string())?];
        Ok(parts.iter().flat_map(|p| p.to_vec::<f64>().expect("parts are real")).collect())
    };
    let (x, y) = (numbers(a)?, numbers(b)?);
    let equal = |x: f64, y: f64| x == y || x.is_nan() && y.is_nan() || (x - y).abs() <= atol + rtol * y.abs();
    let wrong: Vec<usize> = (0..x.len()).filter(|&i| !equal(x[i], y[i])).collect();
    match wrong.first() {
        None => Ok(()),
        Some(&i) => Err(format!("{} of {} differ, at {i} {} instead of {}", wrong.len(), x.len(), x[i], y[i])),
    }
}

fn outcome(case: &Case) -> Result<(), String> {
    let caught = std::panic::catch_unwind(|| run(case));
    caught.unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        Err(format!("panic: {}", text.or(panic.downcast_ref::<&str>().map(|s| (*s).to_owned())).unwrap_or_default()))
    })
}

/// The cases of the package onnx and the models, together.
const ALL: usize = 2033 + 34;
const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/conformance.md");

/// The counts as a page.
fn page(groups: &BTreeMap<String, [usize; 2]>, subjects: &BTreeMap<String, [usize; 2]>) -> String {
    let rows = |table: &BTreeMap<String, [usize; 2]>| -> String {
        table.iter().map(|(name, [passed, failed])| format!("| {name} | {passed} | {failed} |\n")).collect()
    };
    let head = "| --- | ---: | ---: |\n";
    format!(
        "{}\n## By group\n\n| group | passed | failed |\n{head}{}\n## By operator\n\n| operator | passed | failed |\n{head}{}",
        include_str!("conformance.txt"),
        rows(groups),
        rows(subjects)
    )
}

/// Names under reasons, which begin with `#`.
fn listed() -> BTreeSet<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/skips.txt");
    let text = std::fs::read_to_string(path).unwrap_or_default();
    text.lines().filter(|l| !l.is_empty() && !l.starts_with('#')).map(|l| l.trim().to_owned()).collect()
}

/// What a case is about: the operator, or a group.
fn subject(case: &Case) -> String {
    match case.group.as_str() {
        "node" if case.expanded => "(expanded functions)".to_owned(),
        "node" if case.ops.len() == 1 => case.ops[0].clone(),
        "node" => "(several operators)".to_owned(),
        group => format!("({group})"),
    }
}

/// The cases that the environment names.
fn cases() -> Vec<Case> {
    let folders = std::env::var("FREELANE_ONNX_CASES").unwrap_or_default();
    let only = std::env::var("FREELANE_ONNX_ONLY").unwrap_or_default();
    let mut all = vec![];
    for root in folders.split(':').filter(|root| !root.is_empty()).map(Path::new) {
        let manifest = std::fs::read_to_string(root.join("manifest.jsonl")).expect("a folder of cases has a manifest");
        all.extend(manifest.lines().map(|line| case(root, line)).filter(|case| case.name.contains(&only)));
    }
    if all.is_empty() {
        println!("skipped: FREELANE_ONNX_CASES names no folder; `cargo xtask conformance onnx` makes one");
    }
    all
}

#[test]
fn passes_keep_the_values_of_public_cases() {
    let check = |case: &Case| -> Result<usize, String> {
        let (file, session) = case.open()?;
        let model = file.model().map_err(|e| e.to_string())?;
        let feeds = case.feeds(model.graph.as_deref().ok_or("no graph")?, &session, 0)?;
        let checked = check_passes(&file, &passes(), &feeds).map_err(|e| e.to_string())?;
        Ok(checked.iter().map(|pass| pass.values).sum())
    };
    let (listed, mut compared, mut wrong) = (listed(), 0, vec![]);
    for case in cases().iter().filter(|case| !listed.contains(&case.name)) {
        match check(case) {
            Ok(values) => compared += values,
            Err(told) => wrong.push(format!("{}: {told}", case.name)),
        }
    }
    println!("passes: {compared} values compared");
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn public_cases() {
    let mut table: BTreeMap<String, [usize; 2]> = BTreeMap::new();
    let mut groups: BTreeMap<String, [usize; 2]> = BTreeMap::new();
    let (mut failing, mut ran) = (BTreeSet::new(), BTreeSet::new());
    for case in cases() {
        let result = outcome(&case);
        let place = usize::from(result.is_err());
        table.entry(subject(&case)).or_default()[place] += 1;
        groups.entry(format!("group {}", case.group)).or_default()[place] += 1;
        if case.plain && case.group != "model" {
            groups.entry("plain cases of all groups".to_owned()).or_default()[place] += 1;
        }
        ran.insert(case.name.clone());
        if let Err(message) = result {
            println!("FAIL {}{}: {message}", if case.plain { "" } else { "(not plain) " }, case.name);
            failing.insert(case.name);
        }
    }
    for (name, [passed, failed]) in table.iter().chain(&groups) {
        println!("{name:<40} {passed:>5} passed {failed:>5} failed");
    }
    if std::env::var_os("UPDATE_EXPECT").is_some() && ran.len() >= ALL {
        std::fs::write(PAGE, page(&groups, &table)).expect("the page can be written");
    }
    let listed = listed();
    let new: Vec<_> = failing.difference(&listed).collect();
    let stale: Vec<_> = listed.iter().filter(|name| ran.contains(*name) && !failing.contains(*name)).collect();
    assert!(new.is_empty() && stale.is_empty(), "{} fail unexpectedly; no longer fail: {stale:?}", new.len());
}
