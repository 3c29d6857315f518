//! Inner loops see Rust types, slices and strides: they allocate nothing, start nothing and know no `DType`.

use super::Finding;
use super::source::Source;
use syn::visit::{self, Visit};
use syn::{Macro, Path};

const FORBIDDEN: &[&str] =
    &["Vec", "Box", "String", "Rc", "Arc", "HashMap", "BTreeMap", "DType", "thread", "alloc", "vec"];

/// Looks through `freelane-kernels`.
pub fn check(sources: &[Source]) -> Vec<Finding> {
    let kernels = sources.iter().filter(|source| source.krate == "freelane-kernels");
    kernels.flat_map(check_file).collect()
}

fn check_file(source: &Source) -> Vec<Finding> {
    let mut seen = Seen { path: &source.path, findings: Vec::new() };
    seen.visit_file(&source.ast);
    seen.findings
}

struct Seen<'a> {
    path: &'a str,
    findings: Vec<Finding>,
}

impl<'ast> Visit<'ast> for Seen<'_> {
    fn visit_path(&mut self, path: &'ast Path) {
        for segment in &path.segments {
            let name = segment.ident.to_string();
            if FORBIDDEN.contains(&name.as_str()) {
                let line = segment.ident.span().start().line;
                self.findings.push(format!("{}:{line}: `{name}` has no place in an inner loop", self.path));
            }
        }
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, item: &'ast Macro) {
        self.visit_path(&item.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn allocation_is_found() {
        let cases = [
            ("fn f(x: &mut [f64]) { x[0] = 1.0 }", 0),
            ("fn f() { let x = vec![0u8; 4]; }", 1),
            ("fn f() -> Vec<u8> { Vec::new() }", 2),
            ("fn f() { std::thread::yield_now() }", 1),
        ];
        for (text, wanted) in cases {
            let ast = syn::parse_file(text).expect("valid Rust");
            let krate = "freelane-kernels".to_owned();
            let source = Source { krate, path: "x.rs".to_owned(), text: text.to_owned(), ast };
            assert_eq!(check_file(&source).len(), wanted, "{text}");
        }
    }
}
