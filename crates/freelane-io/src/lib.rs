//! Array files: .npy, .npz, .csv and .safetensors, read with suspicion.
//!
//! ```text
//! open(path) -> Source -> load(name) -> Array        .npy          one array, mapped when large
//!                                                    .npz          named arrays; mapped when large, stored and aligned
//! save(path, &array)                                 .safetensors  named arrays, mapped when large
//!                                                    .csv          a table of numbers, its columns by name
//! ```
//!
//! Files are not trusted. Sizes are compared with the file's before memory is taken, what expands is bounded by [`Limits`],
//! and whatever is wrong is an [`IoError`] that says in one line where, what was found and what was expected. Nothing is
//! evaluated or unpickled.
//!
//! What a mapped file says is read when the array is used: see [`Options::map_from`].
//!
//! ```
//! use freelane_ops::Array;
//! # let dir = std::env::temp_dir().join(format!("freelane-io-{}", std::process::id()));
//! # std::fs::create_dir_all(&dir)?;
//! # let path = dir.join("x.npy");
//! let x = Array::from_vec(vec![1.0f32, 2.0, 3.0], &[3])?;
//! freelane_io::save(&path, &x)?;
//! assert_eq!(freelane_io::load(&path, None)?.to_vec::<f32>()?, [1.0, 2.0, 3.0]);
//! # std::fs::remove_dir_all(dir)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

mod csv;
mod elements;
mod error;
mod file_at;
mod format;
mod limits;
mod npy;
mod npz;
mod options;
mod safetensors;
mod save;
mod source;

pub use csv::{CsvHeader, CsvOptions};
pub use error::{Fault, IoError};
pub use format::Format;
pub use limits::Limits;
pub use options::Options;
pub use save::{SaveOptions, save, save_all, save_with};
pub use source::Source;

use freelane_ops::Array;
use std::path::Path;

/// Hears how much of how much is done.
pub type Progress<'a> = dyn FnMut(u64, u64) + 'a;

/// Opens a file with the default [`Options`].
///
/// # Errors
/// As [`Source::open`].
pub fn open(path: impl AsRef<Path>) -> Result<Source, IoError> {
    Source::open(path)
}

/// Reads the array of a name; without a name, the file's only array or the whole table.
///
/// # Errors
/// As [`Source::open`] and [`Source::load`].
pub fn load(path: impl AsRef<Path>, name: Option<&str>) -> Result<Array, IoError> {
    Source::open(path)?.load(name)
}

/// As [`load`], telling `progress` again and again how many bytes of how many are done.
///
/// # Errors
/// As [`load`].
pub fn load_with(path: impl AsRef<Path>, name: Option<&str>, progress: &mut Progress<'_>) -> Result<Array, IoError> {
    Source::open(path)?.load_with(name, progress)
}
