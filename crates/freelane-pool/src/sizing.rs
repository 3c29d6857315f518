//! How many threads a runtime should have here.

use crate::affinity::allowed_cores;
use std::env;

/// Upper bounds from the environment. A value counts if its first comma-separated item is a whole number of at least
/// 1 (OpenMP writes one item per nesting level); anything else is ignored, as if the variable were not set.
const BOUNDS: [&str; 2] = ["FREELANE_NUM_THREADS", "OMP_NUM_THREADS"];

/// The cores granted by affinity and quota, within the environment's bounds; at least 1.
pub fn available() -> usize {
    let bounds = BOUNDS.iter().filter_map(|name| parse_bound(&env::var(name).ok()?));
    bounds.chain([cores()]).chain(quota()).min().unwrap_or(1)
}

fn cores() -> usize {
    match allowed_cores().len() {
        0 => std::thread::available_parallelism().map_or(1, |threads| threads.get()),
        cores => cores,
    }
}

#[cfg(target_os = "linux")]
fn quota() -> Option<usize> {
    crate::cgroup::cpu_quota(std::path::Path::new("/"))
}

#[cfg(not(target_os = "linux"))]
fn quota() -> Option<usize> {
    None
}

fn parse_bound(text: &str) -> Option<usize> {
    let first = text.split(',').next()?;
    first.trim().parse().ok().filter(|&threads| threads >= 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_count_or_are_ignored() {
        let cases = [
            ("1", Some(1)),
            (" 8 ", Some(8)),
            ("4,2", Some(4)),
            ("+3", Some(3)),
            ("0", None),
            ("-2", None),
            ("", None),
            (",4", None),
            ("2.5", None),
            ("all", None),
            ("99999999999999999999", None),
        ];
        for (text, bound) in cases {
            assert_eq!(parse_bound(text), bound, "{text:?}");
        }
    }
}
