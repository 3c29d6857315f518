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
//! the bias is added, then the residual, then the activation is applied. That order is a function of the kernel and the size of
//! the image alone: not of its place in a batch, the pixel's place in it, the layout, the split over lanes or the instruction set.
//! Outside the promise: the payload of a NaN, and CPUs without fused multiply-add, on which each step rounds twice.
//!
//! 3 x 3 kernels of stride 1, dilated along columns at most, over 16 channels or more on both sides of one group, are computed by
//! Winograd's F(2x2, 3x3) where an image has tiles enough; see `winograd.rs` for its order, which is as fixed. The other ways give the bits above: tiles over
//! images (`direct.rs`), few pixels as rows of a product (`turned.rs`), columns of one (`columns.rs`), a kernel for each channel
//! (`depth.rs`).
//!
//! [`ConvPlan`] holds what follows from the geometry: how weights are packed, how much scratch a part needs, how many parts
//! there are. Parts may run on any lane, in any order, each part once. Nothing here allocates or starts a thread.
#![expect(clippy::needless_range_loop, reason = "arrays of registers are indexed by constants")]

mod activation;
mod band;
mod columns;
mod depth;
mod direct;
mod element;
mod shape;
mod table;
#[cfg(test)]
mod tests;
mod tile;
mod turned;
mod winograd;

pub use activation::{Activation, Active};
pub(crate) use columns::Rows;
pub use shape::{BLOCK, ConvShape};

pub use element::ConvElement;

use crate::Target;
use crate::window::{Layout, Window};
use columns::Columns;
use core::alloc::Layout as MemoryLayout;
use core::marker::PhantomData;
use core::mem::MaybeUninit;
use core::ops::Range;
use element::Way;
use freelane_simd::Isa;

/// Alignment of scratch and of each part of it.
const ALIGN: usize = 64;

/// What a convolution works on.
#[derive(Clone, Copy, Debug)]
pub struct Conv<'a, T> {
    /// As [`ConvPlan::pack`] made them.
    pub weights: &'a [T],
    /// Images, one behind the other, in the plan's layout.
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
///
/// ```
/// use core::mem::MaybeUninit;
/// use freelane_kernels::Target;
/// use freelane_kernels::conv::{Activation, Conv, ConvPlan, ConvShape};
/// use freelane_kernels::window::{Axis, Window};
/// use freelane_simd::Isa;
///
/// let axis = Axis::new(4, 3, 1, 1, [0, 0])?;
/// let plan = ConvPlan::<f32>::new(ConvShape::new(1, 1, 1, Window::new(&[axis])?)?);
/// let mut packed = vec![MaybeUninit::uninit(); plan.packed_len()];
/// plan.pack(&[1.0, 0.0, -1.0], &mut packed);
/// // SAFETY: `pack` initialises all of it.
/// let weights: Vec<f32> = packed.into_iter().map(|x| unsafe { x.assume_init() }).collect();
/// let (input, bias) = ([1.0, 2.0, 4.0, 8.0], [10.0]);
/// let conv = Conv { weights: &weights, input: &input, batch: 1, bias: Some(&bias), residual: None, activation: Activation::None };
/// let (mut out, mut scratch) = ([0.0; 2], vec![MaybeUninit::uninit(); plan.scratch().size()]);
/// plan.run(Isa::current(), &conv, &mut Target::of(&mut out), &mut scratch, 0..plan.parts(1));
/// assert_eq!(out, [7.0, 4.0]);
/// # Ok::<(), freelane_kernels::window::WindowError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct ConvPlan<T> {
    shape: ConvShape,
    layouts: [Layout; 2],
    way: Way,
    element: PhantomData<T>,
}

impl<T: ConvElement> ConvPlan<T> {
    /// The plan for planar images.
    pub fn new(shape: ConvShape) -> Self {
        let layouts = [Layout::Planar; 2];
        let way = T::way(&shape, layouts).unwrap_or(Way::Columns(Columns::new(shape)));
        ConvPlan { shape, layouts, way, element: PhantomData }
    }

    /// The plan for images that come and go in the given layouts; none when there is no way that is made for them.
    pub fn with_layouts(shape: ConvShape, input: Layout, output: Layout) -> Option<Self> {
        if [input, output] == [Layout::Planar; 2] {
            return Some(Self::new(shape));
        }
        let layouts = [input, output];
        Some(ConvPlan { shape, layouts, way: T::way(&shape, layouts)?, element: PhantomData })
    }

