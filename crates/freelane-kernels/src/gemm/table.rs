//! Every kernel compiled for every instruction set: the entry points, and the tables that name them.
use super::element::Fused;
use super::fold::{self, Column};
use super::gemv::{self, Row};
use super::narrow::{self, Narrow};
use super::pack::{self, Block};
use super::pairs::{self, Pairs};
use super::small::{self, Small};
use super::tile::{self, KEEP, PACKED, PLACE, Tile};
use freelane_simd::{Isa, Plain, Simd};

pub type TileFn<T> = unsafe fn(&Tile<T>);
pub type ColumnFn<T> = unsafe fn(&Column<T>);
pub type PackFn<T> = unsafe fn(Block<T>, *mut T);

/// The kernels of one element type on one instruction set.
pub struct Kernel<T: 'static> {
    /// Most rows of a tile. The tile tables are indexed by rows; entry 0 is unused.
    pub mr: usize,
    /// A whose rows are neighbours, B in panels.
    pub unit: &'static [TileFn<T>],
    /// Any A, B in panels.
    pub packed: &'static [TileFn<T>],
    /// Any A, B in place: any number of whole panels.
    pub place: &'static [TileFn<T>],
    /// The same, leaving a panel.
    pub keep: &'static [TileFn<T>],
    pub strip: PackFn<T>,
    pub panels: PackFn<T>,
    pub row_packed: unsafe fn(&Row<T>),
    pub row_place: unsafe fn(&Row<T>),
    /// By columns; entry 0 is unused.
    pub narrow: [unsafe fn(&Narrow<T>); 5],
    /// One column: rows and B contiguous; columns of A contiguous; any strides.
    pub column: ColumnFn<T>,
    pub column_across: ColumnFn<T>,
    pub column_scattered: ColumnFn<T>,
    /// The same of complex numbers, any strides.
    pub pairs: unsafe fn(&Pairs<T>),
    pub small: unsafe fn(&Small<T>),
}

impl<T> Kernel<T> {
    /// The tile for `rows` rows.
    pub fn tile(&self, rows: usize, unit: bool, mode: u8) -> TileFn<T> {
        match mode {
            PLACE => self.place[rows],
            KEEP => self.keep[rows],
            _ if unit => self.unit[rows],
            _ => self.packed[rows],
        }
    }
}

