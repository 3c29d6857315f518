//! Values that other implementations print, and what must not depend on lanes or batches.
use freelane_nn::activation::{Activation as Curve, prelu};
use freelane_nn::bytes::ByteMatrix;
use freelane_nn::conv::{Activation, Convolution, Layout};
use freelane_nn::norm::LineNorm;
use freelane_nn::pool::{average_pool, max_pool};
use freelane_nn::quant::{Shared, dequantize, quantize, quantize_dynamic};
use freelane_nn::recurrent::{Cell, Gate, Inputs, Recurrence};
use freelane_nn::resize::{AxisTo, Between, Coordinates, Resize};
use freelane_nn::sample::{Between as Near, GridSample, Outside};
use freelane_nn::softmax::Lines;
use freelane_nn::transposed::Transposed;
use freelane_nn::{AutoPad, Sliding};
use freelane_ops::{Array, ArrayData, DType, Element};
use freelane_pool::{Lane, Runtime};

type Tested = Result<(), Box<dyn std::error::Error>>;

fn array<T: Element>(values: &[T], shape: &[usize]) -> ArrayData {
    Array::from_vec(values.to_vec(), shape).unwrap().into()
}

fn floats(x: &ArrayData) -> Vec<f32> {
    Array::from(x.clone()).to_vec().unwrap()
}

fn near(x: &ArrayData, want: &[f32]) {
    let got = floats(x);
    assert_eq!(got.len(), want.len());
    assert!(got.iter().zip(want).all(|(g, w)| (g - w).abs() <= 1e-6 * w.abs().max(1.0)), "{got:?} is not {want:?}");
}

/// Numbers about zero, from a small generator.
fn numbers(seed: u64, count: usize) -> Vec<f32> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) % 4001
    };
    (0..count).map(|_| next() as f32 / 1000.0 - 2.0).collect()
}

fn image() -> ArrayData {
    array(&(0..16).map(|i| i as f32).collect::<Vec<_>>(), &[1, 1, 4, 4])
}

fn stride_2(kernel: &[usize], pads: &[usize]) -> Sliding {
    Sliding { kernel: kernel.to_vec(), strides: vec![2, 2], pads: pads.to_vec(), ..Sliding::default() }
}

#[test]
fn convolutions() -> Tested {
    let edges = array(&[1f32, 0.0, -1.0, 2.0, 0.0, -2.0, 1.0, 0.0, -1.0], &[1, 1, 3, 3]);
    let x = image();
    let plan = Convolution::new(&x, &edges, 1, &stride_2(&[3, 3], &[1, 1, 1, 1]))?;
    let run = |bias, activation| Lane::with(|lane| plan.run(lane, &x, bias, None, activation));
    near(&run(None, Activation::None)?, &[-7.0, -6.0, -36.0, -8.0]);
    near(&run(Some(&array(&[7f32], &[1])), Activation::Relu)?, &[0.0, 1.0, 0.0, 0.0]);
    let small = array(&[0f32, 1.0, 4.0, 5.0], &[1, 1, 2, 2]);
    let layer = Transposed { sliding: stride_2(&[], &[]), groups: 1, ..Transposed::default() };
    let y = Lane::with(|lane| layer.call(lane, &small, &edges, None))?;
    let rows = [
        [0.0, 0.0, 1.0, 0.0, -1.0],
        [0.0, 0.0, 2.0, 0.0, -2.0],
        [4.0, 0.0, 2.0, 0.0, -6.0],
        [8.0, 0.0, 2.0, 0.0, -10.0],
        [4.0, 0.0, 1.0, 0.0, -5.0],
    ];
    assert_eq!(floats(&y), rows.concat());
    Ok(())
}

#[test]
fn what_does_not_fit_says_why() {
    let (x, w) = (image(), array(&[0f32; 18], &[1, 2, 3, 3]));
    let error = Convolution::new(&x, &w, 1, &Sliding::default()).err().unwrap().to_string();
    assert_eq!(error, "Conv: weights [1, 2, 3, 3] for 1 channels in 1 groups");
    let large = Sliding { kernel: vec![5, 5], ..Sliding::default() };
    let error = Lane::with(|lane| average_pool(lane, &x, &large, Layout::Planar, false)).err().unwrap().to_string();
    assert_eq!(error, "AveragePool: a window of 5 pixels over an axis of 4, padded by 0 and 0");
    let lists = Sliding { kernel: vec![2, 2], strides: vec![1], ..Sliding::default() };
    let error = Lane::with(|lane| max_pool(lane, &x, &lists, Layout::Planar, false, false)).err().unwrap().to_string();
    assert_eq!(error, "MaxPool: 1 numbers of stride for 2 spatial axes");
}

