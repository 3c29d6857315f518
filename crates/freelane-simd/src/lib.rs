//! Instruction sets: detection, forced paths, and the vector operations kernels are written over.
mod dots;
mod isa;
mod lanes;
mod vector;

pub use dots::*;
pub use isa::{Isa, IsaError};
pub use lanes::*;
pub use vector::*;
