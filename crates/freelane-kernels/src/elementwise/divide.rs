//! Division to whole numbers, by Python's rules: the quotient is rounded down and the remainder has the divisor's sign.
use super::{Map2, Tier};

functions! {
    /// `a / b` rounded down. Integers: 0 where `b` is 0; the least divided by -1 wraps.
    FloorDivide,
    /// `a - floor(a / b) * b`, with the sign of `b`. Integers: 0 where `b` is 0.
    Remainder,
    /// `a - trunc(a / b) * b`, with the sign of `a`. Integers: 0 where `b` is 0.
    Fmod,
}

macro_rules! signed {
    ($($t:ident),*) => { $(
        map2!(FloorDivide: [$t], scalar |a, b| {
            if b == 0 { 0 } else { a.wrapping_div(b).wrapping_sub(differs(a.wrapping_rem(b) as i64, b as i64) as $t) }
        });
        map2!(Remainder: [$t], scalar |a, b| {
            if b == 0 {
                return 0;
            }
            let r = a.wrapping_rem(b);
            if differs(r as i64, b as i64) { r + b } else { r }
        });
        map2!(Fmod: [$t], scalar |a, b| if b == 0 { 0 } else { a.wrapping_rem(b) });
    )* };
}
signed!(i8, i16, i32, i64);

/// Whether a remainder towards zero is on the wrong side of the divisor.
#[inline(always)]
fn differs(remainder: i64, divisor: i64) -> bool {
    remainder != 0 && (remainder < 0) != (divisor < 0)
}

map2!(FloorDivide: [u8, u16, u32, u64], scalar |a, b| a.checked_div(b).unwrap_or(0));
map2!(Remainder: [u8, u16, u32, u64], scalar |a, b| a.checked_rem(b).unwrap_or(0));
map2!(Fmod: [u8, u16, u32, u64], scalar |a, b| a.checked_rem(b).unwrap_or(0));

macro_rules! float {
    ($($t:ident $floor:ident $rem:ident;)*) => { $(
        /// The remainder: exact, before the divisor's sign is given to it.
        #[inline(always)]
        fn $rem(a: $t, b: $t) -> $t {
            let r = a % b;
            if r == 0.0 {
                (0.0 as $t).copysign(b)
            } else if (r < 0.0) != (b < 0.0) {
                r + b
            } else {
                r
            }
        }

        /// The quotient belonging to that remainder, so that rounding of `a / b` does not carry over a whole number. Of
        /// infinities, the floor of the plain quotient, as the Array API standard has it.
        #[inline(always)]
        fn $floor(a: $t, b: $t) -> $t {
            if b == 0.0 || a.is_infinite() || b.is_infinite() {
                return (a / b).floor();
            }
            let r = a % b;
            let exact = (a - r) / b - if r != 0.0 && (r < 0.0) != (b < 0.0) { 1.0 } else { 0.0 };
            let floor = exact.floor();
            if exact == 0.0 {
                (0.0 as $t).copysign(a / b)
            } else if exact - floor > 0.5 {
                floor + 1.0
            } else {
                floor
            }
        }

        impl Map2<$t> for FloorDivide {
            type Out = $t;
            const TIER: Tier = Tier::Scalar;
            #[inline(always)]
            fn apply(a: $t, b: $t) -> $t {
                $floor(a, b)
            }
        }
        impl Map2<$t> for Remainder {
            type Out = $t;
            const TIER: Tier = Tier::Scalar;
            #[inline(always)]
            fn apply(a: $t, b: $t) -> $t {
                $rem(a, b)
            }
        }
        map2!(Fmod: [$t], scalar |a, b| a % b);
    )* };
}
float! { f32 floor32 rem32; f64 floor64 rem64; }
halves2!(FloorDivide, Remainder, Fmod);

#[cfg(test)]
mod tests {
    use super::*;

    fn both<T: Copy>(a: T, b: T) -> (T, T)
    where
        FloorDivide: Map2<T, Out = T>,
        Remainder: Map2<T, Out = T>,
    {
        (FloorDivide::apply(a, b), Remainder::apply(a, b))
    }

    #[test]
    fn integers_follow_python() {
        for (a, b, expected) in [
            (7i32, 2, (3, 1)),
            (-7, 2, (-4, 1)),
            (7, -2, (-4, -1)),
            (-7, -2, (3, -1)),
            (6, -3, (-2, 0)),
            (5, 0, (0, 0)),
        ] {
            assert_eq!(both(a, b), expected, "{a} by {b}");
        }
        assert_eq!(both(i64::MIN, -1), (i64::MIN, 0));
        assert_eq!(both(i8::MIN, -1), (i8::MIN, 0));
        assert_eq!(both(7u8, 0), (0, 0));
    }

    #[test]
    fn floats_follow_python_but_for_infinities() {
        let inf = f64::INFINITY;
        for (a, b, (q, r)) in [
            (7.0f64, 2.0f64, (3.0f64, 1.0f64)),
            (-7.0, 2.0, (-4.0, 1.0)),
            (7.0, -2.0, (-4.0, -1.0)),
            (1.0, 0.1, (9.0, 1.0 % 0.1)),
            (-0.0, 1.0, (-0.0, 0.0)),
            (0.0, -1.0, (-0.0, -0.0)),
            (5.0, -inf, (-0.0, -inf)),
            (-5.0, inf, (-0.0, inf)),
            (5.0, inf, (0.0, 5.0)),
        ] {
            let (got_q, got_r) = both::<f64>(a, b);
            assert_eq!((got_q.to_bits(), got_r.to_bits()), (q.to_bits(), r.to_bits()), "{a} by {b}: {got_q}, {got_r}");
        }
        assert_eq!(FloorDivide::apply(1.0, 0.0), inf);
        assert!(FloorDivide::apply(0.0, 0.0f64).is_nan() && Remainder::apply(1.0, 0.0f64).is_nan());
        assert_eq!((FloorDivide::apply(inf, 1.0), FloorDivide::apply(inf, -1.0)), (inf, -inf));
        assert!(FloorDivide::apply(inf, inf).is_nan() && Remainder::apply(inf, 1.0).is_nan());
    }
}
