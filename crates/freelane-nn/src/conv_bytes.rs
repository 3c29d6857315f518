//! Convolutions of bytes, exact in 32 bits: weights packed once, for images of any size.
use crate::Sliding;
use crate::arrays::{dense, dense_as, elements, elements_mut, made};
use crate::bytes::{PRODUCTS, each, not_bytes};
use crate::conv::{in_pieces, shape_of};
use crate::quant::Quantized;
use freelane_array::{ArrayData, DType, Element};
use freelane_kernels::Target;
use freelane_kernels::conv::ConvShape;
use freelane_kernels::int8::{Byte, Each, Exact, IntConv, IntConvPlan, Requantize, Sink};
use freelane_ops::{Array, OpsError};
use freelane_pool::Lane;
use freelane_simd::Isa;
use smallvec::SmallVec;

const OP: &str = "ConvInteger";

/// Weights of bytes as convolutions read them.
#[derive(Clone)]
pub struct ByteKernels {
    /// `[outputs, inputs / groups, taps along each axis]`.
    shape: SmallVec<[usize; 6]>,
    groups: usize,
    dtype: DType,
    words: Vec<i32>,
}

fn packed<W: Byte + Element>(shape: ConvShape, weights: &ArrayData) -> Result<Vec<i32>, OpsError> {
    let plan = IntConvPlan::<W, u8>::new(Isa::current(), shape);
    let weights = dense(weights)?;
    let weights = elements::<W>(&weights)?;
    // SAFETY: `pack` initialises all of them.
    unsafe { made(OP, plan.packed_len(), |words| plan.pack(weights, words)) }
}

impl ByteKernels {
    /// Packs weights of `uint8` or `int8`.
    ///
    /// # Errors
    /// When the shape does not fit, elements are no bytes, or memory cannot be had.
    pub fn pack(weights: &ArrayData, groups: usize) -> Result<ByteKernels, OpsError> {
        let shape = weights.layout().shape();
        let wrong = || OpsError::argument(OP, format!("weights of shape {shape:?} in {groups} groups"));
        let [_, each, taps @ ..] = shape else { return Err(wrong()) };
        // Packed weights are the same for any image: one as large as the kernel stands for all.
        let image: SmallVec<[usize; 6]> =
            [1, each.checked_mul(groups).ok_or_else(wrong)?].into_iter().chain(taps.iter().copied()).collect();
        let (conv, _) = shape_of(&image, shape, groups, &Sliding::default())?;
        let words = match weights.dtype() {
            DType::U8 => packed::<u8>(conv, weights)?,
            DType::I8 => packed::<i8>(conv, weights)?,
            other => return Err(not_bytes(OP, other)),
        };
        Ok(ByteKernels { shape: shape.into(), groups, dtype: weights.dtype(), words })
    }

    /// Bytes of the packed weights.
    pub fn nbytes(&self) -> usize {
        size_of_val(&self.words[..])
    }

    /// Output channels.
    pub fn outputs(&self) -> usize {
        self.shape[0]
    }

    /// The convolution of images of bytes, which are `zero` in the padding, in `int32`. The zero points of the weights are one,
    /// or one for each output channel.
    ///
    /// # Errors
    /// When shapes or types do not fit, or memory cannot be had.
    pub fn exact(
        &self,
        lane: &Lane,
        x: &ArrayData,
        zero: Option<&ArrayData>,
        weights_zero: Option<&ArrayData>,
        sliding: &Sliding,
    ) -> Result<ArrayData, OpsError> {
        self.run(lane, [Some(x), zero, weights_zero], sliding, &Exact)
    }

