//! Unsigned integers as masks and counters beside elements of the same width.
use std::ops::{BitAnd, BitOr};

/// An unsigned integer.
pub trait Word: Copy + PartialEq + BitOr<Output = Self> + BitAnd<Output = Self> + 'static {
    /// No bit.
    const NONE: Self;
    /// Every bit.
    const ALL: Self;
    /// The lowest bits of a number.
    fn of(n: usize) -> Self;
    /// As a number.
    fn number(self) -> usize;
    /// The sum; it wraps.
    fn plus(self, b: Self) -> Self;
    /// All bits if so, else none.
    #[inline(always)]
    fn mask(so: bool) -> Self {
        if so { Self::ALL } else { Self::NONE }
    }
}

macro_rules! words {
    ($($t:ty),*) => {$(
        impl Word for $t {
            const NONE: $t = 0;
            const ALL: $t = <$t>::MAX;
            #[inline(always)]
            fn of(n: usize) -> $t {
                n as $t
            }
            #[inline(always)]
            fn number(self) -> usize {
                self as usize
            }
            #[inline(always)]
            fn plus(self, b: $t) -> $t {
                self.wrapping_add(b)
            }
        }
    )*};
}
words!(u8, u16, u32, u64);
