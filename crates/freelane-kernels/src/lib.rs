//! Inner loops over slices and strides, one body for every instruction set.
