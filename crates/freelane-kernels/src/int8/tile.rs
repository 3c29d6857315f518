//! The inner loop: few rows of words times panels of 32 columns, and the kernels compiled from it.
use freelane_simd::{Dots, Isa, PlainDots};

/// Columns of a panel.
pub const PANEL: usize = 32;
/// Most rows of a tile, panels of a tile included.
pub const ROWS: usize = 12;

/// Sums of a tile: row `panel * rows + i`.
pub type Sums = [[i32; PANEL]; ROWS];

/// One tile: words of A, panels of words of B.
#[derive(Clone, Copy)]
pub struct Tile {
    /// Words along the sum.
    pub words: usize,
    pub a: *const u8,
    /// Bytes from row to row.
    pub a_rs: isize,
    pub b: *const i32,
}

type TileFn = unsafe fn(&Tile, &mut Sums);

/// The kernels of one instruction set.
#[derive(Debug)]
pub struct Kernel {
    /// Products in a word: 4 bytes or 2 integers of 16 bits.
    pub depth: usize,
    /// By rows; entry 0 is unused.
    tiles: &'static [TileFn],
    /// One row times so many panels.
    pub wide: usize,
    row: TileFn,
}

impl Kernel {
    /// Most rows of a tile.
    pub fn rows(&self) -> usize {
        self.tiles.len() - 1
    }

    /// One panel.
    ///
    /// # Safety
    /// `rows` rows of A and a panel of B are readable.
    pub unsafe fn tile(&self, rows: usize, tile: &Tile, sums: &mut Sums) {
        // SAFETY: the caller's promise; a kernel is handed out only where the CPU has its instructions.
        unsafe { self.tiles[rows](tile, sums) };
    }

    /// One row times [`Self::wide`] panels.
    ///
    /// # Safety
    /// A row of A and the panels of B are readable.
    pub unsafe fn row(&self, tile: &Tile, sums: &mut Sums) {
        // SAFETY: the caller's promise; a kernel is handed out only where the CPU has its instructions.
        unsafe { (self.row)(tile, sums) };
    }

    /// The kernels for `isa`; plain ones where this CPU cannot run them.
    pub fn of(isa: Isa) -> &'static Kernel {
        #[cfg(target_arch = "x86_64")]
        match isa {
            Isa::Avx512 if freelane_simd::has_vnni() => return &vnni::KERNEL,
            Isa::Avx512 if isa.is_supported() => return &pairs16::KERNEL,
            Isa::Avx2 if isa.is_supported() => return &pairs8::KERNEL,
            _ => {}
        }
        let _ = isa;
        &plain::KERNEL
    }

    /// Every kernel that this CPU runs.
    #[cfg(test)]
    pub fn all() -> impl Iterator<Item = &'static Kernel> {
        let chosen = Isa::available().iter().map(|&isa| Kernel::of(isa));
        #[cfg(target_arch = "x86_64")]
        let chosen = chosen.chain(Isa::Avx512.is_supported().then_some(&pairs16::KERNEL));
        chosen
    }
}

/// `MR` rows times `NP` panels, `NV` registers of each panel at a time.
///
/// # Safety
/// The rows and panels are readable.
#[inline(always)]
unsafe fn tile<D: Dots, const MR: usize, const NP: usize, const NV: usize>(d: D, t: &Tile, sums: &mut Sums) {
    let mut part = 0;
    while part < PANEL {
        let mut acc = [[[d.zero(); NV]; NP]; MR];
        let (mut a, mut b) = (t.a, t.b.wrapping_add(part));
        for _ in 0..t.words {
            let mut right = [[d.zero(); NV]; NP];
            for p in 0..NP {
                for v in 0..NV {
                    // SAFETY: the caller vouches for the panels.
                    right[p][v] = unsafe { d.load(b.wrapping_add(p * t.words * PANEL + v * D::L)) };
                }
            }
            for i in 0..MR {
                // SAFETY: the caller vouches for the rows.
                let word = unsafe { a.wrapping_offset(i as isize * t.a_rs).cast::<i32>().read_unaligned() };
                let left = d.splat(word);
                for p in 0..NP {
                    for v in 0..NV {
                        acc[i][p][v] = d.dot(acc[i][p][v], left, right[p][v]);
                    }
                }
            }
            a = a.wrapping_add(4);
            b = b.wrapping_add(PANEL);
        }
        for i in 0..MR {
            for p in 0..NP {
                for v in 0..NV {
                    let to = sums[p * MR + i][part + v * D::L..][..D::L].as_mut_ptr();
                    // SAFETY: L words, as just sliced.
                    unsafe { d.store(to, acc[i][p][v]) };
                }
            }
        }
        part += NV * D::L;
    }
}

macro_rules! kernel {
    ($mod:ident, $D:ty, $(#[$feature:meta])?, row $wide:literal x $wv:literal, tiles [$(($rows:literal, $nv:literal)),*]) => {
        mod $mod {
            use super::*;

            $(#[$feature])?
            unsafe fn entry<const MR: usize, const NP: usize, const NV: usize>(t: &Tile, sums: &mut Sums) {
                // SAFETY: `Kernel::of` hands this out only where the CPU has the instructions; the caller keeps `tile`'s promise.
                unsafe { tile::<$D, MR, NP, NV>(<$D>::assume(), t, sums) }
            }

            pub(super) static KERNEL: Kernel = Kernel {
                depth: <$D as Dots>::DEPTH,
                tiles: &[entry::<1, 1, 1>, $(entry::<$rows, 1, $nv>),*],
                wide: $wide,
                row: entry::<1, $wide, $wv>,
            };
        }
    };
}
#[cfg(target_arch = "x86_64")]
kernel!(vnni, freelane_simd::Vnni16, #[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512vnni")], row 4 x 2,
    tiles [(1, 2), (2, 2), (3, 2), (4, 2), (5, 2), (6, 2), (7, 2), (8, 2), (9, 2), (10, 2), (11, 2), (12, 2)]);
#[cfg(target_arch = "x86_64")]
kernel!(pairs16, freelane_simd::Pairs16, #[target_feature(enable = "avx512f,avx512vl,avx512bw")], row 4 x 2,
    tiles [(1, 2), (2, 2), (3, 2), (4, 2), (5, 2), (6, 2), (7, 2), (8, 2), (9, 2), (10, 2), (11, 2), (12, 2)]);
#[cfg(target_arch = "x86_64")]
kernel!(pairs8, freelane_simd::Pairs8, #[target_feature(enable = "avx2")], row 2 x 4,
    tiles [(1, 4), (2, 4), (3, 4), (4, 2), (5, 2), (6, 2)]);
kernel!(plain, PlainDots, , row 1 x 1, tiles [(1, 1), (2, 1), (3, 1), (4, 1)]);
