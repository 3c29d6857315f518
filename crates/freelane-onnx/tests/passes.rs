//! Passes are checked against the graph before them: right ones keep what they promise, and a wrong one is named.
mod build;

use build::{floats, graph, ints, model, node, number, scalar, sized, tensor, value};
use freelane_graph::passes::{Budget, Keeps, Pass};
use freelane_graph::{Datum, Graph, GraphError};
use freelane_onnx::{Checked, ModelFile, Session, SessionOptions, check_passes, passes};
use freelane_ops::Array;
use freelane_pool::Lane;

fn check(bytes: &[u8], passes: &[Pass], inputs: &[Datum]) -> Result<Vec<Checked>, String> {
    check_passes(&ModelFile::from_bytes(bytes.to_vec()), passes, inputs).map_err(|e| e.to_string())
}

/// Numbers between -1 and 1.
fn x(shape: &[usize]) -> Datum {
    let n = shape.iter().product::<usize>();
    let numbers: Vec<f32> = (0..n).map(|i| (i as f32 * 0.7).sin()).collect();
    Array::from_vec(numbers, shape).unwrap().into()
}

/// A difference, a branch that is taken for it, and a loop.
fn branches() -> Vec<u8> {
    let branch = |name: &str| [node("Sub", "d k", name, &[]), node("Exp", name, "b", &[]), value(12, "b", 1)];
    let body = [
        node("Identity", "on", "still", &[]),
        node("Mul", "v k", "m", &[]),
        node("Add", "m k", "more", &[]),
        value(11, "i", 7),
        value(11, "on", 9),
        value(11, "v", 1),
        value(12, "still", 9),
        value(12, "more", 1),
    ];
    let fields = [
        node("Mul", "k k", "k2", &[]),
        node("Sub", "x k2", "d", &[]),
        node("Sub", "x k2", "same", &[]),
        node("ReduceSum", "d", "s", &[number("keepdims", 0)]),
        node("Less", "s k", "c", &[]),
        node("If", "c", "r", &[graph("then_branch", &branch("t")), graph("else_branch", &branch("e"))]),
        node("Loop", "n true r", "l", &[graph("body", &body)]),
        node("Mul", "l same", "y", &[]),
        scalar(5, "k", 0.5),
        ints(5, "n", &[], &[3]),
        tensor(5, "true", 9, &[], &[1]),
        sized(11, "x", &[2, 3]),
        value(12, "y", 1),
    ];
    model(&fields, &[])
}

/// A convolution that is normalised.
fn normalised() -> Vec<u8> {
    let fields = [
        node("Conv", "x w", "c", &[]),
        node("BatchNormalization", "c scale shift mean variance", "b", &[]),
        node("Relu", "b", "y", &[]),
        floats(5, "w", &[2, 1, 3, 3], &(0..18).map(|i| (i as f32).cos()).collect::<Vec<_>>()),
        floats(5, "scale", &[2], &[0.3, 1.7]),
        floats(5, "shift", &[2], &[0.1, -0.2]),
        floats(5, "mean", &[2], &[0.2, 0.4]),
        floats(5, "variance", &[2], &[0.9, 2.1]),
        sized(11, "x", &[1, 1, 6, 6]),
        value(12, "y", 1),
    ];
    model(&fields, &[])
}

#[test]
fn passes_keep_what_they_promise() {
    let mlp = include_bytes!("../../freelane-cli/models/mlp.onnx").to_vec();
    let cnn = include_bytes!("../../../dev/models/cnn.onnx").to_vec();
    let classifier = include_bytes!("../../freelane-cli/tests/models/classifier.onnx").to_vec();
    for bytes in [branches(), normalised(), classifier, mlp, cnn] {
        let session = Session::from_bytes(bytes.clone(), &SessionOptions::default()).unwrap();
        let shape = |port: &freelane_onnx::Port| -> Vec<usize> {
            port.fact.shape.iter().flatten().map(|dim| dim.known().unwrap_or(2)).collect()
        };
        let inputs: Vec<Datum> = session.inputs().iter().map(|port| x(&shape(port))).collect();
        let checked = check(&bytes, &passes(), &inputs).unwrap();
        assert_eq!(checked.len(), passes().len());
        assert!(checked.iter().all(|pass| pass.values > 0), "{checked:?}");
    }
}

