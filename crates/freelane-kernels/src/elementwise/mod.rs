//! Elementwise functions and their erased inner loops.
//!
//! A function is a type with one scalar body: `Sin: Map1<f64>`. The body has no branches, so that LLVM turns the loop around
//! it into vector code for each instruction set; every fused multiply-add in it is written out, so all of them give the
//! same bits (payloads of NaN aside). [`loop1`], [`loop2`] and [`loop3`] put the loops around it.
//!
//! ```
//! use freelane_kernels::elementwise::{Sin, loop1};
//! use freelane_simd::Isa;
//!
//! let (x, mut o) = ([0.0f64, 1.0], [0.0f64; 2]);
//! // SAFETY: both arrays hold two elements, 8 bytes apart, and do not overlap.
//! unsafe { loop1::<Sin, f64>(Isa::current(), 2, x.as_ptr().cast(), 8, o.as_mut_ptr().cast(), 8) };
//! assert_eq!(o, [0.0, 1f64.sin()]);
//! ```
//!
//! Outside the promise of equal bits: [`Isa::Portable`](freelane_simd::Isa), which has no fused multiply-add and runs
//! [`Map1::slow`] throughout.
#[macro_use]
mod rows;

mod arith;
mod bits;
mod bodies;
mod collect;
mod compare;
mod divide;
mod divide_floats;
mod fused;
mod half_loops;
mod loops;
mod math;
#[cfg(target_arch = "x86_64")]
mod pairs;
mod parts;
mod round;
mod select;
mod strided;
mod tile;
mod wide;

#[cfg(test)]
mod shapes;

pub use arith::*;
pub use bits::*;
pub use compare::*;
pub use divide::*;
pub use fused::{Swapped, fused2};
pub use half_loops::{half_loop1, half_loop2};
pub use loops::{Body1, Body2, ByScalar, Loop1, Loop2, Loop3, loop1, loop2, loop3, map};
pub use math::*;
pub use parts::*;
pub use round::*;
pub use select::*;
pub use wide::{Half, Wide, Widen};

/// Which loops are compiled for a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tier {
    /// One plain loop for every instruction set: the body calls a scalar function or divides integers.
    Scalar,
    /// A few instructions, none of them a fused multiply-add: memory sets the pace, so AVX-512 gains nothing; own loops for
    /// scalar operands and for results that replace an operand.
    Light,
    /// Many instructions: also compiled for AVX-512; scalar operands and results in place go through a tile.
    Heavy,
}

/// A function of one element.
pub trait Map1<T: Copy>: 'static {
    /// What it returns.
    type Out: Copy;
    /// Which loops are compiled.
    const TIER: Tier = Tier::Light;
    /// Whether `guard` is to be asked.
    const GUARD: bool = false;
    /// A loop of its own, in place of those around `apply`; it is called as [`loop1`] is.
    const LOOP: Option<Loop1> = None;
    /// A body of its own for the native instruction set, in place of the loop around `apply`.
    const BODY: Option<Body1<T, Self::Out>> = None;
    /// The vector body: no branches, no calls. Mark it `#[inline(always)]`.
    fn apply(x: T) -> Self::Out;
    /// Whether `apply` is not made for this element, so that `slow` is to be used.
    #[inline(always)]
    fn guard(_x: T) -> bool {
        false
    }
    /// The scalar body, without fused multiply-adds: for guarded elements, and for all of them on the portable path.
    #[inline(always)]
    fn slow(x: T) -> Self::Out {
        Self::apply(x)
    }
}

/// A function of two elements; see [`Map1`].
pub trait Map2<T: Copy>: 'static {
    /// What it returns.
    type Out: Copy;
    /// Which loops are compiled.
    const TIER: Tier = Tier::Light;
    /// A faster way to the same results where the right operand is one element for all: division by a number prepared for
    /// it, for one. It is called as [`loop2`] is.
    const BY_SCALAR: Option<ByScalar> = None;
    /// Whether `guard` is to be asked.
    const GUARD: bool = false;
    /// Of complex numbers, whether so much is done with the parts that these are worth gathering in vectors.
    const BY_VECTORS: bool = false;
    /// A loop of its own, in place of those around `apply`; it is called as [`loop2`] is.
    const LOOP: Option<Loop2> = None;
    /// A body of its own for the native instruction set, in place of the loop around `apply`.
    const BODY: Option<Body2<T, Self::Out>> = None;
    /// The vector body: no branches, no calls. Mark it `#[inline(always)]`.
    fn apply(a: T, b: T) -> Self::Out;
    /// Whether `apply` is not made for this pair, so that `slow` is to be used.
    #[inline(always)]
    fn guard(_a: T, _b: T) -> bool {
        false
    }
    /// The scalar body, without fused multiply-adds: for guarded pairs, and for all of them on the portable path.
    #[inline(always)]
    fn slow(a: T, b: T) -> Self::Out {
        Self::apply(a, b)
    }
}

/// A function of three elements, the first of a type of its own: a selector, say.
pub trait Map3<T: Copy>: 'static {
    /// The type of the first operand.
    type First: Copy;
    /// What it returns.
    type Out: Copy;
    /// Whether there is a shorter body for some first operands.
    const HAS_EASY: bool = false;
    /// The body: no branches, no calls. Mark it `#[inline(always)]`.
    fn apply(c: Self::First, a: T, b: T) -> Self::Out;
    /// Whether `easy` gives for this first operand what `apply` does.
    #[inline(always)]
    fn is_easy(_c: Self::First) -> bool {
        false
    }
    /// The shorter body.
    #[inline(always)]
    fn easy(c: Self::First, a: T, b: T) -> Self::Out {
        Self::apply(c, a, b)
    }
    /// The body of the portable path, without fused multiply-adds.
    #[inline(always)]
    fn slow(c: Self::First, a: T, b: T) -> Self::Out {
        Self::apply(c, a, b)
    }
}
