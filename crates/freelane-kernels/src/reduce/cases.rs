//! Known answers: precision, NaNs, infinities, zeros, overflow, nothing at all.
use super::tests::{Bits, Sample, random};
use super::*;
use freelane_simd::Isa;
use half::f16;
use num_complex::Complex;

/// Reduces `n` elements, `stride` elements apart, from `first` on; the same on every instruction set and in groups.
fn line<T: Copy + 'static, F: Fold<T, Param = ()>>(first: *const T, n: usize, stride: isize) -> F::Out
where
    F::Out: Bits,
{
    let loops = fold_loops::<T, F>();
    let mut reduced = [Axis { len: n, stride: stride * size_of::<T>() as isize }];
    let plan = Reduction::new(&mut [], &mut reduced);
    let operands = Operands::new(first.cast());
    let mut out = std::mem::MaybeUninit::<F::Out>::uninit();
    let mut results = Vec::new();
    for &isa in Isa::available() {
        // SAFETY: callers pass elements of a slice.
        unsafe { loops.run(isa, &plan, operands, 0..1, out.as_mut_ptr().cast()) };
        // SAFETY: `run` wrote it.
        results.push(unsafe { out.assume_init() });
    }
    for parts in [2, 3, 5, 16] {
        let groups = plan.groups(parts);
        let mut accs = vec![F::By::identity(); groups.len()];
        for g in 0..groups.len() {
            // SAFETY: as above; an accumulator a group.
            unsafe {
                loops.partial(Isa::current(), &plan, operands, 0..1, groups.blocks(g), accs[g..].as_mut_ptr().cast())
            };
        }
        // SAFETY: as above.
        unsafe { loops.merge(&plan, operands, 0..1, groups.len(), accs.as_ptr().cast(), out.as_mut_ptr().cast()) };
        // SAFETY: `merge` wrote it.
        results.push(unsafe { out.assume_init() });
    }
    assert!(results.iter().all(|r| r.bits() == results[0].bits()), "{results:?}");
    results[0]
}

fn slice<T: Copy + 'static, F: Fold<T, Param = ()>>(x: &[T]) -> F::Out
where
    F::Out: Bits,
{
    line::<T, F>(x.as_ptr(), x.len(), 1)
}

/// Reduces one axis of a C-ordered array.
fn along<T: Copy + 'static, F: Fold<T, Param = ()>>(
    x: &[T],
    (rows, columns): (usize, usize),
    axis: usize,
) -> Vec<F::Out> {
    assert_eq!(x.len(), rows * columns);
    let (item, out) = (size_of::<T>() as isize, size_of::<F::Out>() as isize);
    let by_axis = [(rows, columns as isize * item), (columns, item)];
    let (gone, stays) = (by_axis[axis], by_axis[1 - axis]);
    let mut kept = [Kept { len: stays.0, x: stays.1, param: 0, out }];
    let mut reduced = [Axis { len: gone.0, stride: gone.1 }];
    let plan = Reduction::new(&mut kept, &mut reduced);
    let mut result = Vec::with_capacity(stays.0);
    let to = result.as_mut_ptr() as *mut u8;
    // SAFETY: the axes cover `x` and the result.
    unsafe { fold_loops::<T, F>().run(Isa::current(), &plan, Operands::new(x.as_ptr().cast()), 0..stays.0, to) };
    // SAFETY: `run` wrote all outputs.
    unsafe { result.set_len(stays.0) };
    result
}

/// A one leaves the other factor as it is, whichever loop multiplies.
#[test]
fn complex_products_of_columns_are_those_of_rows() {
    fn check<T: Copy + 'static>(of: impl Fn(f64, f64) -> T)
    where
        Prod: Fold<T, Param = (), Out: Bits>,
    {
        let parts = [(1.0, 0.0), (1.5, -0.5), (-0.0, 1.0), (0.5, 1.0), (-1.0, -0.0), (f64::INFINITY, 1.0), (0.0, 3.0)];
        for (rows, columns) in [(1, 9), (2, 8), (5, 21), (16, 7), (17, 64), (40, 70), (300, 19)] {
            for kinds in [1, 2, 4, 7] {
                let numbers: Vec<u64> = random(rows * columns, 7).collect();
                let element = |r: usize, c: usize| {
                    let (re, im) = parts[(numbers[r * columns + c] >> 32) as usize % kinds];
                    of(re, im)
                };
                let x: Vec<T> = (0..rows * columns).map(|i| element(i / columns, i % columns)).collect();
                let turned: Vec<T> = (0..rows * columns).map(|i| element(i % rows, i / rows)).collect();
                let down = along::<T, Prod>(&x, (rows, columns), 0);
                let across = along::<T, Prod>(&turned, (columns, rows), 1);
                let bits = |x: &[<Prod as Fold<T>>::Out]| x.iter().map(|x| x.bits()).collect::<Vec<_>>();
                assert_eq!(bits(&down), bits(&across), "{rows} rows, {columns} columns, {kinds} kinds");
            }
        }
    }
    check(Complex::new);
    check(|re, im| Complex::new(re as f32, im as f32));
}

