//! The promises of the module, over folds, shapes and instruction sets.
use super::order::{CHAINS, PIECE};
use super::*;
use freelane_simd::Isa;
use half::{bf16, f16};
use num_complex::Complex;
use std::fmt::Debug;

/// Bits, with all NaNs alike: which one an operation makes is the processor's choice.
pub(super) trait Bits: Copy + Debug + 'static {
    fn bits(self) -> [u64; 2];
}
macro_rules! bits {
    ($($t:ty: |$x:ident| $e:expr;)*) => {$(impl Bits for $t { fn bits(self) -> [u64; 2] { let $x = self; $e } })*};
}
bits! {
    bool: |x| [x as u64, 0];
    i8: |x| [x as u64, 0];
    u16: |x| [x as u64, 0];
    i32: |x| [x as u64, 0];
    i64: |x| [x as u64, 0];
    u64: |x| [x, 0];
    f16: |x| [if x.is_nan() { 1 << 40 } else { x.to_bits() as u64 }, 0];
    bf16: |x| [if x.is_nan() { 1 << 40 } else { x.to_bits() as u64 }, 0];
    f32: |x| [if x.is_nan() { 1 << 40 } else { x.to_bits() as u64 }, 0];
    f64: |x| [if x.is_nan() { 1 } else { x.to_bits() }, 0];
    Complex<f32>: |x| [x.re.bits()[0], x.im.bits()[0]];
    Complex<f64>: |x| [x.re.bits()[0], x.im.bits()[0]];
}

/// An element made from a number that looks random.
pub(super) trait Sample: Copy + Debug + 'static {
    fn sample(r: u64) -> Self;
}
macro_rules! samples {
    ($($t:ty: |$r:ident| $e:expr;)*) => {$(impl Sample for $t { fn sample($r: u64) -> Self { $e } })*};
}
samples! {
    bool: |r| r.is_multiple_of(7);
    i8: |r| r as i8;
    u16: |r| r as u16;
    i32: |r| r as i32;
    i64: |r| r as i64;
    u64: |r| r;
    f16: |r| f16::from_f64(f64::sample(r) / 64.0);
    bf16: |r| bf16::from_f64(f64::sample(r));
    f32: |r| f64::sample(r) as f32;
    f64: |r| match r % 61 {
        0 => 0.0,
        1 => -0.0,
        _ => (r >> 12) as f64 / (1u64 << 51) as f64 - 1.0 + (r % 13) as f64,
    };
    Complex<f32>: |r| Complex::new(f32::sample(r), f32::sample(r.wrapping_mul(5).rotate_left(17)));
    Complex<f64>: |r| Complex::new(f64::sample(r), f64::sample(r.wrapping_mul(5).rotate_left(17)));
}

pub(super) fn random(n: usize, seed: u64) -> impl Iterator<Item = u64> {
    let mut s = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    (0..n).map(move |_| {
        s ^= s << 13;
        s ^= s >> 7;
        s ^= s << 17;
        s.wrapping_mul(0x2545_f491_4f6c_dd1d)
    })
}

/// The reduction as the definition of the order says it.
pub(super) fn defined<T: Copy + 'static, F: Fold<T>>(param: F::Param, x: &[T], ddof: f64) -> F::Out {
    fn block<T: Copy + 'static, A: Accumulate<T>>(param: A::Param, x: &[T], index: usize) -> A::Acc {
        let mut chains = [A::identity(); CHAINS];
        for (i, &v) in x.iter().enumerate() {
            chains[i % CHAINS] = A::combine(chains[i % CHAINS], A::lift(param, v, index + i));
        }
        for half in [8, 4, 2, 1] {
            for c in 0..half {
                chains[c] = A::combine(chains[c], chains[c + half]);
            }
        }
        chains[0]
    }
    fn tree<A: Copy>(blocks: &[A], combine: &impl Fn(A, A) -> A) -> A {
        match blocks {
            [one] => *one,
            _ => {
                let (left, right) = blocks.split_at(blocks.len().next_power_of_two() / 2);
                combine(tree(left, combine), tree(right, combine))
            }
        }
    }
    let blocks: Vec<_> = x.chunks(PIECE).enumerate().map(|(b, x)| block::<T, F::By>(param, x, b * PIECE)).collect();
    let acc = if blocks.is_empty() { F::By::identity() } else { tree(&blocks, &F::By::combine) };
    F::finish(acc, Whole { count: x.len(), ddof })
}

/// An input with some axes to go: `(length, stride in elements, goes)`, outermost first.
type Shape = &'static [(usize, isize, bool)];

