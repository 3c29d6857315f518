//! Promises that are lines of text: forbidden build flags, crates without unsafe code, files that can be read in one sitting.

use super::Finding;
use super::source::Source;
use anyhow::{Context, Result};
use std::path::Path;
use std::process::Command;

/// Crates that begin with `#![forbid(unsafe_code)]`, once they exist.
const SAFE: &[&str] = &["freelane", "freelane-cli", "freelane-data", "freelane-graph", "freelane-onnx"];
/// The longest file, its tests included.
const LONGEST: usize = 700;
/// Files that may be longer, each with its reason.
const LONG: &[(&str, &str)] = &[];
/// A build for one machine's processor; results would differ between machines and dispatch would not be tested.
const NATIVE: &str = concat!("target-cpu=", "native");

/// Checks all files that git knows.
pub fn check(root: &Path, sources: &[Source]) -> Result<Vec<Finding>> {
    let mut findings: Vec<Finding> = sources.iter().filter_map(check_source).collect();
    findings.extend(stale_reasons(sources));
    for path in tracked(root)? {
        let builds = path.starts_with(".ci/") || [".toml", ".sh", ".yml", ".rs"].iter().any(|end| path.ends_with(end));
        let text = if builds { std::fs::read_to_string(root.join(&path)).unwrap_or_default() } else { continue };
        let line = text.lines().position(|line| line.contains(NATIVE) && !is_comment(line));
        findings.extend(line.map(|line| format!("{path}:{}: `{NATIVE}`; dispatch is by CPUID", line + 1)));
    }
    Ok(findings)
}

fn is_comment(line: &str) -> bool {
    line.trim_start().starts_with("//") || line.trim_start().starts_with('#')
}

fn check_source(source: &Source) -> Option<Finding> {
    let root = source.path.ends_with("src/lib.rs");
    if root && SAFE.contains(&source.krate.as_str()) && !source.text.contains("#![forbid(unsafe_code)]") {
        return Some(format!("{}: begins with #![forbid(unsafe_code)]", source.path));
    }
    let lines = source.text.lines().count();
    let excused = LONG.iter().any(|(path, _)| *path == source.path);
    (lines > LONGEST && !excused).then(|| format!("{}: {lines} lines, more than {LONGEST}", source.path))
}

fn stale_reasons(sources: &[Source]) -> Vec<Finding> {
    let long = |path: &str| sources.iter().any(|s| s.path == path && s.text.lines().count() > LONGEST);
    LONG.iter()
        .filter(|(path, _)| !long(path))
        .map(|(path, _)| format!("{path}: no longer needs to be excused"))
        .collect()
}

fn tracked(root: &Path) -> Result<Vec<String>> {
    let output = Command::new("git").arg("-C").arg(root).args(["ls-files", "-z"]).output().context("git ls-files")?;
    let names = String::from_utf8(output.stdout)?;
    Ok(names.split('\0').filter(|name| !name.is_empty()).map(str::to_owned).collect())
}
