//! Loops over vectors of keys, compiled for each instruction set; plain ones elsewhere.
use super::columns::{self, COLUMNS};
use freelane_simd::Isa;

/// A key that is sorted in vectors: `i32` or `i64`.
pub trait SortKey: Copy + Ord + Default + Send + Sync + 'static {
    /// Sorts the keys. `aside` has room for as many.
    fn sort(isa: Isa, keys: &mut [Self], aside: &mut [Self]);
    /// Sorts rows of `n` keys each; `aside` has room for one.
    fn sort_rows(isa: Isa, keys: &mut [Self], n: usize, aside: &mut [Self]);
    /// Sorts each column.
    fn sort_columns(isa: Isa, rows: &mut [[Self; COLUMNS]]);
    /// Moves keys less than the pivot to the front, in order, the others behind them, in order; returns how many are less.
    /// `aside` has room for as many as there are.
    fn part(isa: Isa, keys: &mut [Self], aside: &mut [Self], pivot: Self) -> usize;
    /// Brings the key that is `k`th in order to place `k`, no larger ones before it, no smaller ones behind it. `aside` has
    /// room for as many as there are.
    fn select(isa: Isa, keys: &mut [Self], aside: &mut [Self], k: usize);
}

#[cfg(target_arch = "x86_64")]
macro_rules! entries {
    ($isa:ident, $features:literal, $S:ty, $K:ty) => {
        pub mod $isa {
            use crate::sort::columns::{self, COLUMNS};
            use crate::sort::{quick, rows};
            use freelane_simd::Lanes;
            #[target_feature(enable = $features)]
            pub fn sort(keys: &mut [$K], aside: &mut [$K]) {
                // SAFETY: this function is called where the CPU has the instructions.
                quick::sort(unsafe { <$S>::assume() }, keys, aside);
            }
            #[target_feature(enable = $features)]
            pub fn sort_rows(keys: &mut [$K], n: usize, aside: &mut [$K]) {
                // SAFETY: this function is called where the CPU has the instructions.
                let s = unsafe { <$S>::assume() };
                if n <= rows::SHORT {
                    return rows::sort(s, keys, n);
                }
                for row in keys.chunks_mut(n) {
                    quick::sort(s, row, aside);
                }
            }
            #[target_feature(enable = $features)]
            pub fn sort_columns(rows: &mut [[$K; COLUMNS]]) {
                // SAFETY: this function is called where the CPU has the instructions.
                columns::sort(unsafe { <$S>::assume() }, rows);
            }
            #[target_feature(enable = $features)]
            pub fn part(keys: &mut [$K], aside: &mut [$K], pivot: $K) -> usize {
                // SAFETY: this function is called where the CPU has the instructions.
                quick::part::<$S, false>(unsafe { <$S>::assume() }, keys, aside, pivot)
            }
            #[target_feature(enable = $features)]
            pub fn select(keys: &mut [$K], aside: &mut [$K], k: usize) {
                // SAFETY: this function is called where the CPU has the instructions.
                quick::select(unsafe { <$S>::assume() }, keys, aside, k);
            }
        }
    };
}

macro_rules! sort_key {
    ($K:ty, $module:ident, $wide:ident, $narrow:ident) => {
        #[cfg(target_arch = "x86_64")]
        mod $module {
            entries!(
                avx512,
                "avx512f,avx512dq,avx512vl,avx512bw,avx512cd,avx2,bmi1,bmi2,lzcnt,popcnt",
                freelane_simd::$wide,
                $K
            );
            entries!(avx2, "avx2,bmi1,bmi2,lzcnt,popcnt", freelane_simd::$narrow, $K);
        }

        impl SortKey for $K {
            fn sort(isa: Isa, keys: &mut [$K], aside: &mut [$K]) {
                match isa {
                    // SAFETY: the CPU has the instructions, as just asked.
                    #[cfg(target_arch = "x86_64")]
                    Isa::Avx512 if isa.is_supported() => unsafe { $module::avx512::sort(keys, aside) },
                    // SAFETY: as above.
                    #[cfg(target_arch = "x86_64")]
                    Isa::Avx2 if isa.is_supported() => unsafe { $module::avx2::sort(keys, aside) },
                    _ => keys.sort_unstable(),
                }
            }

            fn sort_rows(isa: Isa, keys: &mut [$K], n: usize, aside: &mut [$K]) {
                match isa {
                    // SAFETY: the CPU has the instructions, as just asked.
                    #[cfg(target_arch = "x86_64")]
                    Isa::Avx512 if isa.is_supported() => unsafe { $module::avx512::sort_rows(keys, n, aside) },
                    // SAFETY: as above.
                    #[cfg(target_arch = "x86_64")]
                    Isa::Avx2 if isa.is_supported() => unsafe { $module::avx2::sort_rows(keys, n, aside) },
                    _ => keys.chunks_mut(n.max(1)).for_each(<[$K]>::sort_unstable),
                }
            }

            fn sort_columns(isa: Isa, rows: &mut [[$K; COLUMNS]]) {
                match isa {
                    // SAFETY: the CPU has the instructions, as just asked.
                    #[cfg(target_arch = "x86_64")]
                    Isa::Avx512 if isa.is_supported() => unsafe { $module::avx512::sort_columns(rows) },
                    // SAFETY: as above.
                    #[cfg(target_arch = "x86_64")]
                    Isa::Avx2 if isa.is_supported() => unsafe { $module::avx2::sort_columns(rows) },
                    _ => columns::sort_plain(rows),
                }
            }

            fn part(isa: Isa, keys: &mut [$K], aside: &mut [$K], pivot: $K) -> usize {
                match isa {
                    // SAFETY: the CPU has the instructions, as just asked.
                    #[cfg(target_arch = "x86_64")]
                    Isa::Avx512 if isa.is_supported() => unsafe { $module::avx512::part(keys, aside, pivot) },
                    // SAFETY: as above.
                    #[cfg(target_arch = "x86_64")]
                    Isa::Avx2 if isa.is_supported() => unsafe { $module::avx2::part(keys, aside, pivot) },
                    _ => part(keys, aside, pivot),
                }
            }

            fn select(isa: Isa, keys: &mut [$K], aside: &mut [$K], k: usize) {
                match isa {
                    // SAFETY: the CPU has the instructions, as just asked.
                    #[cfg(target_arch = "x86_64")]
                    Isa::Avx512 if isa.is_supported() => unsafe { $module::avx512::select(keys, aside, k) },
                    // SAFETY: as above.
                    #[cfg(target_arch = "x86_64")]
                    Isa::Avx2 if isa.is_supported() => unsafe { $module::avx2::select(keys, aside, k) },
                    _ => drop(keys.select_nth_unstable(k)),
                }
            }
        }
    };
}
sort_key!(i32, keys_32, I32x16, I32x8);
sort_key!(i64, keys_64, I64x8, I64x4);

/// A partition without vectors.
fn part<K: Copy + Ord>(keys: &mut [K], aside: &mut [K], pivot: K) -> usize {
    let (mut kept, mut rest) = (0, 0);
    for i in 0..keys.len() {
        let k = keys[i];
        (keys[kept], aside[rest]) = (k, k);
        let less = usize::from(k < pivot);
        (kept, rest) = (kept + less, rest + 1 - less);
    }
    keys[kept..].copy_from_slice(&aside[..rest]);
    kept
}
