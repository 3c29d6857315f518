//! The freelane command line: eval and scale.
