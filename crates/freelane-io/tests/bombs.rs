//! Archives and tensors that declare what they do not have.
use freelane_io::{Limits, Options, SaveOptions, Source, save_with};
use freelane_ops::{Array, DType};
use std::path::{Path, PathBuf};

fn archive(dir: &Path, arrays: &[(&str, &Array)], compress: bool) -> PathBuf {
    let path = dir.join("x.npz");
    save_with(&path, arrays, SaveOptions { compress }, &mut |_, _| ()).unwrap();
    path
}

fn problem(path: &Path, name: Option<&str>, options: &Options) -> String {
    let e = Source::open_with(path, options).and_then(|s| s.load(name)).expect_err("an error").to_string();
    e.split_once(": ").unwrap().1.to_owned()
}

/// Changes bytes relative to a signature: the first one, or the one from the end.
fn patch(path: &Path, signature: &[u8], last: bool, at: usize, new: &[u8]) {
    let mut bytes = std::fs::read(path).unwrap();
    let mut found = (0..bytes.len()).filter(|&i| bytes[i..].starts_with(signature));
    let start = if last { found.next_back() } else { found.next() }.unwrap() + at;
    bytes[start..start + new.len()].copy_from_slice(new);
    std::fs::write(path, bytes).unwrap();
}

const CENTRAL: &[u8] = b"PK\x01\x02";
const END: &[u8] = b"PK\x05\x06";

#[test]
fn expansion_is_bounded() {
    let dir = tempfile::tempdir().unwrap();
    let zeros = Array::zeros(&[1 << 20], DType::F64).unwrap();
    let path = archive(dir.path(), &[("zeros", &zeros)], true);
    let mut options = Options::default();
    assert!(Source::open_with(&path, &options).and_then(|s| s.load(None)).is_ok());
    options.limits = Limits { expanded_freely: 1 << 20, ..Limits::default() };
    let e = problem(&path, None, &options);
    assert!(e.starts_with("the expansion of a large entry is ") && e.ends_with(", more than the limit of 200"), "{e}");
    patch(&path, CENTRAL, false, 24, &(1u32 << 31).to_le_bytes());
    let e = problem(&path, None, &Options::default());
    assert!(e.starts_with("malformed .npz directory: 2147483648 bytes cannot come from "), "{e}");
}

#[test]
fn directories_that_lie() {
    let dir = tempfile::tempdir().unwrap();
    let x = Array::arange(0, 6, 1).unwrap();
    for (compress, signature, at, new, part) in [
        (false, CENTRAL, 8, &[1, 0][..], "entry 'x.npy' is encrypted"),
        (false, CENTRAL, 10, &[12, 0], "entry 'x.npy' is compressed by method 12, expected 0 (stored) or 8 (deflated)"),
        (false, CENTRAL, 24, &[1, 0, 0, 0], "entry 'x.npy' is stored, but declares 1 bytes as 176"),
        (true, CENTRAL, 24, &[1, 0, 0, 0], "truncated: the header takes 118 bytes, found 0"),
        (true, CENTRAL, 24, &[175, 0, 0, 0], "truncated: the array takes 48 bytes, found 47"),
        (true, CENTRAL, 24, &[177, 0, 0, 0], "49 bytes of data for an array of 48 bytes"),
        (true, CENTRAL, 16, &[0, 0, 0, 0], "malformed .npz entry: checksum "),
        (false, CENTRAL, 16, &[0, 0, 0, 0], "malformed .npz entry: checksum "),
        (false, CENTRAL, 20, &[176, 1, 0, 0], "entry 'x.npy' is stored, but declares 176 bytes as 432"),
        (true, CENTRAL, 20, &[0, 1, 0, 0], "entry 'x.npy' reaches into what follows it"),
        (false, CENTRAL, 42, &[1, 0, 0, 0], "no entry at byte 1"),
        (false, CENTRAL, 42, &[255, 0, 0, 0], " reaches into what follows it"),
        (false, CENTRAL, 42, &[255; 4], "a size is missing from the zip64 field"),
        (false, CENTRAL, 46, b"y", "two entries are named 'y.npy'"),
        (false, CENTRAL, 28, &[255, 255], "the header of an entry is cut off"),
        (false, END, 10, &[9, 0], "9 entries in "),
        (false, END, 10, &[255, 255], "expected a zip64 end record, found none"),
        (false, END, 12, &[255, 255, 0, 0], "2 entries in 65535 bytes at byte "),
        (false, END, 16, &[255, 255, 255, 0], "do not fit before the end record at "),
        (false, END, 4, &[1, 0], "the archive is one of several disks"),
        (
            false,
            END,
            20,
            &[1, 0],
            "expected an end record within the last 65557 bytes, found none; the file may be truncated",
        ),
    ] {
        let path = archive(dir.path(), &[("x", &x), ("y", &x)], compress);
        patch(&path, signature, false, at, new);
        let e = problem(&path, Some("x"), &Options::default());
        assert!(e.contains(part), "{e}\nexpected {part}");
    }
}

