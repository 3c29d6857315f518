//! Developer commands: `cargo xtask check | tidy | test | bench | audit`.
fn main() {}
