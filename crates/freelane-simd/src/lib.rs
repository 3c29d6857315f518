//! Instruction sets: detection, forced paths, and the vector operations kernels are written over.
mod isa;
mod lanes;
mod vector;

pub use isa::{Isa, IsaError};
pub use lanes::*;
pub use vector::*;
