//! Transposed convolutions: every pixel of the image is spread over what its window covers.
//!
//! For each tap, in row-major order, the products of the channels are summed in the order of matrix products
//! ([`crate::gemm`]) and added to the pixels that the tap reaches, from +0. Then follow bias, residual and activation.
use super::activation::Finish;
use super::{ALIGN, Activation, ConvElement, align, carve};
use crate::Target;
use crate::gemm::{Epilogue, Mat, MatMut, gemm, gemm_scratch};
use crate::window::{Window, WindowError};
use core::alloc::Layout;
use core::marker::PhantomData;
use core::mem::MaybeUninit;
use core::ops::Range;
use freelane_simd::Isa;

/// Pixels of the image that are spread at a time.
const BAND: usize = 512;
/// Output channels of a part.
const CUT: usize = 32;

/// How a transposed convolution is computed.
#[derive(Clone, Copy, Debug)]
pub struct TransposePlan<T> {
    inputs: usize,
    outputs: usize,
    groups: usize,
    window: Window,
    element: PhantomData<T>,
}

/// What a transposed convolution works on.
#[derive(Clone, Copy, Debug)]
pub struct Transpose<'a, T> {
    /// As [`TransposePlan::pack`] made them.
    pub weights: &'a [T],
    /// Images, one behind the other: `[batch, channels, pixels]`.
    pub input: &'a [T],
    /// Images.
    pub batch: usize,
    /// One element for each output channel.
    pub bias: Option<&'a [T]>,
    /// Applied last.
    pub activation: Activation<T>,
}

impl<T: ConvElement> TransposePlan<T> {
    /// The plan for axes made by [`Axis::transposed`](crate::window::Axis::transposed).
    pub fn new(inputs: usize, outputs: usize, groups: usize, window: Window) -> Result<Self, WindowError> {
        // The convolution whose transpose it is has the same sizes.
        super::ConvShape::new(outputs, inputs, groups, window)?;
        Ok(TransposePlan { inputs, outputs, groups, window, element: PhantomData })
    }

    fn group_inputs(&self) -> usize {
        self.inputs / self.groups
    }

    fn group_outputs(&self) -> usize {
        self.outputs / self.groups
    }

    /// Elements of one image.
    pub fn input_len(&self) -> usize {
        self.inputs * self.window.outputs()
    }

    /// Elements of one result.
    pub fn output_len(&self) -> usize {
        self.outputs * self.window.inputs()
    }

    /// Elements of the weights, packed or not.
    pub fn packed_len(&self) -> usize {
        self.inputs * self.group_outputs() * self.window.taps()
    }

    /// Packs weights `[inputs, outputs / groups, taps]`, initialising all of `packed`.
    ///
    /// # Panics
    /// When a length is another than [`Self::packed_len`].
    pub fn pack(&self, weights: &[T], packed: &mut [MaybeUninit<T>]) {
        let (channels, outputs, taps) = (self.group_inputs(), self.group_outputs(), self.window.taps());
        assert!([weights.len(), packed.len()] == [self.packed_len(); 2], "transposed conv: {} weights", weights.len());
        let mut packed = packed.iter_mut();
        for group in weights.chunks_exact(channels * outputs * taps) {
            for tap in 0..taps {
                for at in (0..outputs * channels).map(|i| i % channels * outputs + i / channels) {
                    if let Some(to) = packed.next() {
                        to.write(group[at * taps + tap]);
                    }
                }
            }
        }
    }

    fn band(&self) -> usize {
        BAND.min(self.window.outputs())
    }

    fn product(&self) -> Layout {
        gemm_scratch::<T>(CUT.min(self.group_outputs()), self.window.outputs(), self.group_inputs())
    }

    /// Scratch that [`Self::run`] needs, whatever the parts.
    pub fn scratch(&self) -> Layout {
        let sums = CUT.min(self.group_outputs()) * self.band() * size_of::<T>();
        let bytes = align(sums) + ALIGN + self.product().size();
        Layout::from_size_align(bytes, ALIGN).expect("scratch is smaller than the operands")
    }

    fn cuts(&self) -> usize {
        self.group_outputs().div_ceil(CUT)
    }

    /// Parts of a batch, the same for every number of lanes.
    pub fn parts(&self, batch: usize) -> usize {
        batch * self.groups * self.cuts()
    }

