//! Rows of tables that are unpacked in every run.
mod build;

use build::{floats, ints, model, node, number, sized, tensor};
use freelane_graph::Datum;
use freelane_onnx::{Session, SessionOptions};
use freelane_ops::Array;

#[test]
fn rows_are_taken_before_they_are_unpacked() {
    let each = 127 * 127 * 3;
    let bytes: Vec<u8> = (0..127 * each).map(|i| (i % 251) as u8).collect();
    let scales: Vec<f32> = (0..127).map(|i| i as f32 / 8.0).collect();
    let graph = [
        node("Cast", "table", "wide", &[number("to", 1)]),
        node("Mul", "wide scales", "scaled", &[]),
        node("Sub", "scaled one", "rows", &[]),
        node("Gather", "rows places", "y", &[]),
        tensor(5, "table", 3, &[127, 127, 127, 3], &bytes),
        floats(5, "scales", &[127, 1, 1, 1], &scales),
        floats(5, "one", &[], &[1.0]),
        ints(5, "last", &[1], &[2]),
        node("Add", "x last", "places", &[]),
        build::value(11, "x", 7),
        sized(12, "y", &[2, 127, 127, 3]),
    ];
    // Nodes stand in the order in which they run.
    let order = [8, 0, 1, 2, 3, 4, 5, 6, 7, 9, 10].map(|i: usize| graph[i].clone());
    let session = Session::from_bytes(model(&order, &[]), &SessionOptions::default()).unwrap();
    let x: Datum = Array::from_vec(vec![1i64, 124], &[2]).unwrap().into();
    let made = session.run(&[("x", x)]).unwrap();
    let made = Array::from(made[0].array().unwrap().clone()).to_vec::<f32>().unwrap();
    let row = |row: usize| (row * each..(row + 1) * each).map(move |i| (i % 251) as u8 as i8);
    let want = |at: usize| row(at).map(move |x| f32::from(x) * (at as f32 / 8.0) - 1.0);
    assert_eq!(made, want(3).chain(want(126)).collect::<Vec<f32>>());
    let largest = session.plan().graph().nodes().iter().flat_map(|node| node.outputs.iter().flatten());
    let largest = largest.filter_map(|&id| session.plan().graph().fact(id).known_shape()).map(|s| s.iter().product());
    assert!(largest.max().is_none_or(|n: usize| n < 127 * each), "the table is not unpacked as a whole");
}
