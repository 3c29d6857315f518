//! Tests: how far each function is from the correctly rounded result, on every instruction set.
use super::*;
use crate::elementwise::{Map1, Map2, loop1, loop2};
use freelane_simd::Isa;

/// A float whose distance from another can be counted.
trait Ruler: Copy + PartialEq + std::fmt::LowerExp + 'static {
    fn rank(self) -> i64;
    fn is_nan(self) -> bool;
    fn negative(self) -> bool;
    fn from_bits_of(bits: u64) -> Self;
    fn of(x: f64) -> Self;
}

macro_rules! ruler {
    ($t:ident, $i:ident) => {
        impl Ruler for $t {
            fn rank(self) -> i64 {
                let b = self.to_bits() as $i;
                (if b < 0 { $i::MIN.wrapping_sub(b) } else { b }) as i64
            }
            fn is_nan(self) -> bool {
                $t::is_nan(self)
            }
            fn negative(self) -> bool {
                self.is_sign_negative()
            }
            fn from_bits_of(bits: u64) -> Self {
                $t::from_bits(bits as _)
            }
            fn of(x: f64) -> Self {
                x as $t
            }
        }
    };
}
ruler!(f32, i32);
ruler!(f64, i64);

fn hash(i: u64) -> u64 {
    let h = i.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let h = (h ^ h >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    h ^ h >> 32
}

/// Special values, every bit pattern alike, and `count` values uniform over each range.
fn inputs<F: Ruler>(count: u64, ranges: &[(f64, f64)]) -> Vec<F> {
    let specials = [
        0.0,
        5e-324,
        1e-310,
        2.3e-308,
        1e-45,
        1e-40,
        1.2e-38,
        1e-20,
        1e-8,
        0.5,
        0.55,
        1.0,
        1.5,
        2.0,
        3.0,
        4.0,
        6.0,
        10.0,
        20.0,
        88.73,
        88.7,
        103.98,
        104.0,
        709.78,
        709.79,
        745.1,
        745.2,
        1e4,
        1e5,
        1e9,
        1e15,
        1e22,
        1e37,
        3e38,
        1e100,
        1.7e308,
        f64::INFINITY,
        f64::NAN,
    ];
    let mut out: Vec<F> = specials.iter().flat_map(|&x| [F::of(x), F::of(-x)]).collect();
    out.extend((0..count).map(|i| F::from_bits_of(hash(i))));
    for &(low, high) in ranges {
        let unit = |i| (hash(i) >> 11) as f64 / (1u64 << 53) as f64;
        out.extend((0..count).map(|i| F::of(low + (high - low) * unit(i + count))));
    }
    out
}

/// Arguments next to multiples of pi/2, where sine or cosine nearly vanishes.
fn quarter_turns<F: Ruler>(limit: f64) -> impl Iterator<Item = F> {
    let steps = (limit / std::f64::consts::FRAC_PI_2) as u64;
    (0..20_000u64).map(move |i| {
        let k = if i < 10_000 { i } else { hash(i) % steps };
        let x = F::of(k as f64 * std::f64::consts::FRAC_PI_2);
        if i & 1 == 0 { x } else { F::of(-(k as f64) * std::f64::consts::FRAC_PI_2) }
    })
}

/// Panics where `got` is further than `ulp` from `wanted`; NaN, infinity and the sign of zero are to be met exactly.
fn compare<F: Ruler>(what: &dyn Fn() -> String, got: F, wanted: F, ulp: i64) -> i64 {
    if wanted.is_nan() || got.is_nan() {
        assert!(wanted.is_nan() && got.is_nan(), "{} = {got:e}, not {wanted:e}", what());
        return 0;
    }
    let off = (got.rank() - wanted.rank()).abs();
    let sign = got.negative() == wanted.negative();
    assert!(off <= ulp && sign, "{} = {got:e}, not {wanted:e}: {off} ulp", what());
    off
}

/// The largest distance on paths with fused multiply-adds, which agree.
fn check1<K: Map1<F, Out = F>, F: Ruler>(name: &str, oracle: fn(F) -> F, ulp: i64, x: &[F]) -> i64 {
    let step = size_of::<F>() as isize;
    let mut worst = 0;
    for &isa in Isa::available() {
        let mut o = x.to_vec();
        // SAFETY: as many results as elements, and they lie apart.
        unsafe { loop1::<K, F>(isa, x.len(), x.as_ptr().cast(), step, o.as_mut_ptr().cast(), step) };
        let off = x.iter().zip(&o).map(|(&x, &o)| compare(&|| format!("{isa} {name}({x:e})"), o, oracle(x), ulp));
        let off = off.max().unwrap_or(0);
        println!("{name} {isa}: {off} ulp over {} values", x.len());
        worst = if isa == Isa::Portable { worst } else { worst.max(off) };
    }
    worst
}

fn check2<K: Map2<F, Out = F>, F: Ruler>(name: &str, oracle: fn(F, F) -> F, ulp: i64, a: &[F], b: &[F]) -> i64 {
    let step = size_of::<F>() as isize;
    let mut worst = 0;
    for &isa in Isa::available() {
        let mut o = a.to_vec();
        let (pa, pb) = (a.as_ptr().cast(), b.as_ptr().cast());
        // SAFETY: as many results as elements, and they lie apart.
        unsafe { loop2::<K, F>(isa, a.len(), pa, step, pb, step, o.as_mut_ptr().cast(), step) };
        let pairs = a.iter().zip(b).zip(&o);
        let off = pairs.map(|((&a, &b), &o)| compare(&|| format!("{isa} {name}({a:e}, {b:e})"), o, oracle(a, b), ulp));
        let off = off.max().unwrap_or(0);
        println!("{name} {isa}: {off} ulp over {} pairs", a.len());
        worst = if isa == Isa::Portable { worst } else { worst.max(off) };
    }
    worst
}

const COUNT: u64 = 200_000;

/// A line of the table in `docs/accuracy.md`: bounds, and the worst that was found.
struct Line {
    name: &'static str,
    f64: (i64, i64),
    f32: (i64, i64),
}

/// `Kernel: oracle bound, oracle bound, ranges` for f64 and f32.
macro_rules! table {
    ($lines:ident: $($k:ident: $f64:ident $u64:literal, $f32:ident $u32:literal, $ranges:expr;)*) => { $( {
        let ranges: &[(f64, f64)] = &$ranges;
        let (mut wide, mut narrow) = (inputs::<f64>(COUNT, ranges), inputs::<f32>(COUNT, ranges));
        wide.extend(neighbours::<f64>());
        narrow.extend(neighbours::<f32>());
        let worst64 = check1::<$k, f64>(stringify!($f64), core_math::$f64, $u64, &wide);
        let worst32 = check1::<$k, f32>(stringify!($f32), core_math::$f32, $u32, &narrow);
        $lines.push(Line { name: stringify!($f64), f64: ($u64, worst64), f32: ($u32, worst32) });
    } )* };
}

/// Numbers a few steps from 1, 1/2, sqrt(2) and their negatives, where formulas change.
fn neighbours<F: Ruler>() -> impl Iterator<Item = F> {
    [1.0, -1.0, 0.5, -0.5, std::f64::consts::SQRT_2].into_iter().flat_map(|x| {
        let step = if size_of::<F>() == 4 { f32::EPSILON as f64 } else { f64::EPSILON };
        (-1000..1000).map(move |i| F::of(x + i as f64 * step))
    })
}

fn functions_of_one_number(lines: &mut Vec<Line>) {
    table! { lines:
        Exp: exp 2, expf 2, [(-1.0, 1.0), (-104.0, 89.0), (-746.0, 710.0)];
        Exp2: exp2 2, exp2f 2, [(-1.0, 1.0), (-150.0, 128.0), (-1080.0, 1024.0)];
        Expm1: expm1 2, expm1f 2, [(-1.0, 1.0), (-40.0, 89.0), (-40.0, 710.0)];
        Log: log 2, logf 2, [(0.5, 2.0), (0.99, 1.01), (0.0, 1e3)];
        Log2: log2 2, log2f 2, [(0.5, 2.0), (0.99, 1.01), (0.0, 1e3)];
        Log10: log10 2, log10f 2, [(0.5, 2.0), (0.99, 1.01), (0.0, 1e3)];
        Log1p: log1p 2, log1pf 2, [(-1.0, 1.0), (-0.1, 0.1), (0.0, 1e3)];
        Sin: sin 2, sinf 2, [(-4.0, 4.0), (-100.0, 100.0), (-1e5, 1e5), (-2e9, 2e9)];
        Cos: cos 2, cosf 2, [(-4.0, 4.0), (-100.0, 100.0), (-1e5, 1e5), (-2e9, 2e9)];
        Tan: tan 3, tanf 3, [(-4.0, 4.0), (-1e5, 1e5), (-2e9, 2e9)];
        Asin: asin 2, asinf 2, [(-1.0, 1.0), (0.49, 0.51)];
        Acos: acos 2, acosf 2, [(-1.0, 1.0), (0.49, 0.51)];
        Atan: atan 2, atanf 2, [(-10.0, 10.0), (-1.0, 1.0)];
        Sinh: sinh 2, sinhf 2, [(-1.0, 1.0), (-20.0, 20.0), (-711.0, 711.0)];
        Cosh: cosh 2, coshf 2, [(-1.0, 1.0), (-20.0, 20.0), (-711.0, 711.0)];
        Tanh: tanh 2, tanhf 3, [(-1.0, 1.0), (-20.0, 20.0), (-1e-3, 1e-3)];
        Asinh: asinh 3, asinhf 3, [(-1.0, 1.0), (-10.0, 10.0)];
        Acosh: acosh 3, acoshf 3, [(1.0, 1.1), (1.0, 10.0)];
        Atanh: atanh 3, atanhf 3, [(-1.0, 1.0), (-0.3, 0.3)];
        Erf: erf 2, erff 2, [(-1.0, 1.0), (-6.5, 6.5), (-1e-3, 1e-3)];
        Erfc: erfc 4, erfcf 4, [(-1.0, 1.0), (0.4, 0.8), (-6.0, 27.0), (-6.0, 10.0)];
        Cbrt: cbrt 2, cbrtf 2, [(-8.0, 8.0), (0.5, 2.0)];
    }
}

fn functions_of_two_numbers(lines: &mut Vec<Line>) {
    let ((a, b), (c, d)) = (pairs::<f64>(), pairs::<f32>());
    macro_rules! pair {
        ($($k:ident $name:ident $narrow:ident $ulp:literal;)*) => { $(
            let wide = check2::<$k, f64>(stringify!($name), core_math::$name, $ulp, &a, &b);
            let narrow = check2::<$k, f32>(stringify!($narrow), core_math::$narrow, $ulp, &c, &d);
            lines.push(Line { name: stringify!($name), f64: ($ulp, wide), f32: ($ulp, narrow) });
        )* };
    }
    pair! { Pow pow powf 2; Atan2 atan2 atan2f 2; Hypot hypot hypotf 1; }
}

/// What `core-math` lacks: fewer values, only such as the oracles take.
fn functions_by_definition(lines: &mut Vec<Line>) {
    macro_rules! table {
        ($($k:ident: $f64:ident $u64:literal, $f32:ident $u32:literal, $ranges:expr;)*) => { $(
            let (wide, narrow) = (inside::<f64>(&$ranges), inside::<f32>(&$ranges));
            let worst64 = check1::<$k, f64>(stringify!($f64), oracle::$f64, $u64, &wide);
            let worst32 = check1::<$k, f32>(stringify!($f32), oracle::$f32, $u32, &narrow);
            lines.push(Line { name: stringify!($f64), f64: ($u64, worst64), f32: ($u32, worst32) });
        )* };
    }
    table! {
        Sigmoid: sigmoid 3, sigmoidf 3, [(-1.0, 1.0), (-40.0, 40.0), (-80.0, 0.0), (-600.0, 0.0)];
        Silu: silu 3, siluf 3, [(-1.0, 1.0), (-40.0, 40.0), (-80.0, 0.0), (-600.0, 0.0)];
        Softplus: softplus 3, softplusf 3, [(-1.0, 1.0), (-40.0, 40.0), (-80.0, 0.0), (-600.0, 0.0)];
        Gelu: gelu 4, geluf 4, [(-1.0, 1.0), (-5.0, 5.0), (-12.0, 0.0), (-35.0, 0.0)];
        Logit: logit 3, logitf 3, [(1e-30, 1.0), (0.45, 0.55), (0.499, 0.501), (1e-9, 1e-3), (0.99, 0.999999)];
        Sinc: sinc 3, sincf 3, [(-0.5, 0.5), (-4.0, 4.0), (-1000.0, 1000.0)];
        BesselI0: i0 4, i0f 4, [(-1.0, 1.0), (-9.0, 9.0), (-85.0, 85.0), (0.0, 700.0)];
    }
    macro_rules! odds {
        ($t:ident $name:ident) => {{
            let (a, b) = (inside::<$t>(&[(-9.0, 9.0)]), inside::<$t>(&[(0.01, 100.0)]));
            let (c, d) = (inside::<$t>(&[(0.5, 2.0)]), inside::<$t>(&[(0.99, 1.01)]));
            let (a, b) = ([a, c].concat(), [b, d].concat());
            check2::<XLogY, $t>(stringify!($name), oracle::$name, 3, &a, &b)
        }};
    }
    lines.push(Line { name: "xlogy", f64: (3, odds!(f64 xlogy)), f32: (3, odds!(f32 xlogyf)) });
}

/// Values of each range; those whose f32 has an ordinary result.
fn inside<F: Ruler>(ranges: &[(f64, f64)]) -> Vec<F> {
    let far = if size_of::<F>() == 4 { 80.0 } else { f64::INFINITY };
    let unit = |i| (hash(i) >> 11) as f64 / (1u64 << 53) as f64;
    let at = |&(low, high): &(f64, f64)| (0..15_000).map(move |i| low + (high - low) * unit(i));
    ranges.iter().flat_map(at).filter(|x| x.abs() < far).map(F::of).collect()
}

const HEAD: &str = "\
# Accuracy

Distance from the correctly rounded result (crate `core-math`; from sigmoid on, the definition in 100 bits), in units in the
last place: the bound that a test holds each function to, and the worst that it finds. It tries special values, all bit
patterns alike, ranges where formulas change, and for sine, cosine and tangent multiples of pi/2; every path with fused
multiply-adds gives the same bits. `f16` and `bf16` compute in f32. NaN, infinities and signs of zeros are exact.

Written by `UPDATE_EXPECT=1 cargo test -p freelane-kernels --lib accuracy`. For every f32 there is:
`cargo test --release -p freelane-kernels --lib every_f32 -- --ignored`.

| function | f64 bound | f64 worst | f32 bound | f32 worst |
| --- | --- | --- | --- | --- |
";

#[test]
fn the_table_of_the_documents_is_right() -> std::io::Result<()> {
    let mut lines = Vec::new();
    functions_of_one_number(&mut lines);
    functions_of_two_numbers(&mut lines);
    functions_by_definition(&mut lines);
    let mut text = HEAD.to_string();
    for l in lines {
        text += &format!("| {} | {} | {} | {} | {} |\n", l.name, l.f64.0, l.f64.1, l.f32.0, l.f32.1);
    }
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/accuracy.md");
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        return std::fs::write(path, text);
    }
    if Isa::available().iter().any(|&isa| isa != Isa::Portable) {
        assert_eq!(std::fs::read_to_string(path)?, text, "UPDATE_EXPECT=1 rewrites docs/accuracy.md");
    }
    Ok(())
}

