//! What a lane does again and again: no page fault, no system call.
#![cfg(target_os = "linux")]

mod common;

use common::{MIB, in_child, page_faults};
use freelane_mem::{Bare, BufferMut, ScratchReq, Workspace, stats};

fn written(bytes: usize) -> BufferMut {
    let mut buffer = BufferMut::uninit(bytes).unwrap();
    // SAFETY: the buffer has that many bytes.
    unsafe { buffer.as_mut_ptr().write_bytes(1, bytes) };
    buffer
}

fn temporaries(bytes: usize) {
    let buffers: [_; 4] = std::array::from_fn(|_| written(bytes).freeze());
    let copies = buffers.clone();
    drop(buffers);
    drop(copies);
}

#[test]
fn recycled_temporaries_have_no_page_faults() {
    for bytes in [512, 64 << 10, MIB, 16 * MIB, 30 * MIB] {
        temporaries(bytes);
        let before = page_faults();
        (0..20).for_each(|_| temporaries(bytes));
        assert_eq!(page_faults() - before, 0, "{bytes}");
    }
}

fn bare_temporaries(bytes: usize) {
    let mut held: [_; 4] = std::array::from_fn(|_| Bare::uninit(bytes).unwrap());
    for bare in &mut held {
        // SAFETY: that many bytes were asked for.
        unsafe { bare.as_mut_ptr().write_bytes(1, bytes) };
    }
}

#[test]
fn recycled_memory_known_by_address_has_no_page_faults() {
    for bytes in [512, 64 << 10, MIB, 16 * MIB, 32 * MIB] {
        bare_temporaries(bytes);
        let before = page_faults();
        (0..20).for_each(|_| bare_temporaries(bytes));
        assert_eq!(page_faults() - before, 0, "{bytes}");
    }
}

#[test]
fn no_system_calls() {
    let work = || {
        let workspace = Workspace::new();
        let step = || {
            for bytes in [64, 512, 4096, 64 << 10, MIB, 16 * MIB] {
                temporaries(bytes);
                drop(BufferMut::zeroed(bytes).unwrap());
                bare_temporaries(bytes);
            }
            workspace.with(ScratchReq::of::<f64>(10_000), |scratch| scratch.len()).unwrap();
        };
        (0..3).for_each(|_| step());
        stats::enable();
        step();
        // SAFETY: from here on the kernel ends this child at any call but reading, writing and leaving.
        assert_eq!(unsafe { libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_STRICT) }, 0);
        (0..10).for_each(|_| step());
        // SAFETY: ends this one thread, which is what is still allowed; the child has no other.
        unsafe { libc::syscall(libc::SYS_exit, 0) };
    };
    assert!(in_child(work), "a system call in steady state");
}
