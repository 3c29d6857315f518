//! What a run in steady state takes from the heap: into arrays of the caller nothing; else its outputs alone.
#![allow(clippy::disallowed_types, reason = "the allocator that counts needs a counter of its own")]
use freelane_graph::{Datum, Limits};
use freelane_onnx::{Session, SessionOptions};
use freelane_ops::{Array, DType};
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// The system's allocator, counting. One test runs at a time: there is one.
struct Counting;
static CALLS: AtomicUsize = AtomicUsize::new(0);

// SAFETY: everything is passed on to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        CALLS.fetch_add(1, Relaxed);
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(ptr, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// Calls of the program's allocator, and of freelane's own heap, in one run.
fn counted(mut run: impl FnMut()) -> (usize, u64) {
    (0..4).for_each(|_| run());
    let own = || freelane_mem::stats::snapshot().total.allocations;
    let (blocks, calls) = (own(), CALLS.load(Relaxed));
    run();
    let calls = CALLS.load(Relaxed) - calls;
    (calls, own() - blocks)
}

#[test]
fn a_run_allocates_its_outputs_alone() {
    freelane_mem::stats::enable();
    let models: [(&[u8], &[usize]); 2] = [
        (include_bytes!("../../freelane-cli/models/mlp.onnx"), &[1, 64]),
        (include_bytes!("../../../dev/models/cnn.onnx"), &[1, 1, 16, 16]),
    ];
    for (bytes, shape) in models {
        let session = Session::from_bytes(bytes.to_vec(), &SessionOptions::default()).unwrap();
        let inputs = [Datum::from(Array::ones(shape, DType::F32).unwrap())];
        let mut outputs = session.run_within(&inputs, &Limits::default()).unwrap();
        let into = counted(|| session.run_into(&inputs, &Limits::default(), &mut outputs).unwrap());
        assert_eq!(into, (0, 0), "{shape:?}");
        let fresh = counted(|| drop(session.run_within(&inputs, &Limits::default()).unwrap()));
        assert_eq!(fresh, (1, 1), "{shape:?}: a vector, and the array in it");
    }
}
