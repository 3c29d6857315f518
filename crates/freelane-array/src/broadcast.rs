//! The shape that several shapes have together.
use crate::{ArrayError, Dims, element_count};

/// The common shape of `shapes` under the broadcasting rules of the Array API standard: aligned at the last axis, an
/// axis of length 1 stretches to any length.
///
/// ```
/// # use freelane_array::broadcast_shapes;
/// assert_eq!(&broadcast_shapes([&[3, 1][..], &[4]])?[..], &[3, 4]);
/// assert!(broadcast_shapes([&[3][..], &[4]]).is_err());
/// # Ok::<(), freelane_array::ArrayError>(())
/// ```
pub fn broadcast_shapes<'a>(shapes: impl IntoIterator<Item = &'a [usize]>) -> Result<Dims, ArrayError> {
    let mut common = Dims::new();
    for shape in shapes {
        if shape == &common[..] {
            continue;
        }
        let mismatch = |common: &Dims| ArrayError::BroadcastMismatch { lhs: common.to_vec(), rhs: shape.to_vec() };
        while common.len() < shape.len() {
            common.insert(0, 1);
        }
        let lead = common.len() - shape.len();
        for (i, &n) in shape.iter().enumerate() {
            match (common[lead + i], n) {
                (c, n) if c == n => {}
                (1, n) => common[lead + i] = n,
                (_, 1) => {}
                _ => return Err(mismatch(&common)),
            }
        }
    }
    element_count(&common, 1)?;
    Ok(common)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Shapes, and what they broadcast to.
    type Case<'a> = (&'a [&'a [usize]], Option<&'a [usize]>);

    #[test]
    fn table() {
        let cases: &[Case<'_>] = &[
            (&[&[], &[]], Some(&[])),
            (&[&[], &[2, 3]], Some(&[2, 3])),
            (&[&[2, 1], &[1, 3], &[3]], Some(&[2, 3])),
            (&[&[0], &[1]], Some(&[0])),
            (&[&[0, 3], &[3]], Some(&[0, 3])),
            (&[&[0], &[2]], None),
            (&[&[1 << 40, 1], &[1, 1 << 40]], None),
        ];
        for (shapes, want) in cases {
            let got = broadcast_shapes(shapes.iter().copied()).ok();
            assert_eq!(got.as_deref(), *want, "{shapes:?}");
        }
    }
}
