//! What the ways over blocks of channels share: parts, rows copied with their border, and rows of results.
use super::activation::{Activation, Finish};
use super::shape::{BLOCK, ConvShape};
use super::table::{Kernels, TurnFn};
use super::tile::Turn;
use super::{Active, Conv};
use crate::Target;
use crate::window::Layout;
use core::mem::MaybeUninit;
use core::ops::Range;
use freelane_simd::Isa;

/// Elements of a line of the cache.
const LINE: usize = 16;
/// Bytes of the rows that one row of outputs reads, beyond which they are not copied.
pub const ROW: usize = 4 << 20;

/// How an image is cut: every group into bands of rows, every band along its output channels.
#[derive(Clone, Copy, Debug)]
pub struct Pieces {
    pub groups: usize,
    pub bands: usize,
    pub cuts: usize,
}

/// Some cuts of a band.
pub struct Piece {
    pub image: usize,
    pub group: usize,
    pub band: usize,
    pub cuts: Range<usize>,
}

impl Pieces {
    /// Parts of an image.
    pub fn count(&self) -> usize {
        self.groups * self.bands * self.cuts
    }

    /// The parts, those of the same band together.
    pub fn of(self, parts: Range<usize>) -> impl Iterator<Item = Piece> {
        let mut part = parts.start;
        core::iter::from_fn(move || {
            (part < parts.end).then(|| {
                let (band, cut) = (part / self.cuts, part % self.cuts);
                let cuts = cut..self.cuts.min(cut + parts.end - part);
                part += cuts.len();
                let group = band / self.bands;
                Piece { image: group / self.groups, group: group % self.groups, band: band % self.bands, cuts }
            })
        })
    }
}

/// Rows of a group's channels with the border that its readers want.
#[derive(Clone, Copy, Debug)]
pub struct Band {
    from: Layout,
    to: Layout,
    /// Channels of the group.
    channels: usize,
    /// Pixels of an image's column and row.
    input: [usize; 2],
    before: [usize; 2],
    stride: usize,
    extent: usize,
    /// Pixels of a row.
    pub width: usize,
}

impl Band {
    /// Rows wide enough for so many outputs along rows.
    pub fn new(shape: &ConvShape, from: Layout, to: Layout, outputs: usize) -> Band {
        let [_, high, wide] = &shape.window.axes;
        let extent = |kernel: usize, dilation: usize| (kernel - 1) * dilation + 1;
        Band {
            from,
            to,
            channels: shape.group_inputs(),
            input: [high.input, wide.input],
            before: [high.before, wide.before],
            stride: high.stride,
            extent: extent(high.kernel, high.dilation),
            width: (outputs.max(1) - 1) * wide.stride + extent(wide.kernel, wide.dilation),
        }
    }

    /// Pixels from channel to channel, for so many rows of outputs: where channels are apart, an odd number of lines of the
    /// cache, so that their elements do not share a few sets of it.
    pub fn plane(&self, outputs: usize) -> usize {
        let pixels = self.rows(outputs) * self.width;
        if self.to == Layout::Planar { pixels.next_multiple_of(LINE) | LINE } else { pixels }
    }

    /// Rows of the image that so many rows of outputs read.
    pub fn rows(&self, outputs: usize) -> usize {
        (outputs.max(1) - 1) * self.stride + self.extent
    }

    /// The most rows of outputs, up to `most`, that read no more than so many rows of the image; at least one.
    pub fn outputs_within(&self, rows: usize, most: usize) -> usize {
        rows.checked_sub(self.extent).map_or(1, |more| (more / self.stride + 1).min(most.max(1)))
    }

    /// Elements of a row of all channels.
    pub fn row_len(&self) -> usize {
        self.to.len(self.channels, self.width)
    }

    /// Elements, for so many rows of outputs.
    pub fn len(&self, outputs: usize) -> usize {
        self.to.len(self.channels, self.plane(outputs))
    }

