//! `.npy`: one array, as NumPy saves it.
//!
//! Read are versions 1.0, 2.0 and 3.0, both orders of axes (Fortran order becomes strides) and both orders of bytes
//! (swapped while copying). Written is what NumPy writes for a row-major array.
mod descr;
pub(crate) mod header;
mod literal;

use crate::elements::Elements;
use crate::{Fault, Limits, Options, Progress, file_at::FileAt};
use freelane_array::{ArrayData, DType};
use freelane_ops::{Array, Index, Slice};
use header::Header;
use std::fs::File;
use std::io::{BufReader, Read, Write};
use std::sync::Arc;

/// The header of the array in bytes `start..end` of a file; `data_at` counts from `start`.
pub(crate) fn header_at(file: &Arc<File>, start: u64, end: u64, limits: &Limits) -> Result<Header, Fault> {
    let mut reader = BufReader::with_capacity(256, FileAt::new(file.clone(), start, end));
    let header = header::read(&mut reader, end - start, limits)?;
    header.check_len(end - start)?;
    Ok(header)
}

/// The array in bytes `start..end` of a file.
pub(crate) fn read_at(
    file: &Arc<File>,
    start: u64,
    end: u64,
    options: &Options,
    progress: &mut Progress<'_>,
) -> Result<ArrayData, Fault> {
    let header = header_at(file, start, end, &options.limits)?;
    Elements::of(&header).at(file, start + header.data_at, options, progress)
}

/// The array that a reader gives, which says to have `total` bytes. Never takes more memory than the header declares.
pub(crate) fn read_stream(
    reader: &mut impl Read,
    total: u64,
    limits: &Limits,
    progress: &mut Progress<'_>,
) -> Result<ArrayData, Fault> {
    let header = header::read(reader, total, limits)?;
    header.check_len(total)?;
    let data = Elements::of(&header).read(reader, progress)?;
    match reader.take(1).read_to_end(&mut Vec::new())? {
        0 => Ok(data),
        _ => Err(Fault::Trailing { expected: total, found: total + 1 }),
    }
}

/// Bytes of the file that holds `array`.
pub(crate) fn file_len(array: &Array) -> u64 {
    header::write(array.dtype(), array.shape()).len() as u64 + array.nbytes() as u64
}

/// Writes an array in row-major order.
pub(crate) fn write(out: &mut impl Write, array: &Array, progress: &mut Progress<'_>) -> Result<(), Fault> {
    out.write_all(&header::write(array.dtype(), array.shape()))?;
    write_elements(out, array, progress)
}

/// Writes the elements in row-major order, those of a strided array block by block, without a second copy of it all.
pub(crate) fn write_elements(out: &mut impl Write, array: &Array, progress: &mut Progress<'_>) -> Result<(), Fault> {
    let (mut done, total) = (0, array.nbytes() as u64);
    blocks(array, &mut |bytes| {
        for step in bytes.chunks(BLOCK) {
            out.write_all(step)?;
            done += step.len() as u64;
            progress(done, total);
        }
        Ok(())
    })
}

/// Bytes written at once.
const BLOCK: usize = 1 << 20;

/// Hands the bytes of the elements, in row-major order, to `write`.
fn blocks(array: &Array, write: &mut dyn FnMut(&[u8]) -> Result<(), Fault>) -> Result<(), Fault> {
    if let Some(bytes) = array.data().as_bytes() {
        return write(bytes);
    }
    if array.nbytes() <= BLOCK {
        return blocks(&array.contiguous()?, write);
    }
    let rows = array.shape()[0];
    let step = (BLOCK / (array.nbytes() / rows).max(1)).max(1);
    for start in (0..rows).step_by(step) {
        let index = match step {
            1 => Index::At(start as isize),
            _ => Slice { start: Some(start as isize), stop: Some((start + step) as isize), step: 1 }.into(),
        };
        blocks(&array.index(&[index])?, write)?;
    }
    Ok(())
}

/// The dtype and shape in a header.
pub(crate) fn info(header: &Header) -> (DType, Vec<usize>) {
    (header.dtype, header.layout.shape().to_vec())
}
