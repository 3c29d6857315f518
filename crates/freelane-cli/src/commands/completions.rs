//! `freelane completions SHELL`.
use super::Cli;
use anyhow::Result;
use clap::CommandFactory;
use std::io::Write;

/// Print a completion script for a shell
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The shell
    shell: clap_complete::Shell,
}

pub fn run(args: Args, out: &mut dyn Write) -> Result<()> {
    clap_complete::generate(args.shell, &mut Cli::command(), "freelane", out);
    Ok(())
}
