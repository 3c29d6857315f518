//! Powers. Integers wrap; floats follow IEEE 754 `pow`, special values included.
use super::coef;
use super::real::{Real, at_least, at_most, poly, poly_halves, select, within};
use crate::elementwise::tile::tiles2;
use crate::elementwise::{ByScalar, Loop2, Map1, Map2, Square, Tier, loop1, loop2};
use freelane_simd::Isa;
use std::f64::consts::LOG2_E;

functions! {
    /// `a` to the power `b`; for floats at most 2 ulp off, for integers modulo 2^bits. A negative integer exponent
    /// gives what the power has to be: 1 and -1 for these, 0 for the rest.
    Pow,
}

/// log x in two words, for a positive normal x. `2 s` with `s = (m - 1) / (m + 1)`, and `2 s z / 3` with `z = s^2`, are
/// carried in two words, the rest of `2 atanh s` needs one. One division: its result also gives the quotient's second word.
#[inline(always)]
fn log_pair(x: f64) -> (f64, f64) {
    let (m, e) = x.split_normal();
    let f = m - 1.0;
    let d = 2.0 + f;
    let d_low = f - (d - 2.0);
    let inverse = 1.0 / d;
    let s = f * inverse;
    let s_low = (-s).mul_add(d_low, (-s).mul_add(d, f)) * inverse;
    let two = 2.0 * s;
    let z = s * s;
    let z_low = two.mul_add(s_low, s.mul_add(s, -z));
    let t = z * coef::THIRD[0];
    let t_low = z.mul_add(coef::THIRD[1], z_low.mul_add(coef::THIRD[0], z.mul_add(coef::THIRD[0], -t)));
    let rest = (z * z).mul_add(poly_halves(z, &coef::LOG_POW_64), t_low);
    let c = two * t;
    let c_low = two.mul_add(rest, two.mul_add(t, -c));
    let head = e * coef::LN2_SHORT_64[0];
    let a = head + two;
    let a_low = two - (a - head);
    let b = a + c;
    let b_low = c - (b - a);
    let small = 2.0 * s_low;
    let low = (a_low + b_low) + (e.mul_add(coef::LN2_SHORT_64[1], c_low) + small.mul_add(t, small));
    let high = b + low;
    (high, low - (high - b))
}

/// x^y for a positive normal x and a finite y.
#[inline(always)]
fn positive64(x: f64, y: f64) -> f64 {
    let (high, low) = log_pair(x);
    let p = y * high;
    let p_low = y.mul_add(low, y.mul_add(high, -p));
    exp_of_pair(p, select(p.abs() < 800.0, p_low, 0.0))
}

/// e^(x + low), by a polynomial in two halves.
#[inline(always)]
fn exp_of_pair(x: f64, low: f64) -> f64 {
    let x = at_least(at_most(x, f64::EXP_RANGE[1]), f64::EXP_RANGE[0]);
    let kb = x.mul_add(LOG2_E, f64::ROUNDER);
    let k = kb - f64::ROUNDER;
    let high = k.mul_add(-f64::LN2[0], x);
    let low = k.mul_add(-f64::LN2[1], low);
    let r = high + low;
    let y = (r * r).mul_add(poly_halves(r, f64::EXP), low) + high + 1.0;
    y.scale(kb)
}

/// As above, in f64 lanes, which spares the second words: `2^(y log2 x)`.
#[inline(always)]
fn positive32(x: f32, y: f32) -> f32 {
    let (m, e) = x.split_normal();
    let (m, e) = (m as f64, e as f64);
    let s = (m - 1.0) / (m + 1.0);
    let v = y as f64 * s.mul_add(poly(s * s, &coef::LOG2_POWF_64), e);
    let v = at_least(at_most(v, 130.0), -160.0);
    let kb = v + f64::ROUNDER;
    let r = v - (kb - f64::ROUNDER);
    poly(r, &coef::EXP2_POWF_64).shifted(kb) as f32
}

/// Powers with the exponent 2, which is by far the most frequent one.
///
/// # Safety
/// As for [`ByScalar`].
unsafe fn squares<T: Copy + Into<f64>>(isa: Isa, n: usize, a: *const u8, b: *const u8, o: *mut u8) -> bool
where
    Square: Map1<T, Out = T>,
{
    let e = size_of::<T>() as isize;
    // SAFETY: the caller's promise: there is an exponent.
    let two = unsafe { b.cast::<T>().read_unaligned() }.into() == 2.0;
    if two {
        // SAFETY: the caller's promise.
        unsafe { loop1::<Square, T>(isa, n, a, e, o, e) };
    }
    two
}

