//! Shared test inputs and comparisons.
