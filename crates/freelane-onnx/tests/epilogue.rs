//! What joins a convolution changes nothing but the number of nodes.
mod build;

use build::{floats, model, node, numbers, sized};
use freelane_graph::Datum;
use freelane_onnx::{Session, SessionOptions};
use freelane_ops::Array;

fn samples(seed: usize, count: usize) -> Vec<f32> {
    (0..count).map(|i| ((i * 37 + seed * 11) % 41) as f32 / 20.0 - 1.0).collect()
}

/// A convolution of two channels to three, and what follows it.
fn layers(nodes: &[Vec<u8>]) -> Vec<u8> {
    let positive: Vec<f32> = samples(9, 3).iter().map(|x| x.abs() + 0.5).collect();
    let graph = [
        node("Conv", "x w b", "c", &[numbers("pads", &[1, 1, 1, 1])]),
        nodes.concat(),
        floats(5, "w", &[3, 2, 3, 3], &samples(1, 54)),
        floats(5, "b", &[3], &samples(2, 3)),
        floats(5, "scale", &[3], &samples(3, 3)),
        floats(5, "shift", &[3], &samples(4, 3)),
        floats(5, "mean", &[3], &samples(5, 3)),
        floats(5, "variance", &[3], &positive),
        floats(5, "channel", &[1, 3, 1, 1], &samples(6, 3)),
        floats(5, "three", &[], &[3.0]),
        floats(5, "zero", &[], &[0.0]),
        floats(5, "six", &[], &[6.0]),
        sized(11, "x", &[1, 2, 5, 5]),
        sized(11, "r", &[1, 3, 5, 5]),
        sized(12, "y", &[1, 3, 5, 5]),
    ];
    model(&graph, &[])
}

/// Nodes that are left, and whether the outputs are those of the model as it stands.
fn joined(nodes: &[Vec<u8>]) -> usize {
    let x: Datum = Array::from_vec(samples(7, 50), &[1, 2, 5, 5]).unwrap().into();
    let r: Datum = Array::from_vec(samples(8, 75), &[1, 3, 5, 5]).unwrap().into();
    let run = |plain: bool| {
        let options = SessionOptions { plain, ..SessionOptions::default() };
        let session = Session::from_bytes(layers(nodes), &options).unwrap();
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
