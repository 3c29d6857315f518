//! Where the lines of an array lie, and the way between them and contiguous memory.
use freelane_array::Layout;
use smallvec::SmallVec;

/// The lines of two arrays along one axis: those of the source and those of the result. All distances are in bytes.
pub(crate) struct Lines {
    /// Length, and distance of neighbours in either array, of the other axes.
    others: SmallVec<[(usize, isize, isize); 4]>,
    count: usize,
    /// Distance of neighbours along the lines of the source.
    pub(crate) from_step: isize,
    /// Distance of neighbours along the lines of the result.
    pub(crate) to_step: isize,
}

impl Lines {
    /// The lines along `axis`; the other axes have the same lengths in both layouts.
    pub(crate) fn new(from: &Layout, from_size: usize, to: &Layout, to_size: usize, axis: usize) -> Lines {
        let step = |l: &Layout, size: usize, i: usize| l.strides()[i] * size as isize;
        let all = 0..to.rank();
        let others: SmallVec<[_; 4]> = all
            .filter(|&i| i != axis && to.shape()[i] != 1)
            .map(|i| (to.shape()[i], step(from, from_size, i), step(to, to_size, i)))
            .collect();
        let empty = others.iter().any(|o| o.0 == 0);
        let count = if empty { 0 } else { others.iter().map(|o| o.0).product() };
        Lines { others, count, from_step: step(from, from_size, axis), to_step: step(to, to_size, axis) }
    }

    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// Where line `i` starts in either array. Neighbours of the last other axis follow each other.
    pub(crate) fn at(&self, mut i: usize) -> (isize, isize) {
        let (mut from, mut to) = (0, 0);
        for &(len, from_step, to_step) in self.others.iter().rev() {
            let at = (i % len) as isize;
            i /= len;
            from += at * from_step;
            to += at * to_step;
        }
        (from, to)
    }
}

/// Copies one line to `len` places side by side; what it lacks is zero.
///
/// # Safety
/// `from` is the first of `take <= len` elements of type `E`, `step` bytes apart; `to` has room for `len`, and lies apart.
pub(crate) unsafe fn copy_line<E: Copy>(from: *const u8, step: isize, take: usize, to: *mut E, len: usize) {
    if step == size_of::<E>() as isize {
        // SAFETY: the caller's promise, for elements side by side.
        unsafe { to.cast::<u8>().copy_from_nonoverlapping(from, take * size_of::<E>()) };
    } else {
        for k in 0..take {
            // SAFETY: the line has more than `k` elements, `step` apart.
            let element = unsafe { from.wrapping_offset(k as isize * step).cast::<E>().read_unaligned() };
            // SAFETY: there is room for more than `k` elements.
            unsafe { to.add(k).write(element) };
        }
    }
    // SAFETY: `take <= len`, and there is room for `len` elements.
    unsafe { to.add(take).write_bytes(0, len - take) };
}

/// Copies lines to rows of `len` elements, `pitch` apart; what a line lacks is zero.
///
/// # Safety
/// `from` holds the first elements of lines of `take <= len` elements of type `E`, `step` bytes apart, and `rows` has room.
pub(crate) unsafe fn gather<E: Copy + Default>(
    from: &[*const u8],
    step: isize,
    take: usize,
    rows: &mut [E],
    len: usize,
    pitch: usize,
) {
    if step == size_of::<E>() as isize {
        for (row, &from) in rows.chunks_mut(pitch).zip(from) {
            // SAFETY: the caller's promise; the row has room for `len` elements.
            unsafe { copy_line(from, step, take, row[..len].as_mut_ptr(), len) };
        }
        return;
    }
    for k in 0..take {
        for (j, from) in from.iter().enumerate() {
            // SAFETY: the line has more than `k` elements, `step` apart.
            rows[j * pitch + k] = unsafe { from.wrapping_offset(k as isize * step).cast::<E>().read_unaligned() };
        }
    }
    rows.chunks_mut(pitch).take(from.len()).for_each(|row| row[take..len].fill(E::default()));
}

/// Copies rows to lines.
///
/// # Safety
/// `to` holds the first elements of lines of `len` elements of type `E`, `step` bytes apart, that lie apart from `rows`.
pub(crate) unsafe fn scatter<E: Copy>(rows: &[E], pitch: usize, len: usize, to: &[*mut u8], step: isize) {
    if step == size_of::<E>() as isize {
        for (row, &to) in rows.chunks(pitch).zip(to) {
            // SAFETY: the line has room for `len` elements side by side.
            unsafe { to.copy_from_nonoverlapping(row[..len].as_ptr().cast(), len * size_of::<E>()) };
        }
    } else {
        for k in 0..len {
            for (j, to) in to.iter().enumerate() {
                // SAFETY: the line has more than `k` places, `step` apart.
                unsafe { to.wrapping_offset(k as isize * step).cast::<E>().write_unaligned(rows[j * pitch + k]) };
            }
        }
    }
}
