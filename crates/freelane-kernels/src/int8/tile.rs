//! The inner loop: few rows of words times panels of 32 columns, and the kernels compiled from it.
use freelane_simd::{Dots, Isa, PlainDots};

/// Columns of a panel.
pub const PANEL: usize = 32;
/// Most rows of a tile.
pub const ROWS: usize = 12;

/// Sums of a tile.
pub type Sums = [[i32; PANEL]; ROWS];

/// One tile: words of A, a panel of words of B.
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

/// `MR` rows times a panel, `NV` registers of it at a time. Each register of sums is `U` registers until the end, so that a
/// single row need not wait for them; sums are exact, so their order does not matter.
///
/// # Safety
/// The rows and the panel are readable.
#[inline(always)]
unsafe fn tile<D: Dots, const MR: usize, const U: usize, const NV: usize>(d: D, t: &Tile, sums: &mut Sums) {
    let mut part = 0;
    while part < PANEL {
        let mut acc = [[[d.zero(); NV]; MR]; U];
        let mut at = (t.a, t.b.wrapping_add(part));
        let mut left = t.words;
        while left >= U {
            for acc in &mut acc {
                // SAFETY: a word of the rows and of the panel.
                at = unsafe { word(d, t.a_rs, at, acc) };
            }
            left -= U;
        }
        while left > 0 {
            // SAFETY: as above.
            at = unsafe { word(d, t.a_rs, at, &mut acc[0]) };
            left -= 1;
        }
        for i in 0..MR {
            for v in 0..NV {
                let sum = (1..U).fold(acc[0][i][v], |sum, u| d.add(sum, acc[u][i][v]));
                let to = sums[i][part + v * D::L..][..D::L].as_mut_ptr();
                // SAFETY: L words, as just sliced.
                unsafe { d.store(to, sum) };
            }
        }
        part += NV * D::L;
    }
}

/// Adds the products of one word of every row, and returns where the next ones are.
///
/// # Safety
/// The word is readable in every row, and so are the registers of the panel.
#[inline(always)]
unsafe fn word<D: Dots, const MR: usize, const NV: usize>(
    d: D,
    a_rs: isize,
    (a, b): (*const u8, *const i32),
    acc: &mut [[D::V; NV]; MR],
) -> (*const u8, *const i32) {
    let mut right = [d.zero(); NV];
    for v in 0..NV {
        // SAFETY: the caller vouches for the panel.
        right[v] = unsafe { d.load(b.wrapping_add(v * D::L)) };
    }
    for i in 0..MR {
        // SAFETY: the caller vouches for the rows.
        let left = d.splat(unsafe { a.wrapping_offset(i as isize * a_rs).cast::<i32>().read_unaligned() });
        for v in 0..NV {
            acc[i][v] = d.dot(acc[i][v], left, right[v]);
        }
    }
    (a.wrapping_add(4), b.wrapping_add(PANEL))
}

macro_rules! kernel {
    ($mod:ident, $D:ty, $(#[$feature:meta])?, row $u:literal, tiles [$first:literal $(, ($rows:literal, $nv:literal))*]) => {
        mod $mod {
            use super::*;

            $(#[$feature])?
            unsafe fn entry<const MR: usize, const U: usize, const NV: usize>(t: &Tile, sums: &mut Sums) {
                // SAFETY: `Kernel::of` hands this out only where the CPU has the instructions; the caller keeps `tile`'s promise.
                unsafe { tile::<$D, MR, U, NV>(<$D>::assume(), t, sums) }
            }

            pub(super) static KERNEL: Kernel = Kernel {
                depth: <$D as Dots>::DEPTH,
                tiles: &[entry::<1, $u, $first>, entry::<1, $u, $first>, $(entry::<$rows, 1, $nv>),*],
            };
        }
    };
}
#[cfg(target_arch = "x86_64")]
kernel!(vnni, freelane_simd::Vnni16, #[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512vnni")], row 4,
    tiles [2, (2, 2), (3, 2), (4, 2), (5, 2), (6, 2), (7, 2), (8, 2), (9, 2), (10, 2), (11, 2), (12, 2)]);
#[cfg(target_arch = "x86_64")]
kernel!(pairs16, freelane_simd::Pairs16, #[target_feature(enable = "avx512f,avx512vl,avx512bw")], row 4,
    tiles [2, (2, 2), (3, 2), (4, 2), (5, 2), (6, 2), (7, 2), (8, 2), (9, 2), (10, 2), (11, 2), (12, 2)]);
#[cfg(target_arch = "x86_64")]
kernel!(pairs8, freelane_simd::Pairs8, #[target_feature(enable = "avx2")], row 2,
    tiles [4, (2, 4), (3, 4), (4, 2), (5, 2), (6, 2)]);
kernel!(plain, PlainDots, , row 1, tiles [1, (2, 1), (3, 1), (4, 1)]);