/// Powers of positive numbers, and of all numbers.
#[derive(Clone, Copy, Debug)]
struct OfPositive;
#[derive(Clone, Copy, Debug)]
struct OfAny;

/// Tiles of positive numbers by the shorter body.
///
/// # Safety
/// As for [`loop2`].
#[allow(clippy::too_many_arguments, reason = "the signature of `Loop2`")]
unsafe fn by_sign<T: Copy + PartialOrd + Default>(
    isa: Isa,
    n: usize,
    a: *const u8,
    sa: isize,
    b: *const u8,
    sb: isize,
    o: *mut u8,
    os: isize,
) where
    OfPositive: Map2<T, Out = T>,
    OfAny: Map2<T, Out = T>,
{
    if sb == 0 {
        // SAFETY: the caller's promise.
        return unsafe { loop2::<OfAny, T>(isa, n, a, sa, b, sb, o, os) };
    }
    let e = size_of::<T>() as isize;
    let each = |m, a: *const T, b: *const T, o: *mut T| {
        // SAFETY: there are `m` elements.
        let positive = |all, j| all & (unsafe { a.add(j).read_unaligned() } > T::default());
        let run = if (0..m).fold(true, positive) { loop2::<OfPositive, T> } else { loop2::<OfAny, T> };
        // SAFETY: operands and results have `m` elements side by side, the results apart.
        unsafe { run(isa, m, a.cast(), e, b.cast(), e, o.cast(), e) };
    };
    // SAFETY: the caller's promise; the loops fill the results.
    unsafe { tiles2(isa, n, [(a, sa), (b, sb)], (o, os), each) }
}

macro_rules! float_pow {
    ($t:ident, $name:ident, $positive:ident, $scalar:path) => {
        /// For a finite `y`, and an `x` that is zero or a normal number of either sign.
        #[inline(always)]
        fn $name(x: $t, y: $t) -> $t {
            let a = x.abs();
            let r = $positive(a, y);
            let r = select((a == 0.0) & (y > 0.0), 0.0, r);
            let r = select((a == 0.0) & (y < 0.0), $t::INFINITY, r);
            // 1 for odd whole numbers, 0 for even ones.
            let odd = (-2.0 as $t).mul_add((0.5 * y).floor(), y);
            let r = select(odd == 1.0, r.times_sign(x), r);
            let split = (odd != 0.0) & (odd != 1.0);
            let r = select((x < 0.0) & split, $t::NAN, r);
            // As the loop for one exponent has it.
            select(y == 2.0, x * x, r)
        }

        float_pow! { @ OfAny, $t, |a, b| $name(a, b), $scalar;
            const BY_SCALAR: Option<ByScalar> = Some(squares::<$t>);
            #[inline(always)]
            fn guard(a: $t, b: $t) -> bool {
                !((within(a.abs(), $t::MIN_POSITIVE, $t::INFINITY) | (a == 0.0)) & (b.abs() < $t::INFINITY))
            }
        }
        float_pow! { @ OfPositive, $t, |a, b| select(b == 2.0, a * a, $positive(a, b)), $scalar;
            #[inline(always)]
            fn guard(a: $t, b: $t) -> bool {
                !(within(a, $t::MIN_POSITIVE, $t::INFINITY) & (b.abs() < $t::INFINITY))
            }
        }
        float_pow! { @ Pow, $t, |a, b| $name(a, b), $scalar;
            const LOOP: Option<Loop2> = Some(by_sign::<$t>);
            #[inline(always)]
            fn guard(a: $t, b: $t) -> bool {
                <OfAny as Map2<$t>>::guard(a, b)
            }
        }
    };
    (@ $k:ident, $t:ident, |$a:ident, $b:ident| $body:expr, $scalar:path; $($more:item)*) => {
        impl Map2<$t> for $k {
            type Out = $t;
            const TIER: Tier = Tier::Heavy;
            const GUARD: bool = true;
            #[inline(always)]
            fn apply($a: $t, $b: $t) -> $t {
                $body
            }
            #[inline(always)]
            fn slow(a: $t, b: $t) -> $t {
                if b == 2.0 { a * a } else { $scalar(a, b) }
            }
            $($more)*
        }
    };
}
float_pow!(f32, pow32, positive32, libm::powf);
float_pow!(f64, pow64, positive64, libm::pow);
halves2!(Pow);