    /// The convolution of quantized images, as bytes of the scale and zero point `y`. `w` are the scale and the zero point of the
    /// weights, one or one for each output channel; the bias is of the products' scale.
    ///
    /// # Errors
    /// When shapes or types do not fit, or memory cannot be had.
    pub fn rescaled(
        &self,
        lane: &Lane,
        x: &Quantized<'_>,
        w: (&ArrayData, Option<&ArrayData>),
        bias: Option<&ArrayData>,
        y: (&ArrayData, &ArrayData),
        sliding: &Sliding,
    ) -> Result<ArrayData, OpsError> {
        let scales = [x.scale, w.0, y.0].map(|x| dense_as(x, DType::F64));
        let [from, of_weights, to] = scales;
        let (from, of_weights, to) = (from?, of_weights?, to?);
        let ([from], of_weights, [to]) =
            (elements::<f64>(&from)?, elements::<f64>(&of_weights)?, elements::<f64>(&to)?)
        else {
            return Err(OpsError::argument("QLinearConv", "images and results have one scale each"));
        };
        let scale: SmallVec<[f64; 64]> = of_weights.iter().map(|w| from * w / to).collect();
        let bias = bias.map(|b| dense_as(b, DType::I32)).transpose()?;
        let bias = bias.as_deref().map(elements::<i32>).transpose()?.unwrap_or_default();
        if [scale.len(), bias.len()].iter().any(|n| *n > 1 && *n != self.outputs()) || scale.is_empty() {
            let found = (scale.len(), bias.len(), self.outputs());
            return Err(OpsError::argument("QLinearConv", format!("scales, biases and output channels: {found:?}")));
        }
        let (scale, bias) = (each(&scale, Each::Rows), each(bias, Each::Rows));
        let zero = dense(y.1)?;
        let operands = [Some(x.x), x.zero, w.1];
        match zero.dtype() {
            DType::U8 => self.run(lane, operands, sliding, &Requantize { scale, bias, zero: one::<u8>(&zero)? }),
            DType::I8 => self.run(lane, operands, sliding, &Requantize { scale, bias, zero: one::<i8>(&zero)? }),
            other => Err(not_bytes("QLinearConv", other)),
        }
    }

    /// Images, their zero point and that of the weights, into a sink.
    fn run<S: Sink<Out: Element>>(
        &self,
        lane: &Lane,
        [x, zero, weights_zero]: [Option<&ArrayData>; 3],
        sliding: &Sliding,
        sink: &S,
    ) -> Result<ArrayData, OpsError> {
        let x = x.unwrap_or_else(|| unreachable!("there are images"));
        match (self.dtype, x.dtype()) {
            (DType::U8, DType::U8) => self.run_of::<u8, u8, S>(lane, x, zero, weights_zero, sliding, sink),
            (DType::U8, DType::I8) => self.run_of::<u8, i8, S>(lane, x, zero, weights_zero, sliding, sink),
            (DType::I8, DType::U8) => self.run_of::<i8, u8, S>(lane, x, zero, weights_zero, sliding, sink),
            (DType::I8, DType::I8) => self.run_of::<i8, i8, S>(lane, x, zero, weights_zero, sliding, sink),
            (_, other) => Err(not_bytes(OP, other)),
        }
    }

    fn run_of<W: Byte + Element, X: Byte + Element, S: Sink<Out: Element>>(
        &self,
        lane: &Lane,
        x: &ArrayData,
        zero: Option<&ArrayData>,
        weights_zero: Option<&ArrayData>,
        sliding: &Sliding,
        sink: &S,
    ) -> Result<ArrayData, OpsError> {
        let (shape, output) = shape_of(x.layout().shape(), &self.shape, self.groups, sliding)?;
        let x = dense(x)?;
        let weights_zero = weights_zero.map(dense).transpose()?;
        let weights_zero = weights_zero.as_deref().map(elements::<W>).transpose()?.unwrap_or_default();
        if weights_zero.len() > 1 && weights_zero.len() != shape.outputs {
            return Err(OpsError::argument(OP, "zero points of the weights for other output channels"));
        }
        let conv = IntConv {
            weights: &self.words,
            weights_zero: each(weights_zero, Each::Rows),
            input: elements::<X>(&x)?,
            input_zero: zero.map_or(Ok(X::default()), |zero| one::<X>(dense(zero)?.as_ref()))?,
            batch: output[0],
        };
        let plan = IntConvPlan::<W, X>::new(Isa::current(), shape);
        let mut out = Array::empty_in(lane, &output, S::Out::DTYPE)?;
        if !out.is_empty() {
            let target = Target::of(elements_mut::<S::Out>(&mut out)?);
            let cost = shape.products().saturating_mul(conv.batch as u64) / PRODUCTS as u64;
            in_pieces(lane, OP, plan.parts(conv.batch), cost, plan.scratch(), &target, |out, scratch, parts| {
                plan.run(&conv, sink, out, scratch, parts);
            })?;
        }
        Ok(out.into())
    }
}

/// The zero point of all elements.
fn one<T: Element>(zero: &ArrayData) -> Result<T, OpsError> {
    match elements::<T>(zero)? {
        [zero] => Ok(*zero),
        more => Err(OpsError::argument(OP, format!("{} zero points of images; they have one", more.len()))),
    }
}
