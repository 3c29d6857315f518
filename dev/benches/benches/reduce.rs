//! What does a reduction cost an element: by fold, length, shape and instruction set? The least of nine rounds, in ns.
//!
//! `cargo bench -p freelane-benches --bench reduce [-- NAME]` runs the cases whose name contains NAME.
use freelane_kernels::reduce::{self, Axis, Fold, FoldLoops, Kept, Operands, Reduction, fold_loops};
use freelane_simd::Isa;
use std::hint::black_box;
use std::time::Instant;

const ROUNDS: usize = 9;

/// Nanoseconds a call.
fn time(mut call: impl FnMut()) -> f64 {
    let mut round = |calls: usize| {
        let start = Instant::now();
        (0..calls).for_each(|_| call());
        start.elapsed().as_nanos() as f64
    };
    let mut calls = 1;
    while round(calls) < 2e6 {
        calls *= 2;
    }
    (0..ROUNDS).map(|_| round(calls) / calls as f64).fold(f64::INFINITY, f64::min)
}

/// `rows` x `columns` elements with the given strides, in elements; the rows go or the columns do.
#[derive(Clone, Copy)]
struct Case {
    shape: &'static str,
    rows: (usize, isize),
    columns: (usize, isize),
    rows_go: bool,
}

fn run(loops: &FoldLoops, isa: Isa, case: Case, item: usize, x: *const u8, out: *mut u8) {
    let item = item as isize;
    let (gone, stays) = if case.rows_go { (case.rows, case.columns) } else { (case.columns, case.rows) };
    let mut kept = [Kept { len: stays.0, x: stays.1 * item, param: 0, out: loops.out.size() as isize }];
    let mut reduced = [Axis { len: gone.0, stride: gone.1 * item }];
    let plan = Reduction::new(&mut kept, &mut reduced);
    // SAFETY: `bench` made room for every element and output of its cases.
    unsafe { loops.run(isa, &plan, Operands::new(x), 0..plan.outputs(), out) };
}

fn bench<T: Copy + 'static, F: Fold<T>>(name: &str, filter: &str, cases: &[Case], value: impl Fn(usize) -> T) {
    let loops = const { &fold_loops::<T, F>() };
    for &case in cases {
        let n = case.rows.0 * case.columns.0;
        let label = format!("{name}/{}/{n}", case.shape);
        if !format!("{label} ").contains(filter) {
            continue;
        }
        let reach = |(len, stride): (usize, isize)| len.saturating_sub(1) * stride.unsigned_abs();
        let x: Vec<T> = (0..reach(case.rows) + reach(case.columns) + 1).map(&value).collect();
        let mut out = vec![0u64; 2 * case.rows.0.max(case.columns.0)];
        print!("{label:34}");
        for &isa in Isa::available() {
            let ns = time(|| {
                run(loops, isa, case, size_of::<T>(), black_box(x.as_ptr()).cast(), black_box(out.as_mut_ptr()).cast())
            });
            print!(" {:>9.4}", ns / n as f64);
        }
        println!();
    }
}

/// Shapes of `n` elements.
fn cases(n: usize) -> Vec<Case> {
    let case = |shape, rows, columns, rows_go| Case { shape, rows, columns, rows_go };
    let mut cases =
        vec![case("contiguous", (1, n as isize), (n, 1), false), case("stride 2", (1, n as isize), (n, 2), false)];
    if n >= 10_000 {
        cases.push(case("axis 0 of (n/64, 64)", (n / 64, 64), (64, 1), true));
        cases.push(case("axis 1 of (n/64, 64)", (n / 64, 64), (64, 1), false));
        cases.push(case("axis 0 of (100, n/100)", (100, n as isize / 100), (n / 100, 1), true));
        cases.push(case("axis 1 of (100, n/100)", (100, n as isize / 100), (n / 100, 1), false));
        cases.push(case("axis 0 of (n/3, 3)", (n / 3, 3), (3, 1), true));
        cases.push(case("axis 1 of (n/3, 3)", (n / 3, 3), (3, 1), false));
        cases.push(case("axis 0 of (2, n/2)", (2, n as isize / 2), (n / 2, 1), true));
    }
    cases
}

fn main() {
    let filter = std::env::args().skip(1).find(|a| !a.starts_with('-')).unwrap_or_default();
    print!("{:34}", "ns an element");
    Isa::available().iter().for_each(|isa| print!(" {:>9}", isa.name()));
    println!();
    let real = |i: usize| (i * 7919 % 10_007) as f64 - 5000.0;
    for n in [100, 10_000, 1_000_000] {
        let all = cases(n);
        bench::<f64, reduce::Sum>("sum f64", &filter, &all, real);
        bench::<f32, reduce::Sum>("sum f32", &filter, &all, |i| real(i) as f32);
        bench::<f64, reduce::Max>("max f64", &filter, &all, real);
        bench::<f32, reduce::Max>("max f32", &filter, &all, |i| real(i) as f32);
        bench::<f64, reduce::ArgMax>("argmax f64", &filter, &all, real);
        bench::<f32, reduce::ArgMax>("argmax f32", &filter, &all, |i| real(i) as f32);
        let few = &all[..all.len().min(3)];
        bench::<half::f16, reduce::Sum>("sum f16", &filter, few, |i| half::f16::from_f64(real(i)));
        bench::<i32, reduce::Sum>("sum i32", &filter, few, |i| i as i32);
        bench::<u8, reduce::Sum>("sum u8", &filter, few, |i| i as u8);
        bench::<bool, reduce::Sum>("sum bool", &filter, few, |i| i % 3 == 0);
        bench::<num_complex::Complex<f32>, reduce::Sum>("sum c64", &filter, few, |i| (real(i) as f32).into());
        bench::<f64, reduce::Prod>("prod f64", &filter, few, |i| 1.0 + real(i) * 1e-9);
        bench::<u8, reduce::Max>("max u8", &filter, few, |i| i as u8);
        bench::<i64, reduce::Max>("max i64", &filter, few, |i| i as i64 * 7919 % 10_007);
        bench::<f64, reduce::Any>("any f64", &filter, few, |_| 0.0);
        bench::<bool, reduce::Any>("any bool", &filter, few, |_| false);
        bench::<f64, reduce::CountNonzero>("count_nonzero f64", &filter, few, |i| (i % 3) as f64);
        bench::<bool, reduce::CountNonzero>("count_nonzero bool", &filter, few, |i| i % 3 == 0);
    }
}
