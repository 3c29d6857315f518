//! The complementary error function, and the functions that layers of networks end in.
//!
//! Where a result is the product of an exponential with something, the exponent goes in last: so it is rounded once, where
//! it is no normal number too.
use super::coef;
use super::exp::exp_parts;
use super::log::LogAddExp;
use super::real::{Real, at_least, at_most, poly, select};
use crate::elementwise::{Map1, Map2, Tier};
use std::f64::consts::{FRAC_1_SQRT_2, FRAC_2_SQRT_PI};

/// What `FRAC_1_SQRT_2` lacks.
const FRAC_1_SQRT_2_LOW: f64 = -4.833646656726457e-17;

functions! {
    /// One less the error function, precise where that is small; at most 4 ulp off.
    Erfc,
    /// `1 / (1 + e^-x)`; at most 3 ulp off.
    Sigmoid,
    /// `x / (1 + e^-x)`; at most 3 ulp off.
    Silu,
    /// `x` times the probability that a normal variable is below it; at most 4 ulp off.
    Gelu,
    /// `log(1 + e^x)`; at most 3 ulp off.
    Softplus,
    /// The element where it is positive, else zero.
    Relu,
}

/// `erf z`, for `z` up to 1/2 and more.
#[inline(always)]
fn near_erf<R: Real>(z: R) -> R {
    poly(z * z, R::ERF).fma(z, z)
}

/// `p scale e^(z^2) erfc z` for `z >= 1/2`: a polynomial in `(z - k) / (z + k)`, times `1 / (z + k)`, in few roundings.
trait Tail: Real {
    fn tail(p: Self, scale: Self, z: Self) -> Self;
}

/// The inverse and each product in two words.
impl Tail for f64 {
    #[inline(always)]
    fn tail(p: f64, scale: f64, z: f64) -> f64 {
        let k = coef::ERFCX_MIDDLE;
        let sum = z + k;
        let sum_low = (k - sum) + z;
        let inverse = 1.0 / sum;
        let low = inverse * (-inverse).mul_add(sum_low, (-inverse).mul_add(sum, 1.0));
        let g = poly(low.mul_add(-2.0 * k, inverse.mul_add(-2.0 * k, 1.0)), f64::of(&coef::ERFCX));
        let (w, s) = (p * scale, inverse * g);
        let (w_low, s_low) = (p.mul_add(scale, -w), low.mul_add(g, inverse.mul_add(g, -s)));
        w.mul_add(s, w.mul_add(s_low, w_low * s))
    }
}

/// All but the polynomial in f64, so that the product is rounded once.
impl Tail for f32 {
    #[inline(always)]
    fn tail(p: f32, scale: f32, z: f32) -> f32 {
        let inverse = 1.0 / (f64::from(z) + coef::ERFCX_MIDDLE);
        let g = poly((-2.0 * coef::ERFCX_MIDDLE).mul_add(inverse, 1.0) as f32, f32::of(&coef::ERFCX));
        (f64::from(p) * f64::from(scale) * inverse * f64::from(g)) as f32
    }
}

#[inline(always)]
fn erfc<R: Tail>(x: R) -> R {
    let z = at_most(x.abs(), R::NORMAL_END);
    let square = z * z;
    let (p, kb) = exp_parts(-square, (-z).fma(z, square));
    let far = R::tail(p, R::lit(1.0), z).scale(kb);
    let y = select(z < R::lit(0.5), R::lit(1.0) - near_erf(z), far);
    select(x < R::lit(0.0), R::lit(2.0) - y, y)
}

/// `x / 2` times `erfc` of `-x / sqrt(2)`; what is missing to `x` for positive ones.
#[inline(always)]
fn gelu<R: Tail>(x: R) -> R {
    let a = at_most(x.abs(), R::NORMAL_END);
    let (half, z) = (R::lit(0.5) * a, a * R::lit(FRAC_1_SQRT_2));
    let square = half * a;
    let (p, kb) = exp_parts(-square, (-half).fma(a, square));
    let far = R::tail(p, half, z).scale(kb);
    let missing = select(z < R::lit(0.5), (-half).fma(near_erf(z), half), far);
    select(x < R::lit(0.0), -missing, x - missing)
}

/// `e^-|x|` before its exponent is put in, that exponent, and one plus it.
#[inline(always)]
fn logistic<R: Real>(x: R) -> (R, R, R) {
    let (p, kb) = exp_parts(-x.abs(), R::lit(0.0));
    (p, kb, R::lit(1.0) + p.scale(kb))
}

#[inline(always)]
fn sigmoid<R: Real>(x: R) -> R {
    let (p, kb, sum) = logistic(x);
    select(x < R::lit(0.0), (p / sum).scale(kb), R::lit(1.0) / sum)
}

/// Minus infinity gives minus zero, the limit.
#[inline(always)]
fn silu<R: Real>(x: R) -> R {
    let (p, kb, sum) = logistic(x);
    let below = (at_least(x, R::EXP_RANGE[0]) * p / sum).scale(kb);
    select(x < R::lit(0.0), below, x / sum)
}

