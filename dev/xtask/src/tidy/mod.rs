//! `cargo xtask tidy`: promises of the repository that no compiler checks.
//!
//! Each file of this folder is one promise. A rule returns findings; one finding is a failure. At the end stands the
//! ledger: everything that several lanes can reach and someone can change, with its owner and the reason.

mod bindings;
mod edges;
mod globals;
mod kernels;
mod ledger;
mod licences;
mod sharing;
mod source;
mod text;

use crate::run;
use anyhow::{Context, Result, bail};
use cargo_metadata::{Metadata, MetadataCommand};

/// Something that breaks a promise: where, and what.
pub type Finding = String;

#[derive(clap::Args, Default)]
pub struct Args {
    /// Leave the ledger out of the output
    #[arg(long)]
    quiet: bool,
}

pub fn run(args: &Args) -> Result<()> {
    eprintln!("== tidy");
    let root = run::root();
    let metadata = metadata()?;
    let sources = source::load(&root)?;
    let ledger = ledger::collect(&sources);
    let rules: [(&str, Vec<Finding>); 8] = [
        ("crate edges", edges::check(&metadata, &root)),
        ("sharing", sharing::check(&sources)),
        ("kernels", kernels::check(&sources)),
        ("global state of dependencies", globals::check(&metadata)?),
        ("tests of bindings", bindings::check(&root, &sources)),
        ("licences", licences::check(&metadata)),
        ("text", text::check(&root, &sources)?),
        ("ledger", ledger::check(&ledger)),
    ];
    if !args.quiet {
        ledger::print(&ledger);
    }
    report(&rules)
}

fn metadata() -> Result<Metadata> {
    let manifest = run::root().join("Cargo.toml");
    MetadataCommand::new().manifest_path(manifest).exec().context("cargo metadata")
}

fn report(rules: &[(&str, Vec<Finding>)]) -> Result<()> {
    let mut count = 0;
    for (rule, findings) in rules {
        println!("tidy: {rule}: {}", if findings.is_empty() { "ok" } else { "FAILED" });
        findings.iter().for_each(|finding| println!("  {finding}"));
        count += findings.len();
    }
    match count {
        0 => Ok(()),
        n => bail!("tidy: {n} findings"),
    }
}