/// Stamps one table. A row count of `tiles` walks a panel in pieces of so many registers,
/// and a B in place in wide ones; `row` gives panels at once and
/// registers of a panel; `fold` rows at once, registers that hold all chains, and those that run at once; `pairs` those of each
/// part that run at once.
macro_rules! kernel {
    ($mod:ident, $S:ty, $(#[$feature:meta])?, mr $mr:literal, row $np:literal x $gv:literal, fold $r:literal x $nv:literal / $w:literal, pairs $pw:literal,
     tiles [$(($rows:literal, $pieces:literal, $wide:literal)),*]) => {
        mod $mod {
            use super::*;
            type T = <$S as Simd>::T;

            #[inline(always)]
            fn simd() -> $S {
                // SAFETY: `Fused::kernel` hands this table out only where the CPU has the instructions.
                unsafe { <$S>::assume() }
            }

            $(#[$feature])?
            unsafe fn entry<const MR: usize, const NV: usize, const UNIT: bool, const B: u8>(t: &Tile<T>) {
                // SAFETY: the caller keeps `tile`'s promise.
                unsafe { tile::tile::<$S, MR, NV, UNIT, B>(simd(), t) }
            }
            $(#[$feature])?
            unsafe fn in_place<const MR: usize, const NV: usize, const WIDE: usize>(t: &Tile<T>) {
                // SAFETY: the caller keeps `place`'s promise.
                unsafe { tile::place::<$S, MR, NV, WIDE>(simd(), t) }
            }
            $(#[$feature])?
            unsafe fn strip(a: Block<T>, out: *mut T) {
                // SAFETY: the caller keeps `strip`'s promise.
                unsafe { pack::strip(simd(), a, out) }
            }
            $(#[$feature])?
            unsafe fn panels(b: Block<T>, out: *mut T) {
                // SAFETY: the caller keeps `panels`' promise.
                unsafe { pack::panels(simd(), b, out) }
            }
            $(#[$feature])?
            unsafe fn row_packed(row: &Row<T>) {
                // SAFETY: the caller keeps `packed`'s promise.
                unsafe { gemv::packed::<$S, $np, $gv>(simd(), row) }
            }
            $(#[$feature])?
            unsafe fn row_place(row: &Row<T>) {
                // SAFETY: the caller keeps `place`'s promise.
                unsafe { gemv::place::<$S, $np, $gv>(simd(), row) }
            }
            $(#[$feature])?
            unsafe fn few<const N: usize>(t: &Narrow<T>) {
                // SAFETY: the caller keeps `narrow`'s promise.
                unsafe { narrow::narrow::<$S, N>(simd(), t) }
            }
            $(#[$feature])?
            unsafe fn column(c: &Column<T>) {
                // SAFETY: the caller keeps `column`'s promise.
                unsafe { fold::column::<$S, $r, $nv, $w>(simd(), c) }
            }
            $(#[$feature])?
            unsafe fn column_across(c: &Column<T>) {
                // SAFETY: the caller keeps `across`' promise.
                unsafe { fold::across(simd(), c) }
            }
            $(#[$feature])?
            unsafe fn column_scattered(c: &Column<T>) {
                // SAFETY: the caller keeps `scattered`'s promise.
                unsafe { fold::scattered::<$S, $nv, $w>(simd(), c) }
            }
            $(#[$feature])?
            unsafe fn both_parts(x: &Pairs<T>) {
                // SAFETY: the caller keeps `pairs`' promise.
                unsafe { pairs::pairs::<$S, $nv, $pw>(simd(), x) }
            }
            $(#[$feature])?
            unsafe fn small(x: &Small<T>) {
                // SAFETY: the caller keeps `small`'s promise.
                unsafe { small::small(simd(), x) }
            }

            pub(super) static KERNEL: Kernel<T> = Kernel {
                mr: $mr,
                unit: &[entry::<1, 1, true, PACKED>, $(entry::<$rows, $pieces, true, PACKED>),*],
                packed: &[entry::<1, 1, false, PACKED>, $(entry::<$rows, $pieces, false, PACKED>),*],
                place: &[in_place::<1, 1, 1>, $(in_place::<$rows, $pieces, $wide>),*],
                keep: &[entry::<1, 1, false, KEEP>, $(entry::<$rows, $pieces, false, KEEP>),*],
                strip,
                panels,
                row_packed,
                row_place,
                narrow: [few::<1>, few::<1>, few::<2>, few::<3>, few::<4>],
                column,
                column_across,
                column_scattered,
                pairs: both_parts,
                small,
            };
        }
    };
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::*;
    use freelane_simd::{F32x8, F32x16, F64x4, F64x8};

    kernel!(f32x16, F32x16, #[target_feature(enable = "avx512f,avx512vl,avx512dq,fma")], mr 12, row 4 x 2, fold 2 x 4 / 4, pairs 4,
        tiles [(1, 2, 8), (2, 2, 8), (3, 2, 6), (4, 2, 6), (5, 2, 4), (6, 2, 4), (7, 2, 2), (8, 2, 2), (9, 2, 2), (10, 2, 2), (11, 2, 2), (12, 2, 2)]);
    kernel!(f64x8, F64x8, #[target_feature(enable = "avx512f,avx512vl,avx512dq,fma")], mr 12, row 4 x 2, fold 2 x 8 / 8, pairs 8,
        tiles [(1, 2, 8), (2, 2, 8), (3, 2, 6), (4, 2, 6), (5, 2, 4), (6, 2, 4), (7, 2, 2), (8, 2, 2), (9, 2, 2), (10, 2, 2), (11, 2, 2), (12, 2, 2)]);
    kernel!(f32x8, F32x8, #[target_feature(enable = "avx2,fma")], mr 6, row 2 x 4, fold 1 x 8 / 8, pairs 4,
        tiles [(1, 4, 8), (2, 4, 4), (3, 4, 4), (4, 2, 2), (5, 2, 2), (6, 2, 2)]);
    kernel!(f64x4, F64x4, #[target_feature(enable = "avx2,fma")], mr 6, row 2 x 4, fold 1 x 16 / 8, pairs 4,
        tiles [(1, 4, 8), (2, 4, 4), (3, 4, 4), (4, 2, 2), (5, 2, 2), (6, 2, 2)]);

    pub(super) fn f32(isa: Isa) -> &'static Kernel<f32> {
        if isa == Isa::Avx512 { &f32x16::KERNEL } else { &f32x8::KERNEL }
    }
    pub(super) fn f64(isa: Isa) -> &'static Kernel<f64> {
        if isa == Isa::Avx512 { &f64x8::KERNEL } else { &f64x4::KERNEL }
    }
}

kernel!(plain_f32, Plain<f32>, , mr 4, row 1 x 8, fold 1 x 16 / 4, pairs 4, tiles [(1, 2, 2), (2, 2, 2), (3, 2, 2), (4, 2, 2)]);
kernel!(plain_f64, Plain<f64>, , mr 4, row 1 x 4, fold 1 x 16 / 4, pairs 4, tiles [(1, 1, 1), (2, 1, 1), (3, 1, 1), (4, 1, 1)]);

/// Whether this CPU can run what is compiled for `isa`. The one in use is known to run, so it is not asked about again.
pub(super) fn runs(isa: Isa) -> bool {
    isa == Isa::current() || isa.is_supported()
}

impl Fused for f32 {
    const PANEL: usize = 32;
    fn kernel(isa: Isa) -> &'static Kernel<f32> {
        #[cfg(target_arch = "x86_64")]
        if matches!(isa, Isa::Avx2 | Isa::Avx512) && runs(isa) {
            return x86::f32(isa);
        }
        &plain_f32::KERNEL
    }
}

impl Fused for f64 {
    const PANEL: usize = 16;
    fn kernel(isa: Isa) -> &'static Kernel<f64> {
        #[cfg(target_arch = "x86_64")]
        if matches!(isa, Isa::Avx2 | Isa::Avx512) && runs(isa) {
            return x86::f64(isa);
        }
        &plain_f64::KERNEL
    }
}
