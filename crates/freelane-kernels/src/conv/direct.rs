//! Direct convolutions: tiles of pixels times panels of output channels, over images as they are or bands with their border.
use super::band::{Band, Outlet, Outlets, Piece, Pieces, ROW};
use super::shape::{BLOCK, ConvShape};
use super::table::Kernels;
use super::tile::{PANEL, Tile};
use super::{Conv, carve, room, tap_places};
use crate::Target;
use crate::window::Layout;
use core::mem::MaybeUninit;
use core::ops::Range;
use freelane_simd::Isa;

/// Bytes of a band: with a panel of weights it fits the second-level cache. A single row may be larger.
const BAND: usize = 256 << 10;
/// Pixels of a row when rows run on as one: a multiple of all widths of tiles.
const WIDTH: usize = 84;
/// Parts of an image that are worth having.
const ENOUGH: usize = 8;
/// Rows of a band that are worth the rows around them.
const FEW: usize = 4;

/// How one image is convolved.
#[derive(Clone, Copy, Debug)]
pub struct Direct {
    shape: ConvShape,
    input: Layout,
    output: Layout,
    /// Whether rows are copied, with a border.
    copy: bool,
    /// Pixels of a row, rows, and rows of a band.
    width: usize,
    rows: usize,
    band: usize,
    pieces: Pieces,
}

/// Where a band is read.
struct Source {
    x: *const f32,
    /// From row of outputs to row of outputs.
    step: usize,
    block: usize,
    channel: usize,
}

impl Direct {
    /// The way for images of one or two axes and strides of one or two along rows.
    pub fn new(shape: ConvShape, input: Layout, output: Layout) -> Option<Self> {
        let [deep, high, wide] = &shape.window.axes;
        let flat = [deep.input, deep.kernel, deep.output] == [1; 3];
        let whole = |layout: Layout, channels: usize| {
            layout == Layout::Planar || shape.groups == 1 || channels.is_multiple_of(BLOCK)
        };
        let fits = whole(input, shape.group_inputs()) && whole(output, shape.group_outputs());
        if !flat || !fits || !(1..=2).contains(&wide.stride) || shape.window.outputs() == 0 {
            return None;
        }
        let (pointwise, pixels) = (shape.window.is_pointwise(), shape.window.outputs());
        let copy = [high, wide].iter().any(|axis| axis.before > 0 || axis.taps(axis.output - 1).len() < axis.kernel);
        let (width, rows) = if pointwise { (WIDTH, pixels.div_ceil(WIDTH)) } else { (wide.output, high.output) };
        let frame = Band::new(&shape, input, input, wide.output);
        let bytes = |rows: usize| frame.len(rows) * size_of::<f32>();
        if copy && bytes(1) > ROW {
            return None;
        }
        // Many panels of weights are cut instead of rows, so that each is read once.
        let panels = shape.group_outputs().div_ceil(PANEL);
        let most =
            if panels >= ENOUGH { rows } else { rows.div_ceil(ENOUGH).max(if copy { FEW } else { 1 }).min(rows) };
        let band = if copy {
            frame.outputs_within(BAND / (frame.row_len() * size_of::<f32>()), most)
        } else {
            (BAND / (width * shape.group_inputs() * size_of::<f32>())).clamp(1, most)
        };
        let bands = rows.div_ceil(band);
        let cuts = panels.min(ENOUGH / bands.clamp(1, ENOUGH)).max(1);
        let pieces = Pieces { groups: shape.groups, bands, cuts };
        Some(Direct { shape, input, output, copy, width, rows, band, pieces })
    }

    pub fn pieces(&self) -> Pieces {
        self.pieces
    }

    fn panels(&self) -> usize {
        self.shape.group_outputs().div_ceil(PANEL)
    }

    /// Elements of a panel of weights.
    fn panel(&self) -> usize {
        self.shape.order().depth() * PANEL
    }

    pub fn packed_len(&self) -> usize {
        self.shape.groups * self.panels() * self.panel()
    }

    /// `[group][panel][step][channel][PANEL]`; missing output channels are zero.
    pub fn pack(&self, weights: &[f32], packed: &mut [MaybeUninit<f32>]) {
        let (order, outputs) = (self.shape.order(), self.shape.group_outputs());
        for (at, panel) in packed.chunks_exact_mut(self.panel()).enumerate() {
            let (group, first) = (at / self.panels(), at % self.panels() * PANEL);
            let mut rows = panel.chunks_exact_mut(PANEL);
            for step in (0..order.steps()).map(|step| order.step(step)) {
                for (channel, row) in (step.channel..step.channel + step.width).zip(&mut rows) {
                    for (j, to) in row.iter_mut().enumerate() {
                        let kernel = (group * outputs + first + j) * order.depth() + channel * order.taps + step.tap;
                        to.write(if first + j < outputs { weights[kernel] } else { 0.0 });
                    }
                }
            }
        }
    }

    fn frame(&self) -> Band {
        Band::new(&self.shape, self.input, self.input, self.shape.window.axes[2].output)
    }

