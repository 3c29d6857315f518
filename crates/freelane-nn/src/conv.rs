//! Convolutions: geometry and packed weights kept from run to run.
use crate::Sliding;
use crate::arrays::{Real, dense_as, elements, elements_mut, in_dtype, made, tasks, wide_dtype, with_scratch};
use freelane_array::{ArrayData, DType};
use freelane_kernels::Target;
pub use freelane_kernels::conv::Activation;
pub use freelane_kernels::conv::BLOCK;
use freelane_kernels::conv::{Conv, ConvPlan, ConvShape};
pub use freelane_kernels::window::Layout;
use freelane_ops::{Array, OpsError};
use freelane_pool::Lane;
use freelane_simd::Isa;
use smallvec::SmallVec;
use std::borrow::Cow;
use std::mem::MaybeUninit;
use std::ops::Range;
use std::sync::Arc;

const OP: &str = "Conv";

/// Multiplications in a nanosecond on one core, about.
pub(crate) const PRODUCTS: u64 = 20;

/// What convolves images of one shape, in batches of any size: geometry, and weights as the kernels read them.
#[derive(Clone)]
pub struct Convolution {
    /// Channels and pixels of the images, as their array has them.
    input: Vec<usize>,
    /// The same of the results, in the plan's layout.
    output: Vec<usize>,
    /// Of both.
    layouts: [Layout; 2],
    kind: Planned,
}

#[derive(Clone)]
enum Planned {
    F32(ConvPlan<f32>, Arc<ArrayData>),
    F64(ConvPlan<f64>, Arc<ArrayData>),
}

impl Planned {
    /// The layouts of the plan: those that were asked for, or planar ones where no way is made for them.
    fn layouts(&self) -> [Layout; 2] {
        match self {
            Planned::F32(plan, _) => plan.layouts(),
            Planned::F64(plan, _) => plan.layouts(),
        }
    }
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

/// The shape of images without blocks: `[batch, channels / 16, pixels.., 16]` becomes `[batch, channels, pixels..]`.
pub fn planar_shape(shape: &[usize], layout: Layout) -> Vec<usize> {
    match (layout, shape) {
        (Layout::Blocked, [batch, blocks, pixels @ .., BLOCK]) => {
            [*batch, *blocks * BLOCK].into_iter().chain(pixels.iter().copied()).collect()
        }
        _ => shape.to_vec(),
    }
}

/// The shape of images in a layout, of whose channels there are whole blocks.
fn blocks_of(layout: Layout, shape: Vec<usize>) -> Vec<usize> {
    match (layout, &shape[..]) {
        (Layout::Blocked, [batch, channels, pixels @ ..]) => {
            [*batch, channels / BLOCK].into_iter().chain(pixels.iter().copied()).chain([BLOCK]).collect()
        }
        _ => shape,
    }
}

/// Planar images of blocked ones.
fn planar(x: &ArrayData) -> Result<ArrayData, OpsError> {
    let shape = planar_shape(x.layout().shape(), Layout::Blocked);
    let pixels = shape.len() as isize;
    let axes: Vec<isize> = [0, 1, pixels].into_iter().chain(2..pixels).collect();
    Ok(Array::from(x.clone()).permute_dims(&axes)?.contiguous()?.reshape(&signed(&shape))?.into())
}

/// Blocked images of planar ones, whose channels make whole blocks.
fn blocked(x: ArrayData) -> Result<ArrayData, OpsError> {
    let shape = x.layout().shape().to_vec();
    let rank = shape.len() as isize;
    let [batch, channels, pixels @ ..] = &shape[..] else { return Ok(x) };
    let apart: Vec<usize> = [*batch, channels / BLOCK, BLOCK].into_iter().chain(pixels.iter().copied()).collect();
    let axes: Vec<isize> = [0, 1].into_iter().chain(3..=rank).chain([2]).collect();
    Ok(Array::from(x).reshape(&signed(&apart))?.permute_dims(&axes)?.contiguous()?.into())
}

fn signed(shape: &[usize]) -> Vec<isize> {
    shape.iter().map(|&n| n as isize).collect()
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
        Convolution::with_layouts(input, weights, groups, sliding, [Layout::Planar; 2])
    }

    /// The same for images that come and go in layouts; blocked ones are `[batch, channels / 16, pixels.., 16]`.
    ///
    /// # Errors
    /// As [`Self::new`], and when channels do not make whole blocks.
    pub fn with_layouts(
        input: &ArrayData,
        weights: &ArrayData,
        groups: usize,
        sliding: &Sliding,
        layouts: [Layout; 2],
    ) -> Result<Convolution, OpsError> {
        let [from, to] = layouts;
        let shape = input.layout().shape();
        let (conv, output) = shape_of(&planar_shape(shape, from), weights.layout().shape(), groups, sliding)?;
        if to == Layout::Blocked && !conv.outputs.is_multiple_of(BLOCK) {
            return Err(OpsError::argument(OP, format!("blocks of {} channels", conv.outputs)));
        }
        let kind = match wide_dtype(OP, input.dtype())? {
            DType::F64 => {
                let plan = ConvPlan::<f64>::with_layouts(conv, from, to).unwrap_or_else(|| ConvPlan::new(conv));
                Planned::F64(plan, packed(&plan, weights)?)
            }
            _ => {
                let plan = ConvPlan::<f32>::with_layouts(conv, from, to).unwrap_or_else(|| ConvPlan::new(conv));
                Planned::F32(plan, packed(&plan, weights)?)
            }
        };
        let output = blocks_of(kind.layouts()[1], output);
        Ok(Convolution { input: shape[1..].to_vec(), output: output[1..].to_vec(), layouts, kind })
    }

    /// Bytes of the packed weights.
    pub fn nbytes(&self) -> usize {
        let (Planned::F32(_, packed) | Planned::F64(_, packed)) = &self.kind;
        packed.layout().len() * packed.dtype().size()
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
        let (x, residual) = (self.given(input, 0)?, residual.map(|r| self.given(r, 1)).transpose()?);
        let residual = residual.as_deref();
        let y = match &self.kind {
            Planned::F32(plan, weights) => self.run_of(lane, plan, weights, &x, bias, residual, activation),
            Planned::F64(plan, weights) => self.run_of(lane, plan, weights, &x, bias, residual, wider(activation)),
        }?;
        if self.layouts[1] == self.kind.layouts()[1] { Ok(y) } else { blocked(y) }
    }

    /// Images in the layout of the plan's input or output.
    fn given<'a>(&self, x: &'a ArrayData, end: usize) -> Result<Cow<'a, ArrayData>, OpsError> {
        if self.layouts[end] == self.kind.layouts()[end] { Ok(Cow::Borrowed(x)) } else { planar(x).map(Cow::Owned) }
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
