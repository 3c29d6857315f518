//! Eigenvalues of symmetric tridiagonal matrices without vectors: the QL iteration in its form without square roots, of Pal,
//! Walker and Kahan, which needs the squares of the elements beside the diagonal alone.

/// Steps for each value until it is given up.
const STEPS: usize = 30;

/// Replaces the diagonal `d` by the eigenvalues in ascending order; `e` holds the squares of the elements beside it, one fewer,
/// and is lost. False if the iteration did not converge.
pub(crate) fn eigenvalues(d: &mut [f64], e: &mut [f64]) -> bool {
    let (n, mut first) = (d.len(), 0);
    while first < n {
        let last = end_of_block(d, e, first, n - 1);
        if d[last].abs() < d[first].abs() {
            d[first..=last].reverse();
            e[first..last].reverse();
        }
        if !of_block(&mut d[first..=last], &mut e[first..last]) {
            return false;
        }
        first = last + 1;
    }
    d.sort_unstable_by(f64::total_cmp);
    true
}

/// The last index up to which no element beside the diagonal is negligible.
fn end_of_block(d: &[f64], e: &[f64], first: usize, last: usize) -> usize {
    let least = f64::EPSILON * f64::EPSILON / 4.0;
    let negligible = |i: usize| e[i] <= least * (d[i] * d[i + 1]).abs() || e[i] < f64::MIN_POSITIVE;
    (first..last).find(|&i| negligible(i)).unwrap_or(last)
}

fn of_block(d: &mut [f64], e: &mut [f64]) -> bool {
    let (last, mut first) = (d.len() - 1, 0);
    let mut steps = STEPS * d.len();
    while first < last {
        match end_of_block(d, e, first, last) - first {
            0 => first += 1,
            1 => {
                [d[first], d[first + 1]] = of_two(d[first], d[first + 1], e[first].sqrt());
                first += 2;
            }
            more => {
                if steps == 0 {
                    return false;
                }
                steps -= 1;
                step(&mut d[first..=first + more], &mut e[first..first + more]);
            }
        }
    }
    true
}

/// The eigenvalues of a symmetric matrix of two rows.
fn of_two(a: f64, c: f64, b: f64) -> [f64; 2] {
    let (sum, root) = (a + c, (a - c).hypot(2.0 * b));
    let (more, less) = if a.abs() > c.abs() { (a, c) } else { (c, a) };
    if sum == 0.0 {
        return [0.5 * root, -0.5 * root];
    }
    let outer = 0.5 * (sum + root.copysign(sum));
    [outer, (more / outer) * less - (b / outer) * b]
}

/// One step with the shift of the first two rows.
fn step(d: &mut [f64], e: &mut [f64]) {
    let last = d.len() - 1;
    let root = e[0].sqrt();
    let half = (d[1] - d[0]) / (2.0 * root);
    let shift = d[0] - root / (half + half.hypot(1.0).copysign(half));
    let (mut c, mut s) = (1.0, 0.0);
    let mut gamma = d[last] - shift;
    let mut p = gamma * gamma;
    for i in (0..last).rev() {
        let b = e[i];
        let r = p + b;
        if i + 1 < last {
            e[i + 1] = s * r;
        }
        let before = (c, gamma);
        let inverse = r.recip();
        (c, s) = (p * inverse, b * inverse);
        let a = d[i];
        gamma = c * (a - shift) - s * before.1;
        d[i + 1] = before.1 + (a - gamma);
        p = if c == 0.0 { before.0 * b } else { gamma * gamma * (r / p) };
    }
    e[0] = s * p;
    d[0] = shift + gamma;
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::PI;

    fn values(d: &[f64], e: &[f64]) -> Vec<f64> {
        let (mut d, mut e) = (d.to_vec(), e.iter().map(|x| x * x).collect::<Vec<_>>());
        assert!(eigenvalues(&mut d, &mut e));
        d
    }

    /// A path of `n` points has the eigenvalues `2 cos(k pi / (n + 1))`.
    #[test]
    fn values_of_paths() {
        for n in [1, 2, 3, 10, 101, 400] {
            let got = values(&vec![0.0; n], &vec![1.0; n - 1]);
            for (k, x) in got.into_iter().rev().enumerate() {
                let want = 2.0 * ((k + 1) as f64 * PI / (n + 1) as f64).cos();
                assert!((x - want).abs() < 4e-15 * (n as f64).sqrt(), "{n}: {x}, not {want}");
            }
        }
    }

    #[test]
    fn blocks_are_apart_and_values_in_order() {
        assert_eq!(values(&[3.0, -1.0, 2.0], &[0.0, 0.0]), [-1.0, 2.0, 3.0]);
        assert_eq!(values(&[0.0, 0.0, 7.0, 5.0, 5.0], &[3.0, 0.0, 0.0, 4.0]), [-3.0, 1.0, 3.0, 7.0, 9.0]);
        assert_eq!(values(&[1.0; 4], &[0.0; 3]), [1.0; 4]);
        assert_eq!(values(&[], &[]), [0.0; 0]);
    }

    /// The sum of the values is that of the diagonal, the sum of their squares that of all elements.
    #[test]
    fn sums_are_kept() {
        let (d, e): (Vec<f64>, Vec<f64>) = (0..200).map(|i| ((i * i % 37) as f64 - 18.0, (i * 7 % 11) as f64)).unzip();
        let got = values(&d, &e[1..]);
        let squares = d.iter().map(|x| x * x).sum::<f64>() + 2.0 * e[1..].iter().map(|x| x * x).sum::<f64>();
        assert!((got.iter().sum::<f64>() - d.iter().sum::<f64>()).abs() < 1e-10);
        assert!((got.iter().map(|x| x * x).sum::<f64>() / squares - 1.0).abs() < 1e-13);
    }
}
