//! Complex functions over tiles: real and imaginary parts in lines of their own, through the loops of real functions.
use super::scalar;
use crate::elementwise::math::{
    Acos, Acosh, Asin, Asinh, Atan, Atan2, Atanh, Cos, Cosh, Exp, Expm1, Log, Log1p, Log2, Log10, Pow, Sin, Sinh, Tan,
    Tanh,
};
use crate::elementwise::tile::{Sink, Source, tile};
use crate::elementwise::{self as k, Map1, Map2, Sign, Sqrt};
use freelane_simd::Isa;
use num_complex::Complex;
use std::f64::consts::{LN_2, LN_10};

type C = Complex<f64>;
/// Elements in a line: enough for the loops to run at full speed, few enough for lines to stay in the first cache.
const LINE: usize = 64;

type Line = [f64; LINE];

/// A width of complex numbers, computed in f64.
pub(super) trait Width: Copy + 'static {
    fn widened(self) -> C;
    fn narrowed(z: C) -> Self;
}

impl Width for C {
    #[inline(always)]
    fn widened(self) -> C {
        self
    }
    #[inline(always)]
    fn narrowed(z: C) -> C {
        z
    }
}

impl Width for Complex<f32> {
    #[inline(always)]
    fn widened(self) -> C {
        scalar::wide(self)
    }
    #[inline(always)]
    fn narrowed(z: C) -> Self {
        scalar::narrow(z)
    }
}

/// A complex function in steps.
pub(super) trait Steps: Map1<C, Out = C> {
    /// Whether the steps are made for this number.
    fn suits(z: C) -> bool;
    /// The function of the first `m` elements of real and imaginary parts; what does not suit may give anything.
    fn take(real: Real, m: usize, x: [&Line; 2], o: [&mut Line; 2]);
}

/// The loops of real functions on this CPU.
#[derive(Clone, Copy)]
pub(super) struct Real(Isa);

impl Real {
    /// Of the first `m` elements.
    fn of<K: Map1<f64, Out = f64>>(self, m: usize, x: &Line) -> Line {
        let (mut o, n) = ([0.0; LINE], m.min(LINE));
        // SAFETY: whoever made this vouches for the instruction set; both lines have `n` elements and lie apart.
        unsafe { k::loop1::<K, f64>(self.0, n, x.as_ptr().cast(), 8, o.as_mut_ptr().cast(), 8) };
        o
    }

    /// Of the first `m` pairs.
    fn of2<K: Map2<f64, Out = f64>>(self, m: usize, a: &Line, b: &Line) -> Line {
        let (mut o, n) = ([0.0; LINE], m.min(LINE));
        let (a, b, p) = (a.as_ptr().cast(), b.as_ptr().cast(), o.as_mut_ptr().cast());
        // SAFETY: whoever made this vouches for the instruction set; all lines have `n` elements and lie apart.
        unsafe { k::loop2::<K, f64>(self.0, n, a, 8, b, 8, p, 8) };
        o
    }
}

/// The loop of a function in steps.
///
/// # Safety
/// As for [`loop1`](k::loop1).
pub(super) unsafe fn loop1<K: Steps, T: Width>(isa: Isa, n: usize, x: *const u8, xs: isize, o: *mut u8, os: isize) {
    let (mut tx, mut to) = (tile::<T>(), tile::<T>());
    // SAFETY: the caller's promise.
    let mut source = unsafe { Source::new(isa, x, xs, n, &mut tx) };
    let mut sink = Sink::new(o, os, x != o.cast_const(), &mut to);
    for i in (0..n).step_by(LINE) {
        let m = LINE.min(n - i);
        // SAFETY: `i + m <= n`.
        let [re, im] = unsafe { split(source.run(i, m), m) };
        let (mut ore, mut oim) = ([0.0; LINE], [0.0; LINE]);
        K::take(Real(isa), m, [&re, &im], [&mut ore, &mut oim]);
        let parts = re[..m].iter().zip(&im[..m]);
        if !parts.fold(true, |all, (re, im)| all & K::suits(C::new(*re, *im))) {
            redo::<K>(&re[..m], &im[..m], &mut ore, &mut oim);
        }
        let room = sink.room(i);
        for (j, (re, im)) in ore[..m].iter().zip(&oim[..m]).enumerate() {
            // SAFETY: there is room for `m` results.
            unsafe { room.add(j).write_unaligned(T::narrowed(C::new(*re, *im))) };
        }
        // SAFETY: `m` results were written.
        unsafe { sink.put(i, m) };
    }
}

