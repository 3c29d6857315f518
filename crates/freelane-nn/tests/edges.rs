//! What garbage and empty operands give: the right value or an error that names it.
use freelane_nn::Sliding;
use freelane_nn::activation::Activation;
use freelane_nn::attention::{Attention, Inputs, LinearAttention, Sequence};
use freelane_nn::bytes::{ByteMatrix, ScaledMatrix};
use freelane_nn::conv::{self, Convolution};
use freelane_nn::norm::LineNorm;
use freelane_nn::pool::{Whole, global_pool};
use freelane_nn::quant::{Shared, quantize};
use freelane_nn::recurrent::{Cell, Gate, Inputs as Steps, Recurrence};
use freelane_nn::sample::RoiAlign;
use freelane_nn::transposed::Transposed;
use freelane_ops::{Array, ArrayData, DType, Element, Slice};
use freelane_pool::Lane;

type Tested = Result<(), Box<dyn std::error::Error>>;

fn array<T: Element>(values: &[T], shape: &[usize]) -> ArrayData {
    Array::from_vec(values.to_vec(), shape).unwrap().into()
}

fn floats(x: &ArrayData) -> Vec<f32> {
    Array::from(x.clone()).to_vec().unwrap()
}

#[test]
fn nan_passes_every_curve() -> Tested {
    let x = array(&[f32::NAN, -8.0, 8.0], &[3]);
    for (curve, ends) in [
        (Activation::HardSigmoid(0.25, 0.5), [0.0, 1.0]),
        (Activation::HardSwish, [0.0, 8.0]),
        (Activation::Clip(-1.0, 2.0), [-1.0, 2.0]),
        (Activation::Celu(1.0), [(-8f32).exp_m1(), 8.0]),
    ] {
        let y = floats(&Lane::with(|lane| curve.call(lane, "curve", &x))?);
        assert!(y[0].is_nan() && y[1..] == ends, "{curve:?}: {y:?}");
    }
    let layer = Recurrence {
        cell: Cell::Rnn,
        backwards: vec![false],
        functions: vec![Gate::Relu],
        clip: Some(5.0),
        batch_first: false,
    };
    let weights = layer.pack(&array(&[1f32], &[1, 1, 1]), &array(&[0f32], &[1, 1, 1]))?;
    let x = array(&[f32::NAN], &[1, 1, 1]);
    let steps = Steps { x: &x, bias: None, lengths: None, hidden: None, cells: None, peepholes: None };
    assert!(floats(&Lane::with(|lane| layer.run(lane, &weights, &steps))?.hidden)[0].is_nan());
    let short = Recurrence { functions: vec![], ..layer };
    let error = Lane::with(|lane| short.run(lane, &weights, &steps)).err().unwrap().to_string();
    assert_eq!(error, "RNN: 0 functions and 1 directions for weights of 1");
    Ok(())
}

#[test]
fn nan_becomes_the_lowest_code() -> Tested {
    let x = array(&[f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 1.0], &[4]);
    let (scale, one) = (array(&[0.5f32], &[]), Shared { axis: 0, block: 0 });
    let of = |dtype| Lane::with(|lane| quantize(lane, &x, &scale, None, dtype, one)).map(Array::from);
    assert_eq!(of(DType::I8)?.to_vec::<i8>()?, [-128, 127, -128, 2]);
    assert_eq!(of(DType::U8)?.to_vec::<u8>()?, [0, 255, 0, 2]);
    assert_eq!(of(DType::I16)?.to_vec::<i16>()?, [-32768, 32767, -32768, 2]);
    Ok(())
}

#[test]
fn scales_of_rows_are_those_of_rows() -> Tested {
    let x = array(&[1f32, 3.0, 1.0, 3.0], &[2, 2]);
    let norm = LineNorm { epsilon: 0.0, centred: true, stash: None, axis: -1, moments: false };
    let of = |scale: &ArrayData| Lane::with(|lane| norm.call(lane, "LayerNormalization", &x, Some(scale), None));
    assert_eq!(floats(&of(&array(&[10f32, 20.0], &[2, 1]))?.0), [-10.0, 10.0, -20.0, 20.0]);
    assert_eq!(floats(&of(&array(&[10f32, 20.0], &[2]))?.0), [-10.0, 20.0, -10.0, 20.0]);
    assert_eq!(floats(&of(&array(&[10f32, 20.0], &[1, 2]))?.0), [-10.0, 20.0, -10.0, 20.0]);
    assert_eq!(floats(&of(&array(&[10f32], &[1, 1, 1]))?.0), [-10.0, 10.0, -10.0, 10.0]);
    assert!(of(&array(&[10f32, 20.0, 30.0], &[3])).is_err());
    Ok(())
}

#[test]
fn a_box_asks_for_no_more_than_there_is_memory() -> Tested {
    let how = RoiAlign { output: [4, 4], samples: 0, scale: 1.0, half_pixel: false, max: false };
    let image = array(&vec![1f32; 1 << 20], &[1, 1, 1 << 10, 1 << 10]);
    let of = |area: [f32; 4]| Lane::with(|lane| how.call(lane, &image, &array(&area, &[1, 4]), &array(&[0i64], &[1])));
    let error = of([-1e30, -1e30, 1e30, 1e30]).err().unwrap().to_string();
    assert!(error.starts_with("RoiAlign: a box"), "{error}");
    assert_eq!(floats(&of([8.0, 8.0, 16.0, 16.0])?), [1.0; 16]);
    assert_eq!(floats(&of([f32::NAN; 4])?), [0.0; 16]);
    Ok(())
}

