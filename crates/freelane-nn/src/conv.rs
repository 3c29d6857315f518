//! Convolutions: geometry and packed weights kept from run to run.
use crate::Sliding;
use crate::arrays::{
    Real, dense_as, elements, elements_mut, fill, in_dtype, made, tasks, too_large, wide_dtype, with_real, with_scratch,
};
use freelane_array::{ArrayData, DType};
use freelane_kernels::Target;
pub use freelane_kernels::conv::Activation;
use freelane_kernels::conv::{Conv, ConvPlan, ConvShape};
use freelane_kernels::gemm::{Epilogue, Mat, MatMut, gemm, gemm_scratch};
use freelane_kernels::window::{Axis, Window};
use freelane_ops::{Array, OpsError};
use freelane_pool::Lane;
use freelane_simd::Isa;
use smallvec::SmallVec;
use std::mem::MaybeUninit;
use std::ops::Range;
use std::sync::Arc;

const OP: &str = "Conv";

/// Multiplications in a nanosecond on one core, about.
const PRODUCTS: u64 = 20;

/// What convolves images of one shape, in batches of any size: geometry, and weights as the kernels read them.
#[derive(Clone)]
pub struct Convolution {
    /// Channels and pixels of the images.
    input: Vec<usize>,
    /// The same of the results.
    output: Vec<usize>,
    kind: Kind,
}

#[derive(Clone)]
enum Kind {
    F32(ConvPlan<f32>, Arc<ArrayData>),
    F64(ConvPlan<f64>, Arc<ArrayData>),
}

/// Geometry of a convolution, and the shape of its result.
fn shape_of(
    input: &[usize],
    weights: &[usize],
    groups: usize,
    sliding: &Sliding,
) -> Result<(ConvShape, Vec<usize>), OpsError> {
    let ([batch, channels, image @ ..], [outputs, each, kernel @ ..]) = (input, weights) else {
        return Err(OpsError::argument(OP, format!("images of shape {input:?} and weights of shape {weights:?}")));
    };
    if each.checked_mul(groups) != Some(*channels) {
        let found = format!("weights {weights:?} for {channels} channels in {groups} groups");
        return Err(OpsError::argument(OP, found));
    }
    if !sliding.kernel.is_empty() && sliding.kernel != *kernel {
        let said = &sliding.kernel;
        return Err(OpsError::argument(OP, format!("kernel_shape {said:?}, but weights of shape {weights:?}")));
    }
    let window = sliding.window(OP, image, kernel)?;
    let shape = ConvShape::new(*channels, *outputs, groups, window.in_long_rows())
        .map_err(|e| OpsError::argument(OP, e.to_string()))?;
    let pixels = window.axes[3 - image.len()..].iter().map(|axis| axis.output);
    Ok((shape, [*batch, *outputs].into_iter().chain(pixels).collect()))
}

fn packed<T: Real>(plan: &ConvPlan<T>, weights: &ArrayData) -> Result<Arc<ArrayData>, OpsError> {
    let weights = dense_as(weights, T::DTYPE)?;
    let weights = elements::<T>(&weights)?;
    // SAFETY: `pack` initialises all of them.
    let packed = unsafe { made(OP, plan.packed_len(), |packed| plan.pack(weights, packed)) }?;
    let len = packed.len();
    Ok(Arc::new(Array::from_vec(packed, &[len])?.into()))
}

impl Convolution {
    /// Makes ready for images of a shape.
    ///
    /// # Errors
    /// When shapes do not fit, elements are no floats, or memory cannot be had.
    pub fn new(
        input: &ArrayData,
        weights: &ArrayData,
        groups: usize,
        sliding: &Sliding,
    ) -> Result<Convolution, OpsError> {
        Convolution::with(input, weights, groups, sliding, false)
    }

