//! Sums of products of small integers, for products of bytes.
//!
//! A word of 32 bits holds [`Dots::DEPTH`] neighbours along the sum: four bytes, or two 16-bit integers. One operation adds the
//! products of all of them to a 32-bit lane. All types are exact but for the wrapping of the lane, so all give the same result.
//! As with [`Simd`](crate::Simd), a value is the proof that this CPU has the instructions.

/// Vectors of 32-bit sums on one instruction set.
pub trait Dots: Copy {
    /// One register.
    type V: Copy;
    /// Lanes of a register.
    const L: usize;
    /// Products in a word: with 4 its bytes are unsigned on the left and signed on the right, with 2 they are 16-bit integers.
    const DEPTH: usize;

    /// The proof that the instructions exist.
    ///
    /// # Safety
    /// This CPU supports the instruction set.
    unsafe fn assume() -> Self;

    /// Zero in every lane.
    fn zero(self) -> Self::V;
    /// A word in every lane.
    fn splat(self, word: i32) -> Self::V;
    /// `sum` plus the products of the words of `a` and `b`, lane by lane.
    fn dot(self, sum: Self::V, a: Self::V, b: Self::V) -> Self::V;
    /// `a + b`, lane by lane.
    fn add(self, a: Self::V, b: Self::V) -> Self::V;

    /// Loads a register.
    ///
    /// # Safety
    /// `p` is readable for `L` words.
    unsafe fn load(self, p: *const i32) -> Self::V;
    /// Stores a register.
    ///
    /// # Safety
    /// `p` is writable for `L` words.
    unsafe fn store(self, p: *mut i32, v: Self::V);
}

const LANES: usize = 8;

/// Eight lanes in plain Rust. Runs everywhere.
#[derive(Clone, Copy)]
pub struct PlainDots(());

impl Dots for PlainDots {
    type V = [i32; LANES];
    const L: usize = LANES;
    const DEPTH: usize = 2;

