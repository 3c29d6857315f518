//! Moving elements whose places are computed: bytes are copied, whatever they mean.
//!
//! Indices become offsets in bytes, a tile at a time ([`offsets`]); elements then move from there ([`gather_loop`]) or
//! to there ([`scatter_loop`]). A mask needs no offsets where its elements lie as the mask's do ([`compress_loop`],
//! [`fill_loop`]), and gives its positions otherwise ([`positions`]).
use std::ptr::copy_nonoverlapping;

/// An integer that can be an index. Negative ones count from the back.
pub trait IndexInt: Copy {
    /// The value, or the nearest that fits.
    fn index(self) -> i64;
}

macro_rules! index_ints {
    ($($T:ty)*) => { $(impl IndexInt for $T { #[inline(always)] fn index(self) -> i64 { self as i64 } })* };
}
index_ints!(i8 i16 i32 i64 u8 u16 u32);

impl IndexInt for u64 {
    #[inline(always)]
    fn index(self) -> i64 {
        self.min(i64::MAX as u64) as i64
    }
}

/// Adds `index * step` to each of `out`, for as many indices, `stride` bytes apart. Says whether every index lies inside
/// of an axis of length `len`; if not, `out` is of no use.
///
/// # Safety
/// `indices` can be read for `out.len()` elements of `T` at that stride.
pub unsafe fn offsets<T: IndexInt>(
    indices: *const u8,
    stride: isize,
    len: usize,
    step: isize,
    out: &mut [isize],
) -> bool {
    if stride == size_of::<T>() as isize {
        // SAFETY: as the caller promises.
        return unsafe { add_offsets::<T>(indices, size_of::<T>() as isize, len, step, out) };
    }
    // SAFETY: as the caller promises.
    unsafe { add_offsets::<T>(indices, stride, len, step, out) }
}

#[inline(always)]
unsafe fn add_offsets<T: IndexInt>(
    indices: *const u8,
    stride: isize,
    len: usize,
    step: isize,
    out: &mut [isize],
) -> bool {
    let mut outside = false;
    for (i, o) in out.iter_mut().enumerate() {
        // SAFETY: the caller promises that index `i` can be read.
        let index = unsafe { indices.offset(i as isize * stride).cast::<T>().read_unaligned() }.index();
        let at = index.wrapping_add(len as i64 & (index >> 63));
        outside |= at as u64 >= len as u64;
        *o = o.wrapping_add((at as isize).wrapping_mul(step));
    }
    !outside
}

/// A loop for chunks of `$bytes`: compiled for each of some sizes, for others as `$other` says, with a size of 0.
macro_rules! of_size {
    ($bytes:expr, [$($size:literal)*], |$B:ident| $run:expr, $other:expr) => {
        match $bytes {
            $($size => {
                const $B: usize = $size;
                $run
            })*
            _ => $other,
        }
    };
}

/// Moves one chunk of bytes for each offset. The last argument is the size of a chunk.
pub type MoveLoop = unsafe fn(at: *mut u8, offsets: &[isize], other: *mut u8, stride: isize, bytes: usize);

/// Chunks at `at + offset` go to `other`, `stride` bytes apart.
///
/// # Safety (of the loop)
/// Every chunk can be read at its offset and written at its place in `other`.
pub fn gather_loop(bytes: usize) -> MoveLoop {
    move_loop::<false>(bytes)
}

/// Chunks at `other`, `stride` bytes apart, go to `at + offset`; of those with one offset the last remains.
///
/// # Safety (of the loop)
/// Every chunk can be read at its place in `other` and written at its offset.
pub fn scatter_loop(bytes: usize) -> MoveLoop {
    move_loop::<true>(bytes)
}

fn move_loop<const SCATTER: bool>(bytes: usize) -> MoveLoop {
    of_size!(bytes, [1 2 4 8 16 32 64], |B| move_each::<B, SCATTER>, move_each::<0, SCATTER>)
}

/// `BYTES` is the size of a chunk; 0: it is the argument.
unsafe fn move_each<const BYTES: usize, const SCATTER: bool>(
    at: *mut u8,
    offsets: &[isize],
    other: *mut u8,
    stride: isize,
    bytes: usize,
) {
    let bytes = if BYTES == 0 { bytes } else { BYTES };
    for (i, &offset) in offsets.iter().enumerate() {
        let (a, b) = (at.wrapping_offset(offset), other.wrapping_offset(i as isize * stride));
        let (from, to) = if SCATTER { (b, a) } else { (a, b) };
        // SAFETY: the caller promises that the chunk can be read and written; the two belong to different arrays.
        unsafe { copy_nonoverlapping(from, to, bytes) };
    }
}

/// Copies `n` elements from one stride to another, both in bytes.
pub type CopyLoop = unsafe fn(n: usize, from: *const u8, stride: isize, to: *mut u8, to_stride: isize);

/// The loop for elements of a size, of those that there are.
///
/// # Safety (of the loop)
/// There are `n` elements to read and as many places to write, in another array.
pub fn copy_loop(bytes: usize) -> Option<CopyLoop> {
    of_size!(bytes, [1 2 4 8 16], |B| Some(copy_each::<B>), None)
}

unsafe fn copy_each<const BYTES: usize>(n: usize, from: *const u8, stride: isize, to: *mut u8, to_stride: isize) {
    const TOGETHER: usize = 4;
    let one = |i: usize| {
        let (from, to) = (from.wrapping_offset(i as isize * stride), to.wrapping_offset(i as isize * to_stride));
        // SAFETY: the caller promises element and place.
        unsafe { copy_nonoverlapping(from, to, BYTES) };
    };
    let whole = n / TOGETHER * TOGETHER;
    for i in (0..whole).step_by(TOGETHER) {
        (i..i + TOGETHER).for_each(one);
    }
    (whole..n).for_each(one);
}

/// Writes chunks side by side, each several times in a row. The last argument is the size of a chunk.
pub type RepeatLoop = unsafe fn(from: *const u8, times: Times<'_>, to: *mut u8, bytes: usize);

/// How often each chunk comes.
#[derive(Clone, Copy, Debug)]
pub enum Times<'a> {
    /// So many chunks, each so often.
    All(usize, usize),
    /// Each as often as its count says.
    Each(&'a [usize]),
}

/// The loop for chunks of a size.
///
/// # Safety (of the loop)
/// There is a chunk to read for each count, and room for as many chunks as the counts add up to, in another array.
pub fn repeat_loop(bytes: usize) -> RepeatLoop {
    of_size!(bytes, [1 2 4 8 16], |B| repeat::<B>, repeat::<0>)
}

/// Copies that are made without asking how many are wanted: those beyond are written over by the next chunk.
const AHEAD: usize = 4;

unsafe fn repeat<const BYTES: usize>(mut from: *const u8, times: Times<'_>, mut to: *mut u8, bytes: usize) {
    let bytes = if BYTES == 0 { bytes } else { BYTES };
    match times {
        Times::All(chunks, times) => {
            let mut room = chunks * times;
            for _ in 0..chunks {
                let ahead = if BYTES != 0 { times.next_multiple_of(AHEAD) } else { times };
                if ahead <= room {
                    for i in (0..times).step_by(if BYTES != 0 { AHEAD } else { 1 }) {
                        for j in 0..if BYTES != 0 { AHEAD } else { 1 } {
                            // SAFETY: the caller promises the chunk, and there is room for `ahead` of them.
                            unsafe { copy_nonoverlapping(from, to.wrapping_add((i + j) * bytes), bytes) };
                        }
                    }
                } else {
                    for i in 0..times {
                        // SAFETY: the caller promises this chunk and its places.
                        unsafe { copy_nonoverlapping(from, to.wrapping_add(i * bytes), bytes) };
                    }
                }
                to = to.wrapping_add(times * bytes);
                from = from.wrapping_add(bytes);
                room -= times;
            }
        }
        Times::Each(counts) => {
            let mut room: usize = counts.iter().sum();
            for &count in counts {
                let ahead = if BYTES != 0 && room >= AHEAD { AHEAD } else { 0 };
                for i in 0..count.max(ahead) {
                    // SAFETY: the caller promises the chunk, and there is room for `count` and for `ahead` of them.
                    unsafe { copy_nonoverlapping(from, to.wrapping_add(i * bytes), bytes) };
                }
                to = to.wrapping_add(count * bytes);
                from = from.wrapping_add(bytes);
                room -= count;
            }
        }
    }
}

/// Moves the elements that indices name along one axis of length `len`, whose neighbours lie `step` bytes apart. False, with
/// the rest unmoved, at the first index outside of it.
pub type LineLoop = unsafe fn(
    n: usize,
    indices: *const u8,
    len: usize,
    at: *mut u8,
    step: isize,
    other: *mut u8,
    stride: isize,
) -> bool;

/// As [`gather_loop`], straight from indices side by side; `None` for sizes that have no such loop.
///
/// # Safety (of the loop)
/// There are `n` indices of type `T`, aligned; `at` is the first of `len` elements to read, `other` of `n` to write.
pub fn gather_line<T: IndexInt>(bytes: usize) -> Option<LineLoop> {
    line::<T, false>(bytes)
}

/// As [`scatter_loop`], straight from indices side by side; `None` for sizes that have no such loop.
///
/// # Safety (of the loop)
/// There are `n` indices of type `T`, aligned; `at` is the first of `len` elements to write, `other` of `n` to read.
pub fn scatter_line<T: IndexInt>(bytes: usize) -> Option<LineLoop> {
    line::<T, true>(bytes)
}

fn line<T: IndexInt, const SCATTER: bool>(bytes: usize) -> Option<LineLoop> {
    of_size!(bytes, [1 2 4 8 16], |B| Some(move_line::<T, B, SCATTER>), None)
}

unsafe fn move_line<T: IndexInt, const BYTES: usize, const SCATTER: bool>(
    n: usize,
    indices: *const u8,
    len: usize,
    at: *mut u8,
    step: isize,
    other: *mut u8,
    stride: isize,
) -> bool {
    // SAFETY: the caller promises `n` aligned indices.
    let indices = unsafe { std::slice::from_raw_parts(indices.cast::<T>(), n) };
    if step == BYTES as isize {
        // SAFETY: as the caller promises.
        return unsafe { move_each_of::<T, BYTES, SCATTER>(indices, len, at, BYTES as isize, other, stride) };
    }
    // SAFETY: as the caller promises.
    unsafe { move_each_of::<T, BYTES, SCATTER>(indices, len, at, step, other, stride) }
}

#[inline(always)]
unsafe fn move_each_of<T: IndexInt, const BYTES: usize, const SCATTER: bool>(
    indices: &[T],
    len: usize,
    at: *mut u8,
    step: isize,
    mut other: *mut u8,
    stride: isize,
) -> bool {
    let mut one = |i: usize| {
        let element = at.wrapping_offset(i as isize * step);
        let (from, to) = if SCATTER { (other, element) } else { (element, other) };
        // SAFETY: `i` is below `len`; the caller promises that the element can be moved, and the two belong to different arrays.
        unsafe { copy_nonoverlapping(from, to, BYTES) };
        other = other.wrapping_offset(stride);
    };
    let (chunks, rest) = indices.as_chunks::<16>();
    for chunk in chunks {
        if from_front(chunk, len) {
            chunk.iter().for_each(|index| one(index.index() as usize));
            continue;
        }
        for &index in chunk {
            let Some(i) = place(index, len) else { return false };
            one(i);
        }
    }
    for &index in rest {
        let Some(i) = place(index, len) else { return false };
        one(i);
    }
    true
}

/// Whether all lie inside of an axis of length `len` and are counted from the front. No sign bit is set then, neither of an index
/// nor of its distance from the last.
#[inline(always)]
fn from_front<T: IndexInt>(indices: &[T; 16], len: usize) -> bool {
    let last = len as i64 - 1;
    indices.iter().fold(0, |all, i| all | i.index() | last.wrapping_sub(i.index())) >= 0
}

/// An index counted from the front, if it lies inside of an axis of length `len`.
#[inline(always)]
fn place<T: IndexInt>(index: T, len: usize) -> Option<usize> {
    let index = index.index();
    let at = index.wrapping_add(len as i64 & (index >> 63)) as u64;
    (at < len as u64).then_some(at as usize)
}

/// Whether every index lies inside of an axis of length `len`.
pub fn all_inside<T: IndexInt>(indices: &[T], len: usize) -> bool {
    // From -len on below len: moved up by len, the numbers below twice the length.
    let (up, end) = (len as i64, 2 * len as u64);
    let inside = |part: &[T]| part.iter().fold(true, |all, &i| all & ((i.index().wrapping_add(up) as u64) < end));
    indices.chunks(256).all(inside)
}

/// How many are true.
pub fn count(mask: &[bool]) -> usize {
    let few = |part: &[bool]| part.iter().fold(0u8, |n, &m| n + u8::from(m)) as usize;
    mask.chunks(255).map(few).sum()
}

/// Calls `put(i, k)` for the `k`th true at `i`. Calls beyond those may come in between: each is made good by a later one
/// with the same `k`, which is less than `count`, the number of true values.
#[inline(always)]
fn for_each_true(mask: &[bool], count: usize, mut put: impl FnMut(usize, usize)) {
    let (words, _) = mask.as_chunks::<8>();
    let (mut i, mut k) = (0, 0);
    for word in words {
        if count - k < 8 {
            break;
        }
        if *word != [false; 8] {
            // No branch, since masks follow no pattern.
            for (j, &m) in word.iter().enumerate() {
                put(i + j, k);
                k += usize::from(m);
            }
        }
        i += 8;
    }
    while k < count {
        if mask[i] {
            put(i, k);
            k += 1;
        }
        i += 1;
    }
}

/// Moves the elements of `from` where the mask is true to `to`, side by side. The last arguments are how many those are,
/// and the size of an element.
pub type CompressLoop = unsafe fn(mask: &[bool], from: *const u8, to: *mut u8, count: usize, bytes: usize);

/// The loop for elements of a size.
///
/// # Safety (of the loop)
/// `from` holds an element for each of the mask, `to` has room for `count`, and that is the number of true values.
pub fn compress_loop(bytes: usize) -> CompressLoop {
    of_size!(bytes, [1 2 4 8 16], |B| compress::<B>, compress::<0>)
}

unsafe fn compress<const BYTES: usize>(mask: &[bool], from: *const u8, to: *mut u8, count: usize, bytes: usize) {
    let bytes = if BYTES == 0 { bytes } else { BYTES };
    for_each_true(mask, count, |i, k| {
        // SAFETY: `i` is inside of the mask and `k` below the count.
        unsafe { copy_nonoverlapping(from.wrapping_add(i * bytes), to.wrapping_add(k * bytes), bytes) };
    });
}

/// Writes `base + i * step` for each true element `i`, until `to` is full.
///
/// # Panics
/// If there are more places than true elements.
pub fn positions(mask: &[bool], base: i64, step: i64, to: &mut [std::mem::MaybeUninit<i64>]) {
    for_each_true(mask, to.len(), |i, k| {
        to[k].write(base.wrapping_add(step.wrapping_mul(i as i64)));
    });
}

/// Writes one element wherever the mask is true. The last argument is the element's size.
pub type FillLoop = unsafe fn(mask: &[bool], value: *const u8, to: *mut u8, bytes: usize);

/// The loop for elements of a size.
///
/// # Safety (of the loop)
/// `value` holds an element, and `to` one for each of the mask; nobody else reads or writes those.
pub fn fill_loop(bytes: usize) -> FillLoop {
    of_size!(bytes, [1 2 4 8 16], |B| fill::<B>, fill::<0>)
}

unsafe fn fill<const BYTES: usize>(mask: &[bool], value: *const u8, to: *mut u8, bytes: usize) {
    let bytes = if BYTES == 0 { bytes } else { BYTES };
    for (w, word) in mask.chunks(8).enumerate() {
        if word.contains(&true) {
            for (j, &m) in word.iter().enumerate() {
                let place = to.wrapping_add((w * 8 + j) * bytes);
                // Writes itself back where the mask is false: no branch.
                let from = if m { value } else { place.cast_const() };
                // SAFETY: both hold an element, and they are one place or lie in different arrays.
                unsafe { std::ptr::copy(from, place, bytes) };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::mem::MaybeUninit;

    /// Masks of many lengths, from all false to all true.
    fn masks() -> impl Iterator<Item = Vec<bool>> {
        let of = |n: usize, level: u64| -> Vec<bool> {
            (0..n as u64).map(|i| (i + 7).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 62 < level).collect()
        };
        [0, 1, 7, 8, 9, 31, 64, 300, 1001].into_iter().flat_map(move |n| (0..5).map(move |level| of(n, level)))
    }

    #[test]
    fn masks_are_counted_and_compressed() {
        for mask in masks() {
            let want: Vec<i64> = (0..mask.len() as i64).filter(|&i| mask[i as usize]).map(|i| 5 - 3 * i).collect();
            assert_eq!(count(&mask), want.len());
            let mut got = vec![MaybeUninit::new(0); want.len()];
            positions(&mask, 5, -3, &mut got);
            // SAFETY: initialised from the start.
            let got: Vec<i64> = got.iter().map(|v| unsafe { v.assume_init() }).collect();
            assert_eq!(got, want);
            for bytes in [1, 2, 4, 8, 16, 3] {
                let from: Vec<u8> = (0..mask.len() * bytes).map(|i| (i % 251) as u8).collect();
                let want: Vec<u8> = (0..from.len()).filter(|i| mask[i / bytes]).map(|i| from[i]).collect();
                let mut got = vec![0; want.len()];
                // SAFETY: sized for the mask and its true values.
                unsafe { compress_loop(bytes)(&mask, from.as_ptr(), got.as_mut_ptr(), want.len() / bytes, bytes) };
                assert_eq!(got, want, "{bytes} bytes");
            }
        }
    }

    #[test]
    fn chunks_are_repeated() {
        for counts in [vec![], vec![0], vec![3, 0, 1, 9, 2, 0, 0, 5], vec![1, 1, 1], vec![0, 4, 0, 0, 0]] {
            for bytes in [1, 2, 4, 8, 16, 3] {
                let from: Vec<u8> = (0..counts.len() * bytes).map(|i| i as u8).collect();
                let chunk = |i: usize, n: usize| from[i * bytes..(i + 1) * bytes].repeat(n);
                let run = |times: Times<'_>, want: Vec<u8>| {
                    let mut got = vec![0; want.len()];
                    // SAFETY: sized for the chunks and the counts.
                    unsafe { repeat_loop(bytes)(from.as_ptr(), times, got.as_mut_ptr(), bytes) };
                    assert_eq!(got, want, "{bytes} bytes, {times:?}");
                };
                run(Times::Each(&counts), counts.iter().enumerate().flat_map(|(i, &n)| chunk(i, n)).collect());
                run(Times::All(counts.len(), 3), (0..counts.len()).flat_map(|i| chunk(i, 3)).collect());
            }
        }
    }

    #[test]
    fn filling_touches_true_elements_only() {
        for mask in masks() {
            for bytes in [1, 2, 4, 8, 16, 5] {
                let value = vec![99u8; bytes];
                let mut got: Vec<u8> = (0..mask.len() * bytes).map(|i| (i % 97) as u8).collect();
                let want: Vec<u8> =
                    got.iter().enumerate().map(|(i, &b)| if mask[i / bytes] { 99 } else { b }).collect();
                // SAFETY: sized for the mask.
                unsafe { fill_loop(bytes)(&mask, value.as_ptr(), got.as_mut_ptr(), bytes) };
                assert_eq!(got, want, "{bytes} bytes");
            }
        }
    }

    #[test]
    fn indices_wrap_and_are_checked() {
        let run = |indices: &[i64], len| {
            let mut out = vec![1000; indices.len()];
            // SAFETY: as many indices as offsets.
            let inside = unsafe { offsets::<i64>(indices.as_ptr().cast(), 8, len, 10, &mut out) };
            inside.then_some(out)
        };
        assert_eq!(run(&[0, 4, -1, -5], 5), Some(vec![1000, 1040, 1040, 1000]));
        for bad in [5, -6, i64::MAX, i64::MIN] {
            assert_eq!(run(&[0, bad, 1], 5), None, "{bad}");
        }
        assert_eq!((run(&[0], 0), run(&[-1], 0), run(&[], 0)), (None, None, Some(vec![])));
        let huge = [u64::MAX];
        // SAFETY: one index, one offset.
        assert!(!unsafe { offsets::<u64>(huge.as_ptr().cast(), 8, 5, 1, &mut [0]) });
        let bytes = [3u8, 9, 1, 9];
        let mut out = [0; 2];
        // SAFETY: two indices, two bytes apart.
        assert!(unsafe { offsets::<u8>(bytes.as_ptr(), 2, 4, 1, &mut out) });
        assert_eq!(out, [3, 1]);
    }

    #[test]
    fn lines_move_as_their_offsets_do() {
        let indices = [3i32, -1, 0, -4, 1];
        for bytes in [1, 2, 4, 8, 16] {
            for step in [bytes as isize, 2 * bytes as isize, -(bytes as isize)] {
                let table: Vec<u8> = (0..8 * bytes).map(|i| i as u8).collect();
                let first = if step < 0 { 3 * bytes } else { 0 };
                let (mut a, mut b) = (table.clone(), table.clone());
                let (mut got, mut want, mut at) = (vec![0; 5 * bytes], vec![0; 5 * bytes], [0; 5]);
                // SAFETY: four elements lie at this step from the first one on, and there are five places.
                let inside = unsafe {
                    let (x, y) = (a.as_mut_ptr().add(first), b.as_mut_ptr().add(first));
                    let (from, stride) = (indices.as_ptr().cast(), bytes as isize);
                    assert!(offsets::<i32>(from, 4, 4, step, &mut at));
                    gather_loop(bytes)(y, &at, want.as_mut_ptr(), stride, bytes);
                    let gathered = gather_line::<i32>(bytes).unwrap()(5, from, 4, x, step, got.as_mut_ptr(), stride);
                    assert_eq!(got, want);
                    got.reverse();
                    scatter_loop(bytes)(y, &at, got.as_mut_ptr(), stride, bytes);
                    gathered && scatter_line::<i32>(bytes).unwrap()(5, from, 4, x, step, got.as_mut_ptr(), stride)
                };
                assert!(inside && a == b && a != table, "{bytes} bytes at {step}");
                // SAFETY: as above; the second index ends it.
                let ended = unsafe {
                    let bad = [1i64, 4, 9];
                    let run = gather_line::<i64>(bytes).unwrap();
                    run(3, bad.as_ptr().cast(), 4, a.as_mut_ptr().add(first), step, got.as_mut_ptr(), bytes as isize)
                };
                assert!(!ended);
            }
        }
        assert!(gather_line::<i64>(3).is_none());
        assert!(all_inside(&[0i64, -5, 4], 5) && !all_inside(&[0i64, -6], 5) && !all_inside(&[u64::MAX], 5));
    }

    #[test]
    fn elements_are_copied_between_strides() {
        for (bytes, n) in [1, 2, 4, 8, 16].into_iter().flat_map(|b| [0, 1, 3, 4, 11].map(|n| (b, n))) {
            let from: Vec<u8> = (0..3 * bytes * n).map(|i| i as u8).collect();
            let mut to = vec![0xee; 2 * bytes * n];
            let run = copy_loop(bytes).unwrap();
            // SAFETY: three times as many elements as are read, twice as many as are written.
            unsafe { run(n, from.as_ptr(), 3 * bytes as isize, to.as_mut_ptr(), 2 * bytes as isize) };
            for i in 0..n {
                assert_eq!(to[2 * i * bytes..][..bytes], from[3 * i * bytes..][..bytes]);
                assert_eq!(to[(2 * i + 1) * bytes..][..bytes], vec![0xee; bytes]);
            }
        }
        assert!(copy_loop(3).is_none());
    }

    #[test]
    fn chunks_of_every_size_move_both_ways() {
        for bytes in [1, 2, 4, 8, 16, 32, 64, 3, 100] {
            let mut table: Vec<u8> = (0..4 * bytes).map(|i| i as u8).collect();
            let offsets = [3, 0, 3].map(|i: isize| i * bytes as isize);
            let mut got = vec![0; 3 * bytes];
            let stride = bytes as isize;
            // SAFETY: three chunks of a table of four.
            unsafe { gather_loop(bytes)(table.as_mut_ptr(), &offsets, got.as_mut_ptr(), stride, bytes) };
            assert_eq!(got, [&table[3 * bytes..], &table[..bytes], &table[3 * bytes..]].concat());
            got[2 * bytes..].fill(77);
            // SAFETY: as above.
            unsafe { scatter_loop(bytes)(table.as_mut_ptr(), &offsets, got.as_mut_ptr(), stride, bytes) };
            assert_eq!(table[3 * bytes..], vec![77; bytes], "the last of two remains");
        }
    }
}
