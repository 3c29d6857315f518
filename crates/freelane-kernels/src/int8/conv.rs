//! Convolutions of bytes: what the taps see is laid out as columns of words, and the weights are multiplied with them.
use super::depth::Depth;
use super::operand::{Byte, Each, Left, Lines, carve, row_sum, row_words, words};
use super::sink::{Place, Sink};
use super::tile::{Kernel, PANEL};
use super::{ALIGN, Job};
use crate::Target;
use crate::conv::{ConvShape, Rows};
use crate::gemm::Mat;
use core::alloc::Layout;
use core::marker::PhantomData;
use core::mem::MaybeUninit;
use core::ops::Range;
use freelane_simd::Isa;

/// Pixels of a band.
const BAND: usize = 128;

/// How a convolution of bytes is computed: weights of type `W`, images of type `X`.
#[derive(Clone, Copy, Debug)]
pub struct IntConvPlan<W, X> {
    isa: Isa,
    kernel: &'static Kernel,
    shape: ConvShape,
    bytes: PhantomData<(W, X)>,
}

compiled! {
    /// Neighbours along k as words of panels `step` apart, added to the sums of their columns.
    fn turn<X: Byte>(depth: usize, lines: &[X], step: usize, panels: &mut [MaybeUninit<i32>], sums: &mut [i32]) {
        for (panel, sums) in sums.chunks_exact_mut(PANEL).enumerate() {
            let mut four: Lines = [[0; PANEL]; 4];
            for (to, line) in four.iter_mut().zip(lines.chunks_exact(BAND)) {
                let from = &line[panel * PANEL..][..PANEL];
                for j in 0..PANEL {
                    to[j] = from[j].signed();
                }
                for j in 0..PANEL {
                    sums[j] = sums[j].wrapping_add(to[j].into());
                }
            }
            panels[panel * step..][..PANEL].write_copy_of_slice(&words(depth, &four));
        }
    }
}

/// What a convolution of bytes works on. The sink's rows are the output channels.
#[derive(Clone, Copy, Debug)]
pub struct IntConv<'a, W: Byte, X: Byte> {
    /// As [`IntConvPlan::pack`] made them.
    pub weights: &'a [i32],
    /// Zero point of the weights, one or one for each output channel (as rows).
    pub weights_zero: Each<'a, W>,
    /// Images, one behind the other: `[batch, channels, pixels]`.
    pub input: &'a [X],
    /// Zero point of the images, which is what padding holds.
    pub input_zero: X,
    /// Images.
    pub batch: usize,
}

impl<W: Byte, X: Byte> IntConvPlan<W, X> {
    /// The plan for a shape.
    pub fn new(isa: Isa, shape: ConvShape) -> Self {
        IntConvPlan { isa, kernel: Kernel::of(isa), shape, bytes: PhantomData }
    }

    #[cfg(test)]
    pub(super) fn with(self, kernel: &'static Kernel) -> Self {
        IntConvPlan { kernel, ..self }
    }

    /// What is computed.
    pub fn shape(&self) -> &ConvShape {
        &self.shape
    }

    fn depth(&self) -> usize {
        self.shape.group_inputs() * self.shape.window.taps()
    }

    fn words(&self) -> usize {
        self.depth().div_ceil(self.kernel.depth)
    }

    fn bands(&self) -> usize {
        self.shape.window.outputs().div_ceil(BAND)
    }

    /// Words of packed weights: their rows, then the sums of the rows.
    pub fn packed_len(&self) -> usize {
        if self.depthwise().is_some() { self.shape.weights_len() } else { self.shape.outputs * (self.words() + 1) }
    }

    fn depthwise(&self) -> Option<Depth> {
        Depth::new(self.shape)
    }

    /// Packs weights `[outputs, inputs / groups, taps]`, initialising all of `packed`.
    ///
    /// # Panics
    /// When a length is another than the shape and [`Self::packed_len`] say.
    pub fn pack(&self, bytes: &[W], packed: &mut [MaybeUninit<i32>]) {
        let (outputs, depth) = (self.shape.outputs, self.depth());
        let weights = Mat::new(bytes, 0, [outputs, depth], [depth as isize, 1]).expect("weights of the shape");
        assert!(packed.len() == self.packed_len(), "conv: {} words for packed weights", packed.len());
        if self.depthwise().is_some() {
            return Depth::pack(bytes, packed);
        }
        let (rows, sums) = packed.split_at_mut(outputs * self.words());
        for (i, (row, sum)) in rows.chunks_exact_mut(self.words()).zip(sums).enumerate() {
            row_words(self.kernel.depth, weights, i, row);
            sum.write(row_sum(weights, i));
        }
    }

    /// Scratch that [`Self::run`] needs, whatever the parts.
    pub fn scratch(&self) -> Layout {
        if let Some(depth) = self.depthwise() {
            return Layout::from_size_align(depth.scratch(), ALIGN).expect("scratch is smaller than the operands");
        }
        let columns = BAND.min(self.shape.window.outputs().next_multiple_of(PANEL));
        let bytes = columns * (self.words() + 1) * size_of::<i32>() + 4 * BAND + 3 * ALIGN;
        Layout::from_size_align(bytes, ALIGN).expect("scratch is smaller than the operands")
    }