    /// Copies the rows that `outputs` rows of outputs from `first` on read. `image` begins with the group's first channel;
    /// `blocks` turns its planes when the band is blocked and the image is not.
    pub fn lay<T: Copy + Default>(
        &self,
        blocks: TurnFn<T>,
        image: &[T],
        first: usize,
        outputs: usize,
        band: &mut [MaybeUninit<T>],
    ) {
        let lanes = self.to.lanes();
        let plane = self.plane(outputs) * lanes;
        for (at, to) in band[..self.len(outputs)].chunks_exact_mut(plane).enumerate() {
            for (i, to) in to.chunks_exact_mut(self.width * lanes).take(self.rows(outputs)).enumerate() {
                let y = (first * self.stride + i).checked_sub(self.before[0]).filter(|&y| y < self.input[0]);
                let left = self.before[1].min(self.width);
                let count = self.input[1].min(self.width - left);
                let (Some(y), true) = (y, count > 0) else {
                    to.fill(MaybeUninit::new(T::default()));
                    continue;
                };
                to[..left * lanes].fill(MaybeUninit::new(T::default()));
                to[(left + count) * lanes..].fill(MaybeUninit::new(T::default()));
                self.row(blocks, image, at, y, &mut to[left * lanes..(left + count) * lanes]);
            }
        }
    }

    /// The same for one planar channel, element `i` of each row in place `i / stride` of line `i % stride`. `line` is as long
    /// as a row in whole strides.
    pub fn lay_apart<T: Copy + Default>(
        &self,
        image: &[T],
        first: usize,
        outputs: usize,
        stride: usize,
        line: &mut [T],
        band: &mut [T],
    ) {
        for (i, to) in band.chunks_exact_mut(line.len()).take(self.rows(outputs)).enumerate() {
            let y = (first * self.stride + i).checked_sub(self.before[0]).filter(|&y| y < self.input[0]);
            let left = self.before[1].min(self.width);
            let count = self.input[1].min(self.width - left);
            let row = if stride == 1 { &mut *to } else { &mut *line };
            row.fill(T::default());
            if let Some(y) = y {
                row[left..left + count].copy_from_slice(&image[y * self.input[1]..][..count]);
            }
            if stride > 1 {
                for (phase, to) in to.chunks_exact_mut(line.len() / stride).enumerate() {
                    to.iter_mut().zip(line[phase..].iter().step_by(stride)).for_each(|(to, x)| *to = *x);
                }
            }
        }
    }

    /// One row of a channel or block.
    fn row<T: Copy>(&self, blocks: TurnFn<T>, image: &[T], at: usize, y: usize, to: &mut [MaybeUninit<T>]) {
        let [high, wide] = self.input;
        if self.from == self.to {
            let lanes = self.to.lanes();
            to.write_copy_of_slice(&image[(at * high + y) * wide * lanes..][..to.len()]);
            return;
        }
        let channels = BLOCK.min(self.channels - at * BLOCK);
        let (first, pixels) = ((at * BLOCK * high + y) * wide, to.len() / BLOCK);
        let end = first + (channels - 1) * high * wide + pixels;
        let turn =
            Turn { from: image[first..end].as_ptr(), to: to.as_mut_ptr().cast(), pixels, channels, plane: high * wide };
        // SAFETY: `pixels` pixels of each channel, as just sliced, into as many of the block.
        unsafe { blocks(&turn) };
    }
}

/// A row of results of one block of channels.
pub struct Outlet {
    pub image: usize,
    /// The first channel.
    pub channel: usize,
    pub pixel: usize,
    pub pixels: usize,
}

/// Where rows of results go.
pub struct Outlets<'a, 'o, T: 'static> {
    isa: Isa,
    kernels: &'static Kernels<T>,
    layout: Layout,
    shape: ConvShape,
    bias: Option<&'a [T]>,
    residual: Option<&'a [T]>,
    activation: Activation<T>,
    /// Whether results are cut at zero before they are stored.
    pub relu: bool,
    out: &'a mut Target<'o, T>,
    rows: *mut T,
    row_len: usize,
}

