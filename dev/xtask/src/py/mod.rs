//! The Python package under every interpreter of the machine: wheel, environment, pytest.
//!
//! An interpreter that is not there is reported as skipped, never as passed. All wheels are built in Cargo's one target
//! folder, where the Rust tests leave the libraries that the module needs.

mod interpreters;
mod venv;

use crate::run;
use anyhow::{Context, Result, bail};
use interpreters::Interpreter;
pub use venv::Venv;
use venv::{Purpose, Tools};
use xshell::Shell;

/// What our own tests need.
const REQUIREMENTS: &str = "python/tests/requirements.txt";
/// Tests of what functions compute, which is the same code under every interpreter: they run once.
const ARITHMETIC: [&str; 3] =
    ["python/tests/test_functions.py", "python/tests/test_properties.py", "python/tests/test_edge_values.py"];
/// What the benches need.
const PEERS: &str = "dev/benches/peers/requirements.txt";

/// Tests one interpreter or all; `rest` goes to pytest.
pub fn test(sh: &Shell, only: Option<&str>, rest: &[String]) -> Result<()> {
    let interpreters = match only {
        Some(wanted) => vec![interpreters::named(wanted)?],
        None => all(),
    };
    let Some(first) = interpreters.first() else { return Ok(()) };
    let tools = Tools::new(sh, first)?;
    let last = interpreters.len() - 1;
    let failed: Vec<&str> = interpreters
        .iter()
        .enumerate()
        .filter(|(i, interpreter)| {
            test_one(&tools, interpreter, (*i == 0, *i == last), rest)
                .inspect_err(|e| eprintln!("error: {e:#}"))
                .is_err()
        })
        .map(|(_, interpreter)| interpreter.name.as_str())
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

/// Tests one interpreter: arithmetic on the newest alone, threads on the oldest and the newest.
fn test_one(
    tools: &Tools<'_>,
    interpreter: &Interpreter,
    (oldest, newest): (bool, bool),
    rest: &[String],
) -> Result<()> {
    let venv = ready(tools, interpreter, Purpose::Tests)?;
    let ignored = ARITHMETIC.iter().filter(|_| !newest).map(|file| format!("--ignore={file}"));
    let plain = (!oldest && !newest).then_some("--plain");
    run::step(&format!("pytest on {}", interpreter.name), venv.pytest(tools.sh).args(ignored).args(plain).args(rest))
}

fn ready(tools: &Tools<'_>, interpreter: &Interpreter, purpose: Purpose) -> Result<Venv> {
    let venv = tools.venv(interpreter, purpose)?;
    let list = match purpose {
        Purpose::Tests => REQUIREMENTS,
        Purpose::Benches | Purpose::Packages => PEERS,
    };
    tools.install(&venv, &run::root().join(list))?;
    tools.install_module(&venv, interpreter, purpose)?;
    Ok(venv)
}

/// One interpreter with the module, the requirements of our tests and more.
pub fn prepare(sh: &Shell, python: Option<&str>, more: &[&str]) -> Result<Venv> {
    let (tools, interpreter) = chosen(sh, python)?;
    let venv = ready(&tools, &interpreter, Purpose::Tests)?;
    tools.install_these(&venv, more)?;
    Ok(venv)
}

/// One interpreter without the module, with some packages.
pub fn bare(sh: &Shell, python: Option<&str>, packages: &[&str]) -> Result<Venv> {
    let (tools, interpreter) = chosen(sh, python)?;
    let venv = tools.venv(&interpreter, Purpose::Packages)?;
    tools.install_these(&venv, packages)?;
    Ok(venv)
}

/// One interpreter with the module as users get it, and the libraries that it is compared with.
pub fn with_peers(sh: &Shell, python: Option<&str>) -> Result<Venv> {
    let (tools, interpreter) = chosen(sh, python)?;
    ready(&tools, &interpreter, Purpose::Benches)
}

fn chosen<'a>(sh: &'a Shell, python: Option<&str>) -> Result<(Tools<'a>, Interpreter)> {
    let interpreter = match python {
        Some(wanted) => interpreters::named(wanted)?,
        None => newest().context("the Python package needs CPython 3.11 or later")?,
    };
    Ok((Tools::new(sh, &interpreter)?, interpreter))
}

/// The newest interpreter that has a global lock, or else the newest.
fn newest() -> Option<Interpreter> {
    let (mut found, _) = interpreters::find();
    let with_lock = found.iter().rposition(|interpreter| !interpreter.name.ends_with('t'));
    let last = with_lock.or(found.len().checked_sub(1))?;
    Some(found.swap_remove(last))
}
