//! Impossible sizes are errors, and the process goes on (G01).

use freelane_mem::{Allocator, BufferMut, Heap, MAX_ALIGN, MemError};
use std::alloc::Layout;
use std::ptr::NonNull;
use std::sync::Arc;

fn next_small_one_works() {
    let buffer = BufferMut::zeroed_for::<f64>(64).unwrap();
    // SAFETY: zeroed.
    assert_eq!(unsafe { buffer.as_slice() }, [0; 512]);
}

#[test]
fn counts_that_overflow() {
    for count in [1 << 61, usize::MAX / 8 + 1, usize::MAX] {
        assert!(matches!(BufferMut::zeroed_for::<f64>(count), Err(MemError::SizeOverflow { size: 8, .. })));
        assert!(matches!(BufferMut::uninit_for::<f64>(count), Err(MemError::SizeOverflow { size: 8, .. })));
        next_small_one_works();
    }
}

#[test]
fn sizes_that_no_machine_has() {
    let sizes = [1 << 60, usize::MAX / 16, usize::MAX / 8, usize::MAX, usize::MAX - 63, isize::MAX as usize, 1 << 47];
    for bytes in sizes {
        for align in [1, 64, 4096, 2 << 20, MAX_ALIGN] {
            let results = [BufferMut::uninit_aligned(bytes, align), BufferMut::zeroed_aligned(bytes, align)];
            for result in results.into_iter().chain([Heap::with(|heap| heap.zeroed(bytes, align))]) {
                assert!(
                    matches!(result, Err(MemError::TooLarge { .. } | MemError::OutOfMemory { .. })),
                    "{bytes} {align}"
                );
            }
            next_small_one_works();
        }
    }
    assert!(matches!(BufferMut::zeroed_for::<f64>(1 << 60), Err(MemError::TooLarge { bytes: 0x8000_0000_0000_0000 })));
}

#[test]
fn alignments_that_are_none() {
    for align in [0, 3, 65, MAX_ALIGN << 1, usize::MAX] {
        assert!(matches!(BufferMut::uninit_aligned(8, align), Err(MemError::BadAlignment { .. })), "{align}");
    }
}

#[test]
fn every_size_at_every_alignment() {
    for bytes in [0, 1, 63, 64, 65, 512, 4095, 57_344, 57_345, 1 << 20, (1 << 20) + 1, 5 << 20] {
        for align_log in 0..24 {
            let align = 1 << align_log;
            let mut buffer = BufferMut::zeroed_aligned(bytes, align).unwrap();
            assert_eq!((buffer.len(), buffer.as_ptr().addr() % align.max(64)), (bytes, 0));
            assert!(buffer.capacity() >= bytes);
            // SAFETY: zeroed.
            let slice = unsafe { buffer.as_mut_slice() };
            assert!(slice.iter().all(|&byte| byte == 0), "{bytes} at {align}");
            slice.fill(0xff);
        }
    }
}

struct Refuses;

// SAFETY: it never gives memory.
unsafe impl Allocator for Refuses {
    fn allocate(&self, layout: Layout) -> Result<NonNull<u8>, MemError> {
        Err(MemError::OutOfMemory { bytes: layout.size(), align: layout.align() })
    }
    unsafe fn deallocate(&self, _: NonNull<u8>, _: Layout) {
        unreachable!("nothing was allocated");
    }
}

#[test]
fn a_user_allocator_that_refuses() {
    let refuses: Arc<dyn Allocator> = Arc::new(Refuses);
    assert!(matches!(BufferMut::allocate_in(&refuses, 8, 8), Err(MemError::OutOfMemory { bytes: 8, align: 8 })));
    assert!(matches!(BufferMut::allocate_in(&refuses, 8, 24), Err(MemError::BadAlignment { align: 24 })));
    assert!(matches!(BufferMut::allocate_in(&refuses, usize::MAX, 64), Err(MemError::TooLarge { .. })));
}

#[test]
fn messages_name_the_facts() {
    let messages = [
        (
            BufferMut::uninit_for::<u64>(usize::MAX).unwrap_err(),
            "18446744073709551615 elements of 8 bytes do not fit in memory",
        ),
        (BufferMut::uninit(usize::MAX).unwrap_err(), "18446744073709551615 bytes do not fit in memory"),
        (BufferMut::uninit_aligned(1, 3).unwrap_err(), "alignment 3 is not a power of two between 1 and 1073741824"),
        (BufferMut::uninit(1 << 46).unwrap_err(), "out of memory: 70368744177664 bytes aligned to 64"),
    ];
    for (error, message) in messages {
        assert_eq!(error.to_string(), message);
    }
}