#[inline(always)]
fn softplus32(x: f32) -> f32 {
    LogAddExp::apply(x, 0.0)
}

#[inline(always)]
fn softplus64(x: f64) -> f64 {
    LogAddExp::apply(x, 0.0)
}

/// The scalar functions, for either width through f64.
macro_rules! scalars {
    ($($narrow:ident $wide:ident |$x:ident| $body:expr;)*) => { $(
        fn $wide($x: f64) -> f64 {
            $body
        }
        fn $narrow(x: f32) -> f32 {
            $wide(x as f64) as f32
        }
    )* };
}
scalars! {
    slow_sigmoid32 slow_sigmoid64 |x| if x < 0.0 { libm::exp(x) / (1.0 + libm::exp(x)) } else { 1.0 / (1.0 + libm::exp(-x)) };
    slow_silu32 slow_silu64 |x| {
        if x == f64::NEG_INFINITY {
            return -0.0;
        }
        if x < 0.0 { x * libm::exp(x) / (1.0 + libm::exp(x)) } else { x / (1.0 + libm::exp(-x)) }
    };
    slow_gelu32 slow_gelu64 |x| {
        if x.is_infinite() {
            return if x < 0.0 { -0.0 } else { x };
        }
        // What the argument was rounded by, times the derivative.
        let z = -x * FRAC_1_SQRT_2;
        let low = libm::fma(-x, FRAC_1_SQRT_2, -z) - x * FRAC_1_SQRT_2_LOW;
        0.5 * x * (libm::erfc(z) - low * FRAC_2_SQRT_PI * libm::exp(-z * z))
    };
    slow_softplus32 slow_softplus64 |x| <LogAddExp as Map2<f64>>::slow(x, 0.0);
}

