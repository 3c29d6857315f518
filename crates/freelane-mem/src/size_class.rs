//! Which sizes blocks come in: multiples of 64 bytes up to 512, then four to each power of two.
//!
//! So a block wastes at most a quarter of what was asked for (and less than 64 bytes of the small ones), every block starts
//! on a cache line of its own, and the class of a size is a shift and a mask.

/// One of the sizes that blocks come in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SizeClass(u8);

const LINEAR: usize = 8;
const LINEAR_BYTES: usize = 512;
const LINEAR_SHIFT: usize = 6;

impl SizeClass {
    /// How many classes there are.
    pub const COUNT: usize = 160;
    /// The size of the largest class.
    pub const MAX_BYTES: usize = 1 << 47;
    /// Blocks of these classes, below 64 KiB, lie in magazines that only their lane can reach.
    pub(crate) const PRIVATE: usize = 35;
    /// The size of the largest private class.
    pub(crate) const PRIVATE_BYTES: usize = 56 << 10;
    /// Blocks from this class on, 1 MiB, are mappings of their own.
    pub(crate) const MAPPED: usize = 51;

    /// The smallest class that holds `bytes`; `None` if none does.
    #[inline]
    pub const fn of(bytes: usize) -> Option<SizeClass> {
        if bytes > Self::MAX_BYTES { None } else { Some(Self::of_possible(bytes)) }
    }

    /// As [`of`](SizeClass::of), for sizes known to be at most [`MAX_BYTES`](SizeClass::MAX_BYTES).
    #[inline(always)]
    pub(crate) const fn of_possible(bytes: usize) -> SizeClass {
        let last = bytes.saturating_sub(1);
        if bytes <= LINEAR_BYTES {
            return SizeClass((last >> LINEAR_SHIFT) as u8);
        }
        let log = last.ilog2() as usize;
        let quarter = (last >> (log - 2)) & 3;
        SizeClass(((log - 9) * 4 + quarter + LINEAR) as u8)
    }

    pub(crate) const fn from_index(index: usize) -> SizeClass {
        assert!(index < Self::COUNT);
        SizeClass(index as u8)
    }

    /// The size of the blocks of this class.
    #[inline]
    pub const fn bytes(self) -> usize {
        let index = self.0 as usize;
        if index < LINEAR {
            return (index + 1) << LINEAR_SHIFT;
        }
        let step = index - LINEAR;
        (5 + step % 4) << (7 + step / 4)
    }

    /// The class's place in the order of sizes.
    #[inline(always)]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    pub(crate) const fn is_private(self) -> bool {
        self.index() < Self::PRIVATE
    }

    pub(crate) const fn is_mapped(self) -> bool {
        self.index() >= Self::MAPPED
    }
}

const _: () = assert!(SizeClass::from_index(SizeClass::PRIVATE - 1).bytes() == SizeClass::PRIVATE_BYTES);
const _: () = assert!(SizeClass::from_index(SizeClass::MAPPED).bytes() == 1 << 20);
const _: () = assert!(SizeClass::from_index(SizeClass::COUNT - 1).bytes() == SizeClass::MAX_BYTES);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_ordered_and_each_holds_its_own_size_and_no_more() {
        for index in 0..SizeClass::COUNT {
            let class = SizeClass::from_index(index);
            let bytes = class.bytes();
            assert_eq!(bytes % 64, 0);
            assert_eq!(SizeClass::of(bytes), Some(class));
            let next = (index + 1 < SizeClass::COUNT).then(|| SizeClass::from_index(index + 1));
            assert_eq!(SizeClass::of(bytes + 1), next);
        }
    }

    #[test]
    fn little_is_wasted() {
        for bytes in (1..100_000).chain([(16 << 20) + 1, (1 << 40) + 1]) {
            let class = SizeClass::of(bytes).unwrap();
            let waste = class.bytes() - bytes;
            assert!(waste < 64 || waste * 4 <= bytes, "{bytes} in {}", class.bytes());
        }
        assert_eq!((SizeClass::of(0), SizeClass::of(64)), (Some(SizeClass(0)), Some(SizeClass(0))));
        assert_eq!(SizeClass::of(usize::MAX), None);
    }
}
