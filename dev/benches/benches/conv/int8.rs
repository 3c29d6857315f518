//! Products of bytes.
use super::report;
use freelane_kernels::Target;
use freelane_kernels::gemm::Mat;
use freelane_kernels::int8::{Each, Exact, IntPlan, IntProduct, Requantize};
use freelane_simd::Isa;
use std::mem::MaybeUninit;

const SHAPES: [[usize; 3]; 4] = [[128, 384, 384], [1, 768, 768], [32, 768, 3072], [8, 256, 512]];

/// Sums as they are, and rescaled to bytes.
pub fn all(filter: &str, isa: Isa) {
    for [m, k, n] in SHAPES {
        let name = format!("conv/u8i8/{m}x{k}x{n}");
        if !name.contains(filter) {
            continue;
        }
        let a: Vec<u8> = (0..m * k).map(|i| (i * 31 % 251) as u8).collect();
        let b: Vec<i8> = (0..k * n).map(|i| (i * 17 % 251) as i8).collect();
        let plan = IntPlan::<i8>::new(isa, k, n).expect("a small product");
        let mut words = vec![MaybeUninit::uninit(); plan.packed_len()];
        plan.pack(Mat::new(&b, 0, [k, n], [n as isize, 1]).expect("a whole matrix"), &mut words);
        // SAFETY: `pack` initialises all of it.
        let words: Vec<i32> = words.into_iter().map(|x| unsafe { x.assume_init() }).collect();
        let a = Mat::new(&a, 0, [m, k], [k as isize, 1]).expect("a whole matrix");
        let product = IntProduct { a, a_zero: Each::One(128), b: &words, b_zero: Each::One(0) };
        let mut scratch = vec![MaybeUninit::uninit(); plan.scratch(m).size()];
        let operations = 2.0 * (m * k * n) as f64;
        let mut sums = vec![0; m * n];
        report(&format!("{name}/sums"), operations, || {
            plan.run(&product, &Exact, &mut Target::of(&mut sums), &mut scratch, 0..m, 0..n);
        });
        let sink = Requantize { scale: Each::One(1e-4), bias: Each::One(0), zero: 128u8 };
        let mut bytes = vec![0; m * n];
        report(&format!("{name}/bytes"), operations, || {
            plan.run(&product, &sink, &mut Target::of(&mut bytes), &mut scratch, 0..m, 0..n);
        });
    }
}
