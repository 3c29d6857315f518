//! What becomes of exact sums: zero points taken off, then stored, rescaled or turned into floats.
use super::tile::PANEL;
use super::{Byte, Each};
use crate::Target;
use freelane_simd::Isa;

/// Turns sums into what is stored.
pub trait Sink: Copy + Sync {
    /// What is stored.
    type Out: Copy;
    /// Whether the sink's parameters fit a product of `m x n`.
    #[doc(hidden)]
    fn fits(&self, m: usize, n: usize) -> bool;
    /// Row `i` from column `j` on.
    #[doc(hidden)]
    fn row(&self, i: usize, j: usize, sums: &[i32; PANEL]) -> [Self::Out; PANEL];
}

/// The sums themselves.
#[derive(Clone, Copy, Debug)]
pub struct Exact;

/// `x * scale + bias` in `f32`, two roundings.
#[derive(Clone, Copy, Debug)]
pub struct Dequantize<'a> {
    /// Scale of the left times scale of the right operand.
    pub scale: Each<'a, f32>,
    /// Added last; zero for none.
    pub bias: Each<'a, f32>,
}

/// `round((x + bias) * scale) + zero`, ties to even, held in the range of the result.
#[derive(Clone, Copy, Debug)]
pub struct Requantize<'a, O> {
    /// Scales of the operands over that of the result.
    pub scale: Each<'a, f32>,
    /// Added first; zero for none.
    pub bias: Each<'a, i32>,
    /// Zero point of the result.
    pub zero: O,
}

impl Sink for Exact {
    type Out = i32;
    fn fits(&self, _: usize, _: usize) -> bool {
        true
    }
    #[inline(always)]
    fn row(&self, _: usize, _: usize, sums: &[i32; PANEL]) -> [i32; PANEL] {
        *sums
    }
}

impl Sink for Dequantize<'_> {
    type Out = f32;
    fn fits(&self, m: usize, n: usize) -> bool {
        self.scale.fits(m, n) && self.bias.fits(m, n)
    }
    #[inline(always)]
    fn row(&self, i: usize, j: usize, sums: &[i32; PANEL]) -> [f32; PANEL] {
        let (scale, bias) = (self.scale.line(i, j), self.bias.line(i, j));
        core::array::from_fn(|c| sums[c] as f32 * scale[c] + bias[c])
    }
}

impl<O: Byte> Sink for Requantize<'_, O> {
    type Out = O;
    fn fits(&self, m: usize, n: usize) -> bool {
        self.scale.fits(m, n) && self.bias.fits(m, n)
    }
    #[inline(always)]
    fn row(&self, i: usize, j: usize, sums: &[i32; PANEL]) -> [O; PANEL] {
        let (scale, bias) = (self.scale.line(i, j), self.bias.line(i, j));
        core::array::from_fn(|c| saturated(sums[c].wrapping_add(bias[c]) as f32 * scale[c], self.zero))
    }
}

/// `round(x) + zero`, ties to even, held in the range; NaN is the lowest.
#[inline(always)]
pub fn saturated<O: Byte>(x: f32, zero: O) -> O {
    /// Adding it to a number below 2^22 rounds to an integer, ties to even.
    const INTEGERS: f32 = 12582912.0;
    let (low, high) = ((O::LOW - zero.value()) as f32, (O::LOW + 255 - zero.value()) as f32);
    let x = if x > low { x } else { low };
    let x = if x < high { x } else { high };
    // SAFETY: `x` lies in -255..=255.
    let x = unsafe { ((x + INTEGERS) - INTEGERS).to_int_unchecked::<i32>() };
    O::of(x + zero.value())
}

/// Where sums come from and go to.
pub struct Corner<'a, S: Sink, A, B> {
    pub sink: &'a S,
    /// Of the words: unsigned on the left, signed on the right.
    pub a_zero: Each<'a, A>,
    pub b_zero: Each<'a, B>,
    /// Sums of the words' bytes along each column from the first of the tile on.
    pub column_sums: &'a [i32],
    /// The same along each row of the tile; none when they do not matter.
    pub row_sums: &'a [i32],
    pub depth: usize,
    /// First row and column of the tile, and its columns.
    pub row: usize,
    pub column: usize,
    pub columns: usize,
    /// Elements of the output from row to row.
    pub stride: usize,
    /// Where element (0, 0) of the product goes.
    pub origin: usize,
}

impl<S: Sink, A: Byte, B: Byte> Corner<'_, S, A, B> {
    /// Stores the rows of a tile.
    ///
    /// # Safety
    /// They lie in the output.
    pub unsafe fn store(&self, isa: Isa, sums: &[[i32; PANEL]], out: &mut Target<'_, S::Out>) {
        #[cfg(target_arch = "x86_64")]
        if crate::compiled::has_avx2(isa) {
            // SAFETY: the CPU has the instructions, as just asked; the rest is the caller's promise.
            return unsafe { avx2(self, sums, out) };
        }
        let _ = isa;
        // SAFETY: the caller's promise.
        unsafe { self.rows(sums, out) };
    }

    /// # Safety
    /// As [`Self::store`].
    #[inline(always)]
    unsafe fn rows(&self, sums: &[[i32; PANEL]], out: &mut Target<'_, S::Out>) {
        let columns: [i32; PANEL] = core::array::from_fn(|c| self.column_sums.get(c).copied().unwrap_or_default());
        let b_zero = self.b_zero.line(self.row, self.column).map(B::signed_zero);
        // What is taken off every row alike.
        let alike = |a_zero: i32| {
            let around = a_zero.wrapping_mul(self.depth as i32);
            core::array::from_fn(|c| a_zero.wrapping_mul(columns[c]).wrapping_sub(b_zero[c].wrapping_mul(around)))
        };
        let mut off: [i32; PANEL] = alike(A::unsigned_zero(self.a_zero.line(self.row, 0)[0]));
        for (i, sums) in sums.iter().enumerate() {
            let row = self.row + i;
            if let Each::Rows(zeros) = self.a_zero {
                off = alike(A::unsigned_zero(zeros[row]));
            }
            let mut exact = [0; PANEL];
            match self.row_sums.get(i) {
                None => (0..PANEL).for_each(|c| exact[c] = sums[c].wrapping_sub(off[c])),
                Some(rest) => (0..PANEL).for_each(|c| {
                    exact[c] = sums[c].wrapping_sub(off[c]).wrapping_sub(b_zero[c].wrapping_mul(*rest));
                }),
            }
            let line = self.sink.row(row, self.column, &exact);
            let at = self.origin + row * self.stride + self.column;
            debug_assert!(self.columns <= PANEL && at + self.columns <= out.len());
            // SAFETY: the caller's promise.
            unsafe { core::ptr::copy_nonoverlapping(line.as_ptr(), out.at(at), self.columns) };
        }
    }
}

/// # Safety
/// As [`Corner::store`], and the CPU has the instructions.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn avx2<S: Sink, A: Byte, B: Byte>(
    corner: &Corner<'_, S, A, B>,
    sums: &[[i32; PANEL]],
    out: &mut Target<'_, S::Out>,
) {
    // SAFETY: the caller's promise.
    unsafe { corner.rows(sums, out) };
}
