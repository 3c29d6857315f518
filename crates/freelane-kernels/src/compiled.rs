//! Loops in plain Rust, compiled for AVX2 as well.
//!
//! They are written as `for` over indices or iterators: `for_each` and `fold` of the standard library are functions of their
//! own, which are not compiled again.

/// Declares a function that takes the instruction set first. Its body has no fused multiply-adds, so every instruction set
/// gives the same bits; AVX-512 would gain nothing, because memory sets the pace.
macro_rules! compiled {
    ($(#[$meta:meta])* $vis:vis fn $name:ident $(<$G:ident: $B:path>)? ($($x:ident: $t:ty),* $(,)?) $(-> $r:ty)? $body:block) => {
        $(#[$meta])*
        $vis fn $name $(<$G: $B>)? (isa: freelane_simd::Isa, $($x: $t),*) $(-> $r)? {
            #[inline(always)]
            fn plain $(<$G: $B>)? ($($x: $t),*) $(-> $r)? $body

            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,fma")]
            fn avx2 $(<$G: $B>)? ($($x: $t),*) $(-> $r)? {
                plain$(::<$G>)?($($x),*)
            }

            #[cfg(target_arch = "x86_64")]
            if crate::compiled::has_avx2(isa) {
                // SAFETY: the CPU has the instructions, as just asked.
                return unsafe { avx2$(::<$G>)?($($x),*) };
            }
            let _ = isa;
            plain$(::<$G>)?($($x),*)
        }
    };
}

/// Whether what is compiled for AVX2 is to run. The instruction set in use is known to run, so it is not asked about again.
#[cfg(target_arch = "x86_64")]
#[inline]
pub(crate) fn has_avx2(isa: freelane_simd::Isa) -> bool {
    use freelane_simd::Isa;
    matches!(isa, Isa::Avx2 | Isa::Avx512) && (isa == Isa::current() || isa.is_supported())
}