#[test]
fn empty_and_strided_products_of_bytes() -> Tested {
    let matrix = ByteMatrix::pack(&array::<u8>(&[], &[0, 2]))?;
    let none = ScaledMatrix { matrix, scale: vec![1.0], zero: None };
    let mut out = [7f32; 4];
    Lane::with(|lane| none.multiply(lane, &[], Some(&[1.0, 2.0]), &mut out))?;
    assert_eq!(out, [1.0, 2.0, 1.0, 2.0]);
    let (a, b) = (array(&[11u8, 7], &[1, 2]), array(&[1u8, 4, 2, 5], &[2, 2]));
    let zeros = Array::from(array(&[1u8, 9, 2, 9], &[4]));
    let every_other = zeros.index(&[Slice { start: None, stop: None, step: 2 }.into()])?.into();
    let y = Lane::with(|lane| ByteMatrix::pack(&b)?.multiply(lane, &a, None, Some(&every_other)))?;
    // 11 (1 - 1) + 7 (2 - 1), 11 (4 - 2) + 7 (5 - 2)
    assert_eq!(Array::from(y).to_vec::<i32>()?, [7, 43]);
    Ok(())
}

#[test]
fn attention_without_depth_or_half_a_past_is_refused() {
    let (q, v) = (array(&[1f32; 4], &[1, 2, 2]), array::<f32>(&[], &[1, 2, 0]));
    let linear = LinearAttention { heads: [1, 1], scale: None, gated: false, delta: false };
    let sequence = Sequence { q: &q, k: &q, v: &v, state: None, decay: None, beta: None };
    let error = Lane::with(|lane| linear.call(lane, &sequence)).err().unwrap().to_string();
    assert_eq!(error, "LinearAttention: queries, keys and values of shapes ([1, 2, 2], [1, 2, 2], [1, 2, 0])");
    let whole = Sequence { v: &q, ..sequence };
    let doubled = array(&[1i64; 4], &[1, 2, 2]);
    assert!(Lane::with(|lane| linear.call(lane, &Sequence { q: &doubled, ..whole })).is_err());
    let x = array(&[1f32; 4], &[1, 1, 2, 2]);
    let inputs = Inputs { q: &x, k: &x, v: &x, mask: None, past_k: Some(&x), past_v: None, lengths: None };
    let error = Lane::with(|lane| Attention::default().call(lane, &inputs, false)).err().unwrap().to_string();
    assert_eq!(error, "Attention: past keys without past values, or the other way around");
}

#[test]
fn lengths_beyond_all_numbers_attend_to_nothing_or_all() -> Tested {
    let x = array(&[1f32, 2.0, 3.0, 4.0], &[1, 1, 2, 2]);
    let lengths = array(&[i64::MIN], &[1]);
    let inputs = Inputs { q: &x, k: &x, v: &x, mask: None, past_k: None, past_v: None, lengths: Some(&lengths) };
    let how = Attention { causal: true, window: [Some(usize::MAX); 2], ..Attention::default() };
    assert_eq!(floats(&Lane::with(|lane| how.call(lane, &inputs, false))?.y), [0.0; 4]);
    Ok(())
}

#[test]
fn a_norm_takes_its_power_whole() -> Tested {
    let x = array(&[1f32, 1.0], &[1, 1, 2]);
    let y = Lane::with(|lane| global_pool(lane, "GlobalLpPool", &x, Whole::Norm(1 << 16)))?;
    assert!((floats(&y)[0] - 2f32.powf(1.0 / 65536.0)).abs() < 1e-6);
    Ok(())
}

#[test]
fn convolutions_over_padding_alone_are_zero() -> Tested {
    let (x, w) = (array(&[1f32, 2.0, 3.0, 4.0], &[1, 1, 1, 4]), array(&[1f32], &[1, 1, 1, 1]));
    let sliding = Sliding { strides: vec![2, 1], pads: vec![1, 0, 0, 0], ..Sliding::default() };
    let plan = Convolution::new(&x, &w, 1, &sliding)?;
    let y = Lane::with(|lane| plan.run(lane, &x, None, None, conv::Activation::None))?;
    assert_eq!(floats(&y), [0.0; 4]);
    Ok(())
}

#[test]
fn transposed_convolutions_of_absurd_groups_are_errors() {
    let none = |groups: usize, [pixels, each]: [usize; 2]| {
        let layer = Transposed { groups, ..Transposed::default() };
        let (x, w) = (array::<f32>(&[], &[1, 0, pixels]), array::<f32>(&[], &[0, each, 1]));
        Lane::with(|lane| layer.call(lane, &x, &w, None)).err().expect("no such groups").to_string()
    };
    for message in [none(1 << 62, [1, 4]), none(7_905_747_460_161_236_407, [2, 7])] {
        assert!(message.contains("groups"), "{message}");
    }
}
