//! Transposed convolutions: every pixel adds its kernel to the output.
use crate::Sliding;
use crate::arrays::{
    Real, dense_as, elements, elements_mut, fill, in_dtype, too_large, wide_dtype, with_real, with_scratch,
};
use crate::conv::PRODUCTS;
use freelane_array::ArrayData;
use freelane_kernels::gemm::{Epilogue, Mat, MatMut, gemm, gemm_scratch};
use freelane_kernels::window::{Axis, Window};
use freelane_ops::{Array, OpsError};
use freelane_pool::Lane;
use freelane_simd::Isa;
use std::ops::Range;

const OP: &str = "ConvTranspose";

/// Products that wait to be added in their places: as many as the second-level cache holds, and those of one channel at least.
const MOST_WAITING: usize = 1 << 18;

/// A transposed convolution: every pixel of the input adds its kernel to the output.
#[derive(Clone, Debug, Default)]
pub struct Transposed {
    /// Strides, dilations, pads.
    pub sliding: Sliding,
    /// Groups of channels.
    pub groups: usize,
    /// Pixels that are added behind each axis.
    pub output_padding: Vec<usize>,
    /// Pixels of the output along each axis, if they are said; pads follow from them.
    pub output_shape: Vec<usize>,
}

impl Transposed {
    /// The output's axis `i` as an input that a convolution would make the image of.
    fn axis(&self, i: usize, rank: usize, pixels: usize, kernel: usize) -> Result<Axis, OpsError> {
        use crate::AutoPad::{Given, SameUpper, Valid};
        let wrong = || OpsError::argument(OP, format!("no output along axis {i} of {pixels} pixels"));
        let s = &self.sliding;
        let (stride, dilation) = (s.stride(i), s.dilation(i));
        let more = self.output_padding.get(i).copied().unwrap_or(0);
        if stride == 0 || dilation == 0 || kernel == 0 || pixels == 0 {
            return Err(wrong());
        }
        let extent = (kernel - 1).checked_mul(dilation).and_then(|x| x.checked_add(1)).ok_or_else(wrong)?;
        let whole = (pixels - 1).checked_mul(stride).and_then(|x| x.checked_add(extent)?.checked_add(more));
        let whole = whole.filter(|n| isize::try_from(*n).is_ok()).ok_or_else(wrong)?;
        let said = match (self.output_shape.get(i), s.auto_pad) {
            (Some(&n), _) => Some(n),
            (None, Given | Valid) => None,
            (None, _) => Some(pixels.checked_mul(stride).ok_or_else(wrong)?),
        };
        let (before, output) = match said {
            Some(n) => {
                let padding = whole.saturating_sub(n);
                (if s.auto_pad == SameUpper { padding / 2 } else { padding - padding / 2 }, n)
            }
            None => {
                let [before, after] = if s.auto_pad == Valid { [0, 0] } else { s.pad(i, rank) };
                (before, whole.checked_sub(before.saturating_add(after)).ok_or_else(wrong)?)
            }
        };
        Ok(Axis { input: output, kernel, stride, dilation, before, after: 0, output: pixels })
    }

    fn window(&self, image: &[usize], kernel: &[usize]) -> Result<Window, OpsError> {
        let rank = image.len();
        self.sliding.check(OP, rank)?;
        for (what, list) in [("output_padding", &self.output_padding), ("output_shape", &self.output_shape)] {
            if !list.is_empty() && list.len() != rank {
                return Err(OpsError::argument(OP, format!("{what} {list:?} for {rank} spatial axes")));
            }
        }
        let axes = (0..rank).map(|i| self.axis(i, rank, image[i], kernel[i])).collect::<Result<Vec<_>, _>>()?;
        Window::new(&axes).map_err(|e| OpsError::argument(OP, e.to_string()))
    }

