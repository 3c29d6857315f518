//! Instruction sets: detection, forced paths, and the vector operations kernels are written over.
mod dots;
mod find;
mod isa;
mod lanes;
mod lookup;
mod vector;

pub use dots::*;
pub use find::Find;
pub use isa::{Isa, IsaError};
pub use lanes::*;
pub use lookup::Lookup;
pub use vector::*;
