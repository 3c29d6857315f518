//! Winograd F(2x2, 3x3): four output pixels from sixteen products in place of thirty-six.
//!
//! An output element's place in its tile of 2 x 2 pixels follows from its place in the image, so its order is fixed too: sums
//! of four inputs along columns, then along rows; products summed over channels in the order of matrix products; sums of
//! three of them along columns, then along rows. The error is about that of the direct sum, relative to the tile's largest
//! input. Weights are transformed in `f64` and rounded once.
use super::band::{Band, Outlet, Outlets, Pieces};
use super::shape::{BLOCK, ConvShape};
use super::table::Kernels;
use super::{Conv, carve, room};
use crate::Target;
use crate::gemm::{Epilogue, Mat, MatMut, Packed, gemm_packed, gemm_scratch};
use crate::window::Layout;
use core::mem::MaybeUninit;
use core::ops::Range;
use freelane_simd::{Isa, Simd};

/// Inputs of a tile along an axis, and its outputs.
const SIDE: usize = 4;
const MADE: usize = 2;
/// Products of a tile.
const POINTS: usize = SIDE * SIDE;
/// Tiles that are multiplied together: their sums and transforms stay in the second-level cache.
const TILES: usize = 28;
/// Tiles below which an image does not repay reading four times the weights.
const FEW: usize = 24;
/// Of so many rows of a dilated kernel's image one may be made for nothing.
const SPARE: usize = 8;
/// Parts of an image that are worth having, and output channels of one that repay transforming the inputs again.
const ENOUGH: usize = 4;
const CUT: usize = 64;

/// Sixteen pixels of one block, transformed.
#[derive(Clone, Copy)]
pub struct Gather<T> {
    pub x: *const T,
    /// From row to row of pixels.
    pub row: usize,
    pub out: *mut T,
    /// From point to point.
    pub point: usize,
}

/// Sixteen sums of one block, transformed back.
#[derive(Clone, Copy)]
pub struct Spread<T> {
    pub x: *const T,
    /// From point to point.
    pub point: usize,
    /// The pixel of each row.
    pub out: [*mut T; MADE],
    /// Pixels and rows that lie in the image.
    pub pixels: usize,
    pub rows: usize,
    /// `BLOCK` elements.
    pub bias: Option<*const T>,
    pub relu: bool,
}

#[inline(always)]
fn minus<S: Simd>(s: S, a: S::V, b: S::V, one: S::V) -> S::V {
    s.fma(b, one, a)
}

/// One column or row of inputs; `one` is -1.
#[inline(always)]
fn into_points<S: Simd>(s: S, d: [S::V; SIDE], one: S::V) -> [S::V; SIDE] {
    [minus(s, d[0], d[2], one), s.add(d[1], d[2]), minus(s, d[2], d[1], one), minus(s, d[1], d[3], one)]
}

/// One column or row of sums; `one` is -1.
#[inline(always)]
fn from_points<S: Simd>(s: S, d: [S::V; SIDE], one: S::V) -> [S::V; MADE] {
    [s.add(s.add(d[0], d[1]), d[2]), minus(s, minus(s, d[1], d[2], one), d[3], one)]
}

/// # Safety
/// Four rows of four pixels are readable, and a block of every point is writable.
#[inline(always)]
pub unsafe fn gather<S: Simd<T: From<i8>>>(s: S, t: &Gather<S::T>) {
    let one = s.splat(S::T::from(-1));
    for part in (0..BLOCK).step_by(S::L) {
        let mut rows = [[s.zero(); SIDE]; SIDE];
        for r in 0..SIDE {
            let mut d = [s.zero(); SIDE];
            for q in 0..SIDE {
                // SAFETY: a pixel of the tile.
                d[q] = unsafe { s.load(t.x.wrapping_add(r * t.row + q * BLOCK + part)) };
            }
            rows[r] = into_points(s, d, one);
        }
        for q in 0..SIDE {
            let column = into_points(s, [rows[0][q], rows[1][q], rows[2][q], rows[3][q]], one);
            for r in 0..SIDE {
                // SAFETY: a point of the tile.
                unsafe { s.store(t.out.wrapping_add((r * SIDE + q) * t.point + part), column[r]) };
            }
        }
    }
}

