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

const OP: &str = "ConvTranspose";

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
    /// One group of channels of one image: products of pixels and kernels, then each added in its place.
    fn run(&self, lane: &Lane, i: usize, out: &mut [T]) -> Result<(), OpsError> {
        let (pixels, taps) = (self.window.outputs(), self.window.taps());
        let (rows, k, group) = (self.outputs * taps, self.depth, i % self.groups);
        let large = || too_large(OP);
        let mut columns = Array::empty(&[rows.checked_mul(pixels).ok_or_else(large)?], T::DTYPE)?;
        let columns = elements_mut::<T>(&mut columns)?;
        let kernels = Mat::new(self.weights, group * k * rows, [rows, k], [1, rows as isize]).ok_or_else(large)?;
        let image = Mat::new(self.images, i * k * pixels, [k, pixels], [pixels as isize, 1]).ok_or_else(large)?;
        let mut product = MatMut::new(columns, 0, [rows, pixels], [pixels as isize, 1]).ok_or_else(large)?;
        with_scratch(lane, OP, gemm_scratch::<T>(rows, pixels, k), |scratch| {
            gemm(Isa::current(), kernels, image, &mut product, 0..pixels, Epilogue::default(), scratch);
        })?;
        let plane = self.window.inputs();
        for (c, out) in out.chunks_exact_mut(plane).enumerate() {
            out.fill(self.bias.map_or(T::zero(), |b| b[group * self.outputs + c]));
            for tap in 0..taps {
                scatter(self.window, tap, &columns[(c * taps + tap) * pixels..][..pixels], out);
            }
        }
        Ok(())
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
