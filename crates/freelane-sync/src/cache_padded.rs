//! Keeps what two lanes write on different cache lines.

use std::ops::{Deref, DerefMut};

/// A value alone on its cache lines.
///
/// 128 bytes, not 64: processors fetch lines in pairs, so that a write next door would still be felt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(align(128))]
pub struct CachePadded<T>(T);

impl<T> CachePadded<T> {
    /// Puts `value` on lines of its own.
    pub const fn new(value: T) -> Self {
        Self(value)
    }

    /// The value, without its padding.
    pub fn into_inner(self) -> T {
        self.0
    }
}

impl<T> Deref for CachePadded<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> DerefMut for CachePadded<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_two_lines_apart() {
        let pair = [CachePadded::new(1u8), CachePadded::new(2u8)];
        assert_eq!(std::mem::align_of::<CachePadded<u8>>(), 128);
        assert_eq!((&raw const *pair[1]).addr() - (&raw const *pair[0]).addr(), 128);
    }
}
