//! The commands, one file each.
mod batch;
mod completions;
mod dump;
mod eval;
mod ops;
mod run;
mod scale;

use anyhow::Result;
use std::io::Write;

/// Numerical work on any number of threads, without anything shared between them.
#[derive(Debug, clap::Parser)]
#[command(name = "freelane", version, subcommand_required = true, arg_required_else_help = true)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    Eval(eval::Args),
    Run(run::Args),
    Scale(scale::Args),
    Ops(ops::Args),
    Dump(dump::Args),
    #[command(hide = true)]
    Completions(completions::Args),
}

impl Cli {
    /// Carries the command out; its result goes to `out`.
    ///
    /// # Errors
    /// Whatever the command finds wrong.
    pub fn run(self, out: &mut dyn Write) -> Result<()> {
        match self.command {
            Command::Eval(args) => eval::run(args, out),
            Command::Run(args) => run::run(args, out),
            Command::Scale(args) => scale::run(args, out),
            Command::Ops(args) => ops::run(args, out),
            Command::Dump(args) => dump::run(args, out),
            Command::Completions(args) => completions::run(args, out),
        }
    }
}

/// One JSON object on a line of its own.
fn json_line(out: &mut dyn Write, value: &impl serde::Serialize) -> Result<()> {
    serde_json::to_writer(&mut *out, value)?;
    Ok(writeln!(out)?)
}
