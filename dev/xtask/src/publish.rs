//! `cargo xtask publish-check`: packages every crate that is published and builds it from its package, uploading nothing.
//!
//! Cargo resolves the crates against each other from a temporary registry, so the check passes before a first release.

use crate::run;
use anyhow::Result;

pub fn run() -> Result<()> {
    let sh = run::shell()?;
    let args = ["publish", "--workspace", "--dry-run", "--allow-dirty"];
    run::step("publish --dry-run", run::cargo(&sh, &args))
}
