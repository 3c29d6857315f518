//! The header of a .npy file.
//!
//! ```text
//! \x93NUMPY  major minor  length of the text (2 bytes, from version 2 on 4)  text, padded to a multiple of 64
//!                         {'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }
//! ```
use super::descr;
use super::literal::{self, Literal};
use crate::{Fault, Limits};
use freelane_array::{DType, Layout, element_count};
use std::io::Read;

pub(crate) const MAGIC: &[u8; 6] = b"\x93NUMPY";
const WHAT: &str = ".npy header";

/// What a header says, checked.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Header {
    pub(crate) dtype: DType,
    /// Whether the bytes of each number are in the other order than this machine's.
    pub(crate) swapped: bool,
    pub(crate) layout: Layout,
    /// Where the elements start.
    pub(crate) data_at: u64,
}

impl Header {
    /// Bytes of all elements.
    pub(crate) fn data_len(&self) -> u64 {
        (self.layout.len() * self.dtype.size()) as u64
    }

    /// Checks that the file has the elements and nothing more.
    pub(crate) fn check_len(&self, file_len: u64) -> Result<(), Fault> {
        let (expected, found) = (self.data_len(), file_len.saturating_sub(self.data_at));
        match found {
            _ if found < expected => Err(Fault::Truncated { what: "the array", expected, found }),
            _ if found > expected => Err(Fault::Trailing { expected, found }),
            _ => Ok(()),
        }
    }
}

/// Reads a header from the start of a file or entry of `total` bytes.
pub(crate) fn read(reader: &mut impl Read, total: u64, limits: &Limits) -> Result<Header, Fault> {
    let start: [u8; 8] = take(reader, "the start of a .npy file")?;
    if start[..6] != *MAGIC {
        return Err(Fault::malformed(
            ".npy file",
            format!("expected it to start with \\x93NUMPY, found {}", hex(&start[..6])),
        ));
    }
    let (len, text_at) = match (start[6], start[7]) {
        (1, 0) => (u64::from(u16::from_le_bytes(take(reader, "the header's length")?)), 10),
        (2 | 3, 0) => (u64::from(u32::from_le_bytes(take(reader, "the header's length")?)), 12),
        (major, minor) => {
            return Err(Fault::malformed(".npy file", format!("version {major}.{minor}, expected 1.0, 2.0 or 3.0")));
        }
    };
    if len > total.saturating_sub(text_at) {
        return Err(Fault::Truncated { what: "the header", expected: len, found: total.saturating_sub(text_at) });
    }
    if len > limits.npy_header {
        return Err(Fault::Limit { what: "the header's length", found: len, limit: limits.npy_header });
    }
    let mut text = Vec::new();
    reader.take(len).read_to_end(&mut text)?;
    if text.len() as u64 != len {
        return Err(Fault::Truncated { what: "the header", expected: len, found: text.len() as u64 });
    }
    let literal = literal::parse(decode(&text, start[6])?).map_err(|problem| Fault::malformed(WHAT, problem))?;
    let (dtype, swapped, layout) = interpret(&literal)?;
    Ok(Header { dtype, swapped, layout, data_at: text_at + len })
}

fn take<const N: usize>(reader: &mut impl Read, what: &'static str) -> Result<[u8; N], Fault> {
    let mut bytes = Vec::with_capacity(N);
    reader.take(N as u64).read_to_end(&mut bytes)?;
    let found = bytes.len() as u64;
    bytes.try_into().map_err(|_| Fault::Truncated { what, expected: N as u64, found })
}

/// Version 3 is UTF-8. The older ones are Latin-1, but no dtype read here needs more than ASCII.
fn decode(text: &[u8], version: u8) -> Result<&str, Fault> {
    let text = std::str::from_utf8(text).ok().filter(|t| version == 3 || t.is_ascii());
    let expected = if version == 3 { "UTF-8" } else { "ASCII" };
    text.ok_or_else(|| {
        Fault::malformed(WHAT, format!("expected {expected} text in version {version}, found other bytes"))
    })
}

