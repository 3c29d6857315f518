//! Division of integers to whole numbers, by Python's rules: the quotient is rounded down and the remainder has the
//! divisor's sign.
use super::tile::TILE;
use super::{ByScalar, Map2, Tier, loop2};
use freelane_simd::Isa;

functions! {
    /// `a / b` rounded down. Integers: 0 where `b` is 0; the least divided by -1 wraps.
    FloorDivide,
    /// `a - floor(a / b) * b`, with the sign of `b`. Integers: 0 where `b` is 0.
    Remainder,
    /// `a - trunc(a / b) * b`, with the sign of `a`. Integers: 0 where `b` is 0.
    Fmod,
}

/// Integers of at most 32 bits are divided as floats of more bits than they have. The dividend, moved by a half towards the
/// next quotient, is nowhere near a multiple of the divisor, so that neither rounding, of the reciprocal and of the product,
/// moves the quotient past a whole number. A divisor that is the same for all elements is inverted once.
macro_rules! by_float {
    ($($t:ident in $f:ident of $bits:ident as $wide:ident, signed $signed:literal, rounder $rounder:literal;)*) => { $(
        impl ByFloat for $t {
            #[inline(always)]
            fn floor(self, b: Self) -> Self {
                let x = if $signed && (b as $wide) < 0 { -(self as $f) } else { self as $f };
                let quotient = ((x + 0.5) * (1.0 / (b as $f).abs())).floor();
                let quotient = (quotient + $rounder).to_bits() as $bits as $t;
                if b == 0 { 0 } else { quotient }
            }
            #[inline(always)]
            fn trunc(self, b: Self) -> Self {
                let quotient = (((self as $f).abs() + 0.5) * (1.0 / (b as $f).abs())).floor();
                let quotient = (quotient + $rounder).to_bits() as $bits as $t;
                let negative = $signed && ((self as $wide) < 0) != ((b as $wide) < 0);
                let quotient = if negative { (0 as $t).wrapping_sub(quotient) } else { quotient };
                if b == 0 { 0 } else { quotient }
            }
        }
        map2!(FloorDivide: [$t], |a, b| ByFloat::floor(a, b));
        map2!(Remainder: [$t], |a, b| {
            let r = a.wrapping_sub(ByFloat::floor(a, b).wrapping_mul(b));
            if b == 0 { 0 } else { r }
        });
        map2!(Fmod: [$t], |a, b| {
            let r = a.wrapping_sub(ByFloat::trunc(a, b).wrapping_mul(b));
            if b == 0 { 0 } else { r }
        });
    )* };
}
by_float! {
    i8 in f32 of u32 as i32, signed true, rounder 12582912.0;
    i16 in f32 of u32 as i32, signed true, rounder 12582912.0;
    u8 in f32 of u32 as i32, signed false, rounder 8388608.0;
    u16 in f32 of u32 as i32, signed false, rounder 8388608.0;
    i32 in f64 of u64 as i64, signed true, rounder 6755399441055744.0;
    u32 in f64 of u64 as i64, signed false, rounder 4503599627370496.0;
}

/// Division of integers that a float holds with bits to spare; 0 where the divisor is 0.
trait ByFloat {
    /// The quotient rounded down.
    fn floor(self, b: Self) -> Self;
    /// The quotient rounded towards zero.
    fn trunc(self, b: Self) -> Self;
}

