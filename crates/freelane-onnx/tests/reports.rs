//! What users of other runtimes have met: each of these went wrong somewhere.
mod build;

use build::{bytes, floats, ints, model, node, number, numbers, set, text, value};
use freelane_graph::{Datum, Limits};
use freelane_onnx::{Session, SessionOptions};
use freelane_ops::Array;

/// The first output.
fn run(bytes: Vec<u8>, inputs: &[Array]) -> Result<Array, String> {
    let session = Session::from_bytes(bytes, &SessionOptions::default()).map_err(|e| e.to_string())?;
    let inputs: Vec<Datum> = inputs.iter().map(|x| x.clone().into()).collect();
    let found = session.run_within(&inputs, &Limits::default()).map_err(|e| e.to_string())?;
    Ok(found[0].array().ok_or("no array")?.clone().into())
}

fn array(values: &[f32], shape: &[usize]) -> Array {
    Array::from_vec(values.to_vec(), shape).unwrap()
}

#[test]
fn the_lesser_and_the_greater_of_a_number_and_nan_are_nan() {
    let x = array(&[f32::NAN, 1.0, 20.0], &[3, 1]);
    for (op, expected) in [("Min", [1.0, 10.0]), ("Max", [10.0, 20.0])] {
        for inputs in ["x c", "c x"] {
            let graph =
                [node(op, inputs, "y", &[]), floats(5, "c", &[1], &[10.0]), value(11, "x", 1), value(12, "y", 1)];
            let y = run(model(&graph, &[]), std::slice::from_ref(&x)).unwrap();
            let values = y.to_vec::<f32>().unwrap();
            assert!(y.shape() == [3, 1] && values[0].is_nan(), "{op} {inputs}");
            assert_eq!(values[1..], expected, "{op} {inputs}");
        }
    }
}

#[test]
fn pools_that_round_up_average_what_is_there() {
    let pool = |include: u8| {
        let attributes = [
            numbers("kernel_shape", &[3, 3]),
            numbers("strides", &[2, 2]),
            number("ceil_mode", 1),
            number("count_include_pad", include),
        ];
        let graph = [node("AveragePool", "x", "y", &attributes), value(11, "x", 1), value(12, "y", 1)];
        let x = array(&(1..=16u8).map(f32::from).collect::<Vec<_>>(), &[1, 1, 4, 4]);
        let sets = [bytes(8, &set("", 19))];
        run(model(&graph, &sets), &[x]).unwrap().to_vec::<f32>().unwrap()
    };
    assert_eq!(pool(0), [6.0, 7.5, 12.0, 13.5]);
    assert_eq!(pool(1), [6.0, 7.5, 12.0, 13.5]);
}

#[test]
fn numbers_of_elements_that_are_not_there_are_told() {
    let gather = |indices: &[i64], constant: bool| {
        let ends = [value(11, "x", 1), value(12, "y", 1)].concat();
        let node = node("Gather", "x i", "y", &[]);
        let given = if constant { ints(5, "i", &[2], indices) } else { value(11, "i", 7) };
        let x = array(&[1.0, 2.0, 3.0, 4.0, 5.0], &[5]);
        let i = Array::from_slice(indices).unwrap();
        let feeds = if constant { vec![x] } else { vec![i, x] };
        run(model(&[node, given, ends], &[]), &feeds).map(|y| y.to_vec::<f32>().unwrap())
    };
    for constant in [true, false] {
        assert_eq!(gather(&[0, -1], constant), Ok(vec![1.0, 5.0]));
        for wrong in [5, -6] {
            let message = gather(&[0, wrong], constant).unwrap_err();
            assert!(message.contains("n_Gather") && message.contains(&wrong.to_string()), "{message}");
        }
    }
    let updates = floats(5, "u", &[1], &[9.0]);
    let scatter = [
        node("ScatterElements", "x i u", "y", &[]),
        ints(5, "i", &[1], &[7]),
        updates,
        value(11, "x", 1),
        value(12, "y", 1),
    ];
    let x = array(&[1.0, 2.0, 3.0], &[3]);
    let message = run(model(&scatter, &[]), std::slice::from_ref(&x)).unwrap_err();
    assert!(message.contains("n_ScatterElements") && message.contains('7'), "{message}");
    assert_eq!(x.to_vec::<f32>().unwrap(), [1.0, 2.0, 3.0]);
}

#[test]
fn what_is_transposed_is_normalised_along_its_own_axis() {
    let graph = [
        node("Transpose", "x", "t", &[numbers("perm", &[1, 0])]),
        node("Softmax", "t", "y", &[number("axis", 1)]),
        value(11, "x", 1),
        value(12, "y", 1),
    ];
    let x = array(&(1..=12u8).map(f32::from).collect::<Vec<_>>(), &[3, 4]);
    let y = run(model(&graph, &[]), &[x]).unwrap();
    let first = y.index(&[0isize.into()]).unwrap().to_vec::<f32>().unwrap();
    let expected = [0.000_329_32, 0.017_980_29, 0.981_690_4];
    assert!(first.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-6), "{first:?}");
}

#[test]
fn types_that_are_missing_or_unknown_are_no_reason_to_stop_working() {
    let untyped = bytes(11, &text(1, "x"));
    let graph = [node("Neg", "x", "y", &[]), untyped, value(12, "y", 1)];
    assert_eq!(run(model(&graph, &[]), &[array(&[1.0], &[1])]).unwrap().to_vec::<f32>().unwrap(), [-1.0]);
    let unknown = [node("Neg", "x", "y", &[]), value(11, "x", 99), value(12, "y", 1)];
    let message = run(model(&unknown, &[]), &[array(&[1.0], &[1])]).unwrap_err();
    assert!(message.contains("99 is no tensor data type"), "{message}");
    let domain = [node("Neg", "x", "y", &[bytes(7, &[0xff, 0xfe, 0])]), value(11, "x", 1), value(12, "y", 1)];
    assert!(run(model(&domain, &[]), &[array(&[1.0], &[1])]).is_err());
}
