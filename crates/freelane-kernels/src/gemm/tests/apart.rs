//! Sums over every second element of both operands are those over copies without gaps.
use super::*;
use num_complex::Complex;

/// Sums of `k` products of elements `step` apart, on every instruction set, as text that shows every bit.
fn dots<T: Product + Copy + Default + std::fmt::Debug>(x: &[T], y: &[T], k: usize, step: isize) -> Vec<String> {
    let mut scratch = scratch::<T>(1, 1, k);
    let (a, b) = (Mat::new(x, 0, [1, k], [0, step]).unwrap(), Mat::new(y, 0, [k, 1], [step, 0]).unwrap());
    let on = |&isa: &Isa| {
        let mut c = [T::default()];
        let mut out = MatMut::new(&mut c, 0, [1, 1], [1, 1]).unwrap();
        gemm(isa, a, b, &mut out, 0..1, Epilogue::default(), &mut scratch);
        format!("{c:?}")
    };
    Isa::available().iter().map(on).collect()
}

/// Between the elements lies `gap`, behind the last of them nothing.
fn check<T: Product + Copy + Default + std::fmt::Debug>(number: impl Fn(usize) -> T, gap: T) {
    for k in [1, 2, 31, 32, 33, 63, 64, 65, 127, 128, 129, 511, 512, 513, 544, 545, 1024, 1100] {
        let near = [0, 7].map(|o| (0..k).map(|i| number(i * 13 + o)).collect::<Vec<T>>());
        let far = near.clone().map(|x| {
            let mut far: Vec<T> = x.into_iter().flat_map(|x| [x, gap]).collect();
            far.pop();
            far
        });
        assert_eq!(dots(&far[0], &far[1], k, 2), dots(&near[0], &near[1], k, 1), "{k}");
    }
}

#[test]
fn every_second_element_gives_the_bits_of_a_copy() {
    let real = |i: usize| (i % 101) as f64 / 7.0 - 6.3;
    check(real, f64::NAN);
    check(|i| real(i) as f32, f32::NAN);
    check(|i| Complex::new(real(i), real(i + 5)), Complex::new(f64::NAN, f64::NAN));
    check(|i| Complex::new(real(i) as f32, real(i + 5) as f32), Complex::new(f32::NAN, f32::NAN));
}
