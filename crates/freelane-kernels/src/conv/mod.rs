//! Convolutions of one to three spatial axes in a fixed order.
//!
//! Every output element is
//!
//! ```text
//! sum over chains, in order, of (a chain of fused multiply-adds from +0)
//! ```
//!
//! whose products run over (block of 16 channels of the group, tap in row-major order, channel in the block). One tap of one
//! block is a step; a chain is as many whole steps as hold at most 256 products. Padding is zeros that are multiplied. Then
//! the bias is added, then the residual, then the activation is applied. That order is a function of the kernel alone: not of
//! the image's place in a batch, the pixel's place in an image, the layout, the split over lanes or the instruction set.
//! Outside the promise: the payload of a NaN, and CPUs without fused multiply-add, on which each step rounds twice.
//!
//! [`ConvPlan`] holds what follows from the geometry: how weights are packed, how much scratch a part needs, how many parts
//! there are. Parts may run on any lane, in any order, each part once. Nothing here allocates or starts a thread.

mod activation;
mod columns;
mod shape;
#[cfg(test)]
mod tests;
mod transpose;

pub use activation::{Activation, Active};
pub(crate) use columns::Rows;
pub use shape::{BLOCK, ConvShape};
pub use transpose::{Transpose, TransposePlan};

use crate::Target;
use crate::gemm::Packable;
use columns::Columns;
use core::alloc::Layout;
use core::marker::PhantomData;
use core::mem::MaybeUninit;
use core::ops::Range;
use freelane_simd::Isa;

/// Alignment of scratch and of each part of it.
const ALIGN: usize = 64;

/// An element that is convolved: `f32`, `f64`.
pub trait ConvElement: Packable + Active {}
impl<T: Packable + Active> ConvElement for T {}

/// What a convolution works on.
#[derive(Clone, Copy, Debug)]
pub struct Conv<'a, T> {
    /// As [`ConvPlan::pack`] made them.
    pub weights: &'a [T],
    /// Images, one behind the other: `[batch, channels, pixels]`.
    pub input: &'a [T],
    /// Images.
    pub batch: usize,
    /// One element for each output channel.
    pub bias: Option<&'a [T]>,
    /// Added to the output: one element for each of its elements, in its layout.
    pub residual: Option<&'a [T]>,
    /// Applied last.
    pub activation: Activation<T>,
}

/// How a convolution is computed.
#[derive(Clone, Copy, Debug)]
pub struct ConvPlan<T> {
    shape: ConvShape,
    columns: Columns,
    element: PhantomData<T>,
}

impl<T: ConvElement> ConvPlan<T> {
    /// The plan for a shape.
    pub fn new(shape: ConvShape) -> Self {
        ConvPlan { shape, columns: Columns::new(shape), element: PhantomData }
    }

    /// What is computed.
    pub fn shape(&self) -> &ConvShape {
        &self.shape
    }

    /// Elements of packed weights.
    pub fn packed_len(&self) -> usize {
        self.shape.weights_len()
    }

    /// Packs weights `[outputs, inputs / groups, taps]`, initialising all of `packed`.
    ///
    /// # Panics
    /// When a length is another than the shape and [`Self::packed_len`] say.
    pub fn pack(&self, weights: &[T], packed: &mut [MaybeUninit<T>]) {
        assert!(weights.len() == self.shape.weights_len(), "conv: {} weights", weights.len());
        assert!(packed.len() == self.packed_len(), "conv: {} elements for packed weights", packed.len());
        self.columns.pack(weights, packed);
    }

    /// Scratch that [`Self::run`] needs, whatever the parts.
    pub fn scratch(&self) -> Layout {
        let bytes = self.columns.scratch::<T>() + ALIGN;
        Layout::from_size_align(bytes, ALIGN).expect("scratch is smaller than the operands")
    }

    /// Parts of a batch: about the same work each, the same for every number of lanes.
    pub fn parts(&self, batch: usize) -> usize {
        batch * self.columns.parts()
    }

    /// Multiplications of a batch.
    pub fn products(&self, batch: usize) -> u64 {
        self.shape.products().saturating_mul(batch as u64)
    }

    /// Computes some parts of `out`, `[batch, outputs, pixels]`.
    ///
    /// # Panics
    /// When lengths do not fit the shape and the batch, `parts` are out of range, or scratch is smaller than
    /// [`Self::scratch`] says.
    pub fn run(
        &self,
        isa: Isa,
        conv: &Conv<'_, T>,
        out: &mut Target<'_, T>,
        scratch: &mut [MaybeUninit<u8>],
        parts: Range<usize>,
    ) {
        self.check(conv, out);
        assert!(parts.start <= parts.end && parts.end <= self.parts(conv.batch), "conv: parts {parts:?}");
        assert!(scratch.len() >= self.scratch().size(), "conv: {} bytes of scratch", scratch.len());
        self.columns.run(isa, conv, out, scratch, parts);
    }

    fn check(&self, conv: &Conv<'_, T>, out: &Target<'_, T>) {
        let whole = |each: usize| conv.batch.checked_mul(each);
        let shape = &self.shape;
        assert!(conv.weights.len() == self.packed_len(), "conv: {} packed weights", conv.weights.len());
        assert!(Some(conv.input.len()) == whole(shape.input_len()), "conv: an input of {} elements", conv.input.len());
        assert!(Some(out.len()) == whole(shape.output_len()), "conv: an output of {} elements", out.len());
        assert!(conv.bias.is_none_or(|bias| bias.len() == shape.outputs), "conv: a bias for other channels");
        assert!(conv.residual.is_none_or(|rest| rest.len() == out.len()), "conv: a residual of another size");
    }
}

/// Bytes of a part of scratch.
fn align(bytes: usize) -> usize {
    bytes.next_multiple_of(ALIGN)
}

/// The next `count` elements of scratch, and the rest.
fn carve<T>(scratch: &mut [MaybeUninit<u8>], count: usize) -> (&mut [MaybeUninit<T>], &mut [MaybeUninit<u8>]) {
    let skip = scratch.as_ptr().align_offset(ALIGN);
    let (part, rest) = scratch[skip..].split_at_mut(count * size_of::<T>());
    // SAFETY: the part is aligned and has room for `count` elements.
    let part = unsafe { core::slice::from_raw_parts_mut(part.as_mut_ptr().cast(), count) };
    (part, rest)
}