/// What does not suit, by the scalar form.
#[cold]
#[inline(never)]
fn redo<K: Steps>(re: &[f64], im: &[f64], ore: &mut Line, oim: &mut Line) {
    for j in 0..re.len() {
        let z = C::new(re[j], im[j]);
        if !K::suits(z) {
            let value = K::apply(z);
            (ore[j], oim[j]) = (value.re, value.im);
        }
    }
}

/// Real and imaginary parts of at most a line.
///
/// # Safety
/// `m <= LINE` elements can be read from `x`, which may lie at any address.
unsafe fn split<T: Width>(x: *const T, m: usize) -> [Line; 2] {
    let (mut re, mut im) = ([0.0; LINE], [0.0; LINE]);
    for (j, (re, im)) in re[..m].iter_mut().zip(&mut im[..m]).enumerate() {
        // SAFETY: `j < m`.
        let z = unsafe { x.add(j).read_unaligned() }.widened();
        (*re, *im) = (z.re, z.im);
    }
    [re, im]
}

/// The loop of powers.
///
/// # Safety
/// As for [`loop2`](k::loop2).
#[allow(clippy::too_many_arguments, reason = "the signature of `Loop2`")]
pub(super) unsafe fn pow_loop<T: Width>(
    isa: Isa,
    n: usize,
    a: *const u8,
    sa: isize,
    b: *const u8,
    sb: isize,
    o: *mut u8,
    os: isize,
) {
    let (mut ta, mut tb, mut to) = (tile::<T>(), tile::<T>(), tile::<T>());
    // SAFETY: the caller's promise.
    let mut left = unsafe { Source::new(isa, a, sa, n, &mut ta) };
    // SAFETY: the caller's promise.
    let mut right = unsafe { Source::new(isa, b, sb, n, &mut tb) };
    let mut sink = Sink::new(o, os, a != o.cast_const() && b != o.cast_const(), &mut to);
    for i in (0..n).step_by(LINE) {
        let m = LINE.min(n - i);
        // SAFETY: `i + m <= n`.
        let (a, b) = unsafe { (split(left.run(i, m), m), split(right.run(i, m), m)) };
        let powers = powers(Real(isa), m, &a, &b);
        let room = sink.room(i);
        for (j, value) in powers[..m].iter().enumerate() {
            // SAFETY: there is room for `m` results.
            unsafe { room.add(j).write_unaligned(T::narrowed(*value)) };
        }
        // SAFETY: `m` results were written.
        unsafe { sink.put(i, m) };
    }
}

/// `|a|^re(b) e^(-angle im(b))` at the angle `angle re(b) + im(b) log |a|`.
fn powers(real: Real, m: usize, a: &[Line; 2], b: &[Line; 2]) -> [C; LINE] {
    let mut moduli = [0.0; LINE];
    for (j, modulus) in moduli[..m].iter_mut().enumerate() {
        *modulus = k::Absolute::apply(C::new(a[0][j], a[1][j]));
    }
    let angles = real.of2::<Atan2>(m, &a[1], &a[0]);
    let lengths = real.of2::<Pow>(m, &moduli, &b[0]);
    let logs = real.of::<Log>(m, &moduli);
    let (mut phases, mut shrink) = ([0.0; LINE], [0.0; LINE]);
    for j in 0..m {
        phases[j] = angles[j] * b[0][j] + b[1][j] * logs[j];
        shrink[j] = -angles[j] * b[1][j];
    }
    let shrink = real.of::<Exp>(m, &shrink);
    let (sines, cosines) = (real.of::<Sin>(m, &phases), real.of::<Cos>(m, &phases));
    let mut powers = [C::new(0.0, 0.0); LINE];
    for j in 0..m {
        let (a, b) = (C::new(a[0][j], a[1][j]), C::new(b[0][j], b[1][j]));
        let length = lengths[j] * shrink[j];
        let suits = moderate(a) && scalar::few(b).is_none() && phases[j].abs() < TURNS;
        let suits = suits && ordinary(lengths[j]) && ordinary(length);
        powers[j] = if suits { C::new(length * cosines[j], length * sines[j]) } else { scalar::pow(a, b) };
    }
    powers
}

