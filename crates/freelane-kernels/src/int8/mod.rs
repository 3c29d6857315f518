//! Products and convolutions of bytes, exact in 32 bits.
//!
//! With zero points `p` and `q`, element `(i, j)` is `sum over k of (a[i, k] - p) (b[k, j] - q)`, modulo 2^32: every order gives
//! the same result, and so does every instruction set. The sums are stored as they are ([`Exact`]), rescaled to bytes
//! ([`Requantize`]) or turned into floats ([`Dequantize`]); what is rounded there is rounded for each element alone.
//!
//! The left operand is read as unsigned bytes and the right one as signed bytes, others are moved by 128 on the way, and so
//! are their zero points: `sum (a - p)(b - q) = sum ab - p sum b - q sum a + k p q`. The right operand is packed in panels of
//! 32 columns of words: four bytes along k for VNNI, two 16-bit integers elsewhere (`freelane_simd::Dots`).
//!
//! Nothing here allocates or starts a thread.
#![expect(clippy::needless_range_loop, reason = "arrays of registers are indexed by constants")]

mod conv;
mod depth;
mod operand;
mod quantize;
mod sink;
#[cfg(test)]
mod tests;
mod tile;

pub use conv::{IntConv, IntConvPlan};
pub use operand::{Byte, Each};
pub use quantize::{dynamic_range, quantize};
pub use sink::{Dequantize, Exact, Requantize, Sink};

use crate::Target;
use crate::gemm::Mat;
use core::alloc::Layout;
use core::marker::PhantomData;
use core::mem::MaybeUninit;
use core::ops::Range;
use freelane_simd::Isa;
use operand::{Left, column_words, prepare};
use sink::{Corner, Place};
use tile::{Kernel, PANEL, ROWS, Sums, Tile};

/// Rows prepared at a time.
const BLOCK: usize = 240;
/// Alignment of scratch and of each part of it.
const ALIGN: usize = 64;

/// How products with a right operand of `k x n` bytes are computed. Packed operands belong to the plan's instruction set.
#[derive(Clone, Copy, Debug)]
pub struct IntPlan<B> {
    isa: Isa,
    kernel: &'static Kernel,
    k: usize,
    n: usize,
    byte: PhantomData<B>,
}

/// A product with a packed right operand.
#[derive(Clone, Copy, Debug)]
pub struct IntProduct<'a, A: Byte, B: Byte> {
    /// Left operand.
    pub a: Mat<'a, A>,
    /// Its zero point, one or one for each row.
    pub a_zero: Each<'a, A>,
    /// Right operand, as [`IntPlan::pack`] made it.
    pub b: &'a [i32],
    /// Its zero point, one or one for each column.
    pub b_zero: Each<'a, B>,
}

impl<B: Byte> IntPlan<B> {
    /// The plan for a right operand of `k x n`; `None` when its size overflows.
    pub fn new(isa: Isa, k: usize, n: usize) -> Option<Self> {
        Self::with(isa, Kernel::of(isa), k, n)
    }

    fn with(isa: Isa, kernel: &'static Kernel, k: usize, n: usize) -> Option<Self> {
        let words = n.checked_next_multiple_of(PANEL)?.checked_mul(k.div_ceil(kernel.depth).checked_add(1)?)?;
        words.checked_mul(4 * size_of::<i32>())?;
        Some(IntPlan { isa, kernel, k, n, byte: PhantomData })
    }

    fn words(&self) -> usize {
        self.k.div_ceil(self.kernel.depth)
    }

    fn panels(&self) -> usize {
        self.n.div_ceil(PANEL)
    }

    /// Elements of a packed right operand: its panels, then the sums of its columns.
    pub fn packed_len(&self) -> usize {
        self.panels() * PANEL * (self.words() + 1)
    }

    /// Packs a right operand, initialising all of `packed`.
    ///
    /// # Panics
    /// When the shape is not the plan's, or `packed` has another length than [`Self::packed_len`].
    pub fn pack(&self, b: Mat<'_, B>, packed: &mut [MaybeUninit<i32>]) {
        assert!(
            [b.rows, b.cols] == [self.k, self.n],
            "pack: {} x {} for a plan of {} x {}",
            b.rows,
            b.cols,
            self.k,
            self.n
        );
        assert!(packed.len() == self.packed_len(), "pack: into {} words", packed.len());
        let (panels, sums) = packed.split_at_mut(self.panels() * PANEL * self.words());
        for (panel, sums) in sums.chunks_exact_mut(PANEL).enumerate() {
            let to = &mut panels[panel * PANEL * self.words()..][..PANEL * self.words()];
            sums.write_copy_of_slice(&column_words(self.kernel.depth, b, panel * PANEL, to));
        }
    }

    /// Scratch that [`Self::run`] needs for `m` rows or fewer.
    ///
    /// # Panics
    /// When the size overflows, for which the operands themselves must be larger than memory.
    pub fn scratch(&self, m: usize) -> Layout {
        let row = self.words().checked_mul(4).and_then(|row| row.checked_add(size_of::<i32>()));
        let bytes = row.and_then(|row| row.checked_mul(m.min(BLOCK))).and_then(|bytes| bytes.checked_add(2 * ALIGN));
        Layout::from_size_align(bytes.expect("smaller than the operands"), ALIGN).expect("smaller than the operands")
    }

