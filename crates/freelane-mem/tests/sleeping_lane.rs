//! The memory of a lane that sleeps comes back (G03).
#![cfg(target_os = "linux")]
#![allow(clippy::disallowed_types, reason = "channels of std are what users have")]

mod common;

use common::{MIB, resident};
use freelane_mem::{BufferMut, trim};
use std::sync::mpsc::channel;
use std::thread;

fn written(bytes: usize) -> BufferMut {
    let mut buffer = BufferMut::uninit(bytes).unwrap();
    // SAFETY: the buffer has that many bytes.
    unsafe { buffer.as_mut_ptr().write_bytes(1, bytes) };
    buffer
}

/// A thread that makes buffers, sends them away, frees `kept` of its own, and sleeps for ever.
fn sleeper(count: usize, bytes: usize, kept: usize) -> Vec<BufferMut> {
    let (send, receive) = channel();
    thread::spawn(move || {
        drop((0..kept).map(|_| written(bytes)).collect::<Vec<_>>());
        send.send((0..count).map(|_| written(bytes)).collect::<Vec<_>>()).unwrap();
        loop {
            thread::park();
        }
    });
    receive.recv().unwrap()
}

#[test]
fn freed_elsewhere_or_cached_by_the_sleeper() {
    let start = resident();
    let buffers = sleeper(1000, 64 << 10, 0);
    drop(buffers);
    let large: Vec<_> = (0..1000).map(|_| written(MIB)).collect();
    let peak = resident();
    assert!(peak < 1200 * MIB, "{peak}");
    drop(large);
    trim();
    let left = resident().saturating_sub(start);
    assert!(left < 8 * MIB, "{left} bytes of a sleeping lane are still there");

    for bytes in [512, 4096, 20_000, 200_000] {
        drop(sleeper(64 * MIB / bytes, bytes, 0));
        trim();
        let left = resident().saturating_sub(start);
        assert!(left < 24 * MIB, "{left} bytes of a sleeping lane's {bytes}-byte blocks are still there");
    }

    let buffers = sleeper(1, 16 * MIB, 5);
    assert!(resident() - start > 64 * MIB, "the sleeper keeps what it freed");
    assert!(trim() >= 64 * MIB);
    let left = resident().saturating_sub(start);
    assert!(left < 32 * MIB, "{left} bytes are still there");
    drop(buffers);
}
