//! Up to sixteen vectors, sorted by exchanges whose order is fixed.
//!
//! Each vector is sorted by itself, then neighbours are merged, twice as many vectors in each round. To merge two sorted
//! sequences, the second is taken backwards: together they rise and fall once, and exchanges at half the distance each
//! time put such a sequence in order.
//!
//! Here and in the quicksort loops are plain ones: a closure would not be compiled for the instruction set of its caller.
use freelane_simd::Lanes;

/// Vectors that are sorted at most.
pub(super) const VECTORS: usize = 16;

/// Sorts at most `VECTORS * L` keys.
#[inline(always)]
pub(super) fn sort<S: Lanes>(s: S, keys: &mut [S::T]) {
    debug_assert!(keys.len() <= VECTORS * S::L);
    match keys.len().div_ceil(S::L) {
        0 => (),
        1 if keys.len() == 1 => (),
        1 => sort_vectors::<S, 1>(s, keys),
        2 => sort_vectors::<S, 2>(s, keys),
        3..=4 => sort_vectors::<S, 4>(s, keys),
        5..=8 => sort_vectors::<S, 8>(s, keys),
        _ => sort_vectors::<S, VECTORS>(s, keys),
    }
}

/// Sorts at most `N * L` keys, with the largest one in the places that are left.
#[inline(always)]
fn sort_vectors<S: Lanes, const N: usize>(s: S, keys: &mut [S::T]) {
    let (whole, rest) = (keys.len() / S::L, keys.len() % S::L);
    let first = keys.as_mut_ptr();
    let mut v = [s.splat(S::MAX); N];
    for (i, v) in v.iter_mut().enumerate() {
        let at = first.wrapping_add(i * S::L);
        if i < whole {
            // SAFETY: this vector lies inside of the keys.
            *v = unsafe { s.load(at) };
        } else if i == whole {
            // SAFETY: `rest` keys are left from here on.
            *v = unsafe { s.load_first(at, rest, *v) };
        }
        *v = sort_one(s, *v);
    }
    merge_all(s, &mut v);
    for (i, &v) in v.iter().enumerate() {
        let at = first.wrapping_add(i * S::L);
        if i < whole {
            // SAFETY: this vector lies inside of the keys.
            unsafe { s.store(at, v) };
        } else if i == whole {
            // SAFETY: `rest` keys are left from here on.
            unsafe { s.store_first(at, v, rest) };
        }
    }
}

#[inline(always)]
fn merge_all<S: Lanes, const N: usize>(s: S, v: &mut [S::V; N]) {
    if N >= 2 {
        for v in v.chunks_exact_mut(2) {
            merge::<S, 1>(s, v);
        }
    }
    if N >= 4 {
        for v in v.chunks_exact_mut(4) {
            merge::<S, 2>(s, v);
        }
    }
    if N >= 8 {
        for v in v.chunks_exact_mut(8) {
            merge::<S, 4>(s, v);
        }
    }
    if N >= 16 {
        for v in v.chunks_exact_mut(16) {
            merge::<S, 8>(s, v);
        }
    }
}

/// Merges two sorted sequences of `HALF` vectors.
#[inline(always)]
fn merge<S: Lanes, const HALF: usize>(s: S, v: &mut [S::V]) {
    for i in 0..HALF.div_ceil(2) {
        let j = HALF - 1 - i;
        let (low_i, high_i) = (v[i], s.reverse(v[HALF + j]));
        let (low_j, high_j) = (v[j], s.reverse(v[HALF + i]));
        v[i] = s.min(low_i, high_i);
        v[HALF + i] = s.max(low_i, high_i);
        v[j] = s.min(low_j, high_j);
        v[HALF + j] = s.max(low_j, high_j);
    }
    let mut distance = HALF / 2;
    while distance > 0 {
        for i in 0..2 * HALF {
            if i & distance == 0 {
                let (a, b) = (v[i], v[i + distance]);
                v[i] = s.min(a, b);
                v[i + distance] = s.max(a, b);
            }
        }
        distance /= 2;
    }
    for v in &mut v[..2 * HALF] {
        *v = finish(s, *v);
    }
}

/// Sorts one vector that rises and falls once.
#[inline(always)]
fn finish<S: Lanes>(s: S, mut v: S::V) -> S::V {
    if S::L >= 16 {
        v = s.exchange::<8>(v);
    }
    if S::L >= 8 {
        v = s.exchange::<4>(v);
    }
    s.exchange::<1>(s.exchange::<2>(v))
}

/// Sorts one vector.
#[inline(always)]
fn sort_one<S: Lanes>(s: S, v: S::V) -> S::V {
    let mut v = s.exchange::<1>(s.exchange::<3>(s.exchange::<1>(v)));
    if S::L >= 8 {
        v = s.exchange::<1>(s.exchange::<2>(s.exchange::<7>(v)));
    }
    if S::L >= 16 {
        v = s.exchange::<1>(s.exchange::<2>(s.exchange::<4>(s.exchange::<15>(v))));
    }
    v
}
