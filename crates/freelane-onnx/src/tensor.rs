//! Tensors as arrays.
//!
//! The elements lie in the model, in one of several fields by their type, or in a file beside it. Before memory is taken,
//! their number is compared with the lengths of the axes.
use crate::error::shown;
use crate::narrow::Narrow;
use crate::proto::Tensor;
use crate::{DataType, Fault};
use freelane_array::{ArrayData, BytesError, DType, Element, Layout, with_dtype};
use freelane_ops::Array;
use half::{bf16, f16};
use num_complex::Complex;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Component, Path, PathBuf};

/// Where the files of external data may lie.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExternalData {
    /// Nowhere: the model came as bytes.
    Refused,
    /// In this folder or below.
    Below(PathBuf),
}

/// A tensor as an array.
///
/// # Errors
/// When its type is unknown or has no arrays, its elements are more or fewer than its shape says, or lie where they may not.
pub fn array_of(tensor: &Tensor<'_>, external: &ExternalData) -> Result<Array, Fault> {
    let layout = Layout::contiguous(&shape_of(tensor)?)?;
    if let Some(kind) = DataType::of(tensor.data_type)?.narrow() {
        return narrow_array(tensor, kind, &layout, external);
    }
    let dtype = DataType::of(tensor.data_type)?.dtype()?;
    if tensor.data_location == 1 || !tensor.external_data.is_empty() {
        return from_file(tensor, dtype, layout, external);
    }
    match tensor.raw_data {
        Some(bytes) => from_bytes(bytes, dtype, layout),
        None => from_fields(tensor, dtype, &layout),
    }
}

/// A tensor of elements that arrays carry as wider ones.
fn narrow_array(tensor: &Tensor<'_>, kind: Narrow, layout: &Layout, external: &ExternalData) -> Result<Array, Fault> {
    if tensor.data_location == 1 || !tensor.external_data.is_empty() {
        let bytes = Layout::contiguous(&[kind.bytes(layout.len())])?;
        return kind.array(&from_file(tensor, DType::U8, bytes, external)?.to_vec::<u8>()?, layout);
    }
    match tensor.raw_data {
        Some(bytes) => kind.array(bytes, layout),
        None => {
            // Signed bytes too may stand for the bits.
            let bytes = tensor.int32_data.iter().map(|&v| narrow_byte(v)).collect::<Result<Vec<u8>, _>>()?;
            kind.array(&bytes, layout)
        }
    }
}

fn narrow_byte(v: i64) -> Result<u8, Fault> {
    i8::try_from(v).map_or_else(|_| narrow(v), |v| Ok(v as u8))
}

fn shape_of(tensor: &Tensor<'_>) -> Result<Vec<usize>, Fault> {
    let length = |&d: &i64| {
        usize::try_from(d).map_err(|_| Fault::Invalid(format!("an axis cannot have the length {d}, only zero or more")))
    };
    tensor.dims.iter().map(length).collect()
}

fn from_bytes(bytes: &[u8], dtype: DType, layout: Layout) -> Result<Array, Fault> {
    let expected = layout.len().checked_mul(dtype.size());
    if expected != Some(bytes.len()) {
        return Err(Fault::Invalid(format!(
            "{} bytes of data for {} elements of {dtype} with shape {:?}",
            bytes.len(),
            layout.len(),
            layout.shape()
        )));
    }
    let filled = ArrayData::from_bytes_with(dtype, layout, |memory| {
        memory.copy_from_slice(bytes);
        Ok::<_, BytesError>(())
    });
    filled.map(Array::from).map_err(|e| Fault::Invalid(e.to_string()))
}

fn from_fields(tensor: &Tensor<'_>, dtype: DType, layout: &Layout) -> Result<Array, Fault> {
    let t = tensor;
    match dtype {
        DType::F32 => values(layout, &t.float_data, |&v| Ok(v)),
        DType::F64 => values(layout, &t.double_data, |&v| Ok(v)),
        DType::I64 => values(layout, &t.int64_data, |&v| Ok(v)),
        DType::U64 => values(layout, &t.uint64_data, |&v| Ok(v as u64)),
        DType::U32 => values(layout, &t.uint64_data, |&v| narrow::<u32>(v)),
        DType::I32 => values(layout, &t.int32_data, |&v| narrow::<i32>(v)),
        DType::I16 => values(layout, &t.int32_data, |&v| narrow::<i16>(v)),
        DType::I8 => values(layout, &t.int32_data, |&v| narrow::<i8>(v)),
        DType::U16 => values(layout, &t.int32_data, |&v| narrow::<u16>(v)),
        DType::U8 => values(layout, &t.int32_data, |&v| narrow::<u8>(v)),
        DType::Bool => values(layout, &t.int32_data, |&v| Ok(v != 0)),
        DType::F16 => values(layout, &t.int32_data, |&v| Ok(f16::from_bits(narrow(v)?))),
        DType::BF16 => values(layout, &t.int32_data, |&v| Ok(bf16::from_bits(narrow(v)?))),
        DType::C64 => {
            let (pairs, []) = t.float_data.as_chunks::<2>() else { return Err(odd(t.float_data.len())) };
            values(layout, pairs, |&[re, im]| Ok(Complex::new(re, im)))
        }
        DType::C128 => {
            let (pairs, []) = t.double_data.as_chunks::<2>() else { return Err(odd(t.double_data.len())) };
            values(layout, pairs, |&[re, im]| Ok(Complex::new(re, im)))
        }
    }
}

