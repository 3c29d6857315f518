//! Powers. Integers wrap; floats follow IEEE 754 `pow`, special values included.
//!
//! For `x = m 2^e`, `m` times the sixteenths nearest `1 / m` is `1 + f` with a small `f`, exactly. So `log x` is `e log 2`, an
//! entry of a table and a short polynomial in `f`, in two words, as the exponent multiplies their error. The table is read in
//! a pass of its own over each tile, for which there is an instruction. What comes after the logarithms is simpler for a tile
//! whose elements are positive and whose powers are ordinary numbers.
use super::coef;
use super::real::{Real, at_least, at_most, poly, poly_halves, select, within};
use crate::elementwise::bodies::{Any, portable, read, redo2, write};
use crate::elementwise::loops::{fitting, run2, whole};
use crate::elementwise::tile::{Tile, tile, tiles2};
use crate::elementwise::{Loop2, Map1, Map2, Square, Tier, loop1};
use freelane_simd::{Isa, Lookup};
use std::f64::consts::LOG2_E;
use std::mem::MaybeUninit;

functions! {
    /// `a` to the power `b`; for floats at most 2 ulp off, for integers modulo 2^bits. A negative integer exponent
    /// gives what the power has to be: 1 and -1 for these, 0 for the rest.
    Pow,
}

