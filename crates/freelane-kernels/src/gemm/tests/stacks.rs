//! Stacks of products against the definition, and columns of windows.
use super::*;

/// A stack whose operands lie as `a` and `b` say, matrix after matrix; B may be one of all.
fn check<T: Float>(count: usize, [m, n, k]: [usize; 3], a: Lie, b: Lie, shared: bool) {
    let mut source = Source((count * 7 + m * 1000003 + n * 1009 + k) as u64);
    let mut stack = |lie: Lie, rows: usize, cols: usize| -> Vec<Owned<T>> {
        (0..count).map(|_| Owned::new(lie, rows, cols, || source.float(k % 2 == 0))).collect()
    };
    let (left, right) = (stack(a, m, k), stack(b, k, n));
    let right: Vec<&Owned<T>> = right.iter().map(|x| if shared { &right[0] } else { x }).collect();
    let (xs, ys): (Vec<T>, Vec<T>) =
        (left.iter().flat_map(|x| x.data.clone()).collect(), right.iter().flat_map(|x| x.data.clone()).collect());
    let mats = |data, x: &Owned<T>| Mat::new(data, x.offset, x.shape, x.strides).unwrap();
    let steps = [left[0].data.len() as isize, if shared { 0 } else { right[0].data.len() as isize }, (m * n) as isize];
    for &isa in Isa::available() {
        let mut c = vec![T::of(f64::NAN); count * m * n];
        let mut out = MatMut::new(&mut c, 0, [m, n], [n as isize, 1]).unwrap();
        let stack = Stack { count, steps, conjugate: false };
        let mut scratch = scratch::<T>(m, n, k);
        // SAFETY: the matrices lie side by side, as the steps say.
        unsafe { gemm_stack(isa, mats(&xs, &left[0]), mats(&ys, right[0]), &mut out, stack, &mut scratch) };
        for (p, c) in c.chunks(m * n).enumerate() {
            for (x, got) in c.iter().enumerate() {
                let want = by_definition(step(isa), n, &left[p].row(x / n), &right[p].column(x % n));
                assert!(got.same(want), "{isa} {count} of {m}x{k}x{n} {a:?} {b:?} {p}: {x}: {got:?}, not {want:?}");
            }
        }
    }
}

fn stacks<T: Float>() {
    for [m, n, k] in
        [[1, 1, 64], [1, 1, 5], [1, 1, 130], [3, 3, 3], [8, 8, 8], [9, 16, 300], [2, 4, 7], [6, 1, 10], [5, 40, 3]]
    {
        for (a, b) in [(Rows, Rows), (Columns, Rows), (Rows, Columns), (Scattered, Backwards), (SameColumn, SameRow)] {
            check::<T>(11, [m, n, k], a, b, false);
            check::<T>(19, [m, n, k], a, b, true);
        }
    }
    check::<T>(1, [4, 8, 0], Rows, Rows, false);
}

#[test]
fn stacks_by_definition() {
    stacks::<f32>();
    stacks::<f64>();
}

/// Vectors whose neighbours in the stack are neighbours in memory, along the first axis of a matrix.
#[test]
fn sums_down_the_columns_of_two_matrices() {
    let (k, count) = (70, 21);
    let mut source = Source(5);
    let [x, y] = [0; 2].map(|_| Owned::<f64>::new(Rows, k, count, || source.float(false)));
    for &isa in Isa::available() {
        let mut c = vec![f64::NAN; count];
        let mut out = MatMut::new(&mut c[..1], 0, [1, 1], [1, 1]).unwrap();
        let a = Mat::new(&x.data, 0, [1, k], [1, count as isize]).unwrap();
        let b = Mat::new(&y.data, 0, [k, 1], [count as isize, 1]).unwrap();
        let stack = Stack { count, steps: [1; 3], conjugate: false };
        // SAFETY: column `i` of both matrices begins at element `i`.
        unsafe { gemm_stack(isa, a, b, &mut out, stack, &mut scratch::<f64>(1, 1, k)) };
        for (i, c) in c.into_iter().enumerate() {
            assert!(c.same(by_definition(step(isa), 1, &x.column(i), &y.column(i))), "{isa} {i}");
        }
    }
}

/// Windows over a sequence, of every depth with a kernel of its own and some more.
fn windows<T: Float>() {
    for k in (1..20).chain([31, 32, 63, 64, 65, 130]) {
        let m = 37;
        let mut source = Source(k as u64);
        let data: Vec<T> = (0..m + k).map(|_| source.float(false)).collect();
        let taps = Owned::new(Backwards, k, 1, || source.float(false));
        for &isa in Isa::available() {
            let mut c = vec![T::of(f64::NAN); m];
            let mut out = MatMut::new(&mut c, 0, [m, 1], [1, 1]).unwrap();
            let a = Mat::new(&data, 0, [m, k], [1, 1]).unwrap();
            gemm(isa, a, taps.mat(), &mut out, 0..1, Epilogue::default(), &mut scratch::<T>(m, 1, k));
            for (i, c) in c.into_iter().enumerate() {
                let want = by_definition(step(isa), 1, &data[i..i + k], &taps.column(0));
                assert!(c.same(want), "{isa} {k} {i}: {c:?}, not {want:?}");
            }
        }
    }
}

#[test]
fn windows_by_definition() {
    windows::<f32>();
    windows::<f64>();
}

/// Whole numbers, so that sums are exact in any order.
#[test]
fn stacks_of_complex_dot_products() {
    let number = |i: usize| Complex::new((i * 7 % 5) as f64 - 2.0, (i * 3 % 7) as f64 - 3.0);
    for (k, step) in [(3, 1), (33, 1), (1100, 1), (40, 2)] {
        let count = 5;
        let [x, y] = [0, 11].map(|first| (0..count * k * step).map(|i| number(i + first)).collect::<Vec<_>>());
        for (&isa, conjugate) in Isa::available().iter().flat_map(|isa| [(isa, false), (isa, true)]) {
            let mut c = vec![Complex::default(); count];
            let mut out = MatMut::new(&mut c[..1], 0, [1, 1], [1, 1]).unwrap();
            let along = step as isize;
            let a = Mat::new(&x, 0, [1, k], [0, along]).unwrap();
            let b = Mat::new(&y, 0, [k, 1], [along, 0]).unwrap();
            let stack = Stack { count, steps: [(k * step) as isize, (k * step) as isize, 1], conjugate };
            // SAFETY: vector `i` begins at element `i * k * step`.
            unsafe { gemm_stack(isa, a, b, &mut out, stack, &mut scratch::<Complex<f64>>(1, 1, k)) };
            for (i, c) in c.into_iter().enumerate() {
                let at = |p: usize| (i * k + p) * step;
                let left = |p: usize| if conjugate { x[at(p)].conj() } else { x[at(p)] };
                assert_eq!(c, (0..k).map(|p| left(p) * y[at(p)]).sum::<Complex<f64>>(), "{isa} {k} {conjugate} {i}");
            }
        }
    }
}
