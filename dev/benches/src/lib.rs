//! Benches of freelane, and of its peers in the same run.
