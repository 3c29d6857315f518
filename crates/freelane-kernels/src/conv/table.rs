//! The inner loops compiled for every instruction set.
use super::tile::{self, Depth, Row, Tile, Turn};
use super::winograd::{self, Gather, Spread};
use freelane_simd::{Isa, Plain, Simd};

pub type TileFn<T> = unsafe fn(&Tile<T>);
pub type DepthFn<T> = unsafe fn(&Depth<T>);
pub type TurnFn<T> = unsafe fn(&Turn<T>);

/// Loops of one element type along planar rows.
pub struct Lines<T> {
    pub row: unsafe fn(&Row<T>),
}

/// The kernels of one instruction set. Tables of tiles are indexed by pixels; entry 0 is unused.
pub struct Kernels<T: 'static> {
    /// One or two blocks of output channels, planar or blocked, stride 1 or 2. A single block is made in registers of half a block,
    /// so that each element of the image that is spread over a register serves two of them.
    pub tiles: [[[&'static [TileFn<T>]; 2]; 2]; 2],
    /// Stride 1 or 2.
    pub depth: [&'static [DepthFn<T>]; 2],
    pub planes: TurnFn<T>,
    pub blocks: TurnFn<T>,
    pub gather: unsafe fn(&Gather<T>),
    pub spread: unsafe fn(&Spread<T>),
}

macro_rules! kernels {
    ($mod:ident, $S:ty, $(#[$feature:meta])?, $one:ident, [$($pixels:literal),*]) => {
        mod $mod {
            use super::*;
            type T = <$S as Simd>::T;

            #[inline(always)]
            fn simd() -> $S {
                // SAFETY: this table is handed out only where the CPU has the instructions.
                unsafe { <$S>::assume() }
            }

            $(#[$feature])?
            unsafe fn entry<const P: usize, const BLOCKED: bool, const STRIDE: usize>(t: &Tile<T>) {
                // SAFETY: the caller keeps `tile`'s promise.
                unsafe { tile::tile::<$S, P, 2, BLOCKED, STRIDE>(simd(), t) }
            }
            $(#[$feature])?
            unsafe fn depth<const P: usize, const STRIDE: usize>(t: &Depth<T>) {
                // SAFETY: the caller keeps `depth`'s promise.
                unsafe { tile::depth::<$S, P, STRIDE>(simd(), t) }
            }
            $(#[$feature])?
            unsafe fn planes(t: &Turn<T>) {
                // SAFETY: the caller keeps `planes`' promise.
                unsafe { tile::planes(simd(), t) }
            }
            $(#[$feature])?
            unsafe fn blocks(t: &Turn<T>) {
                // SAFETY: the caller keeps `blocks`' promise.
                unsafe { tile::blocks(simd(), t) }
            }
            $(#[$feature])?
            unsafe fn gather(t: &Gather<T>) {
                // SAFETY: the caller keeps `gather`'s promise.
                unsafe { winograd::gather(simd(), t) }
            }
            $(#[$feature])?
            unsafe fn spread(t: &Spread<T>) {
                // SAFETY: the caller keeps `spread`'s promise.
                unsafe { winograd::spread(simd(), t) }
            }

            pub(super) const TILES: [[&[TileFn<T>]; 2]; 2] = [
                [&[entry::<1, false, 1>, $(entry::<$pixels, false, 1>),*], &[entry::<1, false, 2>, $(entry::<$pixels, false, 2>),*]],
                [&[entry::<1, true, 1>, $(entry::<$pixels, true, 1>),*], &[entry::<1, true, 2>, $(entry::<$pixels, true, 2>),*]],
            ];

            pub(super) static KERNELS: Kernels<T> = Kernels {
                tiles: [super::$one::TILES, TILES],
                depth: [&[depth::<1, 1>, $(depth::<$pixels, 1>),*], &[depth::<1, 2>, $(depth::<$pixels, 2>),*]],
                planes,
                blocks,
                gather,
                spread,
            };
        }
    };
}

macro_rules! lines {
    ($mod:ident, $S:ty $(, #[$feature:meta])?) => {
        mod $mod {
            use super::*;
            type T = <$S as Simd>::T;

            $(#[$feature])?
            unsafe fn row(t: &Row<T>) {
                // SAFETY: this table is handed out only where the CPU has the instructions; the caller keeps `row`'s promise.
                unsafe { tile::row(<$S>::assume(), t) }
            }

            pub(super) static LINES: Lines<T> = Lines { row };
        }
    };
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::*;
    use freelane_simd::{F32x8, F32x16, F64x4, F64x8};

    kernels!(f32x16, F32x16, #[target_feature(enable = "avx512f,avx512vl,avx512dq,fma")], f32x8, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14]);
    kernels!(f32x8, F32x8, #[target_feature(enable = "avx2,fma")], f32x8, [1, 2, 3, 4, 5, 6]);
    lines!(line32x16, F32x16, #[target_feature(enable = "avx512f,avx512vl,avx512dq,fma")]);
    lines!(line64x8, F64x8, #[target_feature(enable = "avx512f,avx512vl,avx512dq,fma")]);
    lines!(line32x8, F32x8, #[target_feature(enable = "avx2,fma")]);
    lines!(line64x4, F64x4, #[target_feature(enable = "avx2,fma")]);

    pub(super) fn kernels(isa: Isa) -> &'static Kernels<f32> {
        if isa == Isa::Avx512 { &f32x16::KERNELS } else { &f32x8::KERNELS }
    }
    pub(super) fn lines32(isa: Isa) -> &'static Lines<f32> {
        if isa == Isa::Avx512 { &line32x16::LINES } else { &line32x8::LINES }
    }
    pub(super) fn lines64(isa: Isa) -> &'static Lines<f64> {
        if isa == Isa::Avx512 { &line64x8::LINES } else { &line64x4::LINES }
    }
}

kernels!(plain, Plain<f32>, , plain, [1, 2]);
lines!(plain32, Plain<f32>);
lines!(plain64, Plain<f64>);

pub fn kernels(isa: Isa) -> &'static Kernels<f32> {
    #[cfg(target_arch = "x86_64")]
    if crate::compiled::has_avx2(isa) {
        return x86::kernels(isa);
    }
    let _ = isa;
    &plain::KERNELS
}

pub fn lines32(isa: Isa) -> &'static Lines<f32> {
    #[cfg(target_arch = "x86_64")]
    if crate::compiled::has_avx2(isa) {
        return x86::lines32(isa);
    }
    let _ = isa;
    &plain32::LINES
}

pub fn lines64(isa: Isa) -> &'static Lines<f64> {
    #[cfg(target_arch = "x86_64")]
    if crate::compiled::has_avx2(isa) {
        return x86::lines64(isa);
    }
    let _ = isa;
    &plain64::LINES
}
