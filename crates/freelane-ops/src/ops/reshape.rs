//! Shapes with one length left open.
use freelane_array::{ArrayError, Dims, element_count};

/// `shape` with a -1 replaced by the length that keeps the number of elements.
pub(crate) fn resolve(shape: &[isize], from: &[usize]) -> Result<Dims, ArrayError> {
    let mismatch = || ArrayError::ReshapeMismatch { from: from.to_vec(), to: shape.to_vec() };
    let open = shape.iter().filter(|&&d| d == -1).count();
    if open > 1 || shape.iter().any(|&d| d < -1) {
        return Err(mismatch());
    }
    let known: Dims = shape.iter().filter(|&&d| d != -1).map(|&d| d as usize).collect();
    let (known, total) = (element_count(&known, 1)?, element_count(from, 1)?);
    let rest = match open {
        0 => 0,
        _ if known == 0 || total % known != 0 => return Err(mismatch()),
        _ => total / known,
    };
    Ok(shape.iter().map(|&d| if d == -1 { rest } else { d as usize }).collect())
}
