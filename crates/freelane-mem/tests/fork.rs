//! A forked child can allocate and free, whatever the parent's threads were doing.
#![cfg(target_os = "linux")]

mod common;

use common::{MIB, in_child};
use freelane_mem::{BufferMut, Heap, Limits, set_limits, stats, trim};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;

fn some_of_all_sizes() {
    let sizes = [1, 512, 5000, 70_000, MIB, 5 * MIB];
    let buffers: Vec<_> =
        sizes.iter().flat_map(|&bytes| (0..10).map(move |_| BufferMut::zeroed(bytes).unwrap())).collect();
    for buffer in &buffers {
        // SAFETY: zeroed.
        assert!(unsafe { buffer.as_slice() }.iter().all(|&byte| byte == 0));
    }
}

#[test]
fn children_of_a_busy_parent() {
    set_limits(Limits { lane_bytes: 8 * MIB, depot_bytes: 8 * MIB, ..Limits::DEFAULT });
    let inherited = BufferMut::copy_of(b"from the parent").unwrap();
    some_of_all_sizes();
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        for i in 0..3 {
            let done = &done;
            scope.spawn(move || {
                while !done.load(Relaxed) {
                    some_of_all_sizes();
                    if i == 0 {
                        trim();
                    }
                }
            });
        }
        for _ in 0..10 {
            let child = in_child(|| {
                (0..3).for_each(|_| some_of_all_sizes());
                // SAFETY: copied above.
                assert_eq!(unsafe { inherited.as_slice() }, b"from the parent");
                thread::spawn(some_of_all_sizes).join().unwrap();
                Heap::with(|heap| heap.without_waiting(some_of_all_sizes));
                trim();
                assert!(stats::snapshot().lanes < 4);
            });
            assert!(child, "the child could not go on");
        }
        done.store(true, Relaxed);
    });
}
