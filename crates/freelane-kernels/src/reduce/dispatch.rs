//! One body, compiled once for each instruction set.
use freelane_simd::Isa;

/// For which instruction sets the loops of a fold are compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tier {
    /// Once, for any processor: little is gained, or it is seldom run.
    Plain,
    /// Also for AVX2. With AVX-512 nothing was faster, and variances took twice as long.
    Native,
    /// Also for AVX-512: for integers of 64 bits, which it multiplies and compares in one instruction.
    Wide,
}

/// The tier of an element type: a complex number, which is aligned to its parts, gains nothing from wide vectors.
pub(super) const fn native<T>() -> Tier {
    if size_of::<T>() == align_of::<T>() { Tier::Native } else { Tier::Plain }
}

/// A loop to be compiled for the instruction sets of its tier. `run` must be `#[inline(always)]`, and so must all it calls.
pub(super) trait Body {
    const TIER: Tier;
    fn run(self);
}

/// Runs `body` as compiled for `isa`.
///
/// # Safety
/// The processor has `isa`.
#[inline(always)]
pub(super) unsafe fn dispatch<B: Body>(isa: Isa, body: B) {
    match (isa, B::TIER) {
        // SAFETY: the processor has it, says the caller.
        #[cfg(target_arch = "x86_64")]
        (Isa::Avx512, Tier::Wide) => unsafe { avx512(body) },
        // SAFETY: as above; one with AVX-512 has AVX2.
        #[cfg(target_arch = "x86_64")]
        (Isa::Avx2 | Isa::Avx512, Tier::Native | Tier::Wide) => unsafe { avx2(body) },
        _ => portable(body),
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn avx2<B: Body>(body: B) {
    body.run();
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw,avx2,fma")]
fn avx512<B: Body>(body: B) {
    body.run();
}

#[inline(never)]
fn portable<B: Body>(body: B) {
    body.run();
}
