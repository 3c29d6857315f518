//! The even lanes of two registers, the even pairs of them, and both in turns.
use core::arch::x86_64::*;

#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn f32x16(x: __m512, y: __m512) -> __m512 {
    let lanes = _mm512_set_epi32(30, 28, 26, 24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0);
    _mm512_permutex2var_ps(x, lanes, y)
}

#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn f64x8(x: __m512d, y: __m512d) -> __m512d {
    _mm512_permutex2var_pd(x, _mm512_set_epi64(14, 12, 10, 8, 6, 4, 2, 0), y)
}

#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn f32x8(x: __m256, y: __m256) -> __m256 {
    let each_half = _mm256_castps_pd(_mm256_shuffle_ps::<0x88>(x, y));
    _mm256_castpd_ps(_mm256_permute4x64_pd::<0xd8>(each_half))
}

#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn f64x4(x: __m256d, y: __m256d) -> __m256d {
    _mm256_permute4x64_pd::<0xd8>(_mm256_unpacklo_pd(x, y))
}

pub(super) mod pairs {
    //! Of pairs of lanes.
    use super::*;

    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(in super::super) fn f32x16(x: __m512, y: __m512) -> __m512 {
        _mm512_castpd_ps(super::f64x8(_mm512_castps_pd(x), _mm512_castps_pd(y)))
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(in super::super) fn f64x8(x: __m512d, y: __m512d) -> __m512d {
        _mm512_shuffle_f64x2::<0x88>(x, y)
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    pub(in super::super) fn f32x8(x: __m256, y: __m256) -> __m256 {
        _mm256_castpd_ps(super::f64x4(_mm256_castps_pd(x), _mm256_castps_pd(y)))
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    pub(in super::super) fn f64x4(x: __m256d, y: __m256d) -> __m256d {
        _mm256_permute2f128_pd::<0x20>(x, y)
    }
}

macro_rules! both {
    ($module:ident: |$x:ident, $y:ident| $f32x16:expr, $f64x8:ident, $f32x8:expr, $f64x4:ident) => {
        pub(super) mod $module {
            use core::arch::x86_64::*;

            #[inline]
            #[target_feature(enable = "avx512f")]
            pub(in super::super) fn f32x16($x: __m512, $y: __m512) -> __m512 {
                $f32x16
            }

            #[inline]
            #[target_feature(enable = "avx512f")]
            pub(in super::super) fn f64x8(x: __m512d, y: __m512d) -> __m512d {
                $f64x8(x, y)
            }

            #[inline]
            #[target_feature(enable = "avx2")]
            pub(in super::super) fn f32x8($x: __m256, $y: __m256) -> __m256 {
                $f32x8
            }

            #[inline]
            #[target_feature(enable = "avx2")]
            pub(in super::super) fn f64x4(x: __m256d, y: __m256d) -> __m256d {
                $f64x4(x, y)
            }
        }
    };
}
// Even and odd lanes of two registers in turns.
both!(both: |x, y| _mm512_mask_moveldup_ps(x, 0xaaaa, y), _mm512_unpacklo_pd,
    _mm256_blend_ps::<0xaa>(x, _mm256_moveldup_ps(y)), _mm256_unpacklo_pd);
both!(both_odd: |x, y| _mm512_mask_movehdup_ps(y, 0x5555, x), _mm512_unpackhi_pd,
    _mm256_blend_ps::<0xaa>(_mm256_movehdup_ps(x), y), _mm256_unpackhi_pd);
