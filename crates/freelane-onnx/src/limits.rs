//! How much a file may ask for.

/// Bounds on what is made of an untrusted file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// How deep messages may lie in each other.
    pub max_depth: u32,
    /// Bytes of memory for the parts of a model, for each byte of its file.
    pub bytes_per_byte: u64,
    /// Bytes of memory on top of those.
    pub bytes_beside: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { max_depth: 100, bytes_per_byte: 3, bytes_beside: 1 << 20 }
    }
}

impl Limits {
    /// Bytes of memory that a file of this length may take, apart from the file itself.
    pub fn bytes_for(&self, file: usize) -> u64 {
        (file as u64).saturating_mul(self.bytes_per_byte).saturating_add(self.bytes_beside)
    }
}
