//! Elementwise functions and their erased inner loops.
