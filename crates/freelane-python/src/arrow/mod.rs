//! The Arrow C data interface, both ways, for arrays of one axis.
//!
//! Numbers are exchanged without copies. Bools are single bits there and bytes here, so they are copied. Missing values
//! have no counterpart and are refused.
mod export;
mod import;
mod layout;

use crate::native::Native;
pub(crate) use import::from_arrow;

/// Methods of arrays.
pub(crate) const METHODS: &[Native] = &[Native {
    signature: "__arrow_c_array__(self, requested_schema=None)",
    doc: "Capsules of the Arrow C data interface over the elements of an array of one axis. Bools are copied.",
    run: export::arrow_c_array,
}];
