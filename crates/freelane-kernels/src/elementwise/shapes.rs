//! Tests: whatever the instruction set, the strides, the alignment and the position, a function gives the same bits.
use super::*;
use freelane_simd::Isa;
use half::{bf16, f16};
use num_complex::Complex;
use std::mem::size_of;

/// An element type with a stream of test values.
pub(super) trait Sample: Copy + 'static {
    /// The i-th value: special ones between arbitrary ones.
    fn sample(i: usize) -> Self;
    /// All of its bits, NaNs being one.
    fn key(self) -> u128;
}

fn hash(i: usize) -> u64 {
    let h = (i as u64).wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let h = (h ^ h >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    h ^ h >> 32
}

macro_rules! int_samples {
    ($($t:ty),*) => { $(
        impl Sample for $t {
            fn sample(i: usize) -> $t {
                match i % 11 {
                    0 => 0,
                    3 => <$t>::MIN,
                    5 => <$t>::MAX,
                    7 => (0 as $t).wrapping_sub(1),
                    8 | 9 => (hash(i) % 19) as $t,
                    _ => hash(i) as $t,
                }
            }
            fn key(self) -> u128 {
                self as u64 as u128
            }
        }
    )* };
}
int_samples!(i8, i16, i32, i64, u8, u16, u32, u64);

macro_rules! float_samples {
    ($($t:ident, $from:expr;)*) => { $(
        impl Sample for $t {
            fn sample(i: usize) -> $t {
                let from: fn(f64) -> $t = $from;
                let specials = [
                    $t::NAN, $t::INFINITY, $t::NEG_INFINITY, from(0.0), from(-0.0), $t::MIN_POSITIVE, $t::MAX, $t::MIN,
                    from(1.0), from(-1.0), from(0.5), from(2.0), from(-3.0), from(1e6), from(-7e4), from(1e-30), from(1e300),
                ];
                let unit = (hash(i) >> 11) as f64 / (1u64 << 53) as f64;
                match i % 7 {
                    2 => specials[i / 7 % specials.len()],
                    3 => $t::from_bits(hash(i) as _),
                    4 => from(unit),
                    _ => from((unit - 0.5) * 40.0),
                }
            }
            fn key(self) -> u128 {
                if self.is_nan() { u128::MAX } else { self.to_bits() as u128 }
            }
        }
    )* };
}
float_samples! {
    f32, |x| x as f32;
    f64, |x| x;
    f16, f16::from_f64_const;
    bf16, bf16::from_f64_const;
}

impl Sample for bool {
    fn sample(i: usize) -> bool {
        hash(i) & 1 == 1
    }
    fn key(self) -> u128 {
        self as u128
    }
}

macro_rules! complex_samples {
    ($($t:ty),*) => { $(
        impl Sample for Complex<$t> {
            fn sample(i: usize) -> Self {
                Complex::new(<$t>::sample(i), <$t>::sample(3 * i + 1))
            }
            fn key(self) -> u128 {
                let (re, im) = (self.re.key() as u64, self.im.key() as u64);
                (re as u128) << 64 | im as u128
            }
        }
    )* };
}
complex_samples!(f32, f64);

/// Memory for `n` elements, `stride` elements apart, `odd` bytes past an aligned address.
struct Strip {
    bytes: Vec<u8>,
    first: usize,
    stride: isize,
}

impl Strip {
    fn new<T: Sample>(n: usize, stride: isize, odd: usize, value: impl Fn(usize) -> T) -> Strip {
        let step = stride * size_of::<T>() as isize;
        let span = n * step.unsigned_abs().max(size_of::<T>());
        let bytes = vec![0xAB; span + 2 * size_of::<T>() + 64];
        let base = bytes.as_ptr().align_offset(64) + odd;
        let first = if step < 0 { base + (n.max(1) - 1) * step.unsigned_abs() } else { base };
        let mut strip = Strip { bytes, first, stride: step };
        for i in 0..if stride == 0 { 1 } else { n } {
            // SAFETY: the strip was sized for n elements at this stride, and `at` stays inside.
            unsafe { strip.at(i).cast::<T>().write_unaligned(value(i)) };
        }
        strip
    }

    fn at(&mut self, i: usize) -> *mut u8 {
        let offset = self.first as isize + self.stride * i as isize;
        &raw mut self.bytes[offset as usize]
    }

    fn keys<T: Sample>(&mut self, n: usize) -> Vec<u128> {
        // SAFETY: the strip holds n initialised elements.
        (0..n).map(|i| unsafe { self.at(i).cast::<T>().read_unaligned() }.key()).collect()
    }
}

const SIZES: [usize; 15] = [0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 33, 70, 1000];
/// Strides in elements, and bytes off an aligned address.
const PLACES: [(isize, usize); 6] = [(1, 0), (2, 0), (-1, 0), (1, 1), (3, 7), (-2, 5)];

/// The paths that must agree. The portable one belongs to them unless the function uses fused multiply-adds.
fn paths(tier: Tier) -> impl Iterator<Item = Isa> {
    Isa::available().iter().copied().filter(move |&isa| isa != Isa::Portable || tier != Tier::Heavy)
}

fn expected1<K: Map1<T, Out: Sample>, T: Sample>(isa: Isa, n: usize) -> Vec<u128> {
    let value = |x| if K::TIER == Tier::Heavy { one_by_one::<K, T>(isa, x) } else { K::slow(x) };
    (0..n).map(|i| value(T::sample(i)).key()).collect()
}

fn one_by_one<K: Map1<T>, T: Copy>(isa: Isa, x: T) -> K::Out {
    let mut o = std::mem::MaybeUninit::<K::Out>::uninit();
    // SAFETY: one element and room for one result; the path is one that is available.
    unsafe { loop1::<K, T>(isa, 1, (&raw const x).cast(), 0, o.as_mut_ptr().cast(), 0) };
    // SAFETY: the loop wrote it.
    unsafe { o.assume_init() }
}

fn check1<K: Map1<T, Out: Sample>, T: Sample>(name: &str) {
    let best = Isa::best();
    for n in (0..70).chain([1000]) {
        let expected = expected1::<K, T>(best, n);
        for isa in paths(K::TIER) {
            for (xs, xo) in PLACES {
                for (os, oo) in PLACES {
                    if !SIZES.contains(&n) && (xs, os, xo, oo) != (1, 1, 0, 0) {
                        continue;
                    }
                    let mut x = Strip::new(n, xs, xo, T::sample);
                    let mut o = Strip::new(n, os, oo, |_| K::slow(T::sample(0)));
                    // SAFETY: both strips hold n elements.
                    unsafe { loop1::<K, T>(isa, n, x.at(0), x.stride, o.at(0), o.stride) };
                    assert_eq!(o.keys::<K::Out>(n), expected, "{name} {isa} n={n} {xs}+{xo} -> {os}+{oo}");
                }
                if size_of::<T>() == size_of::<K::Out>() {
                    let mut x = Strip::new(n, xs, xo, T::sample);
                    let (p, s) = (x.at(0), x.stride);
                    // SAFETY: results replace elements of the same size.
                    unsafe { loop1::<K, T>(isa, n, p, s, p, s) };
                    assert_eq!(x.keys::<K::Out>(n), expected, "{name} {isa} n={n} in place {xs}+{xo}");
                }
            }
        }
    }
}

fn one_pair<K: Map2<T>, T: Copy>(isa: Isa, a: T, b: T) -> K::Out {
    let mut o = std::mem::MaybeUninit::<K::Out>::uninit();
    let (a, b) = ((&raw const a).cast(), (&raw const b).cast());
    // SAFETY: one element each and room for one result; the path is one that is available.
    unsafe { loop2::<K, T>(isa, 1, a, 0, b, 0, o.as_mut_ptr().cast(), 0) };
    // SAFETY: the loop wrote it.
    unsafe { o.assume_init() }
}

fn check2<K: Map2<T, Out: Sample>, T: Sample>(name: &str) {
    let other = |i: usize| T::sample(5 * i + 2);
    for n in (0..70).chain([1000]) {
        for (sa, ao) in PLACES.into_iter().chain([(0, 0)]) {
            for (sb, bo) in [(1, 0), (0, 0), (2, 0), (-1, 3)] {
                if !SIZES.contains(&n) && (ao, bo) != (0, 0) {
                    continue;
                }
                let value = |i: usize| {
                    let (i, j) = (if sa == 0 { 0 } else { i }, if sb == 0 { 0 } else { i });
                    one_pair::<K, T>(Isa::best(), T::sample(i), other(j)).key()
                };
                let expected: Vec<_> = (0..n).map(value).collect();
                for isa in paths(K::TIER) {
                    let place = format!("{name} {isa} n={n} {sa}+{ao}, {sb}+{bo}");
                    let mut a = Strip::new(n, sa, ao, T::sample);
                    let mut b = Strip::new(n, sb, bo, other);
                    for os in [1, 2] {
                        let mut o = Strip::new(n, os, bo, |_| K::slow(T::sample(0), T::sample(0)));
                        // SAFETY: the strips hold n elements each.
                        unsafe { loop2::<K, T>(isa, n, a.at(0), a.stride, b.at(0), b.stride, o.at(0), o.stride) };
                        assert_eq!(o.keys::<K::Out>(n), expected, "{place} -> {os}");
                    }
                    if size_of::<T>() == size_of::<K::Out>() && n > 0 {
                        replace2::<K, T>(isa, n, &mut a, &mut b, &expected, &place);
                    }
                }
            }
        }
    }
}

/// Results in place of the right operand, then of the left one, where these are not scalars.
fn replace2<K: Map2<T, Out: Sample>, T: Sample>(
    isa: Isa,
    n: usize,
    a: &mut Strip,
    b: &mut Strip,
    expected: &[u128],
    place: &str,
) {
    let kept = b.bytes.clone();
    if b.stride != 0 {
        let (p, s) = (b.at(0), b.stride);
        // SAFETY: results replace elements of the same size.
        unsafe { loop2::<K, T>(isa, n, a.at(0), a.stride, p, s, p, s) };
        assert_eq!(b.keys::<K::Out>(n), expected, "{place} in place of the right");
        b.bytes.copy_from_slice(&kept);
    }
    if a.stride != 0 {
        let (p, s) = (a.at(0), a.stride);
        // SAFETY: results replace elements of the same size.
        unsafe { loop2::<K, T>(isa, n, p, s, b.at(0), b.stride, p, s) };
        assert_eq!(a.keys::<K::Out>(n), expected, "{place} in place of the left");
    }
}

macro_rules! walk {
    ($check:ident: $($k:ident [$($t:ty),*];)*) => { $( $( $check::<$k, $t>(concat!(stringify!($k), " ", stringify!($t))); )* )* };
}

#[test]
fn functions_of_one_element_give_the_same_bits_everywhere() {
    walk! { check1:
        Sin [f16, bf16, f32, f64]; Cos [f16, bf16, f32, f64];
        Exp [f16, f32, f64]; Exp2 [f64]; Expm1 [f32]; Log2 [f64]; Log1p [f64]; Log [bf16, f32, f64]; Tanh [f32, f64]; Erf [f32, f64];
        Sqrt [f16, f32, f64]; Negative [i8, i64, f32, Complex<f64>]; Absolute [i32, f64, Complex<f32>];
        Sign [f16, f32, i16]; Square [u8, f64]; Reciprocal [f32]; Floor [f16, f32, f64]; Round [f64]; IsNan [bf16, f64];
        SignBit [f32]; BitwiseInvert [bool, u16]; Tan [f16, f64];
        Positive [i16, f32]; Conjugate [Complex<f32>]; Ceil [bf16, f64]; Trunc [f32]; IsInf [f16, f32, Complex<f64>];
        IsFinite [f64]; Asin [f64]; Acos [f32]; Atan [f64]; Sinh [f32]; Cosh [f64]; Asinh [f64]; Acosh [f32]; Atanh [f64];
        Log10 [f32, f64]; Cbrt [f32, f64]; Tanh [bf16]; Log2 [f32]; LogicalNot [f64, bool, i8];
        Logit [f32, f64]; Sinc [f16, f32, f64]; BesselI0 [f32, f64]; Gelu [f32, f64]; Fraction [f16, f64];
        Angle [f32, Complex<f32>, Complex<f64>]; Mantissa [f32, f64]; Exponent [bf16, f32, f64];
        Square [Complex<f32>, Complex<f64>]; IsNan [Complex<f32>]; SignBit [f64];
    }
}

#[test]
fn functions_of_two_elements_give_the_same_bits_everywhere() {
    walk! { check2:
        Add [bool, i8, u16, i32, i64, f16, bf16, f32, f64, Complex<f32>, Complex<f64>];
        Subtract [i8, f64]; Multiply [u8, i64, f32, Complex<f64>]; Divide [f32, f64, Complex<f32>];
        Minimum [f64, i32]; Maximum [f16, f32, u8];
        Equal [f64, i8, Complex<f64>]; Less [f32, i64, bool]; GreaterEqual [f16, u64];
        Pow [i8, u64, f16, f32, f64];
        LogicalAnd [f64, bool]; LogicalXor [i32]; LogicalOr [u8, Complex<f32>];
        NotEqual [f32, bool, Complex<f32>]; LessEqual [u8, f64]; Greater [bf16, i64]; BitwiseAnd [bool, i64];
        BitwiseOr [u8]; BitwiseXor [i16]; Fmod [f32, f64, i8, i64, u64];
        FloorDivide [i8, i64, u64, f32, f64]; Remainder [u16, i32, i64, u64, f16, f64]; XLogY [f32, f64]; LeftShift [i8, u64]; RightShift [i32, u8];
        CopySign [f64]; Hypot [f16, f32, f64]; Atan2 [f32, f64]; LogAddExp [f32, f64];
    }
}

fn check3<K: Map3<T, First: Sample, Out: Sample>, T: Sample>(name: &str) {
    let other = |i: usize| T::sample(5 * i + 2);
    for n in [0, 1, 2, 31, 70, 255, 256, 257, 1000] {
        for (sc, sa, sb) in [(1, 1, 1), (1, 0, 1), (1, 1, 0), (1, 0, 0), (0, 1, 1), (2, -1, 3), (-1, 1, 1)] {
            let at = |s: isize, i: usize| if s == 0 { 0 } else { i };
            let value = |i| K::apply(K::First::sample(at(sc, i)), T::sample(at(sa, i)), other(at(sb, i))).key();
            let expected: Vec<_> = (0..n).map(value).collect();
            for &isa in Isa::available() {
                let mut c = Strip::new(n, sc, 1, K::First::sample);
                let (mut a, mut b) = (Strip::new(n, sa, 0, T::sample), Strip::new(n, sb, 3, other));
                let mut o = Strip::new(n, 1, 0, |_| K::apply(K::First::sample(0), T::sample(0), T::sample(0)));
                let (pc, pa, pb, po) = (c.at(0), a.at(0), b.at(0), o.at(0));
                // SAFETY: the strips hold n elements each.
                unsafe { loop3::<K, T>(isa, n, pc, c.stride, pa, a.stride, pb, b.stride, po, o.stride) };
                assert_eq!(o.keys::<K::Out>(n), expected, "{name} {isa} n={n} {sc} {sa} {sb}");
                if sa != 0 && size_of::<T>() == size_of::<K::Out>() {
                    // SAFETY: results replace elements of the same size.
                    unsafe { loop3::<K, T>(isa, n, pc, c.stride, pa, a.stride, pb, b.stride, pa, a.stride) };
                    assert_eq!(a.keys::<K::Out>(n), expected, "{name} {isa} n={n} {sc} {sa} {sb} in place");
                }
            }
        }
    }
}

#[test]
fn functions_of_three_elements_give_the_same_bits_everywhere() {
    walk! { check3: Where [bool, u8, f16, f32, f64, Complex<f64>]; Clip [i8, u32, bf16, f32, f64]; }
    walk! { check3: Fma [f16, f32, f64]; Lerp [bf16, f32, f64]; ScaleByPower [f16, f32, f64]; Bounded [bf16, f32]; }
}

/// One loop of two functions gives the bits of their bodies, one after the other.
fn check_fused2<F: Map2<T, Out = T>, G: Map2<T, Out: Sample>, T: Sample>() {
    let (second, third) = (|i: usize| T::sample(5 * i + 2), |i: usize| T::sample(3 * i + 1));
    for n in [0, 1, 2, 15, 16, 17, 31, 32, 33, 70, 255, 256, 257, 270, 1000] {
        for (sa, sb, sc) in [(1, 1, 1), (0, 1, 1), (1, 0, 1), (1, 1, 0), (1, 0, 0), (0, 0, 0), (2, -1, 1), (1, 0, 3)] {
            let at = |s: isize, i: usize| if s == 0 { 0 } else { i };
            let value = |i| G::apply(F::apply(T::sample(at(sa, i)), second(at(sb, i))), third(at(sc, i))).key();
            let expected: Vec<_> = (0..n).map(value).collect();
            for &isa in Isa::available() {
                for os in [1, 2] {
                    let (mut a, mut b) = (Strip::new(n, sa, 1, T::sample), Strip::new(n, sb, 0, second));
                    let (mut c, mut o) = (Strip::new(n, sc, 3, third), Strip::new(n, os, 0, T::sample));
                    let (pa, pb, pc, po) = (a.at(0), b.at(0), c.at(0), o.at(0));
                    // SAFETY: the strips hold n elements each.
                    unsafe { fused2::<F, G, T>(isa, n, pa, a.stride, pb, b.stride, pc, c.stride, po, o.stride) };
                    assert_eq!(o.keys::<G::Out>(n), expected, "{isa} n={n} {sa} {sb} {sc} -> {os}");
                }
            }
        }
    }
}

#[test]
fn two_functions_in_one_loop_give_the_bits_of_two_loops() {
    check_fused2::<Multiply, Add, f64>();
    check_fused2::<Multiply, Swapped<Subtract>, f32>();
    check_fused2::<Subtract, Multiply, f32>();
}

/// The loops made of those for f32 give the bits of the loops made for the half type.
fn check_half<K1, K2, H>()
where
    H: Half + Sample,
    K1: Map1<f32, Out: Widen<H, Out: Sample>> + Map1<H, Out = <<K1 as Map1<f32>>::Out as Widen<H>>::Out>,
    K2: Map2<f32, Out: Widen<H, Out: Sample>> + Map2<H, Out = <<K2 as Map2<f32>>::Out as Widen<H>>::Out>,
{
    let other = |i: usize| H::sample(5 * i + 2);
    for n in [0, 1, 5, 255, 256, 257, 600] {
        for (sa, sb, so) in [(1, 1, 1), (1, 0, 1), (0, 1, 2), (-1, 3, 1), (2, 1, -2)] {
            for isa in paths(<K1 as Map1<H>>::TIER) {
                let (mut a, mut b) = (Strip::new(n, sa, 1, H::sample), Strip::new(n, sb, 0, other));
                let (pa, pb, sa, sb) = (a.at(0), b.at(0), a.stride, b.stride);
                let blank = |i| <K1 as Map1<H>>::slow(H::sample(i));
                let (mut o, mut p) = (Strip::new(n, so, 0, blank), Strip::new(n, so, 0, blank));
                // SAFETY: the strips hold n elements each.
                unsafe { loop1::<K1, H>(isa, n, pa, sa, o.at(0), o.stride) };
                // SAFETY: as above.
                unsafe { half_loop1::<K1, H>(isa, n, pa, sa, p.at(0), p.stride) };
                assert_eq!(o.keys::<<K1 as Map1<H>>::Out>(n), p.keys::<<K1 as Map1<H>>::Out>(n), "{isa} n={n}");
                let blank = |i| <K2 as Map2<H>>::slow(H::sample(i), H::sample(i));
                let (mut o, mut p) = (Strip::new(n, so, 0, blank), Strip::new(n, so, 0, blank));
                // SAFETY: the strips hold n elements each.
                unsafe { loop2::<K2, H>(isa, n, pa, sa, pb, sb, o.at(0), o.stride) };
                // SAFETY: as above.
                unsafe { half_loop2::<K2, H>(isa, n, pa, sa, pb, sb, p.at(0), p.stride) };
                assert_eq!(o.keys::<<K2 as Map2<H>>::Out>(n), p.keys::<<K2 as Map2<H>>::Out>(n), "{isa} n={n}");
            }
        }
    }
}

#[test]
fn half_types_through_f32_give_the_same_bits() {
    check_half::<Sin, Pow, f16>();
    check_half::<IsNan, Less, bf16>();
    check_half::<Sqrt, Divide, bf16>();
    check_half::<Floor, Maximum, f16>();
}
