// SPDX-License-Identifier: 0BSD
// Marks for the sharing audit. All of them are harmless when the program runs without a tool.
//   begin()/end(ops): lseek on file descriptor -1; the kernel answers EBADF, tools read the arguments.
//   op():             one operation done; a few register instructions that change nothing (Valgrind's client request).
#![allow(dead_code)]
use std::arch::asm;
pub const MAGIC: i64 = 0x5ee1_a0d1_7000;
pub const BEGIN: i64 = 1;
pub const END: i64 = 2;

#[inline(never)]
pub fn mark(code: i64, arg: i64) {
    unsafe {
        let _ret: i64;
        asm!("syscall", inlateout("rax") 8i64 => _ret, in("rdi") -1i64, in("rsi") MAGIC + code, in("rdx") arg,
             lateout("rcx") _, lateout("r11") _, options(nostack));
    }
}
pub fn begin() {
    mark(BEGIN, 0)
}
pub fn end(ops: i64) {
    mark(END, ops)
}

#[inline(always)]
pub fn op() {
    let args: [u64; 6] = [0x534C_0003, 0, 0, 0, 0, 0]; // ('S','L') base + 3
    unsafe {
        asm!("rol rdi, 3", "rol rdi, 13", "rol rdi, 61", "rol rdi, 51", "xchg rbx, rbx",
             in("rax") args.as_ptr(), inout("rdx") 0u64 => _, options(nostack));
    }
}

/// Runs f(thread, op number) ops times on each of n threads, marked, after a common start.
pub fn run<F: Fn(usize, usize) + Sync>(n: usize, ops: usize, f: F) -> std::time::Duration {
    run_setup(n, ops, |_| (), f)
}
/// As run, with a step for each thread before the start.
pub fn run_setup<S: Fn(usize) + Sync, F: Fn(usize, usize) + Sync>(
    n: usize,
    ops: usize,
    setup: S,
    f: F,
) -> std::time::Duration {
    let setup = &setup;
    let start = std::sync::Barrier::new(n + 1);
    let (f, start) = (&f, &start);
    let mut t0 = std::time::Instant::now();
    std::thread::scope(|s| {
        for t in 0..n {
            s.spawn(move || {
                setup(t);
                start.wait();
                begin();
                for i in 0..ops {
                    f(t, i);
                    op();
                }
                end(ops as i64);
            });
        }
        start.wait();
        t0 = std::time::Instant::now();
    });
    t0.elapsed()
}
pub fn main_args() -> (usize, usize) {
    let a: Vec<String> = std::env::args().collect();
    (a.get(1).map_or(2, |s| s.parse().unwrap()), a.get(2).map_or(1000, |s| s.parse().unwrap()))
}
pub fn report(n: usize, ops: usize, d: std::time::Duration) {
    println!("threads {n} ops/thread {ops} ns/op/thread {:.2}", d.as_nanos() as f64 / ops as f64);
}
