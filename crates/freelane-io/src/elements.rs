//! Elements that lie in a file one after the other, as .npy, .npz and .safetensors have them.
use crate::npy::header::Header;
use crate::{Fault, Options, Progress, file_at::FileAt};
use freelane_array::{ArrayData, BytesError, DType, Kind, Layout};
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::sync::Arc;

/// Bytes between two calls of a progress hook.
const STEP: usize = 1 << 20;

/// What the bytes mean.
pub(crate) struct Elements {
    pub(crate) dtype: DType,
    /// Whether the bytes of each number are in the other order than this machine's.
    pub(crate) swapped: bool,
    pub(crate) layout: Layout,
}

impl Elements {
    fn bytes(&self) -> u64 {
        (self.layout.len() * self.dtype.size()) as u64
    }

    /// What a header says.
    pub(crate) fn of(header: &Header) -> Elements {
        Elements { dtype: header.dtype, swapped: header.swapped, layout: header.layout.clone() }
    }

    /// Whether elements at byte `at` of a file are many enough to be mapped, and lie as memory needs them.
    pub(crate) fn lie_well(&self, at: u64, options: &Options) -> bool {
        let as_they_are = !self.swapped && self.dtype != DType::Bool;
        as_they_are && at.is_multiple_of(self.dtype.align() as u64) && self.bytes() >= options.map_from
    }

    /// The elements at byte `at` of a file that is known to have them: mapped if they are many and lie well, else read.
    pub(crate) fn at(
        self,
        file: &Arc<File>,
        at: u64,
        options: &Options,
        progress: &mut Progress<'_>,
    ) -> Result<ArrayData, Fault> {
        if self.lie_well(at, options) {
            match ArrayData::map_file(file, at, self.dtype, self.layout.clone()) {
                // Not every file system maps; then the elements are read.
                Err(BytesError::Memory(_)) => {}
                mapped => return Ok(mapped?),
            }
        }
        let mut reader = FileAt::new(file.clone(), at, at + self.bytes());
        self.read(&mut reader, progress)
    }

    /// The elements that `reader` gives, in memory of their own.
    pub(crate) fn read(self, reader: &mut impl Read, progress: &mut Progress<'_>) -> Result<ArrayData, Fault> {
        let (dtype, swapped) = (self.dtype, self.swapped);
        ArrayData::from_bytes_with(dtype, self.layout, |bytes| {
            fill(bytes, reader, progress)?;
            if swapped {
                swap(dtype, bytes);
            }
            Ok(())
        })
    }
}

fn fill(bytes: &mut [u8], reader: &mut impl Read, progress: &mut Progress<'_>) -> Result<(), Fault> {
    let (mut done, total) = (0, bytes.len());
    while done < total {
        let step = &mut bytes[done..total.min(done + STEP)];
        match reader.read(step) {
            Ok(0) => {
                let (expected, found) = (total as u64, done as u64);
                return Err(Fault::Truncated { what: "the array", expected, found });
            }
            Ok(n) => done += n,
            Err(e) if e.kind() == ErrorKind::Interrupted => continue,
            Err(e) => return Err(e.into()),
        }
        progress(done as u64, total as u64);
    }
    Ok(())
}

/// Reverses the bytes of each number. A complex element is two numbers.
fn swap(dtype: DType, bytes: &mut [u8]) {
    let parts = if dtype.kind() == Kind::Complex { 2 } else { 1 };
    match dtype.size() / parts {
        2 => bytes.as_chunks_mut::<2>().0.iter_mut().for_each(|n| n.reverse()),
        4 => bytes.as_chunks_mut::<4>().0.iter_mut().for_each(|n| n.reverse()),
        8 => bytes.as_chunks_mut::<8>().0.iter_mut().for_each(|n| n.reverse()),
        _ => {}
    }
}
