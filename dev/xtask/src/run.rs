//! Running tools in the repository, and finding out whether they are there.

use anyhow::{Context, Result};
use std::path::{Path, PathBuf};
use xshell::{Cmd, Shell};

/// The repository's root.
pub fn root() -> PathBuf {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    manifest.ancestors().nth(2).expect("xtask lies two folders below the root").to_path_buf()
}

/// A shell standing in the root.
pub fn shell() -> Result<Shell> {
    let sh = Shell::new().context("no shell")?;
    sh.change_dir(root());
    Ok(sh)
}

/// Cargo's target folder for this repository.
pub fn target_dir() -> PathBuf {
    let set = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    root().join(set.unwrap_or_else(|| "target".into()))
}

/// What Cargo tells `cargo run` of its own package; a nested Cargo must not inherit it.
pub const OF_CARGO: [&str; 2] = ["CARGO_MANIFEST_DIR", "CARGO_PKG_NAME"];

/// The command `cargo ARGS`, by the cargo that runs us.
pub fn cargo<'a>(sh: &'a Shell, args: &[&str]) -> Cmd<'a> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let cargo = sh.cmd(cargo).args(args);
    OF_CARGO.iter().fold(cargo, |cargo, name| cargo.env_remove(name))
}

/// Runs a command, shows it and its output, and fails when it fails.
pub fn step(name: &str, cmd: Cmd<'_>) -> Result<()> {
    eprintln!("== {name}");
    cmd.run().with_context(|| format!("{name} failed"))
}

/// Whether `program` can be started.
pub fn has(program: &str) -> bool {
    let paths = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&paths).any(|dir| dir.join(program).is_file())
}

/// Says that something was left out, and why.
pub fn skipped(what: &str, reason: &str) {
    println!("skipped: {what} ({reason})");
}
