//! Numbers of events: Poisson and binomial values, found in a table of their distribution.
use crate::fill::{Fill, Words, array, each};
use crate::math::unit;
use crate::philox::TILE;
use crate::source::Source;
use freelane_array::DType;
use freelane_mem::MemError;
use freelane_ops::{Array, InOp, OpsError};

/// The table ends where the rest has less than this share of the largest probability.
const NOTHING: f64 = 1e-22;
/// Variance up to which there are tables: of a million numbers.
const MOST_VARIANCE: f64 = 1e9;

/// The probabilities of numbers one after the other, added up.
pub(crate) struct Table {
    first: u64,
    sums: Vec<f64>,
}

impl Table {
    /// From the number that is as likely as any, and how much more likely the next one is than `k`: zero after the last.
    fn around(mode: u64, next: impl Fn(u64) -> f64) -> Result<Table, MemError> {
        let (mut below, mut p, mut k) = (Vec::new(), 1.0, mode);
        while k > 0 && p > NOTHING {
            p /= next(k - 1);
            k -= 1;
            push(&mut below, p)?;
        }
        let first = k;
        below.reverse();
        let mut sums = below;
        (p, k) = (1.0, mode);
        while p > NOTHING {
            push(&mut sums, p)?;
            p *= next(k);
            k += 1;
        }
        let mut sum = 0.0;
        sums.iter_mut().for_each(|p| {
            sum += *p;
            *p = sum;
        });
        Ok(Table { first, sums })
    }

    fn draw(&self, op: &'static str, from: Source, shape: &[usize]) -> Result<Array, OpsError> {
        let sum = self.sums.last().copied().unwrap_or(0.0);
        array(op, Inverse { first: self.first, sums: &self.sums, sum }, from, shape, DType::I64)
    }
}

fn push(list: &mut Vec<f64>, p: f64) -> Result<(), MemError> {
    if list.len() == list.capacity() {
        let bytes = 2 * size_of::<f64>() * list.len();
        let failed = |_| MemError::OutOfMemory { bytes, align: align_of::<f64>() };
        list.try_reserve(list.len().max(16)).map_err(failed)?;
    }
    list.push(p);
    Ok(())
}

/// The number at which the sums pass a uniform value.
#[derive(Clone, Copy)]
struct Inverse<'a> {
    first: u64,
    sums: &'a [f64],
    sum: f64,
}

impl Fill for Inverse<'_> {
    type Out = u64;
    const COST: f64 = 20.0;

    #[inline(always)]
    fn tile(self, words: &Words) -> [u64; TILE] {
        let last = self.sums.len().saturating_sub(1);
        each(words, |word| {
            let at = unit(word) * self.sum;
            self.first + self.sums.partition_point(|sum| *sum <= at).min(last) as u64
        })
    }
}

/// `int64` numbers of events of which `lam` are expected.
///
/// # Errors
/// When `lam` is negative, not a number, or above 1e9; the sequence ends, or memory cannot be had.
pub fn poisson(from: Source, lam: f64, shape: &[usize]) -> Result<Array, OpsError> {
    const OP: &str = "poisson";
    if !(0.0..=MOST_VARIANCE).contains(&lam) {
        return Err(OpsError::argument(OP, format!("lam must be from 0 to {MOST_VARIANCE:e}, not {lam}")));
    }
    Table::around(lam as u64, |k| lam / (k + 1) as f64).in_op(OP)?.draw(OP, from, shape)
}

/// `int64` numbers of successes of `n` trials, each with probability `p`.
///
/// # Errors
/// When `n` exceeds 2^53, `p` is no probability, or the variance is above 1e9; the sequence ends, or memory cannot be had.
pub fn binomial(from: Source, n: u64, p: f64, shape: &[usize]) -> Result<Array, OpsError> {
    const OP: &str = "binomial";
    if !(0.0..=1.0).contains(&p) {
        return Err(OpsError::argument(OP, format!("p must be from 0 to 1, not {p}")));
    }
    let trials = n as f64;
    if n > 1 << 53 || trials * p * (1.0 - p) > MOST_VARIANCE {
        let variance = trials * p * (1.0 - p);
        return Err(OpsError::argument(OP, format!("n, {n}, must be at most 2**53, n p (1 - p), {variance}, 1e9")));
    }
    if p == 1.0 {
        return Table { first: n, sums: vec![1.0] }.draw(OP, from, shape);
    }
    let odds = p / (1.0 - p);
    let mode = ((trials + 1.0) * p) as u64;
    Table::around(mode.min(n), |k| odds * (n - k) as f64 / (k + 1) as f64).in_op(OP)?.draw(OP, from, shape)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shares(table: &Table) -> Vec<(u64, f64)> {
        let sum = table.sums.last().unwrap();
        let steps = table.sums.iter().scan(0.0, |before, s| Some(s - std::mem::replace(before, *s)));
        (table.first..).zip(steps.map(|p| p / sum)).collect()
    }

    #[test]
    fn tables_hold_the_distribution() {
        // exp(-2.5) 2.5^k / k!
        for (k, p) in shares(&Table::around(2, |k| 2.5 / (k + 1) as f64).unwrap()).into_iter().take(12) {
            let factorial: f64 = (1..=k).map(|i| i as f64).product();
            let want = (-2.5f64).exp() * 2.5f64.powi(k as i32) / factorial;
            assert!((p / want - 1.0).abs() < 1e-9, "{k}: {p} for {want}");
        }
        let fair: Vec<f64> = shares(&Table::around(2, |k| (4 - k) as f64 / (k + 1) as f64).unwrap())
            .into_iter()
            .map(|(_, p)| 16.0 * p)
            .collect();
        let far = fair.iter().zip([1.0, 4.0, 6.0, 4.0, 1.0]).map(|(a, b): (&f64, f64)| (a - b).abs());
        assert!(fair.len() == 5 && far.fold(0.0, f64::max) < 1e-14, "{fair:?}");
        let large = Table::around(1_000_000_000, |k| 1e9 / (k + 1) as f64).unwrap();
        assert!(large.sums.len() < 1_000_000 && large.first > 999_000_000);
    }
}