#[test]
fn one_nan_decides() {
    macro_rules! one_nan {
        ($t:ident) => {
            for n in 1..70usize {
                for p in 0..n {
                    // Two views of the same values: every second element, and all of them backwards.
                    let mut x: Vec<$t> = (0..n).map(|i| (i * 37 % 23) as $t - 11.0).collect();
                    x[p] = $t::NAN;
                    let mut spread = vec![-1e9 as $t; 2 * n];
                    x.iter().enumerate().for_each(|(i, &v)| spread[2 * i] = v);
                    let back: Vec<$t> = x.iter().rev().copied().collect();
                    for (first, stride) in [(&x[0], 1), (&spread[0], 2), (&back[n - 1], -1)] {
                        assert!(line::<$t, Max>(first, n, stride).is_nan(), "{n} {p} {stride}");
                        assert!(line::<$t, Min>(first, n, stride).is_nan(), "{n} {p} {stride}");
                        assert_eq!(line::<$t, ArgMax>(first, n, stride), p as i64);
                        assert_eq!(line::<$t, ArgMin>(first, n, stride), p as i64);
                    }
                }
            }
        };
    }
    one_nan!(f32);
    one_nan!(f64);
}

#[test]
fn of_equals_and_of_nans_the_first_is_found() {
    for n in [1, 2, 40, 1500, 3000] {
        for p in [0, n / 3, n - 1] {
            let mut x = vec![1.0f32; n];
            x[p..].fill(2.0);
            assert_eq!(slice::<f32, ArgMax>(&x), p as i64);
            x[p..].fill(f32::NAN);
            assert_eq!(slice::<f32, ArgMin>(&x), p as i64);
            x.fill(0.0);
            x[p..].fill(-0.0);
            assert_eq!((slice::<f32, ArgMin>(&x), slice::<f32, ArgMax>(&x)), (0, 0));
        }
    }
}

#[test]
fn half_types_add_up_in_f32() {
    for n in [3000, 6000] {
        let x = vec![f16::ONE; n * 115];
        assert_eq!(along::<f16, Sum>(&x, (n, 115), 0), vec![f16::from_f32(n as f32); 115]);
        assert_eq!(along::<f16, Mean>(&x, (n, 115), 0), vec![f16::ONE; 115]);
    }
    let x = vec![f16::from_f32(300.0); 5000];
    assert_eq!(slice::<f16, Mean>(&x).to_f32(), 300.0);
    assert_eq!(slice::<f16, Sum>(&x), f16::INFINITY);
}

#[test]
fn twenty_million_ones_have_mean_one() {
    let n = 20_000_000;
    let x = vec![1.0f32; 2 * n];
    assert_eq!(along::<f32, Mean>(&x, (n, 2), 0), [1.0; 2]);
    assert_eq!(along::<f32, Mean>(&x, (2, n), 1), [1.0; 2]);
    assert_eq!(along::<f32, Mean>(&x[..n], (n / 20, 20), 0), [1.0; 20]);
}

#[test]
fn a_hundred_million_numbers_add_up() {
    let n = 100_000_000u32;
    let x: Vec<i64> = (0..n).map(i64::from).collect();
    assert_eq!(slice::<i64, Sum>(&x), 4_999_999_950_000_000);
    drop(x);
    let x: Vec<f64> = (0..n).map(f64::from).collect();
    assert_eq!(slice::<f64, Sum>(&x), 4_999_999_950_000_000.0);
}

#[test]
fn sums_are_near_the_exact_ones() {
    for n in [1, 10, 1000, 30_000, 1_000_000] {
        let x: Vec<f32> = random(n, 5).map(|r| f32::sample(r) + 1.5).collect();
        let exact: f64 = x.iter().map(|&x| f64::from(x)).sum();
        let size: f64 = x.iter().map(|&x| f64::from(x.abs())).sum();
        // One rounding at the end: 0.5 units in the last place, and the errors of f64.
        let error = (f64::from(slice::<f32, Sum>(&x)) - exact).abs();
        assert!(error <= exact.abs() * f64::from(f32::EPSILON) / 2.0 + size * 1e-14, "{n}: {error}");
    }
}

