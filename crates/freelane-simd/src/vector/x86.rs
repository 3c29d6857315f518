//! AVX2 and AVX-512.
use super::{Simd, evens, transpose};
use core::arch::x86_64::*;

/// Sixteen set lanes, then sixteen clear ones: a window that starts at `16 - n` selects the first n lanes.
static WINDOW: [i32; 32] = {
    let mut lanes = [0; 32];
    let mut i = 0;
    while i < 16 {
        lanes[i] = -1;
        i += 1;
    }
    lanes
};

/// The first `n <= 8` 32-bit lanes; twice as many select 64-bit lanes.
#[inline]
#[target_feature(enable = "avx2")]
fn first(n: usize) -> __m256i {
    debug_assert!(n <= 8);
    // SAFETY: `n <= 8`, so the eight lanes from 16 - n on lie in the window.
    unsafe { _mm256_loadu_si256(WINDOW.as_ptr().add(16 - n).cast()) }
}

/// # Safety
/// `p` is readable for four elements.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn widened_4(p: *const f32) -> __m256d {
    // SAFETY: the caller's promise.
    _mm256_cvtps_pd(unsafe { _mm_loadu_ps(p) })
}

/// # Safety
/// `p` is readable for eight elements.
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn widened_8(p: *const f32) -> __m512d {
    // SAFETY: the caller's promise.
    _mm512_cvtps_pd(unsafe { _mm256_loadu_ps(p) })
}

