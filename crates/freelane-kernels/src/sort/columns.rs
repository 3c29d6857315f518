//! Columns of keys side by side, each sorted by itself: exchanges of whole rows, in an order that the length fixes.
use super::keys::Key;
use freelane_simd::Isa;

/// Columns side by side.
pub const COLUMNS: usize = 16;

/// Keys of a column at most: of more, each column by itself is sorted sooner.
pub const DEPTH: usize = 256;

/// Sorts each column.
pub fn sort_columns<K: Key>(isa: Isa, rows: &mut [[K; COLUMNS]]) {
    match isa {
        // SAFETY: the CPU has the instructions, as just asked.
        #[cfg(target_arch = "x86_64")]
        Isa::Avx512 if isa.is_supported() => unsafe { avx512(rows) },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        Isa::Avx2 if isa.is_supported() => unsafe { avx2(rows) },
        _ => merge_exchange(rows),
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw,avx512cd,avx2")]
fn avx512<K: Key>(rows: &mut [[K; COLUMNS]]) {
    merge_exchange(rows);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn avx2<K: Key>(rows: &mut [[K; COLUMNS]]) {
    merge_exchange(rows);
}

/// Batcher's merge exchange (Knuth, The Art of Computer Programming, 5.2.2, algorithm M).
#[inline(always)]
fn merge_exchange<K: Key>(rows: &mut [[K; COLUMNS]]) {
    let n = rows.len();
    if n < 2 {
        return;
    }
    let most = n.next_power_of_two() / 2;
    let mut p = most;
    while p > 0 {
        let (mut q, mut r, mut d) = (most, 0, p);
        loop {
            for i in 0..n - d {
                if i & p == r {
                    exchange(rows, i, i + d);
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

/// Puts the smaller keys of two rows into the first.
#[inline(always)]
fn exchange<K: Key>(rows: &mut [[K; COLUMNS]], i: usize, j: usize) {
    let (a, b) = (rows[i], rows[j]);
    let (mut low, mut high) = (a, b);
    for c in 0..COLUMNS {
        low[c] = if b[c] < a[c] { b[c] } else { a[c] };
        high[c] = if b[c] < a[c] { a[c] } else { b[c] };
    }
    (rows[i], rows[j]) = (low, high);
}
