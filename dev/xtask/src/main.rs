//! Developer commands of the freelane repository: `cargo xtask --help`.
//!
//! Each file is one command. A command prints what the tools it runs print, unmodified, and ends with a failure as soon as
//! one of them fails. A tool that is not installed is reported as `skipped: ...`, never as passed.

mod audit;
mod bench;
mod check;
mod conformance;
mod publish;
mod py;
mod run;
mod test;
mod tidy;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

#[derive(Parser)]
#[command(name = "cargo xtask", about = "Developer commands of the freelane repository")]
struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Format, tidy, clippy, docs and tests, cheapest first
    Check(check::Args),
    /// The repository's own promises, and the ledger of everything that lanes can share
    Tidy(tidy::Args),
    /// All tests; with a flag, one of the slow kinds alone
    Test(test::Args),
    /// Run a bench, keep its figures or compare with kept ones
    Bench(bench::Args),
    /// Count the cache lines that threads share, per operation (needs valgrind, gcc, python3)
    Audit(audit::Args),
    /// Run a public test suite that lies in a folder of its own
    Conformance(conformance::Args),
    /// Package the library crates as for a release, without uploading
    PublishCheck,
}

fn main() -> ExitCode {
    let outcome = match Args::parse().command {
        Command::Check(args) => check::run(&args),
        Command::Tidy(args) => tidy::run(&args),
        Command::Test(args) => test::run(&args),
        Command::Bench(args) => bench::run(&args),
        Command::Audit(args) => audit::run(&args),
        Command::Conformance(args) => conformance::run(&args),
        Command::PublishCheck => publish::run(),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