pub(super) const SHAPES: &[Shape] = &[
    &[],
    &[(0, 1, true)],
    &[(1, 1, true)],
    &[(7, 1, true)],
    &[(16, 1, true)],
    &[(100, 1, true)],
    &[(100, -1, true)],
    &[(1023, 2, true)],
    &[(1024, 1, true)],
    &[(1025, 1, true)],
    &[(5000, 1, true)],
    &[(5000, -3, true)],
    &[(40_000, 1, true)],
    &[(3000, 0, true)],
    &[(0, 5, true), (5, 1, false)],
    &[(5, 0, false), (0, 1, true)],
    &[(3, 5, true), (5, 1, false)],
    &[(5, 3, false), (3, 1, true)],
    &[(70, 3, false), (3, 1, true)],
    &[(33, 64, false), (64, 1, true)],
    &[(64, 33, true), (33, 1, false)],
    &[(15, 300, true), (300, 1, false)],
    &[(17, 300, true), (300, 1, false)],
    &[(2, 900, true), (900, 1, false)],
    &[(3, 1, true), (1, 1, false)],
    &[(257, 130, true), (130, 1, false)],
    &[(30_000, 2, true)],
    &[(2500, 37, true), (37, 1, false)],
    &[(2500, 37, true), (37, -1, false)],
    &[(200, 80, true), (40, 2, false)],
    &[(3, 1500, false), (1500, 1, true)],
    &[(3, 1, false), (1500, 3, true)],
    &[(11, 130, true), (13, 10, false), (10, 1, true)],
    &[(11, 130, false), (13, 10, true), (10, 1, false)],
    &[(11, 130, true), (13, 10, true), (10, 1, false)],
    &[(40, 1, true), (50, 40, true)],
    &[(4, 1, true), (3, 4, false), (700, 12, true)],
    &[(9, 0, true), (3, 1, false), (300, 3, true)],
    &[(60, 1, true), (30, 60, true), (20, 1800, false)],
];

/// Offsets of the elements of each output, in the order of the reduction, and all outputs in logical order.
fn offsets(shape: Shape, goes: bool) -> Vec<isize> {
    let mut all = vec![0];
    for &(len, stride, _) in shape.iter().filter(|a| a.2 == goes) {
        all = all.iter().flat_map(|o| (0..len as isize).map(move |i| o + i * stride)).collect();
    }
    all
}

/// Runs a fold over every shape on every instruction set, whole and in groups, and compares with the definition.
pub(super) fn check<T, F>(values: &dyn Fn(u64) -> T, params: &dyn Fn(usize) -> F::Param)
where
    T: Copy + Debug + 'static,
    F: Fold<T>,
    F::Out: Bits,
{
    for (s, shape) in SHAPES.iter().enumerate() {
        let (kept, gone) = (offsets(shape, false), offsets(shape, true));
        let all: Vec<isize> = kept.iter().flat_map(|k| gone.iter().map(move |g| k + g)).collect();
        let low = all.iter().copied().min().unwrap_or(0);
        let high = all.iter().copied().max().unwrap_or(0);
        let memory: Vec<T> = random((high - low + 1) as usize, s as u64 + 1).map(values).collect();
        let params: Vec<F::Param> = (0..kept.len()).map(params).collect();
        let want: Vec<_> = kept
            .iter()
            .zip(&params)
            .map(|(k, &p)| {
                let x: Vec<T> = gone.iter().map(|g| memory[(k + g - low) as usize]).collect();
                defined::<T, F>(p, &x, 1.0).bits()
            })
            .collect();
        for offset in [0, 1, 3] {
            // A copy that is not even aligned to its elements.
            let mut bytes = vec![0u8; size_of_val(&memory[..]) + offset];
            let from = memory.as_ptr().cast::<u8>();
            // SAFETY: both hold the bytes of `memory`.
            unsafe { bytes.as_mut_ptr().add(offset).copy_from(from, size_of_val(&memory[..])) };
            // SAFETY: `low` is the lowest offset of an element.
            let x = bytes.as_ptr().wrapping_add(offset).wrapping_offset(-low * size_of::<T>() as isize);
            for &isa in Isa::available() {
                for got in every_way::<T, F>(isa, shape, x, &params) {
                    let got: Vec<_> = got.into_iter().map(Bits::bits).collect();
                    assert_eq!(got, want, "{} {isa:?} {shape:?}", std::any::type_name::<F>());
                }
            }
        }
    }
}

