//! The array type, its functions as rows, and structured operations.
//!
//! ```text
//! ufuncs/<family>.rs   one row an elementwise function: kernel table, promotion, domain, error bound, ONNX name, docs
//! reductions.rs        one row a reduction
//! ops/<name>.rs        one file a structured operation
//! Array                methods and operators made from the rows
//! ```
//!
//! Dispatch is an index into a static table of function pointers. Nothing here takes a lock, and no memory that two lanes
//! share is written: an operation gets its [`Lane`](freelane_pool::Lane) as an argument and takes storage from that lane's
//! heap. The methods of [`Array`] fetch the calling thread's lane once.
mod array;
pub mod batch;
mod display;
mod error;
pub mod function;
mod gradient;
pub mod made;
#[cfg(feature = "ndarray")]
mod ndarray;
mod operand;
mod operators;
mod ops;
mod owned;
pub mod program;
mod promote;
mod reduce;
pub mod reductions;
mod registry;
mod scalar;
mod ufunc;
pub mod ufuncs;
mod user;
mod walk;

pub use array::Array;
pub use error::{InOp, OpsError};
pub use freelane_array::{ArrayData, ArrayError, DType, Element, Index, Kind, Layout, Slice, with_dtype};
pub use freelane_simd::{Isa, IsaError};
pub use function::{Function, Op, Outputs, Run, Value};
pub use gradient::Gradient;
pub use operand::{Operand, result_type};
pub use ops::assign::assign;
pub use ops::astype::can_cast_same_kind;
pub use ops::close::Tolerance;
pub use ops::einsum::einsum;
pub use ops::indexing::IndexItem;
pub use ops::join::{concat, stack};
pub use ops::matmul::matmul;
pub use ops::pad::Pad;
pub use ops::positions::nonzero;
pub use ops::product_rows;
pub use ops::quantile::Between;
pub use ops::rearrange::{broadcast_arrays, meshgrid};
pub use ops::sets::Unique;
pub use promote::{float_result, promote_scalar, promote_types};
use reduce::FoldTable;
pub use reduce::{Axes, ReduceArgs, Reduction};
pub use registry::{Callable, Registered, Registry};
pub use scalar::Scalar;
pub use ufunc::{Check, Promotion, UFunc};
use ufunc::{Loops, Table};
pub use user::{ScalarFn, SliceFn, UserFunc, UserFuncBuilder, UserReduction, UserReductionBuilder};
