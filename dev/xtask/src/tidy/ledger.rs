//! The ledger: everything that several lanes can reach and someone can change, with its owner and the reason.
//!
//! Listed are statics and thread-locals whose type can change behind a shared reference, and fields that hold one of
//! `freelane-sync`'s types. The owner and the reason stand above the item: `// LEDGER: owner; reason`.

use super::Finding;
use super::source::Source;
use proc_macro2::{TokenStream, TokenTree};
use std::collections::BTreeSet;
use syn::visit::{self, Visit};
use syn::{Field, Fields, Item, ItemMacro, ItemStatic, ItemStruct, Macro, Type, Visibility};

/// Library types that change behind a shared reference.
const CHANGING: &[&str] =
    &["UnsafeCell", "Cell", "RefCell", "OnceCell", "Mutex", "RwLock", "Condvar", "Once", "OnceLock"];

/// One line of the ledger.
pub struct Entry {
    kind: &'static str,
    place: String,
    name: String,
    kept: String,
    note: Option<(String, String)>,
}

/// Finds all that lanes can share.
pub fn collect(sources: &[Source]) -> Vec<Entry> {
    let changing = changing_types(sources);
    let shared = shared_types(sources, &changing);
    let mut entries = Vec::new();
    for source in sources {
        let mut seen = Seen { source, changing: &changing, shared: &shared, entries: Vec::new(), around: 0 };
        seen.visit_file(&source.ast);
        entries.append(&mut seen.entries);
    }
    entries
}

/// Entries that name neither owner nor reason.
pub fn check(entries: &[Entry]) -> Vec<Finding> {
    let bare = entries.iter().filter(|entry| entry.note.is_none());
    bare.map(|e| format!("{}: {} `{}: {}` needs `// LEDGER: owner; reason`", e.place, e.kind, e.name, e.kept)).collect()
}

/// Prints the ledger as a table.
pub fn print(entries: &[Entry]) {
    println!("ledger: {} things that lanes can share", entries.len());
    for entry in entries {
        let (owner, reason) = entry.note.as_ref().map_or(("?", "?"), |(owner, reason)| (owner, reason));
        println!("  {:<10} {:<24} {} [{}]", entry.kind, entry.name, entry.kept, entry.place);
        println!("             {owner}: {reason}");
    }
}

/// Names of types that change behind a shared reference, because a field of theirs does.
fn changing_types(sources: &[Source]) -> BTreeSet<String> {
    let mut names: BTreeSet<String> = CHANGING.iter().map(|name| (*name).to_owned()).collect();
    let fields: Vec<(String, BTreeSet<String>)> = sources.iter().flat_map(|s| type_fields(&s.ast.items)).collect();
    loop {
        let before = names.len();
        for (name, used) in &fields {
            if used.iter().any(|word| changes(word, &names)) {
                names.insert(name.clone());
            }
        }
        if names.len() == before {
            return names;
        }
    }
}

/// The changing types that `freelane-sync` hands out.
fn shared_types(sources: &[Source], changing: &BTreeSet<String>) -> BTreeSet<String> {
    let sync = sources.iter().filter(|source| source.is_sync());
    let public = sync.flat_map(|source| &source.ast.items).filter_map(|item| match item {
        Item::Struct(item) if matches!(item.vis, Visibility::Public(_)) => Some(item.ident.to_string()),
        _ => None,
    });
    public.filter(|name| changing.contains(name)).collect()
}

fn changes(word: &str, names: &BTreeSet<String>) -> bool {
    names.contains(word) || word.starts_with("Atomic")
}

/// Each type of a list of items, with the names its fields mention.
fn type_fields(items: &[Item]) -> Vec<(String, BTreeSet<String>)> {
    let mut found = Vec::new();
    for item in items {
        match item {
            Item::Struct(item) => found.push((item.ident.to_string(), field_words(&item.fields))),
            Item::Enum(item) => {
                let words = item.variants.iter().flat_map(|variant| field_words(&variant.fields)).collect();
                found.push((item.ident.to_string(), words));
            }
            Item::Mod(module) => {
                found.extend(module.content.iter().flat_map(|(_, items)| type_fields(items)));
            }
            _ => {}
        }
    }
    found
}

