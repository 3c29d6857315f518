//! Which format a file has.
use crate::{Fault, npy, npz, safetensors};
use std::path::Path;

/// A kind of file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// One array, as NumPy saves it.
    Npy,
    /// Named arrays in a zip archive.
    Npz,
    /// Named arrays behind a header in JSON.
    Safetensors,
    /// A table of numbers.
    Csv,
}

impl Format {
    /// The format that a file name's ending stands for.
    ///
    /// ```
    /// # use freelane_io::Format;
    /// assert_eq!(Format::of_name("x/y.NPY".as_ref()), Some(Format::Npy));
    /// assert_eq!(Format::of_name("x.png".as_ref()), None);
    /// ```
    pub fn of_name(path: &Path) -> Option<Format> {
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "npy" => Some(Format::Npy),
            "npz" => Some(Format::Npz),
            "safetensors" => Some(Format::Safetensors),
            "csv" | "tsv" => Some(Format::Csv),
            _ => None,
        }
    }

    /// The format of a file that starts with these bytes; its name decides where they say nothing.
    pub(crate) fn of_file(path: &Path, start: &[u8]) -> Result<Format, Fault> {
        if start.starts_with(npy::header::MAGIC) {
            return Ok(Format::Npy);
        }
        match Format::of_name(path) {
            Some(format) => Ok(format),
            None if start.starts_with(npz::MAGIC) => Ok(Format::Npz),
            None if safetensors::looks_like(start) => Ok(Format::Safetensors),
            None => Err(Fault::UnknownFormat { found: start.to_vec() }),
        }
    }

    /// The ending of file names.
    pub const fn extension(self) -> &'static str {
        match self {
            Format::Npy => ".npy",
            Format::Npz => ".npz",
            Format::Safetensors => ".safetensors",
            Format::Csv => ".csv",
        }
    }
}
