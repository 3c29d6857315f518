//! Ensembles of decision trees.
use crate::arrays::{dense_as, elements};
use freelane_array::{ArrayData, DType};
use freelane_ops::{Array, OpsError};

const OP: &str = "TreeEnsemble";

/// How a node decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Test {
    /// The feature is at most the threshold.
    LessEqual,
    /// It is less.
    Less,
    /// It is at least that.
    GreaterEqual,
    /// It is more.
    Greater,
    /// It is that.
    Equal,
    /// It is not.
    NotEqual,
    /// It is one of a set.
    Member,
}

/// Where a branch leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// To a node.
    Node(usize),
    /// To these leaf weights.
    Leaf(usize, usize),
}

/// A node.
#[derive(Clone, Debug)]
pub struct Node {
    /// How it decides.
    pub test: Test,
    /// What it looks at.
    pub feature: usize,
    /// What that is compared with.
    pub threshold: f64,
    /// The set, for membership.
    pub members: Vec<f64>,
    /// Whether a missing value counts as true.
    pub missing: bool,
    /// Where it leads if so.
    pub yes: Next,
    /// Where it leads if not.
    pub no: Next,
}

/// What is made of all leaves of a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aggregate {
    /// Their mean over trees.
    Average,
    /// Their sum.
    Sum,
    /// The least.
    Min,
    /// The greatest.
    Max,
}

/// What is made of all targets of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transform {
    /// Nothing.
    None,
    /// Exponentials that add up to one.
    Softmax,
    /// `1 / (1 + e^-x)`.
    Logistic,
    /// As `Softmax`, zeros staying zeros.
    SoftmaxZero,
    /// The inverse of the normal distribution.
    Probit,
}

/// Trees over the features of a row.
#[derive(Clone, Debug)]
pub struct Ensemble {
    /// Nodes of all trees.
    pub nodes: Vec<Node>,
    /// Where each tree begins.
    pub roots: Vec<Next>,
    /// Targets and weights of leaves.
    pub leaves: Vec<(usize, f64)>,
    /// Targets.
    pub targets: usize,
    /// What is made of leaves.
    pub aggregate: Aggregate,
    /// Added to each target; empty for none.
    pub base: Vec<f64>,
}

impl Ensemble {
    /// Checks that all branches lead somewhere, and no way comes back.
    ///
    /// # Errors
    /// What does not.
    pub fn check(&self) -> Result<(), OpsError> {
        let nodes = self.nodes.len();
        let ok = |next: &Next| match *next {
            Next::Node(i) => i < nodes,
            Next::Leaf(from, to) => from <= to && to <= self.leaves.len(),
        };
        let branches = self.nodes.iter().flat_map(|n| [&n.yes, &n.no]).chain(&self.roots);
        if !branches.into_iter().all(ok) || self.leaves.iter().any(|(t, _)| *t >= self.targets) {
            return Err(OpsError::argument(OP, "a branch or leaf leads nowhere"));
        }
        // A node that is reached twice from above would make a way longer than there are nodes, or a tree of more.
        let mut seen = vec![false; nodes];
        let mut open: Vec<usize> =
            self.roots.iter().filter_map(|r| if let Next::Node(i) = r { Some(*i) } else { None }).collect();
        while let Some(i) = open.pop() {
            if std::mem::replace(&mut seen[i], true) {
                return Err(OpsError::argument(OP, format!("node {i} is in two branches")));
            }
            for next in [self.nodes[i].yes, self.nodes[i].no] {
                if let Next::Node(j) = next {
                    open.push(j);
                }
            }
        }
        Ok(())
    }

    fn decide(&self, node: &Node, x: f64) -> bool {
        if x.is_nan() {
            return node.missing || node.test == Test::NotEqual;
        }
        match node.test {
            Test::LessEqual => x <= node.threshold,
            Test::Less => x < node.threshold,
            Test::GreaterEqual => x >= node.threshold,
            Test::Greater => x > node.threshold,
            Test::Equal => x == node.threshold,
            Test::NotEqual => x != node.threshold,
            Test::Member => node.members.contains(&x),
        }
    }

