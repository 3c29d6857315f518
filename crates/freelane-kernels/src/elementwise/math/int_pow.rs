//! Powers of integers, modulo 2^bits: squares and products, by the bits of the exponent.
use super::Pow;
use crate::elementwise::tile::{TILE, tile};
use crate::elementwise::{ByScalar, Map1, Map2, Multiply, Square, Tier, loop1, loop2};
use freelane_simd::Isa;

macro_rules! int_pow {
    ($($t:ident, |$a:ident, $b:ident| $negative:expr;)*) => { $(
        impl Map2<$t> for Pow {
            type Out = $t;
            const TIER: Tier = Tier::Scalar;
            const BY_SCALAR: Option<ByScalar> = Some(to_one_power::<$t>);
            #[inline(always)]
            fn apply($a: $t, $b: $t) -> $t {
                let (mut base, mut exponent, mut r) = ($a, $b, 1 as $t);
                while exponent > 0 {
                    r = r.wrapping_mul(if exponent & 1 == 1 { base } else { 1 });
                    base = base.wrapping_mul(base);
                    exponent >>= 1;
                }
                $negative.unwrap_or(r)
            }
        }
    )* };
}
macro_rules! signed_pow {
    ($($t:ident),*) => { int_pow!($($t, |a, b| (b < 0).then(|| match a {
        1 => 1,
        -1 => if b & 1 == 0 { 1 } else { -1 },
        _ => 0,
    });)*); };
}
signed_pow!(i8, i16, i32, i64);
int_pow!(u8, |a, b| None; u16, |a, b| None; u32, |a, b| None; u64, |a, b| None;);

/// All elements to one power, by whole tiles.
///
/// # Safety
/// As for [`ByScalar`].
unsafe fn to_one_power<T>(isa: Isa, n: usize, a: *const u8, b: *const u8, o: *mut u8) -> bool
where
    T: Copy + Into<i128> + 'static,
    Pow: Map2<T, Out = T>,
    Multiply: Map2<T, Out = T>,
    Square: Map1<T, Out = T>,
{
    let e = size_of::<T>();
    // SAFETY: the caller's promise: there is an exponent.
    let exponent = unsafe { b.cast::<T>().read_unaligned() };
    match exponent.into() {
        bits @ 3.. => {
            for i in (0..n).step_by(TILE) {
                let (m, a, o) = (TILE.min(n - i), a.wrapping_add(i * e), o.wrapping_add(i * e));
                // SAFETY: `i + m <= n`; source and result lie apart.
                unsafe { tile_to_power::<T>(isa, m, a, bits, o) };
            }
        }
        // SAFETY: the caller's promise.
        2 => unsafe { loop1::<Square, T>(isa, n, a, e as isize, o, e as isize) },
        _ => {
            for i in 0..n {
                // SAFETY: `i < n`.
                let x = unsafe { a.cast::<T>().add(i).read_unaligned() };
                // SAFETY: as above.
                unsafe { o.cast::<T>().add(i).write_unaligned(Pow::apply(x, exponent)) };
            }
        }
    }
    true
}

/// # Safety
/// `m` elements, at most a tile, can be read from `a`, and as many written at `o`, which lies apart; this CPU supports `isa`;
/// the power is positive.
unsafe fn tile_to_power<T>(isa: Isa, m: usize, a: *const u8, power: i128, o: *mut u8)
where
    T: Copy + 'static,
    Multiply: Map2<T, Out = T>,
    Square: Map1<T, Out = T>,
{
    let e = size_of::<T>() as isize;
    let mut squares = tile::<T>();
    let mut square: *const u8 = a;
    let lowest = power.trailing_zeros();
    for bit in 0..i128::BITS - power.leading_zeros() {
        if bit > 0 {
            // SAFETY: `m` elements, from `a` or in place, and room for as many.
            unsafe { loop1::<Square, T>(isa, m, square, e, squares.as_mut_ptr().cast(), e) };
            square = squares.as_ptr().cast();
        }
        if bit == lowest {
            // SAFETY: `m` elements, and room for as many.
            unsafe { o.copy_from_nonoverlapping(square, m * size_of::<T>()) };
        } else if power >> bit & 1 == 1 {
            // SAFETY: `m` elements each; the squares lie apart from the results, which are replaced one by one.
            unsafe { loop2::<Multiply, T>(isa, m, o, e, square, e, o, e) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integer_powers_wrap() {
        for (a, b, expected) in [
            (3i64, 4, 81),
            (2, 63, i64::MIN),
            (2, 64, 0),
            (-2, 3, -8),
            (0, 0, 1),
            (7, -1, 0),
            (1, -5, 1),
            (-1, -3, -1),
            (-1, -4, 1),
        ] {
            assert_eq!(Pow::apply(a, b), expected, "{a} to the {b}");
        }
        assert_eq!(Pow::apply(3u8, 5), 243);
        assert_eq!(Pow::apply(3u8, 6), 217);
        // Odd numbers form a group whose order divides 2^62, so this is the inverse of 3.
        assert_eq!(Pow::apply(3u64, u64::MAX).wrapping_mul(3), 1);
    }

    #[test]
    fn one_power_of_many_numbers_is_that_of_each() {
        let x: Vec<i32> = (-300..300).map(|i| i * 7919).collect();
        let mut o = vec![0; x.len()];
        let floats: Vec<f64> = x.iter().map(|&i| f64::from(i) / 7.0).collect();
        let mut squares = vec![0.0; x.len()];
        for &isa in Isa::available() {
            let two = [2.0f64; 600];
            for stride in [0, 8] {
                let (f, t, s) = (floats.as_ptr().cast(), two.as_ptr().cast(), squares.as_mut_ptr().cast());
                // SAFETY: operands and results hold as many elements.
                unsafe { loop2::<Pow, f64>(isa, x.len(), f, 8, t, stride, s, 8) };
                assert!(floats.iter().zip(&squares).all(|(f, s)| f * f == *s), "{isa}, stride {stride}");
            }
            for power in [-2, -1, 0, 1, 2, 3, 4, 5, 6, 7, 12, 31, 100, i32::MAX] {
                let p: *const i32 = &power;
                // SAFETY: operands and results hold as many elements.
                unsafe { loop2::<Pow, i32>(isa, x.len(), x.as_ptr().cast(), 4, p.cast(), 0, o.as_mut_ptr().cast(), 4) };
                for (x, o) in x.iter().zip(&o) {
                    let want = match power {
                        0.. => x.wrapping_pow(power as u32),
                        _ => {
                            if x.abs() == 1 {
                                x.pow(power.unsigned_abs())
                            } else {
                                0
                            }
                        }
                    };
                    assert_eq!(*o, want, "{x} to the {power}, {isa}");
                }
            }
        }
    }
}
