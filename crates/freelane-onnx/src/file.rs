//! The bytes of a model file.
use crate::proto::Model;
use crate::wire::Budget;
use crate::{ExternalData, Fault, Limits, OnnxError};
use std::io;
use std::path::{Path, PathBuf};

fn read(path: &Path) -> io::Result<Vec<u8>> {
    let kind = std::fs::metadata(path)?;
    if !kind.is_file() && !kind.is_dir() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
    }
    std::fs::read(path)
}

/// A model's bytes, and where they came from.
pub struct ModelFile {
    bytes: Vec<u8>,
    path: Option<PathBuf>,
}

impl ModelFile {
    /// Reads a file. What is none, such as a device, could have no end.
    ///
    /// # Errors
    /// When the system refuses, or the path leads to no regular file.
    pub fn open(path: impl AsRef<Path>) -> Result<ModelFile, OnnxError> {
        let path = path.as_ref();
        let bytes = read(path).map_err(|e| OnnxError::from(Fault::System(e)).of_file(path))?;
        Ok(ModelFile { bytes, path: Some(path.to_owned()) })
    }

    /// A model that lies in memory. It has no files beside it.
    pub fn from_bytes(bytes: Vec<u8>) -> ModelFile {
        ModelFile { bytes, path: None }
    }

    /// The messages of the model, which borrow from its bytes.
    ///
    /// ```
    /// use freelane_onnx::ModelFile;
    /// let bytes = [0x08, 8, 0x12, 4, b'h', b'a', b'n', b'd'].to_vec();
    /// assert_eq!(ModelFile::from_bytes(bytes).model()?.producer_name, "hand");
    /// let wrong = ModelFile::from_bytes(b"not a model".to_vec());
    /// assert_eq!(wrong.model().unwrap_err().to_string(), "ModelProto: field 13 has the unknown encoding 6 at byte 1");
    /// # Ok::<(), freelane_onnx::OnnxError>(())
    /// ```
    ///
    /// # Errors
    /// When the bytes are no model, or ask for more memory than [`Limits`] allow.
    pub fn model(&self) -> Result<Model<'_>, OnnxError> {
        let read = Model::read(&Budget::new(&self.bytes, &Limits::default()));
        read.map_err(|fault| self.blame(fault.into()))
    }

    /// Where the files of the model's external data may lie.
    pub fn external_data(&self) -> ExternalData {
        match &self.path {
            Some(path) => ExternalData::Below(path.parent().unwrap_or(Path::new("")).to_owned()),
            None => ExternalData::Refused,
        }
    }

    /// A number that only models of the same bytes have.
    pub(crate) fn content_hash(&self) -> blake3::Hash {
        blake3::hash(&self.bytes)
    }

    /// Whether all of the model surely lies in this file: the key of external data does not occur.
    pub(crate) fn is_whole(&self) -> bool {
        self.path.is_none() || memchr::memmem::find(&self.bytes, b"location").is_none()
    }

    /// An error, with the file's name.
    pub fn blame(&self, error: OnnxError) -> OnnxError {
        match &self.path {
            Some(path) => error.of_file(path),
            None => error,
        }
    }
}
