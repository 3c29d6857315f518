//! Inner loops over slices and strides, one body for every instruction set.
//!
//! A kernel sees Rust types, slices and strides. It allocates nothing, starts no thread and knows no `DType`.
#[macro_use]
mod compiled;
pub mod conv;
pub mod convert;
pub mod elementwise;
pub mod gemm;
pub mod int8;
pub mod moves;
pub mod pool;
pub mod reduce;
pub mod scan;
pub mod sort;
mod target;
mod whole;
pub mod window;

pub use target::Target;
