//! Models with wrong bytes, loaded and run: each is an error or works, in its time and memory.
//!
//! Mutations are made at a fixed seed, 10 000 of them; FREELANE_MUTATIONS names another number. They run in a process of
//! their own whose address space is bounded, so that memory that cannot be had, or a crash, is seen as such.
#![allow(clippy::disallowed_types, reason = "the allocator that counts needs a counter of its own")]
mod build;
#[path = "mutations/mutate.rs"]
mod mutate;

use build::{floats, graph, ints, model, node, number, numbers, scalar, sized, tensor, value};
use freelane_graph::{Datum, GraphError, Limits};
use freelane_onnx::{ModelFile, Session, SessionOptions};
use freelane_ops::{Array, DType};
use mutate::Random;
use std::alloc::{GlobalAlloc, Layout, System};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// The system's allocator, which counts what is in use and the most there was of it.
struct Counting;
static USED: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

// SAFETY: everything is passed on to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        MOST.fetch_max(USED.fetch_add(layout.size(), Relaxed) + layout.size(), Relaxed);
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        USED.fetch_sub(layout.size(), Relaxed);
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(ptr, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// KiB of address space that the mutations have together.
const MOST_KIB: u64 = 8 << 20;
/// A run's deadline.
const DEADLINE: Duration = Duration::from_secs(1);
/// What is taken for a hang: loading and running have a second each, and this must hold on a machine that is busy.
const HANG: Duration = Duration::from_secs(20);

/// Nodes of several kinds, and branches.
fn shapes() -> Vec<u8> {
    let branch = |op: &str| [node(op, "m", "b", &[]), value(12, "b", 1)];
    let fields = [
        node("Reshape", "x s", "r", &[]),
        node("MatMul", "r w", "m", &[]),
        node("ReduceMax", "m", "g", &[numbers("axes", &[0, 1]), number("keepdims", 0)]),
        node("Less", "g z", "c", &[]),
        node("If", "c", "i", &[graph("then_branch", &branch("Neg")), graph("else_branch", &branch("Exp"))]),
        node("Pad", "i p", "q", &[]),
        node("Expand", "q e", "f", &[]),
        node("Conv", "f k", "y", &[numbers("kernel_shape", &[2, 2])]),
        ints(5, "s", &[2], &[2, -1]),
        floats(5, "w", &[3, 2], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]),
        floats(5, "z", &[], &[0.0]),
        ints(5, "p", &[4], &[0, 1, 0, 1]),
        ints(5, "e", &[4], &[1, 1, 1, 1]),
        floats(5, "k", &[1, 1, 2, 2], &[1.0; 4]),
        sized(11, "x", &[6]),
        value(12, "y", 1),
    ];
    model(&fields, &[])
}

/// A loop, numbers of elements, sequences, and whole numbers in place of real ones.
fn steps() -> Vec<u8> {
    let body = [
        node("Identity", "on", "still", &[]),
        node("Add", "v one", "more", &[]),
        node("Mul", "more more", "shown", &[]),
        value(11, "i", 7),
        value(11, "on", 9),
        value(11, "v", 1),
        value(12, "still", 9),
        value(12, "more", 1),
        value(12, "shown", 1),
    ];
    let fields = [
        node("Loop", "n true x", "l all", &[graph("body", &body)]),
        node("Concat", "all all", "c", &[number("axis", 0)]),
        node("Gather", "c at", "g", &[number("axis", 0)]),
        node("SplitToSequence", "g two", "q", &[number("axis", 0)]),
        node("ConcatFromSequence", "q", "j", &[number("axis", 0)]),
        node("DynamicQuantizeLinear", "j", "d scale zero", &[]),
        node("DequantizeLinear", "d scale zero", "f", &[]),
        node("TopK", "f k", "top places", &[number("axis", 1)]),
        node("CumSum", "top axis", "sum", &[]),
        node("Slice", "sum from to", "y", &[]),
        ints(5, "n", &[], &[4]),
        ints(5, "at", &[3], &[0, 2, 5]),
        ints(5, "two", &[], &[2]),
        ints(5, "k", &[1], &[3]),
        ints(5, "axis", &[], &[1]),
        ints(5, "from", &[1], &[0]),
        ints(5, "to", &[1], &[2]),
        tensor(5, "true", 9, &[], &[1]),
        scalar(5, "one", 1.0),
        sized(11, "x", &[5]),
        value(12, "y", 1),
    ];
    model(&fields, &[])
}

/// Numbers for an input, if it is an array of moderate size.
fn fed(random: &mut Random, port: &freelane_onnx::Port) -> Option<Datum> {
    let dtype = port.fact.dtype?;
    let dims = port.fact.shape.clone().unwrap_or_default();
    let shape: Vec<usize> = dims.iter().map(|dim| dim.known().unwrap_or_else(|| random.below(3))).collect();
    let count = freelane_array::element_count(&shape, 1).ok().filter(|n| *n <= 1 << 20)?;
    let values: Vec<f64> = (0..count).map(|_| random.below(9) as f64 - 2.0).collect();
    let array = Array::from_vec(values, &shape).ok()?;
    let array = if dtype == DType::Bool { array.greater(0.0).ok()? } else { array.astype(dtype).ok()? };
    Some(array.into())
}