#[test]
fn pools() -> Tested {
    let x = image();
    let sliding = stride_2(&[3, 3], &[1, 1, 1, 1]);
    let average = |padding| Lane::with(|lane| average_pool(lane, &x, &sliding, Layout::Planar, padding));
    near(&average(false)?, &[2.5, 4.0, 8.5, 10.0]);
    near(&average(true)?, &[10.0 / 9.0, 24.0 / 9.0, 51.0 / 9.0, 10.0]);
    let (y, places) = Lane::with(|lane| max_pool(lane, &x, &sliding, Layout::Planar, false, true))?;
    assert_eq!(floats(&y), [5.0, 7.0, 13.0, 15.0]);
    assert_eq!(Array::from(places.unwrap()).to_vec::<i64>()?, [5, 7, 13, 15]);
    let same = Sliding { auto_pad: AutoPad::SameUpper, ..stride_2(&[3, 3], &[]) };
    let (y, _) = Lane::with(|lane| max_pool(lane, &x, &same, Layout::Planar, false, false))?;
    assert_eq!(floats(&y), [10.0, 11.0, 14.0, 15.0]);
    let bytes = array(&[200u8, 1, 3, 255], &[1, 1, 2, 2]);
    let all = Sliding { kernel: vec![2, 2], ..Sliding::default() };
    let (y, _) = Lane::with(|lane| max_pool(lane, &bytes, &all, Layout::Planar, false, false))?;
    assert_eq!(Array::from(y).to_vec::<u8>()?, [255]);
    Ok(())
}

/// Planar images as blocks of 16 channels, or the other way around.
fn turned(x: &ArrayData, to: Layout) -> Result<ArrayData, freelane_ops::OpsError> {
    let x = Array::from(x.clone());
    let n: Vec<isize> = x.data().layout().shape().iter().map(|&n| n as isize).collect();
    let turned = match to {
        Layout::Blocked => x.reshape(&[n[0], n[1] / 16, 16, n[2], n[3]])?.permute_dims(&[0, 1, 3, 4, 2])?,
        Layout::Planar => x.permute_dims(&[0, 1, 4, 2, 3])?.contiguous()?.reshape(&[n[0], n[1] * 16, n[2], n[3]])?,
    };
    Ok(turned.contiguous()?.into())
}

#[test]
fn blocks_change_no_bit() -> Tested {
    let (x, w) = (array(&numbers(1, 2 * 32 * 81), &[2, 32, 9, 9]), array(&numbers(2, 48 * 32 * 9), &[48, 32, 3, 3]));
    let blocks = turned(&x, Layout::Blocked)?;
    // There is no way for blocks at steps of three; the images are turned.
    for step in [1, 2, 3] {
        let sliding = Sliding { strides: vec![step; 2], pads: vec![1; 4], ..Sliding::default() };
        let rest = |planar: &ArrayData| array(&numbers(3, planar.layout().len()), planar.layout().shape());
        let run = |x: &ArrayData, rest: Option<&ArrayData>, layouts| {
            let conv = Convolution::with_layouts(x, &w, 1, &sliding, layouts)?;
            Lane::with(|lane| conv.run(lane, x, None, rest, Activation::Relu))
        };
        let shape = run(&x, None, [Layout::Planar; 2])?;
        let rest = rest(&shape);
        let want = run(&x, Some(&rest), [Layout::Planar; 2])?;
        let (from, to) = (Layout::Blocked, Layout::Blocked);
        let made = run(&blocks, Some(&turned(&rest, to)?), [from, to])?;
        assert_eq!(floats(&turned(&made, Layout::Planar)?), floats(&want), "{step}");
        assert_eq!(floats(&run(&blocks, Some(&rest), [from, Layout::Planar])?), floats(&want), "{step}");
        let made = run(&x, Some(&turned(&rest, to)?), [Layout::Planar, to])?;
        assert_eq!(floats(&turned(&made, Layout::Planar)?), floats(&want), "{step}");
        let pool = Sliding { kernel: vec![3, 2], ..sliding };
        let largest = |x: &ArrayData, at| Lane::with(|lane| max_pool(lane, x, &pool, at, false, false)).map(|(y, _)| y);
        let mean = |x: &ArrayData, at| Lane::with(|lane| average_pool(lane, x, &pool, at, true));
        assert_eq!(floats(&turned(&largest(&blocks, from)?, Layout::Planar)?), floats(&largest(&x, Layout::Planar)?));
        assert_eq!(floats(&turned(&mean(&blocks, from)?, Layout::Planar)?), floats(&mean(&x, Layout::Planar)?));
    }
    let few = array(&numbers(4, 3 * 32 * 9), &[3, 32, 3, 3]);
    let all = Sliding::default();
    assert!(Convolution::with_layouts(&x, &few, 1, &all, [Layout::Planar, Layout::Blocked]).is_err());
    assert!(
        Lane::with(|lane| max_pool(lane, &x, &Sliding { kernel: vec![2; 2], ..all }, Layout::Blocked, false, false))
            .is_err()
    );
    Ok(())
}

