//! Which instruction set a kernel runs on.

/// An instruction set that kernels are compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Isa {
    /// Plain Rust, no fused multiply-add.
    Portable,
    /// x86-64 with AVX2 and FMA.
    Avx2,
    /// x86-64 with AVX-512 F, DQ, VL, BW and CD.
    Avx512,
    /// aarch64.
    Neon,
}
