//! Chooses the kernel for a product and walks its blocks.
use super::element::Fused;
use super::fold::Column;
use super::gemv::Row;
use super::mat::{Mat, MatMut};
use super::narrow::Narrow;
use super::pack::Block;
use super::table::Kernel;
use super::tile::{Finish, KEEP, PACKED, PLACE, Tile};
use super::{KC, Packed};
use core::marker::PhantomData;
use core::mem::MaybeUninit;
use core::ops::Range;

/// Alignment of scratch and of each part of it.
pub(super) const ALIGN: usize = 64;
/// Rows of A packed at a time (MC * KC elements live in the second-level cache); the last block may be a quarter longer.
const MC: usize = 192;
const MC_MOST: usize = MC + MC / 4;
/// Columns of B packed at a time when many rows use them.
const NC: usize = 2048;
/// Panels from which A is worth packing.
const WIDE: usize = 16;
/// A row stride that is a multiple of this puts all rows into one set of the first-level cache.
const ALIASING: usize = 2048;
/// What packing a strip may write past its end, in elements.
const SLACK: usize = 32;

/// B as the caller has it.
#[derive(Clone, Copy)]
pub enum Rhs<'a, T> {
    /// Anywhere, with strides.
    Place(Mat<'a, T>),
    /// In panels.
    Packed(Packed<'a, T>),
}

/// One product, or some columns of one.
pub struct Job<'a, T> {
    pub(super) a: Mat<'a, T>,
    pub(super) b: Rhs<'a, T>,
    pub(super) c: MatMut<'a, T>,
    /// Columns of the whole product: with one the order is another.
    pub(super) n: usize,
    pub(super) columns: Range<usize>,
    /// As long as C is wide, or null.
    pub(super) bias: *const T,
    pub(super) relu: bool,
    /// Add to what C holds. Then k is at most one block.
    pub(super) add: bool,
}

/// Memory the caller lends, handed out in aligned parts.
pub struct Scratch<'a> {
    next: *mut u8,
    end: *mut u8,
    life: PhantomData<&'a mut u8>,
}

impl<'a> Scratch<'a> {
    pub(super) fn new(bytes: &'a mut [MaybeUninit<u8>]) -> Self {
        let range = bytes.as_mut_ptr_range();
        Scratch { next: range.start.cast(), end: range.end.cast(), life: PhantomData }
    }

    /// What is left, to be handed out more than once.
    pub(super) fn again(&mut self) -> Scratch<'_> {
        Scratch { next: self.next, end: self.end, life: PhantomData }
    }

    /// The next part.
    pub(super) fn take<T>(&mut self, count: usize) -> *mut T {
        let part = self.next.wrapping_add(self.next.align_offset(ALIGN));
        self.next = part.wrapping_add(count * size_of::<T>());
        assert!(self.next <= self.end, "scratch of the size that was asked for");
        part.cast()
    }
}

/// Bytes of a part of scratch.
pub(super) fn part<T>(count: usize) -> usize {
    count
        .checked_mul(size_of::<T>())
        .and_then(|bytes| bytes.checked_add(ALIGN))
        .expect("a size within the address space")
}

/// Elements for packed A and for packed B.
fn packing<T: Fused>(m: usize, n: usize, k: usize) -> (usize, usize) {
    let (depth, panel) = (k.min(KC), T::PANEL);
    let columns = if m <= MC_MOST { panel } else { n.min(NC).next_multiple_of(panel) };
    (m.min(MC_MOST) * depth + SLACK, columns * depth)
}

/// Bytes of scratch for a product of at most these sizes.
pub(super) fn scratch<T: Fused>(m: usize, n: usize, k: usize) -> usize {
    let (a, b) = packing::<T>(m, n, k);
    let line = if n == 1 { if m > 1 { k } else { 0 } } else { n };
    part::<T>(line).max(part::<T>(a) + part::<T>(b))
}

/// # Safety
/// As `Kind::product`.
pub(super) unsafe fn product<T: Fused>(kn: &'static Kernel<T>, job: &Job<'_, T>, mut scratch: Scratch<'_>) {
    if job.a.rows == 0 || job.columns.is_empty() {
        return;
    }
    // SAFETY: each way covers the job's columns of all rows; the caller's promise holds for them.
    unsafe {
        if job.a.cols == 0 {
            fill(job);
        } else if job.n == 1 {
            (kn.column)(&column(job, &mut scratch));
        } else if let Some((few, count)) = narrow(job) {
            (kn.narrow[count])(&few);
        } else if let Some(row) = row(job, &mut scratch) {
            if matches!(job.b, Rhs::Packed(_)) { (kn.row_packed)(&row) } else { (kn.row_place)(&row) }
        } else {
            Walk::new(kn, job, scratch).all();
        }
    }
}

