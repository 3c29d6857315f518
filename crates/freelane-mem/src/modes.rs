//! What is done besides, when it is switched on: counting and filling. One word, read at each allocation.

use freelane_sync::atomic::{AtomicU32, Ordering};

/// Blocks are counted.
pub(crate) const STATS: u32 = 1;
/// Blocks are filled when allocated and freed.
pub(crate) const FILL: u32 = 2;

// LEDGER: the process; switches that the user sets, read at each allocation.
static MODES: AtomicU32 = AtomicU32::new(0);

/// What is switched on now.
#[inline(always)]
pub(crate) fn modes() -> u32 {
    MODES.load(Ordering::Relaxed)
}

pub(crate) fn switch(mode: u32, on: bool) {
    if on {
        MODES.fetch_or(mode, Ordering::Relaxed)
    } else {
        MODES.fetch_and(!mode, Ordering::Relaxed)
    };
}

/// Switches filling on or off: new memory is then 0xCB until written, and 0xDE from when it is freed.
///
/// It is off at first, and costs nothing then. Blocks allocated while it is on are filled when they are freed.
pub fn set_debug_fill(on: bool) {
    switch(FILL, on);
}
