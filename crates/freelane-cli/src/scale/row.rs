//! One line of the result.
use serde::Serialize;

/// One side of a group at one number of threads. The fields are those of `--json`.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// The workload.
    pub workload: &'static str,
    /// What was done; contains "contended" where threads share something.
    pub case: String,
    /// Elements or bytes of one operation.
    pub n: usize,
    /// Threads that did it at the same time.
    pub threads: usize,
    /// Median time of one operation on one thread.
    pub ns_per_op: f64,
    /// Operations of all threads in all rounds.
    pub ops: u64,
    /// Work done in the same time, as a multiple of one thread's.
    pub speedup: f64,
    /// One thread's time per operation divided by this one's; beyond the processors, by what sharing them must cost.
    pub efficiency: f64,
    /// The efficiency of a plain loop with the same memory traffic; 1 where memory does not bound.
    pub limit_efficiency: f64,
    /// Whether other programs took the processors away so often that the figures say little.
    pub disturbed: bool,
}

impl Row {
    /// Whether threads cost nothing beyond what the memory takes.
    pub fn is_straight(&self) -> bool {
        self.efficiency >= 0.95 * self.limit_efficiency
    }

    /// Whether threads share something on purpose.
    pub fn is_contended(&self) -> bool {
        self.case.contains("contended")
    }
}
