//! Buffers and the lane-owned heaps they come from.