/// A function of integers of 64 bits: one scalar body for all, a vector body for what a float holds with bits to spare (so
/// that a rounded quotient is past no whole number), and maybe a way of its own for one divisor.
macro_rules! of_64_bits {
    ($($k:ident $t:ident |$a:ident, $b:ident| $each:expr, $vector:expr $(, |$d:ident| $one:expr)?;)*) => { $(
        impl Map2<$t> for $k {
            type Out = $t;
            const TIER: Tier = Tier::Heavy;
            const GUARD: bool = true;
            $(const BY_SCALAR: Option<ByScalar> = Some({
                /// # Safety
                /// As for `loop2`.
                unsafe fn run(isa: Isa, n: usize, a: *const u8, b: *const u8, o: *mut u8) -> bool {
                    // SAFETY: the caller's promise: there is a divisor.
                    let $d = Divisor::<$t>::new(unsafe { b.cast::<$t>().read_unaligned() });
                    // SAFETY: the caller's promise: `n` elements and room for as many, apart.
                    unsafe { by_tiles(isa, n, a.cast(), o.cast(), $k, $d) };
                    true
                }
                run
            });)?
            #[inline(always)]
            fn apply($a: $t, $b: $t) -> $t {
                let (x, d) = ($a.short(), $b.short());
                let y = <$t>::from_short($vector(x, d));
                if $b == 0 { 0 } else { y }
            }
            #[inline(always)]
            fn guard(a: $t, b: $t) -> bool {
                !(a.is_short() & b.is_short())
            }
            #[inline(always)]
            fn slow($a: $t, $b: $t) -> $t {
                $each
            }
        }
        $(impl ByDivisor<$t> for $k {
            #[inline(always)]
            fn by(self, $a: $t, $d: &Divisor<$t>) -> $t {
                $one
            }
        })?
    )* };
}
of_64_bits! {
    FloorDivide i64 |a, b| {
        if b == 0 { 0 } else { a.wrapping_div(b).wrapping_sub(differs(a.wrapping_rem(b), b) as i64) }
    }, |x: f64, d: f64| (x / d).floor(), |d| d.floor(a);
    Remainder i64 |a, b| {
        if b == 0 {
            return 0;
        }
        let r = a.wrapping_rem(b);
        if differs(r, b) { r + b } else { r }
    }, |x: f64, d: f64| (-(x / d).floor()).mul_add(d, x),
        |d| if d.value == 0 { 0 } else { a.wrapping_sub(d.floor(a).wrapping_mul(d.value)) };
    Fmod i64 |a, b| if b == 0 { 0 } else { a.wrapping_rem(b) }, |x: f64, d: f64| (-(x / d).trunc()).mul_add(d, x);
    FloorDivide u64 |a, b| a.checked_div(b).unwrap_or(0), |x: f64, d: f64| (x / d).floor(), |d| d.magnitude.divide(a);
    Remainder u64 |a, b| a.checked_rem(b).unwrap_or(0), |x: f64, d: f64| (-(x / d).floor()).mul_add(d, x),
        |d| if d.value == 0 { 0 } else { a - d.magnitude.divide(a) * d.value };
    Fmod u64 |a, b| a.checked_rem(b).unwrap_or(0), |x: f64, d: f64| (-(x / d).floor()).mul_add(d, x);
}

/// Integers of 51 bits and a sign, as floats and back, without the conversions that AVX2 lacks: as the low bits of a float
/// whose unit is 1.
trait Short: Copy {
    fn is_short(self) -> bool;
    fn short(self) -> f64;
    fn from_short(x: f64) -> Self;
}

impl Short for i64 {
    #[inline(always)]
    fn is_short(self) -> bool {
        (self as u64).wrapping_add(1 << 51) >> 52 == 0
    }
    #[inline(always)]
    fn short(self) -> f64 {
        f64::from_bits((self as u64).wrapping_add(SIGNED.to_bits())) - SIGNED
    }
    #[inline(always)]
    fn from_short(x: f64) -> i64 {
        (x + SIGNED).to_bits().wrapping_sub(SIGNED.to_bits()) as i64
    }
}

impl Short for u64 {
    #[inline(always)]
    fn is_short(self) -> bool {
        self >> 51 == 0
    }
    #[inline(always)]
    fn short(self) -> f64 {
        f64::from_bits(self | UNSIGNED.to_bits()) - UNSIGNED
    }
    #[inline(always)]
    fn from_short(x: f64) -> u64 {
        (x + UNSIGNED).to_bits().wrapping_sub(UNSIGNED.to_bits())
    }
}

