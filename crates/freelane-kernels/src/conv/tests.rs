//! Every way against the definition of the order, in plain steps, bit for bit; and the definition against wider arithmetic.
use super::shape::Order;
use super::*;
use crate::window::{Axis, Layout, Window, WindowError};
use std::fmt::Debug;

/// A float with one rounding per step of a chain, or two.
pub(super) trait Float: ConvElement + Debug {
    fn of(x: f64) -> Self;
    fn wide(self) -> f64;
    fn fused(self, b: Self, c: Self) -> Self;
    fn bits(self) -> u64;
}

macro_rules! floats {
    ($($t:ty),*) => {$(
        impl Float for $t {
            fn of(x: f64) -> $t {
                x as $t
            }
            fn wide(self) -> f64 {
                self as f64
            }
            fn fused(self, b: $t, c: $t) -> $t {
                self.mul_add(b, c)
            }
            fn bits(self) -> u64 {
                self.to_bits().into()
            }
        }
    )*};
}
floats!(f32, f64);

/// Numbers about one, from a small generator.
pub(super) fn numbers<T: Float>(seed: u64, count: usize) -> Vec<T> {
    let mut state = seed.wrapping_mul(0x9e3779b97f4a7c15) | 1;
    let mut next = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        state >> 40
    };
    (0..count).map(|_| T::of((next() % 4001) as f64 / 1000.0 - 2.0)).collect()
}