heavy1! {
    Erfc, erfc, f32, libm::erfcf;
    Erfc, erfc, f64, libm::erfc;
    Sigmoid, sigmoid, f32, slow_sigmoid32;
    Sigmoid, sigmoid, f64, slow_sigmoid64;
    Silu, silu, f32, slow_silu32;
    Silu, silu, f64, slow_silu64;
    Gelu, gelu, f32, slow_gelu32;
    Gelu, gelu, f64, slow_gelu64;
    Softplus, softplus32, f32, slow_softplus32;
    Softplus, softplus64, f64, slow_softplus64;
}
halves1!(Erfc, Sigmoid, Silu, Gelu, Softplus);
map1!(Relu: floats, |x| if x < 0.0 { 0.0 } else { x });
map1!(Relu: signed, |x| if x < 0 { 0 } else { x });
map1!(Relu: unsigned, |x| x);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::elementwise::loop1;
    use freelane_simd::Isa;

    /// Values of 50-digit arithmetic (mpmath), rounded.
    #[rustfmt::skip]
    const SIGMOID: [(f64, f64); 28] = [
        (1e-320, 0.5), (-1e-300, 0.5), (1e-08, 0.5000000025),
        (-3e-05, 0.49999250000000056), (0.1, 0.52497918747894), (-0.25, 0.4378234991142019),
        (0.5, 0.6224593312018546), (-0.75, 0.320821300824607), (1.0, 0.7310585786300049),
        (-1.5, 0.18242552380635635), (2.25, 0.9046505351008906), (-3.0, 0.04742587317756678),
        (4.5, 0.9890130573694068), (-6.0, 0.0024726231566347743), (8.0, 0.9996646498695335),
        (-10.0, 4.5397868702434395e-05), (12.5, 0.9999962733607158), (-17.0, 4.1399375473943306e-08),
        (20.0, 0.9999999979388464), (-25.0, 1.3887943864771146e-11), (30.0, 0.9999999999999064),
        (-36.5, 1.4068617124461467e-16), (40.0, 1.0), (-87.0, 1.6458114310822737e-38),
        (100.0, 1.0), (-300.0, 5.148200222412013e-131), (-700.0, 9.85967654375977e-305),
        (-740.0, 4.2e-322),
    ];
    #[rustfmt::skip]
    const SILU: [(f64, f64); 28] = [
        (1e-320, 5e-321), (-1e-300, -5e-301), (1e-08, 5.000000025e-09),
        (-3e-05, -1.4999775000000017e-05), (0.1, 0.052497918747894), (-0.25, -0.10945587477855047),
        (0.5, 0.3112296656009273), (-0.75, -0.24061597561845527), (1.0, 0.7310585786300049),
        (-1.5, -0.2736382857095345), (2.25, 2.035463703977004), (-3.0, -0.14227761953270035),
        (4.5, 4.45055875816233), (-6.0, -0.014835738939808645), (8.0, 7.997317198956268),
        (-10.0, -0.00045397868702434395), (12.5, 12.499953417008948), (-17.0, -7.037893830570362e-07),
        (20.0, 19.99999995877693), (-25.0, -3.4719859661927863e-10), (30.0, 29.999999999997193),
        (-36.5, -5.135045250428435e-15), (40.0, 40.0), (-87.0, -1.431855945041578e-36),
        (100.0, 100.0), (-300.0, -1.5444600667236042e-128), (-700.0, -6.90177358063184e-302),
        (-740.0, -3.09967e-319),
    ];
    #[rustfmt::skip]
    const GELU: [(f64, f64); 28] = [
        (1e-320, 5e-321), (-1e-300, -5e-301), (1e-08, 5.000000039894228e-09),
        (-3e-05, -1.4999640951947692e-05), (0.1, 0.053982783727702904), (-0.25, -0.10032341857926907),
        (0.5, 0.34573123063700656), (-0.75, -0.16997051428265114), (1.0, 0.8413447460685429),
        (-1.5, -0.1002108019032871), (2.25, 2.2224949365261493), (-3.0, -0.0040496940948902835),
        (4.5, 4.4999847104709385), (-6.0, -5.9195258702261885e-09), (8.0, 7.999999999999995),
        (-10.0, -7.619853024160526e-23), (12.5, 12.5), (-17.0, -6.98019354356814e-64),
        (20.0, 20.0), (-25.0, -7.641741765956403e-137), (30.0, 30.0),
        (-36.5, -2.0238248852723182e-290), (40.0, 40.0), (-87.0, -0.0),
        (100.0, 100.0), (-300.0, -0.0), (-700.0, -0.0),
        (-740.0, -0.0),
    ];
    #[rustfmt::skip]
    const SOFTPLUS: [(f64, f64); 28] = [
        (1e-320, core::f64::consts::LN_2), (-1e-300, core::f64::consts::LN_2), (1e-08, 0.6931471855599454),
        (-3e-05, 0.6931321806724453), (0.1, 0.7443966600735709), (-0.25, 0.5759394198788436),
        (0.5, 0.9740769841801067), (-0.75, 0.38687100611489994), (1.0, 1.3132616875182228),
        (-1.5, 0.2014132779827524), (2.25, 2.350206558916747), (-3.0, 0.04858735157374206),
        (4.5, 4.511047744848594), (-6.0, 0.0024756851377304495), (8.0, 8.000335406372896),
        (-10.0, 4.539889921686465e-05), (12.5, 12.500003726646229), (-17.0, 4.139937633089748e-08),
        (20.0, 20.000000002061153), (-25.0, 1.3887943864867583e-11), (30.0, 30.000000000000092),
        (-36.5, 1.4068617124461467e-16), (40.0, 40.0), (-87.0, 1.6458114310822737e-38),
        (100.0, 100.0), (-300.0, 5.148200222412013e-131), (-700.0, 9.85967654375977e-305),
        (-740.0, 4.2e-322),
    ];

    fn check<K: Map1<f64, Out = f64> + Map1<f32, Out = f32>>(name: &str, table: &[(f64, f64)], ulp: f64) {
        let x: Vec<f64> = table.iter().map(|t| t.0).collect();
        let narrow: Vec<f32> = x.iter().map(|&x| x as f32).collect();
        // The scalar functions of the portable path lose digits far out.
        for &isa in Isa::available().iter().filter(|&&isa| isa != Isa::Portable) {
            let (mut o, mut p) = (x.clone(), narrow.clone());
            // SAFETY: as many results as elements, and they lie apart.
            unsafe { loop1::<K, f64>(isa, x.len(), x.as_ptr().cast(), 8, o.as_mut_ptr().cast(), 8) };
            // SAFETY: as above.
            unsafe { loop1::<K, f32>(isa, x.len(), narrow.as_ptr().cast(), 4, p.as_mut_ptr().cast(), 4) };
            for (i, &(x, want)) in table.iter().enumerate() {
                let room = ulp * (want.abs() * f64::EPSILON).max(5e-324);
                assert!((o[i] - want).abs() <= room, "{isa} {name}({x}) = {:e}, not {want:e}", o[i]);
                // Arguments that f32 holds exactly.
                if narrow[i] as f64 == x {
                    let room = ulp * (want.abs() * f32::EPSILON as f64).max(1e-45);
                    assert!((p[i] as f64 - want).abs() <= room, "{isa} {name}({x}f32) = {:e}, not {want:e}", p[i]);
                }
            }
        }
    }

    #[test]
    fn activations_are_accurate() {
        check::<Sigmoid>("sigmoid", &SIGMOID, 3.0);
        check::<Silu>("silu", &SILU, 3.0);
        check::<Gelu>("gelu", &GELU, 4.0);
        check::<Softplus>("softplus", &SOFTPLUS, 3.0);
    }

    #[test]
    fn limits_and_nan() {
        let (inf, nan) = (f64::INFINITY, f64::NAN);
        let all: [fn(f64) -> f64; 6] =
            [Sigmoid::apply, Silu::apply, Gelu::apply, Softplus::apply, Relu::apply, Erfc::apply];
        let limits: [(f64, f64); 6] = [(0.0, 1.0), (-0.0, inf), (-0.0, inf), (0.0, inf), (0.0, inf), (2.0, 0.0)];
        for (f, (low, high)) in all.iter().zip(limits) {
            assert_eq!(f(-inf).to_bits(), low.to_bits());
            assert_eq!(f(inf), high);
            assert!(f(nan).is_nan());
        }
        assert_eq!([-3i8, 0, 5].map(Relu::apply), [0, 0, 5]);
    }
}