/// A pass that exchanges what the first subtraction of every graph reads.
fn exchanged(_: &Lane, graph: &mut Graph, _: &mut Budget) -> Result<(), GraphError> {
    let mut nodes = graph.nodes().to_vec();
    if let Some(node) = nodes.iter_mut().find(|node| node.op.name() == "subtract") {
        node.inputs.reverse();
    }
    graph.set_nodes(nodes);
    Ok(())
}

fn wrong() -> Pass {
    Pass { name: "wrong", doc: "", keeps: Keeps::Bits, run: exchanged }
}

#[test]
fn a_pass_that_changes_a_value_is_named_with_the_node() {
    for at in 0..passes().len() {
        let mut list = passes();
        list.insert(at, wrong());
        let told = check(&branches(), &list, &[x(&[2, 3])]).unwrap_err();
        assert!(told.contains("pass wrong changes %d of node n_Sub (subtract): 6 of 6 differ"), "{at}: {told}");
    }
    let plain = model(&[node("Neg", "x", "y", &[]), sized(11, "x", &[2]), value(12, "y", 1)], &[]);
    assert_eq!(check(&plain, &[wrong()], &[x(&[2])]).unwrap()[0].values, 1);
}

#[test]
fn a_pass_that_is_wrong_in_a_branch_is_seen_at_the_node_that_holds_it() {
    let branch = [node("Sub", "x k", "d", &[]), value(12, "d", 1)];
    let fields = [
        node("If", "c", "y", &[graph("then_branch", &branch), graph("else_branch", &branch)]),
        tensor(5, "c", 9, &[], &[1]),
        scalar(5, "k", 0.5),
        sized(11, "x", &[2]),
        value(12, "y", 1),
    ];
    let told = check(&model(&fields, &[]), &[wrong()], &[x(&[2])]).unwrap_err();
    assert!(told.contains("pass wrong changes %y of node n_If (If)"), "{told}");
}

#[test]
fn a_pass_that_promises_bits_keeps_the_last_one() {
    let strict = |keeps: Keeps| -> Vec<Pass> {
        passes().into_iter().map(|pass| if pass.name == "conv" { Pass { keeps, ..pass } } else { pass }).collect()
    };
    let told = check(&normalised(), &strict(Keeps::Bits), &[x(&[1, 1, 6, 6])]).unwrap_err();
    assert!(told.contains("pass conv changes %y of node n_Conv (Conv)"), "{told}");
    check(&normalised(), &strict(Keeps::Near(1e-5)), &[x(&[1, 1, 6, 6])]).unwrap();
}

#[test]
fn what_is_random_is_not_compared() {
    let noise = node("RandomUniformLike", "x", "r", &[]);
    let fields = [
        noise,
        node("Add", "r x", "a", &[]),
        node("Neg", "x", "y", &[]),
        sized(11, "x", &[2]),
        value(12, "a", 1),
        value(12, "y", 1),
    ];
    let checked = check(&model(&fields, &[]), &passes(), &[x(&[2])]).unwrap();
    assert!(checked.iter().all(|pass| pass.values == 1), "{checked:?}");
}

#[test]
fn a_run_that_fails_says_behind_which_pass() {
    let fails = |_: &Lane, graph: &mut Graph, _: &mut Budget| {
        let mut nodes = graph.nodes().to_vec();
        nodes.iter_mut().for_each(|node| node.inputs.truncate(1));
        graph.set_nodes(nodes);
        Ok(())
    };
    let pass = Pass { name: "cut", doc: "", keeps: Keeps::Bits, run: fails };
    let told = check(&branches(), &[pass], &[x(&[2, 3])]).unwrap_err();
    assert!(told.contains("after pass cut: ") && told.contains("n_Sub"), "{told}");
}