/// 1.5 * 2^52 and 2^52.
const SIGNED: f64 = 6755399441055744.0;
const UNSIGNED: f64 = 4503599627370496.0;

/// Whether a remainder towards zero is on the wrong side of the divisor.
#[inline(always)]
fn differs(remainder: i64, divisor: i64) -> bool {
    remainder != 0 && (remainder < 0) != (divisor < 0)
}

/// A function of a number and a prepared divisor.
trait ByDivisor<T> {
    fn by(self, a: T, d: &Divisor<T>) -> T;
}

/// Short numbers by the vector body, others by products.
///
/// # Safety
/// As for `each`; this CPU supports `isa`.
unsafe fn by_tiles<T: Short + 'static, K: ByDivisor<T> + Map2<T, Out = T> + Copy>(
    isa: Isa,
    n: usize,
    a: *const T,
    o: *mut T,
    k: K,
    d: Divisor<T>,
) {
    let (same, e) = ([d.value; TILE], size_of::<T>() as isize);
    for i in (0..n).step_by(TILE) {
        let (m, a, o) = (TILE.min(n - i), a.wrapping_add(i), o.wrapping_add(i));
        // SAFETY: `i + j < n`.
        let short = |all, j| all & unsafe { a.add(j).read_unaligned() }.is_short();
        if isa != Isa::Portable && d.value.is_short() && (0..m).fold(true, short) {
            // SAFETY: all have `m` elements, side by side, and the results lie apart.
            unsafe { loop2::<K, T>(isa, m, a.cast(), e, same.as_ptr().cast(), e, o.cast(), e) };
        } else {
            // SAFETY: `i + m <= n`.
            unsafe { each(m, a, o, k, &d) };
        }
    }
}

/// # Safety
/// `n` elements can be read from `a`, and as many written at `o`, which lies apart.
#[inline(always)]
unsafe fn each<T: Copy, K: ByDivisor<T> + Copy>(n: usize, a: *const T, o: *mut T, k: K, d: &Divisor<T>) {
    for i in 0..n {
        // SAFETY: `i < n`.
        let x = unsafe { a.add(i).read_unaligned() };
        // SAFETY: as above.
        unsafe { o.add(i).write_unaligned(k.by(x, d)) };
    }
}

/// A divisor of many numbers.
struct Divisor<T> {
    value: T,
    magnitude: Magnitude,
}

impl Divisor<u64> {
    fn new(value: u64) -> Self {
        Divisor { value, magnitude: Magnitude::new(value) }
    }
}

impl Divisor<i64> {
    fn new(value: i64) -> Self {
        Divisor { value, magnitude: Magnitude::new(value.unsigned_abs()) }
    }

    /// The quotient rounded down: of numbers that are not negative, once both have been reflected at -1/2 or at 0.
    #[inline(always)]
    fn floor(&self, a: i64) -> i64 {
        if self.value >= 0 {
            let side = a >> 63;
            self.magnitude.divide((a ^ side) as u64) as i64 ^ if self.value == 0 { 0 } else { side }
        } else {
            let side = -((a > 0) as i64);
            self.magnitude.divide((a.wrapping_sub(1) ^ !side) as u64) as i64 ^ side
        }
    }
}

/// Division as a product with a fixed-point reciprocal of 65 bits (Granlund and Montgomery, "Division by invariant integers
/// using multiplication", 1994, figure 4.1). By zero it gives 0.
struct Magnitude {
    reciprocal: u64,
    shifts: [u32; 2],
    mask: u64,
}

impl Magnitude {
    fn new(d: u64) -> Self {
        if d <= 1 {
            return Magnitude { reciprocal: 0, shifts: [0, 0], mask: if d == 0 { 0 } else { u64::MAX } };
        }
        let log = u64::BITS - (d - 1).leading_zeros();
        let reciprocal = (((1u128 << log) - u128::from(d)) << 64) / u128::from(d) + 1;
        Magnitude { reciprocal: reciprocal as u64, shifts: [1, log - 1], mask: u64::MAX }
    }

