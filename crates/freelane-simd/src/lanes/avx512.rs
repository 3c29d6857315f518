//! Sixteen `i32` and eight `i64`.
use super::{Lanes, partners, upper};
use crate::vector::transpose;
use core::arch::x86_64::*;

/// `i ^ x` at `i`, as 32-bit lanes.
const fn partners_32(x: usize) -> [i32; 16] {
    let wide = partners::<16>(x);
    let mut lanes = [0; 16];
    let mut i = 0;
    while i < 16 {
        lanes[i] = wide[i] as i32;
        i += 1;
    }
    lanes
}

macro_rules! lanes {
    ($name:ident, $doc:literal, $t:ty, $l:literal, $mask:ty, $partners:expr, $splat:ident, $min:ident, $max:ident,
     $mask_max:ident, $permute:ident, $less:ident, $compress:ident, $load:ident, $load_first:ident, $store:ident,
     $store_first:ident, $turn:ident) => {
        #[doc = $doc]
        #[derive(Clone, Copy)]
        pub struct $name(());

        impl Lanes for $name {
            type T = $t;
            type V = __m512i;
            const L: usize = $l;
            const MAX: $t = <$t>::MAX;

            #[inline(always)]
            unsafe fn assume() -> Self {
                $name(())
            }
            #[inline(always)]
            fn splat(self, x: $t) -> __m512i {
                // SAFETY: `self` proves that the instructions exist.
                unsafe { $splat(x) }
            }
            #[inline(always)]
            fn min(self, a: __m512i, b: __m512i) -> __m512i {
                // SAFETY: `self` proves that the instructions exist.
                unsafe { $min(a, b) }
            }
            #[inline(always)]
            fn max(self, a: __m512i, b: __m512i) -> __m512i {
                // SAFETY: `self` proves that the instructions exist.
                unsafe { $max(a, b) }
            }
            #[inline(always)]
            fn reverse(self, v: __m512i) -> __m512i {
                let lanes = &const { $partners($l - 1) };
                // SAFETY: `self` proves that the instructions exist, and the table has as many lanes.
                unsafe { $permute($load(lanes.as_ptr()), v) }
            }
            #[inline(always)]
            fn exchange<const X: usize>(self, v: __m512i) -> __m512i {
                let lanes = &const { $partners(X & ($l - 1)) };
                // SAFETY: `self` proves that the instructions exist, and the table has as many lanes.
                let other = unsafe { $permute($load(lanes.as_ptr()), v) };
                // SAFETY: as above.
                unsafe { $mask_max($min(v, other), const { upper($l, X) as $mask }, v, other) }
            }
            #[inline(always)]
            fn transpose(self, rows: &mut [__m512i]) {
                let rows = rows.first_chunk_mut::<$l>().expect("as many registers as one has lanes");
                // SAFETY: `self` proves that the instructions exist, and registers of floats hold any bits.
                unsafe { transpose::$turn(&mut *core::ptr::from_mut(rows).cast()) }
            }
            #[inline(always)]
            fn less(self, a: __m512i, b: __m512i) -> u32 {
                // SAFETY: `self` proves that the instructions exist.
                unsafe { $less(a, b) }.into()
            }
            #[inline(always)]
            fn compress(self, v: __m512i, mask: u32) -> __m512i {
                // SAFETY: `self` proves that the instructions exist.
                unsafe { $compress(mask as $mask, v) }
            }
            #[inline(always)]
            unsafe fn load(self, p: *const $t) -> __m512i {
                // SAFETY: the caller vouches for L elements.
                unsafe { $load(p) }
            }
            #[inline(always)]
            unsafe fn load_first(self, p: *const $t, n: usize, rest: __m512i) -> __m512i {
                // SAFETY: the caller vouches for n elements; lanes that are not selected are not touched.
                unsafe { $load_first(rest, ((1u32 << n) - 1) as $mask, p) }
            }
            #[inline(always)]
            unsafe fn store(self, p: *mut $t, v: __m512i) {
                // SAFETY: the caller vouches for L elements.
                unsafe { $store(p, v) }
            }
            #[inline(always)]
            unsafe fn store_first(self, p: *mut $t, v: __m512i, n: usize) {
                // SAFETY: the caller vouches for n elements; lanes that are not selected are not touched.
                unsafe { $store_first(p, ((1u32 << n) - 1) as $mask, v) }
            }
        }
    };
}

lanes!(
    I32x16,
    "Sixteen `i32` (AVX-512).",
    i32,
    16,
    u16,
    partners_32,
    _mm512_set1_epi32,
    _mm512_min_epi32,
    _mm512_max_epi32,
    _mm512_mask_max_epi32,
    _mm512_permutexvar_epi32,
    _mm512_cmplt_epi32_mask,
    _mm512_maskz_compress_epi32,
    _mm512_loadu_epi32,
    _mm512_mask_loadu_epi32,
    _mm512_storeu_epi32,
    _mm512_mask_storeu_epi32,
    f32x16
);
lanes!(
    I64x8,
    "Eight `i64` (AVX-512).",
    i64,
    8,
    u8,
    partners::<8>,
    _mm512_set1_epi64,
    _mm512_min_epi64,
    _mm512_max_epi64,
    _mm512_mask_max_epi64,
    _mm512_permutexvar_epi64,
    _mm512_cmplt_epi64_mask,
    _mm512_maskz_compress_epi64,
    _mm512_loadu_epi64,
    _mm512_mask_loadu_epi64,
    _mm512_storeu_epi64,
    _mm512_mask_storeu_epi64,
    f64x8
);
