//! Square transposes in registers: pairs of rows are interleaved, then blocks of the result exchanged.
use core::arch::x86_64::*;

/// Shuffles that gather the even (`0x88`) or odd (`0xdd`) quarters of two registers.
const EVEN: i32 = 0x88;
const ODD: i32 = 0xdd;

#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn f32x16(r: &mut [__m512; 16]) {
    let mut t = *r;
    for i in 0..8 {
        t[2 * i] = _mm512_unpacklo_ps(r[2 * i], r[2 * i + 1]);
        t[2 * i + 1] = _mm512_unpackhi_ps(r[2 * i], r[2 * i + 1]);
    }
    for i in 0..4 {
        for h in 0..2 {
            let (a, b) = (_mm512_castps_pd(t[4 * i + h]), _mm512_castps_pd(t[4 * i + 2 + h]));
            r[4 * i + 2 * h] = _mm512_castpd_ps(_mm512_unpacklo_pd(a, b));
            r[4 * i + 2 * h + 1] = _mm512_castpd_ps(_mm512_unpackhi_pd(a, b));
        }
    }
    for j in 0..4 {
        t[j] = _mm512_shuffle_f32x4::<EVEN>(r[j], r[4 + j]);
        t[4 + j] = _mm512_shuffle_f32x4::<ODD>(r[j], r[4 + j]);
        t[8 + j] = _mm512_shuffle_f32x4::<EVEN>(r[8 + j], r[12 + j]);
        t[12 + j] = _mm512_shuffle_f32x4::<ODD>(r[8 + j], r[12 + j]);
    }
    for j in 0..4 {
        r[j] = _mm512_shuffle_f32x4::<EVEN>(t[j], t[8 + j]);
        r[8 + j] = _mm512_shuffle_f32x4::<ODD>(t[j], t[8 + j]);
        r[4 + j] = _mm512_shuffle_f32x4::<EVEN>(t[4 + j], t[12 + j]);
        r[12 + j] = _mm512_shuffle_f32x4::<ODD>(t[4 + j], t[12 + j]);
    }
}

#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn f64x8(r: &mut [__m512d; 8]) {
    let mut t = *r;
    for i in 0..4 {
        t[2 * i] = _mm512_unpacklo_pd(r[2 * i], r[2 * i + 1]);
        t[2 * i + 1] = _mm512_unpackhi_pd(r[2 * i], r[2 * i + 1]);
    }
    for h in 0..2 {
        let even = _mm512_shuffle_f64x2::<EVEN>(t[h], t[2 + h]);
        let even_low = _mm512_shuffle_f64x2::<EVEN>(t[4 + h], t[6 + h]);
        let odd = _mm512_shuffle_f64x2::<ODD>(t[h], t[2 + h]);
        let odd_low = _mm512_shuffle_f64x2::<ODD>(t[4 + h], t[6 + h]);
        r[h] = _mm512_shuffle_f64x2::<EVEN>(even, even_low);
        r[4 + h] = _mm512_shuffle_f64x2::<ODD>(even, even_low);
        r[2 + h] = _mm512_shuffle_f64x2::<EVEN>(odd, odd_low);
        r[6 + h] = _mm512_shuffle_f64x2::<ODD>(odd, odd_low);
    }
}

#[inline]
#[target_feature(enable = "avx2")]
pub(crate) fn f32x8(r: &mut [__m256; 8]) {
    let mut t = *r;
    for i in 0..4 {
        t[2 * i] = _mm256_unpacklo_ps(r[2 * i], r[2 * i + 1]);
        t[2 * i + 1] = _mm256_unpackhi_ps(r[2 * i], r[2 * i + 1]);
    }
    for i in 0..2 {
        for h in 0..2 {
            let (a, b) = (_mm256_castps_pd(t[4 * i + h]), _mm256_castps_pd(t[4 * i + 2 + h]));
            r[4 * i + 2 * h] = _mm256_castpd_ps(_mm256_unpacklo_pd(a, b));
            r[4 * i + 2 * h + 1] = _mm256_castpd_ps(_mm256_unpackhi_pd(a, b));
        }
    }
    for j in 0..4 {
        t[j] = _mm256_permute2f128_ps::<0x20>(r[j], r[4 + j]);
        t[4 + j] = _mm256_permute2f128_ps::<0x31>(r[j], r[4 + j]);
    }
    *r = t;
}

#[inline]
#[target_feature(enable = "avx2")]
pub(crate) fn f64x4(r: &mut [__m256d; 4]) {
    let (a, b) = (_mm256_unpacklo_pd(r[0], r[1]), _mm256_unpackhi_pd(r[0], r[1]));
    let (c, d) = (_mm256_unpacklo_pd(r[2], r[3]), _mm256_unpackhi_pd(r[2], r[3]));
    r[0] = _mm256_permute2f128_pd::<0x20>(a, c);
    r[1] = _mm256_permute2f128_pd::<0x20>(b, d);
    r[2] = _mm256_permute2f128_pd::<0x31>(a, c);
    r[3] = _mm256_permute2f128_pd::<0x31>(b, d);
}