    fn with(
        input: &ArrayData,
        weights: &ArrayData,
        groups: usize,
        sliding: &Sliding,
        in_order: bool,
    ) -> Result<Convolution, OpsError> {
        let shape = input.layout().shape();
        let (conv, output) = shape_of(shape, weights.layout().shape(), groups, sliding)?;
        let kind = match wide_dtype(OP, input.dtype())? {
            DType::F64 => {
                let plan = ConvPlan::<f64>::new(conv);
                let plan = if in_order { plan.in_order() } else { plan };
                Kind::F64(plan, packed(&plan, weights)?)
            }
            _ => {
                let plan = ConvPlan::<f32>::new(conv);
                let plan = if in_order { plan.in_order() } else { plan };
                Kind::F32(plan, packed(&plan, weights)?)
            }
        };
        Ok(Convolution { input: shape[1..].to_vec(), output: output[1..].to_vec(), kind })
    }

    /// As [`Convolution::new`], with every sum in the order of its products: exact for whole numbers whose sums are.
    ///
    /// # Errors
    /// As [`Convolution::new`].
    pub fn in_order(
        input: &ArrayData,
        weights: &ArrayData,
        groups: usize,
        sliding: &Sliding,
    ) -> Result<Convolution, OpsError> {
        Convolution::with(input, weights, groups, sliding, true)
    }

    /// The shape of the result for images of a shape.
    ///
    /// # Errors
    /// When shapes do not fit.
    pub fn output_shape(
        input: &[usize],
        weights: &[usize],
        groups: usize,
        sliding: &Sliding,
    ) -> Result<Vec<usize>, OpsError> {
        shape_of(input, weights, groups, sliding).map(|(_, output)| output)
    }

    /// Whether it was made for images of this shape and type.
    pub fn fits(&self, input: &ArrayData) -> bool {
        let wide = matches!(self.kind, Kind::F64(..));
        let image = input.layout().shape().get(1..).unwrap_or_default();
        self.input == image && wide == (input.dtype() == DType::F64)
    }

    /// Convolves; then adds the bias and the residual, and applies the activation.
    ///
    /// # Errors
    /// When shapes or types do not fit, or memory cannot be had.
    pub fn run(
        &self,
        lane: &Lane,
        input: &ArrayData,
        bias: Option<&ArrayData>,
        residual: Option<&ArrayData>,
        activation: Activation<f32>,
    ) -> Result<ArrayData, OpsError> {
        if !self.fits(input) {
            return Err(OpsError::argument(OP, format!("images of shape {:?}", input.layout().shape())));
        }
        match &self.kind {
            Kind::F32(plan, weights) => self.run_of(lane, plan, weights, input, bias, residual, activation),
            Kind::F64(plan, weights) => self.run_of(lane, plan, weights, input, bias, residual, wider(activation)),
        }
    }

    #[expect(clippy::too_many_arguments, reason = "hands its caller's arguments on")]
    fn run_of<T: Real>(
        &self,
        lane: &Lane,
        plan: &ConvPlan<T>,
        weights: &ArrayData,
        input: &ArrayData,
        bias: Option<&ArrayData>,
        residual: Option<&ArrayData>,
        activation: Activation<T>,
    ) -> Result<ArrayData, OpsError> {
        let x = dense_as(input, T::DTYPE)?;
        let bias = bias.map(|b| dense_as(b, T::DTYPE)).transpose()?;
        let residual = residual.map(|b| dense_as(b, T::DTYPE)).transpose()?;
        let batch = input.layout().shape()[0];
        let conv = Conv {
            weights: elements::<T>(weights)?,
            input: elements::<T>(&x)?,
            batch,
            bias: bias.as_deref().map(elements::<T>).transpose()?,
            residual: residual.as_deref().map(elements::<T>).transpose()?,
            activation,
        };
        let fitting = conv.bias.is_none_or(|b| b.len() == plan.shape().outputs)
            && conv.residual.is_none_or(|r| r.len() == batch * plan.shape().output_len());
        if !fitting {
            return Err(OpsError::argument(OP, "a bias or residual of another shape than the output channels"));
        }
        let shape: SmallVec<[usize; 6]> = [batch].into_iter().chain(self.output.iter().copied()).collect();
        let mut out = Array::empty_in(lane, &shape, T::DTYPE)?;
        if !out.is_empty() {
            run_parts(lane, plan, &conv, Target::of(elements_mut::<T>(&mut out)?))?;
        }
        in_dtype(out.into(), input.dtype())
    }
}

