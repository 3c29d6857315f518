//! Words, and integers of a range without bias.
use crate::fill::{Fill, Words, array, each};
use crate::philox::TILE;
use crate::source::Source;
use freelane_array::{DType, Kind};
use freelane_ops::{Array, InOp, OpsError};
use freelane_pool::Lane;
use std::marker::PhantomData;

/// An integer that holds the lower bits of a word.
pub(crate) trait Whole: Copy + Default + Sync {
    fn low(word: u64) -> Self;
}

macro_rules! whole {
    ($($t:ty),*) => { $(impl Whole for $t {
        #[inline(always)]
        fn low(word: u64) -> $t {
            word as $t
        }
    })* };
}
whole!(u8, u16, u32, u64);

/// The upper bits of words.
#[derive(Clone, Copy)]
struct Bits<T>(PhantomData<T>);

impl<T: Whole> Fill for Bits<T> {
    type Out = T;

    #[inline(always)]
    fn tile(self, words: &Words) -> [T; TILE] {
        each(words, |word| T::low(word >> (64 - 8 * size_of::<T>())))
    }
}

/// Numbers from `low` on, `count` of them, all as likely (Lemire, Fast random integer generation in an interval, 2019): the
/// upper half of `word * count`, unless the lower half says that this one would come up too often.
#[derive(Clone, Copy)]
pub(crate) struct Range<T> {
    low: u64,
    count: u64,
    /// Lower halves below this are refused: `2^64 mod count`.
    refused: u64,
    of: PhantomData<T>,
}

impl<T: Whole> Range<T> {
    pub(crate) fn new(low: u64, count: u64) -> Range<T> {
        Range { low, count, refused: count.wrapping_neg() % count, of: PhantomData }
    }

    fn value(self, at: Source) -> T {
        T::low(self.low.wrapping_add(below(at, self.count, || self.refused)))
    }
}

/// A number below `count`, all as likely.
#[inline]
pub(crate) fn below(at: Source, count: u64, refused: impl FnOnce() -> u64) -> u64 {
    below_from(at.word(), at, count, refused)
}

/// The same, where the word at the position is known.
#[inline]
pub(crate) fn below_from(word: u64, at: Source, count: u64, refused: impl FnOnce() -> u64) -> u64 {
    let product = u128::from(word) * u128::from(count);
    if product as u64 >= count {
        return (product >> 64) as u64;
    }
    let refused = refused();
    let products = std::iter::once(word).chain(at.tries()).map(|word| u128::from(word) * u128::from(count));
    let kept = products.into_iter().find(|product| *product as u64 >= refused);
    // Four billion tries, each with more than even chances, do not fail.
    (kept.unwrap_or(product) >> 64) as u64
}

impl<T: Whole> Fill for Range<T> {
    type Out = T;

    #[inline(always)]
    fn tile(self, words: &Words) -> [T; TILE] {
        each(words, |word| T::low(self.low.wrapping_add(((u128::from(word) * u128::from(self.count)) >> 64) as u64)))
    }

    #[inline(always)]
    fn refuses(self, words: &Words) -> bool {
        words.iter().fold(false, |any, word| any | (word.wrapping_mul(self.count) < self.refused))
    }

    fn again(self, at: Source, _: T) -> T {
        self.value(at)
    }
}

/// The same of fewer than 2^32 numbers: products of 32 by 32 bits are enough.
#[derive(Clone, Copy)]
struct ShortRange<T>(Range<T>);

impl<T: Whole> Fill for ShortRange<T> {
    type Out = T;

    #[inline(always)]
    fn tile(self, words: &Words) -> [T; TILE] {
        let count = self.0.count & 0xFFFF_FFFF;
        each(words, |word| {
            let (high, low) = (word >> 32, word & 0xFFFF_FFFF);
            T::low(self.0.low.wrapping_add((high * count + ((low * count) >> 32)) >> 32))
        })
    }

    /// Asked with a bound that is easier to compute: a product whose lower half has an upper half of zero.
    #[inline(always)]
    fn refuses(self, words: &Words) -> bool {
        let count = self.0.count & 0xFFFF_FFFF;
        let part = |word: u64| ((word >> 32) * count + (((word & 0xFFFF_FFFF) * count) >> 32)) & 0xFFFF_FFFF;
        self.0.refused > 0 && words.iter().fold(false, |any, word| any | (part(*word) == 0))
    }

    fn again(self, at: Source, _: T) -> T {
        self.0.value(at)
    }
}

