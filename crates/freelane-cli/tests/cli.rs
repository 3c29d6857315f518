//! The built program: what it prints, and how it ends.
use freelane::{Array, DType};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn freelane(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_freelane")).args(arguments).output().unwrap()
}

fn out(arguments: &[&str]) -> String {
    let done = freelane(arguments);
    let errors = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{arguments:?}: {errors}");
    String::from_utf8(done.stdout).unwrap()
}

fn json(arguments: &[&str]) -> Vec<Value> {
    out(arguments).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The only line on standard error of a command that fails with this status.
fn failure(status: i32, arguments: &[&str]) -> String {
    let done = freelane(arguments);
    let errors = String::from_utf8(done.stderr).unwrap();
    assert_eq!(done.status.code(), Some(status), "{arguments:?}: {errors}");
    if status == 1 {
        assert_eq!(errors.lines().count(), 1, "{errors}");
    }
    errors.trim_end().to_owned()
}

/// A folder of the test's own, gone with it.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("freelane-cli-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    fn file(&self, name: &str) -> String {
        self.0.join(name).to_str().unwrap().to_owned()
    }

    fn save(&self, name: &str, array: &Array) -> String {
        let file = self.file(name);
        freelane::save(&file, array).unwrap();
        file
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn ramp(n: i64) -> Array {
    Array::arange(0, n, 1).and_then(|x| x.astype(DType::F64)).unwrap()
}

#[test]
fn eval_prints_the_result_and_nothing_else() {
    for (text, want) in
        [("2**-1", "0.5\n"), ("-2**2", "-4\n"), (" -pi", "-3.141592653589793\n"), ("arange(3)/2", "[0.  0.5 1. ]\n")]
    {
        assert_eq!(out(&["eval", text]), want);
    }
    assert_eq!(out(&["eval", "--", "-1"]), "-1\n");
}

#[test]
fn eval_reads_and_writes_files() {
    let folder = Folder::new("files");
    let x = folder.save("x.npy", &ramp(6));
    let sum = folder.file("sum.npy");
    assert_eq!(out(&["eval", "x.reshape(2, 3).sum(axis=0)", &format!("x={x}"), "-o", &sum]), "[3. 5. 7.]\n");
    assert_eq!(out(&["eval", "s * 2", &format!("s={sum}")]), "[ 6. 10. 14.]\n");
    let packed = folder.file("x.npz");
    freelane::io::save_all(&packed, &[("a", &ramp(2)), ("b", &ramp(3))]).unwrap();
    assert_eq!(out(&["eval", "x", &format!("x={packed}:b")]), "[0. 1. 2.]\n");
    let tensors = folder.file("x.safetensors");
    freelane::io::save_all(&tensors, &[("layer.0/w", &ramp(2)), ("b", &ramp(3))]).unwrap();
    assert_eq!(out(&["eval", "x", &format!("x={tensors}:layer.0/w")]), "[0. 1.]\n");
    std::fs::write(folder.file("t.csv"), "1,2\n3,4\n").unwrap();
    assert_eq!(out(&["eval", "x.sum(axis=0)", &format!("x={}", folder.file("t.csv"))]), "[4 6]\n");
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    let folder = Folder::new("threads");
    let x = folder.save("x.npy", &ramp(1_000_003));
    let one = json(&["eval", "sum(sin(x) * x)", &format!("x={x}"), "--json"]);
    let three = json(&["eval", "sum(sin(x) * x)", &format!("x={x}"), "--json", "--threads", "3"]);
    assert_eq!((one[0]["result"].as_f64(), &three[0]["threads"]), (three[0]["result"].as_f64(), &Value::from(3)));
}

#[test]
fn json_says_what_came_out_and_what_it_took() {
    let report = &json(&["eval", "array([[1, 2], [3, 4]]) / 2", "--json"])[0];
    assert_eq!(report["expr"], "array([[1, 2], [3, 4]]) / 2");
    assert_eq!((&report["dtype"], &report["shape"]), (&"float64".into(), &serde_json::json!([2, 2])));
    assert_eq!(report["result"], serde_json::json!([[0.5, 1.0], [1.5, 2.0]]));
    for field in ["seconds", "load_seconds", "peak_bytes"] {
        assert!(report[field].is_number(), "{field}");
    }
    let large = &json(&["eval", "arange(5000)", "--json"])[0];
    assert_eq!(
        (&large["result"], &large["min"], &large["max"], &large["mean"]),
        (&Value::Null, &0.into(), &4999.into(), &2499.5.into())
    );
    assert_eq!(json(&["eval", "array([nan, inf])", "--json"])[0]["result"], serde_json::json!(["NaN", "inf"]));
}

#[test]
fn chains_work_in_the_storage_of_their_first_result() {
    let folder = Folder::new("chain");
    let x = folder.save("x.npy", &ramp(1 << 17));
    let bytes = 8 << 17;
    let peak = |text: &str| json(&["eval", text, &format!("x={x}"), "--json"])[0]["peak_bytes"].as_u64().unwrap();
    assert!(peak("sqrt((x - mean(x))**2 * 3 + 1) * 2 - 1") < bytes + 100_000);
    assert!(peak("mean(x)") < 100_000);
}

#[test]
fn faults_end_with_one_line_and_status_1() {
    let folder = Folder::new("faults");
    let x = folder.save("x.npy", &ramp(6));
    let x = format!("x={x}");
    let whole = std::fs::read(folder.file("x.npy")).unwrap();
    std::fs::write(folder.file("cut.npy"), &whole[..whole.len() - 8]).unwrap();
    let cut = format!("x={}", folder.file("cut.npy"));
    let missing = format!("x={}", folder.file("none.npy"));
    let odd = folder.file("x.odd");
    let cases: &[(&[&str], &str)] = &[
        (&["eval", "1 + flooor(x)", &x], "error: column 5: unknown name 'flooor'; did you mean 'floor'?"),
        (&["eval", "x + ones(4)", &x], "error: column 3: add: shapes (6,) and (4,) do not broadcast"),
        (&["eval", "(1", &x], "error: column 1: this bracket is not closed"),
        (&["eval", "x", &cut], "cut.npy"),
        (&["eval", "x", &missing], "none.npy"),
        (&["eval", "x", &x, "-o", &odd], "x.odd"),
        (&["eval", "x", &x, &x], "error: x is given twice"),
        (&["eval", "x.shape", &x, "-o", &odd], "the result is not an array"),
        (&["eval", "zeros(2**60)"], "error: column 1: zeros"),
        (&["eval", "x", &x, "--grad", "x"], "error: --grad x: gradients are not built yet"),
        (&["scale", "--n", "7"], "error: workload all has no case of size 7"),
    ];
    for (arguments, want) in cases {
        let line = failure(1, arguments);
        assert!(line.starts_with("error: ") && line.contains(want), "{arguments:?}: {line}");
    }
    let nested = format!("{}1{}", "(".repeat(60_000), ")".repeat(60_000));
    assert!(failure(1, &["eval", &nested]).starts_with("error: column "));
}

#[test]
fn wrong_flags_end_with_status_2() {
    let cases: &[&[&str]] = &[
        &[],
        &["frob"],
        &["eval"],
        &["eval", "--bogus"],
        &["eval", "x", "--bogus"],
        &["eval", "x", "x"],
        &["eval", "x", "np=a.npy"],
        &["eval", "x", "--threads", "0"],
        &["scale", "--threads", "1,0"],
        &["scale", "--workload", "frob"],
        &["scale", "--repeat", "0"],
        &["scale", "--plot", "x.pdf"],
    ];
    for arguments in cases {
        failure(2, arguments);
    }
    assert!(out(&["--help"]).contains("eval"));
    assert!(out(&["eval", "--help"]).contains("NAME=FILE"));
    assert!(out(&["completions", "bash"]).contains("freelane"));
}

#[test]
fn ops_lists_every_function() {
    let ops = json(&["ops", "--json"]);
    let sin = ops.iter().find(|op| op["op"] == "sin").unwrap();
    assert_eq!((&sin["signature"], &sin["onnx"]["name"]), (&"sin(x)".into(), &"Sin".into()));
    assert_eq!((sin["ulp"].is_number(), &sin["gradient"]), (true, &"differentiable".into()));
    assert!(sin["dtypes"].as_array().unwrap().contains(&"f64".into()));
    assert_eq!(ops.len(), freelane::functions().count());
    let table = out(&["ops"]);
    assert!(table.lines().any(|line| line.starts_with("sum(x, axis=None, *, dtype=None, keepdims=False)")));
}

fn is_plot(path: &Path, begin: &[u8]) {
    let bytes = std::fs::read(path).unwrap();
    assert!(bytes.starts_with(begin) && bytes.len() > 5000, "{} bytes", bytes.len());
}

#[test]
fn scale_measures_and_draws() {
    let folder = Folder::new("scale");
    let (svg, png) = (folder.file("a.svg"), folder.file("a.png"));
    let quick = ["scale", "--workload", "ufunc", "--n", "100", "--threads", "1,2", "--repeat", "1"];
    let rows = json(&[&quick[..], &["--json", "--plot", &svg]].concat());
    assert!(rows.len() >= 6);
    for row in &rows {
        for field in ["n", "threads", "ns_per_op", "ops", "speedup", "efficiency", "limit_efficiency"] {
            assert!(row[field].as_f64().unwrap() > 0.0, "{field}");
        }
        assert_eq!(row["workload"], "ufunc");
    }
    assert!(rows.iter().any(|row| row["case"].as_str().unwrap().contains("contended")));
    let table = out(&[&quick[..], &["--plot", &png]].concat());
    assert!(table.contains("efficiency") && table.contains("contended"), "{table}");
    is_plot(Path::new(&svg), b"<svg");
    is_plot(Path::new(&png), b"\x89PNG");
}

#[test]
fn an_empty_array_is_shown_at_once_however_long_its_other_axes() {
    let report = &json(&["eval", "zeros((2**40, 0))", "--json"])[0];
    assert_eq!(report["result"], serde_json::json!([]));
    assert_eq!(
        out(&["eval", "broadcast_to(1.0, (2**40,))"]).lines().last(),
        Some("float64 of shape (1099511627776,): min 1.0, max 1.0, mean 1.0")
    );
}

#[test]
fn workloads_are_listed_with_commas() {
    let rows = json(&["scale", "--workload", "alloc,ufunc", "--threads", "1", "--repeat", "1", "--n", "100", "--json"]);
    assert!(rows.iter().all(|row| row["workload"] == "ufunc"));
}

#[test]
fn a_forced_path_that_does_not_exist_is_an_error() {
    let output = Command::new(env!("CARGO_BIN_EXE_freelane")).args(["eval", "1"]).env("FREELANE_ISA", "avx3").output();
    let output = output.unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("avx3"));
}
