//! A product cut into blocks of k, columns and rows, strips and panels, each small enough for its cache.
//!
//! The sizes and thresholds below come from the bench `gemm`. None of them changes a bit of a result.
use super::KC;
use super::driver::{Job, Rhs, Scratch};
use super::element::Fused;
use super::pack::Block;
use super::table::Kernel;
use super::tile::{Finish, KEEP, PACKED, PLACE, Tile};

/// Rows of A packed at a time (MC * KC elements live in the second-level cache); the last block may be a quarter longer.
const MC: usize = 192;
const MC_MOST: usize = MC + MC / 4;
/// Columns of B packed at a time when many rows use them.
const NC: usize = 2048;
/// Strips up to which B is read in place.
const FEW_STRIPS: usize = 4;
/// Panels of a B in place that all strips use before the next.
const SPAN: usize = 8;
/// Panels from which A is worth packing.
const WIDE: usize = 16;
/// A stride that is a multiple of this puts all rows into a few sets of the first-level cache.
pub(super) const ALIASING: usize = 2048;
/// What packing a strip may write past its end, in elements.
const SLACK: usize = 32;

/// Elements for packed A and for packed B.
pub(super) fn packing<T: Fused>(m: usize, n: usize, k: usize) -> (usize, usize) {
    let (depth, panel) = (k.min(KC), T::PANEL);
    let columns = n.min(if m <= MC_MOST { panel } else { NC }).next_multiple_of(panel);
    (m.min(MC_MOST) * depth + SLACK, columns * depth)
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
pub(super) struct Walk<'a, T: Fused> {
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
    pub fn new(kn: &'static Kernel<T>, job: &'a Job<'a, T>, mut scratch: Scratch<'_>) -> Self {
        let (m, width) = (job.a.rows, job.columns.len());
        let (a, b) = packing::<T>(m, job.n, job.a.cols);
        let unit_b = matches!(job.b, Rhs::Place(b) if b.cs == 1);
        let few = unit_b && job.c.cs == 1 && m <= FEW_STRIPS * kn.mr;
        let way = match job.b {
            Rhs::Packed(_) => Way::Panels,
            Rhs::Place(_) if few => Way::Place,
            Rhs::Place(_) if m <= MC_MOST => Way::Lazy,
            Rhs::Place(_) => Way::Block,
        };
        let far = if job.a.cs == 1 { job.a.rs } else { job.a.cs };
        let aliasing = (far.unsigned_abs() * size_of::<T>()).is_multiple_of(ALIASING) && width >= 2 * T::PANEL && m > 2;
        let pack_a = aliasing || way != Way::Place && width >= WIDE * T::PANEL;
        Walk { kn, job, way, unit_b, pack_a, a: scratch.take(a), b: scratch.take(b) }
    }

    /// Every block, those of k outermost, so that chains are added in order.
    ///
    /// # Safety
    /// As `Kind::product`.
    pub unsafe fn all(&self) {
        let (k, m) = (self.job.a.cols, self.job.a.rows);
        let columns = &self.job.columns;
        let nc = if self.way == Way::Panels { columns.len() } else { NC };
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
        let mut j = 0;
        if self.way == Way::Place {
            j = at.jb - at.jb % T::PANEL;
            // SAFETY: the columns up to j are whole panels of the block.
            unsafe { self.place(at, j) };
        }
        while j < at.jb {
            // SAFETY: the panel begins inside the block.
            unsafe { self.panel(at, j) };
            j += T::PANEL;
        }
    }

    /// All strips of the block's rows times the first `width` columns of the block, in place.
    ///
    /// # Safety
    /// As [`Self::block`]; the columns are whole panels of the block.
    unsafe fn place(&self, at: &At, width: usize) {
        let Rhs::Place(b) = self.job.b else { return };
        for j in (0..width).step_by(SPAN * T::PANEL) {
            let cols = (SPAN * T::PANEL).min(width - j);
            for t in 0..self.strips(at) {
                // SAFETY: the strip and the columns lie in the block.
                unsafe { self.tile(at, t, (j, cols), (b.at(at.k0, at.j0 + j), b.rs, PLACE)) };
            }
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
            _ if self.pack_a => (self.a.wrapping_add(first * at.kb).cast_const(), 1, rows as isize),
            _ => (job.a.at(i, at.k0), job.a.rs, job.a.cs),
        };
        let last = at.k0 + at.kb == job.a.cols;
        let bias = if last { job.bias_at(j) } else { core::ptr::null() };
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