/// Random bits: whole words of an unsigned dtype.
///
/// # Errors
/// When the dtype is not unsigned, the sequence ends, or memory cannot be had.
pub fn bits(from: Source, shape: &[usize], dtype: DType) -> Result<Array, OpsError> {
    const OP: &str = "bits";
    match dtype {
        DType::U8 => array(OP, Bits::<u8>(PhantomData), from, shape, dtype),
        DType::U16 => array(OP, Bits::<u16>(PhantomData), from, shape, dtype),
        DType::U32 => array(OP, Bits::<u32>(PhantomData), from, shape, dtype),
        DType::U64 => array(OP, Bits::<u64>(PhantomData), from, shape, dtype),
        _ => Err(OpsError::DType {
            op: OP,
            found: vec![dtype],
            supported: "uint8, uint16, uint32 and uint64".to_owned(),
        }),
    }
}

/// Integers from `low` up to, not including, `high`, all as likely.
///
/// # Errors
/// When there are none, the dtype holds no integers or not these, the sequence ends, or memory cannot be had.
pub fn integers(from: Source, low: i128, high: i128, shape: &[usize], dtype: DType) -> Result<Array, OpsError> {
    const OP: &str = "integers";
    let bits = 8 * dtype.size() as u32;
    let (least, most) = match dtype.kind() {
        Kind::Bool => (0, 1),
        Kind::Unsigned => (0, (1 << bits) - 1),
        Kind::Signed => (-1 << (bits - 1), (1 << (bits - 1)) - 1),
        _ => {
            return Err(OpsError::DType { op: OP, found: vec![dtype], supported: "integers and booleans".to_owned() });
        }
    };
    if low >= high {
        return Err(OpsError::argument(OP, format!("there is no integer from {low} up to, not including, {high}")));
    }
    if low < least || high - 1 > most {
        let value = if low < least { low } else { high - 1 }.to_string();
        return Err(OpsError::ScalarRange { op: OP, value, dtype });
    }
    match dtype.size() {
        1 => ranged::<u8>(OP, from, low, high - low, shape, dtype),
        2 => ranged::<u16>(OP, from, low, high - low, shape, dtype),
        4 => ranged::<u32>(OP, from, low, high - low, shape, dtype),
        _ => ranged::<u64>(OP, from, low, high - low, shape, dtype),
    }
}

fn ranged<T: Whole>(
    op: &'static str,
    from: Source,
    low: i128,
    count: i128,
    shape: &[usize],
    dtype: DType,
) -> Result<Array, OpsError> {
    let low = low as u64;
    match u64::try_from(count) {
        Ok(count) if count >> 32 == 0 => array(op, ShortRange(Range::<T>::new(low, count)), from, shape, dtype),
        Ok(count) => array(op, Range::<T>::new(low, count), from, shape, dtype),
        // All numbers of 64 bits, in the order that `low`, which is the least, begins.
        Err(_) => array(op, Bits::<u64>(PhantomData), from, shape, dtype),
    }
}

/// Seeds for generators that have nothing to do with each other, nor with the sequence that they come from: an array of `n`
/// `uint64`. Takes `n` positions.
///
/// # Errors
/// When the sequence ends, or memory cannot be had.
pub fn child_seeds(from: Source, n: usize) -> Result<Array, OpsError> {
    const OP: &str = "child_seeds";
    const PIECE: usize = 4096;
    from.after(OP, n)?;
    let mut seeds = Array::empty(&[n], DType::U64).map_err(|e| e.of(OP))?;
    let out = seeds.view_mut::<u64>()?.into_slice().unwrap_or_else(|| unreachable!("a new array has no gaps"));
    let seed = |i: usize| Source { position: from.position + i as u64, ..from }.child_seed();
    let piece = |i: usize| (i * PIECE..n.min((i + 1) * PIECE)).for_each(|i| out[i] = seed(i));
    Lane::with(|lane| lane.try_for(n.div_ceil(PIECE), n as u64 * 20, piece)).in_op(OP)?;
    Ok(seeds)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fill::on;
    use freelane_simd::Isa;

    #[test]
    fn every_instruction_set_gives_the_same_integers() {
        let at = Source { seed: 4, stream: 0, position: 3 };
        for count in [1, 2, 3, 1000, u64::from(u32::MAX), 1 << 32, (1 << 63) + 1, u64::MAX] {
            let range = Range::<u64>::new(7, count);
            let want: Vec<u64> = (0..3000).map(|i| range.value(Source { position: at.position + i, ..at })).collect();
            for &isa in Isa::available() {
                assert_eq!(on(isa, range, at, 3000), want, "{isa} of {count}");
                if count >> 32 == 0 {
                    assert_eq!(on(isa, ShortRange(range), at, 3000), want, "{isa} of {count}");
                }
            }
        }
    }

    #[test]
    fn a_range_of_more_than_half_of_all_words_refuses_some_and_stays_inside() {
        let count = (1 << 63) + 1;
        let at = |position| Source { position, ..Source::new(11) };
        let refused = (0..200).filter(|&i| at(i).word().wrapping_mul(count) < count.wrapping_neg() % count).count();
        assert!((60..140).contains(&refused), "{refused} of 200");
        assert!((0..200).all(|i| Range::<u64>::new(0, count).value(at(i)) < count));
    }
}
