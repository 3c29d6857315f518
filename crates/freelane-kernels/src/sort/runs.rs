//! Keys that are already in order, or made of a few stretches that rise or fall: those are merged.
//!
//! Equal keys cannot be told apart, so a stretch that falls may be turned round.
use freelane_simd::Lanes;

/// Stretches that are merged at most; more of them take longer than sorting.
const MOST: usize = 12;

/// Keys for each of which there is one more stretch.
const EACH: usize = 64;

/// Times that one stretch must be longer than the other for keys to be put in one by one.
const MUCH: usize = 16;

/// Sorts keys made of a few stretches; false, with keys moved about at most, if there are more. `aside` has room for as many.
#[inline(always)]
pub(super) fn sort<S: Lanes>(s: S, keys: &mut [S::T], aside: &mut [S::T]) -> bool {
    let most = MOST.min(keys.len() / EACH).max(1);
    let mut ends = [0; MOST + 1];
    let mut runs = 0;
    while ends[runs] < keys.len() {
        if runs == most {
            return false;
        }
        let start = ends[runs];
        let (end, falls) = stretch(s, keys, start);
        if falls {
            keys[start..end].reverse();
        }
        runs += 1;
        ends[runs] = end;
    }
    merge_all(keys, &mut ends[..=runs], aside);
    true
}

/// Where the stretch that begins at `start` ends, and whether it falls.
#[inline(always)]
fn stretch<S: Lanes>(s: S, keys: &[S::T], start: usize) -> (usize, bool) {
    let (pairs, all) = (keys.len() - 1, ((1u64 << S::L) - 1) as u32);
    let (mut rose, mut fell, mut i) = (false, false, start);
    while i < pairs {
        let at = i.min(pairs - S::L);
        // SAFETY: `at + L` is at most the number of pairs.
        let a = unsafe { s.load(keys.as_ptr().add(at)) };
        // SAFETY: as above; there is one key more than pairs.
        let b = unsafe { s.load(keys.as_ptr().add(at + 1)) };
        let now = all & (all << (i - at));
        let (rises, falls) = (s.less(a, b) & now, s.less(b, a) & now);
        if !rose && !fell && (rises | falls) != 0 {
            rose = rises.trailing_zeros() < falls.trailing_zeros();
            fell = !rose;
        }
        let against = if rose { falls } else { rises };
        if against != 0 && (rose || fell) {
            return (at + against.trailing_zeros() as usize + 1, fell);
        }
        i = at + S::L;
    }
    (keys.len(), fell)
}

/// Merges runs that lie between `ends`, the two shortest neighbours first.
fn merge_all<K: Copy + Ord>(keys: &mut [K], ends: &mut [usize], aside: &mut [K]) {
    let mut runs = ends.len() - 1;
    while runs > 1 {
        let least = (0..runs - 1).min_by_key(|&i| ends[i + 2] - ends[i]).unwrap_or_default();
        let (start, middle, end) = (ends[least], ends[least + 1], ends[least + 2]);
        merge(&mut keys[start..end], middle - start, aside);
        ends.copy_within(least + 2.., least + 1);
        runs -= 1;
    }
}

/// Merges `keys[..middle]` and `keys[middle..]`, which are in order.
fn merge<K: Copy + Ord>(keys: &mut [K], middle: usize, aside: &mut [K]) {
    let (last, first) = (keys[middle - 1], keys[middle]);
    let start = keys[..middle].partition_point(|&k| k <= first);
    let end = middle + keys[middle..].partition_point(|&k| k < last);
    let (a, b) = (middle - start, end - middle);
    let keys = &mut keys[start..end];
    if b * MUCH < a {
        aside[..b].copy_from_slice(&keys[a..]);
        put_in_from_back(keys, a, &aside[..b]);
    } else if a * MUCH < b {
        aside[..a].copy_from_slice(&keys[..a]);
        put_in_from_front(keys, a, &aside[..a]);
    } else {
        let aside = &mut aside[..a + b];
        merge_both_ways(&keys[..a], &keys[a..], aside);
        keys.copy_from_slice(aside);
    }
}

/// Puts a few keys in among the first `n`; there are as many places behind those.
fn put_in_from_back<K: Copy + Ord>(keys: &mut [K], n: usize, few: &[K]) {
    let (mut left, mut place) = (n, keys.len());
    for &k in few.iter().rev() {
        let at = keys[..left].partition_point(|&other| other <= k);
        place -= left - at + 1;
        keys.copy_within(at..left, place + 1);
        keys[place] = k;
        left = at;
    }
}

/// Puts a few keys in among those from place `n` on; there are as many places before those.
fn put_in_from_front<K: Copy + Ord>(keys: &mut [K], n: usize, few: &[K]) {
    let (mut next, mut place) = (n, 0);
    for &k in few {
        let at = next + keys[next..].partition_point(|&other| other < k);
        keys.copy_within(next..at, place);
        place += at - next;
        keys[place] = k;
        place += 1;
        next = at;
    }
}

/// Merges from both ends at once, so that one waits for its keys while the other works.
fn merge_both_ways<K: Copy + Ord>(mut a: &[K], mut b: &[K], mut out: &mut [K]) {
    loop {
        let steps = a.len().min(b.len());
        if steps == 0 {
            break;
        }
        let (mut i, mut j, mut k, mut l) = (0, 0, a.len(), b.len());
        let n = out.len();
        for step in 0..steps {
            // SAFETY: `i + j` is the number of steps made, less than the lengths of both.
            let (x, y) = unsafe { (*a.get_unchecked(i), *b.get_unchecked(j)) };
            let first = y < x;
            out[step] = std::hint::select_unpredictable(first, y, x);
            (i, j) = (i + usize::from(!first), j + usize::from(first));
            // SAFETY: as many steps were made from the ends.
            let (x, y) = unsafe { (*a.get_unchecked(k - 1), *b.get_unchecked(l - 1)) };
            let last = y < x;
            out[n - 1 - step] = std::hint::select_unpredictable(last, x, y);
            (k, l) = (k - usize::from(last), l - usize::from(!last));
        }
        (a, b) = (&a[i..k], &b[j..l]);
        out = &mut out[steps..n - steps];
    }
    let rest = if a.is_empty() { b } else { a };
    out.copy_from_slice(rest);
}
