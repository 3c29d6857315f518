//! One case of the sharing audit: `audit_case CASE THREADS OPS` runs it, `audit_case --list` names all.
//!
//! Each thread makes its own state, warms up, meets the others, and does OPS operations between the audit's marks (see
//! `dev/audit/README.md`). Prints page faults and nanoseconds per operation of the marked region.

#![allow(clippy::disallowed_types, reason = "the contended twins share on purpose")]

mod arrays;
mod cases;
mod contended;
mod families;
mod memory;
mod sessions;

use freelane_benches::marked::Run;
use std::process::ExitCode;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["--list"] => cases::CASES.iter().for_each(|(name, _)| println!("{name}")),
        [case, threads, ops] => {
            let found = cases::CASES.iter().find(|(name, _)| *name == case);
            let (Some((_, run)), Ok(threads), Ok(ops)) = (found, threads.parse(), ops.parse()) else {
                return usage();
            };
            let seen = run(Run { threads, ops });
            println!("page_faults_per_op {:.6} ns_per_op {:.1}", seen.page_faults_per_op, seen.ns_per_op);
        }
        _ => return usage(),
    }
    ExitCode::SUCCESS
}

fn usage() -> ExitCode {
    eprintln!("usage: audit_case CASE THREADS OPS | audit_case --list");
    ExitCode::from(2)
}