/// Beyond this the loops of sine and cosine are as slow as the scalar functions.
const TURNS: f64 = 1e9;

/// Within this exponentials and their squares are ordinary numbers.
const EXPONENT: f64 = 300.0;

/// Its reciprocal is an ordinary number too.
#[inline(always)]
fn ordinary(x: f64) -> bool {
    (x.abs() > 1e-290) & (x.abs() < 1e290)
}

/// The larger part's square is an ordinary number.
#[inline(always)]
fn moderate(z: C) -> bool {
    let (re, im) = (z.re.abs(), z.im.abs());
    ((re > 1e-140) | (im > 1e-140)) & (re < 1e140) & (im < 1e140)
}

/// The squares of both parts are such; no sign of a zero matters.
#[inline(always)]
fn apart_from_axes(z: C) -> bool {
    let (re, im) = (z.re.abs(), z.im.abs());
    (re > 1e-140) & (im > 1e-140) & (re < 1e140) & (im < 1e140)
}

/// `e^re` and the angle `im`.
#[inline(always)]
fn grows_and_turns(z: C) -> bool {
    (z.re.abs() < EXPONENT) & (z.im.abs() < TURNS)
}

macro_rules! steps {
    ($($k:ident if $suits:expr, |$real:ident, $m:ident, $re:ident, $im:ident| [$($line:ident: $loops:expr),*] $j:ident => $value:expr;)*) => { $(
        impl Steps for $k {
            #[inline(always)]
            fn suits(z: C) -> bool {
                ($suits)(z)
            }
            fn take($real: Real, $m: usize, [$re, $im]: [&Line; 2], [ore, oim]: [&mut Line; 2]) {
                $( let $line = $loops; )*
                // Over whole lines, whatever lies behind the elements: vector code.
                for $j in 0..LINE {
                    (ore[$j], oim[$j]) = $value;
                }
            }
        }
    )* };
}

/// A line made of others, element by element.
#[inline(always)]
fn line(of: impl Fn(usize) -> f64) -> Line {
    std::array::from_fn(of)
}

