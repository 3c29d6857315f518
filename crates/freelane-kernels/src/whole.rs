//! Floats to integers and back, in steps that every instruction set has vectors for.
//!
//! The `as` operator says the same, but compiles to one element at a time: towards zero, values out of range to the nearest
//! end, NaN to 0.

/// A float that becomes an integer.
pub(crate) trait Towards<I> {
    /// The nearest value towards zero.
    fn zero(self) -> I;
}

/// An integer that becomes another number.
pub(crate) trait Rounded<B> {
    /// The nearest value; between integers modulo 2^bits.
    fn rounded(self) -> B;
}

macro_rules! towards {
    ($($f:ident => $($i:ident)*, |$x:ident, $I:ident| $e:expr;)*) => { $( $(
        impl Towards<$i> for $f {
            #[inline(always)]
            fn zero(self) -> $i {
                type $I = $i;
                let $x = self;
                $e
            }
        }
    )* )* };
}

/// Within the range, whose ends the float holds; NaN is 0.
macro_rules! held {
    ($x:ident, $low:expr, $high:expr) => {{
        let (low, high) = ($low, $high);
        let x = if $x > low { $x } else { low };
        let x = if x < high { x } else { high };
        if $x.is_nan() { 0.0 } else { x }
    }};
}

towards! {
    f32 => i8 i16 u8 u16, |x, I| {
        let held = held!(x, I::MIN as f32, I::MAX as f32);
        // SAFETY: it lies in the range of `I`, which `i32` holds.
        unsafe { held.to_int_unchecked::<i32>() as I }
    };
    f64 => i8 i16 i32 u8 u16, |x, I| {
        let held = held!(x, I::MIN as f64, I::MAX as f64);
        // SAFETY: it lies in the range of `I`, which `i32` holds.
        unsafe { held.to_int_unchecked::<i32>() as I }
    };
    f32 => i32, |x, I| {
        const END: f32 = 2147483648.0;
        let inside = (-END..END).contains(&x);
        // SAFETY: it lies in the range of `i32`.
        let i = unsafe { if inside { x } else { 0.0 }.to_int_unchecked::<I>() };
        let i = if x >= END { I::MAX } else { i };
        if x < -END { I::MIN } else { i }
    };
    f32 => u32, |x, I| {
        const HALF: f32 = 2147483648.0;
        let x = if x > 0.0 { x } else { 0.0 };
        let big = x >= HALF;
        let low = if big { x - HALF } else { x };
        let fits = low < HALF;
        // SAFETY: it lies between 0 and 2^31, without that.
        let i = unsafe { if fits { low } else { 0.0 }.to_int_unchecked::<i32>() as I };
        let i = i ^ (big as I) << 31;
        if fits { i } else { I::MAX }
    };
    f64 => u32, |x, I| {
        let held = held!(x, 0.0, I::MAX as f64);
        (held.trunc() + WHOLE).to_bits() as I
    };
    f64 => i64, |x, I| {
        const END: f64 = 9223372036854775808.0;
        let i = if x >= END { I::MAX } else { words(x) as I };
        let i = if x < -END { I::MIN } else { i };
        if x.is_nan() { 0 } else { i }
    };
    f64 => u64, |x, I| {
        const END: f64 = 18446744073709551616.0;
        let i = if x >= END { I::MAX } else { words(x) };
        if x > 0.0 { i } else { 0 }
    };
    f32 => i64 u64, |x, I| Towards::<I>::zero(x as f64);
    f32 => f32 f64, |x, I| x as I;
    f64 => f32 f64, |x, I| x as I;
}

/// 2^52: a float added to it has its whole part in the low bits.
const WHOLE: f64 = 4503599627370496.0;

/// The whole part of what lies between -2^63 and 2^64, modulo 2^64, by halves of 32 bits.
#[inline(always)]
fn words(x: f64) -> u64 {
    const HALF: f64 = 4294967296.0;
    let x = x.trunc();
    let high = (x * (1.0 / HALF)).floor();
    let low = x - high * HALF;
    let (high, low) = ((high + 1.5 * WHOLE).to_bits(), (low + WHOLE).to_bits());
    high << 32 | low & 0xffff_ffff
}

macro_rules! rounded {
    ($($b:ident)*) => { $(
        impl Rounded<$b> for u64 {
            #[inline(always)]
            fn rounded(self) -> $b {
                self as $b
            }
        }
    )* };
}
rounded!(i8 i16 i32 i64 u8 u16 u32 u64 f64);

impl Rounded<f32> for u64 {
    /// As half the number, whose last bit says whether anything was cut off, so that ties are not made where there are none.
    #[inline(always)]
    fn rounded(self) -> f32 {
        let big = self > i64::MAX as u64;
        let half = if big { self >> 1 | self & 1 } else { self };
        let x = half as i64 as f32;
        if big { x + x } else { x }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against the operator of the language.
    #[test]
    fn whole_parts_are_those_of_the_language() {
        let mut values = vec![0.0, -0.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.5, -0.5, 1e300, -1e300, 1e-300];
        for bits in [7, 8, 15, 16, 31, 32, 52, 53, 63, 64, 65] {
            let end = 2f64.powi(bits);
            values.extend([end, end.next_up(), end.next_down(), end - 1.0, end - 0.5, end + 0.5, end + 1.0, end * 0.7]);
        }
        values.extend((1..2000u64).map(|i| f64::from_bits(i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 1 | 0x3fe << 52)));
        values.extend((1..2000u64).map(|i| (i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (i % 64)) as f64 / 3.0));
        let below: Vec<f64> = values.iter().map(|x| -x).collect();
        values.extend(below);
        macro_rules! check {
            ($($i:ident)*) => { $( for &x in &values {
                assert_eq!(Towards::<$i>::zero(x), x as $i, "{x:e} as {}", stringify!($i));
                assert_eq!(Towards::<$i>::zero(x as f32), x as f32 as $i, "{x:e} in f32 as {}", stringify!($i));
            } )* };
        }
        check!(i8 i16 i32 i64 u8 u16 u32 u64);
        for i in (0..64).flat_map(|s| [u64::MAX >> s, 1 << s, (1 << s) + (1 << (s / 2)), 0xffff_ff80_0000_0001 >> s]) {
            assert_eq!(Rounded::<f32>::rounded(i), i as f32, "{i}");
        }
    }
}
