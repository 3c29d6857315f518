//! Each file of the Python bindings has a test file of its name; a folder counts as one file.

use super::Finding;
use super::source::Source;
use std::collections::BTreeSet;
use std::path::Path;

const BINDINGS: &str = "crates/freelane-python/src/";

/// Compares the bindings with `python/tests`.
pub fn check(root: &Path, sources: &[Source]) -> Vec<Finding> {
    let names: BTreeSet<&str> = sources.iter().filter_map(|source| name(&source.path)).collect();
    let missing = |name: &&str| !root.join(format!("python/tests/test_{name}.py")).is_file();
    names.into_iter().filter(missing).map(|name| format!("python/tests/test_{name}.py is missing")).collect()
}

fn name(path: &str) -> Option<&str> {
    let path = path.strip_prefix(BINDINGS)?;
    let name = path.split('/').next()?;
    Some(name.strip_suffix(".rs").unwrap_or(name)).filter(|name| *name != "lib")
}

#[cfg(test)]
mod tests {
    use super::{check, name};
    use crate::run;
    use crate::tidy::source::Source;

    #[test]
    fn names_of_files_and_folders() {
        assert_eq!(name("crates/freelane-python/src/slots.rs"), Some("slots"));
        assert_eq!(name("crates/freelane-python/src/arrow/export.rs"), Some("arrow"));
        assert_eq!(name("crates/freelane-python/src/lib.rs"), None);
        assert_eq!(name("crates/freelane-ops/src/array.rs"), None);
    }

    #[test]
    fn a_file_without_tests_is_found() {
        let path = "crates/freelane-python/src/untested_by_anyone.rs".to_owned();
        let ast = syn::parse_file("").expect("an empty file");
        let source = Source { krate: "freelane-python".to_owned(), path, text: String::new(), ast };
        assert_eq!(check(&run::root(), &[source]).len(), 1);
    }
}
