//! `cargo xtask test`: every test that the machine can run.
//!
//! The default is the workspace's tests and doc tests, the Python package under every interpreter, then the bounded loom
//! models. The closing lines of each runner are left as they are.

use crate::{py, run};
use anyhow::{Result, bail};
use xshell::{Cmd, Shell, cmd};

/// Crates with models to check under loom.
const LOOM_CRATES: &[&str] = &["freelane-sync", "freelane-mem", "freelane-pool"];
/// What Miri interprets: crates with unsafe code, without the allocator in C, which it cannot follow.
const MIRI_CRATES: &[(&str, &[&str])] = &[("freelane-sync", &[]), ("freelane-mem", &["--no-default-features"])];

#[derive(clap::Args, Default)]
pub struct Args {
    /// Only the loom models
    #[arg(long)]
    loom: bool,
    /// Only what Miri can interpret
    #[arg(long)]
    miri: bool,
    /// Only the Python package
    #[arg(long)]
    py: bool,
    /// Only the Python package, and only this interpreter (a name such as python3.13, or a path)
    #[arg(long, value_name = "NAME")]
    python: Option<String>,
    /// Preemptions a loom model explores
    #[arg(long, default_value = "2")]
    preemptions: Option<u32>,
    /// Passed to `cargo test` or pytest (a filter, for one)
    #[arg(last = true)]
    rest: Vec<String>,
}

pub fn run(args: &Args) -> Result<()> {
    let sh = run::shell()?;
    let python = args.python.as_deref();
    match (args.loom, args.miri, args.py || python.is_some()) {
        (true, false, false) => loom(&sh, args.preemptions.unwrap_or(2)),
        (false, true, false) => miri(&sh),
        (false, false, true) => py::test(&sh, python, &args.rest),
        (false, false, false) => everything(&sh, args),
        _ => bail!("--loom, --miri and --py are separate runs"),
    }
}

fn everything(sh: &Shell, args: &Args) -> Result<()> {
    // The benches have no tests, but dependencies whose features would have every crate below compiled twice.
    let most = ["test", "--workspace", "--exclude", "freelane-benches", "--exclude", "xtask", "--no-fail-fast", "--"];
    run::step("tests", run::cargo(sh, &most).args(&args.rest))?;
    run::step("tests of xtask", run::cargo(sh, &["test", "--package", "xtask", "--"]).args(&args.rest))?;
    if args.rest.is_empty() {
        py::test(sh, None, &[])?;
        loom(sh, args.preemptions.unwrap_or(2))?;
        let reason = if has_miri(sh) { "slow; run `cargo xtask test --miri`" } else { "component not installed" };
        run::skipped("miri", reason);
    }
    Ok(())
}

fn loom(sh: &Shell, preemptions: u32) -> Result<()> {
    let names: Vec<&str> = LOOM_CRATES.iter().copied().filter(|name| has_models(name)).collect();
    if names.is_empty() {
        run::skipped("loom", "no crate has models");
        return Ok(());
    }
    let packages = names.iter().flat_map(|name| ["--package", *name]);
    let target = run::target_dir().join("loom");
    let flags = "--cfg loom";
    let models = run::cargo(sh, &["test", "--release", "--lib", "--tests"])
        .args(packages)
        .env("CARGO_TARGET_DIR", target)
        .env("RUSTFLAGS", flags)
        .env("LOOM_MAX_PREEMPTIONS", preemptions.to_string());
    run::step("loom models", models)
}

/// Whether the crate names loom in its manifest.
fn has_models(name: &str) -> bool {
    let manifest = run::root().join("crates").join(name).join("Cargo.toml");
    std::fs::read_to_string(manifest).is_ok_and(|text| text.contains("loom"))
}

fn has_miri(sh: &Shell) -> bool {
    cmd!(sh, "cargo +nightly miri --version").quiet().ignore_stdout().ignore_stderr().run().is_ok()
}

fn miri(sh: &Shell) -> Result<()> {
    if !has_miri(sh) {
        run::skipped("miri", "component not installed");
        return Ok(());
    }
    MIRI_CRATES.iter().try_for_each(|(name, flags)| run::step(&format!("miri {name}"), miri_cmd(sh, name, flags)))
}

fn miri_cmd<'a>(sh: &'a Shell, name: &str, flags: &[&str]) -> Cmd<'a> {
    cmd!(sh, "cargo +nightly miri test --lib --package {name} {flags...}")
        .env("CARGO_TARGET_DIR", run::target_dir().join("miri"))
        .env("MIRIFLAGS", "-Zmiri-disable-isolation")
        .env_remove("RUSTUP_TOOLCHAIN")
}