fn wider(activation: Activation<f32>) -> Activation<f64> {
    match activation {
        Activation::None => Activation::None,
        Activation::Relu => Activation::Relu,
        Activation::Clip(a, b) => Activation::Clip(a.into(), b.into()),
        Activation::Leaky(a) => Activation::Leaky(a.into()),
        Activation::HardSigmoid(a, b) => Activation::HardSigmoid(a.into(), b.into()),
        Activation::HardSwish => Activation::HardSwish,
        Activation::Sigmoid => Activation::Sigmoid,
        Activation::Silu => Activation::Silu,
    }
}

/// All parts of a convolution, on the lanes of the runtime in scope.
fn run_parts<T: Real>(lane: &Lane, plan: &ConvPlan<T>, conv: &Conv<'_, T>, out: Target<'_, T>) -> Result<(), OpsError> {
    let (parts, isa) = (plan.parts(conv.batch), Isa::current());
    let cost = plan.products(conv.batch) / PRODUCTS;
    in_pieces(lane, OP, parts, cost, plan.scratch(), &out, |out, scratch, parts| {
        plan.run(isa, conv, out, scratch, parts);
    })
}

/// Parts of a result in pieces, each with scratch of its own, on the lanes of the runtime in scope. `run` writes no other part
/// of the target than those it is given.
pub(crate) fn in_pieces<T: Send>(
    lane: &Lane,
    op: &'static str,
    parts: usize,
    cost: u64,
    scratch: std::alloc::Layout,
    out: &Target<'_, T>,
    run: impl Fn(&mut Target<'_, T>, &mut [MaybeUninit<u8>], Range<usize>) + Sync,
) -> Result<(), OpsError> {
    let pieces = lane.pieces(cost).clamp(1, parts.max(1));
    let first = |task: usize| (parts as u128 * task as u128 / pieces as u128) as usize;
    tasks(lane, op, pieces, cost, |lane, task| {
        // SAFETY: the tasks cut the parts into ranges that do not overlap, and each runs once.
        let mut out = unsafe { out.share() };
        with_scratch(lane, op, scratch, |scratch| run(&mut out, scratch, first(task)..first(task + 1)))
    })
}

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
        let wrong = || OpsError::argument("ConvTranspose", format!("no output along axis {i} of {pixels} pixels"));
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
        const OP: &str = "ConvTranspose";
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
        const OP: &str = "ConvTranspose";
        let (input, filter) = (x.layout().shape(), weights.layout().shape());
        let fail = || {
            let groups = self.groups;
            OpsError::argument(OP, format!("images {input:?} and weights {filter:?} in {groups} groups"))
        };
        let ([batch, channels, image @ ..], [rows, each, kernel @ ..]) = (input, filter) else { return Err(fail()) };
        let groups = self.groups;
        let fits = rows == channels && groups > 0 && channels.is_multiple_of(groups) && image.len() == kernel.len();
        if !fits || image.is_empty() || bias.is_some_and(|b| b.layout().len() != each * groups) {
            return Err(fail());
        }
        let window = self.window(image, kernel)?;
        let pixels = window.axes[3 - image.len()..].iter().map(|axis| axis.input);
        let output: Vec<usize> = [*batch, each * groups].into_iter().chain(pixels).collect();
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
            fill::<T>(lane, OP, &output, (batch * groups).max(1), cost, |lane, i, out| job.run(lane, i, out))
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
        const OP: &str = "ConvTranspose";
        let (pixels, taps) = (self.window.outputs(), self.window.taps());
        let (rows, k, group) = (self.outputs * taps, self.depth, i % self.groups);
        let mut columns = Array::empty(&[rows * pixels], T::DTYPE)?;
        let columns = elements_mut::<T>(&mut columns)?;
        let large = || too_large(OP);
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
