//! The ways to convolve, and which of them an element has.
use super::Conv;
use super::activation::Active;
use super::columns::Columns;
use super::depth::{Blocks, Planes};
use super::direct::Direct;
use super::shape::{BLOCK, ConvShape};
use super::table;
use super::turned::Turned;
use super::winograd::Winograd;
use crate::Target;
use crate::gemm::Packable;
use crate::window::Layout;
use core::mem::MaybeUninit;
use core::ops::Range;
use freelane_simd::Isa;

/// A way to convolve.
#[derive(Clone, Copy, Debug)]
pub enum Way {
    Columns(Columns),
    Direct(Direct),
    Winograd(Winograd),
    Blocks(Blocks),
    Planes(Planes),
    Turned(Turned),
}

impl Way {
    pub fn name(&self) -> &'static str {
        match self {
            Way::Columns(_) => "columns",
            Way::Direct(_) => "direct",
            Way::Winograd(_) => "winograd",
            Way::Blocks(_) => "depthwise",
            Way::Planes(_) => "depthwise planes",
            Way::Turned(_) => "turned",
        }
    }

    pub fn packed_len<T: Packable>(&self, shape: &ConvShape) -> usize {
        match self {
            Way::Columns(_) | Way::Planes(_) => shape.weights_len(),
            Way::Direct(way) => way.packed_len(),
            Way::Winograd(way) => way.packed_len(),
            Way::Blocks(way) => way.packed_len(),
            Way::Turned(way) => way.packed_len::<T>(),
        }
    }

    pub fn scratch<T: Packable>(&self) -> usize {
        match self {
            Way::Columns(way) => way.scratch::<T>(),
            Way::Direct(way) => way.scratch(),
            Way::Winograd(way) => way.scratch(),
            Way::Blocks(_) => 0,
            Way::Planes(way) => way.scratch::<T>(),
            Way::Turned(way) => way.scratch::<T>(),
        }
    }

    pub fn parts(&self) -> usize {
        match self {
            Way::Columns(way) => way.parts(),
            Way::Direct(way) => way.pieces().count(),
            Way::Winograd(way) => way.pieces().count(),
            Way::Blocks(way) => way.pieces().count(),
            Way::Planes(way) => way.pieces().count(),
            Way::Turned(way) => way.parts(),
        }
    }
}

/// An element that is convolved: `f32`, `f64`.
pub trait ConvElement: Packable + Active + Ways {}
impl<T: Packable + Active + Ways> ConvElement for T {}

/// What is done by each way.
pub trait Ways: Sized {
    /// The best way for layouts; none when columns are the only one, which take planar images alone.
    #[doc(hidden)]
    fn way(shape: &ConvShape, layouts: [Layout; 2]) -> Option<Way>;
    #[doc(hidden)]
    fn pack(way: &Way, weights: &[Self], packed: &mut [MaybeUninit<Self>]);
    #[doc(hidden)]
    fn run(
        way: &Way,
        isa: Isa,
        conv: &Conv<'_, Self>,
        out: &mut Target<'_, Self>,
        scratch: &mut [MaybeUninit<u8>],
        parts: Range<usize>,
    );
}

impl Ways for f32 {
    fn way(shape: &ConvShape, [input, output]: [Layout; 2]) -> Option<Way> {
        let planar = [input, output] == [Layout::Planar; 2];
        if shape.is_depthwise() && shape.inputs > 1 {
            return match [input, output] {
                [Layout::Planar, Layout::Planar] => Planes::new(*shape).map(Way::Planes),
                [Layout::Blocked, Layout::Blocked] => Blocks::new(*shape).map(Way::Blocks),
                _ => None,
            };
        }
        // A panel of few output channels would be mostly padding; planes a page apart share a few sets of the cache.
        let aliasing = shape.window.is_pointwise() && (shape.window.inputs() * size_of::<f32>()).is_multiple_of(2048);
        if planar && (shape.group_outputs() < BLOCK || aliasing) {
            return None;
        }
        let winograd = Winograd::new(*shape, input, output).map(Way::Winograd);
        let direct = || Direct::new(*shape, input, output).map(Way::Direct);
        winograd.or_else(direct).or_else(|| Turned::new(*shape).filter(|_| planar).map(Way::Turned))
    }

    fn pack(way: &Way, weights: &[f32], packed: &mut [MaybeUninit<f32>]) {
        match way {
            Way::Columns(way) => way.pack(weights, packed),
            Way::Direct(way) => way.pack(weights, packed),
            Way::Winograd(way) => way.pack(weights, packed),
            Way::Blocks(way) => way.pack(weights, packed),
            Way::Planes(_) => drop(packed.write_copy_of_slice(weights)),
            Way::Turned(way) => way.pack(weights, packed),
        }
    }

    fn run(
        way: &Way,
        isa: Isa,
        conv: &Conv<'_, f32>,
        out: &mut Target<'_, f32>,
        scratch: &mut [MaybeUninit<u8>],
        parts: Range<usize>,
    ) {
        match way {
            Way::Columns(way) => way.run(isa, conv, out, scratch, parts),
            Way::Direct(way) => way.run(isa, table::kernels(isa), conv, out, scratch, parts),
            Way::Winograd(way) => way.run(isa, table::kernels(isa), conv, out, scratch, parts),
            Way::Blocks(way) => way.run(isa, table::kernels(isa), conv, out, parts),
            Way::Planes(way) => way.run(isa, table::lines32(isa), conv, out, scratch, parts),
            Way::Turned(way) => way.run(isa, conv, out, scratch, parts),
        }
    }
}

impl Ways for f64 {
    fn way(shape: &ConvShape, layouts: [Layout; 2]) -> Option<Way> {
        let planar = layouts == [Layout::Planar; 2];
        if planar && shape.is_depthwise() && shape.inputs > 1 { Planes::new(*shape).map(Way::Planes) } else { None }
    }

    fn pack(way: &Way, weights: &[f64], packed: &mut [MaybeUninit<f64>]) {
        match way {
            Way::Columns(way) => way.pack(weights, packed),
            _ => drop(packed.write_copy_of_slice(weights)),
        }
    }

    fn run(
        way: &Way,
        isa: Isa,
        conv: &Conv<'_, f64>,
        out: &mut Target<'_, f64>,
        scratch: &mut [MaybeUninit<u8>],
        parts: Range<usize>,
    ) {
        match way {
            Way::Columns(way) => way.run(isa, conv, out, scratch, parts),
            Way::Planes(way) => way.run(isa, table::lines64(isa), conv, out, scratch, parts),
            _ => unreachable!("`way` chooses from these"),
        }
    }
}
