// SPDX-License-Identifier: 0BSD
// Expected verdict: every thread writes its own word, but the words lie on one line.
mod marker;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
#[repr(align(64))]
struct Counters([AtomicU64; 8]);
static COUNTERS: Counters = Counters([const { AtomicU64::new(0) }; 8]);
fn main() {
    let (n, ops) = marker::main_args();
    let d = marker::run(n, ops, |t, i| {
        let mut x = [t as f64 + i as f64; 64];
        for v in x.iter_mut() {
            *v = *v * 1.5 + 1.0
        }
        std::hint::black_box(&x);
        let c = &COUNTERS.0[t % 8];
        c.store(c.load(Relaxed) + 1, Relaxed); // plain moves, no lock prefix
    });
    marker::report(n, ops, d);
}