/// An empty sum is +0.
///
/// # Safety
/// C and the bias are valid for the job's columns.
unsafe fn fill<T: Fused>(job: &Job<'_, T>) {
    for i in 0..job.a.rows {
        for j in job.columns.clone() {
            // SAFETY: the caller's promise.
            unsafe {
                let x = if job.bias.is_null() { T::default() } else { T::default() + *job.bias.add(j) };
                *job.c.at(i, j) = if job.relu && x < T::default() { T::default() } else { x };
            }
        }
    }
}

/// The only column; a scattered B is copied once when many rows use it.
///
/// # Safety
/// B is readable.
unsafe fn column<T: Fused>(job: &Job<'_, T>, scratch: &mut Scratch<'_>) -> Column<T> {
    let (m, k) = (job.a.rows, job.a.cols);
    let (mut b, mut b_ks) = match job.b {
        Rhs::Place(b) => (b.ptr, b.rs),
        Rhs::Packed(b) => (b.data.as_ptr(), 1),
    };
    if b_ks != 1 && m > 1 {
        let copy = scratch.take::<T>(k);
        // SAFETY: B has k rows, and the copy room for them.
        (0..k).for_each(|i| unsafe { *copy.add(i) = *b.wrapping_offset(i as isize * b_ks) });
        (b, b_ks) = (copy, 1);
    }
    let (a, c) = (&job.a, &job.c);
    Column { m, k, a: a.ptr, a_rs: a.rs, a_ks: a.cs, b, b_ks, c: c.ptr, c_rs: c.rs, bias: job.bias, relu: job.relu }
}

/// Whether lanes should be rows: with two to four columns, or up to four rows and a B of contiguous columns.
fn narrow<T: Fused>(job: &Job<'_, T>) -> Option<(Narrow<T>, usize)> {
    let Rhs::Place(b) = job.b else { return None };
    let (a, j, width) = (&job.a, job.columns.start, job.columns.len());
    let bias = if job.bias.is_null() { job.bias } else { job.bias.wrapping_add(j) };
    let (c, y) = (job.c.at(0, j), b.at(0, j));
    let common = (job.relu, job.add);
    if job.n <= 4 && a.rows > 1 && (a.cs == 1 || a.rs == 1) {
        let (relu, add) = common;
        let (c_rs, c_cs) = (job.c.rs, job.c.cs);
        let (x, x_rs, x_ks) = (a.ptr, a.rs, a.cs);
        let few = Narrow {
            rows: a.rows,
            k: a.cols,
            x,
            x_rs,
            x_ks,
            y,
            y_ks: b.rs,
            y_cs: b.cs,
            c,
            c_rs,
            c_cs,
            bias,
            bias_rs: 0,
            bias_cs: 1,
            relu,
            add,
        };
        return Some((few, width));
    }
    if a.rows <= 4 && b.rs == 1 && b.cs != 1 {
        let (relu, add) = common;
        let (c_rs, c_cs) = (job.c.cs, job.c.rs);
        let few = Narrow {
            rows: width,
            k: a.cols,
            x: y,
            x_rs: b.cs,
            x_ks: 1,
            y: a.ptr,
            y_ks: a.cs,
            y_cs: a.rs,
            c,
            c_rs,
            c_cs,
            bias,
            bias_rs: 1,
            bias_cs: 0,
            relu,
            add,
        };
        return Some((few, a.rows));
    }
    None
}

