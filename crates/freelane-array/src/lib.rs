//! Data types, shapes, strides and the dynamic array description built from them.
