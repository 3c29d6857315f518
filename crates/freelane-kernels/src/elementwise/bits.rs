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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::elementwise::Map2;

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
