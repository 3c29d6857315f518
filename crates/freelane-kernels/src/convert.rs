//! Casts between element types and byte swaps.
