//! Elements as signed integers of the same width that compare as the elements do.
//!
//! A float's bits compare as its magnitude does; those of negative ones are turned over. Every NaN comes last, whatever its
//! sign, in ascending and in descending order. There are two keys of a float: one from which it can be read back, in which
//! -0 comes before 0, and one for comparing, in which zeros are equal and so are NaNs.
use half::{bf16, f16};

/// An integer that is a key.
///
/// # Safety
/// Every pattern of bits is a value.
pub unsafe trait Key: Copy + Ord + Default + Send + Sync + 'static {}
// SAFETY: an integer.
unsafe impl Key for i8 {}
// SAFETY: an integer.
unsafe impl Key for i16 {}
// SAFETY: an integer.
unsafe impl Key for i32 {}
// SAFETY: an integer.
unsafe impl Key for i64 {}

/// An element that has keys.
pub trait Keyed: Copy {
    /// The integer of its width.
    type K: Key;
    /// Whether some elements are equal that have different bits.
    const FLOAT: bool;
    /// Whether it is a signed integer, its own key in ascending order.
    const SIGNED: bool = false;
    /// The key that it can be read back from.
    fn key(self, descending: bool) -> Self::K;
    /// The key for comparing.
    fn rank(self, descending: bool) -> Self::K;
    /// Whether `next` may stand behind it.
    fn precedes(self, next: Self, descending: bool) -> bool {
        self.rank(descending) <= next.rank(descending)
    }
    /// The element of a key from [`key`](Keyed::key). Every NaN becomes the one that its type calls `NAN`.
    fn of_key(key: Self::K, descending: bool) -> Self;
}

macro_rules! integers {
    ($($T:ty, $K:ty;)*) => {$(
        impl Keyed for $T {
            type K = $K;
            const FLOAT: bool = false;
            const SIGNED: bool = <$T>::MIN != 0;
            #[inline(always)]
            fn key(self, descending: bool) -> $K {
                let signed = if <$T>::MIN == 0 { self as $K ^ <$K>::MIN } else { self as $K };
                signed ^ -<$K>::from(descending)
            }
            #[inline(always)]
            fn precedes(self, next: $T, descending: bool) -> bool {
                if descending { self >= next } else { self <= next }
            }
            #[inline(always)]
            fn rank(self, descending: bool) -> $K {
                self.key(descending)
            }
            #[inline(always)]
            fn of_key(key: $K, descending: bool) -> $T {
                let signed = key ^ -<$K>::from(descending);
                if <$T>::MIN == 0 { (signed ^ <$K>::MIN) as $T } else { signed as $T }
            }
        }
    )*};
}
integers!(u8, i8; i8, i8; u16, i16; i16, i16; u32, i32; i32, i32; u64, i64; i64, i64;);

impl Keyed for bool {
    type K = i8;
    const FLOAT: bool = false;
    #[inline(always)]
    fn key(self, descending: bool) -> i8 {
        i8::from(self) ^ -i8::from(descending)
    }
    #[inline(always)]
    fn rank(self, descending: bool) -> i8 {
        self.key(descending)
    }
    #[inline(always)]
    fn of_key(key: i8, descending: bool) -> bool {
        key ^ -i8::from(descending) != 0
    }
}

macro_rules! floats {
    ($($T:ty, $K:ty, $infinity:expr;)*) => {$(
        impl Keyed for $T {
            type K = $K;
            const FLOAT: bool = true;
            #[inline(always)]
            fn key(self, descending: bool) -> $K {
                let bits = self.to_bits() as $K;
                let size = bits & <$K>::MAX;
                let turned = bits ^ ((bits >> (<$K>::BITS - 1)) & <$K>::MAX) ^ -<$K>::from(descending);
                if size > $infinity { <$T>::NAN.to_bits() as $K } else { turned }
            }
            #[inline(always)]
            fn precedes(self, next: $T, descending: bool) -> bool {
                (if descending { self >= next } else { self <= next }) | (next != next)
            }
            #[inline(always)]
            fn rank(self, descending: bool) -> $K {
                let bits = self.to_bits() as $K;
                let size = bits & <$K>::MAX;
                let signed = if size == 0 { 0 } else { bits };
                let turned = signed ^ ((signed >> (<$K>::BITS - 1)) & <$K>::MAX) ^ -<$K>::from(descending);
                if size > $infinity { <$K>::MAX } else { turned }
            }
            #[inline(always)]
            fn of_key(key: $K, descending: bool) -> $T {
                let turned = key ^ -<$K>::from(descending);
                let bits = turned ^ ((turned >> (<$K>::BITS - 1)) & <$K>::MAX);
                <$T>::from_bits(if key > $infinity { key } else { bits } as _)
            }
        }
    )*};
}
floats! {
    f16, i16, 0x7c00;
    bf16, i16, 0x7f80;
    f32, i32, 0x7f80_0000;
    f64, i64, 0x7ff0_0000_0000_0000;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_halves_compare_as_the_numbers_and_come_back() {
        let all = || (0..=u16::MAX).map(f16::from_bits);
        for descending in [false, true] {
            let mut sorted: Vec<f16> = all().collect();
            sorted.sort_by_key(|x| x.key(descending));
            let numbers = sorted.iter().position(|x| x.is_nan()).unwrap();
            assert!(sorted[numbers..].iter().all(|x| x.is_nan()));
            let ordered = |w: &[f16]| if descending { w[0] >= w[1] } else { w[0] <= w[1] };
            assert!(sorted[..numbers].windows(2).all(ordered));
            for x in all() {
                let back = f16::of_key(x.key(descending), descending);
                assert_eq!(back.to_bits(), if x.is_nan() { f16::NAN.to_bits() } else { x.to_bits() });
            }
            let ranks = sorted
                .windows(2)
                .all(|w| (w[0].rank(descending) < w[1].rank(descending)) == (w[0] != w[1] && !w[0].is_nan()));
            assert!(ranks);
        }
    }

    #[test]
    fn keys_of_integers_compare_as_the_numbers_and_come_back() {
        let numbers = [i64::MIN, -5, -1, 0, 1, 7, i64::MAX];
        for (&a, &b) in numbers.iter().flat_map(|a| numbers.iter().map(move |b| (a, b))) {
            assert_eq!((a.key(false).cmp(&b.key(false)), a.key(true).cmp(&b.key(true))), (a.cmp(&b), b.cmp(&a)));
            let (c, d) = (a as u64, b as u64);
            assert_eq!((c.key(false).cmp(&d.key(false)), c.key(true).cmp(&d.key(true))), (c.cmp(&d), d.cmp(&c)));
            assert_eq!([false, true].map(|way| u64::of_key(c.key(way), way)), [c; 2]);
            assert_eq!([false, true].map(|way| i64::of_key(a.key(way), way)), [a; 2]);
        }
        assert!(
            [false, true].iter().all(|&b| bool::of_key(b.key(true), true) == b) && true.key(true) < false.key(true)
        );
    }
}
