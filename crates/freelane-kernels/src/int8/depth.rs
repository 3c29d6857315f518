//! Convolutions of bytes whose channels do not see each other: pixels are summed tap by tap, in 32 bits.
use super::conv::IntConv;
use super::operand::{Byte, carve};
use super::sink::Sink;
use super::tile::PANEL;
use super::{ALIGN, Each};
use crate::Target;
use crate::conv::{ConvShape, Rows};
use core::mem::MaybeUninit;
use freelane_simd::Isa;

/// Pixels of a part: their sums stay in the first-level cache.
const BAND: usize = 1024;

/// How one image is cut.
#[derive(Clone, Copy, Debug)]
pub struct Depth {
    shape: ConvShape,
}

compiled! {
    /// Adds what a tap sees, less its zero point, times a weight.
    fn add<X: Byte>(line: &[X], zero: i32, weight: i32, sums: &mut [i32]) {
        for (x, sum) in line.iter().zip(sums) {
            *sum = sum.wrapping_add((x.value() - zero).wrapping_mul(weight));
        }
    }
}

compiled! {
    /// Sums of one channel into the sink.
    fn finish<S: Sink>(sink: &S, channel: usize, sums: &[i32], out: &mut [MaybeUninit<S::Out>]) {
        let panel = sink.panel(0);
        for (sums, out) in sums.chunks(PANEL).zip(out.chunks_mut(PANEL)) {
            let (mut whole, mut line) = ([0; PANEL], [MaybeUninit::uninit(); PANEL]);
            whole[..sums.len()].copy_from_slice(sums);
            sink.row(channel, &panel, &whole, &mut line);
            out.copy_from_slice(&line[..out.len()]);
        }
    }
}

impl Depth {
    pub fn new(shape: ConvShape) -> Option<Depth> {
        shape.is_depthwise().then_some(Depth { shape })
    }

    fn bands(&self) -> usize {
        self.shape.window.outputs().div_ceil(BAND)
    }

    pub fn parts(&self) -> usize {
        self.shape.outputs * self.bands()
    }

    /// Weights as they are.
    pub fn pack<W: Byte>(weights: &[W], packed: &mut [MaybeUninit<i32>]) {
        for (to, w) in packed.iter_mut().zip(weights) {
            to.write(w.value());
        }
    }

    pub fn scratch(&self) -> usize {
        BAND.min(self.shape.window.outputs()) * (size_of::<i32>() + 1) + 2 * ALIGN
    }

    /// One band of one channel.
    pub fn part<W: Byte, X: Byte, S: Sink>(
        &self,
        isa: Isa,
        conv: &IntConv<'_, W, X>,
        sink: &S,
        out: &mut Target<'_, S::Out>,
        scratch: &mut [MaybeUninit<u8>],
        part: usize,
    ) {
        let (window, pixels_out) = (&self.shape.window, self.shape.window.outputs());
        let (band, plane) = (part % self.bands(), part / self.bands());
        let channel = plane % self.shape.outputs;
        let pixels = band * BAND..((band + 1) * BAND).min(pixels_out);
        let (sums, rest) = carve::<i32>(scratch, pixels.len());
        let (line, _) = carve::<X>(rest, pixels.len());
        sums.fill(MaybeUninit::new(0));
        line.fill(MaybeUninit::new(conv.input_zero));
        // SAFETY: just filled.
        let (sums, line) = unsafe { (sums.assume_init_mut(), line.assume_init_mut()) };
        let image = &conv.input[plane * window.inputs()..][..window.inputs()];
        let (zero, taps) = (conv.input_zero.value(), window.taps());
        let weights_zero = match conv.weights_zero {
            Each::Rows(zeros) => zeros[channel].value(),
            Each::One(zero) => zero.value(),
            Each::Columns(_) => unreachable!("zero points of output channels are those of rows"),
        };
        for (tap, weight) in conv.weights[channel * taps..][..taps].iter().enumerate() {
            line.fill(conv.input_zero);
            Rows::new(window, window.tap(tap), pixels.clone()).copy(image, line);
            add(isa, line, zero, weight - weights_zero, sums);
        }
        let to = out.at(plane * pixels_out + pixels.start).cast();
        // SAFETY: the pixels lie in the output, and belong to the part.
        let to = unsafe { core::slice::from_raw_parts_mut(to, pixels.len()) };
        finish(isa, sink, channel, sums, to);
    }
}