    #[inline(always)]
    fn divide(&self, n: u64) -> u64 {
        let high = ((u128::from(n) * u128::from(self.reciprocal)) >> 64) as u64;
        ((high + ((n - high) >> self.shifts[0])) >> self.shifts[1]) & self.mask
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn both<T: Copy>(a: T, b: T) -> (T, T)
    where
        FloorDivide: Map2<T, Out = T>,
        Remainder: Map2<T, Out = T>,
    {
        (FloorDivide::slow(a, b), Remainder::slow(a, b))
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

    /// A division through the loop for one divisor and through the one for many.
    fn check_loops<T: Copy + PartialEq + std::fmt::Debug + 'static>(values: &[T], divide: impl Fn(T, T) -> (T, T))
    where
        FloorDivide: Map2<T, Out = T>,
        Remainder: Map2<T, Out = T>,
    {
        use crate::elementwise::loop2;
        let e = size_of::<T>() as isize;
        for &isa in Isa::available() {
            for &b in values {
                let (many, mut q, mut r) = (vec![b; values.len()], values.to_vec(), values.to_vec());
                for stride in [0, e] {
                    let (n, a, b) = (values.len(), values.as_ptr().cast(), many.as_ptr().cast());
                    // SAFETY: all hold `n` elements, and the results lie apart.
                    unsafe { loop2::<FloorDivide, T>(isa, n, a, e, b, stride, q.as_mut_ptr().cast(), e) };
                    // SAFETY: as above.
                    unsafe { loop2::<Remainder, T>(isa, n, a, e, b, stride, r.as_mut_ptr().cast(), e) };
                    for (i, &a) in values.iter().enumerate() {
                        assert_eq!((q[i], r[i]), divide(a, many[0]), "{a:?} by {:?}, {isa}, {stride}", many[0]);
                    }
                }
            }
        }
    }

    /// The definition, in more bits.
    fn floored(a: i128, b: i128) -> (i128, i128) {
        if b == 0 {
            return (0, 0);
        }
        let down = a % b != 0 && (a < 0) != (b < 0);
        let q = a / b - i128::from(down);
        (q, a - q * b)
    }

    #[test]
    fn every_way_divides_alike() {
        macro_rules! check {
            ($($t:ident)*) => { $(
                let mut values = vec![0 as $t, 1, 2, 3, 5, 7, 10, 63, 64, 100, 127, $t::MAX, $t::MIN, $t::MAX - 1, $t::MIN + 1];
                values.extend((0..$t::BITS - 1).flat_map(|i| [(1 as $t) << i, ((1 as $t) << i).wrapping_sub(1)]));
                let below: Vec<$t> = values.iter().map(|v| (0 as $t).wrapping_sub(*v)).collect();
                values.extend(below);
                values.extend((1..60u64).map(|i| (i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (i % 50)) as $t));
                check_loops(&values, |a, b| {
                    let (q, r) = floored(a as i128, b as i128);
                    (q as $t, r as $t)
                });
            )* };
        }
        check!(i8 i16 i32 i64 u8 u16 u32 u64);
    }

    #[test]
    fn small_integers_are_divided_exactly() {
        for a in i8::MIN..=i8::MAX {
            for b in i8::MIN..=i8::MAX {
                let (q, r) = floored(a.into(), b.into());
                assert_eq!(both(a, b), (q as i8, r as i8), "{a} by {b}");
                let fmod: i8 = Fmod::slow(a, b);
                assert_eq!(fmod, if b == 0 { 0 } else { a.wrapping_rem(b) }, "{a} by {b}");
            }
        }
        for a in (0..=u16::MAX).step_by(7) {
            for b in (0..=u16::MAX).step_by(61) {
                assert_eq!(both(a, b), (a.checked_div(b).unwrap_or(0), a.checked_rem(b).unwrap_or(0)), "{a} by {b}");
            }
        }
    }
}
