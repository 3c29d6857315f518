//! Layers of neural networks as functions of arrays.
//!
//! ```text
//! arrays.rs    operands without gaps, results written part by part
//! window.rs    padding, strides and dilations as the standard writes them
//! conv.rs      convolutions; pool.rs, norm.rs, resize.rs, ...: one family a file
//! ```
//!
//! A function takes its lane, borrowed arrays and plain numbers, and makes an array in memory of that lane. Results are cut into
//! parts by their shape alone, so that the bits depend on neither the lanes nor the batch, but for weights of bytes, where all
//! rows share a scale.
mod arrays;
mod window;

pub mod activation;
pub mod attention;
pub mod bytes;
pub mod conv;
pub mod conv_bytes;
pub mod dense;
pub mod loss;
pub mod norm;
pub mod pool;
pub mod quant;
pub mod recurrent;
pub mod resize;
pub mod sample;
pub mod select;
pub mod softmax;
pub mod transposed;
pub mod trees;

pub use window::{AutoPad, Sliding};