/// Inputs, outputs, groups; input, kernel, stride, dilation and pads of each axis.
type Case = (usize, usize, usize, &'static [(usize, usize, usize, usize, [usize; 2])]);

const CASES: [Case; 32] = [
    (16, 130, 1, &[(10, 3, 1, 1, [1, 1]), (13, 3, 1, 1, [0, 1])]),
    (1, 1, 1, &[(1, 1, 1, 1, [0, 0])]),
    (3, 5, 1, &[(9, 3, 1, 1, [1, 1])]),
    (2, 4, 2, &[(10, 4, 3, 2, [5, 0])]),
    (3, 8, 1, &[(20, 7, 2, 1, [3, 3]), (19, 7, 2, 1, [3, 2])]),
    (16, 16, 1, &[(7, 3, 1, 1, [1, 1]), (7, 3, 1, 1, [1, 1])]),
    (64, 33, 1, &[(14, 3, 1, 1, [1, 1]), (14, 3, 1, 1, [1, 1])]),
    (40, 48, 1, &[(5, 3, 2, 1, [1, 1]), (6, 3, 2, 1, [1, 1])]),
    (300, 20, 1, &[(6, 1, 1, 1, [0, 0]), (6, 1, 1, 1, [0, 0])]),
    (300, 20, 1, &[(1, 1, 1, 1, [0, 0]), (1, 1, 1, 1, [0, 0])]),
    (32, 64, 1, &[(1, 1, 1, 1, [0, 0]), (3, 1, 1, 1, [0, 0])]),
    (20, 8, 1, &[(9, 1, 2, 1, [0, 0]), (8, 1, 2, 1, [0, 0])]),
    (12, 12, 12, &[(9, 3, 1, 1, [1, 1]), (17, 3, 1, 1, [1, 1])]),
    (32, 32, 32, &[(9, 5, 2, 1, [2, 2]), (9, 5, 2, 1, [2, 2])]),
    (8, 16, 8, &[(6, 3, 1, 2, [2, 2]), (6, 3, 1, 2, [2, 2])]),
    (48, 64, 2, &[(8, 3, 1, 1, [1, 1]), (8, 3, 1, 1, [1, 1])]),
    (64, 64, 4, &[(6, 3, 2, 1, [0, 1]), (6, 3, 2, 1, [0, 1])]),
    (5, 6, 1, &[(4, 3, 1, 1, [1, 0]), (5, 2, 2, 1, [0, 1]), (6, 3, 1, 2, [2, 2])]),
    (16, 16, 1, &[(3, 1, 1, 1, [0, 0]), (5, 3, 1, 1, [1, 1]), (6, 3, 1, 1, [1, 1])]),
    (4, 4, 1, &[(3, 2, 1, 1, [8, 8]), (3, 3, 2, 9, [18, 18])]),
    (2, 3, 1, &[(0, 2, 1, 1, [1, 1]), (4, 2, 1, 1, [0, 0])]),
    (32, 32, 1, &[(13, 3, 1, 1, [1, 1]), (15, 3, 1, 1, [2, 0])]),
    (17, 65, 1, &[(18, 3, 1, 1, [1, 1]), (17, 3, 1, 1, [1, 1])]),
    (16, 1, 1, &[(8, 3, 1, 1, [1, 1]), (8, 3, 1, 1, [1, 1])]),
    (256, 96, 1, &[(7, 1, 1, 1, [0, 0]), (7, 1, 1, 1, [0, 0])]),
    (2, 2, 2, &[(1, 2, 1, 800, [800, 0]), (1, 2, 1, 900, [900, 0])]),
    // Rows of tiles that interleave.
    (16, 16, 1, &[(16, 3, 1, 2, [2, 2]), (15, 3, 1, 1, [1, 1])]),
    (18, 20, 1, &[(17, 3, 1, 2, [1, 1]), (13, 3, 1, 1, [1, 1])]),
    (16, 16, 1, &[(22, 3, 1, 3, [1, 1]), (7, 3, 1, 1, [1, 1])]),
    // Few pixels, wide strides: rows of pixels times columns of channels.
    (1, 33, 1, &[(700, 256, 128, 1, [0, 0])]),
    (40, 36, 2, &[(20, 5, 7, 2, [3, 1]), (4, 2, 3, 1, [0, 0])]),
    (3, 16, 1, &[(2, 2, 1, 1, [0, 0]), (3, 3, 3, 1, [0, 0]), (5, 4, 3, 1, [1, 1])]),
];

pub(super) fn shape((inputs, outputs, groups, axes): Case) -> ConvShape {
    let axes: Vec<Axis> = axes.iter().map(|&(i, k, s, d, pads)| Axis::new(i, k, s, d, pads).unwrap()).collect();
    ConvShape::new(inputs, outputs, groups, Window::new(&axes).unwrap()).unwrap()
}

/// Every product of an output element, in order of steps: input (zero in the padding) and weight.
fn products<T: Float>(shape: &ConvShape, image: &[T], weights: &[T], output: usize, pixel: usize) -> Vec<(T, T)> {
    let (order, window) = (shape.order(), &shape.window);
    let group = output / shape.group_outputs();
    let [z, y, x] = window.output(pixel);
    let [deep, high, wide] = &window.axes;
    let seen = |channel: usize, tap: usize| {
        let [a, b, c] = window.tap(tap);
        let at = (deep.inside(z, a)?, high.inside(y, b)?, wide.inside(x, c)?);
        let pixel = (at.0 * high.input + at.1) * wide.input + at.2;
        Some(image[(group * shape.group_inputs() + channel) * window.inputs() + pixel])
    };
    let steps = (0..order.steps()).map(|step| order.step(step));
    let pairs = steps.flat_map(|step| (step.channel..step.channel + step.width).map(move |c| (c, step.tap)));
    let weight = |channel: usize, tap: usize| weights[output * order.depth() + channel * order.taps + tap];
    pairs.map(|(c, tap)| (seen(c, tap).unwrap_or_default(), weight(c, tap))).collect()
}

/// The sums by definition, and the same in wider arithmetic.
fn reference<T: Float>(isa: Isa, shape: &ConvShape, batch: usize, input: &[T], weights: &[T]) -> (Vec<T>, Vec<f64>) {
    let step = if isa == Isa::Portable { T::chain } else { T::fused };
    let order = shape.order();
    let mut sums = (Vec::new(), Vec::new());
    for image in 0..batch {
        let image = &input[image * shape.input_len()..][..shape.input_len()];
        for output in 0..shape.outputs {
            for pixel in 0..shape.window.outputs() {
                let pairs = products(shape, image, weights, output, pixel);
                let chain = |steps: Range<usize>| {
                    let pairs = &pairs[order.before(steps.start)..order.before(steps.end)];
                    pairs.iter().fold(T::default(), |sum, &(x, w)| step(x, w, sum))
                };
                sums.0.push(order.chains().map(chain).reduce(|a, b| a + b).unwrap());
                sums.1.push(pairs.iter().map(|(x, w)| x.wide() * w.wide()).sum());
            }
        }
    }
    sums
}

/// All parts of a plan, in pieces of `step` parts, last piece first.
pub(super) fn run<T: Float>(plan: &ConvPlan<T>, isa: Isa, conv: &Conv<'_, T>, step: usize) -> Vec<T> {
    let mut out = vec![T::of(f64::NAN); conv.batch * plan.lens()[1]];
    let mut target = Target::of(&mut out);
    let mut scratch = vec![MaybeUninit::uninit(); plan.scratch().size()];
    let parts = plan.parts(conv.batch);
    for first in (0..parts).step_by(step).rev() {
        plan.run(isa, conv, &mut target, &mut scratch, first..(first + step).min(parts));
    }
    out
}

pub(super) fn packed<T: Float>(plan: &ConvPlan<T>, weights: &[T]) -> Vec<T> {
    let mut packed = vec![MaybeUninit::uninit(); plan.packed_len()];
    plan.pack(weights, &mut packed);
    // SAFETY: `pack` initialises all of it.
    packed.into_iter().map(|x| unsafe { x.assume_init() }).collect()
}

pub(super) fn assert_same<T: Float>(got: &[T], want: &[T], what: &dyn Debug) {
    assert_eq!(got.len(), want.len());
    for (i, (g, w)) in got.iter().zip(want).enumerate() {
        assert_eq!(g.bits(), w.bits(), "{g:?} is not {w:?} at {i}: {what:?}");
    }
}

fn check<T: Float>(case: Case) {
    let (shape, batch) = (shape(case), 3);
    let plan = ConvPlan::<T>::new(shape).in_order();
    let input = numbers::<T>(1, batch * shape.input_len());
    let weights = numbers::<T>(2, shape.weights_len());
    let packed = packed(&plan, &weights);
    let conv = |input, batch| Conv {
        weights: &packed,
        input,
        batch,
        bias: None,
        residual: None,
        activation: Activation::None,
    };
    for &isa in Isa::available() {
        let (want, wide) = reference(isa, &shape, batch, &input, &weights);
        let got = run(&plan, isa, &conv(&input, batch), 1);
        assert_same(&got, &want, &(isa, case));
        assert_same(&run(&plan, isa, &conv(&input, batch), usize::MAX / 2), &want, &(isa, case));
        let last = &input[2 * shape.input_len()..];
        assert_same(&run(&plan, isa, &conv(last, 1), 3), &want[2 * shape.output_len()..], &(isa, case, "alone"));
        let bound = 32.0 * (shape.order().depth() + 1) as f64 * if size_of::<T>() == 4 { 6e-8 } else { 1.2e-16 };
        let near = |(g, w): (&T, &f64)| (g.wide() - w).abs() <= bound;
        assert!(got.iter().zip(&wide).all(near), "{case:?}");
    }
}

#[test]
fn sums_are_the_definition() {
    for case in CASES {
        check::<f32>(case);
        check::<f64>(case);
    }
}

#[test]
fn no_image_has_no_parts() {
    let plan = ConvPlan::<f32>::new(shape(CASES[2]));
    assert_eq!(plan.parts(0), 0);
    let weights = packed(&plan, &numbers(1, plan.shape().weights_len()));
    let conv =
        Conv { weights: &weights, input: &[], batch: 0, bias: None, residual: None, activation: Activation::None };
    assert!(run(&plan, Isa::current(), &conv, 1).is_empty());
}

/// By definition, one operation at a time.
fn finished(x: f32, activation: Activation<f32>) -> f32 {
    use crate::elementwise::{Map1, Sigmoid, Silu};
    let hard = |slope: f32, offset: f32| (x * slope + offset).clamp(0.0, 1.0);
    match activation {
        Activation::None => x,
        Activation::Relu => x.max(0.0),
        Activation::Clip(low, high) => x.max(low).min(high),
        Activation::Leaky(slope) => {
            if x < 0.0 {
                x * slope
            } else {
                x
            }
        }
        Activation::HardSigmoid(slope, offset) => hard(slope, offset),
        Activation::HardSwish => x * hard(1.0 / 6.0, 0.5),
        Activation::Sigmoid => <Sigmoid as Map1<f32>>::apply(x),
        Activation::Silu => <Silu as Map1<f32>>::apply(x),
    }
}

#[test]
fn bias_residual_and_activation_follow_the_sum() {
    let activations = [
        Activation::None,
        Activation::Relu,
        Activation::Clip(-1.5, 6.0),
        Activation::Leaky(0.1),
        Activation::HardSigmoid(0.2, 0.5),
        Activation::HardSwish,
        Activation::Sigmoid,
        Activation::Silu,
    ];
    for case in [CASES[5], CASES[8], CASES[12], CASES[13], CASES[22]] {
        let shape = shape(case);
        let plan = ConvPlan::<f32>::new(shape).in_order();
        let (input, weights) = (numbers(1, 2 * shape.input_len()), numbers(2, shape.weights_len()));
        let (bias, rest) = (numbers::<f32>(3, shape.outputs), numbers::<f32>(4, 2 * shape.output_len()));
        let packed = packed(&plan, &weights);
        let base = Conv {
            weights: &packed,
            input: &input,
            batch: 2,
            bias: None,
            residual: None,
            activation: Activation::None,
        };
        for isa in Isa::available().iter().copied().filter(|&isa| isa != Isa::Portable) {
            let sums = run(&plan, isa, &base, 2);
            for activation in activations {
                for (bias, residual) in
                    [(Some(&bias), None), (None, Some(&rest)), (Some(&bias), Some(&rest)), (None, None)]
                {
                    let conv =
                        Conv { bias: bias.map(|x| &x[..]), residual: residual.map(|x| &x[..]), activation, ..base };
                    let channel = |i: usize| i % shape.output_len() / shape.window.outputs();
                    let one = |(i, &x): (usize, &f32)| {
                        let x = bias.map_or(x, |bias| x + bias[channel(i)]);
                        finished(residual.map_or(x, |rest| x + rest[i]), activation)
                    };
                    let want: Vec<f32> = sums.iter().enumerate().map(one).collect();
                    assert_same(&run(&plan, isa, &conv, 3), &want, &(isa, case, activation));
                }
            }
        }
    }
}

#[test]
fn shapes_that_are_none_say_why() {
    let window = Window::new(&[Axis::new(4, 2, 1, 1, [0, 0]).unwrap()]).unwrap();
    let error = |inputs, outputs, groups| ConvShape::new(inputs, outputs, groups, window).unwrap_err();
    assert_eq!(error(3, 4, 2).to_string(), "3 input channels in 2 groups");
    assert_eq!(error(4, 3, 2), WindowError::Groups { of: "output", channels: 3, groups: 2 });
    assert_eq!(error(0, 3, 1), WindowError::Groups { of: "input", channels: 0, groups: 1 });
    assert_eq!(error(1, 1, 0), WindowError::Groups { of: "input", channels: 1, groups: 0 });
    assert_eq!(error(usize::MAX, 1, 1), WindowError::Overflow);
}

#[test]
fn padding_beyond_the_address_space_is_an_error() {
    let far = |extent: usize| Axis::new(1, 2, 1, extent, [extent, 0]).unwrap();
    let window = Window::new(&[far((1 << 50) - 1), far((1 << 14) - 1)]).unwrap();
    assert_eq!(ConvShape::new(2, 2, 2, window), Err(WindowError::Overflow));
    assert_eq!(ConvShape::new(1, 16, 1, window), Err(WindowError::Overflow));
}

#[test]
fn plans_of_tall_images_are_made_at_once() {
    let tall = |before: usize| Axis::new(2, 2, 1, 1, [before, 0]).unwrap();
    for (inputs, outputs, groups) in [(2, 2, 2), (1, 16, 1), (1, 300, 1)] {
        let window = Window::new(&[tall(1 << 40), tall(0)]).unwrap();
        let shape = ConvShape::new(inputs, outputs, groups, window).unwrap();
        assert!(ConvPlan::<f32>::new(shape).parts(1) > 0);
    }
}

#[test]
fn rows_too_long_to_copy_are_read_in_place() {
    assert_eq!(ConvPlan::<f32>::new(shape(CASES[25])).way(), "columns");
    assert_eq!(ConvPlan::<f64>::new(shape(CASES[25])).way(), "columns");
    assert_eq!(ConvPlan::<f32>::new(shape(CASES[12])).way(), "depthwise planes");
}

#[test]
fn a_chain_holds_at_most_256_products() {
    for channels in [1, 2, 3, 5, 15, 16, 17, 40, 64, 300] {
        for taps in [1, 2, 9, 49, 121] {
            let order = Order { channels, taps };
            let lens: Vec<usize> = order.chains().map(|steps| order.products(&steps)).collect();
            assert_eq!(lens.iter().sum::<usize>(), order.depth());
            assert!(lens.iter().all(|&len| len <= 256) && lens.len() <= 2 * order.depth().div_ceil(256));
        }
    }
}

/// Images of `channels` in another layout.
fn laid(layout: Layout, channels: usize, pixels: usize, planar: &[f32]) -> Vec<f32> {
    if layout == Layout::Planar {
        return planar.to_vec();
    }
    let one = |image: &[f32]| -> Vec<f32> {
        let at = |i: usize| {
            let (channel, pixel) = (i / 16 / pixels * 16 + i % 16, i / 16 % pixels);
            // What fills up the last block does not matter.
            if channel < channels { image[channel * pixels + pixel] } else { f32::NAN }
        };
        (0..layout.len(channels, pixels)).map(at).collect()
    };
    planar.chunks((channels * pixels).max(1)).flat_map(one).collect()
}

/// Images of `channels`, planar again.
fn unlaid(layout: Layout, channels: usize, pixels: usize, images: &[f32]) -> Vec<f32> {
    if layout == Layout::Planar {
        return images.to_vec();
    }
    let one = |image: &[f32]| -> Vec<f32> {
        let at = |i: usize| image[(i / pixels / 16 * pixels + i % pixels) * 16 + i / pixels % 16];
        (0..channels * pixels).map(at).collect()
    };
    images.chunks(layout.len(channels, pixels).max(1)).flat_map(one).collect()
}

const LAYOUTS: [[Layout; 2]; 4] = [
    [Layout::Planar, Layout::Planar],
    [Layout::Planar, Layout::Blocked],
    [Layout::Blocked, Layout::Planar],
    [Layout::Blocked, Layout::Blocked],
];

/// A plan's result for a batch in its layouts, planar.
fn through(plan: &ConvPlan<f32>, isa: Isa, conv: &Conv<'_, f32>, step: usize) -> Vec<f32> {
    let (shape, [input, output]) = (plan.shape(), plan.layouts());
    let (inputs, outputs) = (shape.window.inputs(), shape.window.outputs());
    let images = laid(input, shape.inputs, inputs, conv.input);
    let rest = conv.residual.map(|rest| laid(output, shape.outputs, outputs, rest));
    let conv = Conv { input: &images, residual: rest.as_deref(), ..*conv };
    unlaid(output, shape.outputs, outputs, &run(plan, isa, &conv, step))
}

#[test]
fn layouts_change_no_bit() {
    let mut ways = std::collections::BTreeSet::new();
    for case in CASES {
        let (shape, batch) = (shape(case), 2);
        let input = numbers::<f32>(1, batch * shape.input_len());
        let weights = numbers::<f32>(2, shape.weights_len());
        let (bias, rest) = (numbers::<f32>(3, shape.outputs), numbers::<f32>(4, batch * shape.output_len()));
        for [from, to] in LAYOUTS {
            let Some(plan) = ConvPlan::<f32>::with_layouts(shape, from, to) else { continue };
            let plan = plan.in_order();
            ways.insert((plan.way(), from == Layout::Blocked, to == Layout::Blocked));
            let packed = packed(&plan, &weights);
            let plain = Conv {
                weights: &packed,
                input: &input,
                batch,
                bias: None,
                residual: None,
                activation: Activation::None,
            };
            for &isa in Isa::available() {
                let what = (isa, case, plan.way(), from, to);
                let (want, _) = reference(isa, &shape, batch, &input, &weights);
                assert_same(&through(&plan, isa, &plain, 1), &want, &what);
                assert_same(&through(&plan, isa, &plain, 1000), &want, &what);
                let last = Conv { input: &input[shape.input_len()..], batch: 1, ..plain };
                assert_same(&through(&plan, isa, &last, 2), &want[shape.output_len()..], &what);
                let finish = |residual: Option<&[f32]>, activation| {
                    let one = |(i, &x): (usize, &f32)| {
                        let x = x + bias[i % shape.output_len() / shape.window.outputs()];
                        finished(residual.map_or(x, |rest| x + rest[i]), activation)
                    };
                    want.iter().enumerate().map(one).collect::<Vec<f32>>()
                };
                for (residual, activation) in
                    [(None, Activation::Relu), (Some(&rest[..]), Activation::Relu), (None, Activation::Leaky(0.3))]
                {
                    let conv = Conv { bias: Some(&bias), residual, activation, ..plain };
                    assert_same(&through(&plan, isa, &conv, 1000), &finish(residual, activation), &what);
                }
            }
        }
    }
    assert_eq!(ways.len(), 1 + 4 + 2 + 1, "every way was taken: {ways:?}");
}

/// Winograd's sums by definition, for one output.
fn winograd_one(
    step: fn(f32, f32, f32) -> f32,
    shape: &ConvShape,
    image: &[f32],
    weights: &[f32],
    output: usize,
    pixel: usize,
) -> f32 {
    const G: [[f64; 3]; 4] = [[1.0, 0.0, 0.0], [0.5, 0.5, 0.5], [0.5, -0.5, 0.5], [0.0, 0.0, 1.0]];
    let [_, high, wide] = &shape.window.axes;
    let [_, y, x] = shape.window.output(pixel);
    let step_y = high.dilation;
    let top = (y / (2 * step_y) * 2 * step_y + y % step_y) as isize - high.before as isize;
    let left = (x / 2 * 2) as isize - wide.before as isize;
    let into = |d: [f32; 4]| [d[0] - d[2], d[1] + d[2], d[2] - d[1], d[1] - d[3]];
    let from = |d: [f32; 4]| [d[0] + d[1] + d[2], d[1] - d[2] - d[3]];
    let column = |d: &[[f32; 4]; 4], q: usize| [d[0][q], d[1][q], d[2][q], d[3][q]];
    let mut pairs = vec![Vec::new(); 16];
    for channel in 0..shape.inputs {
        let at = |r: usize, q: usize| {
            let (y, x) = (top + (r * step_y) as isize, left + q as isize);
            let inside = (0..high.input as isize).contains(&y) && (0..wide.input as isize).contains(&x);
            if inside { image[(channel * high.input + y as usize) * wide.input + x as usize] } else { 0.0 }
        };
        let rows: [[f32; 4]; 4] = std::array::from_fn(|r| into(std::array::from_fn(|q| at(r, q))));
        let kernel = &weights[(output * shape.inputs + channel) * 9..][..9];
        for q in 0..4 {
            let points = into(column(&rows, q));
            for r in 0..4 {
                let along = |a: usize| (0..3).map(|b| G[q][b] * f64::from(kernel[a * 3 + b])).sum::<f64>();
                let weight = (0..3).map(|a| G[r][a] * along(a)).sum::<f64>() as f32;
                pairs[r * 4 + q].push((points[r], weight));
            }
        }
    }
    let sum = |pairs: &Vec<(f32, f32)>| {
        let chain = |pairs: &[(f32, f32)]| pairs.iter().fold(0.0, |sum, &(x, w)| step(x, w, sum));
        pairs.chunks(256).map(chain).reduce(|a, b| a + b).unwrap()
    };
    let sums: Vec<f32> = pairs.iter().map(sum).collect();
    let rows: [[f32; 2]; 4] = std::array::from_fn(|r| from(std::array::from_fn(|q| sums[r * 4 + q])));
    from([rows[0][x % 2], rows[1][x % 2], rows[2][x % 2], rows[3][x % 2]])[y / step_y % 2]
}

#[test]
fn winograd_has_an_order_too() {
    use freelane_simd::Scalar;
    let mut taken = 0;
    for case in CASES {
        let (shape, batch) = (shape(case), 2);
        if ConvPlan::<f32>::new(shape).way() != "winograd" {
            continue;
        }
        let input = numbers::<f32>(1, batch * shape.input_len());
        let (weights, bias) = (numbers::<f32>(2, shape.weights_len()), numbers::<f32>(3, shape.outputs));
        let channel = |i: usize| i % shape.output_len() / shape.window.outputs();
        let want = |step: fn(f32, f32, f32) -> f32| -> Vec<f32> {
            let one = |i: usize| {
                let image = &input[i / shape.output_len() * shape.input_len()..][..shape.input_len()];
                let x = winograd_one(step, &shape, image, &weights, channel(i), i % shape.window.outputs());
                finished(x + bias[channel(i)], Activation::Relu)
            };
            (0..batch * shape.output_len()).map(one).collect()
        };
        let wants = [want(f32::chain), want(f32::mul_add)];
        let (_, wide) = reference(Isa::current(), &shape, batch, &input, &weights);
        let near = |(i, g): (usize, &f32)| {
            let w = (wide[i] + f64::from(bias[channel(i)])).max(0.0);
            (f64::from(*g) - w).abs() < 1e-4 * (1.0 + w.abs())
        };
        assert!(wants.iter().all(|want| want.iter().enumerate().all(near)), "{case:?}");
        for [from, to] in LAYOUTS {
            let plan = ConvPlan::<f32>::with_layouts(shape, from, to).unwrap();
            assert_eq!(plan.way(), "winograd");
            taken += 1;
            let packed = packed(&plan, &weights);
            let conv = Conv {
                weights: &packed,
                input: &input,
                batch,
                bias: Some(&bias),
                residual: None,
                activation: Activation::Relu,
            };
            for &isa in Isa::available() {
                let (want, what) = (&wants[usize::from(isa != Isa::Portable)], (isa, case, from, to));
                assert_same(&through(&plan, isa, &conv, 1), want, &what);
                assert_same(&through(&plan, isa, &conv, 100), want, &what);
                let last = Conv { input: &input[shape.input_len()..], batch: 1, ..conv };
                assert_same(&through(&plan, isa, &last, 1), &want[shape.output_len()..], &what);
            }
        }
    }
    assert!(taken >= 28, "{taken}");
}
