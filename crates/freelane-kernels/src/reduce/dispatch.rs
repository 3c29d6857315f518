//! One body, compiled once for each instruction set.
use freelane_simd::Isa;

/// A loop to be compiled for several instruction sets. `run` must be `#[inline(always)]`, and so must all it calls.
pub(super) trait Body {
    fn run(self);
}

/// Runs `body` as compiled for `isa`.
///
/// # Safety
/// The processor has `isa`.
#[inline(always)]
pub(super) unsafe fn dispatch<B: Body>(isa: Isa, body: B) {
    match isa {
        // SAFETY: the processor has it, says the caller.
        #[cfg(target_arch = "x86_64")]
        Isa::Avx512 => unsafe { avx512(body) },
        // SAFETY: the processor has it, says the caller.
        #[cfg(target_arch = "x86_64")]
        Isa::Avx2 => unsafe { avx2(body) },
        _ => portable(body),
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw,avx512cd,avx2,fma")]
fn avx512<B: Body>(body: B) {
    body.run();
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn avx2<B: Body>(body: B) {
    body.run();
}

#[inline(never)]
fn portable<B: Body>(body: B) {
    body.run();
}
