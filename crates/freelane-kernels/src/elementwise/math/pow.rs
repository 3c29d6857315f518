//! Powers. Integers wrap; floats follow IEEE 754 `pow`, special values included.
use super::coef;
use super::exp::exp_sum;
use super::real::{Real, poly, select};
use crate::elementwise::{Map2, Tier};

functions! {
    /// `a` to the power `b`; for floats at most 2 ulp off, for integers modulo 2^bits. A negative integer exponent
    /// gives what the power has to be: 1 and -1 for these, 0 for the rest.
    Pow,
}

/// log x in two words, for a positive, finite x; `s` and `2/3 s^3` are carried in two words, the rest needs one.
#[inline(always)]
fn log_pair(x: f64) -> (f64, f64) {
    let (m, e) = x.split();
    let f = m - 1.0;
    let d = 2.0 + f;
    let d_low = f - (d - 2.0);
    let s = f / d;
    let s_low = ((-s).mul_add(d, f) - s * d_low) / d;
    let z = s * s;
    let z_low = s.mul_add(s, -z) + 2.0 * s * s_low;
    let c = z * s;
    let c_low = z.mul_add(s, -c) + (z * s_low + z_low * s);
    let t = c * coef::TWO_THIRDS[0];
    let t_low = c.mul_add(coef::TWO_THIRDS[0], -t) + (c * coef::TWO_THIRDS[1] + c_low * coef::TWO_THIRDS[0]);
    let rest = c * z * poly(z, &coef::LOG_POW_64);
    let head = e * coef::LN2_SHORT_64[0];
    let a = head + 2.0 * s;
    let a_low = select(e == 0.0, 0.0, 2.0 * s - (a - head));
    let b = a + t;
    let b_low = t - (b - a);
    let low = (a_low + b_low) + (e.mul_add(coef::LN2_SHORT_64[1], 2.0 * s_low + t_low) + rest);
    let high = b + low;
    (high, low - (high - b))
}

/// x^y for a positive, finite x and a y that is not NaN.
#[inline(always)]
fn positive64(x: f64, y: f64) -> f64 {
    let (high, low) = log_pair(x);
    let p = y * high;
    let p_low = y.mul_add(high, -p) + y * low;
    exp_sum(p, select(p.abs() < 800.0, p_low, 0.0))
}

/// As above, in f64 lanes, which spares the second words.
#[inline(always)]
fn positive32(x: f32, y: f32) -> f32 {
    let (m, e) = (x as f64).split();
    let f = m - 1.0;
    let s = f / (2.0 + f);
    let z = s * s;
    let log = e.mul_add(coef::LN2_64[0], 2.0 * s) + s * z * poly(z, &coef::LOG_POWF_64);
    let v = y as f64 * log;
    let v = select(v > 100.0, 100.0, select(v < -120.0, -120.0, v));
    let kb = v.mul_add(std::f64::consts::LOG2_E, f64::ROUNDER);
    let r = (kb - f64::ROUNDER).mul_add(-coef::LN2_64[0], v);
    let p = (r * r).mul_add(poly(r, &coef::EXP_POWF_64), r) + 1.0;
    f64::from_bits(p.to_bits().wrapping_add(kb.to_bits() << 52)) as f32
}

macro_rules! float_pow {
    ($t:ident, $name:ident, $positive:ident, $scalar:path) => {
        /// Everything IEEE 754 asks of `pow`, by selection.
        #[inline(always)]
        fn $name(x: $t, y: $t) -> $t {
            let a = x.abs();
            let whole = y.floor() == y;
            let odd = whole & ((0.5 * y).floor() != 0.5 * y);
            let edge = (a == 0.0) | (a == $t::INFINITY);
            let grows = (a == 0.0) == (y < 0.0);
            let r = select(edge, select(grows, $t::INFINITY, 0.0), $positive(select(edge, 1.0, a), y));
            let r = select(odd & x.is_sign_negative(), -r, r);
            let r = select((x < 0.0) & (a != $t::INFINITY) & !whole, $t::NAN, r);
            let r = select(x.is_nan() | y.is_nan(), $t::NAN, r);
            select((y == 0.0) | (x == 1.0) | ((x == -1.0) & (y.abs() == $t::INFINITY)), 1.0, r)
        }

        impl Map2<$t> for Pow {
            type Out = $t;
            const TIER: Tier = Tier::Heavy;
            #[inline(always)]
            fn apply(a: $t, b: $t) -> $t {
                $name(a, b)
            }
            #[inline(always)]
            fn slow(a: $t, b: $t) -> $t {
                $scalar(a, b)
            }
        }
    };
}
float_pow!(f32, pow32, positive32, libm::powf);
float_pow!(f64, pow64, positive64, libm::pow);
halves2!(Pow);
