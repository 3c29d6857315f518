//! Every kernel against sums in 64 bits.
use super::tile::Kernel;
use super::*;
use crate::conv::ConvShape;
use crate::window::{Axis, Window};

struct Source(u64);

impl Source {
    fn byte(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        self.0 >> 40
    }

    /// A third of them at an end of the range.
    fn bytes<T: Byte>(&mut self, count: usize) -> Vec<T> {
        let one = |x: u64| match x % 6 {
            0 => T::of(T::LOW),
            1 => T::of(T::LOW + 255),
            _ => T::of(T::LOW + (x >> 8 & 255) as i32),
        };
        (0..count).map(|_| one(self.byte())).collect()
    }
}

fn init(words: Vec<MaybeUninit<i32>>) -> Vec<i32> {
    // SAFETY: `pack` initialises all of it.
    words.into_iter().map(|x| unsafe { x.assume_init() }).collect()
}

const SHAPES: [[usize; 3]; 12] = [
    [1, 1, 1],
    [1, 7, 33],
    [1, 64, 160],
    [2, 0, 5],
    [3, 3, 31],
    [5, 4, 32],
    [6, 5, 64],
    [12, 130, 65],
    [13, 16, 40],
    [25, 33, 96],
    [245, 12, 34],
    [0, 4, 4],
];

/// The product, in cuts of `step` rows and columns.
fn product<A: Byte, B: Byte, S: Sink>(
    plan: &IntPlan<B>,
    product: &IntProduct<'_, A, B>,
    sink: &S,
    cut: [usize; 2],
    empty: S::Out,
) -> Vec<S::Out> {
    let (m, n) = (product.a.rows, plan.n);
    let mut out = vec![empty; m * n];
    let mut scratch = vec![MaybeUninit::uninit(); plan.scratch(m).size()];
    for i in (0..m).step_by(cut[0]) {
        for j in (0..n).step_by(cut[1]) {
            let (rows, columns) = (i..(i + cut[0]).min(m), j..(j + cut[1]).min(n));
            plan.run(product, sink, &mut Target::of(&mut out), &mut scratch, rows, columns);
        }
    }
    out
}

fn check<A: Byte, B: Byte>() {
    let mut source = Source(A::LOW as u64 ^ B::LOW as u64);
    for [m, k, n] in SHAPES {
        let (a, b) = (source.bytes::<A>(m * k), source.bytes::<B>(k * n));
        let (rows, columns) = (source.bytes::<A>(m), source.bytes::<B>(n));
        let (ones_a, ones_b) = (Each::One(A::of(A::LOW + 128)), Each::One(B::of(B::LOW + 128)));
        let zeros = [
            (Each::One(A::of(0)), Each::One(B::of(0))),
            (ones_a, ones_b),
            (Each::Rows(&rows), Each::Columns(&columns)),
        ];
        for (a_zero, b_zero) in zeros {
            let exact = |i: usize, j: usize| -> i64 {
                let p = i64::from(a_zero.of_row(i).unwrap_or(a_zero.columns(0)[0]).value());
                let q = i64::from(b_zero.columns(j)[0].value());
                (0..k).map(|t| (i64::from(a[i * k + t].value()) - p) * (i64::from(b[t * n + j].value()) - q)).sum()
            };
            let want: Vec<i32> = (0..m * n).map(|e| exact(e / n, e % n) as i32).collect();
            for kernel in Kernel::all() {
                let plan = IntPlan::<B>::with(Isa::current(), kernel, k, n).unwrap();
                let mut words = vec![MaybeUninit::uninit(); plan.packed_len()];
                plan.pack(Mat::new(&b, 0, [k, n], [n as isize, 1]).unwrap(), &mut words);
                let words = init(words);
                let mat = Mat::new(&a, 0, [m, k], [k as isize, 1]).unwrap();
                let whole = IntProduct { a: mat, a_zero, b: &words, b_zero };
                for cut in [[1000, 1024], [1, 32], [7, 64]] {
                    assert_eq!(product(&plan, &whole, &Exact, cut, 0), want, "{m} x {k} x {n} {cut:?} {kernel:?}");
                }
            }
        }
    }
}

#[test]
fn sums_are_exact() {
    check::<u8, i8>();
    check::<u8, u8>();
    check::<i8, i8>();
    check::<i8, u8>();
}

