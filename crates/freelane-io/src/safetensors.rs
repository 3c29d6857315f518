//! `.safetensors`: named arrays behind a header in JSON.
//!
//! The `safetensors` crate parses and checks the header: elements lie without holes or overlaps, sizes agree with shapes and
//! types, nothing overflows. Added here are the bounds on its length and the comparison with the file's.
use crate::elements::Elements;
use crate::error::cut;
use crate::{Fault, Options, Progress, file_at::FileAt, npy};
use ::safetensors::tensor::{Dtype, Metadata, TensorInfo};
use freelane_array::{ArrayData, DType, Layout};
use freelane_ops::Array;
use std::fs::File;
use std::io::{Read, Write};
use std::sync::Arc;

const WHAT: &str = ".safetensors header";

/// A file, opened.
pub(crate) struct Safetensors {
    file: Arc<File>,
    header: Metadata,
    data_at: u64,
}

impl Safetensors {
    pub(crate) fn open(file: Arc<File>, len: u64, options: &Options) -> Result<Safetensors, Fault> {
        let text_len = header_len(&file, len, options)?;
        let mut text = Vec::new();
        FileAt::new(file.clone(), 8, 8 + text_len).read_to_end(&mut text)?;
        let header: Metadata =
            serde_json::from_slice(&text).map_err(|e| Fault::malformed(WHAT, cut(&e.to_string())))?;
        let data_at = 8 + text_len;
        let (expected, found) = (header.data_len() as u64, len.saturating_sub(data_at));
        match found {
            _ if found < expected => Err(Fault::Truncated { what: "the data", expected, found }),
            _ if found > expected => Err(Fault::Trailing { expected, found }),
            _ => Ok(Safetensors { file, header, data_at }),
        }
    }

    pub(crate) fn names(&self) -> Vec<String> {
        self.header.offset_keys()
    }

    fn elements(&self, name: &str) -> Result<(Elements, u64), Fault> {
        let missing = || Fault::NoSuchKey { key: name.into(), available: self.names() };
        let info = self.header.info(name).ok_or_else(missing)?;
        let found = info.dtype.to_string();
        let Some(dtype) = DType::ALL.iter().copied().find(|d| d.safetensors_name() == found) else {
            return Err(Fault::DType { found, way_out: "convert to BF16, F16 or F32 before saving" });
        };
        // The file is little endian.
        let swapped = cfg!(target_endian = "big") && dtype.size() > 1;
        let layout = Layout::contiguous(&info.shape)?;
        Ok((Elements { dtype, swapped, layout }, self.data_at + info.data_offsets.0 as u64))
    }

    pub(crate) fn info(&self, name: &str) -> Result<(DType, Vec<usize>), Fault> {
        let (elements, _) = self.elements(name)?;
        Ok((elements.dtype, elements.layout.shape().to_vec()))
    }

    pub(crate) fn load(&self, name: &str, options: &Options, progress: &mut Progress<'_>) -> Result<ArrayData, Fault> {
        let (elements, at) = self.elements(name)?;
        elements.at(&self.file, at, options, progress)
    }
}

fn header_len(file: &Arc<File>, len: u64, options: &Options) -> Result<u64, Fault> {
    let mut start = Vec::new();
    FileAt::new(file.clone(), 0, 8).read_to_end(&mut start)?;
    let found = start.len() as u64;
    let start = start.try_into().map_err(|_| Fault::Truncated { what: "the header's length", expected: 8, found })?;
    let (expected, found) = (u64::from_le_bytes(start), len.saturating_sub(8));
    if expected > found {
        return Err(Fault::Truncated { what: "the header", expected, found });
    }
    let limit = options.limits.safetensors_header;
    if expected > limit {
        return Err(Fault::Limit { what: "the header's length", found: expected, limit });
    }
    Ok(expected)
}

/// Whether a file starts like one of these: the length of the header, then its opening bracket.
pub(crate) fn looks_like(start: &[u8]) -> bool {
    start.len() > 8 && start[8] == b'{' && start[4..8] == [0; 4]
}

/// Writes named arrays. Those of wide elements come first, so that all of them are aligned.
pub(crate) fn write(out: &mut impl Write, arrays: &[(&str, &Array)], progress: &mut Progress<'_>) -> Result<(), Fault> {
    let mut sorted = arrays.to_vec();
    sorted.sort_by_key(|(name, a)| (std::cmp::Reverse(a.dtype().align()), *name));
    let (mut infos, mut at) = (Vec::new(), 0);
    for (name, array) in &sorted {
        let info = TensorInfo {
            dtype: dtype(array.dtype())?,
            shape: array.shape().to_vec(),
            data_offsets: (at, at + array.nbytes()),
        };
        at += array.nbytes();
        infos.push(((*name).to_owned(), info));
    }
    out.write_all(&header(infos)?)?;
    let mut before = 0;
    for (_, array) in sorted {
        npy::write_elements(out, array, &mut |done, _| progress(before + done, at as u64))?;
        before += array.nbytes() as u64;
    }
    Ok(())
}

/// The header with its length, padded so that the data are aligned.
fn header(infos: Vec<(String, TensorInfo)>) -> Result<Vec<u8>, Fault> {
    let problem = |e: String| Fault::malformed(WHAT, e);
    let header = Metadata::new(None, infos).map_err(|e| problem(e.to_string()))?;
    let mut text = serde_json::to_vec(&header).map_err(|e| problem(e.to_string()))?;
    text.resize((text.len() + 8).next_multiple_of(64) - 8, b' ');
    Ok([&(text.len() as u64).to_le_bytes()[..], &text].concat())
}

fn dtype(dtype: DType) -> Result<Dtype, Fault> {
    const HOLDS: &str = "no complex numbers of 128 bits";
    let quoted = format!("\"{}\"", dtype.safetensors_name());
    serde_json::from_str(&quoted).map_err(|_| Fault::unwritable(".safetensors", HOLDS, dtype))
}
