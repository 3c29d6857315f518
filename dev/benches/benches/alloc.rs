//! What does memory cost, on one lane and on all, and what is gained by keeping it?
//!
//! - `alloc/free/N`: a block taken and given back. `alloc/zeroed/512B` clears it as well: the array of 64 doubles that a
//!   loop body makes. `.../stats` is the same, counted; `.../system` the same from Rust's system allocator.
//! - `alloc/held/4x16MiB`: four temporaries taken, written, held, then given back; `alloc/freed/16MiB`: one after the other.
//!   `alloc/written/...` writes the same memory, taken once: the floor, and the limit of what more lanes can do.
use freelane_benches::pinned::bench;
use freelane_mem::{BufferMut, stats};
use std::alloc::{GlobalAlloc, Layout, System};
use std::hint::black_box;

const MIB: usize = 1 << 20;

fn main() {
    small();
    for (count, bytes) in [(4, 16 * MIB), (4, MIB)] {
        large(count, bytes);
    }
}

fn small() {
    for (name, bytes) in [("64B", 64), ("512B", 512), ("4KiB", 4096), ("64KiB", 64 << 10)] {
        bench(&format!("alloc/free/{name}"), |_| move || drop(black_box(BufferMut::uninit(black_box(bytes)))));
    }
    bench("alloc/zeroed/512B", |_| zeroed);
    stats::enable();
    bench("alloc/zeroed/512B/stats", |_| zeroed);
    stats::disable();
    bench("alloc/zeroed/512B/system", |_| {
        || {
            let memory = SystemMemory::zeroed(black_box(512));
            drop(black_box(memory));
        }
    });
}

fn zeroed() {
    drop(black_box(BufferMut::zeroed(black_box(512))));
}

fn large(count: usize, bytes: usize) {
    let size = format!("{}MiB", bytes / MIB);
    let mine = || {
        let mut memory = BufferMut::uninit(bytes).expect("enough memory");
        write(memory.as_mut_ptr(), bytes);
        memory
    };
    let theirs = || {
        let memory = SystemMemory::uninit(bytes);
        write(memory.0, bytes);
        memory
    };
    bench(&format!("alloc/held/{count}x{size}"), |_| {
        || drop(black_box((0..count).map(|_| mine()).collect::<Vec<_>>()))
    });
    bench(&format!("alloc/held/{count}x{size}/system"), |_| {
        || drop(black_box((0..count).map(|_| theirs()).collect::<Vec<_>>()))
    });
    bench(&format!("alloc/freed/{size}"), |_| || drop(black_box(mine())));
    bench(&format!("alloc/freed/{size}/system"), |_| || drop(black_box(theirs())));
    for count in [count, 1] {
        bench(&format!("alloc/written/{count}x{size}"), |_| {
            let mut memory: Vec<_> = (0..count).map(|_| mine()).collect();
            move || memory.iter_mut().for_each(|memory| write(memory.as_mut_ptr(), bytes))
        });
    }
}

fn write(memory: *mut u8, bytes: usize) {
    // SAFETY: the callers pass memory of their own with that many bytes.
    unsafe { memory.write_bytes(1, bytes) };
    black_box(memory);
}

/// A block from Rust's system allocator.
struct SystemMemory(*mut u8, Layout);

impl SystemMemory {
    fn uninit(bytes: usize) -> SystemMemory {
        let layout = Layout::from_size_align(bytes, 64).expect("a size and an alignment that fit");
        // SAFETY: the size is not zero.
        SystemMemory(unsafe { System.alloc(layout) }, layout)
    }

    fn zeroed(bytes: usize) -> SystemMemory {
        let layout = Layout::from_size_align(bytes, 64).expect("a size and an alignment that fit");
        // SAFETY: the size is not zero.
        SystemMemory(unsafe { System.alloc_zeroed(layout) }, layout)
    }
}

impl Drop for SystemMemory {
    fn drop(&mut self) {
        // SAFETY: allocated with this layout.
        unsafe { System.dealloc(self.0, self.1) }
    }
}
