//! Elements that differ, among sorted ones and among few.

/// Writes the place of the first of each run of equal elements; returns how many there are. What is not equal to itself, NaN,
/// is a run of its own.
///
/// # Panics
/// If there are fewer places than elements.
pub fn heads<T: Copy + PartialEq>(sorted: &[T], places: &mut [i64]) -> usize {
    assert!(places.len() >= sorted.len());
    if sorted.is_empty() {
        return 0;
    }
    places[0] = 0;
    let mut runs = 1;
    for (i, pair) in sorted.windows(2).enumerate() {
        // Written in any case and counted where it is one: no branch.
        places[runs] = i as i64 + 1;
        runs += usize::from(pair[0] != pair[1]);
    }
    runs
}

/// Moves the first of each run of equal elements to the front; returns how many there are.
pub fn distinct<T: Copy + PartialEq>(sorted: &mut [T]) -> usize {
    let Some(&first) = sorted.first() else { return 0 };
    let (mut last, mut runs) = (first, 1);
    for i in 1..sorted.len() {
        let x = sorted[i];
        sorted[runs] = x;
        runs += usize::from(x != last);
        last = x;
    }
    runs
}

/// For each number of `order` the run that its place belongs to, runs beginning at `heads`.
///
/// # Panics
/// If a number is not below the length.
pub fn scatter_runs(order: &[i64], heads: &[i64], to: &mut [i64]) {
    for (run, &start) in heads.iter().enumerate() {
        let end = heads.get(run + 1).map_or(order.len(), |&end| end as usize);
        for &i in &order[start as usize..end] {
            to[i as usize] = run as i64;
        }
    }
}

/// Sets the bit of each member in a table with a bit for every integer from `least` on.
///
/// # Panics
/// When a member lies outside of the table.
pub fn mark(members: &[i64], least: i64, table: &mut [u64]) {
    for &member in members {
        let at = member.wrapping_sub(least) as u64;
        table[(at / 64) as usize] |= 1 << (at % 64);
    }
}

/// For each of `x` whether its bit in the table, which is not empty, is set, or `inverted` whether it is not.
pub fn is_marked(x: &[i64], least: i64, table: &[u64], inverted: bool, out: &mut [bool]) {
    for (&x, out) in x.iter().zip(out) {
        // What is below the least lies far beyond the table.
        let at = x.wrapping_sub(least) as u64;
        let word = table[(at / 64).min(table.len() as u64 - 1) as usize];
        let inside = at / 64 < table.len() as u64;
        *out = (inside & (word >> (at % 64) & 1 == 1)) != inverted;
    }
}

/// Whether each of `x` equals one of a few values, or `inverted` none of them.
pub fn is_one_of<T: Copy + PartialEq>(x: &[T], few: &[T], inverted: bool, out: &mut [bool]) {
    for (x, out) in x.chunks(256).zip(out.chunks_mut(256)) {
        out.fill(inverted);
        for &value in few {
            for (o, &x) in out.iter_mut().zip(x) {
                *o ^= (x == value) & (*o == inverted);
            }
        }
    }
}
