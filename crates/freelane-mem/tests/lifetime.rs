//! Memory outlives the thread that allocated it (G02).

use freelane_mem::{BufferMut, stats};

#[test]
fn arrays_of_an_ended_thread() {
    stats::enable();
    stats::reset();
    let buffers = std::thread::spawn(|| {
        [100usize, 10_000_000].map(|count| {
            let mut buffer = BufferMut::zeroed_for::<f64>(count).unwrap();
            let values: *mut f64 = buffer.as_mut_ptr().cast();
            for i in 0..count {
                // SAFETY: `count` values fit.
                unsafe { values.add(i).write(i as f64) };
            }
            buffer.freeze()
        })
    })
    .join()
    .unwrap();
    assert_eq!(stats::snapshot().total.live_blocks, 2);
    for (buffer, count) in buffers.iter().zip([100, 10_000_000]) {
        // SAFETY: written above.
        let values = unsafe { std::slice::from_raw_parts(buffer.as_ptr().cast::<f64>(), count) };
        assert!(values.iter().enumerate().all(|(i, &value)| value == i as f64));
    }
    drop(buffers);
    let total = stats::snapshot().total;
    assert_eq!((total.live_blocks, total.live_bytes, total.frees), (0, 0, 2));
    stats::disable();
}
