//! The array type, its functions as rows, and structured operations.
