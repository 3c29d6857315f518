//! `cargo xtask check`: what a change must pass, cheapest first.

use crate::{run, test, tidy};
use anyhow::Result;

#[derive(clap::Args)]
pub struct Args {
    /// Leave the tests out
    #[arg(long)]
    no_test: bool,
}

pub fn run(args: &Args) -> Result<()> {
    let sh = run::shell()?;
    run::step("format", run::cargo(&sh, &["fmt", "--all", "--check"]))?;
    tidy::run(&tidy::Args::default())?;
    let clippy = ["clippy", "--workspace", "--all-targets", "--quiet", "--", "-D", "warnings"];
    run::step("clippy", run::cargo(&sh, &clippy))?;
    let docs = run::cargo(&sh, &["doc", "--workspace", "--no-deps", "--quiet"]).env("RUSTDOCFLAGS", "-D warnings");
    run::step("docs", docs)?;
    if args.no_test {
        return Ok(());
    }
    test::run(&test::Args::default())
}
