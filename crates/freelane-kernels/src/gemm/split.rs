//! How a product is cut into tasks. No cut changes a bit.
use super::element::Product;
use core::ops::Range;

/// Panels under which columns are not worth cutting while there are rows.
const FEW_PANELS: usize = 8;
/// Rows per task below which rows are not cut.
const FEW_ROWS: usize = 24;
/// Columns are cut at multiples of this: a whole panel of every element type.
const PANEL: usize = 32;
/// Bytes that pass per nanosecond when nothing is used twice, and that multiply when much is: of one core.
const STREAM: u64 = 64;
const COMPUTE: u64 = 200;

/// A product of `m x k` by `k x n` cut into tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Split {
    m: usize,
    n: usize,
    row_tasks: usize,
    column_tasks: usize,
    cost_ns: u64,
}

impl Split {
    /// At most `threads` tasks of about the same size; one when the product is small.
    pub fn new<T: Product>(m: usize, n: usize, k: usize, threads: usize) -> Split {
        let panels = n.div_ceil(PANEL);
        let by_rows = n == 1 || panels < threads.max(FEW_PANELS) || m >= n.saturating_mul(4);
        let (row_tasks, column_tasks) = match by_rows {
            true if m >= 2 * FEW_ROWS => (threads.min(m / FEW_ROWS), 1),
            _ => (1, threads.min(panels)),
        };
        Split { m, n, row_tasks: row_tasks.max(1), column_tasks: column_tasks.max(1), cost_ns: cost::<T>(m, n, k) }
    }

    /// Number of tasks.
    pub fn tasks(&self) -> usize {
        self.row_tasks * self.column_tasks
    }

    /// About how long all tasks take on one core.
    pub fn cost_ns(&self) -> u64 {
        self.cost_ns
    }

    /// Rows and columns of one task.
    pub fn block(&self, task: usize) -> (Range<usize>, Range<usize>) {
        let (r, c) = (task % self.row_tasks, task / self.row_tasks);
        let cut = |units: usize, of: usize, i: usize| (units as u128 * i as u128 / of as u128) as usize;
        let rows = cut(self.m, self.row_tasks, r)..cut(self.m, self.row_tasks, r + 1);
        let panels = self.n.div_ceil(PANEL);
        let column = |i| cut(panels, self.column_tasks, i).saturating_mul(PANEL).min(self.n);
        (rows, column(c)..column(c + 1))
    }
}

fn cost<T>(m: usize, n: usize, k: usize) -> u64 {
    let [m, n, k, size] = [m, n, k, size_of::<T>()].map(|x| x as u64);
    let operands = m.saturating_mul(k).saturating_add(k.saturating_mul(n)).saturating_mul(size);
    let work = m.saturating_mul(n).saturating_mul(k).saturating_mul(size);
    (operands / STREAM).max(work / COMPUTE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_blocks_cover_the_product_once() {
        let sizes = [0, 1, 2, 31, 32, 33, 48, 64, 100, 768, 1025];
        for m in sizes {
            for n in sizes {
                for threads in [1, 2, 3, 5, 16] {
                    let split = Split::new::<f32>(m, n, 64, threads);
                    assert!(split.tasks() <= threads.max(1));
                    let mut seen = vec![0u8; m * n];
                    for task in 0..split.tasks() {
                        let (rows, columns) = split.block(task);
                        assert!(columns.start % PANEL == 0 || columns.is_empty());
                        rows.for_each(|i| columns.clone().for_each(|j| seen[i * n + j] += 1));
                    }
                    assert!(seen.iter().all(|&count| count == 1), "{m} x {n} over {threads}");
                }
            }
        }
    }

    #[test]
    fn sizes_do_not_overflow() {
        let split = Split::new::<f64>(usize::MAX, usize::MAX, usize::MAX, 2);
        assert_eq!(split.cost_ns(), u64::MAX / STREAM);
        assert_eq!(split.block(split.tasks() - 1).0.end, usize::MAX);
    }
}
