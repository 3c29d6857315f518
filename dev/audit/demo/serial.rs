// SPDX-License-Identifier: 0BSD
// Control for the tool itself: a shared counter, but thread 1 only starts when thread 0 is done. Coherence misses are
// then near 0 although the line is shared. Expected verdict: INCONCLUSIVE (no overlap), never clean.
mod marker;
use std::sync::{
    atomic::{AtomicU64, Ordering::Relaxed},
    Condvar, Mutex,
};
static STATS: AtomicU64 = AtomicU64::new(0);
static TURN: (Mutex<bool>, Condvar) = (Mutex::new(false), Condvar::new());
fn main() {
    let (n, ops) = marker::main_args();
    let d = marker::run(n, ops, |t, i| {
        if t != 0 && i == 0 {
            let mut g = TURN.0.lock().unwrap();
            while !*g {
                g = TURN.1.wait(g).unwrap()
            }
        }
        let mut x = [t as f64 + i as f64; 64];
        for v in x.iter_mut() {
            *v = *v * 1.5 + 1.0
        }
        std::hint::black_box(&x);
        STATS.fetch_add(1, Relaxed);
        if t == 0 && i == ops - 1 {
            *TURN.0.lock().unwrap() = true;
            TURN.1.notify_all()
        }
    });
    marker::report(n, ops, d);
}
