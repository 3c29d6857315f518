//! Linear algebra over arrays: decompositions, systems of equations, norms.
//!
//! ```text
//! rows.rs       the functions of the namespace `linalg`
//! <family>.rs   arrays: shapes, dtypes, batches           cholesky, lu, qr, svd, eigen, norms, chains
//! dense.rs      one matrix: calls of `faer`, compiled once for each of f32, f64 and the complex types over them
//! ```
//!
//! A function of matrices takes stacks of them: the last two axes are rows and columns, the others a batch, whose matrices
//! are spread over the lanes of the runtime in scope. Each is computed by one lane alone, so the bits depend neither on the
//! number of lanes nor on the batch. Integers are computed in `f64`; half floats are refused.
//!
//! A matrix without a result, singular for one, is an error ([`OpsError::LinAlg`](freelane_ops::OpsError)). NaN and
//! infinity give NaN where elimination carries them along, and an error where an iteration would not end.
#![forbid(unsafe_code)]

mod bidiagonal;
mod chains;
mod cholesky;
mod dense;
mod eigen;
mod field;
mod lu;
mod norms;
mod qr;
mod rows;
mod stack;
mod svd;
mod triangular;
mod tridiagonal;
mod values;

pub use chains::{matrix_power, multi_dot};
pub use cholesky::cholesky;
pub use eigen::{eig, eigh, eigvals, eigvalsh};
pub use lu::{det, inv, slogdet, solve};
pub use norms::{Order, cond, matrix_norm, norm, vector_norm};
pub use qr::{Mode, qr};
pub use rows::OPS;
pub use svd::{lstsq, matrix_rank, pinv, svd, svdvals};
pub use triangular::solve_triangular;