fn odd(n: usize) -> Fault {
    Fault::Invalid(format!("{n} numbers are no whole number of complex ones"))
}

fn narrow<T: TryFrom<i64>>(value: i64) -> Result<T, Fault> {
    T::try_from(value).map_err(|_| Fault::Invalid(format!("the element {value} does not fit its type")))
}

fn values<S, T: Element>(layout: &Layout, source: &[S], f: impl Fn(&S) -> Result<T, Fault>) -> Result<Array, Fault> {
    if source.len() != layout.len() {
        let (found, n, shape) = (source.len(), layout.len(), layout.shape());
        return Err(Fault::Invalid(format!("{found} elements of data for {n} of shape {shape:?}")));
    }
    let values = source.iter().map(f).collect::<Result<Vec<T>, _>>()?;
    Ok(Array::from_vec(values, layout.shape())?)
}

/// What a tensor says of the file with its elements.
struct Location<'a> {
    path: &'a str,
    offset: u64,
    length: Option<u64>,
}

fn location<'a>(tensor: &Tensor<'a>) -> Result<Location<'a>, Fault> {
    let number = |text: &str| {
        text.parse::<u64>()
            .map_err(|_| Fault::Invalid(format!("external data: '{}' is no number of bytes", shown(text))))
    };
    let mut found = Location { path: "", offset: 0, length: None };
    for entry in &tensor.external_data {
        match entry.key {
            "location" => found.path = entry.value,
            "offset" => found.offset = number(entry.value)?,
            "length" => found.length = Some(number(entry.value)?),
            _ => {}
        }
    }
    Ok(found)
}

fn from_file(tensor: &Tensor<'_>, dtype: DType, layout: Layout, external: &ExternalData) -> Result<Array, Fault> {
    let place = location(tensor)?;
    let ExternalData::Below(folder) = external else {
        return Err(Fault::Invalid(format!(
            "the elements lie in the file '{}', and a model from memory has no files beside it; load it by its path",
            shown(place.path)
        )));
    };
    let expected = layout.len().saturating_mul(dtype.size()) as u64;
    if place.length.is_some_and(|n| n != expected) {
        let found = place.length.unwrap_or(0);
        return Err(Fault::Invalid(format!("external data: {found} bytes for a tensor of {expected}")));
    }
    let path = inside(folder, place.path)?;
    let file = File::open(&path).map_err(|e| cannot_open(&path, &e))?;
    if layout.is_empty() {
        return Ok(with_dtype!(dtype, T => Array::from_vec::<T>(vec![], layout.shape()))?);
    }
    let wrong = |e: BytesError| Fault::Invalid(format!("{}: {e}", shown(place.path)));
    if place.offset % dtype.align() as u64 != 0 {
        return read_part(&file, place.offset, dtype, layout).map_err(|e| wrong_part(place.path, e));
    }
    ArrayData::map_file(&file, place.offset, dtype, layout).map(Array::from).map_err(wrong)
}

/// Elements at a place that no mapped memory could have them at: copied.
fn read_part(file: &File, offset: u64, dtype: DType, layout: Layout) -> Result<Array, PartError> {
    let needed = layout.len().saturating_mul(dtype.size()) as u64;
    let end = offset.checked_add(needed).filter(|&end| file.metadata().is_ok_and(|m| end <= m.len()));
    end.ok_or(PartError::Short)?;
    let data =
        ArrayData::from_bytes_with(dtype, layout, |bytes| Ok::<_, PartError>(file.read_exact_at(bytes, offset)?));
    data.map(Array::from)
}

