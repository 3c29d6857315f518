//! Matrix products in a fixed order over k.