/// The outputs, whole and by groups.
fn every_way<T: Copy + 'static, F: Fold<T>>(
    isa: Isa,
    shape: Shape,
    x: *const u8,
    params: &[F::Param],
) -> Vec<Vec<F::Out>> {
    let loops = fold_loops::<T, F>();
    let (mut kept, mut reduced) = axes::<T, F>(shape);
    let plan = Reduction::new(&mut kept, &mut reduced);
    let operands = Operands { x, param: params.as_ptr().cast(), ddof: 1.0 };
    let n = plan.outputs();
    assert_eq!(n, params.len());
    let mut results = Vec::new();
    for cuts in [1, 2, 3] {
        let mut out: Vec<F::Out> = Vec::with_capacity(n);
        for c in 0..cuts {
            let range = n * c / cuts..n * (c + 1) / cuts;
            // SAFETY: `check` made memory for every element, and `out` has room.
            unsafe { loops.run(isa, &plan, operands, range, out.as_mut_ptr().cast()) };
        }
        // SAFETY: the ranges cover all outputs.
        unsafe { out.set_len(n) };
        results.push(out);
    }
    for parts in [1, 2, 3, 5, 16] {
        let groups = plan.groups(parts);
        let mut accs = vec![F::By::identity(); groups.len() * n];
        for g in (0..groups.len()).rev() {
            let to = accs[g * n..].as_mut_ptr().cast();
            // SAFETY: as above.
            unsafe { loops.partial(isa, &plan, operands, 0..n, groups.blocks(g), to) };
        }
        let mut out: Vec<F::Out> = Vec::with_capacity(n);
        // SAFETY: as above.
        unsafe { loops.merge(&plan, operands, 0..n, groups.len(), accs.as_ptr().cast(), out.as_mut_ptr().cast()) };
        // SAFETY: all outputs were merged.
        unsafe { out.set_len(n) };
        results.push(out);
    }
    results
}

fn axes<T: Copy + 'static, F: Fold<T>>(shape: Shape) -> (Vec<Kept>, Vec<Axis>) {
    let bytes = |n: usize, stride: isize| n as isize * stride;
    let mut kept = Vec::new();
    let mut inner = 1;
    for &(len, stride, _) in shape.iter().rev().filter(|a| !a.2) {
        let x = bytes(size_of::<T>(), stride);
        kept.insert(
            0,
            Kept { len, x, param: bytes(size_of::<F::Param>(), inner), out: bytes(size_of::<F::Out>(), inner) },
        );
        inner *= len as isize;
    }
    let gone = shape.iter().filter(|a| a.2);
    (kept, gone.map(|&(len, stride, _)| Axis { len, stride: bytes(size_of::<T>(), stride) }).collect())
}

/// As `check`, for folds without parameters over the types given.
macro_rules! check_all {
    ($($fold:ident: $($t:ty),*;)*) => {$($(check::<$t, $fold>(&<$t>::sample, &|_| ());)*)*};
}

#[test]
fn sums_keep_the_order() {
    check_all! { Sum: bool, i8, u16, i32, i64, u64, f16, bf16, f32, f64, Complex<f32>, Complex<f64>; }
}

#[test]
fn extremes_keep_the_order() {
    check_all! {
        Min: bool, i8, u16, i32, i64, u64, f16, bf16, f32, f64;
        Max: bool, i8, u16, i32, i64, u64, f16, bf16, f32, f64;
    }
}

#[test]
fn products_keep_the_order() {
    check_all! { Prod: bool, i8, u16, i32, u64, f16, bf16, f32, f64, Complex<f32>, Complex<f64>; }
}

#[test]
fn positions_and_truths_keep_the_order() {
    check_all! {
        ArgMin: bool, i8, u16, i32, i64, f16, bf16, f32, f64;
        ArgMax: bool, i8, u16, i32, i64, f16, bf16, f32, f64;
        Any: bool, f16, f64, Complex<f32>;
        All: bool, u64, f32;
        CountNonzero: bool, i8, bf16, f64, Complex<f64>;
    }
}

#[test]
fn moments_keep_the_order() {
    check_all! {
        Mean: bool, i8, i64, u64, f16, bf16, f32, f64, Complex<f32>, Complex<f64>;
        Center: f16, f32;
        WideSum: i64, u64, i8;
        WideProd: i32, bool, f32;
    }
    check::<i32, Variance>(&i32::sample, &|o| o as f64 * 1e3);
    check::<f16, Variance>(&f16::sample, &|o| o as f64 / 7.0);
    check::<f32, Variance>(&f32::sample, &|o| o as f64 / 7.0);
    check::<f64, Std>(&f64::sample, &|o| o as f64 / 7.0);
    check::<Complex<f32>, Std>(&Complex::sample, &|o| Complex::new(o as f64, 1.0));
}