impl<'a, 'o, T: Active> Outlets<'a, 'o, T> {
    /// `rows` holds two rows of a block when the output is planar.
    pub fn new(
        isa: Isa,
        kernels: &'static Kernels<T>,
        shape: &ConvShape,
        layout: Layout,
        conv: &Conv<'a, T>,
        out: &'a mut Target<'o, T>,
        rows: &'a mut [MaybeUninit<T>],
    ) -> Self {
        let relu = conv.activation == Activation::Relu && conv.residual.is_none();
        Outlets {
            isa,
            kernels,
            layout,
            shape: *shape,
            bias: conv.bias,
            residual: conv.residual,
            activation: if relu { Activation::None } else { conv.activation },
            relu,
            out,
            row_len: rows.len() / 2,
            rows: rows.as_mut_ptr().cast(),
        }
    }

    /// Channels of the group from one on; those of a depthwise convolution lie together.
    fn left(&self, channel: usize) -> usize {
        let group = if self.shape.is_depthwise() { self.shape.outputs } else { self.shape.group_outputs() };
        group - channel % group
    }

    /// The bias of `N` channels; zero for those that are missing.
    pub fn bias<const N: usize>(&self, channel: usize) -> Option<[T; N]> {
        self.bias.map(|bias| {
            let mut padded = [T::default(); N];
            let count = N.min(self.left(channel));
            padded[..count].copy_from_slice(&bias[channel..][..count]);
            padded
        })
    }

    fn at(&self, row: &Outlet) -> usize {
        let (lanes, pixels) = (self.layout.lanes(), self.shape.window.outputs());
        let image = row.image * self.layout.len(self.shape.outputs, pixels);
        image + row.channel / lanes * lanes * pixels + row.pixel * lanes
    }

    /// Where a row is to be written, pixel after pixel. There are two slots for rows that are not finished.
    pub fn place(&self, slot: usize, row: &Outlet) -> *mut T {
        match self.layout {
            Layout::Planar => self.rows.wrapping_add(slot * self.row_len),
            Layout::Blocked => self.out.at(self.at(row)),
        }
    }

    /// Adds the residual, applies the activation, and brings the row to where it belongs.
    ///
    /// # Safety
    /// The row was written to its place, and belongs to the part.
    pub unsafe fn finish(&mut self, slot: usize, row: &Outlet) {
        let at = self.at(row);
        if self.layout == Layout::Blocked {
            // SAFETY: the caller's promise.
            return unsafe { self.end(at, row.pixels * BLOCK) };
        }
        let (channels, plane) = (BLOCK.min(self.left(row.channel)), self.shape.window.outputs());
        let from = self.place(slot, row);
        if self.residual.is_none() {
            // SAFETY: the row was written, and lies in the cache still.
            let row = unsafe { core::slice::from_raw_parts_mut(from, row.pixels * BLOCK) };
            Finish { bias: None, residual: None, activation: self.activation }.run(self.isa, row);
        }
        let turn = Turn { from, to: self.out.at(at), pixels: row.pixels, channels, plane };
        // SAFETY: the row was written; the pixels of each channel lie in the output.
        unsafe { (self.kernels.planes)(&turn) };
        if self.residual.is_some() {
            for channel in 0..channels {
                // SAFETY: just written.
                unsafe { self.end(at + channel * plane, row.pixels) };
            }
        }
    }

    /// # Safety
    /// The elements are written, and belong to the part.
    unsafe fn end(&mut self, at: usize, count: usize) {
        let residual = self.residual.map(|rest| &rest[at..][..count]);
        let finish = Finish { bias: None, residual, activation: self.activation };
        // SAFETY: the caller's promise.
        finish.run(self.isa, unsafe { self.out.written(at, count) });
    }
}
