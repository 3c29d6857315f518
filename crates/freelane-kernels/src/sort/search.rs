//! Places of values in sorted keys.
use super::keys::Keyed;

/// Which place counts among equal elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Before the first.
    Left,
    /// Behind the last.
    Right,
}

/// Searches that go on at once: each waits for memory while the others work.
const AT_ONCE: usize = 16;

/// For each of `n` values the place in `sorted` where it can stand; strides in bytes.
///
/// # Safety
/// There are `n` values of `T` to read and places to write, and `len` sorted elements side by side, aligned.
pub type SearchLoop = unsafe fn(
    sorted: *const u8,
    len: usize,
    n: usize,
    values: *const u8,
    stride: isize,
    out: *mut i64,
    out_stride: isize,
);

/// The loop for elements of a type.
pub fn insertion_points<T: Keyed>(side: Side) -> SearchLoop {
    match side {
        Side::Left => search::<T, false>,
        Side::Right => search::<T, true>,
    }
}

unsafe fn search<T: Keyed, const RIGHT: bool>(
    sorted: *const u8,
    len: usize,
    n: usize,
    values: *const u8,
    stride: isize,
    out: *mut i64,
    out_stride: isize,
) {
    // SAFETY: the caller promises that the elements lie side by side.
    let sorted = unsafe { std::slice::from_raw_parts(sorted.cast::<T>(), len) };
    let mut from = 0;
    while from < n {
        let count = AT_ONCE.min(n - from);
        let value = |i: usize| {
            let at = values.wrapping_offset((from + i) as isize * stride);
            // SAFETY: the caller promises `n` values.
            unsafe { at.cast::<T>().read_unaligned() }
        };
        let mut wanted = [value(0); AT_ONCE];
        for (i, wanted) in wanted[..count].iter_mut().enumerate() {
            *wanted = value(i);
        }
        let places = if count == 1 {
            [places::<T, RIGHT, 1>(sorted, [wanted[0]])[0]; AT_ONCE]
        } else {
            places::<T, RIGHT, AT_ONCE>(sorted, wanted)
        };
        for (i, &place) in places[..count].iter().enumerate() {
            // SAFETY: the caller promises `n` places.
            unsafe { out.byte_offset((from + i) as isize * out_stride).write(place as i64) };
        }
        from += count;
    }
}

/// How many elements are before each value. Halves the part that is left without branches, for all values at once.
#[inline(always)]
fn places<T: Keyed, const RIGHT: bool, const N: usize>(sorted: &[T], values: [T; N]) -> [usize; N] {
    let before = |x: T, value: T| if RIGHT { x.precedes(value, false) } else { !value.precedes(x, false) };
    let mut places = [0; N];
    let mut left = sorted.len();
    while left > 1 {
        let half = left / 2;
        for (place, &value) in places.iter_mut().zip(&values) {
            // SAFETY: every place is at most `len - left`.
            let middle = unsafe { *sorted.get_unchecked(*place + half - 1) };
            // No branch, since which half it is follows no pattern.
            *place = std::hint::select_unpredictable(before(middle, value), *place + half, *place);
        }
        left -= half;
    }
    if left == 1 {
        for (place, &value) in places.iter_mut().zip(&values) {
            *place += usize::from(before(sorted[*place], value));
        }
    }
    places
}

/// For each of `x` whether the sorted elements, of which there is one at least, have it, or `inverted` whether they do not.
pub fn is_in_sorted<T: Keyed + PartialEq>(x: &[T], sorted: &[T], inverted: bool, out: &mut [bool]) {
    for (x, out) in x.chunks(AT_ONCE).zip(out.chunks_mut(AT_ONCE)) {
        let mut wanted = [x[0]; AT_ONCE];
        wanted[..x.len()].copy_from_slice(x);
        let places = places::<T, false, AT_ONCE>(sorted, wanted);
        for ((o, &x), place) in out.iter_mut().zip(x).zip(places) {
            *o = (sorted[place.min(sorted.len() - 1)] == x) != inverted;
        }
    }
}
