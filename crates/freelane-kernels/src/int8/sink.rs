//! What becomes of exact sums: zero points taken off, then stored, rescaled or turned into floats.
use super::tile::PANEL;
use super::{Byte, Each};
use crate::Target;
use core::mem::MaybeUninit;
use core::ops::Range;

/// Turns sums into what is stored.
pub trait Sink: Copy + Sync {
    /// What is stored.
    type Out: Copy;
    /// What is the same for all rows of a panel.
    #[doc(hidden)]
    type Panel: Copy;
    /// Whether the sink's parameters fit a product of `m x n`.
    #[doc(hidden)]
    fn fits(&self, m: usize, n: usize) -> bool;
    /// The panel that begins at column `j`.
    #[doc(hidden)]
    fn panel(&self, j: usize) -> Self::Panel;
    /// Row `i` of a panel.
    #[doc(hidden)]
    fn row(&self, i: usize, panel: &Self::Panel, sums: &[i32; PANEL], out: &mut [MaybeUninit<Self::Out>; PANEL]);
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

/// `round((x + bias) * scale) + zero` in `f64`, ties to even, held in the range of the result.
#[derive(Clone, Copy, Debug)]
pub struct Requantize<'a, O> {
    /// Scales of the operands over that of the result.
    pub scale: Each<'a, f64>,
    /// Added first; zero for none.
    pub bias: Each<'a, i32>,
    /// Zero point of the result.
    pub zero: O,
}

impl Sink for Exact {
    type Out = i32;
    type Panel = ();
    fn fits(&self, _: usize, _: usize) -> bool {
        true
    }
    #[inline(always)]
    fn panel(&self, _: usize) {}
    #[inline(always)]
    fn row(&self, _: usize, (): &(), sums: &[i32; PANEL], out: &mut [MaybeUninit<i32>; PANEL]) {
        for c in 0..PANEL {
            out[c] = MaybeUninit::new(sums[c]);
        }
    }
}

impl Sink for Dequantize<'_> {
    type Out = f32;
    type Panel = [[f32; PANEL]; 2];
    fn fits(&self, m: usize, n: usize) -> bool {
        self.scale.fits(m, n) && self.bias.fits(m, n)
    }
    #[inline(always)]
    fn panel(&self, j: usize) -> Self::Panel {
        [self.scale.columns(j), self.bias.columns(j)]
    }
    #[inline(always)]
    fn row(&self, i: usize, panel: &Self::Panel, sums: &[i32; PANEL], out: &mut [MaybeUninit<f32>; PANEL]) {
        let mut x = [0.0; PANEL];
        match self.scale.of_row(i) {
            Some(scale) => {
                for c in 0..PANEL {
                    x[c] = sums[c] as f32 * scale;
                }
            }
            None => {
                for c in 0..PANEL {
                    x[c] = sums[c] as f32 * panel[0][c];
                }
            }
        }
        match self.bias.of_row(i) {
            Some(bias) => {
                for c in 0..PANEL {
                    out[c] = MaybeUninit::new(x[c] + bias);
                }
            }
            None => {
                for c in 0..PANEL {
                    out[c] = MaybeUninit::new(x[c] + panel[1][c]);
                }
            }
        }
    }
}

impl<O: Byte> Sink for Requantize<'_, O> {
    type Out = O;
    type Panel = ([f64; PANEL], [i32; PANEL]);
    fn fits(&self, m: usize, n: usize) -> bool {
        self.scale.fits(m, n) && self.bias.fits(m, n)
    }
    #[inline(always)]
    fn panel(&self, j: usize) -> Self::Panel {
        (self.scale.columns(j), self.bias.columns(j))
    }
    #[inline(always)]
    fn row(&self, i: usize, panel: &Self::Panel, sums: &[i32; PANEL], out: &mut [MaybeUninit<O>; PANEL]) {
        let mut x = [0; PANEL];
        match self.bias.of_row(i) {
            Some(bias) => {
                for c in 0..PANEL {
                    x[c] = sums[c].wrapping_add(bias);
                }
            }
            None => {
                for c in 0..PANEL {
                    x[c] = sums[c].wrapping_add(panel.1[c]);
                }
            }
        }
        match self.scale.of_row(i) {
            Some(scale) => {
                for c in 0..PANEL {
                    out[c] = MaybeUninit::new(rescaled(f64::from(x[c]) * scale, self.zero));
                }
            }
            None => {
                for c in 0..PANEL {
                    out[c] = MaybeUninit::new(rescaled(f64::from(x[c]) * panel.0[c], self.zero));
                }
            }
        }
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

/// As [`saturated`].
#[inline(always)]
fn rescaled<O: Byte>(x: f64, zero: O) -> O {
    /// Adding it to a number below 2^51 rounds to an integer, ties to even.
    const INTEGERS: f64 = 6755399441055744.0;
    let (low, high) = (f64::from(O::LOW - zero.value()), f64::from(O::LOW + 255 - zero.value()));
    let x = if x > low { x } else { low };
    let x = if x < high { x } else { high };
    // SAFETY: `x` lies in -255..=255.
    let x = unsafe { ((x + INTEGERS) - INTEGERS).to_int_unchecked::<i32>() };
    O::of(x + zero.value())
}

/// What becomes of the sums of one panel.
pub struct Corner<'a, S: Sink, A> {
    pub sink: &'a S,
    panel: S::Panel,
    /// Of the words, unsigned.
    a_zero: Each<'a, A>,
    depth: i32,
    /// Zero points of the words, signed, and the sums of their bytes.
    b_zero: [i32; PANEL],
    column_sums: [i32; PANEL],
    /// What is taken off a row of the first zero point.
    off: [i32; PANEL],
    /// First column of the panel, and its columns.
    column: usize,
    columns: usize,
    /// Elements of the output from row to row.
    stride: usize,
    /// Where element (0, 0) of the product goes.
    origin: usize,
}

