//! Instruction sets: detection, forced paths, and the vector operations kernels are written over.