mod plain {
    //! Whether every lane is neither zero nor infinite nor NaN: what is neither is greater than 0 and less than infinity
    //! without its sign.
    use core::arch::x86_64::*;

    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) fn f32x8(x: __m256) -> bool {
        let size = _mm256_andnot_ps(_mm256_set1_ps(-0.0), x);
        let nonzero = _mm256_cmp_ps::<_CMP_GT_OQ>(size, _mm256_setzero_ps());
        let finite = _mm256_cmp_ps::<_CMP_LT_OQ>(size, _mm256_set1_ps(f32::INFINITY));
        _mm256_movemask_ps(_mm256_and_ps(nonzero, finite)) == 0xff
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) fn f64x4(x: __m256d) -> bool {
        let size = _mm256_andnot_pd(_mm256_set1_pd(-0.0), x);
        let nonzero = _mm256_cmp_pd::<_CMP_GT_OQ>(size, _mm256_setzero_pd());
        let finite = _mm256_cmp_pd::<_CMP_LT_OQ>(size, _mm256_set1_pd(f64::INFINITY));
        _mm256_movemask_pd(_mm256_and_pd(nonzero, finite)) == 0xf
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(super) fn f32x16(x: __m512) -> bool {
        let size = _mm512_abs_ps(x);
        let nonzero = _mm512_cmp_ps_mask::<_CMP_GT_OQ>(size, _mm512_setzero_ps());
        nonzero & _mm512_cmp_ps_mask::<_CMP_LT_OQ>(size, _mm512_set1_ps(f32::INFINITY)) == 0xffff
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(super) fn f64x8(x: __m512d) -> bool {
        let size = _mm512_abs_pd(x);
        let nonzero = _mm512_cmp_pd_mask::<_CMP_GT_OQ>(size, _mm512_setzero_pd());
        nonzero & _mm512_cmp_pd_mask::<_CMP_LT_OQ>(size, _mm512_set1_pd(f64::INFINITY)) == 0xff
    }
}

macro_rules! wide {
    ($name:ident, $doc:literal, $t:ty, $v:ty, $l:literal, $mask:ty,
     $zero:ident, $splat:ident, $fma:ident, $add:ident, $sub:ident, $mul:ident, $max:ident, $load:ident, $load_f32:ident, $store:ident, $load_first:ident, $store_first:ident, $turn:ident,
     |$y:ident| $swap:expr, $evens_twice:expr, $odds_twice:expr, $alternate:expr) => {
        simd!(
            $name,
            $doc,
            $t,
            $v,
            $l,
            $zero,
            $splat,
            $fma,
            $add,
            $sub,
            $mul,
            $max,
            $load,
            $load_f32,
            $store,
            $turn,
            |$y| $swap,
            $evens_twice,
            $odds_twice,
            $alternate,
            |p, n| $load_first(((1u32 << n) - 1) as $mask, p),
            |p, v, n| $store_first(p, ((1u32 << n) - 1) as $mask, v)
        );
    };
}

macro_rules! narrow {
    ($name:ident, $doc:literal, $t:ty, $v:ty, $l:literal,
     $zero:ident, $splat:ident, $fma:ident, $add:ident, $sub:ident, $mul:ident, $max:ident, $load:ident, $load_f32:ident, $store:ident, $load_first:ident, $store_first:ident, $turn:ident,
     |$y:ident| $swap:expr, $evens_twice:expr, $odds_twice:expr, $alternate:expr) => {
        simd!(
            $name,
            $doc,
            $t,
            $v,
            $l,
            $zero,
            $splat,
            $fma,
            $add,
            $sub,
            $mul,
            $max,
            $load,
            $load_f32,
            $store,
            $turn,
            |$y| $swap,
            $evens_twice,
            $odds_twice,
            $alternate,
            |p, n| $load_first(p, first(n * 8 / $l)),
            |p, v, n| $store_first(p, first(n * 8 / $l), v)
        );
    };
}

macro_rules! simd {
    ($name:ident, $doc:literal, $t:ty, $v:ty, $l:literal,
     $zero:ident, $splat:ident, $fma:ident, $add:ident, $sub:ident, $mul:ident, $max:ident, $load:ident, $load_f32:ident, $store:ident, $turn:ident,
     |$y:ident| $swap:expr, $evens_twice:expr, $odds_twice:expr, $alternate:expr, |$p:ident, $n:ident| $load_first:expr, |$q:ident, $x:ident, $m:ident| $store_first:expr) => {
        #[doc = $doc]
        #[derive(Clone, Copy)]
        pub struct $name(());

        impl Simd for $name {
            type T = $t;
            type V = $v;
            type Square = [$v; $l];
            const L: usize = $l;

            #[inline(always)]
            unsafe fn assume() -> Self {
                $name(())
            }
            #[inline(always)]
            fn zero(self) -> $v {
                // SAFETY: `self` proves that the instructions exist.
                unsafe { $zero() }
            }
            #[inline(always)]
            fn splat(self, x: $t) -> $v {
                // SAFETY: `self` proves that the instructions exist.
                unsafe { $splat(x) }
            }
            #[inline(always)]
            fn fma(self, a: $v, b: $v, c: $v) -> $v {
                // SAFETY: `self` proves that the instructions exist.
                unsafe { $fma(a, b, c) }
            }
            #[inline(always)]
            fn add(self, a: $v, b: $v) -> $v {
                // SAFETY: `self` proves that the instructions exist.
                unsafe { $add(a, b) }
            }
            #[inline(always)]
            fn sub(self, a: $v, b: $v) -> $v {
                // SAFETY: `self` proves that the instructions exist.
                unsafe { $sub(a, b) }
            }
            #[inline(always)]
            fn mul(self, a: $v, b: $v) -> $v {
                // SAFETY: `self` proves that the instructions exist.
                unsafe { $mul(a, b) }
            }
            #[inline(always)]
            fn relu(self, x: $v) -> $v {
                // The second operand is the result when one is NaN or both are zero.
                // SAFETY: `self` proves that the instructions exist.
                unsafe { $max($zero(), x) }
            }
            #[inline(always)]
            fn swap(self, $y: $v) -> $v {
                // SAFETY: `self` proves that the instructions exist.
                unsafe { $swap }
            }
            #[inline(always)]
            fn evens_twice(self, $y: $v) -> $v {
                // SAFETY: `self` proves that the instructions exist.
                unsafe { $evens_twice }
            }
            #[inline(always)]
            fn odds_twice(self, $y: $v) -> $v {
                // SAFETY: `self` proves that the instructions exist.
                unsafe { $odds_twice }
            }
            #[inline(always)]
            fn alternate(self, $y: $v) -> $v {
                // SAFETY: `self` proves that the instructions exist.
                unsafe { $alternate }
            }
            #[inline(always)]
            fn both_evens(self, x: $v, y: $v) -> $v {
                // SAFETY: `self` proves that the instructions exist.
                unsafe { evens::both::$turn(x, y) }
            }
            #[inline(always)]
            fn both_odds(self, x: $v, y: $v) -> $v {
                // SAFETY: `self` proves that the instructions exist.
                unsafe { evens::both_odd::$turn(x, y) }
            }
            #[inline(always)]
            fn evens(self, x: $v, y: $v) -> $v {
                // SAFETY: `self` proves that the instructions exist.
                unsafe { evens::$turn(x, y) }
            }
            #[inline(always)]
            fn even_pairs(self, x: $v, y: $v) -> $v {
                // SAFETY: `self` proves that the instructions exist.
                unsafe { evens::pairs::$turn(x, y) }
            }
            #[inline(always)]
            fn all_plain(self, x: $v) -> bool {
                // SAFETY: `self` proves that the instructions exist.
                unsafe { plain::$turn(x) }
            }
            #[inline(always)]
            fn square(self) -> [$v; $l] {
                [self.zero(); $l]
            }
            #[inline(always)]
            fn transpose(self, rows: &mut [$v; $l]) {
                // SAFETY: `self` proves that the instructions exist.
                unsafe { transpose::$turn(rows) }
            }
            #[inline(always)]
            fn prefetch(self, p: *const $t) {
                // SAFETY: a prefetch touches no memory that the program can see.
                unsafe { _mm_prefetch::<_MM_HINT_T0>(p.cast()) }
            }
            #[inline(always)]
            unsafe fn load(self, p: *const $t) -> $v {
                // SAFETY: the caller vouches for L elements.
                unsafe { $load(p) }
            }
            #[inline(always)]
            unsafe fn load_f32(self, p: *const f32) -> $v {
                // SAFETY: the caller vouches for L elements.
                unsafe { $load_f32(p) }
            }
            #[inline(always)]
            unsafe fn load_first(self, $p: *const $t, $n: usize) -> $v {
                // SAFETY: the caller vouches for n elements; lanes that are not selected are not touched.
                unsafe { $load_first }
            }
            #[inline(always)]
            unsafe fn store(self, p: *mut $t, v: $v) {
                // SAFETY: the caller vouches for L elements.
                unsafe { $store(p, v) }
            }
            #[inline(always)]
            unsafe fn store_first(self, $q: *mut $t, $x: $v, $m: usize) {
                // SAFETY: the caller vouches for n elements; lanes that are not selected are not touched.
                unsafe { $store_first }
            }
        }
    };
}

wide!(
    F32x16,
    "Sixteen `f32` (AVX-512).",
    f32,
    __m512,
    16,
    u16,
    _mm512_setzero_ps,
    _mm512_set1_ps,
    _mm512_fmadd_ps,
    _mm512_add_ps,
    _mm512_sub_ps,
    _mm512_mul_ps,
    _mm512_max_ps,
    _mm512_loadu_ps,
    _mm512_loadu_ps,
    _mm512_storeu_ps,
    _mm512_maskz_loadu_ps,
    _mm512_mask_storeu_ps,
    f32x16,
    |x| _mm512_permute_ps::<0xb1>(x),
    _mm512_moveldup_ps(x),
    _mm512_movehdup_ps(x),
    _mm512_xor_ps(x, _mm512_castsi512_ps(_mm512_set1_epi64(i64::MIN)))
);
wide!(
    F64x8,
    "Eight `f64` (AVX-512).",
    f64,
    __m512d,
    8,
    u8,
    _mm512_setzero_pd,
    _mm512_set1_pd,
    _mm512_fmadd_pd,
    _mm512_add_pd,
    _mm512_sub_pd,
    _mm512_mul_pd,
    _mm512_max_pd,
    _mm512_loadu_pd,
    widened_8,
    _mm512_storeu_pd,
    _mm512_maskz_loadu_pd,
    _mm512_mask_storeu_pd,
    f64x8,
    |x| _mm512_permute_pd::<0x55>(x),
    _mm512_movedup_pd(x),
    _mm512_permute_pd::<0xff>(x),
    _mm512_xor_pd(x, _mm512_castsi512_pd(_mm512_set4_epi64(i64::MIN, 0, i64::MIN, 0)))
);
narrow!(
    F32x8,
    "Eight `f32` (AVX2 and FMA).",
    f32,
    __m256,
    8,
    _mm256_setzero_ps,
    _mm256_set1_ps,
    _mm256_fmadd_ps,
    _mm256_add_ps,
    _mm256_sub_ps,
    _mm256_mul_ps,
    _mm256_max_ps,
    _mm256_loadu_ps,
    _mm256_loadu_ps,
    _mm256_storeu_ps,
    _mm256_maskload_ps,
    _mm256_maskstore_ps,
    f32x8,
    |x| _mm256_permute_ps::<0xb1>(x),
    _mm256_moveldup_ps(x),
    _mm256_movehdup_ps(x),
    _mm256_xor_ps(x, _mm256_castsi256_ps(_mm256_set1_epi64x(i64::MIN)))
);
narrow!(
    F64x4,
    "Four `f64` (AVX2 and FMA).",
    f64,
    __m256d,
    4,
    _mm256_setzero_pd,
    _mm256_set1_pd,
    _mm256_fmadd_pd,
    _mm256_add_pd,
    _mm256_sub_pd,
    _mm256_mul_pd,
    _mm256_max_pd,
    _mm256_loadu_pd,
    widened_4,
    _mm256_storeu_pd,
    _mm256_maskload_pd,
    _mm256_maskstore_pd,
    f64x4,
    |x| _mm256_permute_pd::<5>(x),
    _mm256_movedup_pd(x),
    _mm256_permute_pd::<15>(x),
    _mm256_xor_pd(x, _mm256_set_pd(-0.0, 0.0, -0.0, 0.0))
);
