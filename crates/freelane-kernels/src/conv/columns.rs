//! Planar images through matrix products: for each band of output pixels and each chain, what the taps see is laid out as
//! columns, and the weights are multiplied with them.
use super::activation::{Active, Finish};
use super::shape::{ConvShape, Order};
use super::{Conv, align};
use crate::Target;
use crate::gemm::{KC, Mat, MatMut, Packable, Packed, Rhs, chain, gemm_scratch};
use crate::window::Window;
use core::mem::MaybeUninit;
use core::ops::Range;
use freelane_simd::Isa;

/// Pixels of a band: its columns and a chain of them fit the second-level cache.
const BAND: usize = 256;
/// Parts of an image that are worth having; few bands are cut along the output channels.
const ENOUGH: usize = 8;
/// Output channels below which they are not cut.
const FEW: usize = 32;

/// How one image is cut: every group into bands, every band along its output channels.
#[derive(Clone, Copy, Debug)]
pub struct Columns {
    shape: ConvShape,
    bands: usize,
    cuts: usize,
}

/// One cut of a band, or several in a row.
struct Piece {
    image: usize,
    group: usize,
    pixels: Range<usize>,
    /// Output channels of the group.
    rows: Range<usize>,
}

/// A line of pixels, columns, and scratch for a product.
type Lent<'a, T> = (&'a mut [T], &'a mut [MaybeUninit<T>], &'a mut [MaybeUninit<u8>]);

impl Columns {
    pub fn new(shape: ConvShape) -> Self {
        let bands = shape.window.outputs().div_ceil(BAND);
        let cuts = (shape.group_outputs() / FEW).min(ENOUGH / bands.clamp(1, ENOUGH)).max(1);
        Columns { shape, bands, cuts }
    }

    pub fn parts(&self) -> usize {
        self.shape.groups * self.bands * self.cuts
    }

    /// The weights of a group, chain by chain, rows of outputs.
    pub fn pack<T: Copy>(&self, weights: &[T], packed: &mut [MaybeUninit<T>]) {
        let (order, outputs) = (self.shape.order(), self.shape.group_outputs());
        let mut packed = packed.iter_mut();
        for group in 0..self.shape.groups {
            for steps in order.chains() {
                for output in group * outputs..(group + 1) * outputs {
                    let kernel = &weights[output * order.depth()..][..order.depth()];
                    for step in steps.clone().map(|step| order.step(step)) {
                        for channel in step.channel..step.channel + step.width {
                            if let Some(to) = packed.next() {
                                to.write(kernel[channel * order.taps + step.tap]);
                            }
                        }
                    }
                }
            }
        }
    }

    /// Elements of a line of pixels and of the columns of a chain, padded to whole panels.
    fn lens<T: Packable>(&self) -> [usize; 2] {
        let band = BAND.min(self.shape.window.outputs()).next_multiple_of(Packed::<T>::panel());
        [band, if self.in_place() { 0 } else { band * KC.min(self.shape.order().depth()) }]
    }

    /// Whether the image is its own columns. One pixel is not, because a product of one column has another order.
    fn in_place(&self) -> bool {
        self.shape.window.is_pointwise() && self.shape.window.outputs() > 1
    }

    pub fn scratch<T: Packable>(&self) -> usize {
        let [line, columns] = self.lens::<T>();
        let n = if self.in_place() { self.shape.window.outputs() } else { line };
        let product = gemm_scratch::<T>(self.shape.group_outputs(), n, KC.min(self.shape.order().depth()));
        align(line * size_of::<T>()) + align(columns * size_of::<T>()) + product.size()
    }

    fn piece(&self, part: usize, end: usize) -> (Piece, usize) {
        let (band, cut) = (part / self.cuts, part % self.cuts);
        let cuts = (self.cuts - cut).min(end - part);
        let outputs = self.shape.group_outputs();
        let row = |cut: usize| (outputs * cut / self.cuts / 4 * 4).min(outputs);
        let last = if cut + cuts == self.cuts { outputs } else { row(cut + cuts) };
        let pixels = band % self.bands * BAND;
        let piece = Piece {
            image: band / self.bands / self.shape.groups,
            group: band / self.bands % self.shape.groups,
            pixels: pixels..(pixels + BAND).min(self.shape.window.outputs()),
            rows: row(cut)..last,
        };
        (piece, cuts)
    }

    pub fn run<T: Packable + Active>(
        &self,
        isa: Isa,
        conv: &Conv<'_, T>,
        out: &mut Target<'_, T>,
        scratch: &mut [MaybeUninit<u8>],
        parts: Range<usize>,
    ) {
        let [line, columns] = self.lens::<T>();
        let (line, rest) = super::carve::<T>(scratch, line);
        line.fill(MaybeUninit::new(T::default()));
        // SAFETY: just filled.
        let line = unsafe { line.assume_init_mut() };
        let (columns, rest) = super::carve(rest, columns);
        let mut part = parts.start;
        while part < parts.end {
            let (piece, count) = self.piece(part, parts.end);
            self.sums(isa, conv, &piece, out, (&mut *line, &mut *columns, &mut *rest));
            self.finish(isa, conv, &piece, out);
            part += count;
        }
    }

