//! Eight `i32` and four `i64`. Without instructions that pack lanes by a mask, a table says which lane goes where.
use super::{Lanes, partners, upper};
use crate::vector::transpose;
use core::arch::x86_64::*;

/// For each mask of eight lanes their numbers, one a byte, the set ones first.
static PACKED: [u64; 256] = {
    let mut table = [0; 256];
    let mut mask = 0;
    while mask < 256 {
        table[mask] = packed(mask as u32, 1);
        mask += 1;
    }
    table
};

/// The same for four lanes of 64 bits, as pairs of 32-bit lanes.
static PACKED_PAIRS: [u64; 16] = {
    let mut table = [0; 16];
    let mut mask = 0;
    while mask < 16 {
        table[mask] = packed(mask as u32, 2);
        mask += 1;
    }
    table
};

/// Numbers of 32-bit lanes, one a byte, of the lanes of `words` words that a mask selects.
const fn packed(mask: u32, words: u32) -> u64 {
    let (mut lanes, mut at, mut i) = (0u64, 0, 0);
    while i < 8 {
        if mask >> (i / words) & 1 == 1 {
            lanes |= (i as u64) << (8 * at);
            at += 1;
        }
        i += 1;
    }
    lanes
}

/// 32-bit lanes from a table's entry.
#[inline]
#[target_feature(enable = "avx2")]
fn numbers(bytes: u64) -> __m256i {
    _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(bytes as i64))
}

/// Bytes of ones in 32-bit lanes where bits of the mask are set.
const fn lanes_of(mask: u32, words: usize) -> [i32; 8] {
    let mut lanes = [0; 8];
    let mut i = 0;
    while i < 8 {
        lanes[i] = if mask >> (i / words) & 1 == 1 { -1 } else { 0 };
        i += 1;
    }
    lanes
}

/// For an exchange, the 32-bit lane that comes to each place, lanes having `words` of them.
const fn partner_words(x: usize, words: usize) -> [i32; 8] {
    let wide = partners::<8>(x * words);
    let mut lanes = [0; 8];
    let mut i = 0;
    while i < 8 {
        lanes[i] = wide[i] as i32;
        i += 1;
    }
    lanes
}

/// The first `n` lanes, of `words` 32-bit lanes each.
#[inline]
#[target_feature(enable = "avx2")]
fn first(n: usize, words: i32) -> __m256i {
    let all = _mm256_set1_epi32(n as i32 * words);
    _mm256_cmpgt_epi32(all, _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7))
}

#[inline]
#[target_feature(enable = "avx2")]
fn min_64(a: __m256i, b: __m256i) -> __m256i {
    _mm256_blendv_epi8(a, b, _mm256_cmpgt_epi64(a, b))
}

#[inline]
#[target_feature(enable = "avx2")]
fn max_64(a: __m256i, b: __m256i) -> __m256i {
    _mm256_blendv_epi8(b, a, _mm256_cmpgt_epi64(a, b))
}

#[inline]
#[target_feature(enable = "avx2")]
fn less_32(a: __m256i, b: __m256i) -> u32 {
    _mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpgt_epi32(b, a))) as u32
}

#[inline]
#[target_feature(enable = "avx2")]
fn less_64(a: __m256i, b: __m256i) -> u32 {
    _mm256_movemask_pd(_mm256_castsi256_pd(_mm256_cmpgt_epi64(b, a))) as u32
}

