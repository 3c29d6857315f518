//! Threads that do the same operation side by side between the audit's marks.

use std::sync::Barrier;
use std::time::Instant;

/// Operations before the mark: enough to fill the caches and magazines that a lane keeps.
const WARM: usize = 300;
const MARK: i64 = 0x5ee1_a0d1_7000;

/// How often, and on how many threads.
#[derive(Clone, Copy)]
pub struct Run {
    /// Threads side by side.
    pub threads: usize,
    /// Operations of each thread between the marks.
    pub ops: usize,
}

/// What a plain run shows.
pub struct Seen {
    /// Page faults of the whole process, divided by all threads' operations.
    pub page_faults_per_op: f64,
    /// Wall-clock time divided by one thread's operations.
    pub ns_per_op: f64,
}

/// Runs `make(thread)`'s operation on every thread.
pub fn run<Op: FnMut(usize)>(run: Run, make: impl Fn(usize) -> Op + Sync) -> Seen {
    let gate = Barrier::new(run.threads + 1);
    let (make, gate) = (&make, &gate);
    std::thread::scope(|scope| {
        for thread in 0..run.threads {
            scope.spawn(move || lane(run, make(thread), gate));
        }
        gate.wait();
        let (faults, start) = (page_faults(), Instant::now());
        gate.wait();
        gate.wait();
        let ops = (run.threads * run.ops) as f64;
        let ns_per_op = start.elapsed().as_nanos() as f64 / run.ops as f64;
        let seen = Seen { page_faults_per_op: (page_faults() - faults) as f64 / ops, ns_per_op };
        gate.wait();
        seen
    })
}

/// One thread's life; the last gate keeps what it owns alive until all have measured.
fn lane(run: Run, mut op: impl FnMut(usize), gate: &Barrier) {
    (0..WARM).for_each(&mut op);
    gate.wait();
    gate.wait();
    mark(1, 0);
    (0..run.ops).for_each(&mut op);
    mark(2, run.ops as i64);
    gate.wait();
    gate.wait();
}

/// Tells the audit where the region begins (1) or ends (2); a failing system call when nobody listens.
fn mark(code: i64, arg: i64) {
    // SAFETY: descriptor -1 is never open, so the kernel refuses the call whatever its other arguments.
    unsafe { libc::syscall(libc::SYS_lseek, -1i64, MARK + code, arg) };
}

/// Page faults of this process so far.
fn page_faults() -> i64 {
    // SAFETY: all-zero bytes are a valid `rusage`, a struct of integers.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: the pointer is to a live `rusage`.
    unsafe { libc::getrusage(libc::RUSAGE_SELF, &raw mut usage) };
    usage.ru_minflt + usage.ru_majflt
}
