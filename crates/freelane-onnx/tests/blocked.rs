//! Images that stay in blocks of channels between convolutions and pools.
mod build;

use build::{floats, model, node, number, numbers, sized};
use freelane_graph::{Datum, Graph};
use freelane_onnx::{Session, SessionOptions};
use freelane_ops::Array;

fn samples(seed: usize, count: usize) -> Vec<f32> {
    (0..count).map(|i| ((i * 37 + seed * 11) % 41) as f32 / 20.0 - 1.0).collect()
}

/// Convolutions and pools, one behind the other, and `more` of the graph.
fn layers(more: &[Vec<u8>]) -> Vec<u8> {
    let pads = || numbers("pads", &[1, 1, 1, 1]);
    let graph = [
        node("Conv", "x w1", "a", &[pads()]),
        node("Relu", "a", "b", &[]),
        node("MaxPool", "b", "c", &[numbers("kernel_shape", &[2, 2]), numbers("strides", &[2, 2])]),
        node("Conv", "c w2", "d", &[pads()]),
        node("AveragePool", "d", "e", &[numbers("kernel_shape", &[2, 2])]),
        node("Conv", "e w3", "f", &[pads(), number("group", 32)]),
        node("Conv", "f w4", "g", &[]),
        node("Add", "f g", "h", &[]),
        node("Relu", "h", "i", &[]),
        node("Conv", "i w5", "y", &[pads()]),
        floats(5, "w1", &[16, 3, 3, 3], &samples(1, 432)),
        floats(5, "w2", &[32, 16, 3, 3], &samples(2, 4608)),
        floats(5, "w3", &[32, 1, 3, 3], &samples(3, 288)),
        floats(5, "w4", &[32, 32, 1, 1], &samples(4, 1024)),
        floats(5, "w5", &[20, 32, 3, 3], &samples(5, 5760)),
        sized(11, "x", &[2, 3, 14, 12]),
        sized(12, "y", &[2, 20, 6, 5]),
    ];
    model(&[graph.concat(), more.concat()], &[])
}

/// The first output, and how many values are in blocks.
fn run(model: Vec<u8>) -> (Vec<f32>, usize) {
    let session = Session::from_bytes(model, &SessionOptions::default()).unwrap();
    let x: Datum = Array::from_vec(samples(7, 1008), &[2, 3, 14, 12]).unwrap().into();
    let made = session.run(&[("x", x)]).unwrap();
    let made = Array::from(made[0].array().unwrap().clone()).to_vec::<f32>().unwrap();
    (made, blocks(session.plan().graph()))
}

fn blocks(graph: &Graph) -> usize {
    let made = graph.nodes().iter().flat_map(|node| node.outputs.iter().flatten());
    made.filter(|&&id| graph.fact(id).rank() == Some(5)).count()
}

#[test]
fn blocks_change_no_bit() {
    let (made, blocked) = run(layers(&[]));
    assert_eq!(blocked, 6, "all between the first convolution and the last one");
    // Outputs of a model are planar.
    let sizes: [(&str, &[u8]); 3] = [("b", &[2, 16, 14, 12]), ("d", &[2, 32, 7, 6]), ("i", &[2, 32, 6, 5])];
    let outputs: Vec<Vec<u8>> = sizes.iter().map(|(name, shape)| sized(12, name, shape)).collect();
    let (planar, blocked) = run(layers(&outputs));
    assert_eq!(blocked, 0);
    assert_eq!(made, planar);
}

#[test]
fn what_others_read_stays_planar() {
    let more = [node("Softmax", "d", "s", &[]), sized(12, "s", &[2, 32, 7, 6])];
    assert_eq!(run(layers(&more)).1, 2, "those before the one that is read");
}