#[test]
fn sums_wrap_like_integers() {
    let k = 70000;
    let (a, b) = (vec![255u8; k], vec![-128i8; k]);
    for kernel in Kernel::all() {
        let plan = IntPlan::<i8>::with(Isa::current(), kernel, k, 1).unwrap();
        let mut words = vec![MaybeUninit::uninit(); plan.packed_len()];
        plan.pack(Mat::new(&b, 0, [k, 1], [1, 1]).unwrap(), &mut words);
        let words = init(words);
        let a = Mat::new(&a, 0, [1, k], [k as isize, 1]).unwrap();
        let one = IntProduct { a, a_zero: Each::One(0), b: &words, b_zero: Each::One(127) };
        let want = (k as i64 * 255 * -255) as i32;
        assert_eq!(product(&plan, &one, &Exact, [1, 32], 0), [want]);
    }
}

#[test]
fn operands_may_be_transposed() {
    let (m, k, n) = (9, 22, 37);
    let mut source = Source(5);
    let (a, b) = (source.bytes::<u8>(m * k), source.bytes::<u8>(k * n));
    let sum = |i: usize, j: usize| (0..k).map(|t| i32::from(a[t * m + i]) * i32::from(b[j * k + t])).sum::<i32>();
    for kernel in Kernel::all() {
        let plan = IntPlan::<u8>::with(Isa::current(), kernel, k, n).unwrap();
        let mut words = vec![MaybeUninit::uninit(); plan.packed_len()];
        plan.pack(Mat::new(&b, 0, [k, n], [1, k as isize]).unwrap(), &mut words);
        let words = init(words);
        let a = Mat::new(&a, 0, [m, k], [1, m as isize]).unwrap();
        let whole = IntProduct { a, a_zero: Each::One(0), b: &words, b_zero: Each::One(0) };
        let want: Vec<i32> = (0..m * n).map(|e| sum(e / n, e % n)).collect();
        assert_eq!(product(&plan, &whole, &Exact, [4, 32], 0), want);
    }
}

#[test]
fn sums_are_rescaled_and_held_in_range() {
    let (m, k, n) = (4, 8, 40);
    let mut source = Source(9);
    let (a, b) = (source.bytes::<u8>(m * k), source.bytes::<i8>(k * n));
    let bias: Vec<i32> = (0..n as i32).map(|j| j * 37 - 500).collect();
    let floats: Vec<f32> = (0..m).map(|i| i as f32 * 0.25 - 1.0).collect();
    let scale: Vec<f64> = (0..n).map(|j| 0.0005 * (j + 1) as f64).collect();
    for isa in Isa::available() {
        let plan = IntPlan::<i8>::new(*isa, k, n).unwrap();
        let mut words = vec![MaybeUninit::uninit(); plan.packed_len()];
        plan.pack(Mat::new(&b, 0, [k, n], [n as isize, 1]).unwrap(), &mut words);
        let words = init(words);
        let a = Mat::new(&a, 0, [m, k], [k as isize, 1]).unwrap();
        let whole = IntProduct { a, a_zero: Each::One(3), b: &words, b_zero: Each::One(-2) };
        let sums = product(&plan, &whole, &Exact, [9, 64], 0);
        let sink = Requantize { scale: Each::Columns(&scale), bias: Each::Columns(&bias), zero: 7i8 };
        let bytes: Vec<i8> = (0..m * n)
            .map(|e| (f64::from(sums[e] + bias[e % n]) * scale[e % n]).round_ties_even() as i64 + 7)
            .map(|x| x.clamp(-128, 127) as i8)
            .collect();
        assert_eq!(product(&plan, &whole, &sink, [3, 32], 0), bytes);
        let sink = Requantize { scale: Each::One(0.01), bias: Each::One(0), zero: 200u8 };
        let want: Vec<u8> =
            sums.iter().map(|&x| ((f64::from(x) * 0.01).round_ties_even() as i64 + 200).clamp(0, 255) as u8).collect();
        assert_eq!(product(&plan, &whole, &sink, [3, 32], 0), want);
        let sink = Dequantize { scale: Each::One(0.5), bias: Each::Rows(&floats) };
        let want: Vec<f32> = (0..m * n).map(|e| sums[e] as f32 * 0.5 + floats[e / n]).collect();
        assert_eq!(product(&plan, &whole, &sink, [3, 32], 0.0), want);
    }
}