/// # Safety
/// A block of every point is readable, and `rows` rows of `pixels` pixels are writable.
#[inline(always)]
pub unsafe fn spread<S: Simd<T: From<i8>>>(s: S, t: &Spread<S::T>) {
    let one = s.splat(S::T::from(-1));
    for part in (0..BLOCK).step_by(S::L) {
        let mut rows = [[s.zero(); MADE]; SIDE];
        for r in 0..SIDE {
            let mut d = [s.zero(); SIDE];
            for q in 0..SIDE {
                // SAFETY: a point of the tile.
                d[q] = unsafe { s.load(t.x.wrapping_add((r * SIDE + q) * t.point + part)) };
            }
            rows[r] = from_points(s, d, one);
        }
        for q in 0..MADE.min(t.pixels) {
            let column = from_points(s, [rows[0][q], rows[1][q], rows[2][q], rows[3][q]], one);
            for r in 0..MADE.min(t.rows) {
                let mut y = column[r];
                if let Some(bias) = t.bias {
                    // SAFETY: a block of bias.
                    y = s.add(y, unsafe { s.load(bias.wrapping_add(part)) });
                }
                if t.relu {
                    y = s.relu(y);
                }
                // SAFETY: a pixel in the image.
                unsafe { s.store(t.out[r].wrapping_add(q * BLOCK + part), y) };
            }
        }
    }
}

/// How one image is cut: into bands of rows of tiles.
#[derive(Clone, Copy, Debug)]
pub struct Winograd {
    shape: ConvShape,
    input: Layout,
    output: Layout,
    /// Tiles along rows, rows of tiles, and those of a band.
    tiles: [usize; 2],
    band: usize,
}

impl Winograd {
    /// The way for 3 x 3 kernels of stride 1, dilated along columns at most, that have 16 channels or more on both sides.
    pub fn new(shape: ConvShape, input: Layout, output: Layout) -> Option<Self> {
        let [deep, high, wide] = &shape.window.axes;
        let plain = [high, wide].iter().all(|axis| [axis.kernel, axis.stride] == [3, 1]) && wide.dilation == 1;
        let flat = [deep.input, deep.kernel, deep.output] == [1; 3];
        if !plain || !flat || shape.groups != 1 || shape.inputs < BLOCK || shape.outputs < BLOCK {
            return None;
        }
        let groups = high.output.div_ceil(MADE * high.dilation);
        let tiles = [wide.output.div_ceil(MADE), groups * high.dilation];
        let spare = high.dilation > 1 && tiles[1] * MADE - high.output > high.output / SPARE;
        if tiles[0] * tiles[1] < FEW || spare {
            return None;
        }
        let band = TILES.div_ceil(tiles[0]).next_multiple_of(high.dilation).min(tiles[1]);
        Some(Winograd { shape, input, output, tiles, band })
    }

    pub fn pieces(&self) -> Pieces {
        let bands = self.tiles[1].div_ceil(self.band);
        let cuts = (self.shape.outputs / CUT).min(ENOUGH / bands.clamp(1, ENOUGH)).max(1);
        Pieces { groups: 1, bands, cuts }
    }

    /// Output channels from the first of a cut on: whole panels.
    fn channels(&self, cuts: &Range<usize>) -> Range<usize> {
        let (panel, outputs) = (Packed::<f32>::panel(), self.shape.outputs);
        let first = |cut: usize| (outputs.div_ceil(panel) * cut / self.pieces().cuts * panel).min(outputs);
        first(cuts.start)..first(cuts.end)
    }

    /// Elements of one transformed matrix of weights: whole panels.
    fn matrix(&self) -> usize {
        self.shape.outputs.next_multiple_of(Packed::<f32>::panel()) * self.shape.inputs
    }

    pub fn packed_len(&self) -> usize {
        POINTS * self.matrix()
    }