    /// Computes it; then adds the bias.
    ///
    /// # Errors
    /// When shapes do not fit, elements are no floats, or memory cannot be had.
    pub fn call(
        &self,
        lane: &Lane,
        x: &ArrayData,
        weights: &ArrayData,
        bias: Option<&ArrayData>,
    ) -> Result<ArrayData, OpsError> {
        let (input, filter) = (x.layout().shape(), weights.layout().shape());
        let fail = || {
            let groups = self.groups;
            OpsError::argument(OP, format!("images {input:?} and weights {filter:?} in {groups} groups"))
        };
        let ([batch, channels, image @ ..], [rows, each, kernel @ ..]) = (input, filter) else { return Err(fail()) };
        let groups = self.groups;
        let fits = rows == channels && groups > 0 && channels.is_multiple_of(groups) && image.len() == kernel.len();
        let (outputs, parts) = each.checked_mul(groups).zip(batch.checked_mul(groups)).ok_or_else(fail)?;
        if !fits || *channels == 0 || image.is_empty() || bias.is_some_and(|b| b.layout().len() != outputs) {
            return Err(fail());
        }
        let window = self.window(image, kernel)?;
        let pixels = window.axes[3 - image.len()..].iter().map(|axis| axis.input);
        let output: Vec<usize> = [*batch, outputs].into_iter().chain(pixels).collect();
        let wide = wide_dtype(OP, x.dtype())?;
        let (images, weights) = (dense_as(x, wide)?, dense_as(weights, wide)?);
        let bias = bias.map(|b| dense_as(b, wide)).transpose()?;
        let done = with_real!(OP, wide, T => {
            let job = Job::<T> {
                images: elements(&images)?,
                weights: elements(&weights)?,
                bias: bias.as_deref().map(elements).transpose()?,
                window: &window,
                depth: channels / groups,
                outputs: *each,
                groups,
            };
            let cost = images.layout().len().saturating_mul(*each).saturating_mul(window.taps()) / PRODUCTS as usize;
            fill::<T>(lane, OP, &output, parts.max(1), cost, |lane, i, out| job.run(lane, i, out))
        })?;
        in_dtype(done, x.dtype())
    }
}

struct Job<'a, T> {
    images: &'a [T],
    weights: &'a [T],
    bias: Option<&'a [T]>,
    /// From the output, as its input, to the image.
    window: &'a Window,
    depth: usize,
    outputs: usize,
    groups: usize,
}

impl<T: Real> Job<'_, T> {
    /// One group of channels of one image: products of pixels and kernels, then each added in its place, some channels at a time.
    fn run(&self, lane: &Lane, i: usize, out: &mut [T]) -> Result<(), OpsError> {
        let (pixels, taps) = (self.window.outputs(), self.window.taps());
        let of_channel = pixels.checked_mul(taps).ok_or_else(|| too_large(OP))?;
        let channels = (MOST_WAITING / of_channel.max(1)).clamp(1, self.outputs.max(1));
        let mut products = Array::empty(&[channels.checked_mul(of_channel).ok_or_else(|| too_large(OP))?], T::DTYPE)?;
        let products = elements_mut::<T>(&mut products)?;
        let plane = self.window.inputs();
        for (block, out) in out.chunks_mut((channels * plane).max(1)).enumerate() {
            let first = block * channels;
            self.multiply(lane, i, first..(first + channels).min(self.outputs), products)?;
            for (c, out) in out.chunks_exact_mut(plane).enumerate() {
                out.fill(self.bias.map_or(T::zero(), |b| b[i % self.groups * self.outputs + first + c]));
                for tap in 0..taps {
                    scatter(self.window, tap, &products[(c * taps + tap) * pixels..][..pixels], out);
                }
            }
        }
        Ok(())
    }

    /// The products of all pixels of a group with the kernels of some of its outputs.
    fn multiply(&self, lane: &Lane, i: usize, outputs: Range<usize>, products: &mut [T]) -> Result<(), OpsError> {
        let (pixels, taps, k) = (self.window.outputs(), self.window.taps(), self.depth);
        let (all, rows) = (self.outputs * taps, outputs.len() * taps);
        let large = || too_large(OP);
        let first = i % self.groups * k * all + outputs.start * taps;
        let kernels = Mat::new(self.weights, first, [rows, k], [1, all as isize]).ok_or_else(large)?;
        let image = Mat::new(self.images, i * k * pixels, [k, pixels], [pixels as isize, 1]).ok_or_else(large)?;
        let mut product = MatMut::new(products, 0, [rows, pixels], [pixels as isize, 1]).ok_or_else(large)?;
        with_scratch(lane, OP, gemm_scratch::<T>(rows, pixels, k), |scratch| {
            gemm(Isa::current(), kernels, image, &mut product, 0..pixels, Epilogue::default(), scratch);
        })
    }
}

