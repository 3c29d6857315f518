// SPDX-License-Identifier: 0BSD
// Expected verdict: nothing shared. Reads of common constants are allowed; each thread writes only its own lines.
mod marker;
use std::cell::Cell;
#[repr(align(128))]
struct Lane(Cell<u64>);
thread_local! { static COUNT: Lane = const { Lane(Cell::new(0)) }; }
static TABLE: [f64; 64] = [1.25; 64];
fn main() {
    let (n, ops) = marker::main_args();
    let d = marker::run(n, ops, |t, i| {
        let mut x = [t as f64 + i as f64; 64];
        for (v, c) in x.iter_mut().zip(&TABLE) {
            *v = *v * *c + 1.0
        }
        std::hint::black_box(&x);
        COUNT.with(|c| c.0.set(c.0.get() + 1));
    });
    marker::report(n, ops, d);
}
