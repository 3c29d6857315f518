//! Which element goes where: keys and their numbers packed into one integer, and those sorted.
//!
//! The number of an element takes the low bits, as many as it needs; the difference of its key from the smallest one takes the
//! others. Equal keys then follow one another by their numbers: the order is stable, and there is only one. Where a key has
//! more bits than there is room for, its low ones are left out at first; elements that agree in the others lie together and are
//! sorted once more, by the bits left out ([`settle`]).
use super::SortKey;
use super::keys::Key;
use freelane_simd::Isa;
use std::ops::Range;

/// Elements at most: their numbers take half of an integer.
pub const MOST: usize = u32::MAX as usize;

/// How keys and numbers share an integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packing {
    base: i64,
    /// Low bits of a difference that are left out.
    drop: u32,
    /// Bits of a number.
    bits: u32,
    /// Whether the bits left out are the same in all keys.
    whole: bool,
}

/// What some keys span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    low: i64,
    high: i64,
    /// Bits in which keys differ.
    differ: i64,
}

impl Span {
    /// Of no keys.
    pub const NOTHING: Span = Span { low: i64::MAX, high: i64::MIN, differ: 0 };

    /// The span of some keys.
    pub fn of(keys: &[i64]) -> Span {
        #[cfg(target_arch = "x86_64")]
        if matches!(Isa::current(), Isa::Avx2 | Isa::Avx512) {
            // SAFETY: a process has the instruction set that it names.
            return unsafe { Span::of_avx2(keys) };
        }
        Span::of_any(keys)
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn of_avx2(keys: &[i64]) -> Span {
        Span::of_any(keys)
    }

    #[inline(always)]
    fn of_any(keys: &[i64]) -> Span {
        let first = keys.first().copied().unwrap_or_default();
        let add = |s: Span, &k: &i64| Span { low: s.low.min(k), high: s.high.max(k), differ: s.differ | (k ^ first) };
        keys.iter().fold(Span::NOTHING, add)
    }

    /// The span of both.
    pub fn and(self, other: Span) -> Span {
        if self == Span::NOTHING || other == Span::NOTHING {
            return if self == Span::NOTHING { other } else { self };
        }
        let differ = self.differ | other.differ | (self.low ^ other.low);
        Span { low: self.low.min(other.low), high: self.high.max(other.high), differ }
    }
}

impl Packing {
    /// For `n <= MOST` keys of this span.
    pub fn new(n: usize, span: Span) -> Packing {
        debug_assert!(n <= MOST);
        let bits = usize::BITS - n.saturating_sub(1).leading_zeros();
        let width = 64 - (span.high.wrapping_sub(span.low) as u64).leading_zeros();
        let drop = if span.low > span.high { 0 } else { (width + bits).saturating_sub(64) };
        Packing { base: span.low, drop, bits, whole: span.differ.trailing_zeros() >= drop }
    }

    /// For keys of at most 32 bits, which need no look at them.
    pub const NARROW: Packing = Packing { base: i32::MIN as i64, drop: 0, bits: 32, whole: true };

    /// For integers that are nothing but numbers.
    pub const NUMBERS: Packing = Packing { base: 0, drop: 0, bits: 63, whole: true };

    /// Whether integers in order mean keys in order.
    pub fn is_whole(self) -> bool {
        self.whole
    }

    /// The number in an integer.
    #[inline(always)]
    pub fn number(self, packed: i64) -> i64 {
        packed & (1i64 << self.bits).wrapping_sub(1)
    }

    #[inline(always)]
    fn pack(self, key: i64, number: i64) -> i64 {
        // The differences are unsigned: the highest bit is turned so that they compare as signed ones.
        ((key.wrapping_sub(self.base) as u64 >> self.drop << self.bits) as i64 | number) ^ i64::MIN
    }

    /// Whether two integers next to each other agree in what they have of their keys.
    #[inline(always)]
    pub fn agree(self, a: i64, b: i64) -> bool {
        (a ^ b) as u64 >> self.bits == 0
    }
}

/// Packs keys, of which the first has the number `first`.
pub fn pack<K: Key + Into<i64>>(keys: &[K], first: usize, packing: Packing, out: &mut [i64]) {
    for ((o, &k), i) in out.iter_mut().zip(keys).zip(first as i64..) {
        *o = packing.pack(k.into(), i);
    }
}

/// The numbers of sorted integers, `stride` bytes apart.
///
/// # Safety
/// `out` can be written at as many places.
pub unsafe fn unpack(packed: &[i64], packing: Packing, out: *mut i64, stride: isize) {
    if stride == size_of::<i64>() as isize {
        for (i, &p) in packed.iter().enumerate() {
            // SAFETY: as the caller promises.
            unsafe { out.add(i).write(packing.number(p)) };
        }
        return;
    }
    for (i, &p) in packed.iter().enumerate() {
        // SAFETY: as the caller promises.
        unsafe { out.byte_offset(i as isize * stride).write(packing.number(p)) };
    }
}

/// Whether no key is larger than the one before it.
pub fn falls<K: Key>(keys: &[K]) -> bool {
    let all = |part: &[K], next: &[K]| part.iter().zip(next).fold(true, |all, (a, b)| all & (b <= a));
    let later = keys.get(1..).unwrap_or_default();
    keys.chunks(64).zip(later.chunks(64)).all(|(part, next)| all(part, next))
}

/// Calls `put` with each place in order and the number of the key that goes there, for keys of which none is larger than the one
/// before it; of equal keys, the first first.
pub fn order_falling<K: Key>(keys: &[K], mut put: impl FnMut(usize, i64)) {
    let (mut end, mut place) = (keys.len(), 0);
    while end > 0 {
        let mut start = end - 1;
        while start > 0 && keys[start - 1] == keys[start] {
            start -= 1;
        }
        for i in start..end {
            put(place, i as i64);
            place += 1;
        }
        end = start;
    }
}

/// Puts integers of a part in order that agree in what they have of their keys; only their numbers hold afterwards. The part
/// begins and ends where they do not agree.
pub fn settle(isa: Isa, packed: &mut [i64], keys: &[i64], packing: Packing, aside: &mut [i64]) {
    let mut at = 0;
    while let Some(run) = next_run(packed, packing, at) {
        at = run.end;
        let run = &mut packed[run];
        for p in &mut *run {
            let number = packing.number(*p);
            let left_out = keys[number as usize].wrapping_sub(packing.base) & ((1 << packing.drop) - 1);
            // With its highest bit turned over, so that they are in order as signed integers too.
            *p = (left_out << packing.bits | number) ^ i64::MIN;
        }
        i64::sort(isa, run, aside);
    }
}

/// The next integers from `at` on, two or more, that agree.
fn next_run(packed: &[i64], packing: Packing, at: usize) -> Option<Range<usize>> {
    let later = packed.get(at + 1..)?;
    let start = at + packed[at..].iter().zip(later).position(|(&a, &b)| packing.agree(a, b))?;
    let more = packed[start..].iter().position(|&p| !packing.agree(packed[start], p));
    Some(start..more.map_or(packed.len(), |n| start + n))
}