/// Adds what one tap makes of every pixel to the output.
#[inline(always)]
pub(crate) fn scatter<T: Real>(window: &Window, tap: usize, from: &[T], out: &mut [T]) {
    let [deep, high, wide] = &window.axes;
    let (tz, ty, tx) = (tap / wide.kernel / high.kernel, tap / wide.kernel % high.kernel, tap % wide.kernel);
    let columns = wide.outputs(tx);
    if columns.is_empty() {
        return;
    }
    let first = wide.position(columns.start, tx) as usize;
    for z in deep.outputs(tz) {
        let plane = deep.position(z, tz) as usize * high.input;
        for y in high.outputs(ty) {
            let line = &mut out[(plane + high.position(y, ty) as usize) * wide.input..][first..wide.input];
            let row = &from[(z * high.output + y) * wide.output..][columns.clone()];
            if wide.stride == 1 {
                line.iter_mut().zip(row).for_each(|(o, x)| *o += *x);
            } else {
                line.iter_mut().step_by(wide.stride).zip(row).for_each(|(o, x)| *o += *x);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use freelane_array::DType;

    /// Every pixel and tap, added one by one in the order of the taps.
    fn naive(x: &[f32], w: &[f32], [channels, outputs, n, kernel, stride]: [usize; 5]) -> Vec<f32> {
        let plane = (n - 1) * stride + kernel;
        let mut y = vec![0.0; outputs * plane * plane];
        for (o, out) in y.chunks_mut(plane * plane).enumerate() {
            for tap in 0..kernel * kernel {
                for pixel in 0..n * n {
                    let at = (pixel / n * stride + tap / kernel) * plane + pixel % n * stride + tap % kernel;
                    let product = |c: usize| x[c * n * n + pixel] * w[(c * outputs + o) * kernel * kernel + tap];
                    out[at] += (0..channels).map(product).sum::<f32>();
                }
            }
        }
        y
    }

    #[test]
    fn channels_wait_a_few_at_a_time() {
        // Of whole numbers every sum is exact.
        let sizes = [2, 5, 96, 3, 2];
        let [channels, outputs, n, kernel, stride] = sizes;
        assert!(outputs * kernel * kernel * n * n > MOST_WAITING, "more than one block");
        let numbers = |count: usize| (0..count).map(|i| (i * 7 % 11) as f32 - 5.0).collect::<Vec<_>>();
        let (x, w) = (numbers(channels * n * n), numbers(channels * outputs * kernel * kernel));
        let sliding = Sliding { kernel: vec![kernel; 2], strides: vec![stride; 2], ..Sliding::default() };
        let how = Transposed { sliding, groups: 1, ..Transposed::default() };
        let image = Array::from_vec(x.clone(), &[1, channels, n, n]).unwrap();
        let weights = Array::from_vec(w.clone(), &[channels, outputs, kernel, kernel]).unwrap();
        let y = Lane::with(|lane| how.call(lane, image.data(), weights.data(), None)).unwrap();
        assert_eq!(y.dtype(), DType::F32);
        assert_eq!(Array::from(y).to_vec::<f32>().unwrap(), naive(&x, &w, sizes));
    }
}
