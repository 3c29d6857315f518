//! Singular values of bidiagonal matrices without vectors, by differential quotients and differences with shifts, of Fernando
//! and Parlett: every step keeps small values as exact as large ones.

/// Steps for each value until it is given up.
const STEPS: usize = 40;
/// The square of what is negligible beside a value.
const LEAST: f64 = 16.0 * f64::EPSILON * f64::EPSILON;

/// Replaces the diagonal `q` by the singular values in descending order; `e`, of the same length, begins with the elements beside it,
/// and is lost, as `work` of twice that length is. False if the iteration did not converge.
pub(crate) fn singular_values(q: &mut [f64], e: &mut [f64], work: &mut [f64]) -> bool {
    let n = q.len();
    q.iter_mut().chain(&mut *e).for_each(|x| *x *= *x);
    let (to_q, to_e) = work.split_at_mut(n);
    let mut all = Arrays { q, e, to_q, to_e };
    let (mut end, mut steps) = (n, STEPS * n);
    while end > 0 {
        let Some(first) = all.of_block(end, &mut steps) else { return false };
        end = first;
    }
    q.iter_mut().for_each(|x| *x = x.sqrt());
    q.sort_unstable_by(|a, b| b.total_cmp(a));
    true
}

/// Squares of the diagonal and of the elements beside it, and as much memory for the next ones. Blocks end where an element of `e`
/// has the sign bit: it is what was subtracted from the values before it so far, and `to_e` there what rounding took of that.
struct Arrays<'a> {
    q: &'a mut [f64],
    e: &'a mut [f64],
    to_q: &'a mut [f64],
    to_e: &'a mut [f64],
}

/// What was subtracted from values, in two parts.
#[derive(Clone, Copy)]
struct Shift {
    sum: f64,
    rest: f64,
}

impl Shift {
    fn plus(self, s: f64) -> Shift {
        let s = s + self.rest;
        let sum = self.sum + s;
        Shift { sum, rest: s - (sum - self.sum) }
    }
}

impl Arrays<'_> {
    /// Finds the values before `end`, from there on, until the block is gone; returns where it began.
    fn of_block(&mut self, end: usize, steps: &mut usize) -> Option<usize> {
        let mut last = end - 1;
        let mut first = (0..last).rev().find(|&i| self.e[i].is_sign_negative()).map_or(0, |i| i + 1);
        let mut sum = if end == self.q.len() { Shift { sum: 0.0, rest: 0.0 } } else { self.mark(last) };
        let mut shift = 0.0;
        loop {
            let gone = last == first;
            if gone || self.negligible(last - 1, sum) {
                self.q[last] += sum.sum + sum.rest;
                if gone {
                    return Some(first);
                }
                last -= 1;
            } else if last == first + 1 {
                let both = of_two(self.q[first], self.q[last], self.e[first]);
                [self.q[first], self.q[last]] = both.map(|x| x + (sum.sum + sum.rest));
                return Some(first);
            } else if let Some(i) = (first..last - 1).rev().find(|&i| self.negligible(i, sum)) {
                (self.e[i], self.to_e[i]) = (-sum.sum, sum.rest);
                (first, shift) = (i + 1, 0.0);
            } else {
                let least = self.accepted(first, last, &mut shift, steps)?;
                sum = sum.plus(shift);
                shift = next_shift(&self.q[first..=last], &self.e[first..last], least);
            }
        }
    }

    fn mark(&self, i: usize) -> Shift {
        Shift { sum: -self.e[i], rest: self.to_e[i] }
    }

    fn negligible(&self, i: usize, sum: Shift) -> bool {
        self.e[i] <= LEAST * (sum.sum + self.q[i].min(self.q[i + 1]))
    }

    /// A step of a block with the given shift or, where that is more than the least value, with a smaller one. Returns the least
    /// element that the step met, and where.
    fn accepted(&mut self, first: usize, last: usize, shift: &mut f64, steps: &mut usize) -> Option<(f64, usize)> {
        let (q, e) = (&mut self.q[first..=last], &mut self.e[first..last]);
        let (to_q, to_e) = (&mut self.to_q[first..=last], &mut self.to_e[first..last]);
        if 1.5 * q[0] < q[last - first] {
            q.reverse();
            e.reverse();
            *shift = 0.0;
        }
        for retry in 0.. {
            *steps = steps.checked_sub(1)?;
            let (least, at) = step(q, e, to_q, to_e, *shift);
            if least >= 0.0 {
                q.copy_from_slice(to_q);
                e.copy_from_slice(to_e);
                return Some((least, at));
            }
            if *shift == 0.0 {
                return None;
            }
            // If the last element alone is negative, it is by how much the shift was too great, and a little more.
            let late = at + 1 == q.len();
            *shift = match retry {
                0 | 1 if late => (*shift + least).max(0.0),
                0 | 1 => 0.25 * *shift,
                _ => 0.0,
            };
        }
        None
    }
}