/// The steps of a power, for a positive normal base and a finite exponent. Logarithms are natural in f64, in f32 to base 2.
trait Power: Real + Lookup {
    /// `-log k/16` in two words, at `k` modulo 16.
    const TABLE: [&'static [Self; 16]; 2];
    /// A polynomial for `1 / m`; the first coefficient is such that the sum is rounded to sixteenths, in the low bits.
    const RECIPROCAL: [Self; 3];
    /// Added to sixteenths, brings them to the low bits.
    const SIXTEENTHS: Self;
    /// The power is a normal number if its logarithm is closer to zero.
    const NEAR: Self;
    /// The power is zero or infinite if its logarithm is not between these.
    const ENDS: [Self; 2];

    /// `y (e log 2 + table + log(1 + f))`, in two words.
    fn log(e: Self, f: Self, table: [Self; 2], y: Self) -> [Self; 2];
    /// `(p, k)` for the power `p 2^k` that has this logarithm, with `k` added to `ROUNDER`.
    fn power_parts(log: [Self; 2]) -> (Self, Self);
    /// 1 for odd whole numbers, 0 for even ones, and something else for the rest.
    fn oddness(self) -> Self;
    /// By the scalar function.
    fn scalar(self, y: Self) -> Self;
}

impl Power for f32 {
    const TABLE: [&'static [f32; 16]; 2] = [&coef::LOG2_SIXTEENTHS_HIGH, &coef::LOG2_SIXTEENTHS_LOW];
    const RECIPROCAL: [f32; 3] =
        [Self::SIXTEENTHS + coef::RECIPROCAL_FIRST[0] as f32, coef::RECIPROCAL_32[0], coef::RECIPROCAL_32[1]];
    const SIXTEENTHS: f32 = Self::ROUNDER / 16.0;
    const NEAR: f32 = 125.0;
    const ENDS: [f32; 2] = [-155.0, 129.0];

    /// `log2(1 + f) = f w`, with `w` and all that is added to or multiplied by it in two words: cheaper than to widen them.
    #[inline(always)]
    fn log(e: f32, f: f32, [high, low]: [f32; 2], y: f32) -> [f32; 2] {
        let [one, one_low] = coef::LOG2_E_32;
        let half = -0.5 * one * f;
        let half_low = f.mul_add(-0.5 * one, -half);
        let w = one + half;
        let rest = f.mul_add(f.mul_add(poly_halves(f, &coef::LOG2_POW_32), -0.5 * one_low), one_low + half_low);
        let w_low = (half - (w - one)) + rest;
        let p = f * w;
        let p_low = f.mul_add(w_low, f.mul_add(w, -p));
        let whole = e + high;
        let log = whole + p;
        let log_low = (p - (log - whole)) + (p_low + low);
        let v = y * log;
        [v, y.mul_add(log_low, y.mul_add(log, -v))]
    }
    #[inline(always)]
    fn power_parts([first, second]: [f32; 2]) -> (f32, f32) {
        let kb = first + Self::ROUNDER;
        let r = first - (kb - Self::ROUNDER) + second;
        (r.mul_add(poly_halves(r, coef::EXP2.f32), 1.0), kb)
    }
    #[inline(always)]
    fn oddness(self) -> f32 {
        (-2f32).mul_add((0.5 * self).floor(), self)
    }
    fn scalar(self, y: f32) -> f32 {
        libm::powf(self, y)
    }
}

impl Power for f64 {
    const TABLE: [&'static [f64; 16]; 2] = [&coef::LOG_SIXTEENTHS_HIGH, &coef::LOG_SIXTEENTHS_LOW];
    const RECIPROCAL: [f64; 3] =
        [Self::SIXTEENTHS + coef::RECIPROCAL_FIRST[0], coef::RECIPROCAL_64[0], coef::RECIPROCAL_64[1]];
    const SIXTEENTHS: f64 = Self::ROUNDER / 16.0;
    const NEAR: f64 = 708.0;
    const ENDS: [f64; 2] = Self::EXP_RANGE;

    /// `e ln 2 + table + f - f^2 / 2` is carried in two words, the rest of the series needs one.
    #[inline(always)]
    fn log(e: f64, f: f64, table: [f64; 2], y: f64) -> [f64; 2] {
        let whole = e.mul_add(coef::LN2_SHORT_64[0], table[0]);
        let whole_low = e.mul_add(coef::LN2_SHORT_64[1], table[1]);
        let a = whole + f;
        let a_low = f - (a - whole);
        let half = -0.5 * f;
        let square = half * f;
        let square_low = half.mul_add(f, -square);
        let b = a + square;
        let b_low = square - (b - a);
        let low = (f * f * f).mul_add(poly_halves(f, &coef::LOG_POW_64), (whole_low + a_low) + (square_low + b_low));
        let high = b + low;
        let low = low - (high - b);
        let p = y * high;
        [p, y.mul_add(low, y.mul_add(high, -p))]
    }
    #[inline(always)]
    fn power_parts([x, low]: [f64; 2]) -> (f64, f64) {
        let kb = x.mul_add(LOG2_E, Self::ROUNDER);
        let k = kb - Self::ROUNDER;
        let high = k.mul_add(-Self::LN2[0], x);
        let low = k.mul_add(-Self::LN2[1], low);
        let r = high + low;
        ((r * r).mul_add(poly_halves(r, Self::EXP), low) + high + 1.0, kb)
    }
    #[inline(always)]
    fn oddness(self) -> f64 {
        (-2f64).mul_add((0.5 * self).floor(), self)
    }
    fn scalar(self, y: f64) -> f64 {
        libm::pow(self, y)
    }
}

/// The sixteenths nearest `1 / m`, for `x = m 2^e`, added to `SIXTEENTHS`.
#[inline(always)]
fn near_inverse<R: Power>(x: R) -> R {
    let (m, _) = x.abs().split_normal();
    poly(m, &R::RECIPROCAL)
}

/// `y log |x|`, by what the table has at the near inverse.
#[inline(always)]
fn log<R: Power>(x: R, y: R, near: R, table: [R; 2]) -> [R; 2] {
    let (m, e) = x.abs().split_normal();
    R::log(e, m.fma(near - R::SIXTEENTHS, R::lit(-1.0)), table, y)
}

/// x^y for a positive normal `x`, if the result is one too.
#[inline(always)]
fn easy<R: Power>(x: R, y: R, log: [R; 2]) -> R {
    let (p, k) = R::power_parts(log);
    select(y == R::lit(2.0), x * x, p.shifted(k))
}

/// x^y for a finite `y`, and an `x` that is zero or a normal number of either sign.
#[inline(always)]
fn general<R: Power>(x: R, y: R, [first, second]: [R; 2]) -> R {
    let far = at_least(at_most(first, R::ENDS[1]), R::ENDS[0]);
    let (p, k) = R::power_parts([far, select(far == first, second, R::lit(0.0))]);
    let (zero, one, r) = (R::lit(0.0), R::lit(1.0), p.scale(k));
    let r = select((x == zero) & (y > zero), zero, r);
    let r = select((x == zero) & (y < zero), R::INFINITY, r);
    let odd = y.oddness();
    let r = select(odd == one, r.times_sign(x), r);
    let split = (odd != zero) & (odd != one);
    let r = select((x < zero) & split, R::lit(f64::NAN), r);
    select(y == R::lit(2.0), x * x, r)
}

/// The entries of a table at the places of a tile.
#[inline(always)]
fn entries<'a, R: Lookup>(isa: Isa, table: &[R; 16], places: &[R], tile: &'a mut Tile<R>) -> &'a mut [R] {
    let tile = &mut tile[..places.len()];
    R::look_up(isa, table, places, tile);
    // SAFETY: as many as there are places were looked up.
    unsafe { tile.assume_init_mut() }
}

/// The powers of at most a tile of elements.
#[inline(always)]
fn tile_of_powers<R: Power>(isa: Isa, a: &[Any<R>], b: &[Any<R>], o: &mut [MaybeUninit<Any<R>>])
where
    Pow: Map2<R, Out = R>,
{
    let (mut near, mut high, mut low) = (tile(), tile(), tile());
    let near = &mut near[..a.len()];
    for (near, x) in near.iter_mut().zip(a) {
        near.write(near_inverse(x.0));
    }
    // SAFETY: all of them were just written.
    let near = unsafe { near.assume_init_ref() };
    let high = entries(isa, R::TABLE[0], near, &mut high);
    let low = entries(isa, R::TABLE[1], near, &mut low);
    let mut all_easy = true;
    for ((((x, y), near), high), low) in a.iter().zip(b).zip(near).zip(&mut *high).zip(&mut *low) {
        [*high, *low] = log(x.0, y.0, *near, [*high, *low]);
        all_easy &= within(x.0, R::LEAST, R::INFINITY) & (high.abs() < R::NEAR);
    }
    if all_easy {
        for ((((o, x), y), high), low) in o.iter_mut().zip(a).zip(b).zip(high).zip(low) {
            o.write(Any(easy(x.0, y.0, [*high, *low])));
        }
        return;
    }
    let mut any = false;
    for ((((o, x), y), high), low) in o.iter_mut().zip(a).zip(b).zip(high).zip(low) {
        o.write(Any(general(x.0, y.0, [*high, *low])));
        any |= Pow::guard(x.0, y.0);
    }
    if any {
        redo2::<Pow, R>(a, b, o);
    }
}

macro_rules! shells {
    ($name:ident, $isa:ident $(, $features:literal)?) => {
        /// # Safety
        /// As for [`powers`], of at most a tile of elements side by side, the results apart from the operands.
        $(#[target_feature(enable = $features)])?
        unsafe fn $name<R: Power>(n: usize, a: *const R, b: *const R, o: *mut R)
        where
            Pow: Map2<R, Out = R>,
        {
            // SAFETY: the caller's promise.
            let (a, b, o) = unsafe { (read(a, n), read(b, n), write(o, n)) };
            tile_of_powers(Isa::$isa, a, b, o)
        }
    };
}
#[cfg(target_arch = "x86_64")]
shells!(native, Avx2, "avx2,fma,bmi1,bmi2,lzcnt,popcnt");
#[cfg(target_arch = "x86_64")]
shells!(avx512, Avx512, "avx512f,avx512dq,avx512vl,avx512bw,avx512cd,avx2,fma,bmi1,bmi2,lzcnt,popcnt");
#[cfg(not(target_arch = "x86_64"))]
shells!(native, Neon);

/// Squares where all exponents are one 2, which is by far the most frequent one.
///
/// # Safety
/// As for [`loop2`](crate::elementwise::loop2).
#[allow(clippy::too_many_arguments, reason = "the signature of `Loop2`")]
unsafe fn powers<R: Power>(isa: Isa, n: usize, a: *const u8, sa: isize, b: *const u8, sb: isize, o: *mut u8, os: isize)
where
    Pow: Map2<R, Out = R>,
    Square: Map1<R, Out = R>,
{
    // SAFETY: the caller's promise: there is an exponent.
    if n > 0 && sb == 0 && unsafe { b.cast::<R>().read_unaligned() } == R::lit(2.0) {
        // SAFETY: the caller's promise.
        return unsafe { loop1::<Square, R>(isa, n, a, sa, o, os) };
    }
    let isa = fitting::<R>(isa, n);
    let body = match isa {
        Isa::Portable => portable::map2::<Pow, R>,
        #[cfg(target_arch = "x86_64")]
        Isa::Avx512 => avx512::<R>,
        _ => native::<R>,
    };
    // SAFETY: the caller's promise; results are a tile, or apart from the operands.
    let each = |m, a, b, o| unsafe { run2(body, whole::<R>(isa, Tier::Heavy), m, a, b, o) };
    // SAFETY: the caller's promise; the body fills the results.
    unsafe { tiles2(isa, n, [(a, sa), (b, sb)], (o, os), each) }
}

macro_rules! float_pow {
    ($($t:ident;)*) => { $(
        impl Map2<$t> for Pow {
            type Out = $t;
            const TIER: Tier = Tier::Heavy;
            const GUARD: bool = true;
            const LOOP: Option<Loop2> = Some(powers::<$t>);
            #[inline(always)]
            fn apply(a: $t, b: $t) -> $t {
                let near = near_inverse(a);
                let table = <$t as Power>::TABLE.map(|table| table[near.to_bits() as usize & 15]);
                general(a, b, log(a, b, near, table))
            }
            #[inline(always)]
            fn guard(a: $t, b: $t) -> bool {
                !((within(a.abs(), $t::MIN_POSITIVE, $t::INFINITY) | (a == 0.0)) & (b.abs() < $t::INFINITY))
            }
            #[inline(always)]
            fn slow(a: $t, b: $t) -> $t {
                if b == 2.0 { a * a } else { a.scalar(b) }
            }
        }
    )* };
}
float_pow! { f32; f64; }
halves2!(Pow);
