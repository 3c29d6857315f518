//! Bytes, and operands turned into words.
use super::ALIGN;
use super::tile::PANEL;
use crate::gemm::Mat;
use core::mem::MaybeUninit;

/// A byte: `u8` or `i8`.
pub trait Byte: Copy + Default + Send + Sync + 'static {
    /// The lowest value; the highest is 255 more.
    const LOW: i32;
    /// The value.
    fn value(self) -> i32;
    /// The byte of a value in range.
    fn of(value: i32) -> Self;

    /// Moved to the range of `u8`.
    #[inline(always)]
    fn unsigned(self) -> u8 {
        (self.value() - Self::LOW) as u8
    }
    /// Moved to the range of `i8`.
    #[inline(always)]
    fn signed(self) -> i8 {
        self.signed_zero() as i8
    }
    #[doc(hidden)]
    #[inline(always)]
    fn unsigned_zero(self) -> i32 {
        self.value() - Self::LOW
    }
    #[doc(hidden)]
    #[inline(always)]
    fn signed_zero(self) -> i32 {
        self.value() - Self::LOW - 128
    }
}

impl Byte for u8 {
    const LOW: i32 = 0;
    #[inline(always)]
    fn value(self) -> i32 {
        self.into()
    }
    #[inline(always)]
    fn of(value: i32) -> u8 {
        value as u8
    }
}

impl Byte for i8 {
    const LOW: i32 = -128;
    #[inline(always)]
    fn value(self) -> i32 {
        self.into()
    }
    #[inline(always)]
    fn of(value: i32) -> i8 {
        value as i8
    }
}

/// A parameter of every element of a matrix.
#[derive(Clone, Copy, Debug)]
pub enum Each<'a, T> {
    /// The same for all.
    One(T),
    /// One for each row.
    Rows(&'a [T]),
    /// One for each column.
    Columns(&'a [T]),
}

impl<T: Copy + Default> Each<'_, T> {
    /// Whether there are as many as rows or columns.
    pub(super) fn fits(&self, m: usize, n: usize) -> bool {
        match self {
            Each::One(_) => true,
            Each::Rows(rows) => rows.len() == m,
            Each::Columns(columns) => columns.len() == n,
        }
    }

    /// Whether all of them are so.
    pub(super) fn all(&self, mut so: impl FnMut(T) -> bool) -> bool {
        match self {
            Each::One(x) => so(*x),
            // Without a way out, so that it is a loop of vectors.
            Each::Rows(list) | Each::Columns(list) => list.iter().fold(true, |all, x| all & so(*x)),
        }
    }

    /// That of all columns of a row, if there is one for each row.
    #[inline(always)]
    pub(super) fn of_row(&self, row: usize) -> Option<T> {
        match self {
            Each::Rows(rows) => Some(rows[row]),
            _ => None,
        }
    }

    /// Those of a panel's columns, from its first one on; behind the last column, and when there is one for each row, anything.
    #[inline(always)]
    pub(super) fn columns(&self, first: usize) -> [T; PANEL] {
        match self {
            Each::One(x) => [*x; PANEL],
            Each::Rows(_) => [T::default(); PANEL],
            Each::Columns(columns) => {
                let rest = &columns[first..];
                rest.first_chunk().copied().unwrap_or_else(|| {
                    let mut line = [T::default(); PANEL];
                    line[..rest.len()].copy_from_slice(rest);
                    line
                })
            }
        }
    }
}

/// A left operand in words.
#[derive(Clone, Copy)]
pub struct Left<'a> {
    first: *const u8,
    /// Bytes from row to row.
    pub step: isize,
    /// Sums of the rows' bytes; empty when they do not matter.
    pub sums: &'a [i32],
}

impl<'a> Left<'a> {
    /// Words that are there already: `words` in each row.
    pub fn of(rows: &'a [i32], words: usize, sums: &'a [i32]) -> Self {
        Left { first: rows.as_ptr().cast(), step: (words * size_of::<i32>()) as isize, sums }
    }

    pub fn row(&self, row: usize) -> *const u8 {
        self.first.wrapping_offset(row as isize * self.step)
    }
}

/// The rows of `a` as words of `depth` elements: where they are, if they are unsigned bytes in whole words, else in scratch.
pub fn prepare<'a, A: Byte>(
    depth: usize,
    a: Mat<'a, A>,
    with_sums: bool,
    scratch: &'a mut [MaybeUninit<u8>],
) -> Left<'a> {
    let words = a.cols.div_ceil(depth);
    let (sums, rest) = carve::<i32>(scratch, if with_sums { a.rows } else { 0 });
    for (i, sum) in sums.iter_mut().enumerate() {
        sum.write(row_sum(a, i));
    }
    // SAFETY: written just now.
    let sums = unsafe { sums.assume_init_ref() };
    if depth == 4 && A::LOW == 0 && a.cs == 1 && a.cols.is_multiple_of(4) {
        return Left { first: a.ptr.cast(), step: a.rs, sums };
    }
    let (copy, _) = carve::<i32>(rest, a.rows * words);
    for i in 0..a.rows {
        row_words(depth, a, i, &mut copy[i * words..][..words]);
    }
    // SAFETY: written just now.
    Left::of(unsafe { copy.assume_init_ref() }, words, sums)
}

