//! Convolutions whose channels do not see each other.
//!
//! Taps in the padding are skipped where images are blocked. Elsewhere they are multiplied with zero, which gives the same but
//! for weights that are infinite or NaN, and for sums that underflow to a negative zero.
use super::activation::Finish;
use super::band::{Band, Outlet, Outlets, Pieces, ROW};
use super::shape::{BLOCK, ConvShape};
use super::table::{Kernels, Lines};
use super::tile::{Depth, Row, SLACK};
use super::{Active, Conv, carve, room, tap_places};
use crate::Target;
use crate::gemm::KC;
use crate::window::{Axis, Layout};
use core::mem::MaybeUninit;
use core::ops::Range;
use freelane_simd::{Isa, Scalar};

/// Parts of an image: channels or blocks are put together until so many are left.
const ENOUGH: usize = 16;
/// Elements of a band of a planar image: it stays in the first-level cache or near it.
const PLANE: usize = 16 << 10;

/// Whether the order is that of a single chain, and the image has two axes at most.
fn single(shape: &ConvShape) -> bool {
    let [deep, ..] = &shape.window.axes;
    shape.is_depthwise() && [deep.input, deep.kernel, deep.output] == [1; 3] && shape.window.taps() <= KC
}

/// Units in as many parts.
fn parts(units: usize) -> Pieces {
    Pieces { groups: 1, bands: units.min(ENOUGH), cuts: 1 }
}

/// The units of a part.
fn units(units: usize, part: usize) -> Range<usize> {
    let parts = units.min(ENOUGH);
    units * part / parts..units * (part + 1) / parts
}

/// Blocked images.
#[derive(Clone, Copy, Debug)]
pub struct Blocks {
    shape: ConvShape,
}

impl Blocks {
    /// The way for strides of one or two along rows.
    pub fn new(shape: ConvShape) -> Option<Self> {
        let wide = &shape.window.axes[2];
        (single(&shape) && (1..=2).contains(&wide.stride)).then_some(Blocks { shape })
    }

    fn blocks(&self) -> usize {
        self.shape.outputs.div_ceil(BLOCK)
    }

    pub fn pieces(&self) -> Pieces {
        parts(self.blocks())
    }

    pub fn packed_len(&self) -> usize {
        self.blocks() * self.shape.window.taps() * BLOCK
    }

    /// `[block][tap][BLOCK]`; missing channels are zero.
    pub fn pack(&self, weights: &[f32], packed: &mut [MaybeUninit<f32>]) {
        let taps = self.shape.window.taps();
        for (i, to) in packed.iter_mut().enumerate() {
            let (channel, tap) = (i / BLOCK / taps * BLOCK + i % BLOCK, i / BLOCK % taps);
            to.write(weights.get(channel * taps + tap).copied().unwrap_or_default());
        }
    }

    pub fn run(
        &self,
        isa: Isa,
        kernels: &'static Kernels<f32>,
        conv: &Conv<'_, f32>,
        out: &mut Target<'_, f32>,
        parts: Range<usize>,
    ) {
        let mut outlets = Outlets::new(isa, kernels, &self.shape, Layout::Blocked, conv, out, &mut []);
        let window = &self.shape.window;
        let high = &window.axes[1];
        for piece in self.pieces().of(parts) {
            for block in units(self.blocks(), piece.band) {
                let at = piece.image * self.blocks() + block;
                let image = &conv.input[at * window.inputs() * BLOCK..][..window.inputs() * BLOCK];
                let bias = outlets.bias::<BLOCK>(block * BLOCK);
                let weights = &conv.weights[block * window.taps() * BLOCK..][..window.taps() * BLOCK];
                for y in 0..high.output {
                    let row = Outlet {
                        image: piece.image,
                        channel: block * BLOCK,
                        pixel: y * window.axes[2].output,
                        pixels: window.axes[2].output,
                    };
                    self.row(kernels, y, [image, weights], bias.as_ref(), outlets.relu, outlets.place(0, &row));
                    // SAFETY: every pixel of the row was just written; the row belongs to the part.
                    unsafe { outlets.finish(0, &row) };
                }
            }
        }
    }

    /// One row: first the pixels whose taps all lie inside, then the others, one by one.
    fn row(
        &self,
        kernels: &Kernels<f32>,
        y: usize,
        [image, weights]: [&[f32]; 2],
        bias: Option<&[f32; BLOCK]>,
        relu: bool,
        out: *mut f32,
    ) {
        let [_, high, wide] = &self.shape.window.axes;
        let rows = high.taps(y);
        let tiles = kernels.depth[wide.stride - 1];
        let inner = interior(wide);
        let tile = |x: usize, count: usize, columns: Range<usize>| {
            let seen = !rows.is_empty() && !columns.is_empty();
            let from = if seen {
                let (y, x) = (high.position(y, rows.start), wide.position(x, columns.start));
                (y as usize * wide.input + x as usize) * BLOCK
            } else {
                0
            };
            let depth = Depth {
                x: image[from..].as_ptr(),
                steps: [high.dilation * wide.input * BLOCK, wide.dilation * BLOCK],
                taps: [rows.len(), columns.len()],
                w: weights.as_ptr().wrapping_add((rows.start * wide.kernel + columns.start) * BLOCK),
                w_step: wide.kernel * BLOCK,
                out: out.wrapping_add(x * BLOCK),
                bias: bias.map(|bias| bias.as_ptr()),
                relu,
            };
            // SAFETY: the taps given lie inside for every pixel given; the pixels lie in the row.
            unsafe { tiles[count](&depth) };
        };
        let strips = inner.len().div_ceil(tiles.len() - 1);
        for strip in 0..strips {
            let first = inner.len() * strip / strips;
            let end = inner.len() * (strip + 1) / strips;
            tile(inner.start + first, end - first, 0..wide.kernel);
        }
        for x in (0..inner.start).chain(inner.end..wide.output) {
            tile(x, 1, wide.taps(x));
        }
    }
}

