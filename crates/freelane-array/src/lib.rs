//! Data types, shapes, strides and the dynamic array description built from them.
//!
//! ```text
//! ArrayData = Buffer (bytes, shared)  +  DType (one row each)  +  Layout (shape, strides, offset)
//!                                          |                        |
//! ArrayView<'_, T> = the same, borrowed and typed                   checked once, at construction
//! ```
//!
//! Everything here describes: a slice, a transpose or a broadcast is a new [`Layout`] over the same bytes. No element is
//! moved or computed in this crate, nothing is allocated but small shape vectors, and nothing is shared but what
//! [`freelane_mem::Buffer`] already shares.
//!
//! ```
//! use freelane_array::{DType, Index, Layout, Slice};
//!
//! let grid = Layout::contiguous(&[3, 4])?;
//! let column = grid.index(&[Index::from(Slice::all()), Index::At(-1)])?;
//! assert_eq!((column.shape(), column.strides(), column.offset()), (&[3][..], &[4][..], 3));
//! assert_eq!(DType::F32.size(), 4);
//! # Ok::<(), freelane_array::ArrayError>(())
//! ```
mod broadcast;
mod bytes;
mod data;
mod dtype;
mod error;
mod index;
mod layout;
mod view;

pub use broadcast::broadcast_shapes;
pub use bytes::BytesError;
pub use data::ArrayData;
pub use dtype::{DType, Element, Kind};
pub use error::ArrayError;
pub use index::{Index, Slice};
pub use layout::{Dims, Layout, MAX_RANK, Strides, element_count, normalize_axis};
pub use view::{ArrayView, ArrayViewMut, Elements};

#[doc(hidden)]
pub mod types {
    //! The Rust types named by the rows of `DType`, for `with_dtype!`.
    pub use half::{bf16, f16};
    pub type C64 = num_complex::Complex<f32>;
    pub type C128 = num_complex::Complex<f64>;
}
