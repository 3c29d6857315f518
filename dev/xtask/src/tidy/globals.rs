//! Other people's global state: every shipped dependency that keeps any is on a list, with the reason it may stay.

use super::Finding;
use super::source::walk;
use anyhow::{Context, Result};
use cargo_metadata::{DependencyKind, Metadata, MetadataCommand, Package, PackageId, TargetKind};
use std::collections::BTreeSet;
use std::path::PathBuf;

/// Dependencies with global state, and why that is no harm.
const REASONS: &[(&str, &str)] = &[
    ("ab_glyph_rasterizer", "plots: which way to draw lines the processor is best at, found once"),
    ("clap_builder", "command line: a name read once from the environment"),
    ("colorchoice", "command line: whether to colour, decided before the first output"),
    ("console", "command line: whether to colour, and the width of a line, decided once"),
    ("constant_time_eq", "what the processor can, found once; models are hashed when they are loaded"),
    ("cpufeatures", "what the processor can, found once; models are hashed when they are loaded"),
    ("dyn-stack", "a count that its own tests keep"),
    ("faer", "how many threads it may use by itself; each call of ours names one"),
    ("fastrand", "names of temporary files, from a generator of each thread's own"),
    ("foldhash", "hash seeds, drawn once, used where a file's table of contents is read"),
    ("gemm-common", "sizes of caches, read once, and packed operands in memory of each thread's own"),
    ("gemm-f16", "the kernel for this processor, chosen once and then only read"),
    ("getrandom", "which source of randomness the system has, found once"),
    ("libc", "declares variables of the C library; we name none of them"),
    ("libm", "processor features, detected once and then only read"),
    ("libmimalloc-sys", "the allocator under `freelane-mem`; the audit counts what it shares"),
    ("linux-raw-sys", "declarations for another processor"),
    ("log", "no logger is installed by us; reading that costs a load, when files are written"),
    ("memchr", "the fastest search for this processor, chosen at its first use and then only read"),
    ("matrixmultiply", "comes with the ndarray bridge, for products of its own that we never call"),
    ("memmap2", "the page size, read once"),
    ("num_cpus", "how many processors there are, read once"),
    ("pest", "command line: limits of its own that nobody sets"),
    ("plotters", "command line: the fonts of a plot, registered when it is drawn"),
    ("portable-atomic", "processor features, detected once and then only read"),
    ("private-gemm-x86", "sizes of caches, read once"),
    ("pulp", "processor features, detected once and then only read"),
    ("pulp-wasm-simd-flag", "whether another processor has vectors"),
    ("pyo3", "the Python module: the interpreter that is in the process anyway"),
    ("pyo3-ffi", "the Python module: the interpreter that is in the process anyway"),
    ("rustix", "facts the kernel hands to a process at its start, read once"),
    ("stacker", "command line: where a thread's own stack ends"),
    ("tempfile", "the folder for temporary files, found once"),
    ("zlib-rs", "processor features, detected once and then only read"),
];

/// Types of statics that can change.
const CHANGING: &[&str] = &["Atomic", "Mutex", "RwLock", "Once", "Lazy", "Cell"];

/// Searches the sources of all dependencies that are compiled into shipped crates on this platform.
pub fn check(metadata: &Metadata) -> Result<Vec<Finding>> {
    let here = MetadataCommand::new()
        .manifest_path(metadata.workspace_root.join("Cargo.toml"))
        .other_options(vec!["--filter-platform".to_owned(), host()?])
        .exec()
        .context("cargo metadata")?;
    let mut findings = Vec::new();
    let mut used = BTreeSet::new();
    for package in shipped(&here) {
        let Some(what) = global_state(package)? else { continue };
        if REASONS.iter().any(|(name, _)| *name == package.name.as_str()) {
            used.insert(package.name.to_string());
        } else {
            findings.push(format!("{} {} has global state without a reason: {what}", package.name, package.version));
        }
    }
    let stale = REASONS.iter().filter(|(name, _)| !used.contains(*name));
    findings.extend(stale.map(|(name, _)| format!("{name} no longer needs a reason")));
    Ok(findings)
}

fn host() -> Result<String> {
    let output = std::process::Command::new("rustc").arg("-vV").output().context("rustc -vV")?;
    let text = String::from_utf8(output.stdout)?;
    let line = text.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(line.context("rustc names no host")?.to_owned())
}