/// The sum, exact to far beyond f64 (two-sum, its errors added up apart).
fn exact(x: &[f64]) -> f64 {
    let (mut sum, mut rest) = (0.0f64, 0.0f64);
    for &x in x {
        let next = sum + x;
        let back = next - sum;
        rest += (sum - (next - back)) + (x - back);
        sum = next;
    }
    sum + rest
}

/// Errors of f64 sums in units of eps times the sum of absolute values: chains of 16, four halvings, then the tree.
#[test]
fn sums_in_double_precision_err_little() {
    for n in [100usize, 10_000, 1_000_000] {
        let uniform: Vec<f64> = random(n, 3).map(|r| (r >> 11) as f64 / (1u64 << 53) as f64).collect();
        let near: Vec<f64> = uniform.iter().map(|u| 0.1 + 1e-9 * u).collect();
        let alternating: Vec<f64> = uniform.iter().enumerate().map(|(i, u)| if i % 2 == 0 { *u } else { -u }).collect();
        let huge: Vec<f64> = random(n, 9).zip(&uniform).map(|(r, u)| u * 10f64.powi((r % 37) as i32 - 18)).collect();
        for (what, x, bound) in
            [("uniform", uniform, 1.0), ("near", near, 8.0), ("alternating", alternating, 1.0), ("huge", huge, 2.0)]
        {
            let size: f64 = x.iter().map(|x| x.abs()).sum();
            let error = (slice::<f64, Sum>(&x) - exact(&x)).abs() / (size * f64::EPSILON);
            assert!(error <= bound, "{what} {n}: {error}");
        }
    }
}

/// The variance of a line of elements, in two passes.
fn variance<T: Averaged>(x: &[T]) -> T::Variance
where
    T::Double: Bits,
    T::Variance: Bits,
{
    let center = slice::<T, Center>(x);
    let mut reduced = [Axis { len: x.len(), stride: size_of::<T>() as isize }];
    let plan = Reduction::new(&mut [], &mut reduced);
    let operands = Operands { x: x.as_ptr().cast(), param: std::ptr::from_ref(&center).cast(), ddof: 0.0 };
    let mut out = std::mem::MaybeUninit::<T::Variance>::uninit();
    // SAFETY: the elements of a slice, one parameter, one output.
    unsafe { fold_loops::<T, Variance>().run(Isa::current(), &plan, operands, 0..1, out.as_mut_ptr().cast()) };
    // SAFETY: `run` wrote it.
    unsafe { out.assume_init() }
}

#[test]
fn equal_elements_do_not_vary() {
    for n in [1, 7, 100, 1000, 100_003, 1_000_000] {
        for x in [1e8, 0.1, 1.0 / 3.0, -7e-20, 12_345.678, 1e150] {
            assert_eq!(variance(&vec![x; n]), 0.0, "{x} {n}");
        }
        for x in [1e8f32, 0.1, 1.0 / 3.0, 3e38] {
            assert_eq!(variance(&vec![x; n]), 0.0, "{x} {n}");
        }
        assert_eq!(variance(&vec![f16::from_f32(60_000.0); n]), f16::ZERO);
        assert_eq!(variance(&vec![Complex::new(0.1f64, 1e9); n]), 0.0);
    }
}

/// Small deviations from a large mean: 0, 1, 2, .. 9 in turn vary by 8.25.
#[test]
fn variances_far_from_zero_are_right() {
    for shift in [0.0, 1e6, 1e9, 1e15] {
        let x: Vec<f64> = (0..100_000).map(|i| shift + f64::from(i % 10)).collect();
        assert!((variance(&x) - 8.25).abs() < 1e-12, "{shift}: {}", variance(&x));
    }
    let x: Vec<f32> = (0..100_000).map(|i| 1e6 + (i % 10) as f32).collect();
    assert_eq!(variance(&x), 8.25);
}

