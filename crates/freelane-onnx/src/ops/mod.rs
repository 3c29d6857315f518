//! The operators, one row each, in tables by family.
//!
//! ```text
//! spec.rs      what a node says: attributes, facts of its inputs, bodies
//! op.rs        operators out of closures
//! <family>.rs  the rows of a family and what they do
//! ```
mod activations;
mod attending;
mod cast;
mod flow;
mod gather;
mod given;
mod grams;
mod images;
mod layers;
mod losses;
mod make;
mod math;
mod normalize;
mod op;
mod pick;
mod pieces;
mod product;
mod quantized;
mod random;
mod recurrent;
mod reduce;
mod sequences;
mod shape;
mod signal;
mod spec;
mod trees;

pub(crate) use activations::Curve;
pub(crate) use gather::Gather;
pub(crate) use layers::{Conv, Pool, in_blocks};
pub(crate) use normalize::BatchNorm;
pub(crate) use op::{Op, ints_of, ufunc};
pub(crate) use spec::{Body, Spec};

use crate::Fault;
use crate::error::short;
use freelane_graph::Operator;
use std::sync::Arc;

/// Makes an operator of what a node says.
pub(crate) type Make = fn(&Spec<'_>) -> Result<Arc<dyn Operator>, Fault>;

/// An operator of the standard: the versions from `since` on, up to the next row of its name.
pub(crate) struct Row {
    /// The set it belongs to; the standard's own has no name.
    pub domain: &'static str,
    /// Its name.
    pub name: &'static str,
    /// The first version of the set that this row serves.
    pub since: u32,
    /// Makes it.
    pub make: Make,
}

/// A row of the standard's own set.
pub(crate) const fn row(name: &'static str, since: u32, make: Make) -> Row {
    Row { domain: "", name, since, make }
}

/// All tables.
const TABLES: &[&[Row]] = &[
    activations::ROWS,
    attending::ROWS,
    cast::ROWS,
    flow::ROWS,
    gather::ROWS,
    grams::ROWS,
    images::ROWS,
    layers::ROWS,
    losses::ROWS,
    make::ROWS,
    math::ROWS,
    normalize::ROWS,
    pick::ROWS,
    pieces::ROWS,
    product::ROWS,
    quantized::ROWS,
    random::ROWS,
    recurrent::ROWS,
    reduce::ROWS,
    sequences::ROWS,
    shape::ROWS,
    signal::ROWS,
    trees::ROWS,
];

fn rows() -> impl Iterator<Item = &'static Row> {
    TABLES.iter().flat_map(|table| table.iter())
}

/// The row that serves an operator.
pub(crate) fn find(domain: &str, name: &str, opset: u32) -> Result<&'static Row, Fault> {
    let named = || rows().filter(|row| row.domain == domain && row.name == name);
    let row = named().filter(|row| row.since <= opset).max_by_key(|row| row.since);
    row.ok_or_else(|| {
        let nearest = match named().map(|row| row.since).min() {
            Some(since) => format!("it is supported from version {since} of the set on"),
            None => alike(domain, name),
        };
        let (name, domain) = (short(name), if domain.is_empty() { "ai.onnx".to_owned() } else { short(domain) });
        Fault::Unsupported(format!("operator {name} of {domain} version {opset} is not supported; {nearest}"))
    })
}

/// What is supported and looks like an operator that is not.
fn alike(domain: &str, name: &str) -> String {
    if let Some(row) = rows().find(|row| row.name == name) {
        let domain = if row.domain.is_empty() { "ai.onnx" } else { row.domain };
        return format!("{domain} has a supported {name}");
    }
    let known = rows().filter(|row| row.domain == domain).map(|row| row.name);
    let scored = known.map(|known| (strsim::normalized_damerau_levenshtein(&short(name), known), known));
    match scored.max_by(|a, b| a.0.total_cmp(&b.0)) {
        Some((score, known)) if score >= 0.6 => format!("the nearest supported operator is {known}"),
        _ => "no supported operator is like it".to_owned(),
    }
}
