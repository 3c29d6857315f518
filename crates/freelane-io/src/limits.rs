//! How much a file may ask for.

/// Bounds on what a file can make the reader do. The defaults fit honest files; raise them for unusual ones.
///
/// No bound is needed for elements that are stored as they are: they are never given more memory than the file has bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of the header of a .npy file. An honest one has about 128.
    pub npy_header: u64,
    /// Bytes of the header of a .safetensors file: about 100 for each array.
    pub safetensors_header: u64,
    /// Compressed arrays up to this size may come from any number of bytes, so that a file of zeros can be read.
    pub expanded_freely: u64,
    /// Larger ones must not be more than this many times larger than their compressed form.
    pub expansion: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { npy_header: 1 << 20, safetensors_header: 100 << 20, expanded_freely: 1 << 30, expansion: 200 }
    }
}
