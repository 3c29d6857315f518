//! The sources of the shipped crates, parsed, with their tests taken out.

use anyhow::{Context, Result};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use syn::{Attribute, Item, Meta};

/// One file of `crates/*/src` that is compiled into what users get.
pub struct Source {
    /// The crate's folder name, such as `freelane-mem`.
    pub krate: String,
    /// The path from the repository's root.
    pub path: String,
    pub text: String,
    /// The file without test items.
    pub ast: syn::File,
}

impl Source {
    /// Whether the file belongs to the one crate that may share.
    pub fn is_sync(&self) -> bool {
        self.krate == "freelane-sync"
    }
}

/// Reads all sources of `crates/*/src`.
pub fn load(root: &Path) -> Result<Vec<Source>> {
    let mut paths = Vec::new();
    for krate in entries(&root.join("crates"))? {
        walk(&krate.join("src"), &mut paths)?;
    }
    let mut sources = Vec::new();
    let mut tests = BTreeSet::new();
    for path in &paths {
        let text = fs::read_to_string(path).with_context(|| format!("reading {}", path.display()))?;
        let mut ast = syn::parse_file(&text).with_context(|| format!("parsing {}", path.display()))?;
        test_files(path, &ast.items, &mut tests);
        ast.items = without_tests(ast.items);
        let relative = path.strip_prefix(root)?;
        let krate = relative.components().nth(1).map(|part| part.as_os_str().to_string_lossy().into_owned());
        let path = relative.to_string_lossy().into_owned();
        sources.push(Source { krate: krate.unwrap_or_default(), path, text, ast });
    }
    sources.retain(|source| !tests.iter().any(|test| root.join(&source.path).starts_with(test)));
    Ok(sources)
}

fn entries(dir: &Path) -> Result<Vec<PathBuf>> {
    let read = fs::read_dir(dir).with_context(|| format!("listing {}", dir.display()))?;
    let mut paths = read.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
    paths.sort();
    Ok(paths)
}

/// Adds the Rust files below `dir`.
pub fn walk(dir: &Path, into: &mut Vec<PathBuf>) -> Result<()> {
    if !dir.is_dir() {
        return Ok(());
    }
    for path in entries(dir)? {
        if path.is_dir() {
            walk(&path, into)?;
        } else if path.extension().is_some_and(|ext| ext == "rs") {
            into.push(path);
        }
    }
    Ok(())
}

/// Files and folders of modules declared as `#[cfg(test)] mod name;`.
fn test_files(path: &Path, items: &[Item], into: &mut BTreeSet<PathBuf>) {
    let own = path.file_stem().is_some_and(|stem| stem == "lib" || stem == "main" || stem == "mod");
    let parent = path.parent().unwrap_or(Path::new(""));
    let dir = if own { parent.to_path_buf() } else { path.with_extension("") };
    for item in items {
        if let Item::Mod(module) = item
            && module.content.is_none()
            && is_test(&module.attrs)
        {
            into.insert(dir.join(format!("{}.rs", module.ident)));
            into.insert(dir.join(module.ident.to_string()));
        }
    }
}

fn without_tests(items: Vec<Item>) -> Vec<Item> {
    let kept = items.into_iter().filter(|item| !is_test(attributes(item)));
    kept.map(|item| match item {
        Item::Mod(mut module) => {
            module.content = module.content.map(|(brace, items)| (brace, without_tests(items)));
            Item::Mod(module)
        }
        other => other,
    })
    .collect()
}

/// Whether the attributes compile the item for tests only.
fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| match &attribute.meta {
        Meta::Path(path) => path.is_ident("test"),
        Meta::List(list) if list.path.is_ident("cfg") => {
            let condition = list.tokens.to_string();
            let words = condition.split(|c: char| !c.is_alphanumeric() && c != '_');
            words.into_iter().any(|word| word == "test") && !condition.contains("not")
        }
        _ => false,
    })
}

/// The attributes of any item that can hold code.
fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Union(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_items_are_left_out() {
        let file = syn::parse_file(
            "static A: u8 = 0; #[cfg(test)] mod tests { static B: u8 = 0; } #[cfg(all(test, loom))] mod models {}
             mod inner { #[test] fn t() {} #[cfg(not(test))] static C: u8 = 0; }",
        )
        .expect("valid Rust");
        let kept = without_tests(file.items);
        assert_eq!(kept.len(), 2);
        let Item::Mod(inner) = &kept[1] else { panic!("the module stays") };
        assert_eq!(inner.content.as_ref().map(|(_, items)| items.len()), Some(1));
    }
}
