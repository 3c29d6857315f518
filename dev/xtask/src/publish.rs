//! `cargo xtask publish-check`: packages every crate that is published and builds it from its package, uploading nothing.
//!
//! Cargo resolves the crates against each other from a temporary registry, so the check passes before a first release.

use crate::run;
use anyhow::Result;

pub fn run() -> Result<()> {
    let sh = run::shell()?;
    let args = ["publish", "--workspace", "--dry-run", "--no-verify"];
    run::step("publish --dry-run", run::cargo(&sh, &args))?;
    run::step("package", run::cargo(&sh, &["package", "--workspace", "--exclude", "xtask"]))
}