/// One step: the least element met, and where, of which those behind a negative one say nothing.
fn step(q: &[f64], e: &[f64], to_q: &mut [f64], to_e: &mut [f64], shift: f64) -> (f64, usize) {
    let last = e.len();
    let mut d = q[0] - shift;
    let (mut least, mut at) = (d, 0);
    for i in 0..last {
        if d < 0.0 || d.is_nan() {
            return (d, i);
        }
        to_q[i] = d + e[i];
        let t = q[i + 1] / to_q[i];
        to_e[i] = e[i] * t;
        d = d * t - shift;
        if d <= least || d.is_nan() {
            (least, at) = (d, i + 1);
        }
    }
    to_q[last] = d;
    (least, at)
}

/// A shift a little below the least value, as the last rows show it; small where the least element is not the last.
fn next_shift(q: &[f64], e: &[f64], (least, at): (f64, usize)) -> f64 {
    let n = q.len();
    if at + 1 != n {
        return if at + 2 == n { 0.5 * least } else { 0.25 * least };
    }
    // The last three rows of a symmetric matrix, whose elements beside the diagonal are squared.
    let (a, b) = (q[n - 2] + if n > 2 { e[n - 3] } else { 0.0 }, q[n - 1] + e[n - 2]);
    let beside = q[n - 2] * e[n - 2];
    let half = 0.5 * (a - b);
    let root = half.abs() + (half * half + beside).sqrt();
    let of_two = if root > 0.0 { b - if half >= 0.0 { beside / root } else { root } } else { b };
    if n == 2 || of_two <= 0.0 || of_two.is_nan() {
        return 0.0;
    }
    // What the row before them takes away, to second order.
    let before = q[n - 3] * e[n - 3];
    let gap = q[n - 3] - of_two;
    let weight = beside / ((a - of_two) * (a - of_two) + beside);
    let less = if gap > 0.0 { before * weight / gap } else { of_two };
    (of_two - 1.5 * less).min(least).max(0.0)
}

/// The values of a block of two.
fn of_two(p: f64, q: f64, e: f64) -> [f64; 2] {
    let t = 0.5 * (p - q + e);
    // Without squares of these, which are squares.
    let most = q + t + t.hypot(q.sqrt() * e.sqrt());
    if most > 0.0 { [most, p * (q / most)] } else { [0.0; 2] }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::PI;

    fn values(d: &[f64], e: &[f64]) -> Vec<f64> {
        let (mut d, mut e) = (d.to_vec(), e.to_vec());
        e.resize(d.len(), 0.0);
        let mut work = vec![f64::NAN; 2 * d.len()];
        assert!(singular_values(&mut d, &mut e, &mut work));
        d
    }

    /// With ones everywhere the values are `2 cos(k pi / (2 n + 1))`.
    #[test]
    fn values_of_ones() {
        for n in [1, 2, 3, 10, 101, 400] {
            for (k, x) in values(&vec![1.0; n], &vec![1.0; n - 1]).into_iter().enumerate() {
                let want = 2.0 * ((k + 1) as f64 * PI / (2 * n + 1) as f64).cos();
                assert!((x / want - 1.0).abs() < 1e-14 * n as f64, "{n}: {x}, not {want}");
            }
        }
    }

    /// The product of the values is that of the diagonal, however small some are.
    #[test]
    fn small_values_are_as_exact_as_large_ones() {
        for up in [false, true] {
            let mut d: Vec<f64> = (0..60).map(|i| 10f64.powi(-i)).collect();
            let mut e = d[1..].to_vec();
            if up {
                d.reverse();
                e.reverse();
            }
            let log = |x: &[f64]| x.iter().map(|x| x.ln()).sum::<f64>();
            let got = values(&d, &e);
            assert!((log(&got) - log(&d)).abs() < 1e-11, "{}", log(&got) - log(&d));
            assert!(got.is_sorted_by(|a, b| a >= b));
        }
    }

    #[test]
    fn zeros_and_blocks() {
        assert_eq!(values(&[1.0, -3.0, 2.0], &[0.0, 0.0]), [3.0, 2.0, 1.0]);
        assert_eq!(values(&[0.0; 5], &[2.0; 4]), [2.0, 2.0, 2.0, 2.0, 0.0]);
        assert_eq!(values(&[0.0; 3], &[0.0; 2]), [0.0; 3]);
        assert_eq!(values(&[], &[]), [0.0; 0]);
        let d: Vec<f64> = (0..50).map(|i| if i == 20 { 0.0 } else { 1.0 + (i % 7) as f64 }).collect();
        let e = vec![0.5; 49];
        let got = values(&d, &e);
        assert!(got[49] < 1e-300 && got[48] > 1e-3, "{got:?}");
        let squares = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>();
        assert!((squares(&got) / (squares(&d) + squares(&e)) - 1.0).abs() < 1e-14);
    }
}
