//! Convolutions: geometry and packed weights kept from run to run.
use crate::Sliding;
use crate::arrays::{Real, dense_as, elements, elements_mut, in_dtype, made, tasks, wide_dtype, with_scratch};
use freelane_array::{ArrayData, DType};
use freelane_kernels::Target;
pub use freelane_kernels::conv::Activation;
use freelane_kernels::conv::{Conv, ConvPlan, ConvShape};
use freelane_ops::{Array, OpsError};
use freelane_pool::Lane;
use freelane_simd::Isa;
use smallvec::SmallVec;
use std::mem::MaybeUninit;
use std::ops::Range;
use std::sync::Arc;

const OP: &str = "Conv";

/// Multiplications in a nanosecond on one core, about.
pub(crate) const PRODUCTS: u64 = 20;

/// What convolves images of one shape, in batches of any size: geometry, and weights as the kernels read them.
#[derive(Clone)]
pub struct Convolution {
    /// Channels and pixels of the images.
    input: Vec<usize>,
    /// The same of the results.
    output: Vec<usize>,
    kind: Planned,
}

#[derive(Clone)]
enum Planned {
    F32(ConvPlan<f32>, Arc<ArrayData>),
    F64(ConvPlan<f64>, Arc<ArrayData>),
}

/// Geometry of a convolution, and the shape of its result.
pub(crate) fn shape_of(
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
        let shape = input.layout().shape();
        let (conv, output) = shape_of(shape, weights.layout().shape(), groups, sliding)?;
        let kind = match wide_dtype(OP, input.dtype())? {
            DType::F64 => {
                let plan = ConvPlan::<f64>::new(conv);
                Planned::F64(plan, packed(&plan, weights)?)
            }
            _ => {
                let plan = ConvPlan::<f32>::new(conv);
                Planned::F32(plan, packed(&plan, weights)?)
            }
        };
        Ok(Convolution { input: shape[1..].to_vec(), output: output[1..].to_vec(), kind })
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
        let wide = matches!(self.kind, Planned::F64(..));
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
            Planned::F32(plan, weights) => self.run_of(lane, plan, weights, input, bias, residual, activation),
            Planned::F64(plan, weights) => self.run_of(lane, plan, weights, input, bias, residual, wider(activation)),
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
