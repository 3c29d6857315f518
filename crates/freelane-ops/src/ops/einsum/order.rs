//! Which two operands are multiplied next.
use super::term::Term;
use super::{Label, Labels, wrong};
use crate::OpsError;

/// Operands up to which all orders are compared.
const ALL: usize = 5;

/// The length of each label.
pub(super) struct Sizes(Vec<(Label, usize)>);

impl Sizes {
    /// Axes of one label have one length, or 1.
    pub fn of(terms: &[Term]) -> Result<Sizes, OpsError> {
        let mut sizes = Sizes(vec![]);
        for (&label, &n) in terms.iter().flat_map(|t| t.labels.iter().zip(t.array.shape())) {
            match sizes.0.iter_mut().find(|(l, _)| *l == label) {
                None => sizes.0.push((label, n)),
                Some((_, have)) if *have == 1 => *have = n,
                Some((_, have)) if n == 1 || n == *have => {}
                Some((_, have)) => {
                    let name = super::subscripts::shown(label);
                    return Err(wrong(format!("{name} names axes of {have} and of {n} elements")));
                }
            }
        }
        Ok(sizes)
    }

    pub fn get(&self, label: Label) -> Option<usize> {
        self.0.iter().find(|(l, _)| *l == label).map(|(_, n)| *n)
    }

    /// Elements of an array with these labels.
    fn product(&self, labels: &[Label]) -> f64 {
        labels.iter().filter_map(|&l| self.get(l)).map(|n| n as f64).product()
    }
}

/// Pairs of positions, the lower first: both are taken out and their product is put at the end.
pub(super) fn order(terms: &[Term], output: &[Label], sizes: &Sizes) -> Vec<(usize, usize)> {
    let labels: Vec<Labels> = terms.iter().map(|t| t.labels.clone()).collect();
    if terms.len() <= ALL { best(&labels, output, sizes).1 } else { greedy(labels, output, sizes) }
}

/// The order with the fewest operations, of all.
fn best(terms: &[Labels], output: &[Label], sizes: &Sizes) -> (f64, Vec<(usize, usize)>) {
    let mut found: (f64, Vec<(usize, usize)>) = (0.0, vec![]);
    for (n, (i, j)) in pairs(terms.len()).enumerate() {
        let (cost, rest) = merged(terms, i, j, output, sizes);
        let (more, steps) = best(&rest, output, sizes);
        if n == 0 || cost + more < found.0 {
            found = (cost + more, std::iter::once((i, j)).chain(steps).collect());
        }
    }
    found
}

/// At each step the pair whose product is smallest beside what it takes in; of equals the cheapest.
fn greedy(mut terms: Vec<Labels>, output: &[Label], sizes: &Sizes) -> Vec<(usize, usize)> {
    let mut steps = Vec::new();
    while terms.len() > 1 {
        let rated = pairs(terms.len()).map(|(i, j)| {
            let (cost, rest) = merged(&terms, i, j, output, sizes);
            let made = rest.last().map_or(1.0, |labels| sizes.product(labels));
            ((made - sizes.product(&terms[i]) - sizes.product(&terms[j]), cost), (i, j), rest)
        });
        let least = rated.min_by(|a, b| a.0.0.total_cmp(&b.0.0).then(a.0.1.total_cmp(&b.0.1)));
        let Some((_, pair, rest)) = least else { break };
        steps.push(pair);
        terms = rest;
    }
    steps
}

fn pairs(count: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..count).flat_map(move |i| (i + 1..count).map(move |j| (i, j)))
}

/// What multiplying `i` and `j` costs, and the operands after it.
fn merged(terms: &[Labels], i: usize, j: usize, output: &[Label], sizes: &Sizes) -> (f64, Vec<Labels>) {
    let mut rest: Vec<Labels> =
        terms.iter().enumerate().filter(|(at, _)| *at != i && *at != j).map(|(_, t)| t.clone()).collect();
    let mut all = terms[i].clone();
    all.extend(terms[j].iter().copied().filter(|l| !terms[i].contains(l)));
    let cost = sizes.product(&all);
    all.retain(|l| output.contains(l) || rest.iter().any(|t| t.contains(l)));
    rest.push(all);
    (cost, rest)
}
