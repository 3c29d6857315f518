//! The rows as a table.
use super::row::Row;
use std::io::{self, Write};

const LEGEND: &str = "\
Each thread does the same work on what it owns; one thread a processor, started together, medians.
speed-up    work done in the same time, as a multiple of one thread's
efficiency  one thread's time for an operation, divided by the time when all run
limit       the efficiency of a plain loop with the same memory traffic; 1.00 where memory does not bound
line        straight where the efficiency is at least 0.95 of the limit
The twins named \"contended\" do the same work and share one thing on purpose: a counter, a lock, a reference count.
Their lines bend; this is how contention would look, and what the others do not have.
";

const DISTURBED: &str = "?           other programs used the processors meanwhile; measure again when they rest";

/// Writes a table, and under it what its columns mean.
pub fn report(rows: &[Row], out: &mut dyn Write) -> io::Result<()> {
    let width = rows.iter().map(|row| row.case.chars().count()).max().unwrap_or(0).max("case".len());
    let mut workload = "";
    let mut last = (String::new(), 0);
    for row in rows {
        if row.workload != workload {
            workload = row.workload;
            heading(workload, width, out)?;
            last = (String::new(), 0);
        }
        let here = (row.case.clone(), row.n);
        let (case, n) = if here == last { ("", String::new()) } else { (&*row.case, size(row.n)) };
        let (threads, time) = (row.threads, time(row.ns_per_op));
        let (speedup, efficiency, limit) = (row.speedup, row.efficiency, row.limit_efficiency);
        writeln!(
            out,
            "  {case:<width$}  {n:>8}  {threads:>7}  {time:>9}  {speedup:>8.2}  {efficiency:>10.2}  {limit:>5.2}  {}",
            verdict(row)
        )?;
        last = here;
    }
    writeln!(out, "\n{}", LEGEND.trim_end())?;
    match rows.iter().any(|row| row.disturbed) {
        true => writeln!(out, "{DISTURBED}"),
        false => Ok(()),
    }
}

fn heading(workload: &str, width: usize, out: &mut dyn Write) -> io::Result<()> {
    let columns = format!(
        "{:>8}  {:>7}  {:>9}  {:>8}  {:>10}  {:>5}  line",
        "n", "threads", "time/op", "speed-up", "efficiency", "limit"
    );
    writeln!(out, "\n{workload}\n  {:<width$}  {columns}", "case")
}

fn verdict(row: &Row) -> String {
    let line = match (row.threads, row.is_straight(), row.is_contended()) {
        (1, ..) => "",
        (_, true, _) => "straight",
        (_, false, true) => "bent by what is shared",
        (_, false, false) => "bent",
    };
    format!("{line}{}", if row.disturbed { " ?" } else { "" })
}

/// A number of elements or bytes in few characters.
pub fn size(n: usize) -> String {
    match n {
        0..1024 => n.to_string(),
        n if n.is_multiple_of(1 << 20) => format!("{} Mi", n >> 20),
        n if n.is_multiple_of(1 << 10) => format!("{} Ki", n >> 10),
        n if n.is_multiple_of(1_000_000) => format!("{}e6", n / 1_000_000),
        n => format!("{}", n),
    }
}

/// Nanoseconds with a unit.
fn time(ns: f64) -> String {
    match ns {
        ns if ns < 1e3 => format!("{ns:.1} ns"),
        ns if ns < 1e6 => format!("{:.2} us", ns / 1e3),
        ns => format!("{:.2} ms", ns / 1e6),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_says_which_lines_are_straight() {
        let row = |case: &str, threads, ns_per_op, efficiency| Row {
            workload: "alloc",
            case: case.to_owned(),
            n: 512,
            threads,
            ns_per_op,
            ops: 1,
            speedup: efficiency * threads as f64,
            efficiency,
            limit_efficiency: 1.0,
            disturbed: case == "b",
        };
        let rows = [row("a", 1, 9.96, 1.0), row("a", 2, 10.0, 0.99), row("a, contended lock", 2, 2e3, 0.1)];
        let mut out = vec![];
        report(&rows, &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        let lines: Vec<&str> = text.lines().skip(3).take(3).map(str::trim_end).collect();
        assert_eq!(
            lines,
            [
                "  a                       512        1    10.0 ns      1.00        1.00   1.00",
                "                                     2    10.0 ns      1.98        0.99   1.00  straight",
                "  a, contended lock       512        2    2.00 us      0.20        0.10   1.00  bent by what is shared",
            ]
        );
    }
}
