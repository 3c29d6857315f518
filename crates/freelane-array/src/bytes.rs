//! Arrays from bytes, and bytes from arrays, without a word of `unsafe` for the caller.
use crate::{ArrayData, ArrayError, DType, Layout, element_count};
use freelane_mem::{Buffer, BufferMut, MemError};
use std::fs::File;

/// Why bytes did not become an array.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BytesError {
    /// The layout has gaps, is too large, or does not fit.
    #[error(transparent)]
    Array(#[from] ArrayError),
    /// Memory could not be had, or the file not be mapped.
    #[error(transparent)]
    Memory(#[from] MemError),
    /// A byte that is no bool.
    #[error("byte {at} is {byte}, but a bool is 0 or 1")]
    NotBool {
        /// The byte's position in the array.
        at: usize,
        /// Its value.
        byte: u8,
    },
}

impl ArrayData {
    /// A new array whose bytes `fill` writes, in native byte order and in the order of `layout`. They are zero before.
    ///
    /// ```
    /// # use freelane_array::{ArrayData, BytesError, DType, Layout};
    /// let x = ArrayData::from_bytes_with(DType::U16, Layout::contiguous(&[2])?, |bytes| {
    ///     bytes.copy_from_slice(&[1u16.to_ne_bytes(), 2u16.to_ne_bytes()].concat());
    ///     Ok::<_, BytesError>(())
    /// })?;
    /// assert_eq!(x.view::<u16>()?.as_slice(), Some(&[1, 2][..]));
    /// # Ok::<(), BytesError>(())
    /// ```
    ///
    /// # Errors
    /// When the layout has gaps, memory cannot be had, `fill` fails, or a byte of a bool array is neither 0 nor 1.
    pub fn from_bytes_with<E: From<BytesError>>(
        dtype: DType,
        layout: Layout,
        fill: impl FnOnce(&mut [u8]) -> Result<(), E>,
    ) -> Result<ArrayData, E> {
        let mut buffer = zeroed(dtype, &layout)?;
        // SAFETY: zeroed memory is initialised.
        let bytes = unsafe { buffer.as_mut_slice() };
        fill(bytes)?;
        check_values(dtype, bytes)?;
        // SAFETY: all bytes are initialised, and `check_values` says that they are values of the dtype.
        Ok(unsafe { ArrayData::new(buffer.freeze(), dtype, layout) }.map_err(BytesError::from)?)
    }

    /// The elements that lie in a file from byte `offset` on, in native byte order, mapped and not read.
    ///
    /// Pages come in as they are used. Bool elements are copied, since not every byte is a bool.
    ///
    /// Whoever reads the array relies on nobody changing or cutting the file meanwhile; reading what was cut off ends
    /// the process.
    ///
    /// # Errors
    /// When the layout has gaps, the file is too short, `offset` is not aligned for the dtype, or mapping fails.
    pub fn map_file(file: &File, offset: u64, dtype: DType, layout: Layout) -> Result<ArrayData, BytesError> {
        let buffer = Buffer::map_part(file, offset, Some(byte_count(dtype, &layout)?))?;
        if dtype == DType::Bool {
            // SAFETY: a mapped file is initialised.
            let mapped = unsafe { buffer.as_slice() };
            return ArrayData::from_bytes_with(dtype, layout, |bytes| {
                bytes.copy_from_slice(mapped);
                Ok(())
            });
        }
        // SAFETY: a mapped file is initialised, and any bytes are values of a dtype that is not bool.
        Ok(unsafe { ArrayData::new(buffer, dtype, layout) }?)
    }

    /// The elements' bytes in native byte order, if they lie in row-major order without gaps.
    pub fn as_bytes(&self) -> Option<&[u8]> {
        if self.layout().is_empty() {
            return Some(&[]);
        }
        let bytes = self.layout().len() * self.dtype().size();
        // SAFETY: contiguous: `len` elements lie in a row from `as_ptr`, initialised, and no element type has padding.
        self.layout().is_contiguous().then(|| unsafe { std::slice::from_raw_parts(self.as_ptr(), bytes) })
    }
}

fn zeroed(dtype: DType, layout: &Layout) -> Result<BufferMut, BytesError> {
    Ok(BufferMut::zeroed(byte_count(dtype, layout)?)?)
}

/// The bytes of a layout without gaps.
fn byte_count(dtype: DType, layout: &Layout) -> Result<usize, ArrayError> {
    layout.fits(layout.len())?;
    Ok(element_count(layout.shape(), dtype.size())? * dtype.size())
}

fn check_values(dtype: DType, bytes: &[u8]) -> Result<(), BytesError> {
    if dtype != DType::Bool || bytes.iter().fold(0, |all, byte| all | byte) <= 1 {
        return Ok(());
    }
    let at = bytes.iter().position(|&byte| byte > 1).unwrap_or(0);
    Err(BytesError::NotBool { at, byte: bytes[at] })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bools_are_checked() {
        let of = |bytes: [u8; 3]| {
            ArrayData::from_bytes_with(DType::Bool, Layout::contiguous(&[3]).unwrap(), |b| {
                b.copy_from_slice(&bytes);
                Ok::<_, BytesError>(())
            })
        };
        assert_eq!(of([0, 1, 1]).unwrap().as_bytes(), Some(&[0, 1, 1][..]));
        assert!(matches!(of([0, 1, 7]), Err(BytesError::NotBool { at: 2, byte: 7 })));
    }

    #[test]
    fn gaps_and_absurd_sizes_are_errors() {
        let of = |layout| ArrayData::from_bytes_with(DType::F64, layout, |_| Ok::<_, BytesError>(()));
        assert!(of(Layout::strided(&[3], &[2], 0).unwrap()).is_err());
        assert!(of(Layout::contiguous(&[1 << 62]).unwrap()).is_err());
        assert!(of(Layout::contiguous(&[1 << 58]).unwrap()).is_err());
        assert_eq!(of(Layout::contiguous(&[0, 1 << 60]).unwrap()).unwrap().as_bytes(), Some(&[][..]));
        assert_eq!(of(Layout::contiguous(&[2, 3]).unwrap().reverse_axes()).unwrap().as_bytes(), None);
    }

    #[test]
    #[cfg_attr(miri, ignore = "maps files")]
    fn files_are_mapped() {
        let path = std::env::temp_dir().join(format!("freelane-array-{}.bin", std::process::id()));
        std::fs::write(&path, [0, 0, 0, 0, 1, 0, 2, 0]).unwrap();
        let file = File::open(&path).unwrap();
        let layout = || Layout::contiguous(&[2]).unwrap();
        let x = ArrayData::map_file(&file, 4, DType::U16, layout()).unwrap();
        assert_eq!(x.as_bytes(), Some(&[1, 0, 2, 0][..]));
        assert!(matches!(
            ArrayData::map_file(&file, 3, DType::U16, layout()),
            Err(BytesError::Array(ArrayError::Misaligned { .. }))
        ));
        assert!(ArrayData::map_file(&file, 6, DType::U16, layout()).is_err());
        assert!(ArrayData::map_file(&file, 5, DType::Bool, layout()).is_err());
        assert!(ArrayData::map_file(&file, 4, DType::Bool, layout()).is_ok());
        std::fs::remove_file(path).unwrap();
    }
}
