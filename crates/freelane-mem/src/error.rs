//! What can go wrong when memory is asked for.

use crate::MAX_ALIGN;
use std::io;

/// Why memory could not be had.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MemError {
    /// The number of bytes does not fit in an address.
    #[error("{count} elements of {size} bytes do not fit in memory")]
    SizeOverflow {
        /// How many elements were asked for.
        count: usize,
        /// The bytes of one element.
        size: usize,
    },
    /// No machine has that much memory.
    #[error("{bytes} bytes do not fit in memory")]
    TooLarge {
        /// The bytes asked for, after rounding up; `usize::MAX` when rounding overflowed.
        bytes: usize,
    },
    /// The alignment is not a power of two, or too large.
    #[error("alignment {align} is not a power of two between 1 and {MAX_ALIGN}")]
    BadAlignment {
        /// The alignment asked for.
        align: usize,
    },
    /// The system has no more memory to give.
    #[error("out of memory: {bytes} bytes aligned to {align}")]
    OutOfMemory {
        /// The bytes asked for.
        bytes: usize,
        /// The alignment asked for.
        align: usize,
    },
    /// A file cannot be mapped.
    #[error("cannot map the file: {source}")]
    Map {
        /// The system's reason.
        source: io::Error,
    },
    /// The part of a file to be mapped reaches beyond its end.
    #[error("bytes {offset}..{end} reach beyond the file's {file_bytes} bytes")]
    BeyondFile {
        /// The first byte asked for.
        offset: u64,
        /// One past the last byte asked for.
        end: u64,
        /// The file's length.
        file_bytes: u64,
    },
}