/// The worst of all 2^32 values, on the best path: the others give the same bits.
fn every<K: Map1<f32, Out = f32>>(name: &str, oracle: fn(f32) -> f32, ulp: i64) {
    let (isa, mut worst) = (Isa::best(), 0);
    for part in 0..1u64 << 14 {
        let x: Vec<f32> = (0..1u64 << 18).map(|i| f32::from_bits((part << 18 | i) as u32)).collect();
        let mut o = x.clone();
        // SAFETY: as many results as elements, and they lie apart.
        unsafe { loop1::<K, f32>(isa, x.len(), x.as_ptr().cast(), 4, o.as_mut_ptr().cast(), 4) };
        for (&x, &o) in x.iter().zip(&o) {
            worst = worst.max(compare(&|| format!("{isa} {name}({x:e})"), o, oracle(x), ulp));
        }
    }
    println!("{name}: {worst} ulp over every f32");
}

/// With `FUNCTIONS=erff,erfcf` of these alone.
#[test]
#[ignore = "takes an hour"]
fn every_f32_is_accurate() {
    let chosen = std::env::var("FUNCTIONS").unwrap_or_default();
    let wanted = |name: &str| chosen.is_empty() || chosen.split(',').any(|c| c == name);
    macro_rules! all {
        ($($k:ident $f:ident $ulp:literal;)*) => { $(
            if wanted(stringify!($f)) {
                every::<$k>(stringify!($f), core_math::$f, $ulp);
            }
        )* };
    }
    all! { Exp expf 2; Exp2 exp2f 2; Expm1 expm1f 2; Log logf 2; Log2 log2f 2; Log10 log10f 2; Log1p log1pf 2; }
    all! { Sin sinf 2; Cos cosf 2; Tan tanf 3; Asin asinf 2; Acos acosf 2; Atan atanf 2; }
    all! { Sinh sinhf 2; Cosh coshf 2; Tanh tanhf 3; Asinh asinhf 3; Acosh acoshf 3; Atanh atanhf 3; }
    all! { Erf erff 2; Erfc erfcf 4; Cbrt cbrtf 2; }
}

