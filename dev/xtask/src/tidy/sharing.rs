//! Locks, atomics, thread-locals and mutable statics exist in `freelane-sync` alone.
//!
//! Clippy refuses the same types, but does not look into macros that nobody expands on this machine, nor at `static mut`.

use super::Finding;
use super::source::Source;
use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{ItemMacro, ItemStatic, ItemUse, Macro, Path, StaticMutability, UseTree};

/// Names that mean sharing when they come out of `std::sync`.
const SHARED: &[&str] =
    &["Mutex", "RwLock", "Condvar", "Once", "OnceLock", "LazyLock", "Barrier", "ReentrantLock", "mpsc", "atomic"];
/// Names that mean sharing wherever they come from.
const ALWAYS: &[&str] = &["OnceLock", "LazyLock", "thread_local", "lazy_static"];

/// Looks through every crate that is shipped.
pub fn check(sources: &[Source]) -> Vec<Finding> {
    sources.iter().flat_map(check_file).collect()
}

fn check_file(source: &Source) -> Vec<Finding> {
    let mut seen = Seen { source, findings: Vec::new() };
    seen.visit_file(&source.ast);
    seen.findings
}

struct Seen<'a> {
    source: &'a Source,
    findings: Vec<Finding>,
}

impl Seen<'_> {
    fn found(&mut self, line: usize, what: &str) {
        self.findings.push(format!("{}:{line}: {what}", self.source.path));
    }

    /// Judges one path, written out or imported.
    fn path(&mut self, segments: &[String], line: usize) {
        if self.source.is_sync() || segments.first().is_some_and(|first| first == "freelane_sync") {
            return;
        }
        let after_sync = segments.windows(2).find(|pair| pair[0] == "sync" && SHARED.contains(&pair[1].as_str()));
        let always = segments.iter().find(|segment| ALWAYS.contains(&segment.as_str()));
        if let Some(name) = after_sync.map(|pair| &pair[1]).or(always) {
            self.found(line, &format!("`{name}`: use the types of freelane-sync"));
        }
    }

    fn tree(&mut self, tree: &UseTree, before: &mut Vec<String>) {
        match tree {
            UseTree::Path(path) => {
                before.push(path.ident.to_string());
                self.tree(&path.tree, before);
                before.pop();
            }
            UseTree::Name(name) => self.leaf(before, name.ident.to_string(), name.ident.span().start().line),
            UseTree::Rename(name) => self.leaf(before, name.ident.to_string(), name.ident.span().start().line),
            UseTree::Group(group) => group.items.iter().for_each(|tree| self.tree(tree, before)),
            UseTree::Glob(glob) if before.last().is_some_and(|last| last == "sync") => {
                self.leaf(before, "*".to_owned(), glob.star_token.spans[0].start().line);
            }
            _ => {}
        }
    }

    fn leaf(&mut self, before: &[String], name: String, line: usize) {
        let mut segments = before.to_vec();
        segments.push(name);
        if segments.ends_with(&["sync".to_owned(), "*".to_owned()]) && segments[0] != "freelane_sync" {
            self.found(line, "a glob import hides what is shared");
        }
        self.path(&segments, line);
    }

    fn tokens(&mut self, tokens: TokenStream) {
        let mut last = String::new();
        for token in tokens {
            match token {
                TokenTree::Group(group) => self.tokens(group.stream()),
                TokenTree::Ident(ident) => {
                    let (name, line) = (ident.to_string(), ident.span().start().line);
                    if name == "mut" && last == "static" {
                        self.found(line, "`static mut`");
                    }
                    if !self.source.is_sync() && ALWAYS.contains(&name.as_str()) {
                        self.found(line, &format!("`{name}` in a macro: use the types of freelane-sync"));
                    }
                    last = name;
                }
                TokenTree::Punct(_) | TokenTree::Literal(_) => last.clear(),
            }
        }
    }
}

impl<'ast> Visit<'ast> for Seen<'_> {
    fn visit_item_static(&mut self, item: &'ast ItemStatic) {
        if !matches!(item.mutability, StaticMutability::None) {
            self.found(item.ident.span().start().line, "`static mut`");
        }
        visit::visit_item_static(self, item);
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        self.tree(&item.tree, &mut Vec::new());
    }

    fn visit_path(&mut self, path: &'ast Path) {
        let segments: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        let line = path.segments.first().map_or(0, |segment| segment.ident.span().start().line);
        self.path(&segments, line);
        visit::visit_path(self, path);
    }

    fn visit_item_macro(&mut self, item: &'ast ItemMacro) {
        self.visit_macro(&item.mac);
    }

    fn visit_macro(&mut self, item: &'ast Macro) {
        self.visit_path(&item.path);
        self.tokens(item.tokens.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(krate: &str, text: &str) -> usize {
        let ast = syn::parse_file(text).expect("valid Rust");
        check_file(&Source { krate: krate.to_owned(), path: "x.rs".to_owned(), text: text.to_owned(), ast }).len()
    }

    #[test]
    fn what_is_shared_is_found() {
        let cases = [
            ("use std::sync::Arc;", 0),
            ("use std::sync::{Arc, Mutex};", 1),
            ("use core::sync::atomic::{AtomicU8, Ordering};", 2),
            ("use std::sync::*;", 1),
            ("use freelane_sync::Mutex; use freelane_sync::atomic::AtomicU64;", 0),
            ("use std::sync; fn f(m: &sync::Mutex<u8>) {}", 1),
            ("fn f() { let m = std::sync::Mutex::new(1); }", 1),
            ("static mut X: u8 = 0;", 1),
            ("rows! { static mut X: u8 = 0; }", 1),
            ("fn f(x: &'static mut u8) {}", 0),
            ("rows! { fn f(x: &'static mut u8) {} }", 1),
            ("thread_local! { static X: u8 = 0; }", 1),
            ("macro_rules! m { () => { std::thread_local! { static X: u8 = 0; } } }", 1),
            ("static X: std::cell::OnceCell<u8> = todo();", 0),
        ];
        for (text, wanted) in cases {
            assert_eq!(findings("freelane-mem", text), wanted, "{text}");
        }
        assert_eq!(findings("freelane-sync", "use std::sync::Mutex; thread_local! { static X: u8 = 0; }"), 0);
    }
}