/// Why a part of a file did not become a tensor.
#[derive(Debug, thiserror::Error)]
enum PartError {
    #[error("the file ends before the tensor does")]
    Short,
    #[error(transparent)]
    Bytes(#[from] BytesError),
    #[error(transparent)]
    System(#[from] std::io::Error),
}

fn wrong_part(path: &str, e: PartError) -> Fault {
    Fault::Invalid(format!("{}: {e}", shown(path)))
}

fn cannot_open(path: &Path, e: &std::io::Error) -> Fault {
    Fault::Invalid(format!("external data: {}: {e}", shown(&path.display().to_string())))
}

/// The path of a file below a folder; links that lead out of it are refused too.
fn inside(folder: &Path, path: &str) -> Result<PathBuf, Fault> {
    let refused = || {
        let path = shown(path);
        Fault::Invalid(format!(
            "external data: '{path}' is not a file in the model's folder or below, which alone is read"
        ))
    };
    let plain = |c: Component<'_>| matches!(c, Component::Normal(_) | Component::CurDir);
    if path.is_empty() || path.contains('\0') || !Path::new(path).components().all(plain) {
        return Err(refused());
    }
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let root = folder.canonicalize().map_err(|e| cannot_open(folder, &e))?;
    let named = root.join(path);
    let real = named.canonicalize().map_err(|e| cannot_open(&named, &e))?;
    if real.starts_with(&root) && real.is_file() { Ok(real) } else { Err(refused()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proto::StringStringEntry;

    fn tensor<'a>(data_type: i64, dims: &[i64]) -> Tensor<'a> {
        Tensor { data_type, dims: dims.to_vec(), ..Tensor::default() }
    }

    fn read(tensor: &Tensor<'_>) -> Result<Array, String> {
        array_of(tensor, &ExternalData::Refused).map_err(|e| e.to_string())
    }

    #[test]
    fn elements_of_all_fields() {
        let floats = Tensor { float_data: vec![1.5, -2.0], ..tensor(1, &[2]) };
        assert_eq!(read(&floats).unwrap().to_vec::<f32>().unwrap(), [1.5, -2.0]);
        let bytes = [0, 0, 0x80, 0x3f];
        let raw = Tensor { raw_data: Some(&bytes), ..tensor(1, &[1, 1]) };
        assert_eq!(read(&raw).unwrap().to_vec::<f32>().unwrap(), [1.0]);
        let halves = Tensor { int32_data: vec![0x3c00], ..tensor(10, &[]) };
        assert_eq!(read(&halves).unwrap().to_vec::<f16>().unwrap(), [f16::ONE]);
        let large = Tensor { uint64_data: vec![-1], ..tensor(13, &[1]) };
        assert_eq!(read(&large).unwrap().to_vec::<u64>().unwrap(), [u64::MAX]);
        let complex = Tensor { double_data: vec![1.0, 2.0], ..tensor(15, &[1]) };
        assert_eq!(read(&complex).unwrap().to_vec::<Complex<f64>>().unwrap(), [Complex::new(1.0, 2.0)]);
        assert_eq!(read(&tensor(7, &[0, 3])).unwrap().shape(), [0, 3]);
    }

    #[test]
    fn faults() {
        let faulty = [
            (tensor(99, &[]), "99 is no tensor data type; the standard has 1 (float) to 26 (int2)"),
            (tensor(1, &[-1]), "an axis cannot have the length -1, only zero or more"),
            (tensor(1, &[1 << 62, 4]), "shape (4611686018427387904, 4) has more elements than memory can address"),
            (tensor(1, &[1 << 40]), "0 elements of data for 1099511627776 of shape [1099511627776]"),
            (
                Tensor { raw_data: Some(&[1, 2, 3]), ..tensor(6, &[1]) },
                "3 bytes of data for 1 elements of int32 with shape [1]",
            ),
            (Tensor { int32_data: vec![256], ..tensor(2, &[1]) }, "the element 256 does not fit its type"),
            (Tensor { float_data: vec![1.0], ..tensor(14, &[1]) }, "1 numbers are no whole number of complex ones"),
        ];
        for (tensor, want) in faulty {
            assert_eq!(read(&tensor).unwrap_err(), want);
        }
        assert!(read(&tensor(8, &[])).unwrap_err().starts_with("elements of type string are not supported"));
    }

    #[test]
    fn files_outside_of_the_folder_are_refused() {
        let root = tempfile::tempdir().unwrap();
        let (inner, outer) = (root.path().join("inner"), root.path().join("secret"));
        std::fs::create_dir(&inner).unwrap();
        std::fs::write(&outer, 1f32.to_le_bytes()).unwrap();
        std::fs::write(inner.join("data"), [0, 0, 0, 0, 0, 0, 0x80, 0x3f]).unwrap();
        std::os::unix::fs::symlink(&outer, inner.join("link")).unwrap();
        let read = |location: &str, offset: &str| {
            let entry = |key, value| StringStringEntry { key, value, ..StringStringEntry::default() };
            let external_data = vec![entry("location", location), entry("offset", offset)];
            let tensor = Tensor { data_location: 1, external_data, ..tensor(1, &[1]) };
            array_of(&tensor, &ExternalData::Below(inner.clone())).map(|a| a.to_vec::<f32>().unwrap())
        };
        assert_eq!(read("data", "4").unwrap(), [1.0]);
        assert_eq!(read("./data", "0").unwrap(), [0.0]);
        let absolute = outer.display().to_string();
        for escape in ["../secret", "link", "", "a\0b", &absolute, "data/../../secret"] {
            let message = read(escape, "0").unwrap_err().to_string();
            assert!(message.contains("which alone is read"), "{escape}: {message}");
        }
        assert_eq!(read("data", "3").unwrap(), [f32::from_le_bytes([0, 0, 0, 0x80])]);
        assert!(read("data", "8").is_err() && read("data", "99999999999").is_err() && read("data", "-1").is_err());
        assert!(read("none", "0").is_err());
    }
}
