//! Every dependency is under a licence that lets users ship freelane.

use super::Finding;
use cargo_metadata::Metadata;
use spdx::{Expression, LicenseReq, ParseMode};

/// Licences that may be linked into what we ship.
const ALLOWED: &[&str] = &[
    "0BSD",
    "Apache-2.0",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "ISC",
    "MIT",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

/// Checks the licence expression of each package that Cargo resolved, development tools included.
pub fn check(metadata: &Metadata) -> Vec<Finding> {
    let judged = metadata.packages.iter().map(|package| (package, judge(package.license.as_deref())));
    judged
        .filter_map(|(package, verdict)| Some(format!("{} {}: {}", package.name, package.version, verdict.err()?)))
        .collect()
}

fn judge(licence: Option<&str>) -> Result<(), String> {
    let text = licence.ok_or("no licence is named")?;
    let expression =
        Expression::parse_mode(text, ParseMode::LAX).map_err(|error| format!("{text}: {}", error.reason))?;
    if expression.evaluate(allowed) { Ok(()) } else { Err(format!("{text} is not on the allow-list")) }
}

fn allowed(requirement: &LicenseReq) -> bool {
    let id = requirement.license.id();
    id.is_some_and(|id| ALLOWED.contains(&id.name))
}

#[cfg(test)]
mod tests {
    use super::judge;

    #[test]
    fn expressions_are_judged() {
        let cases = [
            (Some("MIT"), true),
            (Some("MIT/Apache-2.0"), true),
            (Some("GPL-3.0-only OR MIT"), true),
            (Some("Apache-2.0 WITH LLVM-exception"), true),
            (Some("(MIT OR Apache-2.0) AND Unicode-3.0"), true),
            (Some("MIT AND GPL-2.0-or-later"), false),
            (Some("LGPL-3.0-only"), false),
            (Some("no such thing"), false),
            (None, false),
        ];
        for (licence, ok) in cases {
            assert_eq!(judge(licence).is_ok(), ok, "{licence:?}");
        }
    }
}
