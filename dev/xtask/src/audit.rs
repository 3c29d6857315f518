//! `cargo xtask audit`: counts what lanes share, per operation, and holds it against limits.
//!
//! Three instruments look at the same cases (`dev/benches/src/bin/audit_case`): the Valgrind tool of `dev/audit` counts
//! shared cache lines, strace counts system calls, and the kernel's own account counts page faults. The contended twins
//! show that the instruments see contention. "Inconclusive" is tried again with more operations, and is never a pass.

mod cases;
mod instruments;

use crate::run;
use anyhow::{Result, bail};
use cases::{CASES, Case, Expected};
use instruments::{Program, Sharing};
use std::path::Path;
use xshell::cmd;

#[derive(clap::Args)]
pub struct Args {
    /// Only cases whose name contains this
    #[arg(default_value = "")]
    filter: String,
    /// Thread counts
    #[arg(long, value_delimiter = ',', default_value = "2,8")]
    threads: Vec<usize>,
    /// Only the tool's own test
    #[arg(long)]
    selftest: bool,
}

pub fn run(args: &Args) -> Result<()> {
    let sh = run::shell()?;
    if let Some(reason) = missing() {
        run::skipped("audit", &reason);
        return Ok(());
    }
    if args.selftest {
        return run::step("audit self-test", cmd!(sh, "dev/audit/selftest.sh"));
    }
    let program = Program::build(&sh)?;
    let model = std::env::var_os("FREELANE_AUDIT_MODEL").is_some();
    let wanted = |case: &&Case| case.name.contains(&args.filter) && (model || case.name != cases::OF_FILE);
    let cases: Vec<&Case> = CASES.iter().filter(wanted).collect();
    if cases.is_empty() {
        bail!("no case contains {:?}", args.filter);
    }
    let mut failures = sharing(&program, &cases, &args.threads)?;
    failures.extend(system_calls(&program, &cases)?);
    failures.extend(page_faults(&program, &cases)?);
    match failures.len() {
        0 => Ok(()),
        n => bail!("audit: {n} failures\n  {}", failures.join("\n  ")),
    }
}

/// Why the audit cannot run here.
fn missing() -> Option<String> {
    if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        return Some("x86-64 Linux only".to_owned());
    }
    let program = ["valgrind", "gcc", "python3", "taskset"].into_iter().find(|program| !run::has(program));
    let headers = std::env::var("VALGRIND_INC").unwrap_or_else(|_| "/usr/include/valgrind".to_owned());
    let headers = Path::new(&headers).join("pub_tool_basics.h");
    program
        .map(|program| format!("{program} not installed"))
        .or_else(|| (!headers.is_file()).then(|| format!("no valgrind headers at {}", headers.display())))
}

fn sharing(program: &Program<'_>, cases: &[&Case], threads: &[usize]) -> Result<Vec<String>> {
    println!("cache lines one thread writes and another touches, per operation:");
    println!(
        "  {:<34} {:>7} {:>9} {:>9} {:>12} {:>8}  verdict",
        "case", "threads", "writes", "misses", "instructions", "locked"
    );
    let mut failures = Vec::new();
    for case in cases.iter().filter(|case| case.expected != Expected::Recycled) {
        for &threads in threads {
            let seen = program.sharing(case.name, threads)?;
            let verdict = judge(case, &seen);
            println!(
                "  {:<34} {threads:>7} {:>9.4} {:>9.4} {:>12.1} {:>8.2}  {}",
                case.name,
                seen.writes,
                seen.misses,
                seen.instructions,
                seen.locked,
                verdict.as_ref().unwrap_or_else(|fault| fault)
            );
            if let Err(fault) = verdict {
                println!("{}", program.hot_lines(case.name, threads)?);
                failures.push(format!("{} on {threads} threads: {fault}", case.name));
            }
        }
    }
    Ok(failures)
}

/// What the counts mean for this case.
fn judge(case: &Case, seen: &Sharing) -> Result<String, String> {
    if let Some(doubt) = &seen.doubt {
        return Err(format!("inconclusive: {doubt}"));
    }
    match case.expected {
        Expected::Clean { writes, misses } if seen.writes < writes && seen.misses < misses => Ok("clean".to_owned()),
        Expected::Clean { writes, misses } => Err(format!("over the limit: writes < {writes}, misses < {misses}")),
        Expected::Found if seen.writes >= 0.5 => Ok("found, as it must be".to_owned()),
        Expected::Found => Err("not found: the audit is blind".to_owned()),
        Expected::Stated | Expected::Recycled => Ok("stated".to_owned()),
    }
}

fn system_calls(program: &Program<'_>, cases: &[&Case]) -> Result<Vec<String>> {
    if !run::has("strace") {
        run::skipped("system calls", "strace not installed");
        return Ok(Vec::new());
    }
    println!("system calls in steady state, 2 threads:");
    let mut failures = Vec::new();
    for case in cases.iter().filter(|case| matches!(case.expected, Expected::Clean { .. } | Expected::Recycled)) {
        let ops = if case.expected == Expected::Recycled { 50 } else { 20_000 };
        let Some(calls) = program.system_calls(case.name, ops)? else {
            run::skipped("system calls", "strace may not trace here");
            return Ok(failures);
        };
        println!("  {:<34} {:>6} in {} operations", case.name, calls, 2 * ops);
        if calls > 0 {
            failures.push(format!("{}: {calls} system calls in {} operations", case.name, 2 * ops));
        }
    }
    Ok(failures)
}

fn page_faults(program: &Program<'_>, cases: &[&Case]) -> Result<Vec<String>> {
    println!("page faults in steady state, 2 threads:");
    let mut failures = Vec::new();
    for case in cases.iter().filter(|case| case.expected == Expected::Recycled) {
        let faults = program.page_faults(case.name, 100)?;
        println!("  {:<34} {faults:>9.4} per operation", case.name);
        if faults >= 0.05 {
            failures.push(format!("{}: {faults:.4} page faults per operation", case.name));
        }
    }
    Ok(failures)
}
