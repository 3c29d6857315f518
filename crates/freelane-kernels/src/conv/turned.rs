//! Planar images of few output pixels: what each pixel sees is laid out as a row, and multiplied with the weights, whose
//! columns fill the registers that so few pixels would leave empty.
use super::activation::{Active, Finish};
use super::shape::{BLOCK, ConvShape, Step};
use super::{Conv, align, carve};
use crate::Target;
use crate::gemm::{KC, Mat, MatMut, Packable, Packed, Rhs, chain, gemm_scratch};
use core::mem::MaybeUninit;
use core::ops::Range;
use freelane_simd::Isa;

/// Pixels from which on they fill registers by themselves.
const MANY: usize = 12;

/// How images are convolved: a group of one after another.
#[derive(Clone, Copy, Debug)]
pub struct Turned {
    shape: ConvShape,
}

impl Turned {
    /// The way for few pixels of many channels.
    pub fn new(shape: ConvShape) -> Option<Self> {
        let few = (1..MANY).contains(&shape.window.outputs());
        (few && shape.group_outputs() >= BLOCK).then_some(Turned { shape })
    }

    pub fn parts(&self) -> usize {
        self.shape.groups
    }

    /// Output channels of a group, padded to whole panels.
    fn columns<T: Packable>(&self) -> usize {
        self.shape.group_outputs().next_multiple_of(Packed::<T>::panel())
    }

    pub fn packed_len<T: Packable>(&self) -> usize {
        self.shape.groups * self.shape.order().depth() * self.columns::<T>()
    }

    /// The weights of a group, chain by chain, panels of output channels; zero behind the last one.
    pub fn pack<T: Packable>(&self, weights: &[T], packed: &mut [MaybeUninit<T>]) {
        let (order, outputs, panel) = (self.shape.order(), self.shape.group_outputs(), Packed::<T>::panel());
        let mut rest = packed;
        for group in 0..self.shape.groups {
            let weights = &weights[group * outputs * order.depth()..];
            for steps in order.chains() {
                let depth = order.products(&steps);
                for first in (0..outputs).step_by(panel) {
                    let (to, behind) = rest.split_at_mut(depth * panel);
                    rest = behind;
                    let products =
                        steps.clone().map(|step| order.step(step)).flat_map(|Step { channel, width, tap }| {
                            (channel..channel + width).map(move |channel| channel * order.taps + tap)
                        });
                    for (row, from) in to.chunks_exact_mut(panel).zip(products) {
                        for (c, to) in row.iter_mut().enumerate() {
                            let output = first + c;
                            let inside = output < outputs;
                            to.write(if inside { weights[output * order.depth() + from] } else { T::default() });
                        }
                    }
                }
            }
        }
    }

    pub fn scratch<T: Packable>(&self) -> usize {
        let (pixels, depth) = (self.shape.window.outputs(), KC.min(self.shape.order().depth()));
        align(pixels * depth * size_of::<T>()) + gemm_scratch::<T>(pixels, self.columns::<T>(), depth).size()
    }

    pub fn run<T: Packable + Active>(
        &self,
        isa: Isa,
        conv: &Conv<'_, T>,
        out: &mut Target<'_, T>,
        scratch: &mut [MaybeUninit<u8>],
        parts: Range<usize>,
    ) {
        let order = self.shape.order();
        let (rows, product) = carve::<T>(scratch, self.shape.window.outputs() * KC.min(order.depth()));
        for part in parts {
            let (image, group) = (part / self.shape.groups, part % self.shape.groups);
            self.sums(isa, conv, [image, group], out, rows, product);
            self.finish(isa, conv, [image, group], out);
        }
    }

    /// All chains of a group of an image.
    fn sums<T: Packable>(
        &self,
        isa: Isa,
        conv: &Conv<'_, T>,
        [image, group]: [usize; 2],
        out: &mut Target<'_, T>,
        rows: &mut [MaybeUninit<T>],
        scratch: &mut [MaybeUninit<u8>],
    ) {
        let (shape, order, columns) = (&self.shape, self.shape.order(), self.columns::<T>());
        let (pixels, outputs) = (shape.window.outputs(), shape.group_outputs());
        let channels = shape.group_inputs() * shape.window.inputs();
        let seen = &conv.input[image * shape.input_len() + group * channels..][..channels];
        let weights = &conv.weights[group * order.depth() * columns..][..order.depth() * columns];
        for steps in order.chains() {
            let (depth, before) = (order.products(&steps), order.before(steps.start));
            let rows = &mut rows[..pixels * depth];
            self.lay_out(steps, seen, depth, rows);
            // SAFETY: laid out just now, for every pixel and every product.
            let rows = unsafe { rows.assume_init_ref() };
            let a = Mat::new(rows, 0, [pixels, depth], [depth as isize, 1]).expect("whole rows");
            let b = Packed::new(&weights[before * columns..][..depth * columns], depth, columns).expect("whole panels");
            let first = image * shape.output_len() + group * outputs * pixels;
            // SAFETY: the columns in range are output channels of the group, whose pixels lie in the output; a chain that is
            // not the first one follows one that wrote them.
            unsafe {
                let c = MatMut::from_raw(out.at(first), [pixels, columns], [1, pixels as isize]);
                chain(isa, a, Rhs::Packed(b), c, 0..outputs, before > 0, scratch);
            }
        }
    }

    /// A row for each pixel: what each product of the steps sees, zero in the padding.
    fn lay_out<T: Packable>(&self, steps: Range<usize>, seen: &[T], depth: usize, rows: &mut [MaybeUninit<T>]) {
        let (window, order) = (&self.shape.window, self.shape.order());
        let ([deep, high, wide], plane) = (&window.axes, window.inputs());
        for (pixel, row) in rows.chunks_exact_mut(depth).enumerate() {
            let [z, y, x] = window.output(pixel);
            let mut to = row.iter_mut();
            for Step { channel, width, tap } in steps.clone().map(|step| order.step(step)) {
                let [a, b, c] = window.tap(tap);
                let at = deep.inside(z, a).zip(high.inside(y, b)).zip(wide.inside(x, c));
                let at = at.map(|((iz, iy), ix)| (iz * high.input + iy) * wide.input + ix);
                for (channel, to) in (channel..channel + width).zip(&mut to) {
                    to.write(at.map_or(T::default(), |at| seen[channel * plane + at]));
                }
            }
        }
    }

    fn finish<T: Packable + Active>(
        &self,
        isa: Isa,
        conv: &Conv<'_, T>,
        [image, group]: [usize; 2],
        out: &mut Target<'_, T>,
    ) {
        let (pixels, outputs) = (self.shape.window.outputs(), self.shape.group_outputs());
        for channel in group * outputs..(group + 1) * outputs {
            let at = image * self.shape.output_len() + channel * pixels;
            let finish = Finish {
                bias: conv.bias.map(|bias| bias[channel]),
                residual: conv.residual.map(|rest| &rest[at..][..pixels]),
                activation: conv.activation,
            };
            // SAFETY: the chains wrote these pixels, which belong to the part.
            finish.run(isa, unsafe { out.written(at, pixels) });
        }
    }
}