/// The only row, when B's rows or panels and C are contiguous.
fn row<T: Fused>(job: &Job<'_, T>, scratch: &mut Scratch<'_>) -> Option<Row<T>> {
    let (j, cols) = (job.columns.start, job.columns.len());
    if job.a.rows != 1 || job.c.cs != 1 || job.add {
        return None;
    }
    let (b, b_ks) = match job.b {
        Rhs::Packed(b) => (b.at(0, j), 0),
        Rhs::Place(b) if b.cs == 1 => (b.at(0, j), b.rs),
        Rhs::Place(_) => return None,
    };
    let bias = if job.bias.is_null() { job.bias } else { job.bias.wrapping_add(j) };
    let finish = Finish { add: false, bias, relu: job.relu, keep: core::ptr::null_mut() };
    let run = if matches!(job.b, Rhs::Place(_)) { scratch.take(cols) } else { core::ptr::null_mut() };
    Some(Row { k: job.a.cols, a: job.a.ptr, a_ks: job.a.cs, b, b_ks, c: job.c.at(0, j), cols, run, finish })
}

/// How B reaches the tiles.
#[derive(Clone, Copy, PartialEq)]
enum Way {
    /// It comes in panels.
    Panels,
    /// In place, but for a ragged last panel: few rows would not repay packing.
    Place,
    /// Each panel is packed just before its only use; the first strip does it while it multiplies, if rows are contiguous.
    Lazy,
    /// Blocks of `NC` columns are packed for all rows.
    Block,
}

/// A block of k, columns and rows.
#[derive(Clone, Copy)]
struct At {
    k0: usize,
    kb: usize,
    j0: usize,
    jb: usize,
    i0: usize,
    mb: usize,
}

/// The walk over the blocks of one job.
struct Walk<'a, T: Fused> {
    kn: &'static Kernel<T>,
    job: &'a Job<'a, T>,
    way: Way,
    /// Whether B's rows are contiguous.
    unit_b: bool,
    pack_a: bool,
    a: *mut T,
    b: *mut T,
}

impl<'a, T: Fused> Walk<'a, T> {
    fn new(kn: &'static Kernel<T>, job: &'a Job<'a, T>, mut scratch: Scratch<'_>) -> Self {
        let (m, width) = (job.a.rows, job.columns.len());
        let (a, b) = packing::<T>(m, job.n, job.a.cols);
        let unit_b = matches!(job.b, Rhs::Place(b) if b.cs == 1);
        let way = match job.b {
            Rhs::Packed(_) => Way::Panels,
            Rhs::Place(_) if unit_b && m <= kn.mr.max(8) => Way::Place,
            Rhs::Place(_) if m <= MC_MOST => Way::Lazy,
            Rhs::Place(_) => Way::Block,
        };
        let far = if job.a.cs == 1 { job.a.rs } else { job.a.cs };
        let aliasing = (far.unsigned_abs() * size_of::<T>()).is_multiple_of(ALIASING) && width >= 2 * T::PANEL && m > 2;
        let pack_a = way != Way::Place && (width >= WIDE * T::PANEL || aliasing);
        Walk { kn, job, way, unit_b, pack_a, a: scratch.take(a), b: scratch.take(b) }
    }

    /// # Safety
    /// As `Kind::product`.
    unsafe fn all(&self) {
        let (k, m) = (self.job.a.cols, self.job.a.rows);
        let columns = &self.job.columns;
        let nc = if matches!(self.job.b, Rhs::Place(_)) { NC } else { columns.len() };
        for k0 in (0..k).step_by(KC) {
            for j0 in columns.clone().step_by(nc) {
                let mut at = At { k0, kb: KC.min(k - k0), j0, jb: nc.min(columns.end - j0), i0: 0, mb: 0 };
                // SAFETY: the block lies in the job.
                unsafe { self.prepare_b(&at) };
                while at.i0 < m {
                    at.mb = if m - at.i0 <= MC_MOST { m - at.i0 } else { MC };
                    // SAFETY: the block lies in the job.
                    unsafe { self.block(&at) };
                    at.i0 += at.mb;
                }
            }
        }
    }

    /// Packs what is used by all rows: a block of columns, or the ragged end of a B in place.
    ///
    /// # Safety
    /// The block lies in the job.
    unsafe fn prepare_b(&self, at: &At) {
        let (from, lines) = match self.way {
            Way::Block => (0, at.jb),
            Way::Place => (at.jb - at.jb % T::PANEL, at.jb % T::PANEL),
            _ => return,
        };
        // SAFETY: the columns lie in the block; scratch holds one of NC columns, and a panel when B is used in place.
        unsafe { self.pack_columns(at, from, lines) };
    }

