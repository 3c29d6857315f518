// SPDX-License-Identifier: 0BSD
// Expected verdict: one locked write to a shared line per operation.
mod marker;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
static STATS: AtomicU64 = AtomicU64::new(0);
fn main() {
    let (n, ops) = marker::main_args();
    let d = marker::run(n, ops, |t, i| {
        let mut x = [t as f64 + i as f64; 64];
        for v in x.iter_mut() {
            *v = *v * 1.5 + 1.0
        }
        std::hint::black_box(&x);
        STATS.fetch_add(1, Relaxed);
    });
    marker::report(n, ops, d);
}
