//! `.npz`: a zip archive of .npy files.
//!
//! The directory is read by hand and not by the `zip` crate, which writes the files here: that crate reserves memory for as
//! many entries as a file claims to have, and gives up the process when that fails. Read is what honest files have: entries
//! stored or deflated, on one disk, not encrypted, side by side. Overlapping ones, of which bombs are made, are refused.
mod directory;

use crate::elements::Elements;
use crate::{Fault, Options, Progress, file_at::FileAt, npy};
use directory::{Entry, Method};
use flate2::CrcReader;
use flate2::read::DeflateDecoder;
use freelane_array::{ArrayData, DType};
use freelane_ops::Array;
use std::fs::File;
use std::io::{BufReader, Read, Seek, Write};
use std::sync::Arc;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

pub(crate) const MAGIC: &[u8; 2] = b"PK";

/// An archive, opened.
pub(crate) struct Npz {
    file: Arc<File>,
    entries: Vec<Entry>,
}

impl Npz {
    pub(crate) fn open(file: Arc<File>, len: u64) -> Result<Npz, Fault> {
        let entries = directory::read(&file, len)?;
        Ok(Npz { file, entries })
    }

    /// The names of the arrays: those of the entries without their `.npy`.
    pub(crate) fn names(&self) -> Vec<String> {
        self.entries.iter().map(|e| key(&e.name).to_owned()).collect()
    }

    fn entry(&self, name: &str) -> Result<&Entry, Fault> {
        let mut found = self.entries.iter().filter(|e| key(&e.name) == name || e.name == name);
        found.next().ok_or_else(|| Fault::NoSuchKey { key: name.into(), available: self.names() })
    }

    pub(crate) fn info(&self, name: &str, options: &Options) -> Result<(DType, Vec<usize>), Fault> {
        let entry = self.entry(name)?;
        let mut reader = self.reader(entry)?;
        npy::header::read(&mut reader, entry.size, &options.limits).map(|h| npy::info(&h))
    }

    pub(crate) fn load(&self, name: &str, options: &Options, progress: &mut Progress<'_>) -> Result<ArrayData, Fault> {
        let entry = self.entry(name)?;
        if entry.method == Method::Stored {
            let (start, end) = entry.data(&self.file)?;
            let header = npy::header_at(&self.file, start, end, &options.limits)?;
            let elements = Elements::of(&header);
            if elements.lie_well(start + header.data_at, options) {
                return elements.at(&self.file, start + header.data_at, options, progress);
            }
        }
        check_expansion(entry, options)?;
        let mut reader = CrcReader::new(self.reader(entry)?);
        let data = npy::read_stream(&mut reader, entry.size, &options.limits, progress)?;
        check_crc(entry, reader.crc().sum())?;
        Ok(data)
    }

    /// The bytes of an entry, expanded.
    fn reader(&self, entry: &Entry) -> Result<Box<dyn Read>, Fault> {
        let (start, end) = entry.data(&self.file)?;
        let packed = BufReader::with_capacity(1 << 16, FileAt::new(self.file.clone(), start, end));
        Ok(match entry.method {
            Method::Stored => Box::new(packed),
            Method::Deflated => Box::new(DeflateDecoder::new(packed)),
        })
    }
}

/// Refuses sizes that no honest entry has.
fn check_expansion(entry: &Entry, options: &Options) -> Result<(), Fault> {
    /// Deflate makes at most this much of a byte.
    const MOST: u64 = 1032;
    let limits = &options.limits;
    if entry.method == Method::Deflated && entry.size / MOST > entry.packed {
        let problem = format!("{} bytes cannot come from {} compressed ones", entry.size, entry.packed);
        return Err(Fault::malformed(directory::WHAT, problem));
    }
    let times = entry.size / entry.packed.max(1);
    if entry.size > limits.expanded_freely && times > limits.expansion {
        return Err(Fault::Limit { what: "the expansion of a large entry", found: times, limit: limits.expansion });
    }
    Ok(())
}

fn check_crc(entry: &Entry, found: u32) -> Result<(), Fault> {
    let problem = || format!("checksum {found:08x}, expected {:08x}", entry.crc);
    if found == entry.crc { Ok(()) } else { Err(Fault::malformed(".npz entry", problem())) }
}

fn key(entry_name: &str) -> &str {
    entry_name.strip_suffix(".npy").unwrap_or(entry_name)
}

/// Writes an archive of named arrays.
pub(crate) fn write<W: Write + Seek>(
    out: W,
    arrays: &[(&str, &Array)],
    compress: bool,
    progress: &mut Progress<'_>,
) -> Result<W, Fault> {
    let total = arrays.iter().map(|(_, a)| a.nbytes() as u64).sum();
    let method = if compress { CompressionMethod::Deflated } else { CompressionMethod::Stored };
    // Aligned, so that stored arrays can be mapped.
    let options = SimpleFileOptions::default().compression_method(method).with_alignment(64);
    let (mut zip, mut before) = (ZipWriter::new(out), 0);
    for (name, array) in arrays {
        // Deflate makes incompressible data a little larger.
        let large = npy::file_len(array) > u64::from(u32::MAX) / 100 * 99;
        zip.start_file(format!("{name}.npy"), options.large_file(large)).map_err(refused)?;
        npy::write(&mut zip, array, &mut |done, _| progress(before + done, total))?;
        before += array.nbytes() as u64;
    }
    zip.finish().map_err(refused)
}

fn refused(e: zip::result::ZipError) -> Fault {
    match e {
        zip::result::ZipError::Io(e) => Fault::System(e),
        other => Fault::malformed(".npz entry", other.to_string()),
    }
}