fn field_words(fields: &Fields) -> BTreeSet<String> {
    fields.iter().flat_map(|field| type_words(&field.ty)).collect()
}

/// The names in a type that it holds itself: not those behind a reference or a pointer, nor in a function's signature.
fn type_words(ty: &Type) -> BTreeSet<String> {
    struct Words(BTreeSet<String>);
    impl<'ast> Visit<'ast> for Words {
        fn visit_type(&mut self, ty: &'ast Type) {
            if !matches!(ty, Type::Reference(_) | Type::Ptr(_) | Type::FnPtr(_)) {
                visit::visit_type(self, ty);
            }
        }
        fn visit_path_segment(&mut self, segment: &'ast syn::PathSegment) {
            let name = segment.ident.to_string();
            let pointer = matches!(name.as_str(), "NonNull" | "PhantomData");
            self.0.insert(name);
            if !pointer {
                visit::visit_path_segment(self, segment);
            }
        }
    }
    let mut words = Words(BTreeSet::new());
    words.visit_type(ty);
    words.0
}

struct Seen<'a> {
    source: &'a Source,
    changing: &'a BTreeSet<String>,
    shared: &'a BTreeSet<String>,
    entries: Vec<Entry>,
    /// The line of the struct or macro around; its note covers all inside.
    around: usize,
}

impl Seen<'_> {
    fn add(&mut self, kind: &'static str, line: usize, name: String, kept: String) {
        let note = note_above(&self.source.text, line).or_else(|| note_above(&self.source.text, self.around));
        let place = format!("{}:{line}", self.source.path);
        self.entries.push(Entry { kind, place, name, kept, note });
    }

    fn field(&mut self, field: &Field, index: usize) {
        let words = type_words(&field.ty);
        let holds = words.iter().any(|word| self.shared.contains(word) || word.starts_with("Atomic"));
        if holds {
            let name = field.ident.as_ref().map_or_else(|| index.to_string(), ToString::to_string);
            let line = field.ident.as_ref().map_or_else(|| line_of(&field.ty), line_of);
            self.add("field", line, name, text_of(&field.ty));
        }
    }

    /// The text from the first token to the last.
    fn source_of(&self, tokens: &[&TokenTree]) -> String {
        let start = tokens.first().map_or(0, |token| token.span().byte_range().start);
        let end = tokens.last().map_or(0, |token| token.span().byte_range().end);
        self.source.text.get(start..end).unwrap_or_default().to_owned()
    }

    /// Statics in the arguments of a macro: their types are only words here.
    fn macro_statics(&mut self, tokens: TokenStream, local: bool) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        for (i, token) in tokens.iter().enumerate() {
            match token {
                TokenTree::Group(group) => self.macro_statics(group.stream(), local),
                TokenTree::Ident(ident) if ident == "static" && !follows_quote(&tokens, i) => {
                    let Some(TokenTree::Ident(name)) = tokens.get(i + 1) else { continue };
                    let kept: Vec<&TokenTree> = tokens[i + 2..].iter().take_while(|t| !ends_type(t)).skip(1).collect();
                    let words = kept.iter().map(ToString::to_string).collect::<Vec<_>>();
                    let changing = words.iter().any(|word| changes(word, self.changing));
                    if local || changing {
                        let kind = if local { "lane local" } else { "static" };
                        let text = self.source_of(&kept);
                        self.add(kind, ident.span().start().line, name.to_string(), text);
                    }
                }
                _ => {}
            }
        }
    }
}

fn follows_quote(tokens: &[TokenTree], i: usize) -> bool {
    i > 0 && matches!(&tokens[i - 1], TokenTree::Punct(punct) if punct.as_char() == '\'')
}

fn ends_type(token: &TokenTree) -> bool {
    matches!(token, TokenTree::Punct(punct) if matches!(punct.as_char(), '=' | ';'))
}

fn line_of(node: &impl syn::spanned::Spanned) -> usize {
    node.span().start().line
}

fn text_of(ty: &Type) -> String {
    use syn::spanned::Spanned;
    ty.span().source_text().unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ")
}