    /// The same without Winograd's transforms: every sum is in the order that this module describes.
    #[cfg(test)]
    pub(crate) fn in_order(self) -> Self {
        let Way::Winograd(_) = self.way else { return self };
        let direct = direct::Direct::new(self.shape, self.layouts[0], self.layouts[1]).map(Way::Direct);
        ConvPlan { way: direct.unwrap_or(Way::Columns(Columns::new(self.shape))), ..self }
    }

    /// What is computed.
    pub fn shape(&self) -> &ConvShape {
        &self.shape
    }

    /// Layouts of input and output.
    pub fn layouts(&self) -> [Layout; 2] {
        self.layouts
    }

    /// The name of the way that was chosen.
    pub fn way(&self) -> &'static str {
        self.way.name()
    }

    /// Elements of an image and of a result, in their layouts.
    pub fn lens(&self) -> [usize; 2] {
        let ConvShape { inputs, outputs, window, .. } = &self.shape;
        let [input, output] = self.layouts;
        [input.len(*inputs, window.inputs()), output.len(*outputs, window.outputs())]
    }

    /// Elements of packed weights.
    pub fn packed_len(&self) -> usize {
        self.way.packed_len::<T>(&self.shape)
    }

    /// Packs weights `[outputs, inputs / groups, taps]`, initialising all of `packed`.
    ///
    /// # Panics
    /// When a length is another than the shape and [`Self::packed_len`] say.
    pub fn pack(&self, weights: &[T], packed: &mut [MaybeUninit<T>]) {
        assert!(weights.len() == self.shape.weights_len(), "conv: {} weights", weights.len());
        assert!(packed.len() == self.packed_len(), "conv: {} elements for packed weights", packed.len());
        T::pack(&self.way, weights, packed);
    }

    /// Scratch that [`Self::run`] needs, whatever the parts.
    pub fn scratch(&self) -> MemoryLayout {
        let bytes = self.way.scratch::<T>() + ALIGN;
        MemoryLayout::from_size_align(bytes, ALIGN).expect("scratch is smaller than the operands")
    }

    /// Parts of a batch: about the same work each, the same for every number of lanes.
    pub fn parts(&self, batch: usize) -> usize {
        batch * self.way.parts()
    }

    /// Multiplications of a batch.
    pub fn products(&self, batch: usize) -> u64 {
        self.shape.products().saturating_mul(batch as u64)
    }

    /// Computes some parts of `out`.
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
        T::run(&self.way, isa, conv, out, scratch, parts);
    }

    fn check(&self, conv: &Conv<'_, T>, out: &Target<'_, T>) {
        let whole = |each: usize| conv.batch.checked_mul(each);
        let shape = &self.shape;
        assert!(conv.weights.len() == self.packed_len(), "conv: {} packed weights", conv.weights.len());
        let [input, output] = self.lens();
        assert!(Some(conv.input.len()) == whole(input), "conv: an input of {} elements", conv.input.len());
        assert!(Some(out.len()) == whole(output), "conv: an output of {} elements", out.len());
        assert!(conv.bias.is_none_or(|bias| bias.len() == shape.outputs), "conv: a bias for other channels");
        assert!(conv.residual.is_none_or(|rest| rest.len() == out.len()), "conv: a residual of another size");
    }
}

/// Bytes of a part of scratch.
fn align(bytes: usize) -> usize {
    bytes.next_multiple_of(ALIGN)
}

/// Bytes of parts of so many elements.
fn room<T>(lens: &[usize]) -> usize {
    lens.iter().map(|len| align(len * size_of::<T>()) + ALIGN).sum()
}

/// Where each tap reads, in scratch.
fn tap_places<'a>(
    scratch: &'a mut [MaybeUninit<u8>],
    window: &Window,
    place: impl Fn([usize; 3]) -> usize,
) -> &'a [usize] {
    let (places, _) = carve::<usize>(scratch, window.taps());
    for (tap, to) in places.iter_mut().enumerate() {
        to.write(place(window.tap(tap)));
    }
    // SAFETY: just written.
    unsafe { places.assume_init_ref() }
}

/// The next `count` elements of scratch, and the rest.
fn carve<T>(scratch: &mut [MaybeUninit<u8>], count: usize) -> (&mut [MaybeUninit<T>], &mut [MaybeUninit<u8>]) {
    let skip = scratch.as_ptr().align_offset(ALIGN);
    let (part, rest) = scratch[skip..].split_at_mut(count * size_of::<T>());
    // SAFETY: the part is aligned and has room for `count` elements.
    let part = unsafe { core::slice::from_raw_parts_mut(part.as_mut_ptr().cast(), count) };
    (part, rest)
}