/// The outputs for which every tap lies inside.
fn interior(axis: &Axis) -> Range<usize> {
    let (first, last) = (axis.outputs(0), axis.outputs(axis.kernel - 1));
    let start = first.start.max(last.start).min(axis.output);
    start..first.end.min(last.end).max(start)
}

/// Planar images: rows are copied with a border, those of a stride taken apart by their place modulo it.
#[derive(Clone, Copy, Debug)]
pub struct Planes {
    shape: ConvShape,
    /// Rows of a band.
    band: usize,
}

impl Planes {
    pub fn new(shape: ConvShape) -> Option<Self> {
        let [_, high, wide] = &shape.window.axes;
        let frame = Band::new(&shape, Layout::Planar, Layout::Planar, wide.output);
        let row = frame.width.next_multiple_of(wide.stride);
        let band = frame.outputs_within(PLANE / row, high.output);
        (single(&shape) && frame.rows(1) * row * size_of::<f64>() <= ROW).then_some(Planes { shape, band })
    }

    pub fn pieces(&self) -> Pieces {
        parts(self.shape.outputs)
    }

    fn frame(&self) -> Band {
        Band::new(&self.shape, Layout::Planar, Layout::Planar, self.shape.window.axes[2].output)
    }

    /// Elements of a row that is taken apart, and of a band.
    fn lens(&self) -> [usize; 2] {
        let (frame, stride) = (self.frame(), self.shape.window.axes[2].stride);
        let row = frame.width.next_multiple_of(stride);
        [row, frame.rows(self.band) * row + SLACK]
    }

    pub fn scratch<T>(&self) -> usize {
        room::<T>(&self.lens()) + room::<usize>(&[self.shape.window.taps()])
    }

    pub fn run<T: Active + Scalar>(
        &self,
        isa: Isa,
        lines: &Lines<T>,
        conv: &Conv<'_, T>,
        out: &mut Target<'_, T>,
        scratch: &mut [MaybeUninit<u8>],
        parts: Range<usize>,
    ) {
        let [row, band] = self.lens();
        let (line, rest) = carve::<T>(scratch, row);
        let (band, rest) = carve::<T>(rest, band);
        band.fill(MaybeUninit::new(T::default()));
        line.fill(MaybeUninit::new(T::default()));
        let window = &self.shape.window;
        let [_, high, wide] = &window.axes;
        let taps = tap_places(rest, window, |[_, y, x]| {
            let x = x * wide.dilation;
            y * high.dilation * row + x % wide.stride * (row / wide.stride) + x / wide.stride
        });
        // SAFETY: filled just now.
        let (line, band) = unsafe { (line.assume_init_mut(), band.assume_init_mut()) };
        let (inputs, outputs) = (window.inputs(), window.outputs());
        for piece in self.pieces().of(parts) {
            for channel in units(self.shape.outputs, piece.band) {
                let at = piece.image * self.shape.outputs + channel;
                let image = &conv.input[at * inputs..][..inputs];
                let weights = &conv.weights[channel * window.taps()..][..window.taps()];
                self.plane(lines, (image, weights, taps), out.at(at * outputs), line, band);
                let finish = Finish {
                    bias: conv.bias.map(|bias| bias[channel]),
                    residual: conv.residual.map(|rest| &rest[at * outputs..][..outputs]),
                    activation: conv.activation,
                };
                // SAFETY: every row of the channel was just written; the channel belongs to the part.
                finish.run(isa, unsafe { out.written(at * outputs, outputs) });
            }
        }
    }

    fn plane<T: Scalar>(
        &self,
        lines: &Lines<T>,
        (image, weights, taps): (&[T], &[T], &[usize]),
        out: *mut T,
        line: &mut [T],
        band: &mut [T],
    ) {
        let [_, high, wide] = &self.shape.window.axes;
        let frame = self.frame();
        for first in (0..high.output).step_by(self.band) {
            let rows = self.band.min(high.output - first);
            frame.lay_apart(image, first, rows, wide.stride, line, band);
            for y in 0..rows {
                let row = Row {
                    x: band[y * high.stride * line.len()..].as_ptr(),
                    taps: taps.as_ptr(),
                    w: weights.as_ptr(),
                    tap_count: taps.len(),
                    out: out.wrapping_add((first + y) * wide.output),
                    pixels: wide.output,
                };
                // SAFETY: the band holds every tap of every pixel of these rows, and some elements more.
                unsafe { (lines.row)(&row) };
            }
        }
    }
}