impl<'ast> Visit<'ast> for Seen<'_> {
    fn visit_item_static(&mut self, item: &'ast ItemStatic) {
        self.around = line_of(&item.static_token);
        if type_words(&item.ty).iter().any(|word| changes(word, self.changing)) {
            self.add("static", item.ident.span().start().line, item.ident.to_string(), text_of(&item.ty));
        }
        visit::visit_item_static(self, item);
    }

    fn visit_item_struct(&mut self, item: &'ast ItemStruct) {
        self.around = line_of(&item.struct_token);
        if !self.source.is_sync() {
            item.fields.iter().enumerate().for_each(|(i, field)| self.field(field, i));
        }
    }

    fn visit_item_macro(&mut self, item: &'ast ItemMacro) {
        self.around = line_of(&item.mac.path);
        if !item.mac.path.is_ident("macro_rules") {
            self.visit_macro(&item.mac);
        }
    }

    fn visit_macro(&mut self, item: &'ast Macro) {
        let last = item.path.segments.last().map(|segment| segment.ident.to_string()).unwrap_or_default();
        self.macro_statics(item.tokens.clone(), matches!(last.as_str(), "lane_local" | "thread_local"));
    }
}

/// The note in the comment lines above a line, attributes and documentation between them skipped.
fn note_above(text: &str, line: usize) -> Option<(String, String)> {
    let lines: Vec<&str> = text.lines().take(line.saturating_sub(1)).map(str::trim).collect();
    let near = lines.iter().rposition(|line| !(line.starts_with("//") || line.starts_with("#["))).map_or(0, |i| i + 1);
    let start = lines[near..].iter().position(|line| line.starts_with("// LEDGER:"))? + near;
    let more = lines[start + 1..].iter().take_while(|line| line.starts_with("// "));
    let mut note = lines[start]["// LEDGER:".len()..].trim().to_owned();
    more.for_each(|line| note = format!("{note} {}", line[3..].trim()));
    let (owner, reason) = note.split_once(';')?;
    Some((owner.trim().to_owned(), reason.trim().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(krate: &str, text: &str) -> Source {
        let ast = syn::parse_file(text).expect("valid Rust");
        Source { krate: krate.to_owned(), path: "x.rs".to_owned(), text: text.to_owned(), ast }
    }

    fn names(text: &str) -> Vec<String> {
        let sync = source("freelane-sync", "pub struct Queue<T> { state: std::sync::Mutex<T> }");
        collect(&[sync, source("freelane-mem", text)]).into_iter().map(|entry| entry.name).collect()
    }

    #[test]
    fn what_can_change_is_listed() {
        let cases: [(&str, &[&str]); 9] = [
            ("static TABLE: [u8; 4] = [0; 4];", &[]),
            ("static DEPOT: Depot = Depot::new(); struct Depot { blocks: Queue<u8> }", &["DEPOT", "blocks"]),
            ("static ON: AtomicBool = AtomicBool::new(false);", &["ON"]),
            ("lane_local! { static HEAP: Heap = Heap::new(); pub(crate) static N: u8 = 0; }", &["HEAP", "N"]),
            ("rows! { static TABLE: &'static [u8] = &[]; static ON: AtomicU8 = x; }", &["ON"]),
            ("struct Guard<'a> { queue: &'a Queue<u8> }", &[]),
            ("struct Pool { queue: Arc<Queue<u8>>, size: usize }", &["queue"]),
            ("fn f() { static SEEN: AtomicBool = AtomicBool::new(false); }", &["SEEN"]),
            ("struct Own { cell: Cell<u8> }", &[]),
        ];
        for (text, wanted) in cases {
            assert_eq!(names(text), wanted, "{text}");
        }
    }

    #[test]
    fn notes_are_read() {
        let text =
            "// LEDGER: mem; caps are set\n// by the user\n/// Doc.\n#[x]\nstatic A: u8 = 0;\n\nstatic B: u8 = 0;";
        assert_eq!(note_above(text, 5), Some(("mem".to_owned(), "caps are set by the user".to_owned())));
        assert_eq!(note_above(text, 7), None);
    }
}