    #[inline(always)]
    unsafe fn assume() -> Self {
        PlainDots(())
    }
    #[inline(always)]
    fn zero(self) -> Self::V {
        [0; LANES]
    }
    #[inline(always)]
    fn splat(self, word: i32) -> Self::V {
        [word; LANES]
    }
    #[inline(always)]
    fn dot(self, sum: Self::V, a: Self::V, b: Self::V) -> Self::V {
        let halves = |word: i32| [word as i16 as i32, word >> 16];
        core::array::from_fn(|i| {
            let ([a0, a1], [b0, b1]) = (halves(a[i]), halves(b[i]));
            sum[i].wrapping_add(a0 * b0).wrapping_add(a1 * b1)
        })
    }
    #[inline(always)]
    fn add(self, a: Self::V, b: Self::V) -> Self::V {
        core::array::from_fn(|i| a[i].wrapping_add(b[i]))
    }
    #[inline(always)]
    unsafe fn load(self, p: *const i32) -> Self::V {
        // SAFETY: the caller vouches for L words; an array is as aligned as its element.
        unsafe { *p.cast() }
    }
    #[inline(always)]
    unsafe fn store(self, p: *mut i32, v: Self::V) {
        // SAFETY: the caller vouches for L words; an array is as aligned as its element.
        unsafe { *p.cast() = v }
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::Dots;
    use core::arch::x86_64::*;

    macro_rules! dots {
        ($name:ident, $doc:literal, $v:ty, $l:literal, $depth:literal, $zero:ident, $splat:ident, $add:ident, $load:ident, $store:ident,
         |$sum:ident, $a:ident, $b:ident| $dot:expr) => {
            #[doc = $doc]
            #[derive(Clone, Copy)]
            pub struct $name(());

            impl Dots for $name {
                type V = $v;
                const L: usize = $l;
                const DEPTH: usize = $depth;

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
                fn splat(self, word: i32) -> $v {
                    // SAFETY: `self` proves that the instructions exist.
                    unsafe { $splat(word) }
                }
                #[inline(always)]
                fn dot(self, $sum: $v, $a: $v, $b: $v) -> $v {
                    // SAFETY: `self` proves that the instructions exist.
                    unsafe { $dot }
                }
                #[inline(always)]
                fn add(self, a: $v, b: $v) -> $v {
                    // SAFETY: `self` proves that the instructions exist.
                    unsafe { $add(a, b) }
                }
                #[inline(always)]
                unsafe fn load(self, p: *const i32) -> $v {
                    // SAFETY: the caller vouches for L words.
                    unsafe { $load(p.cast()) }
                }
                #[inline(always)]
                unsafe fn store(self, p: *mut i32, v: $v) {
                    // SAFETY: the caller vouches for L words.
                    unsafe { $store(p.cast(), v) }
                }
            }
        };
    }
    dots!(
        Vnni16,
        "Sixteen sums of bytes (AVX-512 VNNI).",
        __m512i,
        16,
        4,
        _mm512_setzero_si512,
        _mm512_set1_epi32,
        _mm512_add_epi32,
        _mm512_loadu_si512,
        _mm512_storeu_si512,
        |sum, a, b| _mm512_dpbusd_epi32(sum, a, b)
    );
    // The byte products of AVX2 saturate at 16 bits and would give other results.
    dots!(
        Pairs16,
        "Sixteen sums of 16-bit integers (AVX-512 BW).",
        __m512i,
        16,
        2,
        _mm512_setzero_si512,
        _mm512_set1_epi32,
        _mm512_add_epi32,
        _mm512_loadu_si512,
        _mm512_storeu_si512,
        |sum, a, b| _mm512_add_epi32(sum, _mm512_madd_epi16(a, b))
    );
    dots!(
        Pairs8,
        "Eight sums of 16-bit integers (AVX2).",
        __m256i,
        8,
        2,
        _mm256_setzero_si256,
        _mm256_set1_epi32,
        _mm256_add_epi32,
        _mm256_loadu_si256,
        _mm256_storeu_si256,
        |sum, a, b| _mm256_add_epi32(sum, _mm256_madd_epi16(a, b))
    );
}
#[cfg(target_arch = "x86_64")]
pub use x86::{Pairs8, Pairs16, Vnni16};

/// Whether this CPU has the byte products of AVX-512 VNNI.
pub fn has_vnni() -> bool {
    #[cfg(target_arch = "x86_64")]
    return crate::Isa::Avx512.is_supported() && is_x86_feature_detected!("avx512vnni");
    #[cfg(not(target_arch = "x86_64"))]
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check<D: Dots>(d: D) {
        let words = |x: [[i64; 2]; 2]| match D::DEPTH {
            4 => i32::from_le_bytes([x[0][0] as u8, x[0][1] as u8, x[1][0] as u8, x[1][1] as u8]),
            _ => (x[0][0] as i32 & 0xffff) | (x[0][1] as i32) << 16,
        };
        let cases =
            [([[255, 255], [255, 255]], [[-128, -128], [-128, -128]]), ([[255, 0], [7, 1]], [[127, -128], [-3, 9]])];
        for (a, b) in cases {
            let count = D::DEPTH / 2;
            let want: i64 = (0..count).map(|i| a[i][0] * b[i][0] + a[i][1] * b[i][1]).sum();
            let lanes = vec![words(b); D::L];
            let mut out = vec![0; D::L];
            // SAFETY: both hold L words.
            unsafe { d.store(out.as_mut_ptr(), d.dot(d.splat(i32::MAX), d.splat(words(a)), d.load(lanes.as_ptr()))) };
            assert_eq!(out, vec![i32::MAX.wrapping_add(want as i32); D::L]);
            // SAFETY: L words.
            unsafe { d.store(out.as_mut_ptr(), d.add(d.splat(i32::MAX), d.splat(2))) };
            assert_eq!(out, vec![i32::MAX.wrapping_add(2); D::L]);
        }
    }

    #[test]
    fn sums_are_exact() {
        // SAFETY: plain arithmetic runs everywhere.
        check(unsafe { PlainDots::assume() });
        #[cfg(target_arch = "x86_64")]
        {
            if crate::Isa::Avx2.is_supported() {
                // SAFETY: as asked.
                check(unsafe { Pairs8::assume() });
            }
            if crate::Isa::Avx512.is_supported() {
                // SAFETY: as asked.
                check(unsafe { Pairs16::assume() });
            }
            if has_vnni() {
                // SAFETY: as asked.
                check(unsafe { Vnni16::assume() });
            }
        }
    }
}