macro_rules! lanes {
    ($name:ident, $doc:literal, $t:ty, $l:literal, $words:literal, $table:ident, $splat:ident, $min:ident, $max:ident,
     $less:ident, $load_first:ident, $store_first:ident, $turn:ident) => {
        #[doc = $doc]
        #[derive(Clone, Copy)]
        pub struct $name(());

        impl Lanes for $name {
            type T = $t;
            type V = __m256i;
            const L: usize = $l;
            const MAX: $t = <$t>::MAX;

            #[inline(always)]
            unsafe fn assume() -> Self {
                $name(())
            }
            #[inline(always)]
            fn splat(self, x: $t) -> __m256i {
                // SAFETY: `self` proves that the instructions exist.
                unsafe { $splat(x) }
            }
            #[inline(always)]
            fn min(self, a: __m256i, b: __m256i) -> __m256i {
                // SAFETY: `self` proves that the instructions exist.
                unsafe { $min(a, b) }
            }
            #[inline(always)]
            fn max(self, a: __m256i, b: __m256i) -> __m256i {
                // SAFETY: `self` proves that the instructions exist.
                unsafe { $max(a, b) }
            }
            #[inline(always)]
            fn reverse(self, v: __m256i) -> __m256i {
                let words = &const { partner_words($l - 1, $words) };
                // SAFETY: `self` proves that the instructions exist, and the table has eight lanes.
                unsafe { _mm256_permutevar8x32_epi32(v, _mm256_loadu_si256(words.as_ptr().cast())) }
            }
            #[inline(always)]
            fn exchange<const X: usize>(self, v: __m256i) -> __m256i {
                let words = &const { partner_words(X & ($l - 1), $words) };
                let upper = &const { lanes_of(upper($l, X), $words) };
                // SAFETY: `self` proves that the instructions exist, and the table has eight lanes.
                let other = unsafe { _mm256_permutevar8x32_epi32(v, _mm256_loadu_si256(words.as_ptr().cast())) };
                // SAFETY: as above.
                let upper = unsafe { _mm256_loadu_si256(upper.as_ptr().cast()) };
                // SAFETY: `self` proves that the instructions exist.
                unsafe { _mm256_blendv_epi8($min(v, other), $max(v, other), upper) }
            }
            #[inline(always)]
            fn transpose(self, rows: &mut [__m256i]) {
                let rows = rows.first_chunk_mut::<$l>().expect("as many registers as one has lanes");
                // SAFETY: `self` proves that the instructions exist, and registers of floats hold any bits.
                unsafe { transpose::$turn(&mut *core::ptr::from_mut(rows).cast()) }
            }
            #[inline(always)]
            fn less(self, a: __m256i, b: __m256i) -> u32 {
                // SAFETY: `self` proves that the instructions exist.
                unsafe { $less(a, b) }
            }
            #[inline(always)]
            fn compress(self, v: __m256i, mask: u32) -> __m256i {
                let lanes = $table[mask as usize & ($table.len() - 1)];
                // SAFETY: `self` proves that the instructions exist.
                unsafe { _mm256_permutevar8x32_epi32(v, numbers(lanes)) }
            }
            #[inline(always)]
            unsafe fn load(self, p: *const $t) -> __m256i {
                // SAFETY: the caller vouches for L elements.
                unsafe { _mm256_loadu_si256(p.cast()) }
            }
            #[inline(always)]
            unsafe fn load_first(self, p: *const $t, n: usize, rest: __m256i) -> __m256i {
                // SAFETY: `self` proves that the instructions exist.
                let mask = unsafe { first(n, $words) };
                // SAFETY: the caller vouches for n elements; lanes that are not selected are not touched.
                unsafe { _mm256_blendv_epi8(rest, $load_first(p, mask), mask) }
            }
            #[inline(always)]
            unsafe fn store(self, p: *mut $t, v: __m256i) {
                // SAFETY: the caller vouches for L elements.
                unsafe { _mm256_storeu_si256(p.cast(), v) }
            }
            #[inline(always)]
            unsafe fn store_first(self, p: *mut $t, v: __m256i, n: usize) {
                // SAFETY: the caller vouches for n elements; lanes that are not selected are not touched.
                unsafe { $store_first(p, first(n, $words), v) }
            }
        }
    };
}

lanes!(
    I32x8,
    "Eight `i32` (AVX2).",
    i32,
    8,
    1,
    PACKED,
    _mm256_set1_epi32,
    _mm256_min_epi32,
    _mm256_max_epi32,
    less_32,
    _mm256_maskload_epi32,
    _mm256_maskstore_epi32,
    f32x8
);
lanes!(
    I64x4,
    "Four `i64` (AVX2).",
    i64,
    4,
    2,
    PACKED_PAIRS,
    _mm256_set1_epi64x,
    min_64,
    max_64,
    less_64,
    _mm256_maskload_epi64,
    _mm256_maskstore_epi64,
    f64x4
);