#[test]
fn overlapping_entries_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let x = Array::arange(0, 6, 1).unwrap();
    let path = archive(dir.path(), &[("x", &x), ("y", &x)], false);
    // The second entry becomes the first one once more.
    patch(&path, CENTRAL, true, 42, &[0; 4]);
    let e = problem(&path, Some("y"), &Options::default());
    assert!(e.ends_with("reaches into what follows it"), "{e}");
}

#[test]
fn stored_arrays_are_mapped() {
    let dir = tempfile::tempdir().unwrap();
    let x = Array::arange(0, 1 << 20, 1).unwrap();
    let path = archive(dir.path(), &[("a", &x), ("x", &x)], false);
    let read = Source::open(&path).and_then(|s| s.load(Some("x"))).unwrap();
    assert!(read.data().buffer().is_read_only());
    assert_eq!(read.to_vec::<i64>().unwrap(), x.to_vec::<i64>().unwrap());
}

#[test]
fn tensors_that_lie() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.safetensors");
    for (header, data, part) in [
        (r#"{"x":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}"#, 7, "truncated: the data takes 8 bytes, found 7"),
        (r#"{"x":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}"#, 9, "9 bytes of data for an array of 8 bytes"),
        (
            r#"{"x":{"dtype":"F8_E4M3","shape":[2],"data_offsets":[0,2]}}"#,
            2,
            "dtype F8_E4M3 is not supported; convert to BF16",
        ),
        (
            r#"{"x":{"dtype":"F99","shape":[2],"data_offsets":[0,2]}}"#,
            2,
            "malformed .safetensors header: unknown variant `F99`",
        ),
        (
            r#"{"x":{"dtype":"F32","shape":[3],"data_offsets":[0,8]}}"#,
            8,
            "malformed .safetensors header: invalid shape",
        ),
        (
            r#"{"x":{"dtype":"F32","shape":[-1],"data_offsets":[0,8]}}"#,
            8,
            "malformed .safetensors header: invalid value",
        ),
        (r#"{"x":{"dtype":"F32","shape":[4611686018427387904,4],"data_offsets":[0,0]}}"#, 0, "overflow"),
        (
            r#"{"x":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}}"#,
            8,
            "malformed .safetensors header: invalid offset",
        ),
        (
            r#"{"x":{"dtype":"F32","shape":[1],"data_offsets":[8,4]}}"#,
            8,
            "malformed .safetensors header: invalid offset",
        ),
        (r#"{"x":[[[[[["#, 0, "malformed .safetensors header"),
        ("\u{1b}[31m\n", 0, "malformed .safetensors header"),
    ] {
        let bytes = [&(header.len() as u64).to_le_bytes()[..], header.as_bytes(), &vec![1; data]].concat();
        std::fs::write(&path, bytes).unwrap();
        let e = problem(&path, Some("x"), &Options::default());
        assert!(e.contains(part), "{e}\nexpected {part}");
    }
    let bytes = [&u64::MAX.to_le_bytes()[..], b"{}"].concat();
    std::fs::write(&path, bytes).unwrap();
    assert_eq!(
        problem(&path, None, &Options::default()),
        "truncated: the header takes 18446744073709551615 bytes, found 2"
    );
}

#[test]
fn deep_headers_do_not_exhaust_the_stack() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.safetensors");
    let header = format!("{{\"x\":{}", "[".repeat(1 << 20));
    std::fs::write(&path, [&(header.len() as u64).to_le_bytes()[..], header.as_bytes()].concat()).unwrap();
    assert!(problem(&path, None, &Options::default()).contains("recursion limit"));
}