    pub fn pack(&self, weights: &[f32], packed: &mut [MaybeUninit<f32>]) {
        const G: [[f64; 3]; SIDE] = [[1.0, 0.0, 0.0], [0.5, 0.5, 0.5], [0.5, -0.5, 0.5], [0.0, 0.0, 1.0]];
        let (inputs, panel) = (self.shape.inputs, Packed::<f32>::panel());
        packed.fill(MaybeUninit::new(0.0));
        for (at, kernel) in weights.chunks_exact(9).enumerate() {
            let (output, input) = (at / inputs, at % inputs);
            let to = output / panel * panel * inputs + input * panel + output % panel;
            for (point, packed) in packed.chunks_exact_mut(self.matrix()).enumerate() {
                let (row, column) = (G[point / SIDE], G[point % SIDE]);
                let along = |r: usize| (0..3).map(|q| column[q] * f64::from(kernel[r * 3 + q])).sum::<f64>();
                packed[to].write((0..3).map(|r| row[r] * along(r)).sum::<f64>() as f32);
            }
        }
    }

    fn frame(&self) -> Band {
        Band::new(&self.shape, self.input, Layout::Blocked, self.tiles[0] * MADE)
    }

    /// Elements of the band, the transforms, the sums and two rows.
    fn lens(&self) -> [usize; 4] {
        let tiles = self.band * self.tiles[0];
        let channels = |count: usize| count.next_multiple_of(BLOCK);
        let rows = if self.output == Layout::Planar { MADE * self.tiles[0] * MADE * BLOCK } else { 0 };
        [
            self.frame().len(self.band * MADE),
            POINTS * tiles * channels(self.shape.inputs),
            POINTS * tiles * channels(self.shape.outputs),
            rows,
        ]
    }

    pub fn scratch(&self) -> usize {
        let product = gemm_scratch::<f32>(self.band * self.tiles[0], self.shape.outputs, self.shape.inputs);
        room::<f32>(&self.lens()) + product.size()
    }

    pub fn run(
        &self,
        isa: Isa,
        kernels: &'static Kernels<f32>,
        conv: &Conv<'_, f32>,
        out: &mut Target<'_, f32>,
        scratch: &mut [MaybeUninit<u8>],
        parts: Range<usize>,
    ) {
        let [band, points, sums, rows] = self.lens();
        let (band, rest) = carve::<f32>(scratch, band);
        let (points, rest) = carve::<f32>(rest, points);
        let (sums, rest) = carve::<f32>(rest, sums);
        let (rows, rest) = carve::<f32>(rest, rows);
        if !self.shape.outputs.is_multiple_of(BLOCK) {
            // Products leave out missing channels, which are transformed and thrown away.
            sums.fill(MaybeUninit::new(0.0));
        }
        let mut outlets = Outlets::new(isa, kernels, &self.shape, self.output, conv, out, rows);
        for piece in self.pieces().of(parts) {
            let lines = piece.band * self.band..((piece.band + 1) * self.band).min(self.tiles[1]);
            let channels = self.channels(&piece.cuts);
            let input = &conv.input[piece.image * self.input.len(self.shape.inputs, self.shape.window.inputs())..];
            let frame = self.frame();
            frame.lay(kernels.blocks, input, lines.start * MADE, lines.len() * MADE, band);
            let tiles = lines.len() * self.tiles[0];
            self.transform(kernels, &frame, band, lines.len(), points);
            for point in 0..POINTS {
                self.multiply(isa, conv.weights, point, tiles, &channels, points, sums, rest);
            }
            self.restore(kernels, piece.image, lines, &channels, sums, &mut outlets);
        }
    }

    /// The first row of outputs of a row of tiles. The rows of a tile are as far apart as the taps, so rows of tiles interleave.
    fn row(&self, line: usize) -> usize {
        let step = self.shape.window.axes[1].dilation;
        line / step * step * MADE + line % step
    }