/// The sum of a row's bytes.
pub fn row_sum<A: Byte>(a: Mat<'_, A>, i: usize) -> i32 {
    match row(a, i) {
        Some(row) => row.iter().fold(0, |sum: i32, x| sum.wrapping_add(x.unsigned().into())),
        // SAFETY: the element lies in the matrix.
        None => (0..a.cols).fold(0, |sum: i32, k| sum.wrapping_add(unsafe { *a.at(i, k) }.unsigned().into())),
    }
}

/// A row whose elements are neighbours.
fn row<A>(a: Mat<'_, A>, i: usize) -> Option<&[A]> {
    // SAFETY: the row's elements lie in the matrix.
    (a.cs == 1 && a.cols > 0).then(|| unsafe { core::slice::from_raw_parts(a.at(i, 0), a.cols) })
}

/// A row as words of `depth` elements, the last one filled up with zeros.
pub fn row_words<A: Byte>(depth: usize, a: Mat<'_, A>, i: usize, to: &mut [MaybeUninit<i32>]) {
    let word = |bytes: &[A]| {
        let at = |t: usize| i32::from(bytes.get(t).map_or(0, |x| x.unsigned()));
        if depth == 4 { at(0) | at(1) << 8 | at(2) << 16 | at(3) << 24 } else { at(0) | at(1) << 16 }
    };
    if let Some(row) = row(a, i) {
        for (to, bytes) in to.iter_mut().zip(row.chunks(depth)) {
            to.write(word(bytes));
        }
        return;
    }
    for (q, to) in to.iter_mut().enumerate() {
        let mut bytes = [A::default(); 4];
        let count = depth.min(a.cols - q * depth);
        for (t, byte) in bytes[..count].iter_mut().enumerate() {
            // SAFETY: the element lies in the matrix.
            *byte = unsafe { *a.at(i, q * depth + t) };
        }
        to.write(word(&bytes[..count]));
    }
}

/// Neighbours along k, of 32 columns.
pub type Lines = [[i8; PANEL]; 4];

/// Lines as words.
#[inline(always)]
pub fn words(depth: usize, lines: &Lines) -> [i32; PANEL] {
    let byte = |t: usize, j: usize| i32::from(lines[t][j] as u8);
    let mut words = [0; PANEL];
    match depth {
        4 => {
            for j in 0..PANEL {
                words[j] = byte(0, j) | byte(1, j) << 8 | byte(2, j) << 16 | byte(3, j) << 24;
            }
        }
        _ => {
            for j in 0..PANEL {
                words[j] = i32::from(lines[0][j]) & 0xffff | i32::from(lines[1][j]) << 16;
            }
        }
    }
    words
}

/// Up to 32 columns of `b` from `j` on as a panel of words, and the sums of their bytes.
pub fn column_words<B: Byte>(depth: usize, b: Mat<'_, B>, j: usize, to: &mut [MaybeUninit<i32>]) -> [i32; PANEL] {
    let columns = PANEL.min(b.cols - j);
    let mut sums = [0i32; PANEL];
    for (q, to) in to.chunks_exact_mut(PANEL).enumerate() {
        let mut lines = [[0; PANEL]; 4];
        for (t, line) in lines[..depth.min(b.rows - q * depth)].iter_mut().enumerate() {
            for (c, x) in line[..columns].iter_mut().enumerate() {
                // SAFETY: the element lies in the matrix.
                *x = unsafe { *b.at(q * depth + t, j + c) }.signed();
            }
            for c in 0..PANEL {
                sums[c] = sums[c].wrapping_add(line[c].into());
            }
        }
        to.write_copy_of_slice(&words(depth, &lines));
    }
    sums
}

/// The next `count` elements of scratch, and the rest.
pub fn carve<T>(scratch: &mut [MaybeUninit<u8>], count: usize) -> (&mut [MaybeUninit<T>], &mut [MaybeUninit<u8>]) {
    let skip = scratch.as_ptr().align_offset(ALIGN);
    let (part, rest) = scratch[skip..].split_at_mut(count * size_of::<T>());
    // SAFETY: the part is aligned and has room for `count` elements.
    let part = unsafe { core::slice::from_raw_parts_mut(part.as_mut_ptr().cast(), count) };
    (part, rest)
}
