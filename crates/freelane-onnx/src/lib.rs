//! ONNX models, read with suspicion.
//!
//! ```text
//! wire.rs     protocol buffers out of untrusted bytes: bounded depth, bounded memory, every fault with its place
//! proto.rs    the messages, one row a field
//! dtype.rs    types of elements: one row each
//! narrow.rs   elements of two, four and eight bits that arrays carry as wider ones
//! file.rs     the bytes of a model
//! tensor.rs   tensors as arrays, from the file or from files beside it
//! value.rs    a value in a file of its own
//! text.rs     a model as text
//! epilogue.rs what follows a convolution becomes part of it; blocked.rs: how images lie between convolutions
//! tables.rs   rows are looked up before a table is unpacked
//! import.rs   a model as a graph; sorted.rs: the order of its nodes
//! passes.rs   what makes the graph faster, and how that is checked
//! ops/        the operators, one row each
//! session.rs  a model that threads share; shared.rs: models by content
//! ```
#![forbid(unsafe_code)]
mod blocked;
mod dtype;
mod epilogue;
mod error;
mod file;
mod import;
mod limits;
mod narrow;
mod ops;
mod passes;
pub mod proto;
mod session;
mod shared;
mod sorted;
mod tables;
mod tensor;
mod text;
mod value;
pub mod wire;

pub use dtype::{DATA_TYPES, DataType};
pub use error::{Fault, OnnxError};
pub use file::ModelFile;
pub use import::{Imported, import};
pub use limits::Limits;
pub use passes::{Checked, check_passes, passes};
pub use session::{Metadata, Port, Session, SessionOptions};
pub use tensor::{ExternalData, array_of};
pub use text::{Text, summary};
pub use value::value_of;