#[test]
fn sine_and_cosine_are_accurate_near_their_zeros() {
    let x: Vec<f64> = quarter_turns(1.1e9).collect();
    check1::<Sin, f64>("sin", core_math::sin, 2, &x);
    check1::<Cos, f64>("cos", core_math::cos, 2, &x);
    check1::<Tan, f64>("tan", core_math::tan, 3, &x);
    let x: Vec<f32> = quarter_turns(4e4).collect();
    check1::<Sin, f32>("sinf", core_math::sinf, 2, &x);
    check1::<Cos, f32>("cosf", core_math::cosf, 2, &x);
    check1::<Tan, f32>("tanf", core_math::tanf, 3, &x);
}

fn pairs<F: Ruler>() -> (Vec<F>, Vec<F>) {
    let edges: Vec<F> = inputs(0, &[(0.0, 0.0)]);
    let whole = (-20..20).map(|i| F::of(i as f64));
    let edges: Vec<F> = edges.into_iter().chain(whole).collect();
    let grid = edges.iter().flat_map(|&a| edges.iter().map(move |&b| (a, b)));
    let wide = inputs(COUNT, &[(0.0, 2.0), (0.9, 1.1), (-30.0, 30.0)]);
    let exponents: Vec<F> = inputs(COUNT, &[(-100.0, 100.0), (-900.0, 900.0), (-9.0, 9.0)]);
    let rest = wide.into_iter().zip(exponents);
    grid.chain(rest).unzip()
}
