//! Files as memory.

use crate::block::{Foreign, Source};
use crate::lane_heap::LaneHeap;
use crate::process::Process;
use crate::{Buffer, MemError, heap};
use memmap2::MmapOptions;
use std::fs::File;
use std::io;
use std::path::Path;
use std::ptr::NonNull;

/// Mappings from this size on are unmapped by the reclaim thread.
const LARGE: usize = 1 << 20;

impl Buffer {
    /// A file's contents, read only, paged in as they are used.
    ///
    /// Whoever reads the memory relies on nobody changing or cutting the file meanwhile; reading what was cut off ends the
    /// process.
    pub fn map_file(path: impl AsRef<Path>) -> Result<Buffer, MemError> {
        let file = File::open(path).map_err(failed)?;
        Buffer::map_part(&file, 0, None)
    }

    /// The `len` bytes of a file from `offset` on, or all from there to its end; as [`map_file`](Buffer::map_file).
    pub fn map_part(file: &File, offset: u64, len: Option<usize>) -> Result<Buffer, MemError> {
        let len = part(file.metadata().map_err(failed)?.len(), offset, len)?;
        if len == 0 {
            let foreign = foreign(NonNull::<u64>::dangling().cast(), 0, Box::new(|| ()));
            // SAFETY: there is no memory.
            return Ok(unsafe { Buffer::from_block(heap::adopt(foreign)?) });
        }
        // SAFETY: the mapping is private to the buffer, which makes no references to it (see `as_slice`).
        let map = unsafe { MmapOptions::new().offset(offset).len(len).map(file) }.map_err(failed)?;
        let ptr = NonNull::from(&*map).cast();
        // SAFETY: the mapping is moved into the destructor, so it stays until that runs.
        Ok(unsafe { Buffer::from_block(heap::adopt(foreign(ptr, len, unmapper(map, len)))?) })
    }
}

fn foreign(ptr: NonNull<u8>, len: usize, unmap: Box<dyn FnOnce() + Send>) -> Foreign {
    Foreign { ptr, len, align: 1, read_only: true, source: Source::Told(unmap) }
}

fn unmapper(map: memmap2::Mmap, len: usize) -> Box<dyn FnOnce() + Send> {
    if len < LARGE {
        return Box::new(move || drop(map));
    }
    Box::new(move || {
        let may_wait = LaneHeap::get().may_wait.get();
        Process::here().reclaimer.give_call(len, may_wait, Box::new(move || drop(map)));
    })
}

fn part(file_bytes: u64, offset: u64, len: Option<usize>) -> Result<usize, MemError> {
    let rest = file_bytes.saturating_sub(offset);
    let len = len.map_or(rest, |len| len as u64);
    let end = offset.saturating_add(len);
    if offset > file_bytes || end > file_bytes {
        return Err(MemError::BeyondFile { offset, end, file_bytes });
    }
    usize::try_from(len).map_err(|_| MemError::TooLarge { bytes: usize::MAX })
}

fn failed(source: io::Error) -> MemError {
    MemError::Map { source }
}
