//! Keys of 8 and 16 bits, which are few: their numbers say where each goes.
use super::SortKey;
use super::keys::Key;
use freelane_simd::Isa;

/// Keys that go into the registers of a network.
pub const FEW: usize = 256;

/// Keys of 16 bits from which all of them are counted at once.
pub const MANY_16: usize = 1 << 18;

/// Counters that [`sort_16`] needs for so many keys.
pub const fn counters(keys: usize) -> usize {
    if keys < MANY_16 { 0 } else { 2 << 16 }
}

/// Sorts keys of 8 bits.
pub fn sort_8(keys: &mut [i8]) {
    let counts = count(keys.iter().map(|&k| top(k.into(), 0)));
    let mut rest = keys;
    for (digit, n) in counts.into_iter().enumerate() {
        let (now, later) = rest.split_at_mut(n);
        now.fill((digit as i32 - 128) as i8);
        rest = later;
    }
}

/// Sorts keys of 16 bits. `aside` has room for as many, `counts` are [`counters`].
pub fn sort_16(isa: Isa, keys: &mut [i16], aside: &mut [i16], counts: &mut [i64]) {
    if keys.len() <= FEW {
        sort_few(isa, keys);
    } else if keys.len() < MANY_16 {
        let [lows, tops] = count_both(keys.iter().map(|&k| k.into())).map(starts);
        deal(keys.iter().copied(), lows, |k| low(k.into()), |place, k| aside[place] = k);
        deal(aside[..keys.len()].iter().copied(), tops, |k| top(k.into(), 8), |place, k| keys[place] = k);
    } else if keys.len() > u32::MAX as usize {
        keys.sort_unstable();
    } else {
        sort_counted(keys, counts);
    }
}

fn sort_few(isa: Isa, keys: &mut [i16]) {
    sort_rows(isa, keys, keys.len(), |w| w as i16);
}

/// Sorts rows of `n <= FEW` keys each.
pub fn sort_rows_8(isa: Isa, keys: &mut [i8], n: usize) {
    sort_rows(isa, keys, n, |w| w as i8);
}

/// Sorts rows of `n <= FEW` keys each.
pub fn sort_rows_16(isa: Isa, keys: &mut [i16], n: usize) {
    sort_rows(isa, keys, n, |w| w as i16);
}

fn sort_rows<K: Narrow>(isa: Isa, keys: &mut [K], n: usize, narrow: impl Fn(i32) -> K) {
    let (mut wide, mut aside) = ([0; 4 * FEW], [0; FEW]);
    let n = n.max(1);
    for rows in keys.chunks_mut(wide.len() / n * n) {
        let wide = &mut wide[..rows.len()];
        wide.iter_mut().zip(&*rows).for_each(|(w, &k)| *w = k.into());
        i32::sort_rows(isa, wide, n, &mut aside);
        rows.iter_mut().zip(&*wide).for_each(|(k, &w)| *k = narrow(w));
    }
}

fn sort_counted(keys: &mut [i16], counts: &mut [i64]) {
    // Two counts, since one waits for itself where equal keys follow one another.
    let (even, odd) = counts.split_at_mut(1 << 16);
    even.fill(0);
    odd.fill(0);
    let place = |k: i16| (k as u16 ^ 0x8000) as usize;
    for pair in keys.chunks(2) {
        even[place(pair[0])] += 1;
        if let Some(&k) = pair.get(1) {
            odd[place(k)] += 1;
        }
    }
    let mut rest = keys;
    for (i, (&a, &b)) in even.iter().zip(&*odd).enumerate() {
        let (now, later) = rest.split_at_mut((a + b) as usize);
        now.fill((i as i32 - 0x8000) as i16);
        rest = later;
    }
}

/// A key of 8 or 16 bits.
pub trait Narrow: Key + Into<i32> {
    /// Its digits.
    const DIGITS: usize;
}
impl Narrow for i8 {
    const DIGITS: usize = 1;
}
impl Narrow for i16 {
    const DIGITS: usize = 2;
}

/// Calls `put` with each place in order and the number of the key that goes there; of equal keys, the first first. Two digits need
/// an `aside` for as many numbers as there are keys.
pub fn order_narrow<K: Narrow>(keys: &[K], aside: &mut [i64], mut put: impl FnMut(usize, i64)) {
    let shift = 8 * (K::DIGITS as u32 - 1);
    let first = |k: K| if K::DIGITS == 1 { top(k.into(), 0) } else { low(k.into()) };
    if K::DIGITS == 1 {
        let firsts = starts(count(keys.iter().map(|&k| first(k))));
        return deal(keys.iter().zip(0..), firsts, |(&k, _)| first(k), |place, (_, i)| put(place, i));
    }
    let [firsts, tops] = count_both(keys.iter().map(|&k| k.into())).map(starts);
    // The other digit travels in the low byte.
    let both = keys.iter().zip(0..).map(|(&k, i)| (first(k), i << 8 | top(k.into(), shift) as i64));
    deal(both, firsts, |(digit, _)| digit, |place, (_, i)| aside[place] = i);
    deal(aside[..keys.len()].iter(), tops, |i| (i & 0xff) as usize, |place, i| put(place, i >> 8));
}

/// The lowest digit of a key.
#[inline(always)]
fn low(k: i32) -> usize {
    (k & 0xff) as usize
}

/// The highest digit, so that digits compare as signed keys do.
#[inline(always)]
fn top(k: i32, shift: u32) -> usize {
    (k >> shift & 0xff ^ 0x80) as usize
}

/// How often each digit comes. Four counts at once, since one waits for itself where equal digits follow one another.
#[inline(always)]
fn count(digits: impl Iterator<Item = usize>) -> [usize; 256] {
    let mut counts = [[0u32; 256]; 4];
    let mut all = [0usize; 256];
    for (i, digit) in digits.enumerate() {
        counts[i & 3][digit & 0xff] += 1;
        if i & 0xffff_ffff == 0xffff_ffff {
            add(&mut all, &mut counts);
        }
    }
    add(&mut all, &mut counts);
    all
}

/// The same for both digits of keys of 16 bits.
#[inline(always)]
fn count_both(keys: impl Iterator<Item = i32>) -> [[usize; 256]; 2] {
    let mut counts = [[[0usize; 256]; 2]; 2];
    for (i, k) in keys.enumerate() {
        counts[i & 1][0][low(k)] += 1;
        counts[i & 1][1][top(k, 8)] += 1;
    }
    std::array::from_fn(|digit| std::array::from_fn(|i| counts[0][digit][i] + counts[1][digit][i]))
}

fn add(all: &mut [usize; 256], counts: &mut [[u32; 256]; 4]) {
    for (i, n) in all.iter_mut().enumerate() {
        *n += counts.iter_mut().map(|c| std::mem::take(&mut c[i]) as usize).sum::<usize>();
    }
}

/// Where the first of each digit goes.
fn starts(counts: [usize; 256]) -> [usize; 256] {
    let mut end = 0;
    counts.map(|n| {
        end += n;
        end - n
    })
}

/// Gives each item the next place of its digit.
#[inline(always)]
fn deal<T: Copy>(
    items: impl Iterator<Item = T>,
    mut starts: [usize; 256],
    digit: impl Fn(T) -> usize,
    mut put: impl FnMut(usize, T),
) {
    for item in items {
        let start = &mut starts[digit(item) & 0xff];
        put(*start, item);
        *start += 1;
    }
}
