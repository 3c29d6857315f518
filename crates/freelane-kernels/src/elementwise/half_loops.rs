//! Loops of the half types, made of the loops for `f32`: each tile is widened, run through, and narrowed.
//!
//! They are what a table of functions holds for `f16` and `bf16`: next to no code for each function, since all that is
//! compiled for it is the loop over `f32` that exists anyway. The bits are those of [`Wide`](super::Wide).
use super::loops::{Loop1, Loop2, body1, loop1, loop2};
use super::tile::{Tile, tile, tiles1, tiles2};
use super::{Half, Map1, Map2, Widen};
use freelane_simd::Isa;
use std::marker::PhantomData;
use std::mem::size_of;

/// A half float in `f32`.
struct Up;

impl<H: Half> Map1<H> for Up {
    type Out = f32;
    #[inline(always)]
    fn apply(x: H) -> f32 {
        x.widen()
    }
}

/// A result of `f32` arithmetic as one of the half type.
struct Down<H>(PhantomData<H>);

impl<H: Half, O: Widen<H> + Copy> Map1<O> for Down<H> {
    type Out = O::Out;
    #[inline(always)]
    fn apply(x: O) -> O::Out {
        x.back()
    }
}

/// Applies `K` to `n` half floats.
///
/// # Safety
/// As for [`loop1`].
pub unsafe fn half_loop1<K, H>(isa: Isa, n: usize, x: *const u8, xs: isize, o: *mut u8, os: isize)
where
    K: Map1<f32>,
    K::Out: Widen<H>,
    H: Half,
{
    // SAFETY: the caller's promise.
    unsafe { through1::<H, K::Out>(loop1::<K, f32>, isa, n, x, xs, o, os) }
}

/// Applies `K` to `n` pairs of half floats.
///
/// # Safety
/// As for [`loop2`].
#[allow(clippy::too_many_arguments, reason = "the signature of `Loop2`")]
pub unsafe fn half_loop2<K, H>(
    isa: Isa,
    n: usize,
    a: *const u8,
    sa: isize,
    b: *const u8,
    sb: isize,
    o: *mut u8,
    os: isize,
) where
    K: Map2<f32>,
    K::Out: Widen<H>,
    H: Half,
{
    // SAFETY: the caller's promise.
    unsafe { through2::<H, K::Out>(loop2::<K, f32>, isa, n, a, sa, b, sb, o, os) }
}

/// Half floats side by side, widened into a tile.
///
/// # Safety
/// `x` has `m` elements, at most a tile of them, and this CPU supports `isa`.
#[inline(always)]
unsafe fn widened<H: Half>(isa: Isa, m: usize, x: *const H, to: &mut Tile<f32>) -> *const u8 {
    // SAFETY: the caller's promise; a tile has room for as many.
    unsafe { body1::<Up, H>(isa)(m, x, to.as_mut_ptr().cast()) };
    to.as_ptr().cast()
}

/// # Safety
/// As for [`loop1`] over `H`; `run` writes an `O` for each `f32`.
#[inline(never)]
#[allow(clippy::too_many_arguments, reason = "a loop and its arguments")]
unsafe fn through1<H: Half, O: Widen<H> + Copy>(
    run: Loop1,
    isa: Isa,
    n: usize,
    x: *const u8,
    xs: isize,
    o: *mut u8,
    os: isize,
) {
    let (mut wide, mut got) = (tile::<f32>(), tile::<O>());
    let each = |m, x: *const H, o: *mut O::Out| {
        // SAFETY: there are `m` elements.
        let x = unsafe { widened(isa, m, x, &mut wide) };
        // SAFETY: both tiles hold `m` elements and lie apart.
        unsafe { run(isa, m, x, 4, got.as_mut_ptr().cast(), size_of::<O>() as isize) };
        // SAFETY: `run` filled the tile; there is room for `m` results, apart from it.
        unsafe { body1::<Down<H>, O>(isa)(m, got.as_ptr().cast(), o) };
    };
    // SAFETY: the caller's promise; the results are filled.
    unsafe { tiles1(isa, n, (x, xs), (o, os), each) }
}

/// # Safety
/// As for [`loop2`] over `H`; `run` writes an `O` for each pair of `f32`.
#[inline(never)]
#[allow(clippy::too_many_arguments, reason = "a loop and its arguments")]
unsafe fn through2<H: Half, O: Widen<H> + Copy>(
    run: Loop2,
    isa: Isa,
    n: usize,
    a: *const u8,
    sa: isize,
    b: *const u8,
    sb: isize,
    o: *mut u8,
    os: isize,
) {
    let (mut wide_a, mut wide_b, mut got) = (tile::<f32>(), tile::<f32>(), tile::<O>());
    let each = |m, a: *const H, b: *const H, o: *mut O::Out| {
        // SAFETY: there are `m` elements of each.
        let (a, b) = unsafe { (widened(isa, m, a, &mut wide_a), widened(isa, m, b, &mut wide_b)) };
        // SAFETY: all tiles hold `m` elements and lie apart.
        unsafe { run(isa, m, a, 4, b, 4, got.as_mut_ptr().cast(), size_of::<O>() as isize) };
        // SAFETY: `run` filled the tile; there is room for `m` results, apart from it.
        unsafe { body1::<Down<H>, O>(isa)(m, got.as_ptr().cast(), o) };
    };
    // SAFETY: the caller's promise; the results are filled.
    unsafe { tiles2(isa, n, [(a, sa), (b, sb)], (o, os), each) }
}
