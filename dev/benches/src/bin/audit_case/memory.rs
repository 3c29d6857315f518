//! Allocation: on the lane's own heap, with statistics, and freed by another lane.

use freelane_benches::marked::{Run, Seen, run};
use freelane_mem::{BufferMut, MemError, ScratchReq, stats};
use freelane_pool::Lane;
use std::hint::black_box;
use std::sync::Mutex;

/// 64 doubles.
const SMALL: usize = 512;
/// A temporary that the allocator maps by itself.
const LARGE: usize = 16 << 20;

fn zeroed(bytes: usize) -> BufferMut {
    BufferMut::zeroed(bytes).expect("a case allocates little")
}

/// Allocates, zeroes and frees 64 doubles.
pub fn small(how: Run) -> Seen {
    run(how, |_| |_| drop(black_box(zeroed(SMALL))))
}

/// The same with statistics on.
pub fn small_with_statistics(how: Run) -> Seen {
    stats::enable();
    small(how)
}

/// Allocates 64 KiB, writes one line and frees.
pub fn medium(how: Run) -> Seen {
    run(how, |_| |_| drop(black_box(written(64 << 10, 64 << 10))))
}

/// Four 16 MiB temporaries, each page written, held together and then freed.
pub fn large(how: Run) -> Seen {
    run(how, |_| |_| drop(black_box([(); 4].map(|()| written(LARGE, 4096)))))
}

/// A block with a byte written every `step` bytes.
fn written(bytes: usize, step: usize) -> BufferMut {
    let mut buffer = BufferMut::uninit(bytes).expect("a case allocates little");
    let start = buffer.as_mut_ptr();
    for at in (0..bytes).step_by(step) {
        // SAFETY: `at` is less than `bytes`, the length of the block.
        unsafe { start.add(at).write(1) };
    }
    buffer
}

/// Freezes a block, clones the handle and drops both.
pub fn frozen(how: Run) -> Seen {
    run(how, |_| {
        |_| {
            let buffer = zeroed(SMALL).freeze();
            drop(black_box(buffer.clone()));
        }
    })
}

/// Takes scratch memory of the lane, nested once.
pub fn scratch(how: Run) -> Seen {
    run(how, |_| {
        |_| Lane::with(|lane| twice(lane, ScratchReq::of::<f64>(64))).expect("a case takes little scratch memory")
    })
}

fn twice(lane: &Lane, request: ScratchReq) -> Result<(), MemError> {
    lane.scratch(request, |outer| {
        black_box(outer.as_ptr());
        lane.scratch(request, |inner| {
            black_box(inner.as_ptr());
        })
    })?
}

/// Each thread allocates a block for its neighbour and frees the one it was left.
pub fn freed_elsewhere(how: Run) -> Seen {
    hand_over(how, || BufferMut::uninit(SMALL).expect("a case allocates little"))
}

/// The same hand-over with nothing in it: what of the figure is the hand-over itself.
pub fn nothing_handed_over(how: Run) -> Seen {
    hand_over(how, || ())
}

fn hand_over<T: Send>(how: Run, make: impl Fn() -> T + Sync) -> Seen {
    let boxes: Vec<Mutex<Option<T>>> = (0..how.threads).map(|_| Mutex::new(None)).collect();
    let swap = |at: usize, with: Option<T>| {
        let mut left = boxes[at].lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        std::mem::replace(&mut *left, with)
    };
    run(how, |thread| {
        let (make, swap, next) = (&make, &swap, (thread + 1) % how.threads);
        move |_| {
            drop(swap(next, Some(make())));
            drop(swap(thread, None));
        }
    })
}
