//! Division of floats to whole numbers, by Python's rules.
//!
//! A quotient of less than 2^mantissa, rounded and cut off, is the whole one or, rounded up to it, one more; what it leaves
//! is exact in one fused multiply-add. Larger quotients are left to the scalar remainder.
use super::{FloorDivide, Fmod, Map2, Remainder, Tier};

macro_rules! float {
    ($($t:ident $parts:ident $floor:ident $rem:ident, limit $limit:literal;)*) => { $(
        /// The quotient towards zero, and what it leaves.
        #[inline(always)]
        fn $parts(a: $t, b: $t) -> ($t, $t) {
            let ratio = a / b;
            let q = ratio.trunc();
            let r = (-q).mul_add(b, a);
            let past = (r != 0.0) & ((r < 0.0) != (a < 0.0));
            let (less, more) = (q - (1.0 as $t).copysign(ratio), r + b.copysign(a));
            (if past { less } else { q }, if past { more } else { r })
        }

        /// Whether an exact remainder is on the wrong side of the divisor.
        #[inline(always)]
        fn $rem(r: $t, b: $t) -> bool {
            (r != 0.0) & ((r < 0.0) != (b < 0.0))
        }

        /// The quotient belonging to the exact remainder, so that rounding of `a / b` does not carry over a whole number. Of
        /// infinities, the floor of the plain quotient, as the Array API standard has it.
        fn $floor(a: $t, b: $t) -> $t {
            if b == 0.0 || a.is_infinite() || b.is_infinite() {
                return (a / b).floor();
            }
            let r = a % b;
            let exact = (a - r) / b - if $rem(r, b) { 1.0 } else { 0.0 };
            let floor = exact.floor();
            if exact == 0.0 {
                (0.0 as $t).copysign(a / b)
            } else if exact - floor > 0.5 {
                floor + 1.0
            } else {
                floor
            }
        }

        float! { @ $t, $limit; FloorDivide |a, b| {
            let (q, r) = $parts(a, b);
            let down = if $rem(r, b) { q - 1.0 } else { q };
            if down == 0.0 { (0.0 as $t).copysign(a / b) } else { down }
        }, $floor(a, b) }
        float! { @ $t, $limit; Remainder |a, b| {
            let (_, r) = $parts(a, b);
            let moved = if $rem(r, b) { r + b } else { r };
            if r == 0.0 { (0.0 as $t).copysign(b) } else { moved }
        }, {
            let r = a % b;
            let moved = if $rem(r, b) { r + b } else { r };
            if r == 0.0 { (0.0 as $t).copysign(b) } else { moved }
        } }
        float! { @ $t, $limit; Fmod |a, b| {
            let (_, r) = $parts(a, b);
            if r == 0.0 { (0.0 as $t).copysign(a) } else { r }
        }, a % b }
    )* };
    (@ $t:ident, $limit:literal; $k:ident |$a:ident, $b:ident| $vector:expr, $scalar:expr) => {
        impl Map2<$t> for $k {
            type Out = $t;
            const TIER: Tier = Tier::Heavy;
            const GUARD: bool = true;
            #[inline(always)]
            fn apply($a: $t, $b: $t) -> $t {
                $vector
            }
            #[inline(always)]
            fn guard(a: $t, b: $t) -> bool {
                ((a / b).abs() >= $limit) | (b.abs() == $t::INFINITY)
            }
            #[inline(always)]
            fn slow($a: $t, $b: $t) -> $t {
                $scalar
            }
        }
    };
}
float! {
    f32 parts32 floor32 differs32, limit 8388608.0;
    f64 parts64 floor64 differs64, limit 4503599627370496.0;
}
halves2!(FloorDivide, Remainder, Fmod);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::elementwise::loop2;
    use freelane_simd::Isa;

    fn run<K: Map2<f64, Out = f64>>(isa: Isa, a: f64, b: f64) -> f64 {
        let mut o = 0.0f64;
        let (p, q) = ((&raw const a).cast(), (&raw const b).cast());
        // SAFETY: one element each, apart from the result; the path is one that is available.
        unsafe { loop2::<K, f64>(isa, 1, p, 8, q, 8, (&raw mut o).cast(), 8) };
        o
    }

    fn same(got: f64, want: f64) -> bool {
        got.to_bits() == want.to_bits() || got.is_nan() && want.is_nan()
    }

    #[test]
    fn floats_follow_python_but_for_infinities() {
        let (inf, nan, tiny) = (f64::INFINITY, f64::NAN, 5e-324);
        for (a, b, (q, r)) in [
            (7.0f64, 2.0f64, (3.0f64, 1.0f64)),
            (-7.0, 2.0, (-4.0, 1.0)),
            (7.0, -2.0, (-4.0, -1.0)),
            (1.0, 0.1, (9.0, 1.0 % 0.1)),
            (-1.0, 0.1, (-10.0, 0.1 - 1.0 % 0.1)),
            (-0.0, 1.0, (-0.0, 0.0)),
            (0.0, -1.0, (-0.0, -0.0)),
            (5.0, -inf, (-0.0, -inf)),
            (-5.0, inf, (-0.0, inf)),
            (5.0, inf, (0.0, 5.0)),
            (1.0, 0.0, (inf, nan)),
            (0.0, 0.0, (nan, nan)),
            (inf, 1.0, (inf, nan)),
            (inf, -1.0, (-inf, nan)),
            (inf, inf, (nan, nan)),
            (nan, 1.0, (nan, nan)),
            (3.0 * tiny, 2.0 * tiny, (1.0, tiny)),
            (1e300, 3e-300, (inf, 1e300 % 3e-300)),
            (-tiny, 1.0, (-1.0, 1.0)),
        ] {
            for &isa in Isa::available() {
                let (got_q, got_r) = (run::<FloorDivide>(isa, a, b), run::<Remainder>(isa, a, b));
                assert!(same(got_q, q) && same(got_r, r), "{isa} {a} by {b}: {got_q}, {got_r}");
            }
        }
    }

    /// Remainders of floats are exact, so that the scalar one is the definition.
    #[test]
    fn remainders_are_exact() {
        let hash = |i: u64| i.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ i.wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 7;
        for i in 0..200_000u64 {
            let (x, y) = (f64::from_bits(hash(i)), f64::from_bits(hash(i + 7)));
            let close = f64::from_bits(hash(i) & !(0x7ff << 52) | (1000 + i % 60) << 52);
            let whole = (hash(i + 3) >> 40) as f64;
            for (a, b) in [(x, y), (close, f64::from_bits(hash(i + 9) >> 12 | 1023 << 52)), (whole * close, close)] {
                for &isa in Isa::available() {
                    let (got, r) = (run::<Fmod>(isa, a, b), a % b);
                    assert!(same(got, r), "{isa} {a:e} by {b:e}: {got:e}, not {r:e}");
                    let (got, moved) =
                        (run::<Remainder>(isa, a, b), if r != 0.0 && (r < 0.0) != (b < 0.0) { r + b } else { r });
                    assert!(
                        got == moved || got.is_nan() && moved.is_nan(),
                        "{isa} {a:e} by {b:e}: {got:e}, not {moved:e}"
                    );
                }
            }
        }
    }
}