#[derive(Debug, Default)]
struct Counts {
    unread: usize,
    refused: usize,
    failed: usize,
    late: usize,
    ran: usize,
    /// Most bytes that reading took beside the file's own.
    most_read: usize,
    longest: Duration,
}

/// Reads a model, and tells how much memory that took beside its bytes.
fn read(bytes: &[u8]) -> (bool, usize) {
    let file = ModelFile::from_bytes(bytes.to_vec());
    let before = USED.load(Relaxed);
    MOST.store(before, Relaxed);
    (file.model().is_ok(), MOST.load(Relaxed).saturating_sub(before))
}

fn one(bytes: Vec<u8>, random: &mut Random, counts: &mut Counts) {
    let (is_model, taken) = read(&bytes);
    // The file itself, and three times as much for its parts; a megabyte is free.
    let room = 3 * bytes.len() + (1 << 20) + 4096;
    assert!(taken <= room, "reading {} bytes takes {taken}", bytes.len());
    counts.most_read = counts.most_read.max(taken);
    if !is_model {
        counts.unread += 1;
        return;
    }
    let Ok(session) = Session::from_bytes(bytes, &SessionOptions::default()) else {
        counts.refused += 1;
        return;
    };
    let feeds: Option<Vec<Datum>> = session.inputs().iter().map(|port| fed(random, port)).collect();
    let limits = Limits { deadline: Some(Instant::now() + DEADLINE), ..Limits::default() };
    match session.run_within(&feeds.unwrap_or_default(), &limits) {
        Ok(_) => counts.ran += 1,
        Err(GraphError::Deadline) => counts.late += 1,
        Err(_) => counts.failed += 1,
    }
}

/// Mutations of one model; tells those that panic, and those that take too long.
fn all(name: &str, good: &[u8], times: usize, wrong: &mut Vec<String>) -> Counts {
    let mut counts = Counts::default();
    one(good.to_vec(), &mut Random::new(0), &mut counts);
    assert_eq!(counts.ran, 1, "{name} itself does not run");
    for i in 0..times {
        let mut random = Random::new(i as u64 + 1);
        let bad = mutate::mutated(good, &mut random);
        let began = Instant::now();
        if catch_unwind(AssertUnwindSafe(|| one(bad, &mut random, &mut counts))).is_err() {
            wrong.push(format!("{name}: mutation {i} panics"));
        }
        let spent = began.elapsed();
        counts.longest = counts.longest.max(spent);
        if spent > HANG {
            wrong.push(format!("{name}: mutation {i} takes {spent:?}"));
        }
    }
    counts
}

fn models() -> [(&'static str, usize, Vec<u8>); 5] {
    [
        ("shapes", 30, shapes()),
        ("steps", 30, steps()),
        ("classifier", 20, include_bytes!("../../freelane-cli/tests/models/classifier.onnx").to_vec()),
        ("cnn", 10, include_bytes!("../../../dev/models/cnn.onnx").to_vec()),
        ("mlp", 10, include_bytes!("../../freelane-cli/models/mlp.onnx").to_vec()),
    ]
}

#[test]
#[ignore = "models_with_wrong_bytes_are_errors_or_work runs it in a process of its own"]
fn mutations() {
    let total = std::env::var("FREELANE_MUTATIONS").ok().and_then(|n| n.parse().ok()).unwrap_or(10_000);
    let mut wrong = vec![];
    for (name, percent, good) in models() {
        let times = total * percent / 100;
        let counts = all(name, &good, times, &mut wrong);
        println!("{name} of {} bytes: {times} mutations: {counts:?}", good.len());
        assert!(times < 100 || counts.unread > 0 && counts.ran > times / 100, "{name}: {counts:?}");
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "limits memory by ulimit")]
fn models_with_wrong_bytes_are_errors_or_work() {
    let own = std::env::current_exe().unwrap();
    let command = format!("ulimit -v {MOST_KIB} && exec \"$0\" --ignored --exact mutations --nocapture");
    let done = std::process::Command::new("sh").args(["-c", &command]).arg(own).output().unwrap();
    let shown = [done.stdout, done.stderr].map(|text| String::from_utf8_lossy(&text).into_owned()).concat();
    println!("{shown}");
    assert!(done.status.success() && shown.contains("1 passed"), "{}\n{shown}", done.status);
}

#[test]
fn public_cases_with_wrong_bytes_are_errors_or_work() {
    let folders = std::env::var("FREELANE_ONNX_CASES").unwrap_or_default();
    let (mut wrong, mut counts) = (vec![], Counts::default());
    for root in folders.split(':').filter(|root| !root.is_empty()).map(std::path::Path::new) {
        let manifest = std::fs::read_to_string(root.join("manifest.jsonl")).expect("a folder of cases has a manifest");
        for line in manifest.lines() {
            let row: serde_json::Value = serde_json::from_str(line).expect("a JSON object a line");
            let path = root.join(row["path"].as_str().expect("a path")).join("model.onnx");
            let good = std::fs::read(&path).expect("a model");
            for i in 0..if good.len() > 1 << 16 { 0 } else { 20 } {
                let mut random = Random::new(i + 1);
                let bad = mutate::mutated(&good, &mut random);
                if catch_unwind(AssertUnwindSafe(|| one(bad, &mut random, &mut counts))).is_err() {
                    wrong.push(format!("{}: mutation {i}", path.display()));
                }
            }
        }
    }
    println!("{counts:?}");
    assert!(wrong.is_empty(), "{wrong:#?}");
}