#[test]
fn nothing_has_its_answers() {
    assert_eq!(slice::<f64, Sum>(&[]).to_bits(), 0);
    assert_eq!(slice::<Complex<f32>, Sum>(&[]), Complex::new(0.0, 0.0));
    assert_eq!((slice::<i8, Sum>(&[]), slice::<u8, Prod>(&[]), slice::<f32, Prod>(&[])), (0, 1, 1.0));
    assert!(slice::<f32, Mean>(&[]).is_nan() && slice::<i32, Mean>(&[]).is_nan());
    assert_eq!((slice::<f32, Any>(&[]), slice::<f32, All>(&[]), slice::<f32, CountNonzero>(&[])), (false, true, 0));
    assert_eq!(along::<f64, Sum>(&[], (2, 0), 1), [0.0; 2]);
    assert_eq!(along::<f64, Sum>(&[], (0, 3), 0), [0.0; 3]);
    assert_eq!(along::<f64, Sum>(&[], (2, 0), 0), []);
}

#[test]
fn zeros_keep_their_signs() {
    for n in [1, 15, 16, 17, 100, 5000] {
        let mut x = vec![-0.0f64; n];
        assert_eq!(slice::<f64, Sum>(&x).to_bits(), (-0.0f64).to_bits());
        assert_eq!(slice::<f64, Max>(&x).to_bits(), (-0.0f64).to_bits());
        x[n / 2] = 0.0;
        assert_eq!(slice::<f64, Max>(&x).to_bits(), 0);
        assert_eq!(slice::<f64, Sum>(&x).to_bits(), 0);
        let low = if n == 1 { 0.0f64 } else { -0.0 };
        assert_eq!(slice::<f64, Min>(&x).to_bits(), low.to_bits());
    }
}

#[test]
fn infinities_and_nans_spread() {
    for n in [2, 33, 2000] {
        for p in [0, 1, n - 1] {
            let mut x = vec![1.0f32; n];
            x[p] = f32::INFINITY;
            assert_eq!((slice::<f32, Sum>(&x), slice::<f32, Max>(&x)), (f32::INFINITY, f32::INFINITY));
            assert_eq!((slice::<f32, Min>(&x), slice::<f32, ArgMax>(&x)), (1.0, p as i64));
            x[(p + 1) % n] = f32::NEG_INFINITY;
            assert!(slice::<f32, Sum>(&x).is_nan());
            assert_eq!(slice::<f32, Min>(&x), f32::NEG_INFINITY);
            x[p] = f32::NAN;
            assert!(slice::<f32, Prod>(&x).is_nan());
        }
    }
    assert_eq!(slice::<f32, Min>(&[f32::INFINITY; 70]), f32::INFINITY);
    assert_eq!(slice::<f64, ArgMin>(&[f64::INFINITY; 70]), 0);
    assert_eq!(slice::<f64, ArgMax>(&[f64::NEG_INFINITY; 70]), 0);
}

#[test]
fn integers_wrap_in_64_bits() {
    assert_eq!(slice::<i64, Sum>(&[i64::MAX, 1]), i64::MIN);
    assert_eq!(slice::<u64, Sum>(&[u64::MAX, 2]), 1);
    assert_eq!(slice::<i8, Sum>(&[i8::MIN; 3000]), -384_000);
    assert_eq!(slice::<u8, Sum>(&[255; 3000]), 765_000);
    assert_eq!(slice::<i32, Prod>(&[i32::MIN; 3]), i64::from(i32::MIN).wrapping_pow(3));
    assert_eq!(slice::<bool, Sum>(&[true; 3000]), 3000);
    assert_eq!((slice::<i8, Min>(&[3, -128, 127]), slice::<u16, ArgMax>(&[1, 65_535, 65_535])), (-128, 1));
}

#[test]
fn variance_is_that_of_numpy() {
    let x = [1.0f64, 2.0, 4.0, 8.0];
    let loops = (fold_loops::<f64, Variance>(), fold_loops::<f64, Std>());
    let center = slice::<f64, Center>(&x);
    let mut out = [0.0f64; 2];
    for (ddof, want) in [(0.0, 7.1875), (1.0, 9.583_333_333_333_334), (4.0, f64::INFINITY)] {
        let mut reduced = [Axis { len: 4, stride: 8 }];
        let plan = Reduction::new(&mut [], &mut reduced);
        let operands = Operands { x: x.as_ptr().cast(), param: std::ptr::from_ref(&center).cast(), ddof };
        // SAFETY: four elements, one parameter, one output each.
        unsafe {
            loops.0.run(Isa::current(), &plan, operands, 0..1, out.as_mut_ptr().cast());
            loops.1.run(Isa::current(), &plan, operands, 0..1, out.as_mut_ptr().add(1).cast());
        }
        assert_eq!(out, [want, want.sqrt()]);
    }
}
