//! Reductions in an order that depends on the reduced length alone.