    /// Computes some parts of `out`, `[batch, outputs, pixels]`.
    ///
    /// # Panics
    /// When lengths do not fit the plan and the batch, `parts` are out of range, or scratch is smaller than
    /// [`Self::scratch`] says.
    pub fn run(
        &self,
        isa: Isa,
        conv: &Transpose<'_, T>,
        out: &mut Target<'_, T>,
        scratch: &mut [MaybeUninit<u8>],
        parts: Range<usize>,
    ) {
        let whole = |each: usize| conv.batch.checked_mul(each);
        assert!(conv.weights.len() == self.packed_len(), "transposed conv: {} weights", conv.weights.len());
        assert!(Some(conv.input.len()) == whole(self.input_len()), "transposed conv: {} elements", conv.input.len());
        assert!(Some(out.len()) == whole(self.output_len()), "transposed conv: an output of {} elements", out.len());
        assert!(conv.bias.is_none_or(|bias| bias.len() == self.outputs), "transposed conv: a bias for other channels");
        assert!(parts.start <= parts.end && parts.end <= self.parts(conv.batch), "transposed conv: parts {parts:?}");
        assert!(scratch.len() >= self.scratch().size(), "transposed conv: {} bytes of scratch", scratch.len());
        for part in parts {
            self.part(isa, conv, out, scratch, part);
        }
    }

    fn part(
        &self,
        isa: Isa,
        conv: &Transpose<'_, T>,
        out: &mut Target<'_, T>,
        scratch: &mut [MaybeUninit<u8>],
        part: usize,
    ) {
        let (cut, group, image) =
            (part % self.cuts(), part / self.cuts() % self.groups, part / self.cuts() / self.groups);
        let (channels, outputs, pixels) = (self.group_inputs(), self.group_outputs(), self.window.outputs());
        let rows = cut * CUT..((cut + 1) * CUT).min(outputs);
        let len = channels * pixels;
        let input = &conv.input[image * self.input_len() + group * len..][..len];
        let b = Mat::new(input, 0, [channels, pixels], [pixels as isize, 1]).expect("a whole image");
        let first = group * outputs + rows.start;
        let plane = self.window.inputs();
        let at = image * self.output_len() + first * plane;
        // SAFETY: the rows are of the part's output; they are written before they are read.
        let made = unsafe {
            core::ptr::write_bytes(out.at(at), 0, rows.len() * plane);
            out.written(at, rows.len() * plane)
        };
        for tap in 0..self.window.taps() {
            let weights = ((group * self.window.taps() + tap) * outputs + rows.start) * channels;
            let a = Mat::new(conv.weights, weights, [rows.len(), channels], [channels as isize, 1]);
            self.spread(isa, tap, [a.expect("whole weights"), b], made, scratch);
        }
        for (row, made) in made.chunks_exact_mut(plane).enumerate() {
            let bias = conv.bias.map(|bias| bias[first + row]);
            Finish { bias, residual: None, activation: conv.activation }.run(isa, made);
        }
    }

    /// Adds what one tap brings.
    fn spread(&self, isa: Isa, tap: usize, [a, b]: [Mat<'_, T>; 2], made: &mut [T], scratch: &mut [MaybeUninit<u8>]) {
        let (pixels, plane) = (self.window.outputs(), self.window.inputs());
        let (sums, scratch) = carve::<T>(scratch, a.rows * self.band());
        for first in (0..pixels).step_by(BAND) {
            let columns = first..(first + BAND).min(pixels);
            let width = columns.len();
            // SAFETY: column `first` of the product begins the sums; no other column than `columns` is touched.
            let mut c = unsafe {
                let origin = sums.as_mut_ptr().cast::<T>().wrapping_sub(first);
                MatMut::from_raw(origin, [a.rows, pixels], [width as isize, 1])
            };
            gemm(isa, a, b, &mut c, columns.clone(), Epilogue::default(), scratch);
            // SAFETY: the product wrote these columns of all rows.
            let sums = unsafe { sums[..a.rows * width].assume_init_ref() };
            for (sums, made) in sums.chunks_exact(width).zip(made.chunks_exact_mut(plane)) {
                self.add(tap, columns.clone(), sums, made);
            }
        }
    }

    /// Adds pixels of the image to where a tap puts them.
    fn add(&self, tap: usize, pixels: Range<usize>, sums: &[T], made: &mut [T]) {
        let [deep, high, wide] = &self.window.axes;
        let tap = self.window.tap(tap);
        let valid = wide.outputs(tap[2]);
        let mut pixel = pixels.start;
        while pixel < pixels.end {
            let [z, y, x] = self.window.output(pixel);
            let end = wide.output.min(x + pixels.end - pixel);
            let (low, up) = (valid.start.max(x), valid.end.min(end));
            if let (Some((z, y)), true) = (deep.inside(z, tap[0]).zip(high.inside(y, tap[1])), low < up) {
                let to = (z * high.input + y) * wide.input + wide.position(low, tap[2]) as usize;
                let sums = &sums[pixel - pixels.start + low - x..][..up - low];
                made[to..].iter_mut().step_by(wide.stride).zip(sums).for_each(|(to, x)| *to = *to + *x);
            }
            pixel += end - x;
        }
    }
}
