//! `cargo xtask conformance`: judges freelane by test suites that others wrote. None of them is part of the repository.
//!
//! What fails must stand on a list with a reason, and what stands on the list must fail: the list can only shrink.

mod onnx;

use crate::{py, run};
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The plugins that the suite needs beside the requirements of our own tests.
const PLUGINS: [&str; 2] = ["pytest-json-report==1.5.0", "ndindex==1.10.1"];
/// Tests that fail, under the reasons why.
const EXPECTED: &str = "python/tests/array_api_skips.txt";

#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    suite: Suite,
}

#[derive(clap::Subcommand)]
enum Suite {
    /// The tests of the Python array API standard (data-apis/array-api-tests)
    ArrayApi(ArrayApi),
    /// The cases of the ONNX standard (package onnx), and models that packages hold
    Onnx(onnx::Args),
}

#[derive(clap::Args)]
struct ArrayApi {
    /// The suite's folder, with the standard's repository (data-apis/array-api) in its folder `array-api`
    #[arg(long, value_name = "DIR", env = "ARRAY_API_SUITE")]
    suite: Option<PathBuf>,
    /// The version of the standard
    #[arg(long, default_value = "2025.12")]
    version: String,
    /// Only tests that match this expression of pytest's `-k`
    #[arg(long, value_name = "EXPRESSION")]
    only: Option<String>,
    /// The interpreter: a name or a path
    #[arg(long, value_name = "NAME")]
    python: Option<String>,
    /// Examples of each property
    #[arg(long, default_value = "20")]
    max_examples: u32,
}

pub fn run(args: &Args) -> Result<()> {
    match &args.suite {
        Suite::ArrayApi(args) => run_array_api(args),
        Suite::Onnx(args) => onnx::run(args),
    }
}

fn run_array_api(args: &ArrayApi) -> Result<()> {
    let Some(suite) = &args.suite else {
        run::skipped("array API suite", "no folder: give --suite or ARRAY_API_SUITE");
        return Ok(());
    };
    if !suite.join("array-api/src/array_api_stubs").is_dir() {
        bail!("{}: data-apis/array-api must lie in its folder array-api", suite.display());
    }
    let outcomes = array_api(args, &suite.canonicalize()?)?;
    table(&outcomes);
    let expected = std::fs::read_to_string(run::root().join(EXPECTED)).context(EXPECTED)?;
    judge(&outcomes, &listed(&expected), args.only.is_some())
}

/// Runs the suite: outcomes by test.
fn array_api(args: &ArrayApi, suite: &Path) -> Result<BTreeMap<String, String>> {
    let sh = run::shell()?;
    let python = py::prepare(&sh, args.python.as_deref(), &PLUGINS)?;
    let report = python.dir.join("array-api.json");
    let _ = std::fs::remove_file(&report);
    sh.change_dir(suite);
    let pytest = python.pytest(&sh).args(["array_api_tests", "--tb=line", "--disable-deadline", "--derandomize"]);
    let pytest = pytest.args(["--continue-on-collection-errors", "--disable-warnings"]);
    let pytest = pytest.args(["--max-examples", &args.max_examples.to_string()]);
    let pytest = pytest.args(args.only.iter().flat_map(|only| ["-k", only]));
    let pytest = pytest.args(["--json-report", "--json-report-omit", "log", "streams", "keywords"]);
    let pytest = pytest.arg("--json-report-file").arg(&report);
    let pytest = pytest.env("ARRAY_API_TESTS_MODULE", "freelane").env("ARRAY_API_TESTS_VERSION", &args.version);
    eprintln!("$ {pytest}");
    pytest.quiet().ignore_status().run()?;
    let text = std::fs::read_to_string(&report).context("the suite wrote no report")?;
    outcomes(&parse(&text)?)
}

/// Reads the report. The suite puts numbers into it that JSON does not have.
fn parse(report: &str) -> Result<Value> {
    let numbers = ["NaN", "Infinity", "-Infinity"];
    let places = numbers.iter().flat_map(|n| [": ", "[", ", "].map(|before| (format!("{before}{n}"), before)));
    let report =
        places.fold(report.to_owned(), |text, (number, before)| text.replace(&number, &format!("{before}null")));
    serde_json::from_str(&report).context("the suite's report")
}

