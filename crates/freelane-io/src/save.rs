//! Writing files.
use crate::{Fault, Format, IoError, Progress, csv, npy, npz, safetensors};
use freelane_ops::Array;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// How files are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SaveOptions {
    /// Whether the arrays of a `.npz` file are deflated. Those that are not can be mapped.
    pub compress: bool,
}

/// Writes an array to a file in the format that its name ends in. In files of named arrays it is called `arr_0`.
///
/// The file appears whole or not at all, in place of an old one, whose contents stay with those who mapped it.
///
/// # Errors
/// When the format is unknown or cannot hold the array, or the system refuses.
pub fn save(path: impl AsRef<Path>, array: &Array) -> Result<(), IoError> {
    save_all(path, &[("arr_0", array)])
}

/// Writes named arrays to a file; `.npy` and `.csv` hold one, whose name is not written. Otherwise as [`save`].
///
/// # Errors
/// As [`save`]; also when two arrays have one name.
pub fn save_all(path: impl AsRef<Path>, arrays: &[(&str, &Array)]) -> Result<(), IoError> {
    save_with(path, arrays, SaveOptions::default(), &mut |_, _| ())
}

/// As [`save_all`], telling `progress` again and again how much of how much is done (bytes; in tables, elements).
///
/// # Errors
/// As [`save_all`].
pub fn save_with(
    path: impl AsRef<Path>,
    arrays: &[(&str, &Array)],
    options: SaveOptions,
    progress: &mut Progress<'_>,
) -> Result<(), IoError> {
    let path = path.as_ref();
    write(path, arrays, options, progress).map_err(|e| e.at(path, None))
}

fn write(
    path: &Path,
    arrays: &[(&str, &Array)],
    options: SaveOptions,
    progress: &mut Progress<'_>,
) -> Result<(), Fault> {
    let format = Format::of_name(path).ok_or(Fault::UnknownFormat { found: Vec::new() })?;
    check_names(format, arrays)?;
    replace(path, |file| {
        let mut out = BufWriter::with_capacity(1 << 16, file);
        match (format, arrays) {
            (Format::Npy, [(_, array)]) => npy::write(&mut out, array, progress)?,
            (Format::Csv, [(_, array)]) => csv::write(&mut out, array, progress)?,
            (Format::Npz, _) => out = npz::write(out, arrays, options.compress, progress)?,
            (Format::Safetensors, _) => safetensors::write(&mut out, arrays, progress)?,
            (Format::Npy | Format::Csv, _) => {
                let found = format!("there are {}", arrays.len());
                return Err(Fault::Unwritable { format: format.extension(), holds: "one array", found });
            }
        }
        Ok(out.flush()?)
    })
}

fn check_names(format: Format, arrays: &[(&str, &Array)]) -> Result<(), Fault> {
    let mut names: Vec<&str> = arrays.iter().map(|(name, _)| *name).collect();
    names.sort_unstable();
    match names.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => {
            let found = format!("two are called {}", crate::error::Shown(pair[0]));
            Err(Fault::Unwritable { format: format.extension(), holds: "arrays of different names", found })
        }
        None => Ok(()),
    }
}

/// Writes to a temporary neighbour that then takes the place of `path`. What is not a regular file is written to directly.
fn replace(path: &Path, write: impl FnOnce(&mut File) -> Result<(), Fault>) -> Result<(), Fault> {
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.into());
    let old = fs::metadata(&target).ok();
    if old.as_ref().is_some_and(|old| !old.is_file()) {
        return write(&mut File::options().write(true).open(target)?);
    }
    let mut new = neighbour(&target)?;
    if let Some(old) = old {
        new.as_file().set_permissions(old.permissions())?;
    }
    write(new.as_file_mut())?;
    new.persist(target).map_err(|e| Fault::System(e.error))?;
    Ok(())
}

/// A new file beside `target` with the permissions of new files. It goes if it is dropped.
fn neighbour(target: &Path) -> Result<tempfile::NamedTempFile, Fault> {
    let beside = target.parent().filter(|p| !p.as_os_str().is_empty()).map_or(PathBuf::from("."), Path::to_path_buf);
    let mut builder = tempfile::Builder::new();
    builder.prefix(".freelane-").suffix(".part");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    // Said by the system itself, not of a name that the user has never heard of.
    std::fs::metadata(&beside)?;
    Ok(builder.tempfile_in(beside)?)
}
