//! How much scratch a computation needs, said before it starts.

/// A number of bytes and their alignment. What does not fit in a number becomes a size that no workspace can have.
///
/// ```
/// use freelane_mem::ScratchReq;
/// let packed = ScratchReq::of::<f64>(1000);
/// let sums = ScratchReq::new(100, 8);
/// assert_eq!(packed.and(sums).bytes(), 8128);
/// assert_eq!(packed.or(sums).bytes(), 8000);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScratchReq {
    bytes: usize,
    align: usize,
}

impl ScratchReq {
    /// Nothing.
    pub const EMPTY: ScratchReq = ScratchReq { bytes: 0, align: 1 };

    /// `bytes` bytes at a multiple of `align`, a power of two.
    pub const fn new(bytes: usize, align: usize) -> ScratchReq {
        assert!(align.is_power_of_two(), "an alignment is a power of two");
        ScratchReq { bytes, align }
    }

    /// Room for `count` values of `T`, on a cache line of its own.
    pub const fn of<T>(count: usize) -> ScratchReq {
        let align = if align_of::<T>() > crate::DEFAULT_ALIGN { align_of::<T>() } else { crate::DEFAULT_ALIGN };
        ScratchReq { bytes: count.saturating_mul(size_of::<T>()), align }
    }

    /// Room for both at once, this one first: the other starts at this one's bytes, rounded up to its alignment.
    pub const fn and(self, other: ScratchReq) -> ScratchReq {
        let align = max(self.align, other.align);
        ScratchReq { bytes: round_up(round_up(self.bytes, other.align).saturating_add(other.bytes), align), align }
    }

    /// Room for either, one after the other.
    pub const fn or(self, other: ScratchReq) -> ScratchReq {
        ScratchReq { bytes: max(self.bytes, other.bytes), align: max(self.align, other.align) }
    }

    /// The bytes.
    pub const fn bytes(self) -> usize {
        self.bytes
    }

    /// Their alignment.
    pub const fn align(self) -> usize {
        self.align
    }
}

const fn max(a: usize, b: usize) -> usize {
    if a > b { a } else { b }
}

const fn round_up(bytes: usize, align: usize) -> usize {
    match bytes.checked_next_multiple_of(align) {
        Some(rounded) => rounded,
        None => usize::MAX,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_that_do_not_fit_stay_impossible() {
        let huge = ScratchReq::of::<f64>(usize::MAX / 2);
        assert_eq!(huge.bytes(), usize::MAX);
        assert_eq!(huge.and(ScratchReq::of::<u8>(1)).or(ScratchReq::EMPTY).bytes(), usize::MAX);
    }

    #[test]
    fn both_keeps_the_alignment_of_each() {
        let both = ScratchReq::new(3, 1).and(ScratchReq::new(8, 16));
        assert_eq!((both.bytes(), both.align()), (32, 16));
        assert_eq!(ScratchReq::EMPTY.and(ScratchReq::new(5, 1)).bytes(), 5);
    }
}