    /// # Safety
    /// The columns lie in the block, and scratch has room for them.
    unsafe fn pack_columns(&self, at: &At, from: usize, lines: usize) {
        if let Rhs::Place(b) = self.job.b {
            let block = Block { lines, k: at.kb, ptr: b.at(at.k0, at.j0 + from), step: b.cs, k_step: b.rs };
            // SAFETY: the caller's promise.
            unsafe { (self.kn.panels)(block, self.b) };
        }
    }

    /// One block of rows.
    ///
    /// # Safety
    /// The block lies in the job, and its B is prepared.
    unsafe fn block(&self, at: &At) {
        if self.pack_a {
            for t in 0..self.strips(at) {
                let (first, lines) = strip(at.mb, self.strips(at), t);
                let a = &self.job.a;
                let block = Block { lines, k: at.kb, ptr: a.at(at.i0 + first, at.k0), step: a.rs, k_step: a.cs };
                // SAFETY: the strip lies in A; scratch holds MC_MOST rows of KC and the excess.
                unsafe { (self.kn.strip)(block, self.a.add(first * at.kb)) };
            }
        }
        for j in (0..at.jb).step_by(T::PANEL) {
            // SAFETY: the panel begins inside the block.
            unsafe { self.panel(at, j) };
        }
    }

    fn strips(&self, at: &At) -> usize {
        at.mb.div_ceil(self.kn.mr)
    }

    /// All strips of the block's rows times the panel at column `j` of the block.
    ///
    /// # Safety
    /// As [`Self::block`].
    unsafe fn panel(&self, at: &At, j: usize) {
        let cols = T::PANEL.min(at.jb - j);
        let whole = cols == T::PANEL;
        let packed = |b: *const T| (b, T::PANEL as isize, PACKED);
        let (mut b, mut b_ks, mut mode) = match (self.job.b, self.way) {
            (Rhs::Packed(b), _) => packed(b.at(at.k0, at.j0 + j)),
            (Rhs::Place(b), Way::Place) if whole => (b.at(at.k0, at.j0 + j), b.rs, PLACE),
            (Rhs::Place(b), Way::Lazy) if whole && self.unit_b => (b.at(at.k0, at.j0 + j), b.rs, KEEP),
            (_, Way::Block) => packed(self.b.wrapping_add(j * at.kb)),
            _ => packed(self.b),
        };
        if self.way == Way::Lazy && mode == PACKED {
            // SAFETY: the panel's columns lie in the block, and scratch holds a panel.
            unsafe { self.pack_columns(at, j, cols) };
        }
        for t in 0..self.strips(at) {
            // SAFETY: the strip lies in the block, and `b` is this panel in the given mode.
            unsafe { self.tile(at, t, (j, cols), (b, b_ks, mode)) };
            if mode == KEEP {
                (b, b_ks, mode) = packed(self.b);
            }
        }
    }

    /// Strip `t` times one panel.
    ///
    /// # Safety
    /// As [`Self::panel`].
    #[inline]
    unsafe fn tile(&self, at: &At, t: usize, (j, cols): (usize, usize), (b, b_ks, mode): (*const T, isize, u8)) {
        let (first, rows) = strip(at.mb, self.strips(at), t);
        let job = self.job;
        let (i, j) = (at.i0 + first, at.j0 + j);
        let (a, a_rs, a_ks) = match mode {
            PACKED if self.pack_a => (self.a.wrapping_add(first * at.kb).cast_const(), 1, rows as isize),
            _ => (job.a.at(i, at.k0), job.a.rs, job.a.cs),
        };
        let last = at.k0 + at.kb == job.a.cols;
        let bias = if last && !job.bias.is_null() { job.bias.wrapping_add(j) } else { core::ptr::null() };
        let finish = Finish { add: at.k0 > 0 || job.add, bias, relu: job.relu && last, keep: self.b };
        let c = job.c.at(i, j);
        let tile = Tile { k: at.kb, a, a_rs, a_ks, b, b_ks, c, c_rs: job.c.rs, c_cs: job.c.cs, cols, finish };
        // SAFETY: the rows and columns lie in the job; a whole panel of B is readable in every mode.
        unsafe { self.kn.tile(rows, a_rs == 1, mode)(&tile) };
    }
}

/// `m` rows in `strips` strips, as even as they go: first row and rows of strip `s`.
#[inline]
fn strip(m: usize, strips: usize, s: usize) -> (usize, usize) {
    let (q, r) = (m / strips, m % strips);
    (s * q + s.min(r), q + usize::from(s < r))
}