steps! {
    Exp if grows_and_turns, |real, m, re, im| [e: real.of::<Exp>(m, re), s: real.of::<Sin>(m, im), c: real.of::<Cos>(m, im)]
        j => (e[j] * c[j], e[j] * s[j]);
    Expm1 if |z: C| grows_and_turns(z) & (z.im != 0.0), |real, m, re, im| [
        half: line(|j| im[j] / 2.0), h: real.of::<Sin>(m, &half),
        e: real.of::<Expm1>(m, re), x: real.of::<Exp>(m, re), s: real.of::<Sin>(m, im), c: real.of::<Cos>(m, im)
    ] j => (e[j] * c[j] - 2.0 * h[j] * h[j], x[j] * s[j]);
    Sinh if grows_and_turns, |real, m, re, im| [
        sh: real.of::<Sinh>(m, re), ch: real.of::<Cosh>(m, re), s: real.of::<Sin>(m, im), c: real.of::<Cos>(m, im)
    ] j => (sh[j] * c[j], ch[j] * s[j]);
    Cosh if |z: C| grows_and_turns(z) & (z.im != 0.0), |real, m, re, im| [
        sh: real.of::<Sinh>(m, re), ch: real.of::<Cosh>(m, re), s: real.of::<Sin>(m, im), c: real.of::<Cos>(m, im)
    ] j => (ch[j] * c[j], sh[j] * s[j]);
    Tanh if grows_and_turns, |real, m, re, im| [
        sh: real.of::<Sinh>(m, re), ch: real.of::<Cosh>(m, re), s: real.of::<Sin>(m, im), c: real.of::<Cos>(m, im)
    ] j => {
        let d = sh[j] * sh[j] + c[j] * c[j];
        (sh[j] * ch[j] / d, s[j] * c[j] / d)
    };
    Sin if |z: C| grows_and_turns(scalar::turned(z)), |real, m, re, im| [
        sh: real.of::<Sinh>(m, im), ch: real.of::<Cosh>(m, im), s: real.of::<Sin>(m, re), c: real.of::<Cos>(m, re)
    ] j => (ch[j] * s[j], sh[j] * c[j]);
    Cos if |z: C| grows_and_turns(scalar::turned(z)) & (z.re != 0.0), |real, m, re, im| [
        sh: real.of::<Sinh>(m, im), ch: real.of::<Cosh>(m, im), s: real.of::<Sin>(m, re), c: real.of::<Cos>(m, re)
    ] j => (ch[j] * c[j], -(sh[j] * s[j]));
    Tan if |z: C| grows_and_turns(scalar::turned(z)), |real, m, re, im| [
        sh: real.of::<Sinh>(m, im), ch: real.of::<Cosh>(m, im), s: real.of::<Sin>(m, re), c: real.of::<Cos>(m, re)
    ] j => {
        let d = sh[j] * sh[j] + c[j] * c[j];
        (s[j] * c[j] / d, sh[j] * ch[j] / d)
    };
    Log if moderate, |real, m, re, im| [log: log_modulus(real, m, re, im), angle: real.of2::<Atan2>(m, im, re)]
        j => (log[j], angle[j]);
    Log2 if moderate, |real, m, re, im| [log: log_modulus(real, m, re, im), angle: real.of2::<Atan2>(m, im, re)]
        j => (log[j] / LN_2, angle[j] / LN_2);
    Log10 if moderate, |real, m, re, im| [log: log_modulus(real, m, re, im), angle: real.of2::<Atan2>(m, im, re)]
        j => (log[j] / LN_10, angle[j] / LN_10);
    Log1p if |z: C| moderate(z + 1.0) & (z.im.abs() > 1e-140), |real, m, re, im| [
        more: line(|j| 1.0 + re[j]), log: log1p_modulus(real, m, re, im, &more),
        angle: real.of2::<Atan2>(m, im, &more)
    ] j => (log[j], angle[j]);
    Sqrt if moderate, |_real, _m, re, im| [] j => sqrt(re[j], im[j]);
    Sign if moderate, |_real, _m, re, im| [] j => {
        let modulus = (re[j] * re[j] + im[j] * im[j]).sqrt();
        (re[j] / modulus, im[j] / modulus)
    };
    Asinh if apart_from_axes, |real, m, re, im| [inverse: hyperbolic(real, m, re, im, |x, y| {
        let (a, b) = (sqrt(1.0 + y, -x), sqrt(1.0 - y, x));
        [a.0 * b.1 - b.0 * a.1, y, a.0 * b.0 - a.1 * b.1]
    })] j => (inverse[0][j], inverse[1][j]);
    Asin if apart_from_axes, |real, m, re, im| [inverse: hyperbolic(real, m, re, im, |x, y| {
        let (a, b) = (sqrt(1.0 + x, y), sqrt(1.0 - x, -y));
        [-(a.0 * b.1 - b.0 * a.1), x, a.0 * b.0 - a.1 * b.1]
    })] j => (inverse[1][j], inverse[0][j]);
    Acosh if apart_from_axes, |real, m, re, im| [inverse: hyperbolic(real, m, re, im, |x, y| {
        let (a, b) = (sqrt(x - 1.0, y), sqrt(x + 1.0, y));
        [a.0 * b.0 + a.1 * b.1, a.1, b.0]
    })] j => (inverse[0][j], 2.0 * inverse[1][j]);
    Acos if apart_from_axes, |real, m, re, im| [inverse: hyperbolic(real, m, re, im, |x, y| {
        let (a, b) = (sqrt(1.0 - x, -y), sqrt(1.0 + x, y));
        [b.0 * a.1 - b.1 * a.0, a.0, b.0]
    })] j => (2.0 * inverse[1][j], inverse[0][j]);
    Atanh if apart_from_axes, |real, m, re, im| [inverse: atanh(real, m, re, im)] j => (inverse[0][j], inverse[1][j]);
    Atan if apart_from_axes, |real, m, re, im| [inverse: atanh(real, m, im, re)] j => (inverse[1][j], inverse[0][j]);
}

