//! Short rows of keys, as many of them together as a vector has lanes: turned into columns, which are sorted by exchanges of
//! whole vectors, and turned back.
use super::network;
use freelane_simd::Lanes;

/// Keys of a row at most.
pub(super) const SHORT: usize = 64;

/// Vectors that are sorted in registers.
const BLOCK: usize = 16;

/// Sorts rows of `n <= SHORT` keys each.
#[inline(always)]
pub(super) fn sort<S: Lanes>(s: S, keys: &mut [S::T], n: usize) {
    for rows in keys.chunks_mut(S::L * n.max(1)) {
        if n > S::L && rows.len() > S::L / 2 * n {
            sort_together(s, rows, n);
        } else {
            for row in rows.chunks_mut(n) {
                network::sort(s, row);
            }
        }
    }
}

/// Sorts as many rows as there are lanes, or fewer.
#[inline(always)]
fn sort_together<S: Lanes>(s: S, keys: &mut [S::T], n: usize) {
    let shape = [keys.len() / n, n];
    let mut columns = [s.splat(S::MAX); SHORT];
    let (blocks, _) = columns.as_chunks_mut::<BLOCK>();
    let blocks = &mut blocks[..n.div_ceil(BLOCK).next_power_of_two()];
    for (b, block) in blocks.iter_mut().enumerate() {
        let mut v = *block;
        load(s, keys, shape, b * BLOCK, &mut v);
        sort_block(s, &mut v);
        *block = v;
    }
    let mut half = 1;
    while half < blocks.len() {
        for run in blocks.chunks_exact_mut(2 * half) {
            merge(s, run);
        }
        half *= 2;
    }
    for (b, block) in blocks.iter().enumerate() {
        store(s, keys, shape, b * BLOCK, *block);
    }
}

/// Columns `from ..` of the rows, what is there of them.
#[inline(always)]
fn load<S: Lanes>(s: S, keys: &[S::T], [rows, n]: [usize; 2], from: usize, v: &mut [S::V; BLOCK]) {
    let whole = rows == S::L && from + BLOCK <= n;
    for (k, square) in v.chunks_exact_mut(S::L).enumerate() {
        let at = from + k * S::L;
        for (row, v) in square.iter_mut().enumerate() {
            let first = keys.as_ptr().wrapping_add(row * n + at);
            if whole {
                // SAFETY: every row has a key for each lane from here on.
                *v = unsafe { s.load(first) };
            } else if row < rows && at < n {
                // SAFETY: the row has so many keys from here on.
                *v = unsafe { s.load_first(first, S::L.min(n - at), *v) };
            }
        }
        s.transpose(square);
    }
}

/// Back to where [`load`] had them from.
#[inline(always)]
fn store<S: Lanes>(s: S, keys: &mut [S::T], [rows, n]: [usize; 2], from: usize, mut v: [S::V; BLOCK]) {
    let whole = rows == S::L && from + BLOCK <= n;
    for (k, square) in v.chunks_exact_mut(S::L).enumerate() {
        s.transpose(square);
        let at = from + k * S::L;
        for (row, &v) in square.iter().enumerate() {
            let first = keys.as_mut_ptr().wrapping_add(row * n + at);
            if whole {
                // SAFETY: every row has a key for each lane from here on.
                unsafe { s.store(first, v) };
            } else if row < rows && at < n {
                // SAFETY: the row has so many keys from here on.
                unsafe { s.store_first(first, v, S::L.min(n - at)) };
            }
        }
    }
}

/// Merges the two sorted halves of a sequence: the second is taken backwards, as in [`network`].
#[inline(always)]
fn merge<S: Lanes>(s: S, blocks: &mut [[S::V; BLOCK]]) {
    let quarter = blocks.len() * BLOCK / 4;
    halve(s, blocks.as_flattened_mut(), quarter);
    for block in blocks {
        let mut v = *block;
        if quarter == BLOCK {
            exchange::<S, 8>(s, &mut v);
        }
        exchange::<S, 4>(s, &mut v);
        exchange::<S, 2>(s, &mut v);
        exchange::<S, 1>(s, &mut v);
        *block = v;
    }
}

/// The first two steps of a merge: each quarter then holds no key that is larger than one of the next.
#[inline(always)]
fn halve<S: Lanes>(s: S, v: &mut [S::V], quarter: usize) {
    for i in 0..quarter {
        let [a, b, c, d] = [i, quarter + i, 3 * quarter - 1 - i, 4 * quarter - 1 - i];
        let (low, high) = (s.min(v[a], v[d]), s.max(v[a], v[d]));
        let (next, last) = (s.min(v[b], v[c]), s.max(v[b], v[c]));
        (v[a], v[b]) = (s.min(low, next), s.max(low, next));
        (v[c], v[d]) = (s.min(last, high), s.max(last, high));
    }
}

/// Puts vectors `D` apart in order.
#[inline(always)]
fn exchange<S: Lanes, const D: usize>(s: S, v: &mut [S::V; BLOCK]) {
    for i in 0..BLOCK {
        if i & D == 0 {
            (v[i], v[i + D]) = (s.min(v[i], v[i + D]), s.max(v[i], v[i + D]));
        }
    }
}

/// Green's network: sixty exchanges.
#[inline(always)]
fn sort_block<S: Lanes>(s: S, v: &mut [S::V; BLOCK]) {
    macro_rules! exchanges {
        ($($i:literal $j:literal),*) => { $( (v[$i], v[$j]) = (s.min(v[$i], v[$j]), s.max(v[$i], v[$j])); )* };
    }
    exchanges!(0 13, 1 12, 2 15, 3 14, 4 8, 5 6, 7 11, 9 10);
    exchanges!(0 5, 1 7, 2 9, 3 4, 6 13, 8 14, 10 15, 11 12);
    exchanges!(0 1, 2 3, 4 5, 6 8, 7 9, 10 11, 12 13, 14 15);
    exchanges!(0 2, 1 3, 4 10, 5 11, 6 7, 8 9, 12 14, 13 15);
    exchanges!(1 2, 3 12, 4 6, 5 7, 8 10, 9 11, 13 14);
    exchanges!(1 4, 2 6, 5 8, 7 10, 9 13, 11 14);
    exchanges!(2 4, 3 6, 9 12, 11 13);
    exchanges!(3 5, 6 8, 7 9, 10 12);
    exchanges!(3 4, 5 6, 7 8, 9 10, 11 12);
    exchanges!(6 7, 8 9);
}