fn interpret(header: &Literal) -> Result<(DType, bool, Layout), Fault> {
    let Literal::Dict(items) = header else {
        return Err(Fault::malformed(
            WHAT,
            format!("expected a dict, found {}", crate::error::cut(&header.to_string())),
        ));
    };
    let field = |name: &str| items.iter().find(|(k, _)| *k == Literal::Str(name.into())).map(|(_, v)| v);
    match (items.len(), field("descr"), field("fortran_order"), field("shape")) {
        (3, Some(descr), Some(order), Some(shape)) => {
            let (dtype, swapped) = descr::parse(descr)?;
            Ok((dtype, swapped, layout(dtype, order, shape)?))
        }
        _ => {
            let found: Vec<_> = items.iter().map(|(k, _)| k.to_string()).collect();
            let found = crate::error::cut(&found.join(", "));
            Err(Fault::malformed(
                WHAT,
                format!("expected the keys 'descr', 'fortran_order' and 'shape' once each, found {found}"),
            ))
        }
    }
}

fn layout(dtype: DType, order: &Literal, shape: &Literal) -> Result<Layout, Fault> {
    let bad = |name: &str, expected: &str, found: &Literal| {
        Fault::malformed(
            WHAT,
            format!("expected '{name}' to be {expected}, found {}", crate::error::cut(&found.to_string())),
        )
    };
    let Literal::Bool(fortran) = order else { return Err(bad("fortran_order", "True or False", order)) };
    let Literal::Tuple(dims) = shape else { return Err(bad("shape", "a tuple", shape)) };
    let mut dims = dims
        .iter()
        .map(|d| match d {
            Literal::Int(n) => usize::try_from(*n).map_err(|_| bad("shape", "free of negative lengths", shape)),
            _ => Err(bad("shape", "a tuple of integers", shape)),
        })
        .collect::<Result<Vec<usize>, _>>()?;
    element_count(&dims, dtype.size())?;
    if !fortran {
        return Ok(Layout::contiguous(&dims)?);
    }
    dims.reverse();
    Ok(Layout::contiguous(&dims)?.reverse_axes())
}

/// The header of a row-major array: the bytes that NumPy writes, room for growth of the first axis included.
pub(crate) fn write(dtype: DType, shape: &[usize]) -> Vec<u8> {
    let lengths: Vec<String> = shape.iter().map(usize::to_string).collect();
    let comma = if shape.len() == 1 { "," } else { "" };
    let mut text = format!(
        "{{'descr': '{}', 'fortran_order': False, 'shape': ({}{comma}), }}",
        descr::format(dtype),
        lengths.join(", ")
    );
    if let Some(first) = lengths.first() {
        const LONGEST: usize = 21;
        text.extend(std::iter::repeat_n(' ', LONGEST.saturating_sub(first.len())));
    }
    frame(&text)
}