    /// Some rows and columns of the product, into a matrix of `m x n` contiguous rows. The columns begin at a multiple of 32.
    ///
    /// # Panics
    /// When shapes, ranges or parameters do not fit together, or scratch is smaller than [`Self::scratch`] says.
    pub fn run<A: Byte, S: Sink>(
        &self,
        product: &IntProduct<'_, A, B>,
        sink: &S,
        out: &mut Target<'_, S::Out>,
        scratch: &mut [MaybeUninit<u8>],
        rows: Range<usize>,
        columns: Range<usize>,
    ) {
        let (m, k) = (product.a.rows, product.a.cols);
        assert!(k == self.k && product.b.len() == self.packed_len(), "{m} x {k} times {} x {}", self.k, self.n);
        assert!(m.checked_mul(self.n) == Some(out.len()), "{m} x {} into {} elements", self.n, out.len());
        assert!(rows.start <= rows.end && rows.end <= m, "rows {rows:?} of {m}");
        assert!(columns.start <= columns.end && columns.end <= self.n, "columns {columns:?} of {}", self.n);
        assert!(columns.start.is_multiple_of(PANEL), "columns {columns:?} begin inside a panel");
        let fits = product.a_zero.fits(m, self.n) && product.b_zero.fits(m, self.n) && sink.fits(m, self.n);
        assert!(fits, "zero points, scales or biases for another shape than {m} x {}", self.n);
        assert!(scratch.len() >= self.scratch(rows.len()).size(), "{} bytes of scratch", scratch.len());
        let with_sums = !product.b_zero.all(|zero| zero.signed_zero() == 0);
        let (panels, sums) = product.b.split_at(self.panels() * PANEL * self.words());
        for first in rows.clone().step_by(BLOCK) {
            let block = first..(first + BLOCK).min(rows.end);
            let left = prepare(self.kernel.depth, product.a.rows(block.clone()), with_sums, scratch);
            let job = Job {
                isa: self.isa,
                kernel: self.kernel,
                words: self.words(),
                left,
                rows: block,
                panels: &panels[columns.start * self.words()..],
                sums: &sums[columns.start..],
                columns: columns.clone(),
                a_zero: product.a_zero,
                b_zero: product.b_zero,
                depth: k,
                place: Place { origin: 0, stride: self.n },
            };
            // SAFETY: rows and columns lie in the output, whose size was checked; both operands have `words` words.
            unsafe { job.run(sink, out) };
        }
    }
}

/// Rows of words times columns of words.
struct Job<'a, A: Byte, B: Byte> {
    isa: Isa,
    kernel: &'static Kernel,
    /// Words along the sum.
    words: usize,
    left: Left<'a>,
    /// Of the product.
    rows: Range<usize>,
    /// From the first of the columns on.
    panels: &'a [i32],
    sums: &'a [i32],
    columns: Range<usize>,
    a_zero: Each<'a, A>,
    b_zero: Each<'a, B>,
    depth: usize,
    place: Place,
}

impl<A: Byte, B: Byte> Job<'_, A, B> {
    /// # Safety
    /// Rows and columns lie in the output; the operands have `words` words.
    unsafe fn run<S: Sink>(&self, sink: &S, out: &mut Target<'_, S::Out>) {
        #[cfg(target_arch = "x86_64")]
        if crate::compiled::has_avx2(self.isa) {
            // SAFETY: the CPU has the instructions, as just asked; the rest is the caller's promise.
            return unsafe { avx2(self, sink, out) };
        }
        // SAFETY: the caller's promise.
        unsafe { self.panels(sink, out) };
    }

    /// # Safety
    /// As [`Self::run`].
    #[inline(always)]
    unsafe fn panels<S: Sink>(&self, sink: &S, out: &mut Target<'_, S::Out>) {
        let mut sums = [[0; PANEL]; ROWS];
        for j in (0..self.columns.len()).step_by(PANEL) {
            // SAFETY: the caller's promise.
            unsafe { self.panel(sink, j, &mut sums, out) };
        }
    }

    /// All rows times the panel at column `j`.
    ///
    /// # Safety
    /// As [`Self::run`].
    #[inline(always)]
    unsafe fn panel<S: Sink>(&self, sink: &S, j: usize, sums: &mut Sums, out: &mut Target<'_, S::Out>) {
        let corner = self.corner(sink, j);
        let m = self.rows.len();
        let strips = m.div_ceil(self.kernel.rows());
        for strip in 0..strips {
            let first = m * strip / strips;
            let count = m * (strip + 1) / strips - first;
            // SAFETY: the rows are of the left operand, the panel of the right one.
            unsafe { self.kernel.tile(count, &self.tile(first, j), sums) };
            let row_sums = self.left.sums.get(first..).unwrap_or_default();
            // SAFETY: the caller's promise.
            unsafe { corner.store(self.rows.start + first, &sums[..count], row_sums, out) };
        }
    }

    #[inline(always)]
    fn tile(&self, row: usize, j: usize) -> Tile {
        Tile {
            words: self.words,
            a: self.left.row(row),
            a_rs: self.left.step,
            b: self.panels[j * self.words..].as_ptr(),
        }
    }

    #[inline(always)]
    fn corner<'s, S: Sink>(&'s self, sink: &'s S, j: usize) -> Corner<'s, S, A> {
        let first = self.columns.start + j;
        let columns = first..self.columns.end.min(first + PANEL);
        Corner::new(sink, self.a_zero, self.b_zero, self.depth, &self.sums[j..], columns, self.place)
    }
}

/// # Safety
/// As [`Job::run`], and the CPU has the instructions.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn avx2<A: Byte, B: Byte, S: Sink>(job: &Job<'_, A, B>, sink: &S, out: &mut Target<'_, S::Out>) {
    // SAFETY: the caller's promise.
    unsafe { job.panels(sink, out) };
}