/// What became of each test, and of each file that could not be read.
fn outcomes(report: &Value) -> Result<BTreeMap<String, String>> {
    let tests = report["tests"].as_array().context("the report lists no tests")?;
    let files = report["collectors"].as_array().into_iter().flatten().filter(|file| file["outcome"] != "passed");
    let pair = |test: &Value| Some((test["nodeid"].as_str()?.to_owned(), test["outcome"].as_str()?.to_owned()));
    tests.iter().chain(files).map(|test| pair(test).context("a test without name or outcome")).collect()
}

fn failed(outcome: &str) -> bool {
    matches!(outcome, "failed" | "error")
}

fn table(outcomes: &BTreeMap<String, String>) {
    let mut files: BTreeMap<&str, [usize; 3]> = BTreeMap::new();
    for (test, outcome) in outcomes {
        let file = test.split("::").next().unwrap_or(test).rsplit('/').next().unwrap_or(test);
        let place = if failed(outcome) { 1 } else { usize::from(outcome != "passed") * 2 };
        files.entry(file).or_default()[place] += 1;
    }
    for (file, [passed, failed, skipped]) in files {
        println!("{file:<50} {passed:>5} passed {failed:>5} failed {skipped:>5} skipped");
    }
}

/// The tests on the list; lines that begin with `#` are the reasons above them.
fn listed(text: &str) -> BTreeSet<&str> {
    text.lines().map(str::trim_end).filter(|line| !line.is_empty() && !line.starts_with('#')).collect()
}

fn judge(outcomes: &BTreeMap<String, String>, listed: &BTreeSet<&str>, partly: bool) -> Result<()> {
    let fails = |test: &str| outcomes.get(test).is_some_and(|outcome| failed(outcome));
    let new: Vec<&str> = outcomes.keys().map(String::as_str).filter(|t| fails(t) && !listed.contains(t)).collect();
    let passing = |test: &&str| !fails(test) && (outcomes.contains_key(*test) || !partly);
    let stale: Vec<&str> = listed.iter().copied().filter(passing).collect();
    new.iter().for_each(|test| println!("fails: {test}"));
    stale.iter().for_each(|test| println!("no longer fails, take it off {EXPECTED}: {test}"));
    let count = |wanted: fn(&str) -> bool| outcomes.values().filter(|outcome| wanted(outcome)).count();
    let (passed, failed) = (count(|o| o == "passed"), count(failed));
    println!("{passed} passed, {} expected to fail, {} failed", failed - new.len(), new.len());
    match new.len() + stale.len() {
        0 if passed > 0 => Ok(()),
        0 => bail!("no test passed"),
        _ => bail!("array API suite: {} tests fail unexpectedly, {} no longer fail", new.len(), stale.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(outcome: &str, list: &str, partly: bool) -> bool {
        let report = serde_json::json!({ "tests": [
            { "nodeid": "a.py::good[1 # x]", "outcome": "passed" },
            { "nodeid": "a.py::other", "outcome": outcome },
        ], "collectors": [{ "nodeid": "a.py", "outcome": "passed" }]});
        judge(&outcomes(&report).expect("a report"), &listed(list), partly).is_ok()
    }

    #[test]
    fn numbers_that_json_lacks_are_read() {
        let report = parse(r#"{"tests": [{"nodeid": "a -> NaN", "outcome": "passed", "x": [NaN, -Infinity]}]}"#);
        assert_eq!(outcomes(&report.expect("JSON")).expect("a report")["a -> NaN"], "passed");
    }

    #[test]
    fn the_list_holds_what_fails_and_nothing_else() {
        assert!(run("passed", "# nothing\n", false));
        assert!(run("skipped", "", false));
        for outcome in ["failed", "error"] {
            assert!(!run(outcome, "", false));
            assert!(run(outcome, "# reason\na.py::other\n", false));
            assert!(!run(outcome, "# reason\n# a.py::other\n", false));
        }
        let unread = serde_json::json!({ "tests": [], "collectors": [{ "nodeid": "b.py", "outcome": "failed" }]});
        assert_eq!(outcomes(&unread).expect("a report")["b.py"], "failed");
        assert!(!run("passed", "a.py::other", false));
        assert!(!run("failed", "a.py::other\na.py::good[1 # x]", false));
        assert!(!run("failed", "a.py::other\na.py::gone", false));
        assert!(run("failed", "a.py::other\na.py::gone", true));
    }
}
