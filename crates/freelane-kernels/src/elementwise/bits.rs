//! Bits of integers and bool.

functions! {
    /// `a & b`.
    BitwiseAnd,
    /// `a | b`.
    BitwiseOr,
    /// `a ^ b`.
    BitwiseXor,
    /// All bits flipped; for bool, not.
    BitwiseInvert,
    /// `a << b`: 0 once `b` reaches the width, or is negative.
    LeftShift,
    /// `a >> b`, keeping the sign: 0 or -1 once `b` reaches the width, or is negative.
    RightShift,
    /// The number of bits that are set; of a negative number those of its magnitude.
    BitCount,
    /// The greatest common divisor, which is not negative; of 0 and 0, 0.
    Gcd,
    /// The least common multiple, which is not negative, modulo 2^bits; 0 where either is 0.
    Lcm,
}

map2!(BitwiseAnd: ints, |a, b| a & b);
map2!(BitwiseOr: ints, |a, b| a | b);
map2!(BitwiseXor: ints, |a, b| a ^ b);
map1!(BitwiseInvert: ints, |x| !x);
map2!(BitwiseAnd: [bool], |a, b| a & b);
map2!(BitwiseOr: [bool], |a, b| a | b);
map2!(BitwiseXor: [bool], |a, b| a ^ b);
map1!(BitwiseInvert: [bool], |x| !x);

macro_rules! shifts {
    ($($t:ident $u:ident;)*) => { $(
        map2!(LeftShift: [$t], |a, b| {
            if (b as $u) < $u::BITS as $u { a.wrapping_shl(b as u32) } else { 0 }
        });
        map2!(RightShift: [$t], |a, b| {
            a.wrapping_shr((b as $u).min($u::BITS as $u - 1) as u32) >> if (b as $u) < $u::BITS as $u { 0 } else { 1 }
        });
    )* };
}
shifts! { i8 u8; i16 u16; i32 u32; i64 u64; u8 u8; u16 u16; u32 u32; u64 u64; }

map1!(BitCount: signed -> u8, |x| x.unsigned_abs().count_ones() as u8);
map1!(BitCount: unsigned -> u8, |x| x.count_ones() as u8);

/// The greatest common divisor by halving and subtracting (Stein's algorithm).
fn gcd(mut a: u64, mut b: u64) -> u64 {
    if a == 0 || b == 0 {
        return a | b;
    }
    let twos = (a | b).trailing_zeros();
    a >>= a.trailing_zeros();
    while b != 0 {
        b >>= b.trailing_zeros();
        (a, b) = (a.min(b), a.abs_diff(b));
    }
    a << twos
}

fn lcm(a: u64, b: u64) -> u64 {
    if a == 0 || b == 0 { 0 } else { (a / gcd(a, b)).wrapping_mul(b) }
}

map2!(Gcd: signed, scalar |a, b| gcd(a.unsigned_abs() as _, b.unsigned_abs() as _) as _);
map2!(Gcd: unsigned, scalar |a, b| gcd(a as _, b as _) as _);
map2!(Lcm: signed, scalar |a, b| lcm(a.unsigned_abs() as _, b.unsigned_abs() as _) as _);
map2!(Lcm: unsigned, scalar |a, b| lcm(a as _, b as _) as _);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::elementwise::{Map1, Map2};

    #[test]
    fn divisors_and_multiples() {
        for (a, b, divisor, multiple) in [
            (12, 18, 6, 36),
            (-12, 18, 6, 36),
            (0, 5, 5, 0),
            (0, 0, 0, 0),
            (7, -13, 1, 91),
            (1 << 20, 1 << 12, 1 << 12, 1 << 20),
        ] {
            assert_eq!((Gcd::apply(a, b), Lcm::apply(a, b)), (divisor, multiple), "{a} {b}");
        }
        assert_eq!((Gcd::apply(255u8, 34), Lcm::apply(100u8, 30), Gcd::apply(i8::MIN, 6)), (17, 44, 2));
    }

    #[test]
    fn set_bits_are_counted() {
        assert_eq!([0i8, 1, -1, 127, i8::MIN].map(BitCount::apply), [0, 1, 1, 7, 1]);
        assert_eq!((BitCount::apply(u64::MAX), BitCount::apply(1023i64)), (64, 10));
    }

    #[test]
    fn shifts_beyond_the_width_leave_nothing_but_the_sign() {
        for (a, b, left, right) in [
            (1i8, 3, 8, 0),
            (-128, 7, 0, -1),
            (-1, 8, 0, -1),
            (-1, -1, 0, -1),
            (127, 100, 0, 0),
            (127, 6, -64, 1),
            (127, 7, -128, 0),
        ] {
            assert_eq!((LeftShift::apply(a, b), RightShift::apply(a, b)), (left, right), "{a} by {b}");
        }
        assert_eq!(
            (LeftShift::apply(1u64, 64), RightShift::apply(u64::MAX, 63), RightShift::apply(u64::MAX, 64)),
            (0, 1, 0)
        );
    }
}
