//! What joins a convolution changes nothing but the number of nodes.
use freelane_graph::Datum;
use freelane_onnx::{Session, SessionOptions};
use freelane_ops::Array;

/// A field of a message: bytes under a number.
fn bytes(number: u8, content: &[u8]) -> Vec<u8> {
    let mut field = vec![number << 3 | 2];
    let mut n = content.len();
    while n >= 0x80 {
        field.push(n as u8 | 0x80);
        n >>= 7;
    }
    field.push(n as u8);
    field.extend(content);
    field
}

fn text(number: u8, content: &str) -> Vec<u8> {
    bytes(number, content.as_bytes())
}

fn int(number: u8, value: u8) -> Vec<u8> {
    vec![number << 3, value]
}

fn node(op: &str, inputs: &str, output: &str, rest: &[Vec<u8>]) -> Vec<u8> {
    let inputs: Vec<u8> = inputs.split(' ').flat_map(|n| text(1, n)).collect();
    bytes(1, &[inputs, text(2, output), text(4, op), rest.concat()].concat())
}

/// An attribute of whole numbers.
fn ints(name: &str, values: &[u8]) -> Vec<u8> {
    let list: Vec<u8> = values.iter().flat_map(|&v| int(8, v)).collect();
    bytes(5, &[text(1, name), list, vec![0xa0, 1, 7]].concat())
}

/// A float value of a shape.
fn value(field: u8, name: &str, shape: &[u8]) -> Vec<u8> {
    let dims: Vec<u8> = shape.iter().flat_map(|&n| bytes(1, &int(1, n))).collect();
    let tensor = bytes(1, &[int(1, 1), bytes(2, &dims)].concat());
    bytes(field, &[text(1, name), bytes(2, &tensor)].concat())
}

fn tensor(name: &str, shape: &[u8], values: &[f32]) -> Vec<u8> {
    let dims: Vec<u8> = shape.iter().flat_map(|&n| int(1, n)).collect();
    let raw: Vec<u8> = values.iter().flat_map(|x| x.to_le_bytes()).collect();
    bytes(5, &[dims, int(2, 1), text(8, name), bytes(9, &raw)].concat())
}

fn numbers(seed: usize, count: usize) -> Vec<f32> {
    (0..count).map(|i| ((i * 37 + seed * 11) % 41) as f32 / 20.0 - 1.0).collect()
}

/// A convolution of two channels to three, and what follows it.
fn model(nodes: &[Vec<u8>]) -> Vec<u8> {
    let positive: Vec<f32> = numbers(9, 3).iter().map(|x| x.abs() + 0.5).collect();
    let graph = [
        node("Conv", "x w b", "c", &[ints("pads", &[1, 1, 1, 1])]),
        nodes.concat(),
        tensor("w", &[3, 2, 3, 3], &numbers(1, 54)),
        tensor("b", &[3], &numbers(2, 3)),
        tensor("scale", &[3], &numbers(3, 3)),
        tensor("shift", &[3], &numbers(4, 3)),
        tensor("mean", &[3], &numbers(5, 3)),
        tensor("variance", &[3], &positive),
        tensor("channel", &[1, 3, 1, 1], &numbers(6, 3)),
        tensor("three", &[], &[3.0]),
        tensor("zero", &[], &[0.0]),
        tensor("six", &[], &[6.0]),
        value(11, "x", &[1, 2, 5, 5]),
        value(11, "r", &[1, 3, 5, 5]),
        value(12, "y", &[1, 3, 5, 5]),
    ];
    let opset = bytes(8, &[text(1, ""), int(2, 17)].concat());
    [int(1, 8), bytes(7, &graph.concat()), opset].concat()
}

/// Nodes that are left, and whether the outputs are those of the model as it stands.
fn joined(nodes: &[Vec<u8>]) -> usize {
    let x: Datum = Array::from_vec(numbers(7, 50), &[1, 2, 5, 5]).unwrap().into();
    let r: Datum = Array::from_vec(numbers(8, 75), &[1, 3, 5, 5]).unwrap().into();
    let run = |plain: bool| {
        let options = SessionOptions { plain, ..SessionOptions::default() };
        let session = Session::from_bytes(model(nodes), &options).unwrap();
        let made = session.run(&[("x", x.clone()), ("r", r.clone())]).unwrap();
        let made = Array::from(made[0].array().unwrap().clone()).to_vec::<f32>().unwrap();
        (made, session.plan().graph().nodes().len())
    };
    let ((plain, _), (joined, count)) = (run(true), run(false));
    assert!(plain.iter().zip(&joined).all(|(a, b)| (a - b).abs() < 1e-5), "{joined:?} is not {plain:?}");
    count
}

#[test]
fn what_follows_a_convolution_joins_it() {
    let batch =
        |from: &str, to: &str| node("BatchNormalization", &format!("{from} scale shift mean variance"), to, &[]);
    assert_eq!(joined(&[batch("c", "n"), node("Relu", "n", "y", &[])]), 1);
    assert_eq!(joined(&[batch("c", "n"), node("Add", "r n", "s", &[]), node("Relu", "s", "y", &[])]), 1);
    assert_eq!(joined(&[node("Add", "c channel", "s", &[]), node("Clip", "s zero six", "y", &[])]), 1);
    assert_eq!(joined(&[node("HardSigmoid", "c", "y", &[])]), 1);
    let swish = [
        node("Add", "c three", "a", &[]),
        node("Clip", "a zero six", "k", &[]),
        node("Mul", "c k", "m", &[]),
        node("Div", "m six", "y", &[]),
    ];
    assert_eq!(joined(&swish), 1);
}

#[test]
fn what_others_read_stays() {
    let both = [node("Relu", "c", "a", &[]), node("Sub", "c a", "y", &[])];
    assert!(joined(&both) > 1);
    let softmax = [node("Softmax", "c", "y", &[])];
    assert_eq!(joined(&softmax), 2);
}
