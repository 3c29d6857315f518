//! Crates depend on each other in one direction only: the order that ARCHITECTURE.md shows.

use super::Finding;
use cargo_metadata::{DependencyKind, Metadata};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The declared order; `a <- b` reads "b uses a". What a crate uses, its users may use too.
const ORDER: &str = "\
sync <- mem <- array      mem <- pool                     sync <- simd <- kernels
array, kernels, pool <- ops <- io, graph     graph <- onnx     ops, io, pool <- data
ops <- fft, linalg, random
array, kernels, pool, ops <- nn     fft, linalg, random, nn, graph <- onnx
fft, linalg, random, graph, onnx, data <- freelane <- cli <- python";

type Uses = BTreeMap<String, BTreeSet<String>>;

/// Compares the crates' normal dependencies with the declared order.
pub fn check(metadata: &Metadata, root: &Path) -> Vec<Finding> {
    let allowed = closure(parse(ORDER));
    let none = BTreeSet::new();
    let mut findings = Vec::new();
    let crates = root.join("crates");
    for package in metadata.workspace_packages() {
        if !package.manifest_path.starts_with(&crates) {
            continue;
        }
        let name = short(&package.name);
        for dependency in package.dependencies.iter().filter(|d| d.kind == DependencyKind::Normal && d.path.is_some()) {
            let used = short(&dependency.name);
            if !allowed.get(name).unwrap_or(&none).contains(used) {
                findings.push(format!("{}: {name} must not use {used}; the order is\n{ORDER}", package.manifest_path));
            }
        }
    }
    findings
}

fn short(name: &str) -> &str {
    name.strip_prefix("freelane-").unwrap_or(name)
}

/// Reads chains such as `a, b <- c <- d, e`; chains are separated by line ends or several spaces.
fn parse(order: &str) -> Uses {
    let mut uses = Uses::new();
    let chains = order.lines().flat_map(|line| line.split("   "));
    for chain in chains.map(str::trim).filter(|chain| !chain.is_empty()) {
        let links: Vec<Vec<&str>> = chain.split("<-").map(|link| link.split(',').map(str::trim).collect()).collect();
        for pair in links.windows(2) {
            for user in &pair[1] {
                uses.entry((*user).to_owned()).or_default().extend(pair[0].iter().map(|used| (*used).to_owned()));
            }
        }
    }
    uses
}

fn closure(mut uses: Uses) -> Uses {
    loop {
        let before: usize = uses.values().map(BTreeSet::len).sum();
        let reached = uses.clone();
        for used in uses.values_mut() {
            let further: Vec<String> = used.iter().filter_map(|name| reached.get(name)).flatten().cloned().collect();
            used.extend(further);
        }
        if uses.values().map(BTreeSet::len).sum::<usize>() == before {
            return uses;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_is_read_and_followed_down() {
        let uses = closure(parse("a, b <- c <- d   b <- e"));
        let of = |name: &str| uses[name].iter().map(String::as_str).collect::<Vec<_>>();
        assert_eq!(of("c"), ["a", "b"]);
        assert_eq!(of("d"), ["a", "b", "c"]);
        assert_eq!(of("e"), ["b"]);
        assert!(!uses.contains_key("a"));
    }

    #[test]
    fn the_declared_order_has_no_cycle() {
        for (name, used) in closure(parse(ORDER)) {
            assert!(!used.contains(&name), "{name} reaches itself");
        }
    }
}