    /// Every tile of the band, as a row of inputs for each point.
    fn transform(
        &self,
        kernels: &Kernels<f32>,
        frame: &Band,
        band: &[MaybeUninit<f32>],
        lines: usize,
        points: &mut [MaybeUninit<f32>],
    ) {
        let channels = self.shape.inputs.next_multiple_of(BLOCK);
        let (row, block) = (frame.width * BLOCK, frame.plane(lines * MADE) * BLOCK);
        let tiles = lines * self.tiles[0];
        for at in 0..tiles {
            let (y, x) = (at / self.tiles[0], at % self.tiles[0]);
            for part in 0..channels / BLOCK {
                let from = part * block + self.row(y) * row + x * MADE * BLOCK;
                let gather = Gather {
                    x: band[from..].as_ptr().cast(),
                    row: row * self.shape.window.axes[1].dilation,
                    out: points[at * channels + part * BLOCK..].as_mut_ptr().cast(),
                    point: tiles * channels,
                };
                // SAFETY: the band was laid with room for every tile, and so were the points.
                unsafe { (kernels.gather)(&gather) };
            }
        }
    }

    #[expect(clippy::too_many_arguments, reason = "a product has many parts")]
    fn multiply(
        &self,
        isa: Isa,
        weights: &[f32],
        point: usize,
        tiles: usize,
        channels: &Range<usize>,
        points: &[MaybeUninit<f32>],
        sums: &mut [MaybeUninit<f32>],
        scratch: &mut [MaybeUninit<u8>],
    ) {
        let ConvShape { inputs, outputs, .. } = self.shape;
        let (from, to) = (inputs.next_multiple_of(BLOCK), outputs.next_multiple_of(BLOCK));
        let weights = &weights[point * self.matrix()..][..self.matrix()];
        let b = Packed::new(weights, inputs, outputs).expect("whole panels");
        // SAFETY: the points were written for these tiles, and the sums have room for them.
        let (a, mut c) = unsafe {
            let a = points[point * tiles * from..].as_ptr().cast::<f32>();
            let c = sums[point * tiles * to..].as_mut_ptr().cast::<f32>();
            (
                Mat::from_raw(a, [tiles, inputs], [from as isize, 1]),
                MatMut::from_raw(c, [tiles, outputs], [to as isize, 1]),
            )
        };
        gemm_packed(isa, a, b, &mut c, channels.clone(), Epilogue::default(), scratch);
    }

    /// Pixels from the sums.
    fn restore(
        &self,
        kernels: &Kernels<f32>,
        image: usize,
        lines: Range<usize>,
        made: &Range<usize>,
        sums: &[MaybeUninit<f32>],
        outlets: &mut Outlets<'_, '_, f32>,
    ) {
        let [_, high, wide] = &self.shape.window.axes;
        let channels = self.shape.outputs.next_multiple_of(BLOCK);
        let tiles = lines.len() * self.tiles[0];
        for part in made.start / BLOCK..made.end.div_ceil(BLOCK) {
            let bias = outlets.bias::<BLOCK>(part * BLOCK);
            for line in lines.clone() {
                let first = self.row(line);
                let rows = MADE.min(high.output.saturating_sub(first).div_ceil(high.dilation));
                if rows == 0 {
                    continue;
                }
                let row = |i: usize| Outlet {
                    image,
                    channel: part * BLOCK,
                    pixel: (first + i * high.dilation) * wide.output,
                    pixels: wide.output,
                };
                let places = [outlets.place(0, &row(0)), outlets.place(1, &row(rows - 1))];
                for x in 0..self.tiles[0] {
                    let at = (line - lines.start) * self.tiles[0] + x;
                    let spread = Spread {
                        x: sums[at * channels + part * BLOCK..].as_ptr().cast(),
                        point: tiles * channels,
                        out: places.map(|row| row.wrapping_add(x * MADE * BLOCK)),
                        pixels: wide.output - x * MADE,
                        rows,
                        bias: bias.as_ref().map(|bias| bias.as_ptr()),
                        relu: outlets.relu,
                    };
                    // SAFETY: the sums hold every tile; the pixels lie in the rows.
                    unsafe { (kernels.spread)(&spread) };
                }
                for i in 0..rows {
                    // SAFETY: every pixel of the row was just written; the rows belong to the part.
                    unsafe { outlets.finish(i, &row(i)) };
                }
            }
        }
    }
}
