//! Products of more than two matrices.
use crate::lu;
use freelane_ops::{Array, OpsError};

/// The product of `n` times a matrix, or each matrix of a batch; of its inverse where `n` is negative.
///
/// # Errors
/// When the matrices are not square, or are to be inverted and one is singular.
pub fn matrix_power(x: &Array, n: i64) -> Result<Array, OpsError> {
    if n >= 0 {
        return x.matrix_power(n.unsigned_abs());
    }
    lu::inv(x).map_err(|e| e.of("matrix_power"))?.matrix_power(n.unsigned_abs())
}

/// The product of matrices in the order of multiplication that takes the fewest steps. The first and the last may be
/// vectors.
///
/// ```
/// use freelane_linalg::multi_dot;
/// use freelane_ops::{Array, DType};
/// let (a, b) = (Array::ones(&[10, 100], DType::F64)?, Array::ones(&[100, 5], DType::F64)?);
/// assert_eq!(multi_dot(&[&a, &b, &Array::ones(&[5], DType::F64)?])?.to_vec::<f64>()?, [500.0; 10]);
/// # Ok::<(), freelane_ops::OpsError>(())
/// ```
///
/// # Errors
/// When there are no arrays, one has not two axes, or neighbours do not fit.
pub fn multi_dot(arrays: &[&Array]) -> Result<Array, OpsError> {
    const OP: &str = "multi_dot";
    let last = arrays.len().wrapping_sub(1);
    let fits = |(i, x): (usize, &&Array)| x.rank() == 2 || x.rank() == 1 && (i == 0 || i == last);
    if arrays.is_empty() || !arrays.iter().enumerate().all(fits) {
        return Err(OpsError::argument(OP, "needs matrices, of which the first and the last may be vectors"));
    }
    // A vector at the front is a row, at the back a column.
    let mut lengths: Vec<f64> = arrays.iter().map(|x| if x.rank() == 2 { x.shape()[0] as f64 } else { 1.0 }).collect();
    if last > 0 && arrays[last].rank() == 1 {
        lengths[last] = arrays[last].len() as f64;
    }
    lengths.push(if arrays[last].rank() == 2 { arrays[last].shape()[1] as f64 } else { 1.0 });
    if arrays[0].rank() == 1 && last == 0 {
        return Ok(arrays[0].clone());
    }
    product(arrays, &cuts(&lengths), 0, last).map_err(|e| e.of(OP))
}

/// Where the product of matrices `i` to `j` is best cut: after which matrix.
fn cuts(lengths: &[f64]) -> Vec<Vec<usize>> {
    let n = lengths.len() - 1;
    let mut cost = vec![vec![0.0; n]; n];
    let mut cut = vec![vec![0; n]; n];
    for width in 1..n {
        for i in 0..n - width {
            let j = i + width;
            let of = |k: usize| cost[i][k] + cost[k + 1][j] + lengths[i] * lengths[k + 1] * lengths[j + 1];
            let best = (i..j).min_by(|&a, &b| of(a).total_cmp(&of(b))).unwrap_or(i);
            (cost[i][j], cut[i][j]) = (of(best), best);
        }
    }
    cut
}

fn product(arrays: &[&Array], cuts: &[Vec<usize>], i: usize, j: usize) -> Result<Array, OpsError> {
    if i == j {
        return Ok(arrays[i].clone());
    }
    let k = cuts[i][j];
    product(arrays, cuts, i, k)?.matmul(&product(arrays, cuts, k + 1, j)?)
}
