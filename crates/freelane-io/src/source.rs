//! An opened file, whatever its format.
use crate::csv::Table;
use crate::npz::Npz;
use crate::safetensors::Safetensors;
use crate::{Fault, Format, IoError, Options, Progress, file_at::FileAt, npy};
use freelane_array::DType;
use freelane_ops::Array;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// An opened file. Its directory or header has been read, its arrays have not.
///
/// ```
/// # use freelane_ops::Array;
/// # let path = std::env::temp_dir().join(format!("freelane-source-{}.npz", std::process::id()));
/// # let x = Array::from_vec(vec![1.0, 2.0], &[2])?;
/// freelane_io::save_all(&path, &[("a", &x), ("b", &x)])?;
/// let source = freelane_io::open(&path)?;
/// assert_eq!(source.names(), ["a", "b"]);
/// assert_eq!(source.load(Some("b"))?.to_vec::<f64>()?, [1.0, 2.0]);
/// # std::fs::remove_file(path)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Source {
    path: PathBuf,
    options: Options,
    content: Content,
}

enum Content {
    Npy { file: Arc<File>, len: u64 },
    Npz(Npz),
    Safetensors(Safetensors),
    Csv(Table),
}

impl Source {
    /// Opens a file with the default [`Options`].
    ///
    /// # Errors
    /// When the file cannot be read, or its directory or header is malformed.
    pub fn open(path: impl AsRef<Path>) -> Result<Source, IoError> {
        Source::open_with(path, &Options::default())
    }

    /// Opens a file. What is not a regular file, a pipe for one, is first copied to a temporary one.
    ///
    /// # Errors
    /// As [`Source::open`].
    pub fn open_with(path: impl AsRef<Path>, options: &Options) -> Result<Source, IoError> {
        let path = path.as_ref();
        let content = content(path, options).map_err(|e| e.at(path, None))?;
        Ok(Source { path: path.into(), options: options.clone(), content })
    }

    /// The file's format.
    pub fn format(&self) -> Format {
        match self.content {
            Content::Npy { .. } => Format::Npy,
            Content::Npz(_) => Format::Npz,
            Content::Safetensors(_) => Format::Safetensors,
            Content::Csv(_) => Format::Csv,
        }
    }

    /// The names of the arrays; of a table, those of the columns. A `.npy` file has none.
    pub fn names(&self) -> Vec<String> {
        match &self.content {
            Content::Npy { .. } => Vec::new(),
            Content::Npz(npz) => npz.names(),
            Content::Safetensors(tensors) => tensors.names(),
            Content::Csv(table) => table.names(),
        }
    }

    /// Reads the array of a name. Without a name, the file's only array, or the whole table.
    ///
    /// # Errors
    /// When there is no such array, or it is malformed, cut off, or of a type that arrays do not hold.
    pub fn load(&self, name: Option<&str>) -> Result<Array, IoError> {
        self.load_with(name, &mut |_, _| ())
    }

    /// As [`Source::load`], telling `progress` again and again how many bytes of how many are done.
    ///
    /// # Errors
    /// As [`Source::load`].
    pub fn load_with(&self, name: Option<&str>, progress: &mut Progress<'_>) -> Result<Array, IoError> {
        self.read(name, progress).map_err(|e| e.at(&self.path, name))
    }

    fn read(&self, name: Option<&str>, progress: &mut Progress<'_>) -> Result<Array, Fault> {
        let options = &self.options;
        let data = match (&self.content, name) {
            (Content::Csv(table), _) => return table.load(name, progress),
            (Content::Npy { file, len }, None) => npy::read_at(file, 0, *len, options, progress)?,
            (Content::Npy { .. }, Some(key)) => return Err(Fault::KeyUnused { format: ".npy", key: key.into() }),
            (Content::Npz(npz), _) => npz.load(&self.pick(name)?, options, progress)?,
            (Content::Safetensors(tensors), _) => tensors.load(&self.pick(name)?, options, progress)?,
        };
        Ok(data.into())
    }

    /// The name given, or the only one there is.
    fn pick(&self, name: Option<&str>) -> Result<String, Fault> {
        match (name, self.names()) {
            (Some(name), _) => Ok(name.into()),
            (None, mut names) if names.len() == 1 => Ok(names.remove(0)),
            (None, available) => Err(Fault::KeyNeeded { available }),
        }
    }

    /// The dtype and shape of an array, without reading it; `None` for tables, which must be read to know.
    ///
    /// # Errors
    /// As [`Source::load`].
    pub fn info(&self, name: Option<&str>) -> Result<Option<(DType, Vec<usize>)>, IoError> {
        let found = match (&self.content, name) {
            (Content::Csv(_), _) => return Ok(None),
            (Content::Npy { .. }, Some(key)) => Err(Fault::KeyUnused { format: ".npy", key: key.into() }),
            (Content::Npy { file, len }, None) => {
                npy::header_at(file, 0, *len, &self.options.limits).map(|h| npy::info(&h))
            }
            (Content::Npz(npz), _) => self.pick(name).and_then(|name| npz.info(&name, &self.options)),
            (Content::Safetensors(tensors), _) => self.pick(name).and_then(|name| tensors.info(&name)),
        };
        found.map(Some).map_err(|e| e.at(&self.path, name))
    }
}

fn content(path: &Path, options: &Options) -> Result<Content, Fault> {
    let mut file = File::open(path)?;
    if file.metadata()?.is_dir() {
        return Err(std::io::Error::from(std::io::ErrorKind::IsADirectory).into());
    }
    if !file.metadata()?.is_file() {
        let mut spooled = tempfile::tempfile()?;
        std::io::copy(&mut file, &mut spooled)?;
        file = spooled;
    }
    let (len, file) = (file.metadata()?.len(), Arc::new(file));
    let mut start = Vec::new();
    FileAt::new(file.clone(), 0, 16).read_to_end(&mut start)?;
    Ok(match Format::of_file(path, &start)? {
        Format::Npy => {
            npy::header_at(&file, 0, len, &options.limits)?;
            Content::Npy { file, len }
        }
        Format::Npz => Content::Npz(Npz::open(file, len)?),
        Format::Safetensors => Content::Safetensors(Safetensors::open(file, len, options)?),
        Format::Csv => Content::Csv(Table::open(file, len, options.csv.clone())?),
    })
}
