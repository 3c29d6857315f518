//! What can be wrong with a shape, an index or a reinterpretation.
use crate::DType;
use std::fmt;

/// A description that does not fit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ArrayError {
    /// The number of elements or bytes exceeds the address space.
    #[error("shape {} has more elements than memory can address", Tuple(shape))]
    ShapeOverflow {
        /// The shape asked for.
        shape: Vec<usize>,
    },
    /// More axes than an array can have.
    #[error("{rank} axes are more than the {} an array can have", crate::MAX_RANK)]
    RankTooHigh {
        /// Axes asked for.
        rank: usize,
    },
    /// Elements lie outside of the storage.
    #[error("a layout reaching element {last} does not fit storage of {available} elements")]
    OutOfBounds {
        /// The furthest element the layout reaches; negative when it reaches before the start.
        last: isize,
        /// Elements in the storage.
        available: usize,
    },
    /// The storage does not start at a multiple of the element's alignment.
    #[error("storage is not aligned for {dtype}, which needs {} bytes", dtype.align())]
    Misaligned {
        /// The type of the elements.
        dtype: DType,
    },
    /// Shapes that do not broadcast together.
    #[error("shapes {} and {} do not broadcast", Tuple(lhs), Tuple(rhs))]
    BroadcastMismatch {
        /// First shape.
        lhs: Vec<usize>,
        /// Second shape.
        rhs: Vec<usize>,
    },
    /// A shape that a given array cannot be broadcast to.
    #[error("shape {} does not broadcast to {}", Tuple(from), Tuple(to))]
    NotBroadcastable {
        /// The array's shape.
        from: Vec<usize>,
        /// The shape asked for.
        to: Vec<usize>,
    },
    /// A reshape that changes the number of elements.
    #[error("cannot reshape {} ({} elements) into {}", Tuple(from), from.iter().product::<usize>(), Signed(to))]
    ReshapeMismatch {
        /// The array's shape.
        from: Vec<usize>,
        /// The shape asked for; -1 stands for "what is left".
        to: Vec<isize>,
    },
    /// An axis that the array does not have.
    #[error("axis {axis} is out of range for an array of {rank} axes")]
    BadAxis {
        /// The axis asked for.
        axis: isize,
        /// Axes of the array.
        rank: usize,
    },
    /// An axis named twice, or left out, where each is needed once.
    #[error("axes {} must name each of the {rank} axes once", Signed(axes))]
    BadAxes {
        /// The axes asked for.
        axes: Vec<isize>,
        /// Axes of the array.
        rank: usize,
    },
    /// Squeezing an axis that holds more than one element.
    #[error("axis {axis} has length {len} and cannot be squeezed, only axes of length 1 can")]
    NotSqueezable {
        /// The axis asked for.
        axis: usize,
        /// Its length.
        len: usize,
    },
    /// An index outside of its axis.
    #[error("index {index} is out of range for axis {axis} of length {len}")]
    IndexOutOfRange {
        /// The index asked for.
        index: isize,
        /// The axis.
        axis: usize,
        /// Its length.
        len: usize,
    },
    /// More indices than axes.
    #[error("{given} indices for an array of {rank} axes")]
    TooManyIndices {
        /// Indices given.
        given: usize,
        /// Axes of the array.
        rank: usize,
    },
    /// A boolean index of another length than the axis it chooses from.
    #[error("a boolean index of length {mask} does not fit axis {axis} of length {len}")]
    MaskMismatch {
        /// The axis.
        axis: usize,
        /// Its length.
        len: usize,
        /// The length of the boolean index along it.
        mask: usize,
    },
    /// Index arrays that do not broadcast together.
    #[error("index arrays of shapes {} and {} do not broadcast", Tuple(lhs), Tuple(rhs))]
    IndexMismatch {
        /// First shape; the common one, where several came before.
        lhs: Vec<usize>,
        /// Second shape.
        rhs: Vec<usize>,
    },
    /// More than one ellipsis in an index.
    #[error("an index can hold one ellipsis only")]
    TwoEllipses,
    /// A slice whose step is zero.
    #[error("a slice step cannot be zero")]
    ZeroStep,
    /// The elements have another type.
    #[error("expected {expected}, found {found}")]
    DTypeMismatch {
        /// The type asked for.
        expected: DType,
        /// The array's type.
        found: DType,
    },
    /// Writing to storage that others see, or through a layout that visits an element twice.
    #[error("the array does not own its elements alone, so they cannot be written in place")]
    NotUnique,
}

/// Prints a shape as Python prints a tuple: `(2, 3)`, `(4,)`, `()`.
struct Tuple<'a>(&'a [usize]);
struct Signed<'a>(&'a [isize]);

fn tuple<T: fmt::Display>(f: &mut fmt::Formatter<'_>, items: &[T]) -> fmt::Result {
    f.write_str("(")?;
    for (i, item) in items.iter().enumerate() {
        write!(f, "{}{item}", if i == 0 { "" } else { ", " })?;
    }
    f.write_str(if items.len() == 1 { ",)" } else { ")" })
}

impl fmt::Display for Tuple<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        tuple(f, self.0)
    }
}

impl fmt::Display for Signed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        tuple(f, self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_print_shapes_as_tuples() {
        let e = ArrayError::BroadcastMismatch { lhs: vec![2, 3], rhs: vec![4] };
        assert_eq!(e.to_string(), "shapes (2, 3) and (4,) do not broadcast");
        let e = ArrayError::ReshapeMismatch { from: vec![], to: vec![-1, 2] };
        assert_eq!(e.to_string(), "cannot reshape () (1 elements) into (-1, 2)");
    }
}
