//! CPU time of this thread, so that what else runs here counts less.

/// What a sample should take.
const SAMPLE_NS: f64 = 3e6;

/// Nanoseconds of one call: the least of three samples.
pub fn least(mut call: impl FnMut()) -> f64 {
    let mut sample = |calls: usize| {
        let start = thread_ns();
        (0..calls).for_each(|_| call());
        (thread_ns() - start) / calls as f64
    };
    let mut calls = 1;
    let took = loop {
        let took = sample(calls) * calls as f64;
        if took > SAMPLE_NS / 4.0 {
            break took;
        }
        calls *= 4;
    };
    let calls = (calls as f64 * SAMPLE_NS / took).max(1.0) as usize;
    (0..3).map(|_| sample(calls)).fold(f64::INFINITY, f64::min)
}

fn thread_ns() -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is writable, and the clock exists on every Linux.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    time.tv_sec as f64 * 1e9 + time.tv_nsec as f64
}
