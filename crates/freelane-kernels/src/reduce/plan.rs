//! Which axes go and which stay.
use super::order::BLOCK;
use std::ops::Range;

/// An axis that goes; the stride is in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Axis {
    /// Number of elements.
    pub len: usize,
    /// Bytes from one element to the next.
    pub stride: isize,
}

/// An axis that stays; strides are in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kept {
    /// Number of elements.
    pub len: usize,
    /// Bytes from one to the next in the input.
    pub x: isize,
    /// Bytes from one to the next among the fold's parameters; 0 where the fold has none.
    pub param: isize,
    /// Bytes from one to the next in the output.
    pub out: isize,
}

/// The axes of one reduction, joined where they can be and in the order the loops like best.
///
/// Outputs are numbered over the kept axes as they stand here, the last one fastest: an order good for sharing them
/// among lanes, and of no other meaning.
#[derive(Clone, Copy, Debug)]
pub struct Reduction<'a> {
    kept: &'a [Kept],
    reduced: &'a [Axis],
    outputs: usize,
    count: usize,
}

impl<'a> Reduction<'a> {
    /// Takes the kept axes in any order and the reduced ones outermost first; both slices serve as working space.
    ///
    /// The products of the lengths must not overflow, which an existing output and a checked input layout warrant.
    pub fn new(kept: &'a mut [Kept], reduced: &'a mut [Axis]) -> Self {
        let outputs = kept.iter().map(|a| a.len).product();
        let count = reduced.iter().map(|a| a.len).product();
        kept.sort_by_key(|a| std::cmp::Reverse(a.x.unsigned_abs()));
        let k = join(kept, |outer, inner| {
            let n = inner.len as isize;
            let adjacent = outer.x == n.wrapping_mul(inner.x)
                && outer.param == n.wrapping_mul(inner.param)
                && outer.out == n.wrapping_mul(inner.out);
            let joined = Kept { len: outer.len * inner.len, ..inner };
            pick(outer.len, inner.len, outer, inner).or(adjacent.then_some(joined))
        });
        let r = join(reduced, |outer, inner| {
            let joined = Axis { len: outer.len * inner.len, ..inner };
            let adjacent = outer.stride == (inner.len as isize).wrapping_mul(inner.stride);
            pick(outer.len, inner.len, outer, inner).or(adjacent.then_some(joined))
        });
        Self { kept: &kept[..k], reduced: &reduced[..r], outputs, count }
    }

    /// Number of outputs.
    pub fn outputs(&self) -> usize {
        self.outputs
    }

    /// Number of elements reduced into each output.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Number of blocks those elements make.
    pub fn blocks(&self) -> usize {
        self.count.div_ceil(BLOCK)
    }

    /// The blocks in about `parts` groups (at least as many, if there are as many blocks) that lanes can reduce alone.
    pub fn groups(&self, parts: usize) -> Groups {
        let per = (self.blocks() / parts.max(1)).max(1);
        Groups { shift: per.ilog2(), blocks: self.blocks() }
    }

    pub(super) fn kept(&self) -> &'a [Kept] {
        self.kept
    }

    pub(super) fn reduced(&self) -> &'a [Axis] {
        self.reduced
    }
}

/// Aligned groups of `2^k` blocks: nodes of the tree.
#[derive(Clone, Copy, Debug)]
pub struct Groups {
    shift: u32,
    blocks: usize,
}

impl Groups {
    /// Number of groups: none if there is nothing to reduce.
    pub fn len(&self) -> usize {
        self.blocks.div_ceil(1 << self.shift)
    }

    /// Whether there is nothing to reduce.
    pub fn is_empty(&self) -> bool {
        self.blocks == 0
    }

    /// The blocks of group `g`.
    pub fn blocks(&self, g: usize) -> Range<usize> {
        let first = g << self.shift;
        first..self.blocks.min(first + (1 << self.shift))
    }
}

/// Whichever axis is left when the other has length 1.
fn pick<A>(outer_len: usize, inner_len: usize, outer: A, inner: A) -> Option<A> {
    match (outer_len, inner_len) {
        (1, _) => Some(inner),
        (_, 1) => Some(outer),
        _ => None,
    }
}

/// Joins neighbours in place; the number of axes left.
fn join<A: Copy>(axes: &mut [A], joined: impl Fn(A, A) -> Option<A>) -> usize {
    let mut last = 0;
    for i in 1..axes.len() {
        match joined(axes[last], axes[i]) {
            Some(axis) => axes[last] = axis,
            None => {
                last += 1;
                axes[last] = axes[i];
            }
        }
    }
    axes.len().min(last + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joins_what_lies_together() {
        let ax = |len, stride| Axis { len, stride };
        let rows: [(Vec<Axis>, Vec<Axis>); 6] = [
            (vec![], vec![]),
            (vec![ax(2, 24), ax(3, 8)], vec![ax(6, 8)]),
            (vec![ax(2, 24), ax(1, 99), ax(3, 8)], vec![ax(6, 8)]),
            (vec![ax(1, 5), ax(4, 8)], vec![ax(4, 8)]),
            (vec![ax(2, -24), ax(3, -8)], vec![ax(6, -8)]),
            (vec![ax(2, 8), ax(3, 16)], vec![ax(2, 8), ax(3, 16)]),
        ];
        for (mut given, want) in rows {
            let count = given.iter().map(|a| a.len).product::<usize>();
            let plan = Reduction::new(&mut [], &mut given);
            assert_eq!((plan.reduced(), plan.count(), plan.outputs()), (&want[..], count, 1));
        }
    }

    #[test]
    fn kept_axes_end_with_the_smallest_stride() {
        let mut kept = [Kept { len: 4, x: 8, param: 0, out: 40 }, Kept { len: 5, x: 32, param: 0, out: 8 }];
        let plan = Reduction::new(&mut kept, &mut []);
        assert_eq!(plan.kept().iter().map(|k| k.x).collect::<Vec<_>>(), [32, 8]);
    }

    #[test]
    fn groups_cover_the_blocks() {
        for blocks in 0..40 {
            let mut reduced = [Axis { len: blocks * BLOCK, stride: 8 }];
            let plan = Reduction::new(&mut [], &mut reduced);
            for parts in [1, 2, 3, 5, 16] {
                let groups = plan.groups(parts);
                let all: Vec<_> = (0..groups.len()).flat_map(|g| groups.blocks(g)).collect();
                assert_eq!(all, (0..blocks).collect::<Vec<_>>());
                assert!(groups.len() >= parts.min(blocks));
            }
        }
    }
}