    /// Elements of a band and of two rows.
    fn lens(&self) -> [usize; 2] {
        let band = if self.copy { self.frame().len(self.band) } else { 0 };
        [band, if self.output == Layout::Planar { 2 * self.width * BLOCK } else { 0 }]
    }

    pub fn scratch(&self) -> usize {
        room::<f32>(&self.lens()) + room::<usize>(&[self.shape.window.taps()])
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
        let [band, rows] = self.lens();
        let (band, rest) = carve::<f32>(scratch, band);
        let (rows, rest) = carve::<f32>(rest, rows);
        let [_, high, wide] = &self.shape.window.axes;
        let row = if self.copy { self.frame().width } else { wide.input };
        let lanes = self.input.lanes();
        let taps =
            tap_places(rest, &self.shape.window, |[_, y, x]| (y * high.dilation * row + x * wide.dilation) * lanes);
        let mut outlets = Outlets::new(isa, kernels, &self.shape, self.output, conv, out, rows);
        for piece in self.pieces.of(parts) {
            let lines = piece.band * self.band..((piece.band + 1) * self.band).min(self.rows);
            let source = self.source(kernels, conv, &piece, &lines, band);
            let cut = |cut: usize| self.panels() * cut / self.pieces.cuts;
            for panel in cut(piece.cuts.start)..cut(piece.cuts.end) {
                self.panel_of(kernels, conv, &piece, panel, &lines, (&source, taps), &mut outlets);
            }
        }
    }

    fn source(
        &self,
        kernels: &Kernels<f32>,
        conv: &Conv<'_, f32>,
        piece: &Piece,
        lines: &Range<usize>,
        band: &mut [MaybeUninit<f32>],
    ) -> Source {
        let (window, lanes) = (&self.shape.window, self.input.lanes());
        let [_, high, wide] = &window.axes;
        let image = piece.image * self.input.len(self.shape.inputs, window.inputs());
        let image = &conv.input[image + piece.group * self.shape.group_inputs() * window.inputs()..];
        let (x, row, plane) = if self.copy {
            let frame = self.frame();
            frame.lay(kernels.blocks, image, lines.start, lines.len(), band);
            (band.as_ptr().cast(), frame.width * lanes, frame.plane(lines.len()))
        } else {
            let row = if window.is_pointwise() { self.width * lanes } else { wide.input * lanes };
            (image[lines.start * high.stride * row..].as_ptr(), row, window.inputs())
        };
        Source { x, step: high.stride * row, block: plane * BLOCK, channel: plane }
    }

    /// One panel of output channels of a band.
    #[expect(clippy::too_many_arguments, reason = "where to read, what with, where to write")]
    fn panel_of(
        &self,
        kernels: &Kernels<f32>,
        conv: &Conv<'_, f32>,
        piece: &Piece,
        panel: usize,
        lines: &Range<usize>,
        (source, taps): (&Source, &[usize]),
        outlets: &mut Outlets<'_, '_, f32>,
    ) {
        let order = self.shape.order();
        let stride = self.shape.window.axes[2].stride;
        let blocks = (self.shape.group_outputs() - panel * PANEL).div_ceil(BLOCK).min(2);
        let tiles = kernels.tiles[blocks - 1][usize::from(self.input == Layout::Blocked)][stride - 1];
        let channel = piece.group * self.shape.group_outputs() + panel * PANEL;
        let bias = outlets.bias::<PANEL>(channel);
        let weights = &conv.weights[(piece.group * self.panels() + panel) * self.panel()..][..self.panel()];
        for line in lines.clone() {
            let pixel = line * self.width;
            let pixels = self.width.min(self.shape.window.outputs() - pixel);
            let row = |block: usize| Outlet { image: piece.image, channel: channel + block * BLOCK, pixel, pixels };
            let places = [outlets.place(0, &row(0)), outlets.place(1, &row(blocks - 1))];
            let x = source.x.wrapping_add((line - lines.start) * source.step);
            let strips = pixels.div_ceil(tiles.len() - 1);
            for strip in 0..strips {
                let first = pixels * strip / strips;
                let count = pixels * (strip + 1) / strips - first;
                let tile = Tile {
                    x: x.wrapping_add(first * stride * self.input.lanes()),
                    taps: taps.as_ptr(),
                    tap_count: taps.len(),
                    block: source.block,
                    channel: source.channel,
                    channels: order.channels,
                    chain: order.chain(),
                    w: weights.as_ptr(),
                    out: places.map(|place| place.wrapping_add(first * BLOCK)),
                    blocks,
                    bias: bias.as_ref().map(|bias| bias.as_ptr()),
                    relu: outlets.relu,
                };
                // SAFETY: every tap of every pixel lies in the image or in the band around it; the panel is whole; the
                // pixels lie in the rows.
                unsafe { tiles[count](&tile) };
            }
            for block in 0..blocks {
                // SAFETY: every pixel of the row was just written; the row belongs to the part.
                unsafe { outlets.finish(block, &row(block)) };
            }
        }
    }
}
