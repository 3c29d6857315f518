//! Files as memory.

use freelane_mem::{Buffer, MemError};
use std::fs::{self, File};
use std::path::PathBuf;

fn file(name: &str, bytes: &[u8]) -> PathBuf {
    let path = std::env::temp_dir().join(format!("freelane-mem-{}-{name}", std::process::id()));
    fs::write(&path, bytes).unwrap();
    path
}

#[test]
fn whole_files_and_parts() {
    let bytes: Vec<u8> = (0..3 << 20).map(|i| (i * 31 % 251) as u8).collect();
    let path = file("bytes", &bytes);
    let whole = Buffer::map_file(&path).unwrap();
    let handle = File::open(&path).unwrap();
    for (offset, len) in [(0, 10), (1, 4096), (5000, 100_000), (bytes.len(), 0), (7, bytes.len() - 7)] {
        let part = Buffer::map_part(&handle, offset as u64, Some(len)).unwrap();
        // SAFETY: the file does not change.
        assert_eq!(unsafe { part.as_slice() }, &bytes[offset..offset + len]);
    }
    fs::remove_file(path).unwrap();
    // SAFETY: the file does not change.
    assert_eq!(unsafe { whole.as_slice() }, bytes);
    assert!(whole.is_read_only());
    std::thread::spawn(move || drop(whole)).join().unwrap();
}

#[test]
fn what_cannot_be_mapped() {
    assert!(matches!(Buffer::map_file("/no/such/file"), Err(MemError::Map { .. })));
    let path = file("short", b"short");
    let handle = File::open(&path).unwrap();
    for (offset, len) in [(0, Some(6)), (6, None), (3, Some(usize::MAX))] {
        let error = Buffer::map_part(&handle, offset, len).unwrap_err();
        assert!(matches!(error, MemError::BeyondFile { file_bytes: 5, .. }), "{error}");
    }
    assert_eq!(Buffer::map_part(&handle, 5, None).unwrap().len(), 0);
    fs::remove_file(path).unwrap();
    let empty = file("empty", b"");
    assert!(Buffer::map_file(&empty).unwrap().is_empty());
    fs::remove_file(empty).unwrap();
}