/// Half the logarithm of the squared modulus; near 1 of what that exceeds 1 by.
fn log_modulus(real: Real, m: usize, re: &Line, im: &Line) -> Line {
    let near = |j: usize| {
        let (large, small) = larger_first(re[j], im[j]);
        (large > 0.5 && large < 2.0).then(|| scalar::above_one(large, small))
    };
    half_log(real, m, near, |j| re[j] * re[j] + im[j] * im[j])
}

fn log1p_modulus(real: Real, m: usize, re: &Line, im: &Line, more: &Line) -> Line {
    let near = |j: usize| {
        let (x, y) = (re[j], im[j]);
        if x.abs() < 0.5 && y.abs() < 0.5 {
            return Some(x * (2.0 + x) + y * y);
        }
        let (large, small) = larger_first(more[j], y);
        (large > 0.5 && large < 2.0).then(|| scalar::above_one(large, small))
    };
    half_log(real, m, near, |j| more[j] * more[j] + im[j] * im[j])
}

fn larger_first(re: f64, im: f64) -> (f64, f64) {
    let (re, im) = (re.abs(), im.abs());
    if re < im { (im, re) } else { (re, im) }
}

/// Half the logarithm of `squares`, or of one more than `near` where there is such.
fn half_log(real: Real, m: usize, near: impl Fn(usize) -> Option<f64>, squares: impl Fn(usize) -> f64) -> Line {
    let (mut far, mut close, mut any) = (line(squares), [0.0; LINE], false);
    let mut is_close = [false; LINE];
    for j in 0..m {
        if let Some(excess) = near(j) {
            (close[j], is_close[j], any) = (excess, true, true);
        }
    }
    far = real.of::<Log>(m, &far);
    if any {
        close = real.of::<Log1p>(m, &close);
    }
    line(|j| if is_close[j] { close[j] / 2.0 } else { far[j] / 2.0 })
}

/// The square root of a number whose square is ordinary; a zero on the left keeps the sign of its imaginary part.
#[inline(always)]
fn sqrt(re: f64, im: f64) -> (f64, f64) {
    let root = ((re.abs() + (re * re + im * im).sqrt()) * 0.5).sqrt();
    let rest = if root == 0.0 { 0.0 } else { im.abs() / (2.0 * root) };
    if re >= 0.0 { (root, rest.copysign(im)) } else { (rest, root.copysign(im)) }
}

/// The inverse hyperbolic sine of the first number that `parts` gives, and the angle of the point (third, second).
fn hyperbolic(real: Real, m: usize, re: &Line, im: &Line, parts: impl Fn(f64, f64) -> [f64; 3]) -> [Line; 2] {
    let mut lines = [[0.0; LINE]; 3];
    for j in 0..LINE {
        let part = parts(re[j], im[j]);
        (lines[0][j], lines[1][j], lines[2][j]) = (part[0], part[1], part[2]);
    }
    [real.of::<Asinh>(m, &lines[0]), real.of2::<Atan2>(m, &lines[1], &lines[2])]
}

/// As the scalar form has it, between its limits.
fn atanh(real: Real, m: usize, re: &Line, im: &Line) -> [Line; 2] {
    let quotient = line(|j| {
        let (x, y) = (re[j].abs(), im[j]);
        4.0 * x / ((1.0 - x) * (1.0 - x) + y * y)
    });
    let twice = line(|j| 2.0 * im[j]);
    let rest = line(|j| {
        let x = re[j].abs();
        (1.0 - x) * (1.0 + x) - im[j] * im[j]
    });
    let (logs, angles) = (real.of::<Log1p>(m, &quotient), real.of2::<Atan2>(m, &twice, &rest));
    [line(|j| (logs[j] / 4.0).copysign(re[j])), line(|j| angles[j] / 2.0)]
}