#[test]
fn floats_become_bytes_as_the_standard_says() {
    for &isa in Isa::available() {
        // ONNX's own examples of QuantizeLinear and DynamicQuantizeLinear.
        let mut out = [0u8; 6];
        quantize(isa, &[0.0, 2.0, 3.0, 1000.0, -254.0, -1000.0], 2.0, 128, &mut out);
        assert_eq!(out, [128, 129, 130, 255, 1, 0]);
        let x = [0.0, 2.0, -3.0, -2.5, 1.34, 0.5];
        let (scale, zero) = dynamic_range(isa, &x);
        assert_eq!((scale, zero), (0.019607844, 153));
        quantize(isa, &x, scale, zero, &mut out);
        assert_eq!(out, [153, 255, 0, 26, 221, 179]);
        assert_eq!(dynamic_range(isa, &[-1.0, -2.1, -1.3, -2.5, -3.34, -4.0]), (0.015686275, 255));
        assert_eq!(
            dynamic_range(isa, &[1.0, 2.1, 1.3, 2.5, 3.34, 4.0, 1.5, 2.6, 3.9, 4.0, 3.0, 2.345]),
            (0.015686275, 0)
        );
        assert_eq!(dynamic_range(isa, &[0.0; 40]), (1.0, 0));
        assert_eq!(dynamic_range(isa, &[]), (1.0, 0));
        let mut odd = [0i8; 5];
        quantize(isa, &[0.5, 1.5, -0.5, f32::NAN, f32::INFINITY], 1.0, 0, &mut odd);
        assert_eq!(odd, [0, 2, 0, -128, 127]);
    }
}

fn check_conv<W: Byte, X: Byte>(shape: ConvShape) {
    let (mut source, batch) = (Source(3), 2);
    let (window, depth) = (&shape.window, shape.group_inputs() * shape.window.taps());
    let (input, weights) = (source.bytes::<X>(batch * shape.input_len()), source.bytes::<W>(shape.weights_len()));
    let (input_zero, zeros) = (X::of(X::LOW + 77), source.bytes::<W>(shape.outputs));
    let sum = |at: usize| -> i64 {
        let (image, output) = (at / shape.output_len(), at % shape.output_len() / window.outputs());
        let [z, y, x] = window.output(at % window.outputs());
        let zero = i64::from(zeros[output].value());
        let product = |k: usize| -> Option<i64> {
            let (channel, [a, b, c]) = (k / window.taps(), window.tap(k % window.taps()));
            let [deep, high, wide] = &window.axes;
            let pixel = (deep.inside(z, a)? * high.input + high.inside(y, b)?) * wide.input + wide.inside(x, c)?;
            let channel = output / shape.group_outputs() * shape.group_inputs() + channel;
            let seen = input[image * shape.input_len() + channel * window.inputs() + pixel];
            let seen = i64::from(seen.value() - input_zero.value());
            Some(seen * (i64::from(weights[output * depth + k].value()) - zero))
        };
        (0..depth).filter_map(product).sum()
    };
    let want: Vec<i32> = (0..batch * shape.output_len()).map(|at| sum(at) as i32).collect();
    for kernel in Kernel::all() {
        let plan = IntConvPlan::<W, X>::new(Isa::current(), shape).with(kernel);
        let mut words = vec![MaybeUninit::uninit(); plan.packed_len()];
        plan.pack(&weights, &mut words);
        let words = init(words);
        let conv = IntConv { weights: &words, weights_zero: Each::Rows(&zeros), input: &input, input_zero, batch };
        let mut scratch = vec![MaybeUninit::uninit(); plan.scratch().size()];
        let mut out = vec![0; want.len()];
        for part in (0..plan.parts(batch)).rev() {
            plan.run(&conv, &Exact, &mut Target::of(&mut out), &mut scratch, part..part + 1);
        }
        assert_eq!(out, want, "{shape:?}");
    }
}

#[test]
fn convolutions_are_exact() {
    let axis = |input, kernel, stride, dilation, pads| Axis::new(input, kernel, stride, dilation, pads).unwrap();
    let windows = [
        Window::new(&[axis(9, 3, 1, 1, [1, 1]), axis(17, 3, 1, 1, [1, 1])]).unwrap(),
        Window::new(&[axis(9, 3, 2, 2, [2, 1]), axis(40, 5, 3, 1, [0, 4])]).unwrap(),
        Window::new(&[axis(6, 2, 1, 1, [0, 1]), axis(5, 1, 1, 1, [0, 0]), axis(7, 3, 1, 2, [2, 2])]).unwrap(),
        Window::new(&[axis(30, 1, 1, 1, [0, 0])]).unwrap(),
    ];
    for window in windows {
        for [inputs, outputs, groups] in [[3, 5, 1], [8, 12, 2], [6, 6, 6], [40, 33, 1]] {
            let shape = ConvShape::new(inputs, outputs, groups, window).unwrap();
            check_conv::<i8, u8>(shape);
            check_conv::<u8, u8>(shape);
            check_conv::<i8, i8>(shape);
        }
    }
}
