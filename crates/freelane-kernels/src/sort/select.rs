//! The numbers of elements on either side of one that is somewhere in the order.
use super::keys::Key;

/// Writes the numbers of the keys less than `kth`, then of those equal to it, then of the others, each in ascending order.
pub fn part_numbers<K: Key>(keys: &[K], kth: K, mut put: impl FnMut(usize, i64)) {
    let count = |f: &dyn Fn(K) -> bool| keys.iter().filter(|&&k| f(k)).count();
    let less = count(&|k| k < kth);
    let mut next = [0, less, less + count(&|k| k == kth)];
    for (&k, number) in keys.iter().zip(0..) {
        let next = &mut next[usize::from(k >= kth) + usize::from(k > kth)];
        put(*next, number);
        *next += 1;
    }
}

/// Writes the numbers of the keys less than `kth`, and of the first that are equal to it, until `numbers` is full; those less come
/// first.
pub fn first_numbers<K: Key>(keys: &[K], kth: K, numbers: &mut [i64]) {
    let places = numbers.len();
    let less = keys.iter().filter(|&&k| k < kth).count().min(places);
    let (mut a, mut b) = (0, less);
    for (i, &k) in keys.iter().enumerate() {
        if k <= kth {
            if k < kth && a < less {
                numbers[a] = i as i64;
                a += 1;
            } else if k == kth && b < places {
                numbers[b] = i as i64;
                b += 1;
            }
        }
    }
}
