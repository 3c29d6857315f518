//! Images from one layout to the other.
use super::shape::BLOCK;
use super::table;
use super::tile::Turn;
use crate::Target;
use crate::window::Layout;
use core::ops::Range;
use freelane_simd::Isa;

/// Parts of a batch for [`relayout`]: one for each block of channels of each image.
pub fn relayout_parts(batch: usize, channels: usize) -> usize {
    batch * channels.div_ceil(BLOCK)
}

/// Brings images of so many channels and pixels to the other layout than `from`, `Planar` or `Blocked`. Channels that fill up
/// a last block become zero.
///
/// # Panics
/// When lengths are not those of the same whole images, or `parts` are out of range.
pub fn relayout(
    isa: Isa,
    channels: usize,
    pixels: usize,
    from: Layout,
    input: &[f32],
    out: &mut Target<'_, f32>,
    parts: Range<usize>,
) {
    let lens = [Layout::Planar, Layout::Blocked].map(|layout| layout.len(channels, pixels));
    let (len, made) = if from == Layout::Planar { (lens[0], lens[1]) } else { (lens[1], lens[0]) };
    let batch = input.len().checked_div(len).unwrap_or_default();
    let whole = batch.checked_mul(len) == Some(input.len()) && batch.checked_mul(made) == Some(out.len());
    assert!(whole, "relayout: {} elements to {} of {channels} x {pixels}", input.len(), out.len());
    let blocks = channels.div_ceil(BLOCK);
    assert!(parts.start <= parts.end && parts.end <= batch * blocks, "relayout: parts {parts:?}");
    let kernels = table::kernels(isa);
    for part in parts {
        let (image, block) = (part / blocks, part % blocks);
        let inside = block * BLOCK * pixels;
        let count = BLOCK.min(channels - block * BLOCK);
        let turn = Turn {
            from: input[image * len + inside..].as_ptr(),
            to: out.at(image * made + inside),
            pixels,
            channels: count,
            plane: pixels,
        };
        let function = if from == Layout::Planar { kernels.blocks } else { kernels.planes };
        // SAFETY: the block's pixels lie in both images, whose lengths were checked, and the block belongs to the part.
        unsafe { function(&turn) };
    }
}
