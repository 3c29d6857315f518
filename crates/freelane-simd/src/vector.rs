//! The operations an instruction set must offer to the matrix kernels.