fn layer(cell: Cell, backwards: bool) -> Recurrence {
    let functions = match cell {
        Cell::Rnn => vec![Gate::Tanh],
        Cell::Gru(_) => vec![Gate::Sigmoid, Gate::Tanh],
        Cell::Lstm(_) => vec![Gate::Sigmoid, Gate::Tanh, Gate::Tanh],
    };
    Recurrence { cell, backwards: vec![backwards], functions, clip: None, batch_first: false }
}

fn inputs<'a>(x: &'a ArrayData, bias: &'a ArrayData, lengths: Option<&'a ArrayData>) -> Inputs<'a> {
    Inputs { x, bias: Some(bias), lengths, hidden: None, cells: None, peepholes: None }
}

#[test]
fn recurrences() -> Tested {
    let x = array(&[1f32, 2.0, 3.0, 4.0], &[2, 1, 2]);
    let w = array(&[-0.3f32, -0.2, -0.1, 0.0, 0.1, 0.2, 0.3, 0.4], &[1, 4, 2]);
    let r = array(&[0.1f32, 0.2, -0.3, 0.4], &[1, 4, 1]);
    let b = array(&[0.1f32, 0.2, 0.3, 0.4, 0.0, 0.0, 0.0, 0.0], &[1, 8]);
    let run = |layer: &Recurrence, w: &ArrayData, r: &ArrayData, inputs: &Inputs<'_>| {
        Lane::with(|lane| layer.run(lane, &layer.pack(w, r)?, inputs))
    };
    let made = run(&layer(Cell::Lstm(false), false), &w, &r, &inputs(&x, &b, None))?;
    near(&made.all, &[0.162_832_83, 0.193_454_98]);
    near(&made.hidden, &[0.193_454_98]);
    near(&made.cells, &[0.424_131_36]);
    let one = array(&[1i32], &[1]);
    let made = run(&layer(Cell::Lstm(false), true), &w, &r, &inputs(&x, &b, Some(&one)))?;
    near(&made.all, &[0.162_832_83, 0.0]);
    near(&made.cells, &[0.320_733_58]);
    let w = array(&[-0.3f32, -0.2, -0.1, 0.0, 0.1, 0.2], &[1, 3, 2]);
    let r = array(&[0.1f32, 0.2, -0.3], &[1, 3, 1]);
    let b = array(&[0.1f32, 0.2, 0.3, 0.4, 0.5, 0.6], &[1, 6]);
    near(&run(&layer(Cell::Gru(false), false), &w, &r, &inputs(&x, &b, None))?.all, &[0.486_796_47, 0.844_047_55]);
    near(&run(&layer(Cell::Gru(true), false), &w, &r, &inputs(&x, &b, None))?.all, &[0.456_235_2, 0.819_336_53]);
    Ok(())
}

#[test]
fn a_row_of_a_batch_is_a_batch_of_one() -> Tested {
    let (steps, batch, depth, size) = (5, 3, 7, 9);
    let layer = layer(Cell::Lstm(false), false);
    let weights = layer.pack(
        &array(&numbers(1, 4 * size * depth), &[1, 4 * size, depth]),
        &array(&numbers(2, 4 * size * size), &[1, 4 * size, size]),
    )?;
    let bias = array(&numbers(3, 8 * size), &[1, 8 * size]);
    let x = Array::from_vec(numbers(4, steps * batch * depth), &[steps, batch, depth])?;
    let run = |x: &Array| Lane::with(|lane| layer.run(lane, &weights, &inputs(x.data(), &bias, None)));
    let whole = Array::from(run(&x)?.all);
    let row = |x: &Array, axis: usize| {
        let all = freelane_ops::Index::from(freelane_ops::Slice::all());
        let part = freelane_ops::Slice { start: Some(1), stop: Some(2), step: 1 };
        let mut index = vec![all; axis];
        index.push(part.into());
        x.index(&index).and_then(|x| x.contiguous())
    };
    assert_eq!(row(&whole, 2)?.to_vec::<f32>()?, floats(&run(&row(&x, 1)?)?.all));
    Ok(())
}