    /// Parts of a batch: about the same work each, the same for every number of lanes.
    pub fn parts(&self, batch: usize) -> usize {
        batch * self.depthwise().map_or(self.shape.groups * self.bands(), |depth| depth.parts())
    }

    /// Computes some parts of `out`, `[batch, outputs, pixels]`.
    ///
    /// # Panics
    /// When lengths do not fit the shape and the batch, `parts` are out of range, or scratch is smaller than
    /// [`Self::scratch`] says.
    pub fn run<S: Sink>(
        &self,
        conv: &IntConv<'_, W, X>,
        sink: &S,
        out: &mut Target<'_, S::Out>,
        scratch: &mut [MaybeUninit<u8>],
        parts: Range<usize>,
    ) {
        let shape = &self.shape;
        let whole = |each: usize| conv.batch.checked_mul(each);
        assert!(conv.weights.len() == self.packed_len(), "conv: {} words of weights", conv.weights.len());
        assert!(Some(conv.input.len()) == whole(shape.input_len()), "conv: an input of {} elements", conv.input.len());
        assert!(Some(out.len()) == whole(shape.output_len()), "conv: an output of {} elements", out.len());
        assert!(parts.start <= parts.end && parts.end <= self.parts(conv.batch), "conv: parts {parts:?}");
        assert!(scratch.len() >= self.scratch().size(), "conv: {} bytes of scratch", scratch.len());
        let fits = sink.fits(shape.outputs, 0) && conv.weights_zero.fits(shape.outputs, 0);
        let depthwise = self.depthwise();
        assert!(fits, "conv: zero points, scales or biases for another number of channels than {}", shape.outputs);
        for part in parts {
            match &depthwise {
                Some(depth) => depth.part(self.isa, conv, sink, out, scratch, part),
                None => self.part(conv, sink, out, scratch, part),
            }
        }
    }

    fn part<S: Sink>(
        &self,
        conv: &IntConv<'_, W, X>,
        sink: &S,
        out: &mut Target<'_, S::Out>,
        scratch: &mut [MaybeUninit<u8>],
        part: usize,
    ) {
        let (shape, words) = (&self.shape, self.words());
        let (band, image) = (part % self.bands(), part / self.bands());
        let (group, image) = (image % shape.groups, image / shape.groups);
        let pixels_out = shape.window.outputs();
        let pixels = band * BAND..((band + 1) * BAND).min(pixels_out);
        let channels = shape.group_inputs();
        let len = channels * shape.window.inputs();
        let input = &conv.input[image * shape.input_len() + group * len..][..len];
        let columns = pixels.len().next_multiple_of(PANEL);
        let (lines, rest) = carve::<X>(scratch, 4 * BAND);
        let (panels, rest) = carve::<i32>(rest, columns * words);
        let (sums, _) = carve::<i32>(rest, columns);
        self.lay_out(input, conv.input_zero, &pixels, lines, panels, sums);
        // SAFETY: both were laid out just now.
        let (panels, column_sums) = unsafe { (panels.assume_init_ref(), sums.assume_init_ref()) };
        let outputs = shape.group_outputs();
        let rows = group * outputs..(group + 1) * outputs;
        let (weights, row_sums) = conv.weights.split_at(shape.outputs * words);
        let job = Job::<W, X> {
            isa: self.isa,
            kernel: self.kernel,
            words,
            left: Left::of(&weights[rows.start * words..], words, &row_sums[rows.clone()]),
            rows,
            panels,
            sums: column_sums,
            columns: 0..pixels.len(),
            a_zero: conv.weights_zero,
            b_zero: Each::One(conv.input_zero),
            depth: self.depth(),
            place: Place { origin: image * shape.output_len() + pixels.start, stride: pixels_out },
        };
        // SAFETY: the pixels of the group's channels lie in the output, and belong to the part.
        unsafe { job.run(sink, out) };
    }

    /// Panels of words of what the taps see, in the order of the weights, and the sums of their columns.
    fn lay_out(
        &self,
        input: &[X],
        zero: X,
        pixels: &Range<usize>,
        lines: &mut [MaybeUninit<X>],
        panels: &mut [MaybeUninit<i32>],
        sums: &mut [MaybeUninit<i32>],
    ) {
        let (window, words_deep, depth) = (&self.shape.window, self.words(), self.kernel.depth);
        let (taps, plane) = (window.taps(), window.inputs());
        lines.fill(MaybeUninit::new(zero));
        sums.fill(MaybeUninit::new(0));
        // SAFETY: just filled.
        let (lines, sums) = unsafe { (lines.assume_init_mut(), sums.assume_init_mut()) };
        for q in 0..words_deep {
            let count = depth.min(self.depth() - q * depth);
            for (t, line) in lines.chunks_exact_mut(BAND).take(count).enumerate() {
                let (channel, tap) = ((q * depth + t) / taps, (q * depth + t) % taps);
                line.fill(zero);
                Rows::new(window, window.tap(tap), pixels.clone()).copy(&input[channel * plane..][..plane], line);
            }
            turn(self.isa, depth, &lines[..count * BAND], words_deep * PANEL, &mut panels[q * PANEL..], sums);
        }
    }
}
