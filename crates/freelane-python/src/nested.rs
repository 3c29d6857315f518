//! Calls that may lie in each other: they end before the thread's stack does.
use freelane_sync::lane_local;
use pyo3::{exceptions as exc, prelude::*};
use std::cell::Cell;

/// What lies in each other on a thread.
#[derive(Clone, Copy)]
pub(crate) enum Of {
    /// Conversions of objects, which may ask for conversions.
    Conversions,
    /// Calls of jitted functions.
    Jitted,
}

lane_local! {
    // LEDGER: its thread; how many of each kind are under way
    static DEPTHS: [Cell<u32>; 2] = [const { Cell::new(0) }; 2];
}

/// One of them under way.
pub(crate) struct Nested(Of);

impl Nested {
    /// Begins one, unless there are as many as may be.
    pub(crate) fn enter(of: Of, most: u32, message: &str) -> PyResult<Nested> {
        let nested = Nested(of);
        match DEPTHS.with(|depths| depths[of as usize].replace(depths[of as usize].get() + 1)) {
            depth if depth >= most => Err(exc::PyRecursionError::new_err(message.to_owned())),
            _ => Ok(nested),
        }
    }
}

impl Drop for Nested {
    fn drop(&mut self) {
        DEPTHS.with(|depths| depths[self.0 as usize].set(depths[self.0 as usize].get() - 1));
    }
}