#[test]
fn no_lane_changes_a_bit() -> Tested {
    let (x, w) = (array(&numbers(5, 2 * 16 * 900), &[2, 16, 30, 30]), array(&numbers(6, 24 * 16 * 9), &[24, 16, 3, 3]));
    let sliding = Sliding { kernel: vec![3, 3], pads: vec![1; 4], ..Sliding::default() };
    let bytes: Vec<u8> = (0..300 * 400).map(|i| (i * 7 % 251) as u8).collect();
    let (a, b) = (array(&bytes, &[300, 400]), array(&bytes, &[400, 300]));
    let all = |lane: &Lane| -> Result<Vec<Vec<f32>>, freelane_ops::OpsError> {
        let y = Convolution::new(&x, &w, 1, &sliding)?.run(lane, &x, None, None, Activation::None)?;
        let pooled = max_pool(lane, &y, &sliding, Layout::Planar, false, false)?.0;
        let lines = Lines::Softmax.call(lane, "softmax", &pooled, 3..4)?;
        let product = ByteMatrix::pack(&b)?.multiply(lane, &a, None, None)?;
        let product = Array::from(product).astype(DType::F64)?.to_vec::<f64>()?;
        Ok(vec![floats(&y), floats(&lines), product.into_iter().map(|x| x as f32).collect()])
    };
    assert_eq!(Runtime::new(3)?.install(all)?, Lane::with(all)?);
    Ok(())
}

#[test]
fn lines() -> Tested {
    let x = array(&[1000f32, 1000.0, f32::NEG_INFINITY, 0.0, 0.0, 0.0], &[2, 3]);
    let soft = |axes| Lane::with(|lane| Lines::Softmax.call(lane, "softmax", &x, axes));
    near(&soft(1..2)?, &[0.5, 0.5, 0.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0]);
    near(&soft(0..1)?, &[1.0, 1.0, 0.0, 0.0, 0.0, 1.0]);
    let hard = Lane::with(|lane| Lines::Hardmax.call(lane, "hardmax", &x, 1..2))?;
    assert_eq!(floats(&hard), [1.0, 0.0, 0.0, 1.0, 0.0, 0.0]);
    let alone = array(&[5f32], &[]);
    assert_eq!(floats(&Lane::with(|lane| Lines::Softmax.call(lane, "softmax", &alone, 0..0))?), [1.0]);
    let x = array(&[1f32, 3.0], &[1, 2]);
    let norm = LineNorm { epsilon: 0.0, centred: true, stash: None, axis: -1, moments: true };
    let (y, mean, factor) = Lane::with(|lane| norm.call(lane, "LayerNormalization", &x, None, None))?;
    assert_eq!((floats(&y), floats(&mean.unwrap()), floats(&factor.unwrap())), (vec![-1.0, 1.0], vec![2.0], vec![1.0]));
    Ok(())
}

#[test]
fn slopes_and_curves() -> Tested {
    let x = array(&[-1f32, 2.0, -3.0, -4.0], &[2, 2]);
    let slopes = array(&[0.5f32, 0.25], &[2]);
    assert_eq!(floats(&Lane::with(|lane| prelu(lane, &x, &slopes))?), [-0.5, 2.0, -1.5, -1.0]);
    let rows = array(&[0.5f32, 0.25], &[2, 1]);
    assert_eq!(floats(&Lane::with(|lane| prelu(lane, &x, &rows))?), [-0.5, 2.0, -0.75, -1.0]);
    let curve = |f: Curve| Lane::with(|lane| f.call(lane, "curve", &x));
    assert_eq!(floats(&curve(Curve::HardSigmoid(0.25, 0.5))?), [0.25, 1.0, 0.0, 0.0]);
    assert_eq!(floats(&curve(Curve::Clip(-3.5, 1.0))?), [-1.0, 1.0, -3.0, -3.5]);
    near(&curve(Curve::Elu(2.0))?, &[2.0 * (-1f32).exp_m1(), 2.0, 2.0 * (-3f32).exp_m1(), 2.0 * (-4f32).exp_m1()]);
    Ok(())
}