/// Magic, version, length and padding around the text.
fn frame(text: &str) -> Vec<u8> {
    // As NumPy does, a text that fits exactly is padded too.
    let padded = |start: usize| ((start + text.len() + 1) / 64 + 1) * 64;
    let mut bytes = MAGIC.to_vec();
    let total = match u16::try_from(padded(10) - 10) {
        Ok(len) => {
            bytes.extend([1, 0]);
            bytes.extend(len.to_le_bytes());
            padded(10)
        }
        Err(_) => {
            bytes.extend([2, 0]);
            bytes.extend(((padded(12) - 12) as u32).to_le_bytes());
            padded(12)
        }
    };
    bytes.extend(text.as_bytes());
    bytes.resize(total - 1, b' ');
    bytes.push(b'\n');
    bytes
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(bytes: &[u8]) -> Result<Header, String> {
        read(&mut &bytes[..], bytes.len() as u64, &Limits::default()).map_err(|e| e.to_string())
    }

    fn text(version: u8, text: &str) -> Vec<u8> {
        let mut bytes = [MAGIC.as_slice(), &[version, 0]].concat();
        match version {
            1 => bytes.extend((text.len() as u16).to_le_bytes()),
            _ => bytes.extend((text.len() as u32).to_le_bytes()),
        }
        bytes.extend(text.as_bytes());
        bytes
    }

    #[test]
    fn what_is_written_is_read() {
        for &dtype in DType::ALL {
            for shape in [&[][..], &[0], &[7], &[2, 3], &[1; 64], &[usize::MAX >> 8, 1], &[1 << 62, 0]] {
                let bytes = write(dtype, shape);
                assert!(bytes.len().is_multiple_of(64) && bytes.ends_with(b"\n"));
                let layout = Layout::contiguous(shape).unwrap();
                let data_at = bytes.len() as u64;
                assert_eq!(of(&bytes), Ok(Header { dtype, swapped: false, layout, data_at }));
            }
        }
    }

    #[test]
    fn long_texts_take_version_2() {
        for n in [65_000, 65_400, 65_471, 65_472, 65_535, 70_000] {
            let bytes = frame(&"x".repeat(n));
            let (start, len) = match bytes[6] {
                1 => (10, u16::from_le_bytes([bytes[8], bytes[9]]) as usize),
                _ => (12, u32::from_le_bytes([bytes[8], bytes[9], bytes[10], bytes[11]]) as usize),
            };
            assert_eq!((bytes.len() % 64, start + len), (0, bytes.len()), "{n}");
        }
        assert_eq!((frame(&"x".repeat(65_000))[6], frame(&"x".repeat(70_000))[6]), (1, 2));
    }

    #[test]
    fn versions_and_orders() {
        let fortran = "{'descr': '>i2', 'fortran_order': True, 'shape': (2, 3)}";
        for version in [1, 2, 3] {
            let header = of(&text(version, fortran)).unwrap();
            assert_eq!((header.dtype, header.swapped), (DType::I16, true));
            assert_eq!((header.layout.shape(), header.layout.strides()), (&[2, 3][..], &[1, 2][..]));
        }
    }

    #[test]
    fn refusals() {
        let d = |shape: &str| format!("{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}}}");
        let negative = "malformed .npy header: expected 'shape' to be free of negative lengths, found (-1,)";
        let overflow = "shape (4611686018427387904, 2) has more elements than memory can address";
        for (bytes, problem) in [
            (b"\x93NUM".to_vec(), "truncated: the start of a .npy file takes 8 bytes, found 4"),
            (
                b"PK\x03\x04....".to_vec(),
                "malformed .npy file: expected it to start with \\x93NUMPY, found 50 4b 03 04 2e 2e",
            ),
            (b"\x93NUMPY\x04\x00..".to_vec(), "malformed .npy file: version 4.0, expected 1.0, 2.0 or 3.0"),
            (b"\x93NUMPY\x01\x00\xff".to_vec(), "truncated: the header's length takes 2 bytes, found 1"),
            (b"\x93NUMPY\x01\x00\xff\xff{}".to_vec(), "truncated: the header takes 65535 bytes, found 2"),
            (b"\x93NUMPY\x02\x00\xff\xff\xff\xff{}".to_vec(), "truncated: the header takes 4294967295 bytes, found 2"),
            (text(1, "{'é': 1}"), "malformed .npy header: expected ASCII text in version 1, found other bytes"),
            (
                text(3, "{'é': 1}"),
                "malformed .npy header: expected the keys 'descr', 'fortran_order' and 'shape' once each, found 'é'",
            ),
            (text(1, "[1]"), "malformed .npy header: expected a dict, found [1]"),
            (text(1, &d("3")), "malformed .npy header: expected 'shape' to be a tuple, found 3"),
            (text(1, &d("('a',)")), "malformed .npy header: expected 'shape' to be a tuple of integers, found ('a',)"),
            (text(1, &d("(-1,)")), negative),
            (text(1, &d("(4611686018427387904, 2)")), overflow),
            (
                text(1, &d("(1152921504606846976,)")),
                "shape (1152921504606846976,) has more elements than memory can address",
            ),
            (text(1, &d(&format!("({})", "1,".repeat(65)))), "65 axes are more than the 64 an array can have"),
        ] {
            assert_eq!(of(&bytes).err().as_deref(), Some(problem));
        }
        let long = text(2, &format!("{}{}", d("()"), " ".repeat(2 << 20)));
        assert_eq!(of(&long).err().as_deref(), Some("the header's length is 2097205, more than the limit of 1048576"));
    }
}
