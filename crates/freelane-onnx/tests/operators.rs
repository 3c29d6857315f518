//! Operators at the edges of what they take, where the public cases have nothing.
mod build;

use build::{ints, model, node, value};
use freelane_graph::{Datum, Limits};
use freelane_onnx::{ModelFile, Session, SessionOptions};
use freelane_ops::{Array, Element};

/// What a node with the outputs `y` and others makes of `x` and more inputs.
fn run(fields: &[Vec<u8>], inputs: &[Datum]) -> Result<Array, String> {
    let session = Session::from_bytes(model(fields, &[]), &SessionOptions::default()).map_err(|e| e.to_string())?;
    let mut outputs = session.run_within(inputs, &Limits::default()).map_err(|e| e.to_string())?;
    outputs.swap_remove(0).into_array().ok_or_else(|| "no array".to_owned())
}

fn array<T: Element>(values: &[T], shape: &[usize]) -> Datum {
    Array::from_vec(values.to_vec(), shape).expect("an array").into()
}

#[test]
fn a_crop_beyond_an_axis_takes_from_the_padding_behind() {
    let padded = |shape: &[usize], pads: &[i64]| {
        let x = array(&vec![1f32; shape.iter().product()], shape);
        let fields = [
            node("Pad", "x pads", "y", &[]),
            ints(5, "pads", &[pads.len() as u8], pads),
            value(11, "x", 1),
            value(12, "y", 1),
        ];
        run(&fields, &[x]).map(|y| (y.shape().to_vec(), y.to_vec::<f32>().expect("floats")))
    };
    assert_eq!(padded(&[1, 2], &[-2, 0, 1, 0]), Ok((vec![0, 2], vec![])));
    assert_eq!(padded(&[3], &[-4, 3]), Ok((vec![2], vec![0.0; 2])));
    assert_eq!(padded(&[3], &[3, -4]), Ok((vec![2], vec![0.0; 2])));
    assert_eq!(padded(&[0], &[-1, 3]), Ok((vec![2], vec![0.0; 2])));
    assert_eq!(padded(&[3], &[-1, 2]), Ok((vec![4], vec![1.0, 1.0, 0.0, 0.0])));
    assert_eq!(padded(&[3], &[2, -1]), Ok((vec![4], vec![0.0, 0.0, 1.0, 1.0])));
    assert_eq!(padded(&[3], &[-1, -1]), Ok((vec![1], vec![1.0])));
    let error = padded(&[3], &[-5, 1]).unwrap_err();
    assert!(error.contains("widths -5 and 1 leave -1 of an axis of 3"), "{error}");
}

#[test]
fn powers_of_whole_numbers_and_with_large_ones() {
    let power = |types: [u8; 2], x: Datum, y: Datum| {
        let ends = [value(11, "x", types[0]), value(11, "e", types[1]), value(12, "y", types[0])].concat();
        run(&[node("Pow", "x e", "y", &[]), ends], &[x, y]).expect("powers")
    };
    let exponents = [-1i32, 2, -3, -3, 0];
    let whole = power([6, 6], array(&[2i32, 3, -1, 1, 0], &[5]), array(&exponents, &[5]));
    assert_eq!(whole.to_vec::<i32>().expect("int32"), [0, 9, -1, 1, 1]);
    let large = power([7, 7], array(&[3i64], &[1]), array(&[39i64], &[1]));
    assert_eq!(large.to_vec::<i64>().expect("int64"), [4_052_555_153_018_976_267]);
    let odd = power([1, 6], array(&[-1f32, -300.0, 2.0], &[3]), array(&[i32::MAX, i32::MAX, 3], &[3]));
    assert_eq!(odd.to_vec::<f32>().expect("floats"), [-1.0, f32::NEG_INFINITY, 8.0]);
}

/// NumPy's `unique` with indices, inverse and counts.
#[test]
fn distinct_values_with_zeros_of_both_signs_and_nan() {
    let ends = [value(11, "x", 1), value(12, "y", 1), value(12, "i", 7), value(12, "r", 7), value(12, "c", 7)].concat();
    let fields = [node("Unique", "x", "y i r c", &[]), ends];
    let session = Session::from_bytes(model(&fields, &[]), &SessionOptions::default()).expect("a model");
    let found = |x: &[f32]| -> (String, [Vec<i64>; 3]) {
        let outputs = session.run_within(&[array(x, &[x.len()])], &Limits::default()).expect("outputs");
        let mut arrays = outputs.into_iter().map(|y| y.into_array().expect("an array"));
        let values = format!("{:?}", arrays.next().expect("values").to_vec::<f32>().expect("floats"));
        (values, [(); 3].map(|()| arrays.next().expect("places").to_vec().expect("int64")))
    };
    let numbers = found(&[0.0, 3.0, -0.0, -1.0, 3.0]);
    assert_eq!(numbers, ("[-1.0, 0.0, 3.0]".to_owned(), [vec![3, 0, 1], vec![1, 2, 1, 0, 2], vec![1, 2, 2]]));
    let nan = f32::NAN;
    let with_nan = found(&[nan, 2.0, nan, 2.0]);
    assert_eq!(with_nan, ("[2.0, NaN]".to_owned(), [vec![1, 0], vec![1, 0, 1, 0], vec![2, 2]]));
    assert_eq!(found(&[]), ("[]".to_owned(), [vec![], vec![], vec![]]));
}

#[test]
#[cfg(unix)]
fn what_is_no_file_is_not_read() {
    let error = ModelFile::open("/dev/zero").err().expect("an error").to_string();
    assert_eq!(error, "/dev/zero: not a regular file");
}