    fn leaf(&self, root: Next, row: &[f64]) -> Result<&[(usize, f64)], OpsError> {
        let mut next = root;
        loop {
            match next {
                Next::Leaf(from, to) => return Ok(&self.leaves[from..to]),
                Next::Node(i) => {
                    let node = &self.nodes[i];
                    let short = || OpsError::argument(OP, format!("no feature {} among {}", node.feature, row.len()));
                    let x = *row.get(node.feature).ok_or_else(short)?;
                    next = if self.decide(node, x) { node.yes } else { node.no };
                }
            }
        }
    }

    /// Scores of each row of `[rows, features]`: `[rows, targets]` in row-major order.
    ///
    /// # Errors
    /// When shapes do not fit, or memory cannot be had.
    pub fn scores(&self, x: &ArrayData) -> Result<(usize, Vec<f64>), OpsError> {
        let (rows, features) = match *x.layout().shape() {
            [n] => (1, n),
            [rows, features] => (rows, features),
            ref other => return Err(OpsError::argument(OP, format!("features of shape {other:?}"))),
        };
        let dense = dense_as(x, DType::F64)?;
        let from = elements::<f64>(&dense)?;
        let mut scores = Vec::new();
        let len = rows.checked_mul(self.targets).filter(|n| scores.try_reserve_exact(*n).is_ok());
        let len = len.ok_or_else(|| OpsError::argument(OP, "scores larger than memory"))?;
        scores.resize(len, 0.0);
        let mut seen = vec![false; self.targets];
        for r in 0..rows {
            let row = &from[r * features..][..features];
            let out = &mut scores[r * self.targets..][..self.targets];
            seen.fill(false);
            for &root in &self.roots {
                for &(target, weight) in self.leaf(root, row)? {
                    let o = &mut out[target];
                    *o = match self.aggregate {
                        _ if !std::mem::replace(&mut seen[target], true) => weight,
                        Aggregate::Sum | Aggregate::Average => *o + weight,
                        Aggregate::Min => o.min(weight),
                        Aggregate::Max => o.max(weight),
                    };
                }
            }
            if self.aggregate == Aggregate::Average {
                out.iter_mut().for_each(|o| *o /= self.roots.len().max(1) as f64);
            }
            out.iter_mut().zip(&self.base).for_each(|(o, b)| *o += b);
        }
        Ok((rows, scores))
    }
}

impl Transform {
    /// Transforms the scores of a row.
    pub fn run(self, row: &mut [f64]) {
        match self {
            Transform::None => (),
            Transform::Softmax => softmax(row, |_| true),
            Transform::SoftmaxZero => softmax(row, |x| x != 0.0),
            Transform::Logistic => row.iter_mut().for_each(|x| *x = 1.0 / (1.0 + (-*x).exp())),
            Transform::Probit => row.iter_mut().for_each(|x| *x = probit(*x)),
        }
    }
}

fn softmax(row: &mut [f64], counts: impl Fn(f64) -> bool) {
    let top = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    row.iter_mut().for_each(|x| *x = if counts(*x) { (*x - top).exp() } else { 0.0 });
    let sum: f64 = row.iter().sum();
    if sum > 0.0 {
        row.iter_mut().for_each(|x| *x /= sum);
    }
}

/// `sqrt(2) * erfinv(2 p - 1)`, by the approximation that the standard's operators use.
fn probit(p: f64) -> f64 {
    let x = 2.0 * p - 1.0;
    let sign = if x < 0.0 { -1.0 } else { 1.0 };
    let log = ((1.0 - x) * (1.0 + x)).ln();
    let v = 2.0 / (std::f64::consts::PI * 0.147) + 0.5 * log;
    let v2 = log / 0.147;
    std::f64::consts::SQRT_2 * sign * (-v + (v * v - v2).sqrt()).sqrt()
}

/// Scores as an array of a type.
///
/// # Errors
/// When memory cannot be had.
pub fn scores_array(scores: Vec<f64>, shape: &[usize], dtype: DType) -> Result<ArrayData, OpsError> {
    Ok(Array::from_vec(scores, shape)?.astype(dtype)?.into())
}
