//! The three instruments: Valgrind's tool, strace, and the kernel's account of page faults.

use crate::run;
use anyhow::{Context, Result, bail};
use std::collections::BTreeSet;
use std::path::PathBuf;
use xshell::{Cmd, Shell, cmd};

/// Pairs of operation counts, tried in turn until the audit reaches a conclusion.
const OPS: &[&str] = &["200,1000", "1000,5000", "3000,15000"];
/// How the marks of `audit_case` look in strace's output (the offset is printed in decimal).
const MARK: i64 = 0x5ee1_a0d1_7000;

/// The built program and tool.
pub struct Program<'a> {
    sh: &'a Shell,
    tool: PathBuf,
    cases: PathBuf,
}

/// Counts per operation.
pub struct Sharing {
    pub writes: f64,
    pub misses: f64,
    pub instructions: f64,
    pub locked: f64,
    /// Why the counts prove nothing, if they do not.
    pub doubt: Option<String>,
}

impl<'a> Program<'a> {
    /// Builds the Valgrind tool below `target/audit`, and the cases.
    pub fn build(sh: &'a Shell) -> Result<Self> {
        let tool = run::target_dir().join("audit");
        run::step("audit tool", cmd!(sh, "dev/audit/build.sh {tool}"))?;
        let args = ["build", "--release", "--package", "freelane-benches", "--bin", "audit_case"];
        run::step("audit cases", run::cargo(sh, &args))?;
        Ok(Program { sh, tool, cases: run::target_dir().join("release").join("audit_case") })
    }

    /// What threads share in a case; tries again with more operations while the audit is in doubt.
    pub fn sharing(&self, case: &str, threads: usize) -> Result<Sharing> {
        let mut last = None;
        for ops in OPS {
            let seen = self.sharing_once(case, threads, ops)?;
            let settled = seen.doubt.is_none();
            last = Some(seen);
            if settled {
                break;
            }
        }
        last.context("no operation counts")
    }

    fn sharing_once(&self, case: &str, threads: usize, ops: &str) -> Result<Sharing> {
        let report = self.tool.join("report.json");
        let output = self.audit(case, threads, ops).arg("--json").arg(&report);
        let output = self.with_case(output, case).ignore_status().output()?;
        if !matches!(output.status.code(), Some(0 | 2)) {
            bail!("{case}: the audit failed\n{}", String::from_utf8_lossy(&output.stdout));
        }
        read_report(&std::fs::read_to_string(report)?)
    }

    /// The lines that threads share, with the code that touches them.
    pub fn hot_lines(&self, case: &str, threads: usize) -> Result<String> {
        let cmd = self.audit(case, threads, OPS[0]).args(["--top", "8"]);
        Ok(self.with_case(cmd, case).ignore_status().read()?)
    }

    fn audit(&self, case: &str, threads: usize, ops: &str) -> Cmd<'a> {
        let (sh, threads) = (self.sh, threads.to_string());
        let cmd = cmd!(sh, "python3 dev/audit/audit.py --native-ops= --threads {threads} --ops {ops} --name {case}");
        cmd.env("TOOL_DIR", &self.tool).quiet().ignore_stderr()
    }

    fn with_case(&self, cmd: Cmd<'a>, case: &str) -> Cmd<'a> {
        cmd.arg("--").arg(&self.cases).args([case, "{threads}", "{ops}"])
    }

    /// System calls between the marks of two threads; `None` when strace may not trace.
    pub fn system_calls(&self, case: &str, ops: usize) -> Result<Option<usize>> {
        let (sh, program, log, ops) = (self.sh, &self.cases, self.tool.join("strace.txt"), ops.to_string());
        let traced =
            cmd!(sh, "strace -f -qq -o {log} {program} {case} 2 {ops}").quiet().ignore_stdout().ignore_stderr();
        if traced.run().is_err() {
            return Ok(None);
        }
        let calls = calls_between_marks(&std::fs::read_to_string(log)?);
        calls.context("strace shows no marks").map(Some)
    }

    /// Page faults per operation between the marks of two threads.
    pub fn page_faults(&self, case: &str, ops: usize) -> Result<f64> {
        let (sh, program, ops) = (self.sh, &self.cases, ops.to_string());
        let line = cmd!(sh, "{program} {case} 2 {ops}").quiet().read()?;
        let figure = line.split_whitespace().nth(1).context("audit_case prints page faults first")?;
        figure.parse().with_context(|| format!("page faults: {line}"))
    }
}

fn read_report(text: &str) -> Result<Sharing> {
    let report: serde_json::Value = serde_json::from_str(text)?;
    // Two runs that start threads a little differently may differ by less than nothing.
    let of = |key: &str| {
        let figure = report["per_op"][key].as_f64().with_context(|| format!("the report has no {key}"))?;
        anyhow::Ok(if figure.abs() < 5e-3 { figure.abs() } else { figure })
    };
    let doubts = report["inconclusive"].as_array().context("the report has no verdict")?;
    let doubts: Vec<&str> = doubts.iter().filter_map(|doubt| doubt.as_str()).collect();
    Ok(Sharing {
        writes: of("shared_writes")?,
        misses: of("misses")?,
        instructions: of("instructions")?,
        locked: of("locked")?,
        doubt: (!doubts.is_empty()).then(|| doubts.join("; ")),
    })
}

/// Counts the calls that threads make between their own begin and end marks; `None` without any mark.
fn calls_between_marks(log: &str) -> Option<usize> {
    let (begin, end) = (format!("lseek(-1, {}", MARK + 1), format!("lseek(-1, {}", MARK + 2));
    let mut inside = BTreeSet::new();
    let (mut calls, mut marks) = (0, 0);
    for line in log.lines() {
        let Some((thread, call)) = line.trim_start().split_once(' ') else { continue };
        let call = call.trim_start();
        if call.starts_with(&begin) {
            inside.insert(thread);
            marks += 1;
        } else if call.starts_with(&end) {
            inside.remove(thread);
        } else if inside.contains(thread) && !call.starts_with(['<', '+', '-']) {
            calls += 1;
        }
    }
    (marks > 0).then_some(calls)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_counted_between_marks_only() {
        let (begin, end) = (MARK + 1, MARK + 2);
        let log = format!(
            "7 mmap(NULL, 4096) = 0\n7 lseek(-1, {begin}, 0) = -1 EBADF\n8 futex(0x1, FUTEX_WAIT <unfinished ...>\n\
             7 madvise(0x1, 4096) = 0\n7 futex(0x2 <unfinished ...>\n7 <... futex resumed>) = 0\n7 --- SIGCHLD ---\n\
             7 lseek(-1, {end}, 0x64) = -1 EBADF\n7 munmap(0x1, 4096) = 0\n8 +++ exited with 0 +++\n"
        );
        assert_eq!(calls_between_marks(&log), Some(2));
        assert_eq!(calls_between_marks("7 mmap(NULL, 4096) = 0"), None);
    }

    #[test]
    fn doubts_are_kept() {
        let text =
            r#"{"inconclusive": ["a"], "per_op": {"shared_writes": 1, "misses": 2.5, "instructions": 3, "locked": 0}}"#;
        let seen = read_report(text).expect("complete");
        assert_eq!((seen.writes, seen.misses, seen.doubt.as_deref()), (1.0, 2.5, Some("a")));
    }
}
