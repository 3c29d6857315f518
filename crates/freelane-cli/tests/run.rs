//! `freelane run`: a small model, from files and made-up inputs, on several threads, and what is told when it cannot run.
use freelane::Array;
use serde_json::Value;
use std::path::PathBuf;
use std::process::{Command, Output};

const MODEL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/models/classifier.onnx");

/// What another runtime gives for [`inputs`].
const EXPECTED: [[f64; 3]; 2] = [[0.421_585_4, 0.035_984_23, 0.542_430_34], [0.525_534_7, 0.043_497_62, 0.430_967_72]];

fn run(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_freelane")).arg("run").args(arguments).output().unwrap()
}

fn json(arguments: &[&str]) -> Value {
    let done = run(arguments);
    assert!(done.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
    serde_json::from_slice(&done.stdout).unwrap()
}

fn failure(arguments: &[&str]) -> String {
    let done = run(arguments);
    let errors = String::from_utf8(done.stderr).unwrap();
    assert_eq!((done.status.code(), errors.lines().count()), (Some(1), 1), "{arguments:?}: {errors}");
    errors
}

/// A folder of the test's own, with an input of two rows.
fn folder(name: &str) -> (PathBuf, String) {
    let path = std::env::temp_dir().join(format!("freelane-run-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&path).unwrap();
    let x = Array::linspace(-1.0, 1.0, 16).unwrap().astype(freelane::DType::F32).unwrap().reshape(&[2, 8]).unwrap();
    let file = path.join("x.npy");
    freelane::save(&file, &x).unwrap();
    (path, file.to_str().unwrap().to_owned())
}

#[test]
fn outputs_are_those_of_another_runtime() {
    let (path, x) = folder("outputs");
    for arguments in [vec!["-i", &x], vec!["--plain", "-i", &x], vec!["--threads", "3", "--repeat", "20", "-i", &x]] {
        let report = json(&[&[MODEL, "--json"], &arguments[..]].concat());
        let output = &report["outputs"][0];
        assert_eq!((&output["name"], &output["dtype"]), (&"p".into(), &"float32".into()));
        for (row, expected) in output["result"].as_array().unwrap().iter().zip(EXPECTED) {
            for (found, expected) in row.as_array().unwrap().iter().zip(expected) {
                assert!((found.as_f64().unwrap() - expected).abs() < 1e-6, "{found} for {expected}");
            }
        }
    }
    let out = path.join("out");
    json(&[MODEL, "--json", "-i", &format!("x={x}"), "-o", out.to_str().unwrap()]);
    let saved = freelane::load(out.join("p.npy"), None).unwrap();
    assert_eq!(saved.shape(), [2, 3]);
    std::fs::remove_dir_all(path).unwrap();
}

#[test]
fn a_row_alone_has_the_bits_of_a_row_of_many() {
    let (path, x) = folder("rows");
    let all = freelane::load(&x, None).unwrap();
    let whole = json(&[MODEL, "--json", "-i", &x])["outputs"][0]["result"].clone();
    for row in 0..2 {
        let file = path.join("row.npy");
        let at = freelane::Slice { start: Some(row), stop: Some(row + 1), step: 1 };
        freelane::save(&file, &all.index(&[at.into()]).unwrap()).unwrap();
        let alone = json(&[MODEL, "--json", "-i", file.to_str().unwrap()])["outputs"][0]["result"].clone();
        assert_eq!(alone[0], whole[row as usize]);
    }
    std::fs::remove_dir_all(path).unwrap();
}

#[test]
fn what_spans_the_batch_is_named() {
    let root = env!("CARGO_MANIFEST_DIR");
    for model in [MODEL, &format!("{root}/models/mlp.onnx"), &format!("{root}/../../dev/models/cnn.onnx")] {
        let report = json(&[model, "--random", "--dim", "5", "--check-batch", "--json", "--profile"]);
        let batch = &report["batch"];
        assert_eq!((&batch["rows"], &batch["threads"]), (&5.into(), &serde_json::json!([1, 2, 16])), "{model}");
        assert!(batch["values"].as_u64() > Some(1) && report["profile"].is_array(), "{model}");
    }
    assert!(failure(&[MODEL, "--random", "--check-batch"]).contains("a batch of 1; give --dim NAME=N"));
    // A softmax along the batch, in place of the one along the classes.
    let mut bytes = std::fs::read(MODEL).unwrap();
    let axis = bytes.windows(4).position(|part| part == b"axis").unwrap() + 4;
    let minus_one = [0x18, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01];
    assert_eq!(bytes[axis..axis + 11], minus_one, "the axis of the model's softmax");
    bytes[axis + 1..axis + 11].copy_from_slice(&[0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00]);
    let (path, _) = folder("spans");
    let spanning = path.join("spanning.onnx");
    std::fs::write(&spanning, bytes).unwrap();
    let spanning = spanning.to_str().unwrap();
    let message = failure(&[spanning, "--random", "--dim", "3", "--check-batch"]);
    assert!(message.contains("with row 0 alone output p has other bits"), "{message}");
    assert!(message.contains("the first node to differ is Softmax"), "{message}");
    let message = failure(&[MODEL, "--random", "--dim", "3", "--check-batch", "--batch-axis", "x=1"]);
    assert!(
        message.contains("with row 0 alone: input x: expected float32 [batch, 8], found float32 [3, 1]"),
        "{message}"
    );
    let flags = ["--random", "--check-batch", "--batch-axis"];
    assert!(failure(&[&[MODEL], &flags[..], &["z=1"]].concat()).contains("the model has no input z"));
    assert!(failure(&[&[MODEL], &flags[..], &["x=2"]].concat()).contains("x has no axis 2"));
    std::fs::remove_dir_all(path).unwrap();
}

#[test]
fn each_pass_is_checked() {
    let root = env!("CARGO_MANIFEST_DIR");
    for model in [MODEL, &format!("{root}/models/mlp.onnx"), &format!("{root}/../../dev/models/cnn.onnx")] {
        let report = json(&[model, "--random", "--dim", "2", "--check-passes", "--json"]);
        let passes = report["passes"].as_array().unwrap();
        let names: Vec<&str> = passes.iter().map(|p| p["pass"].as_str().unwrap()).collect();
        assert_eq!(names, ["tables", "conv", "blocks", "fold", "merge", "dead", "join", "fuse"], "{model}");
        assert!(passes.iter().all(|p| p["values"].as_u64() > Some(0) && p["keeps"].is_string()), "{model}");
    }
    let text = String::from_utf8(run(&[MODEL, "--random", "--check-passes"]).stdout).unwrap();
    assert!(text.contains("pass fuse keeps bits: "), "{text}");
}

#[test]
fn graphs_are_shown_after_a_pass() {
    let dump = |pass: &str| {
        let done =
            Command::new(env!("CARGO_BIN_EXE_freelane")).args(["dump", MODEL, "--after", pass]).output().unwrap();
        (done.status.code(), String::from_utf8([done.stdout, done.stderr].concat()).unwrap())
    };
    let (imported, joined) = (dump("import").1, dump("join").1);
    assert!(imported.contains("%r: float32 [batch, 16] = relu(%h)"), "{imported}");
    assert!(joined.contains("%r: float32 [batch, 16] = Gemm(") && !joined.contains("relu"), "{joined}");
    let (status, wrong) = dump("spin");
    assert_eq!((status, wrong.lines().count()), (Some(1), 1));
    assert!(
        wrong.contains("there is no pass spin; there are tables, conv, blocks, fold, merge, dead, join, fuse"),
        "{wrong}"
    );
    assert!(imported.contains("%p: float32 [batch, 3] = Softmax(%s) {axis = -1}"), "{imported}");
}

#[test]
fn inputs_are_made_up_when_asked_for() {
    let report = json(&[MODEL, "--random", "--dim", "batch=5", "--repeat", "3", "--json", "--profile"]);
    assert_eq!(report["outputs"][0]["shape"], serde_json::json!([5, 3]));
    assert_eq!(report["outputs"], json(&[MODEL, "--random", "--dim", "5", "--json"])["outputs"]);
    let shaped = json(&[MODEL, "--random", "--shape", "x=5,8", "--json"]);
    assert_eq!(report["outputs"], shaped["outputs"]);
    assert!(report["p99_ns"].as_f64() >= report["p50_ns"].as_f64());
    assert_eq!(report["assumed"], serde_json::json!([]));
    let assumed = run(&[MODEL, "--random"]);
    let told = String::from_utf8(assumed.stderr).unwrap();
    assert!(told.ends_with("; assumed batch = 1, axis 0 of x\n") && told.lines().count() == 1, "{told}");
    assert!(failure(&[MODEL, "-i", "x=3"]).contains("input x: expected float32 [batch, 8], found float32 []"));
    assert!(report["profile"].as_array().unwrap().iter().all(|node| node["runs"] == 3));
    let text = String::from_utf8(run(&[MODEL, "--random", "--profile"]).stdout).unwrap();
    assert!(text.contains("Softmax") && text.contains("p: float32 of shape (1, 3)"), "{text}");
}

#[test]
fn what_is_wrong_is_one_line() {
    let (path, x) = folder("wrong");
    assert!(failure(&[MODEL]).contains("input x: is missing; expected float32 [batch, 8] (-i NAME=FILE gives it"));
    assert!(failure(&[MODEL, "-i", &format!("y={x}")]).contains("input y: the model has no such input; it takes x"));
    let wrong = path.join("wrong.npy");
    freelane::save(&wrong, &Array::linspace(0.0, 1.0, 8).unwrap().reshape(&[1, 8]).unwrap()).unwrap();
    let wrong = wrong.to_str().unwrap();
    let message = failure(&[MODEL, "-i", wrong]);
    assert!(message.contains("input x: expected float32 [batch, 8], found float64 [1, 8]"), "{message}");
    assert!(failure(&[MODEL, "--random", "--dim", "zzz=1"]).contains("--dim zzz=1: the inputs have no axis zzz"));
    assert!(failure(&[MODEL, "--random", "--shape", "y=1,8"]).contains("the model takes x"));
    assert!(
        failure(&[MODEL, "--random", "--shape", "x=1,7"]).contains("expected float32 [batch, 8], found float32 [1, 7]")
    );
    let bytes = std::fs::read(MODEL).unwrap();
    let cut = path.join("cut.onnx");
    for n in [0, 1, 20, 500, bytes.len() - 1] {
        std::fs::write(&cut, &bytes[..n]).unwrap();
        assert!(failure(&[cut.to_str().unwrap(), "--random"]).contains("cut.onnx"));
    }
    std::fs::remove_dir_all(path).unwrap();
}

#[test]
fn one_core_gives_the_same_answers_and_no_complaint() {
    let arguments = [MODEL, "--random", "--dim", "4", "--split", "2", "--threads", "3", "--json"];
    let outputs = |mut command: Command| {
        let done = command.args(["run"]).args(arguments).output().unwrap();
        assert!(done.status.success() && done.stderr.is_empty(), "{}", String::from_utf8_lossy(&done.stderr));
        serde_json::from_slice::<Value>(&done.stdout).unwrap()["outputs"].clone()
    };
    let free = outputs(Command::new(env!("CARGO_BIN_EXE_freelane")));
    let mut one = Command::new(env!("CARGO_BIN_EXE_freelane"));
    one.env("OMP_NUM_THREADS", "1");
    assert_eq!(outputs(one), free);
    if Command::new("taskset").arg("--version").output().is_err() {
        println!("skipped: taskset is not installed");
        return;
    }
    let mut bound = Command::new("taskset");
    bound.args(["-c", "0", env!("CARGO_BIN_EXE_freelane")]);
    assert_eq!(outputs(bound), free);
}