/// Packages outside the workspace that `crates/*` reach through normal dependencies; procedural macros run elsewhere.
fn shipped(metadata: &Metadata) -> Vec<&Package> {
    let crates = metadata.workspace_root.join("crates");
    let ours = metadata.workspace_packages();
    let mut queue: Vec<&PackageId> =
        ours.iter().filter(|package| package.manifest_path.starts_with(&crates)).map(|package| &package.id).collect();
    let mut seen = BTreeSet::new();
    let nodes = metadata.resolve.as_ref().map_or(&[][..], |resolve| &resolve.nodes);
    while let Some(id) = queue.pop() {
        if !seen.insert(id) || is_macro(&metadata[id]) {
            continue;
        }
        let node = nodes.iter().find(|node| node.id == *id);
        let normal = node.into_iter().flat_map(|node| &node.deps);
        queue.extend(normal.filter(|d| d.dep_kinds.iter().any(|k| k.kind == DependencyKind::Normal)).map(|d| &d.pkg));
    }
    let packages = metadata.packages.iter().filter(|package| seen.contains(&package.id));
    packages.filter(|package| package.source.is_some() && !is_macro(package)).collect()
}

fn is_macro(package: &Package) -> bool {
    package.targets.iter().any(|target| target.kind.contains(&TargetKind::ProcMacro))
}

/// The first sign of state that outlives a call.
fn global_state(package: &Package) -> Result<Option<String>> {
    if let Some(library) = &package.links {
        return Ok(Some(format!("links the C library {library}")));
    }
    let root = package.manifest_path.with_file_name("src");
    let mut files: Vec<PathBuf> = Vec::new();
    walk(root.as_std_path(), &mut files)?;
    for file in files {
        let inside = file.strip_prefix(&root)?;
        if inside.components().any(|part| matches!(part.as_os_str().to_str(), Some("tests" | "tests.rs"))) {
            continue;
        }
        let text = std::fs::read_to_string(&file).unwrap_or_default();
        if let Some(line) = shipped_lines(&text).find(|line| is_state(line)) {
            return Ok(Some(format!("src/{}: {line}", inside.display())));
        }
    }
    Ok(None)
}

/// The lines of a file without what is compiled for tests only: single items, and everything from `mod tests {` on.
fn shipped_lines(text: &str) -> impl Iterator<Item = &str> {
    let mut for_tests = false;
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let marked = lines.map(move |line| (std::mem::replace(&mut for_tests, line == "#[cfg(test)]"), line));
    let shipped =
        marked.take_while(|(for_tests, line)| !(*for_tests && line.starts_with("mod ") && line.ends_with('{')));
    shipped.filter(|(for_tests, _)| !for_tests).map(|(_, line)| line)
}

fn is_state(line: &str) -> bool {
    let code = line.split("//").next().unwrap_or_default();
    let item = code.split_once("static ").filter(|(before, _)| before.is_empty() || before.ends_with(' '));
    let kept = item.and_then(|(_, after)| after.split_once(':'));
    let changing =
        kept.is_some_and(|(_, ty)| CHANGING.iter().any(|word| ty.split('=').next().is_some_and(|t| t.contains(word))));
    let mutable = item.is_some_and(|(_, after)| after.starts_with("mut "));
    changing || mutable || code.contains("thread_local!") || code.contains("lazy_static!")
}

#[cfg(test)]
mod tests {
    use super::{is_state, shipped_lines};

    #[test]
    fn what_is_for_tests_is_not_shipped() {
        let text = "a\n#[cfg(test)]\nstatic T: u8\n\nb\n#[cfg(test)]\nmod tests {\nc\n}\n";
        assert_eq!(shipped_lines(text).collect::<Vec<_>>(), ["a", "#[cfg(test)]", "b", "#[cfg(test)]"]);
    }

    #[test]
    fn state_is_recognised() {
        let cases = [
            ("static COUNT: AtomicUsize = AtomicUsize::new(0);", true),
            ("pub(crate) static mut X: u8 = 0;", true),
            ("static TABLE: [u8; 3] = [1, 2, 3];", false),
            ("thread_local! {", true),
            ("// static X: AtomicU8", false),
            ("fn f(x: &'static AtomicU8) {}", false),
            ("static NAMES: &[&str] = &[\"Mutex\"];", false),
        ];
        for (line, wanted) in cases {
            assert_eq!(is_state(line), wanted, "{line}");
        }
    }
}
