//! The order in which the elements of a reduction meet: a function of their number alone.
//!
//! ```text
//! elements   0 .. n in logical row-major order over the reduced axes
//! pieces     of PIECE elements; the last one may be shorter
//! chains     element i of a piece goes to chain i % CHAINS, each chain from left to right
//! halves     chain c meets chain c + 8, then c + 4, c + 2, c + 1: one result a piece
//! tree       T(1) = the piece; T(m) = T(p) with T(m - p), p the largest power of two below m
//! ```
//!
//! What is missing from a short piece is the fold's identity, which changes no bits of what it meets. A group of `2^k`
//! pieces that starts at a multiple of `2^k` is a node of the tree, whatever lies around it. So lanes may compute
//! groups alone, and the tree over the groups' results is the tree over the pieces. One call of a kernel takes a
//! [`BLOCK`] of them.
//!
//! Strides, alignment, instruction set, axis and number of lanes do not enter.

/// Elements in a piece: its chains are as short (16) as those of other libraries' pairwise sums, which bounds the error.
pub const PIECE: usize = 256;

/// Elements in a block, eight pieces: a tile of it fits the first-level cache, and a call is little beside its work.
pub const BLOCK: usize = 2048;

/// Interleaved chains in a piece: two vectors of f64 at 512 bits, enough to hide the latency of an addition.
pub const CHAINS: usize = 16;

/// Levels the tree can have: one a bit of the number of pieces, and one for the piece being pushed.
pub const LEVELS: usize = usize::BITS as usize - PIECE.trailing_zeros() as usize + 1;

/// Walks the tree over `leaves` with a stack of levels. `leaf(i, level)` puts the result of leaf `i` at `level`;
/// `join(level)` folds `level + 1` into `level`, which holds the earlier elements. The result is at level 0.
#[inline(always)]
pub fn walk(leaves: usize, mut leaf: impl FnMut(usize, usize), mut join: impl FnMut(usize)) {
    let mut level = 0;
    for i in 0..leaves {
        leaf(i, level);
        for _ in 0..i.trailing_ones() {
            level -= 1;
            join(level);
        }
        level += 1;
    }
    while level > 1 {
        level -= 1;
        join(level - 1);
    }
}

/// Folds the chains of one piece in halves.
#[inline(always)]
pub fn fold_halves<A: Copy>(mut chains: [A; CHAINS], combine: impl Fn(A, A) -> A) -> A {
    let mut half = CHAINS / 2;
    while half > 0 {
        for c in 0..half {
            chains[c] = combine(chains[c], chains[c + half]);
        }
        half /= 2;
    }
    chains[0]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tree as its definition says it.
    fn tree(first: usize, m: usize) -> String {
        if m == 1 {
            return first.to_string();
        }
        let p = m.next_power_of_two() / 2;
        format!("({} {})", tree(first, p), tree(first + p, m - p))
    }

    fn walked(names: &[String]) -> String {
        let levels = std::cell::RefCell::new(vec![String::new(); LEVELS]);
        walk(
            names.len(),
            |i, level| levels.borrow_mut()[level] = names[i].clone(),
            |level| {
                let mut l = levels.borrow_mut();
                l[level] = format!("({} {})", l[level], l[level + 1]);
            },
        );
        levels.into_inner().swap_remove(0)
    }

    #[test]
    fn walk_is_the_tree_and_aligned_groups_are_nodes() {
        for m in 1..70 {
            let names: Vec<_> = (0..m).map(|i| i.to_string()).collect();
            assert_eq!(walked(&names), tree(0, m));
            for k in 0..5 {
                let groups: Vec<_> = names.chunks(1 << k).map(walked).collect();
                assert_eq!(walked(&groups), tree(0, m), "{m} blocks in groups of {}", 1 << k);
            }
        }
    }
}
