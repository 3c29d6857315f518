//! The Python interpreters of this machine.
//!
//! A name on the path counts when it answers and is what it says: a version manager leaves names that lead nowhere. The
//! versions that pyenv keeps are found without being switched on.

use anyhow::{Result, bail};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What the module is built for: CPython, with the global interpreter lock and (`t`) without.
const NAMES: &[&str] = &[
    "python3.11",
    "python3.12",
    "python3.13",
    "python3.13t",
    "python3.14",
    "python3.14t",
    "python3.15",
    "python3.15t",
];
/// Prints the name that an interpreter deserves, and where it lies.
const ASK: &str = "import sys, sysconfig
free = 't' if sysconfig.get_config_var('Py_GIL_DISABLED') else ''
print('%s%d.%d%s' % (sys.implementation.name.replace('c', '', 1), *sys.version_info[:2], free))
print(sys.executable)";

/// An interpreter that answered.
#[derive(Debug, PartialEq)]
pub struct Interpreter {
    /// `python3.13`, or `python3.14t` when it is free-threaded.
    pub name: String,
    pub path: PathBuf,
}

/// Those that are there, oldest first, and the names of those that are not.
pub fn find() -> (Vec<Interpreter>, Vec<&'static str>) {
    let mut found = Vec::new();
    let mut missing = Vec::new();
    for &name in NAMES {
        match candidates(name).iter().find_map(|path| ask(path).filter(|i| i.name == name)) {
            Some(interpreter) => found.push(interpreter),
            None => missing.push(name),
        }
    }
    (found, missing)
}

/// The interpreter of a name or of a path.
pub fn named(wanted: &str) -> Result<Interpreter> {
    let paths = if wanted.contains('/') { vec![PathBuf::from(wanted)] } else { candidates(wanted) };
    match paths.iter().find_map(|path| ask(path).filter(|i| wanted.contains('/') || i.name == wanted)) {
        Some(interpreter) if NAMES.contains(&interpreter.name.as_str()) => Ok(interpreter),
        Some(interpreter) => bail!("{wanted} is {}; the module needs one of {}", interpreter.name, NAMES.join(", ")),
        None => bail!("{wanted} does not answer"),
    }
}

/// Where an interpreter of this name may be: on the path, behind the plain name, in pyenv.
fn candidates(name: &str) -> Vec<PathBuf> {
    let mut paths = vec![PathBuf::from(name), PathBuf::from("python3")];
    let home = std::env::var_os("HOME").map(|home| Path::new(&home).join(".pyenv"));
    let versions = std::env::var_os("PYENV_ROOT").map(PathBuf::from).or(home).map(|root| root.join("versions"));
    let mut kept: Vec<PathBuf> = versions
        .and_then(|dir| std::fs::read_dir(dir).ok())
        .map(|dirs| dirs.flatten().map(|dir| dir.path().join("bin").join(name)).filter(|path| path.is_file()).collect())
        .unwrap_or_default();
    kept.sort();
    paths.extend(kept.into_iter().rev());
    paths
}

fn ask(path: &Path) -> Option<Interpreter> {
    let output = Command::new(path).args(["-c", ASK]).stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    output.status.success().then(|| parse(&String::from_utf8_lossy(&output.stdout)))?
}

fn parse(answer: &str) -> Option<Interpreter> {
    let (name, path) = answer.trim().split_once('\n')?;
    Some(Interpreter { name: name.trim().to_owned(), path: PathBuf::from(path.trim()) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_answer_is_missing() {
        assert_eq!(ask(Path::new("/nowhere/python3")), None);
        assert_eq!(ask(Path::new("false")), None);
        assert_eq!(ask(Path::new("true")), None);
        assert!(named("/nowhere/python3").is_err());
    }

    #[test]
    fn answers_are_read() {
        let wanted = Interpreter { name: "python3.14t".to_owned(), path: "/opt/bin/python3".into() };
        assert_eq!(parse("python3.14t\n/opt/bin/python3\n"), Some(wanted));
        assert_eq!(parse("pyenv: not found"), None);
    }
}
