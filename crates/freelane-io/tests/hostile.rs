//! Files made to hurt: nothing panics, and nothing takes more memory than four times the file and a little.
#![allow(clippy::disallowed_types, reason = "the allocator that counts needs atomics of its own")]
use freelane_io::{SaveOptions, Source, save, save_all, save_with};
use freelane_ops::{Array, DType};
use std::alloc::{GlobalAlloc, Layout, System};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// The system's allocator, counting. One test runs at a time: there is one.
struct Counting;
static LIVE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

// SAFETY: everything is passed on to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        PEAK.fetch_max(LIVE.fetch_add(layout.size(), Relaxed) + layout.size(), Relaxed);
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), Relaxed);
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(ptr, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// Reads all that a file has. Whether all of it was fine.
fn read_all(path: &Path) -> bool {
    let told = |e: freelane_io::IoError| {
        let text = e.to_string();
        assert!(!text.contains(char::is_control) && text.len() < 2000, "{text}");
        false
    };
    let source = match Source::open(path) {
        Ok(source) => source,
        Err(e) => return told(e),
    };
    let names = source.names();
    let mut fine = names.len() > 1 || source.load(None).map(drop).map_err(told).is_ok();
    for name in names.iter().take(8) {
        fine &= source.info(Some(name)).map(drop).map_err(told).is_ok();
        fine &= source.load(Some(name)).map(drop).map_err(told).is_ok();
    }
    fine
}

/// As [`read_all`], checking what memory it takes.
fn read_measured(path: &Path, bytes: &[u8]) -> bool {
    std::fs::write(path, bytes).unwrap();
    let before = LIVE.load(Relaxed);
    PEAK.store(before, Relaxed);
    freelane_mem::stats::reset();
    let fine = read_all(path);
    let taken = PEAK.load(Relaxed) - before;
    let arrays = freelane_mem::stats::snapshot().total.allocated_bytes as usize;
    let allowed = 4 * bytes.len() + (1 << 20);
    assert!(taken <= allowed && arrays <= allowed, "{taken} + {arrays} bytes for {:?}", String::from_utf8_lossy(bytes));
    fine
}

/// A stream of numbers that is the same every time.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) as usize) % n.max(1)
    }
}

fn mutate(bytes: &[u8], numbers: &mut Numbers) -> Vec<u8> {
    const NASTY: [u8; 14] = *b"\x00\x01\x7f\x80\xff09-(,'{]\n";
    let mut bytes = bytes.to_vec();
    for _ in 0..1 + numbers.below(4) {
        let at = numbers.below(bytes.len());
        match numbers.below(7) {
            0 => bytes[at] ^= 1 << numbers.below(8),
            1 => bytes[at] = NASTY[numbers.below(NASTY.len())],
            2 => bytes[at] = numbers.below(256) as u8,
            3 => bytes.truncate(at + 1),
            4 => bytes.insert(at, NASTY[numbers.below(NASTY.len())]),
            5 => drop(bytes.remove(at)),
            _ => {
                let value = [u64::MAX, 1 << 63, 1 << 32, u64::from(u32::MAX), 0][numbers.below(5)].to_le_bytes();
                let (width, end) = ([2, 4, 8][numbers.below(3)], bytes.len());
                bytes.splice(at..end.min(at + width), value[..width].iter().copied());
            }
        }
        if bytes.is_empty() {
            bytes.push(b'x');
        }
    }
    bytes
}

fn samples(dir: &Path) -> Vec<(&'static str, Vec<u8>)> {
    let x = Array::arange(0, 30, 1).unwrap().reshape(&[5, 6]).unwrap();
    let y = x.astype(DType::Bool).unwrap();
    let zeros = Array::zeros(&[100, 100], DType::F32).unwrap();
    let compress = SaveOptions { compress: true };
    save(dir.join("m.npy"), &x.astype(DType::F32).unwrap()).unwrap();
    save_all(dir.join("m.npz"), &[("x", &x), ("y", &y)]).unwrap();
    save_with(dir.join("d.npz"), &[("x", &x), ("zeros", &zeros)], compress, &mut |_, _| ()).unwrap();
    save_all(dir.join("m.safetensors"), &[("x", &x), ("y", &y), ("z", &x.astype(DType::BF16).unwrap())]).unwrap();
    std::fs::write(dir.join("m.csv"), "a,\"b b\",c\n1,2.5,-3\n\"4\",,6e3\n7,inf,9\n").unwrap();
    let names = ["m.npy", "m.npz", "d.npz", "m.safetensors", "m.csv"];
    names.map(|name| (name, std::fs::read(dir.join(name)).unwrap())).into()
}

#[test]
fn mutated_and_truncated_files() {
    // Tens of thousands of files: in memory, where the system has such a place.
    let dir = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
    let mut numbers = Numbers(20261129);
    freelane_mem::stats::enable();
    for (name, bytes) in samples(dir.path()) {
        let path = dir.path().join(name);
        assert!(read_measured(&path, &bytes), "{name}");
        for end in 0..bytes.len() {
            let fine = read_measured(&path, &bytes[..end]);
            assert!(!fine || name.ends_with("csv"), "{name} cut at {end}");
        }
        let fine = (0..10_000).filter(|_| read_measured(&path, &mutate(&bytes, &mut numbers))).count();
        assert!(fine < 9_000, "{name}: {fine} mutations went unnoticed");
    }
}
