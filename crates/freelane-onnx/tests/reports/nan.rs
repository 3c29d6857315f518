//! What is no number stays none, wherever it stands.
use super::build::{floats, model, node, number, value};
use super::{array, run};
use freelane_ops::{Array, DType};

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

/// Numbers with NaN at some places, as a type.
fn with_nan(n: usize, places: &[usize], dtype: DType) -> Array {
    let numbers = (0..n).map(|i| if places.contains(&i) { f64::NAN } else { i as f64 - 2.0 }).collect();
    Array::from_vec::<f64>(numbers, &[n]).unwrap().astype(dtype).unwrap()
}

#[test]
fn nan_stays_in_every_type_at_every_place_and_whoever_is_first() {
    for (dtype, code) in [(DType::F16, 10), (DType::F32, 1), (DType::F64, 11), (DType::BF16, 16)] {
        for n in [1, 2, 7, 16, 33, 100] {
            for at in [0, n / 2, n - 1] {
                let (x, y) = (with_nan(n, &[at], dtype), with_nan(n, &[n - 1 - at], dtype));
                for op in ["Min", "Max"] {
                    for inputs in ["x y", "y x", "x y x"] {
                        let ends = [value(11, "x", code), value(11, "y", code), value(12, "z", code)].concat();
                        let z = run(model(&[node(op, inputs, "z", &[]), ends], &[]), &[x.clone(), y.clone()]).unwrap();
                        let nan = z.isnan().unwrap().to_vec::<bool>().unwrap();
                        let expected: Vec<bool> = (0..n).map(|i| i == at || i == n - 1 - at).collect();
                        assert_eq!((z.dtype(), nan), (dtype, expected), "{op} of {dtype}, {inputs}, {n} with {at}");
                    }
                }
            }
        }
    }
}

#[test]
fn nan_stays_in_what_is_made_of_lesser_and_greater() {
    let x = with_nan(40, &[17], DType::F32);
    let ends = || [value(11, "x", 1), value(12, "y", 1)].concat();
    let bounds = [floats(5, "low", &[], &[-1.0]), floats(5, "high", &[], &[9.0])].concat();
    let nodes = [
        ("Clip", node("Clip", "x low high", "y", &[])),
        ("Relu", node("Relu", "x", "y", &[])),
        ("fused", [node("Min", "x high", "m", &[]), node("Max", "m low", "y", &[])].concat()),
    ];
    for (name, nodes) in nodes {
        let y = run(model(&[nodes, bounds.clone(), ends()], &[]), std::slice::from_ref(&x)).unwrap();
        let y = y.to_vec::<f32>().unwrap();
        assert!((0..40).all(|i| y[i].is_nan() == (i == 17)), "{name}: {y:?}");
    }
    for op in ["ReduceMin", "ReduceMax"] {
        let nodes = node(op, "x", "y", &[number("keepdims", 0)]);
        assert!(run(model(&[nodes, ends()], &[]), std::slice::from_ref(&x)).unwrap().item::<f32>().unwrap().is_nan());
    }
}
