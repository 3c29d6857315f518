//! Short-lived threads leave nothing behind.
#![cfg(target_os = "linux")]

mod common;

use common::{MIB, resident};
use freelane_mem::{BufferMut, stats};

fn one_thread() {
    let work = || {
        let small: Vec<BufferMut> = (0..20).map(|i| BufferMut::uninit(100 * i).unwrap()).collect();
        let mut large = BufferMut::uninit(3 * MIB).unwrap();
        large.as_uninit_mut()[0].write(1);
        (small, large)
    };
    let (small, large) = std::thread::spawn(work).join().unwrap();
    drop((small, large));
}

#[test]
fn short_lived_threads_leave_nothing() {
    (0..20_000).for_each(|_| one_thread());
    let before = resident();
    (0..100_000).for_each(|_| one_thread());
    let grown = resident().saturating_sub(before);
    assert!(grown < 4 * MIB, "grew by {grown} bytes");
    assert!(stats::snapshot().lanes < 10);
}