#[test]
fn images_of_another_size() -> Tested {
    let x = array(&[1f32, 2.0, 3.0, 4.0], &[1, 1, 4]);
    let how = Resize {
        coordinates: Coordinates::HalfPixel,
        between: Between::Linear,
        antialias: false,
        exclude_outside: false,
        outside: 0.0,
    };
    let to = AxisTo { axis: 2, output: 8, scale: 2.0, region: [0.0, 1.0] };
    let resize = |how: &Resize, to: &AxisTo, x: &ArrayData| {
        Lane::with(|lane| how.run(lane, x, &how.plan(lane, x, std::slice::from_ref(to))?))
    };
    assert_eq!(floats(&resize(&how, &to, &x)?), [1.0, 1.25, 1.75, 2.25, 2.75, 3.25, 3.75, 4.0]);
    let none = resize(&how, &AxisTo { output: usize::MAX, ..to }, &array::<f32>(&[], &[0, 1, 4]))?;
    assert_eq!(none.layout().shape(), [0, 1, usize::MAX]);
    for (antialias, output, scale) in
        [(false, 1 << 60, 1e18), (true, 1, 1e-18), (true, 1, 1e-300), (false, usize::MAX, 9e18)]
    {
        let refused = resize(&Resize { antialias, ..how.clone() }, &AxisTo { output, scale, ..to }, &x);
        assert!(refused.is_err(), "{output} pixels");
    }
    Ok(())
}

#[test]
fn places_of_largest_elements_count_over_all_planes() -> Tested {
    let x: Vec<f32> = (0..2 * 3 * 16).map(|i| i as f32).collect();
    let (x, sliding) = (array(&x, &[2, 3, 4, 4]), stride_2(&[2, 2], &[]));
    for (column_major, expected) in [(false, [5, 7, 13, 15]), (true, [5, 13, 7, 15])] {
        let (_, places) = Lane::with(|lane| max_pool(lane, &x, &sliding, Layout::Planar, column_major, true))?;
        let expected: Vec<i64> = (0..6).flat_map(|plane| expected.map(|place| plane * 16 + place)).collect();
        assert_eq!(Array::from(places.expect("places")).to_vec::<i64>()?, expected);
    }
    Ok(())
}

#[test]
fn an_image_without_pixels_is_not_sampled() {
    let how = GridSample { between: Near::Linear, outside: Outside::Border, align_corners: false };
    let (x, grid) = (array::<f32>(&[], &[1, 1, 0, 2]), array(&[0f32; 2], &[1, 1, 1, 2]));
    assert!(Lane::with(|lane| how.call(lane, &x, &grid)).is_err());
}

#[test]
fn bytes_stand_for_floats() -> Tested {
    let x = array(&[0f32, 2.0, -3.0, -2.5, 1.34, 0.5], &[6]);
    let [y, scale, zero] = Lane::with(|lane| quantize_dynamic(lane, &x))?;
    assert_eq!(Array::from(y).to_vec::<u8>()?, [153, 255, 0, 26, 221, 179]);
    assert_eq!((floats(&scale)[0], Array::from(zero).item::<u8>()?), (5.0 / 255.0, 153));
    let shared = Shared { axis: 0, block: 0 };
    let (scale, zero) = (array(&[2f32, 4.0], &[2]), array(&[0i8, 1], &[2]));
    let x = array(&[3f32, 5.0, 1000.0, 6.0], &[2, 2]);
    let y = Lane::with(|lane| quantize(lane, &x, &scale, Some(&zero), DType::I8, shared))?;
    assert_eq!(Array::from(y.clone()).to_vec::<i8>()?, [2, 2, 127, 3]);
    let back = Lane::with(|lane| dequantize(lane, &y, &scale, Some(&zero), DType::F32, shared))?;
    assert_eq!(floats(&back), [4.0, 4.0, 504.0, 8.0]);
    let (a, b) = (array(&[11u8, 7, 3], &[1, 3]), array(&[1u8, 4, 2, 5, 3, 6], &[3, 2]));
    let (za, zb) = (array(&[12u8], &[1]), array(&[0u8], &[1]));
    let y = Lane::with(|lane| ByteMatrix::pack(&b)?.multiply(lane, &a, Some(&za), Some(&zb)))?;
    assert_eq!(Array::from(y).to_vec::<i32>()?, [-38, -83]);
    Ok(())
}