    /// All chains of a piece.
    fn sums<T: Packable>(
        &self,
        isa: Isa,
        conv: &Conv<'_, T>,
        piece: &Piece,
        out: &mut Target<'_, T>,
        (line, columns, scratch): Lent<'_, T>,
    ) {
        let (shape, order) = (&self.shape, self.shape.order());
        let (pixels_in, pixels_out) = (shape.window.inputs(), shape.window.outputs());
        let channels = shape.group_inputs();
        let image =
            &conv.input[piece.image * shape.input_len() + piece.group * channels * pixels_in..][..channels * pixels_in];
        let weights = &conv.weights[piece.group * shape.group_outputs() * order.depth()..];
        let first = piece.group * shape.group_outputs() + piece.rows.start;
        let row = piece.image * shape.output_len() + first * pixels_out;
        for steps in order.chains() {
            let (depth, before) = (order.products(&steps), order.before(steps.start));
            let at = shape.group_outputs() * before + piece.rows.start * depth;
            let a = Mat::new(weights, at, [piece.rows.len(), depth], [depth as isize, 1]).expect("whole weights");
            let (b, first, n, columns) = if self.in_place() {
                let channel = order.step(steps.start).channel;
                let b = Mat::new(image, channel * pixels_out, [depth, pixels_out], [pixels_out as isize, 1]);
                (Rhs::Place(b.expect("a whole image")), row, pixels_out, piece.pixels.clone())
            } else {
                let n = piece.pixels.len().next_multiple_of(Packed::<T>::panel());
                lay_out(&shape.window, order, steps.clone(), image, &piece.pixels, &mut line[..n], columns);
                // SAFETY: laid out just now, in every panel and for every product.
                let laid_out = unsafe { columns[..n * depth].assume_init_ref() };
                let packed = Packed::new(laid_out, depth, n).expect("whole panels");
                (Rhs::Packed(packed), row + piece.pixels.start, n, 0..piece.pixels.len())
            };
            let shape = [piece.rows.len(), n];
            // SAFETY: columns in range are pixels of the piece, whose rows lie in the output; a chain that is not the
            // first one follows one that wrote them.
            unsafe {
                let c = MatMut::from_raw(out.at(first), shape, [pixels_out as isize, 1]);
                chain(isa, a, b, c, columns, before > 0, scratch);
            }
        }
    }

    fn finish<T: Packable + Active>(&self, isa: Isa, conv: &Conv<'_, T>, piece: &Piece, out: &mut Target<'_, T>) {
        let pixels_out = self.shape.window.outputs();
        for row in piece.rows.clone() {
            let channel = piece.group * self.shape.group_outputs() + row;
            let at = piece.image * self.shape.output_len() + channel * pixels_out + piece.pixels.start;
            let finish = Finish {
                bias: conv.bias.map(|bias| bias[channel]),
                residual: conv.residual.map(|rest| &rest[at..][..piece.pixels.len()]),
                activation: conv.activation,
            };
            // SAFETY: the chains wrote these pixels, which belong to the part.
            finish.run(isa, unsafe { out.written(at, piece.pixels.len()) });
        }
    }
}

/// Panels of columns: what each product of the steps sees, for every pixel; zero in the padding and behind the last pixel.
fn lay_out<T: Packable>(
    window: &Window,
    order: Order,
    steps: Range<usize>,
    image: &[T],
    pixels: &Range<usize>,
    line: &mut [T],
    columns: &mut [MaybeUninit<T>],
) {
    let panel = Packed::<T>::panel();
    let depth = order.products(&steps);
    let plane = window.inputs();
    let mut k = 0;
    for step in steps.map(|step| order.step(step)) {
        let rows = Rows::new(window, window.tap(step.tap), pixels.clone());
        for channel in step.channel..step.channel + step.width {
            line.fill(T::default());
            rows.copy(&image[channel * plane..][..plane], line);
            for (from, to) in line.chunks_exact(panel).zip(columns.chunks_exact_mut(panel * depth)) {
                to[k * panel..][..panel].write_copy_of_slice(from);
            }
            k += 1;
        }
    }
}

/// What one tap sees of the rows that a range of pixels lies in.
#[derive(Clone)]
pub struct Rows<'a> {
    window: &'a Window,
    tap: [usize; 3],
    pixels: Range<usize>,
}

impl<'a> Rows<'a> {
    pub fn new(window: &'a Window, tap: [usize; 3], pixels: Range<usize>) -> Self {
        Rows { window, tap, pixels }
    }

    /// Copies what lies inside of `plane` to its place in the line of pixels.
    #[inline]
    pub fn copy<T: Copy>(&self, plane: &[T], line: &mut [T]) {
        let [deep, high, wide] = &self.window.axes;
        let valid = wide.outputs(self.tap[2]);
        let mut pixel = self.pixels.start;
        let [mut z, mut y, mut x] = self.window.output(pixel);
        while pixel < self.pixels.end {
            let end = wide.output.min(x + self.pixels.end - pixel);
            let source = deep.inside(z, self.tap[0]).zip(high.inside(y, self.tap[1]));
            let (low, up) = (valid.start.max(x), valid.end.min(end));
            if let (Some((iz, iy)), true) = (source, low < up) {
                let from = (iz * high.input + iy) * wide.input + wide.position(low, self.tap[2]) as usize;
                let to = &mut line[pixel - self.pixels.start + low - x..][..up - low];
                if wide.stride == 1 {
                    to.copy_from_slice(&plane[from..][..up - low]);
                } else {
                    to.iter_mut().zip(plane[from..].iter().step_by(wide.stride)).for_each(|(to, from)| *to = *from);
                }
            }
            pixel += end - x;
            (x, y) = (0, y + 1);
            (y, z) = if y == high.output { (0, z + 1) } else { (y, z) };
        }
    }
}