/// Where the elements of a product go: that at (0, 0), and from row to row.
#[derive(Clone, Copy)]
pub struct Place {
    pub origin: usize,
    pub stride: usize,
}

impl<'a, S: Sink, A: Byte> Corner<'a, S, A> {
    /// The panel whose columns begin at `columns.start`; `sums` begins with theirs.
    #[inline(always)]
    pub fn new<B: Byte>(
        sink: &'a S,
        a_zero: Each<'a, A>,
        b_zero: Each<'_, B>,
        depth: usize,
        sums: &[i32],
        columns: Range<usize>,
        place: Place,
    ) -> Self {
        let (mut zeros, mut column_sums) = ([0; PANEL], [0; PANEL]);
        let b_zero = b_zero.columns(columns.start);
        match sums.first_chunk() {
            Some(sums) if columns.len() == PANEL => column_sums = *sums,
            _ => column_sums[..columns.len()].copy_from_slice(&sums[..columns.len()]),
        }
        for c in 0..PANEL {
            zeros[c] = b_zero[c].signed_zero();
        }
        let mut corner = Corner {
            sink,
            panel: sink.panel(columns.start),
            a_zero,
            depth: depth as i32,
            b_zero: zeros,
            column_sums,
            off: [0; PANEL],
            column: columns.start,
            columns: columns.len(),
            stride: place.stride,
            origin: place.origin,
        };
        if let Each::One(zero) = a_zero {
            corner.off = corner.alike(zero);
        }
        corner
    }

    /// What is taken off a row with a zero point, whatever the row.
    #[inline(always)]
    fn alike(&self, a_zero: A) -> [i32; PANEL] {
        let a_zero = a_zero.unsigned_zero();
        let (mut off, around) = ([0; PANEL], a_zero.wrapping_mul(self.depth));
        for c in 0..PANEL {
            off[c] = a_zero.wrapping_mul(self.column_sums[c]).wrapping_sub(self.b_zero[c].wrapping_mul(around));
        }
        off
    }

    /// Stores rows from `first` on, whose bytes have the sums `row_sums`: none when they do not matter.
    ///
    /// # Safety
    /// They lie in the output.
    #[inline(always)]
    pub unsafe fn store(&self, first: usize, sums: &[[i32; PANEL]], row_sums: &[i32], out: &mut Target<'_, S::Out>) {
        for (i, sums) in sums.iter().enumerate() {
            let row = first + i;
            let mut exact = [0; PANEL];
            match self.a_zero {
                Each::Rows(zeros) => {
                    let off = self.alike(zeros[row]);
                    for c in 0..PANEL {
                        exact[c] = sums[c].wrapping_sub(off[c]);
                    }
                }
                _ => {
                    for c in 0..PANEL {
                        exact[c] = sums[c].wrapping_sub(self.off[c]);
                    }
                }
            }
            if let Some(rest) = row_sums.get(i) {
                for c in 0..PANEL {
                    exact[c] = exact[c].wrapping_sub(self.b_zero[c].wrapping_mul(*rest));
                }
            }
            let at = self.origin + row * self.stride + self.column;
            debug_assert!(self.columns <= PANEL && at + self.columns <= out.len());
            let to = out.at(at).cast::<MaybeUninit<S::Out>>();
            if self.columns == PANEL {
                // SAFETY: a whole row of a panel lies in the output.
                let to = unsafe { &mut *to.cast::<[MaybeUninit<S::Out>; PANEL]>() };
                self.sink.row(row, &self.panel, &exact, to);
            } else {
                let mut line = [MaybeUninit::uninit(); PANEL];
                self.sink.row(row, &self.panel, &exact, &mut line);
                // SAFETY: the columns lie in the output.
                unsafe { core::ptr::copy_nonoverlapping(line.as_ptr(), to, self.columns) };
            }
        }
    }
}
