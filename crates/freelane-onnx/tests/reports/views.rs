//! Arrays whose elements do not lie side by side: operators see their values, not how they lie.
use super::build::{floats, ints, model, node, number, numbers, value};
use super::{counted, load, run};
use freelane_graph::{Datum, Limits};
use freelane_ops::{Array, Slice};

#[test]
fn what_is_transposed_is_normalised_along_its_own_axis() {
    let graph = [
        node("Transpose", "x", "t", &[numbers("perm", &[1, 0])]),
        node("Softmax", "t", "y", &[number("axis", 1)]),
        value(11, "x", 1),
        value(12, "y", 1),
    ];
    let y = run(model(&graph, &[]), &[counted(&[3, 4])]).unwrap();
    let first = y.index(&[0isize.into()]).unwrap().to_vec::<f32>().unwrap();
    let expected = [0.000_329_32, 0.017_980_29, 0.981_690_4];
    assert!(first.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-6), "{first:?}");
}

/// Nodes that make `y` of `t`, which has the shape (4, 6), and constants that they read.
fn nodes() -> Vec<Vec<u8>> {
    let along = |axis| number("axis", axis);
    let one = |op: &str, attributes: &[Vec<u8>]| node(op, "t", "y", attributes);
    vec![
        one("Softmax", &[along(1)]),
        one("Softmax", &[along(0)]),
        one("LogSoftmax", &[along(0)]),
        one("Hardmax", &[along(1)]),
        one("ArgMax", &[along(0)]),
        one("ReduceMean", &[numbers("axes", &[0])]),
        one("ReduceLogSumExp", &[numbers("axes", &[1])]),
        one("LpNormalization", &[along(0)]),
        one("Flatten", &[along(0)]),
        one("NonZero", &[]),
        one("Exp", &[]),
        one("HardSwish", &[]),
        one("Unique", &[number("sorted", 1)]),
        one("Trilu", &[]),
        [node("CumSum", "t zero", "y", &[]), ints(5, "zero", &[], &[0])].concat(),
        [node("TopK", "t two", "y places", &[along(0)]), ints(5, "two", &[1], &[2])].concat(),
        [node("Gather", "t two", "y", &[along(1)]), ints(5, "two", &[1], &[2])].concat(),
        [node("Reshape", "t shape", "y", &[]), ints(5, "shape", &[2], &[3, -1])].concat(),
        [node("Tile", "t twice", "y", &[]), ints(5, "twice", &[2], &[1, 2])].concat(),
        [node("Expand", "t shape", "y", &[]), ints(5, "shape", &[3], &[2, 4, 6])].concat(),
        [node("Split", "t", "y rest", &[along(1)])].concat(),
        [node("LayerNormalization", "t w", "y", &[]), floats(5, "w", &[6], &[0.5; 6])].concat(),
        [node("MatMul", "t m", "y", &[]), floats(5, "m", &[6, 3], &counted(&[18]).to_vec::<f32>().unwrap())].concat(),
        [node("Gemm", "m t", "y", &[number("transB", 1)]), floats(5, "m", &[2, 6], &[0.25; 12])].concat(),
        [node("Add", "t w", "a", &[]), node("Mul", "a t", "y", &[]), floats(5, "w", &[6], &[0.5; 6])].concat(),
        [
            node("Unsqueeze", "t front", "u", &[]),
            node("Conv", "u k", "y", &[]),
            ints(5, "front", &[1], &[0]),
            floats(5, "k", &[2, 4, 3], &counted(&[24]).to_vec::<f32>().unwrap()),
        ]
        .concat(),
        [
            node("Unsqueeze", "t front", "u", &[]),
            node("MaxPool", "u", "y", &[numbers("kernel_shape", &[3])]),
            ints(5, "front", &[1], &[0]),
        ]
        .concat(),
    ]
}

fn bits(session: &freelane_onnx::Session, x: Array) -> (Vec<usize>, Vec<u8>) {
    let y = session.run_within(&[Datum::from(x)], &Limits::default()).unwrap();
    let y = Array::from(y[0].array().unwrap().clone()).contiguous().unwrap();
    (y.shape().to_vec(), y.data().as_bytes().unwrap().to_vec())
}

/// The same values, in several ways.
fn laid_out(x: &Array) -> Vec<Array> {
    let backwards = Slice { start: None, stop: None, step: -1 };
    let turned = x.permute_dims(&[1, 0]).unwrap().copy().unwrap().permute_dims(&[1, 0]).unwrap();
    let reversed = x.index(&[backwards.into(), backwards.into()]).unwrap().copy().unwrap();
    let wide = x.repeat(2, 1).unwrap();
    vec![
        turned,
        reversed.index(&[backwards.into(), backwards.into()]).unwrap(),
        wide.index(&[Slice::all().into(), Slice { start: None, stop: None, step: 2 }.into()]).unwrap(),
    ]
}

#[test]
fn operators_see_values_and_not_how_they_lie() {
    for nodes in nodes() {
        let op = String::from_utf8_lossy(&nodes).into_owned();
        let plain = load(model(&[nodes.clone(), value(11, "t", 1), value(12, "y", 1)], &[])).unwrap();
        let turn = node("Transpose", "x", "t", &[numbers("perm", &[1, 0])]);
        let turned = load(model(&[turn, nodes, value(11, "x", 1), value(12, "y", 1)], &[])).unwrap();
        let x = counted(&[4, 6]).multiply(0.25).unwrap().sin().unwrap();
        let expected = bits(&plain, x.clone());
        for view in laid_out(&x) {
            assert_eq!(bits(&plain, view), expected, "{op:?}");
        }
        let across = x.permute_dims(&[1, 0]).unwrap().copy().unwrap();
        assert_eq!(bits(&turned, across), expected, "behind a Transpose: {op:?}");
    }
}
