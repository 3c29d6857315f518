//! A quicksort over vectors.
//!
//! A partition keeps what is less than the pivot in place, packed vector by vector, and puts the rest aside, from where it
//! comes back behind. A pivot that is the smallest key is taken out together with its equals, so that few distinct keys take few
//! rounds; keys that need too many rounds all the same are sorted in another way.
use super::{network, runs};
use freelane_simd::Lanes;

/// Keys from which a pivot is the middle one of more than one vector.
const MANY: usize = 2048;

/// Sorts the keys; `aside` has room for as many.
#[inline(always)]
pub(super) fn sort<S: Lanes>(s: S, keys: &mut [S::T], aside: &mut [S::T]) {
    assert!(aside.len() >= keys.len());
    if keys.len() <= network::VECTORS * S::L {
        return network::sort(s, keys);
    }
    if runs::sort(s, keys, aside) {
        return;
    }
    // The longer part waits, so that the next one has at most half the keys: no more wait than a length has bits.
    let mut waiting = [(0, 0, 0); usize::BITS as usize];
    let (mut waits, mut now) = (0, (0, keys.len(), rounds(keys.len())));
    loop {
        let (start, end, rounds) = now;
        let part = &mut keys[start..end];
        if part.len() <= network::VECTORS * S::L {
            network::sort(s, part);
        } else if rounds == 0 {
            part.sort_unstable();
        } else {
            let (low, high) = split(s, part, aside);
            let parts = [(start, start + low, rounds - 1), (start + high, end, rounds - 1)];
            let longer = usize::from(end - (start + high) > low);
            waiting[waits] = parts[longer];
            waits += 1;
            now = parts[1 - longer];
            continue;
        }
        if waits == 0 {
            return;
        }
        waits -= 1;
        now = waiting[waits];
    }
}

/// Rounds after which pivots have proved bad.
#[inline(always)]
fn rounds(n: usize) -> u32 {
    2 * (n | 1).ilog2()
}

/// Parts the keys: what lies before the first place returned is less than what lies from the second one on. What lies between is
/// in order.
#[inline(always)]
fn split<S: Lanes>(s: S, keys: &mut [S::T], aside: &mut [S::T]) -> (usize, usize) {
    let pivot = pivot(s, keys);
    match part::<S, false>(s, keys, aside, pivot) {
        0 => (0, part::<S, true>(s, keys, aside, pivot)),
        cut => (cut, cut),
    }
}

/// The middle one of some keys.
#[inline(always)]
fn pivot<S: Lanes>(s: S, keys: &[S::T]) -> S::T {
    let mut some = [S::T::default(); 64];
    let n = if keys.len() < MANY { S::L } else { 4 * S::L };
    let step = keys.len() / n;
    for (i, k) in some[..n].iter_mut().enumerate() {
        *k = keys[i * step + step / 2];
    }
    network::sort(s, &mut some[..n]);
    some[n / 2]
}

/// Moves keys less than the pivot (`EQUAL`: or equal to it) to the front, in order; returns how many those are. The others
/// follow, in order.
#[inline(always)]
pub(super) fn part<S: Lanes, const EQUAL: bool>(s: S, keys: &mut [S::T], aside: &mut [S::T], pivot: S::T) -> usize {
    assert!(aside.len() >= keys.len());
    let (first, other) = (keys.as_mut_ptr(), aside.as_mut_ptr());
    let (pivots, all) = (s.splat(pivot), (1u32 << S::L) - 1);
    let (mut kept, mut i, n) = (0, 0, keys.len());
    while i + S::L <= n {
        // SAFETY: `i + L <= n`.
        let v = unsafe { s.load(first.add(i)) };
        let mask = front::<S, EQUAL>(s, v, pivots) & all;
        // SAFETY: no more were kept than were read, so that this ends where the vector that was read ends.
        unsafe { s.store(first.add(kept), s.compress(v, mask)) };
        // SAFETY: as above, `aside` being as long as the keys.
        unsafe { s.store(other.add(i - kept), s.compress(v, !mask & all)) };
        kept += mask.count_ones() as usize;
        i += S::L;
    }
    if i < n {
        let rest = n - i;
        // SAFETY: `rest` keys are left.
        let v = unsafe { s.load_first(first.add(i), rest, pivots) };
        let there = (1u32 << rest) - 1;
        let mask = front::<S, EQUAL>(s, v, pivots) & there;
        let count = mask.count_ones() as usize;
        // SAFETY: what is kept is not more than what was read.
        unsafe { s.store_first(first.add(kept), s.compress(v, mask), count) };
        // SAFETY: as above, `aside` being as long as the keys.
        unsafe { s.store_first(other.add(i - kept), s.compress(v, !mask & there), rest - count) };
        kept += count;
    }
    keys[kept..].copy_from_slice(&aside[..n - kept]);
    kept
}

/// Which lanes go to the front; those above the last one hold anything.
#[inline(always)]
fn front<S: Lanes, const EQUAL: bool>(s: S, v: S::V, pivots: S::V) -> u32 {
    if EQUAL { !s.less(pivots, v) } else { s.less(v, pivots) }
}

/// Brings the key that is `k`th in order to place `k`, those before it before it.
#[inline(always)]
pub(super) fn select<S: Lanes>(s: S, keys: &mut [S::T], aside: &mut [S::T], k: usize) {
    assert!(k < keys.len());
    let (mut start, mut end, mut left) = (0, keys.len(), rounds(keys.len()));
    while end - start > network::VECTORS * S::L {
        let now = &mut keys[start..end];
        if left == 0 {
            now.select_nth_unstable(k - start);
            return;
        }
        left -= 1;
        let pivot = pivot(s, now);
        let mut cut = start + part::<S, false>(s, now, aside, pivot);
        if cut == start {
            cut = start + part::<S, true>(s, now, aside, pivot);
            if k < cut {
                return;
            }
        }
        if k < cut { end = cut } else { start = cut }
    }
    network::sort(s, &mut keys[start..end]);
}
