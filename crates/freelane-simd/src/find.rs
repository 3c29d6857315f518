//! Where the first of equal elements is.
#[cfg(target_arch = "x86_64")]
use crate::Isa;

/// Elements that can be looked for.
pub trait Find: Copy + PartialEq {
    /// Number of the first of `n` elements that equals `value`; `n` if there is none.
    ///
    /// # Safety
    /// `x` is valid for reads of `n` elements; it need not be aligned.
    #[inline]
    unsafe fn first_equal(x: *const Self, n: usize, value: Self) -> usize {
        #[cfg(target_arch = "x86_64")]
        if matches!(Isa::current(), Isa::Avx2 | Isa::Avx512) {
            // SAFETY: the instruction set in use is there; the rest is the caller's promise.
            return unsafe { Self::first_of_vectors(x, n, value) };
        }
        // SAFETY: the caller's promise.
        unsafe { one_by_one(x, 0, n, value) }
    }

    /// The same by AVX2.
    ///
    /// # Safety
    /// As above; this CPU has AVX2.
    #[cfg(target_arch = "x86_64")]
    #[doc(hidden)]
    unsafe fn first_of_vectors(x: *const Self, n: usize, value: Self) -> usize;
}

/// From number `i` on.
///
/// # Safety
/// `x` is valid for reads of `n` elements.
#[inline(always)]
unsafe fn one_by_one<T: Copy + PartialEq>(x: *const T, mut i: usize, n: usize, value: T) -> usize {
    // SAFETY: `i < n`.
    while i < n && unsafe { x.add(i).read_unaligned() } != value {
        i += 1;
    }
    i
}

/// One bit an element, of 64 elements at once: a single branch, and none that depends on where among them it is.
#[cfg(target_arch = "x86_64")]
macro_rules! find {
    ($($t:ident: $l:literal, $splat:ident, |$p:ident, $v:ident| $equal:expr;)*) => { $(
        impl Find for $t {
            #[target_feature(enable = "avx2,bmi1")]
            unsafe fn first_of_vectors(x: *const $t, n: usize, value: $t) -> usize {
                let $v = $splat(value as _);
                let mut i = 0;
                while i + 64 <= n {
                    let mut mask = 0;
                    for k in (0..64).step_by($l) {
                        let $p = x.wrapping_add(i + k);
                        // SAFETY: the caller's promise: `i + 64 <= n`.
                        mask |= (unsafe { $equal } as u32 as u64) << k;
                    }
                    if mask != 0 {
                        return i + mask.trailing_zeros() as usize;
                    }
                    i += 64;
                }
                // SAFETY: the caller's promise.
                unsafe { one_by_one(x, i, n, value) }
            }
        }
    )* };
}
#[cfg(not(target_arch = "x86_64"))]
macro_rules! find {
    ($($t:ident: $l:literal, $splat:ident, |$p:ident, $v:ident| $equal:expr;)*) => { $( impl Find for $t {} )* };
}

#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::*;
find! {
    f32: 8, _mm256_set1_ps, |p, v| _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_EQ_OQ>(_mm256_loadu_ps(p), v));
    f64: 4, _mm256_set1_pd, |p, v| _mm256_movemask_pd(_mm256_cmp_pd::<_CMP_EQ_OQ>(_mm256_loadu_pd(p), v));
    i32: 8, _mm256_set1_epi32,
        |p, v| _mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpeq_epi32(_mm256_loadu_si256(p.cast()), v)));
    u32: 8, _mm256_set1_epi32,
        |p, v| _mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpeq_epi32(_mm256_loadu_si256(p.cast()), v)));
    i64: 4, _mm256_set1_epi64x,
        |p, v| _mm256_movemask_pd(_mm256_castsi256_pd(_mm256_cmpeq_epi64(_mm256_loadu_si256(p.cast()), v)));
    u64: 4, _mm256_set1_epi64x,
        |p, v| _mm256_movemask_pd(_mm256_castsi256_pd(_mm256_cmpeq_epi64(_mm256_loadu_si256(p.cast()), v)));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check<T: Find + From<u16>>() {
        for n in [0, 1, 3, 63, 64, 65, 130, 200] {
            let mut x: Vec<T> = (0..n).map(|i| T::from(i % 150)).collect();
            for at in 0..n {
                x[at as usize] = T::from(1000);
                for from in [0, 1] {
                    let (p, len) = (x.as_ptr().wrapping_add(from), x.len() - from);
                    let want = (at as usize).checked_sub(from);
                    // SAFETY: the elements from `from` on.
                    let found = unsafe { T::first_equal(p, len, T::from(1000)) };
                    assert_eq!(found, want.unwrap_or(len), "{at} of {n} from {from}");
                }
                x[at as usize] = T::from(at % 150);
                // SAFETY: all elements.
                assert_eq!(unsafe { T::first_equal(x.as_ptr(), x.len(), x[at as usize]) }, at as usize % 150);
            }
        }
    }

    #[test]
    fn the_first_of_equal_elements_is_found() {
        check::<f32>();
        check::<f64>();
        check::<u32>();
        check::<u64>();
        let signed = [5i64, -1, -1, 7];
        // SAFETY: four elements.
        assert_eq!(unsafe { i64::first_equal(signed.as_ptr(), 4, -1) }, 1);
        let zeros = [1.0, -0.0, 0.0];
        // SAFETY: three elements.
        assert_eq!(unsafe { f64::first_equal(zeros.as_ptr(), 3, 0.0) }, 1);
    }
}
