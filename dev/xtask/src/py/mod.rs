//! The Python package under every interpreter of the machine: wheel, environment, pytest.
//!
//! An interpreter that is not there is reported as skipped, never as passed. All wheels are built in Cargo's one target
//! folder, where the Rust tests leave the libraries that the module needs.

mod interpreters;
mod venv;

use crate::run;
use anyhow::{Result, bail};
use interpreters::Interpreter;
use venv::Tools;
use xshell::Shell;

/// Tests one interpreter or all; `rest` goes to pytest.
pub fn test(sh: &Shell, only: Option<&str>, rest: &[String]) -> Result<()> {
    let interpreters = match only {
        Some(wanted) => vec![interpreters::named(wanted)?],
        None => all(),
    };
    let Some(first) = interpreters.first() else { return Ok(()) };
    let tools = Tools::new(sh, first)?;
    let failed: Vec<&str> = interpreters
        .iter()
        .filter(|interpreter| test_one(&tools, interpreter, rest).inspect_err(|e| eprintln!("error: {e:#}")).is_err())
        .map(|interpreter| interpreter.name.as_str())
        .collect();
    match failed.is_empty() {
        true => Ok(()),
        false => bail!("the Python package fails on {}", failed.join(", ")),
    }
}

fn all() -> Vec<Interpreter> {
    let (found, missing) = interpreters::find();
    missing.iter().for_each(|name| run::skipped(name, "not found"));
    if found.is_empty() {
        run::skipped("the Python package", "needs CPython 3.11 or later");
    }
    found
}

fn test_one(tools: &Tools<'_>, interpreter: &Interpreter, rest: &[String]) -> Result<()> {
    let venv = tools.venv(interpreter)?;
    venv.install(&run::root().join("python/tests/requirements.txt"))?;
    venv.install_module()?;
    run::step(&format!("pytest on {}", interpreter.name), venv.pytest().args(rest))
}
