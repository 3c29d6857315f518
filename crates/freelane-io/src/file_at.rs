//! Reading a file from several threads at once.
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::sync::Arc;

/// A file with a position of its own, and an end. Clones share the file, not the position.
#[derive(Clone, Debug)]
pub(crate) struct FileAt {
    file: Arc<File>,
    start: u64,
    at: u64,
    end: u64,
}

impl FileAt {
    /// Bytes `start..end` of a file.
    pub(crate) fn new(file: Arc<File>, start: u64, end: u64) -> FileAt {
        FileAt { file, start, at: start, end }
    }
}

impl Read for FileAt {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let most = usize::try_from(self.end.saturating_sub(self.at)).unwrap_or(usize::MAX).min(bytes.len());
        let n = read_at(&self.file, &mut bytes[..most], self.at)?;
        self.at += n as u64;
        Ok(n)
    }
}

impl Seek for FileAt {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let at = match to {
            SeekFrom::Start(n) => self.start.checked_add(n),
            SeekFrom::End(n) => self.end.checked_add_signed(n),
            SeekFrom::Current(n) => self.at.checked_add_signed(n),
        };
        self.at = at.filter(|&at| at >= self.start).ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.at - self.start)
    }
}

#[cfg(unix)]
fn read_at(file: &File, bytes: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, bytes, at)
}

#[cfg(windows)]
fn read_at(file: &File, bytes: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, bytes, at)
}
