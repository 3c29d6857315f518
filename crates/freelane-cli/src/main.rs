//! The thin binary over `freelane_cli`.
fn main() {}
