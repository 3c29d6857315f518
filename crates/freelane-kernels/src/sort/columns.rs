//! Columns of keys side by side, each sorted by itself: exchanges of whole rows, in an order that the length fixes.
use super::keys::Key;
use freelane_simd::Lanes;

/// Columns side by side.
pub const COLUMNS: usize = 16;

/// Keys of a column at most: of more, each column by itself is sorted sooner.
pub const DEPTH: usize = 256;

/// Sorts each column.
#[inline(always)]
pub(super) fn sort<S: Lanes>(s: S, rows: &mut [[S::T; COLUMNS]]) {
    const { assert!(COLUMNS.is_multiple_of(S::L)) };
    merge_exchange(rows, |low, high| {
        for c in (0..COLUMNS).step_by(S::L) {
            // SAFETY: a row has whole vectors.
            let (a, b) = unsafe { (s.load(low.as_ptr().add(c)), s.load(high.as_ptr().add(c))) };
            // SAFETY: as above.
            unsafe { s.store(low.as_mut_ptr().add(c), s.min(a, b)) };
            // SAFETY: as above.
            unsafe { s.store(high.as_mut_ptr().add(c), s.max(a, b)) };
        }
    });
}

/// Sorts each column, without vectors.
pub fn sort_plain<K: Key>(rows: &mut [[K; COLUMNS]]) {
    merge_exchange(rows, |low, high| {
        for (a, b) in low.iter_mut().zip(high) {
            (*a, *b) = if *b < *a { (*b, *a) } else { (*a, *b) };
        }
    });
}

/// Batcher's merge exchange (Knuth, The Art of Computer Programming, 5.2.2, algorithm M). `exchange` puts the smaller keys of two
/// rows into the first.
#[inline(always)]
fn merge_exchange<T>(rows: &mut [T], exchange: impl Fn(&mut T, &mut T)) {
    let n = rows.len();
    if n < 2 {
        return;
    }
    let most = n.next_power_of_two() / 2;
    let mut p = most;
    while p > 0 {
        let (mut q, mut r, mut d) = (most, 0, p);
        loop {
            // All `i` below `n - d` of which the bit `p` is that of `r`.
            for block in (r..n - d).step_by(2 * p) {
                let (front, back) = rows.split_at_mut(block + d);
                for (low, high) in front[block..].iter_mut().zip(back).take(p) {
                    exchange(low, high);
                }
            }
            if q == p {
                break;
            }
            (d, q, r) = (q - p, q / 2, p);
        }
        p /= 2;
    }
}
