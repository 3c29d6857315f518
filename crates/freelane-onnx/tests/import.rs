//! Models become graphs, and what cannot be one is told with its place.
mod build;

use build::{axes, bytes, model, node, number, scalar, set, text, value};
use freelane_graph::{Datum, Limits};
use freelane_onnx::{Session, SessionOptions};
use freelane_ops::Array;

fn run(model: Vec<u8>, inputs: &[Datum]) -> Result<f32, String> {
    let options = SessionOptions { plain: true, ..SessionOptions::default() };
    let session = Session::from_bytes(model, &options).map_err(|e| e.to_string())?;
    let found = session.run_within(inputs, &Limits::default()).map_err(|e| e.to_string())?;
    Array::from(found[0].array().ok_or("no array")?.clone()).item::<f32>().map_err(|e| e.to_string())
}

fn one(x: f32) -> Datum {
    Array::from_vec(vec![x], &[]).unwrap().into()
}

fn error(graph: &[Vec<u8>]) -> String {
    run(model(graph, &[]), &[one(1.0)]).unwrap_err()
}

#[test]
fn nodes_run_in_an_order_in_which_they_can() {
    let ends = [value(11, "x", 1), value(12, "y", 1)];
    let nodes = [node("Neg", "a", "y", &[]), node("Exp", "x", "a", &[])];
    assert_eq!(run(model(&[nodes.concat(), ends.concat()], &[]), &[one(0.0)]), Ok(-1.0));
    let circle = [node("Neg", "a", "y", &[]), node("Exp", "y", "a", &[]), ends.concat()];
    assert_eq!(error(&circle), "graph : node n_Neg (Neg) needs its own output, or waits for one that does");
}

#[test]
fn what_contradicts_itself_is_told() {
    let ends = [value(11, "x", 1), value(12, "y", 1)].concat();
    let unknown = [node("Neg", "z", "y", &[]), ends.clone()];
    assert_eq!(error(&unknown), "graph : node n_Neg (Neg): nothing makes the value z");
    let twice = [node("Neg", "x", "y", &[]), node("Exp", "x", "y", &[]), ends.clone()];
    assert_eq!(error(&twice), "graph : node n_Exp (Exp): two values have the name y");
    let none = [value(12, "y", 1)];
    assert_eq!(error(&none), "graph : outputs: nothing makes the value y");
}

#[test]
fn what_is_not_supported_is_told_when_the_model_is_loaded() {
    let ends = [value(11, "x", 1), value(12, "y", 1)].concat();
    let message = error(&[node("ReduceMen", "x", "y", &[]), ends.clone()]);
    let expected =
        "operator ReduceMen of ai.onnx version 17 is not supported; the nearest supported operator is Reduce";
    assert!(message.contains(expected), "{message}");
    let first = error(&[node("Cgnstant", "", "y", &[]), ends.clone()]);
    assert!(first.ends_with("the nearest supported operator is Constant"), "{first}");
    let unlike = error(&[node("Qqqqq", "x", "y", &[]), ends.clone()]);
    assert!(unlike.ends_with("no supported operator is like it"), "{unlike}");
    let late = error(&[node("BitwiseNot", "x", "y", &[]), ends.clone()]);
    assert!(late.ends_with("it is supported from version 18 of the set on"), "{late}");
    let attribute = error(&[node("Neg", "x", "y", &[number("axis", 1)]), ends]);
    assert!(attribute.ends_with("Neg has no attribute axis in version 17"), "{attribute}");
    let strings = error(&[node("Neg", "x", "y", &[]), value(11, "x", 8), value(12, "y", 1)]);
    assert!(strings.starts_with("graph : input x: elements of type string are not supported"), "{strings}");
}

#[test]
fn axes_with_a_name_have_one_length_and_a_question_mark_is_no_name() {
    let sum = |axis: &str| {
        let graph = [node("Add", "x x", "a", &[]), axes(11, "x", &[axis, axis]), value(12, "a", 1)];
        let x = Array::ones(&[2, 1], freelane_ops::DType::F32).unwrap();
        run(model(&[graph.concat()], &[]), &[x.into()])
    };
    let named = sum("n").unwrap_err();
    assert!(named.contains("expected float32 [n, n] with n = 2"), "{named}");
    for unknown in ["?", "", "-"] {
        let told = sum(unknown).unwrap_err();
        assert!(!told.contains("expected float32"), "it runs, and two elements are no item: {told}");
    }
}

#[test]
fn constants_among_the_inputs_need_not_be_fed() {
    let graph =
        [node("Add", "x w", "y", &[]), scalar(5, "w", 2.5), value(11, "x", 1), value(11, "w", 1), value(12, "y", 1)];
    assert_eq!(run(model(&graph, &[]), &[one(1.0)]), Ok(3.5));
}

/// A function of one input and one output.
fn function(name: &str, nodes: &[Vec<u8>]) -> Vec<u8> {
    // Nodes are field 7 of a function and field 1 of a graph.
    let renumbered = |n: &Vec<u8>| [&[7 << 3 | 2], &n[1..]].concat();
    let body: Vec<u8> = nodes.iter().flat_map(renumbered).collect();
    let ports = [text(1, name), text(4, "p"), text(5, "q")].concat();
    let sets = [bytes(9, &set("", 17)), bytes(9, &set("own", 1))].concat();
    [vec![25 << 3 | 2 | 0x80, 1], bytes(0, &[ports, body, sets, text(10, "own")].concat())[1..].to_vec()].concat()
}

fn own(op: &str, inputs: &str, outputs: &str, rest: &[Vec<u8>]) -> Vec<u8> {
    node(op, inputs, outputs, &[rest.concat(), text(7, "own")])
}

#[test]
fn functions_are_put_in_where_they_are_called() {
    let ends = [value(11, "x", 1), value(12, "y", 1)].concat();
    let refers = bytes(5, &[text(1, "to"), vec![0xa0, 1, 2], vec![0xaa, 1, 4], b"kind".to_vec()].concat());
    let cast = function("Rounded", &[node("Cast", "p", "a", &[refers]), node("Cast", "a", "q", &[number("to", 1)])]);
    let graph = [own("Rounded", "x", "y", &[number("kind", 7)]), ends];
    let more = [bytes(8, &set("own", 1)), cast];
    assert_eq!(run(model(&graph, &more), &[one(3.75)]), Ok(3.0));
}

#[test]
fn functions_that_multiply_without_end_are_refused() {
    let ends = [value(11, "x", 1), value(12, "y", 1)].concat();
    let twice = |i: usize| {
        let below = if i == 0 { "Last".to_owned() } else { format!("F{}", i - 1) };
        function(&format!("F{i}"), &[own(&below, "p", "a", &[]), own(&below, "a", "q", &[])])
    };
    let mut more = vec![bytes(8, &set("own", 1)), function("Last", &[node("Neg", "p", "q", &[])])];
    more.extend((0..40).map(twice));
    let message = run(model(&[own("F39", "x", "y", &[]), ends.clone()], &more), &[one(1.0)]).unwrap_err();
    assert!(message.contains("nodes, with those of functions exceed the limit"), "{message}");
    let itself = [bytes(8, &set("own", 1)), function("F", &[own("F", "p", "q", &[])])];
    let message = run(model(&[own("F", "x", "y", &[]), ends], &itself), &[one(1.0)]).unwrap_err();
    assert!(message.contains("functions and graphs in each other exceed the limit of 64"), "{message}");
}

#[test]
fn branches_see_the_values_around_them() {
    let branch = |name: &str, op: &str| {
        let graph = [node(op, "x", "b", &[]), value(12, "b", 1)].concat();
        bytes(5, &[text(1, name), bytes(6, &graph), vec![0xa0, 1, 5]].concat())
    };
    let graph = [
        node("Less", "x w", "c", &[]),
        node("If", "c", "y", &[branch("then_branch", "Neg"), branch("else_branch", "Exp")]),
        scalar(5, "w", 0.0),
        value(11, "x", 1),
        value(12, "y", 1),
    ];
    assert_eq!(run(model(&graph, &[]), &[one(-2.0)]), Ok(2.0));
    assert_eq!(run(model(&graph, &[]), &[one(0.0)]), Ok(1.0));
}

/// A branch in which a node without a name lies.
fn nested() -> Vec<u8> {
    let nameless = bytes(1, &[text(1, "x"), text(2, "b"), text(4, "LeakyRelu")].concat());
    let branch = |name: &str| build::graph(name, &[nameless.clone(), value(12, "b", 1)]);
    let graph = [
        node("Less", "x w", "c", &[]),
        node("If", "c", "r", &[branch("then_branch"), branch("else_branch")]),
        node("Softmax", "r", "y", &[number("axis", 0)]),
        build::floats(5, "w", &[1], &[0.5]),
        build::sized(11, "x", &[1]),
        value(12, "y", 1),
    ];
    model(&graph, &[])
}

#[test]
fn graphs_are_printed_with_constants_attributes_and_inner_graphs() {
    let options = SessionOptions { plain: true, ..SessionOptions::default() };
    let printed = Session::from_bytes(nested(), &options).unwrap().plan().graph().to_string();
    let expected = [
        "graph (%x: float32 [1]) {",
        "    %w: float32 [1] = 0.5",
        "    %c: bool [1] = less(%x, %w)",
        "    %r: float32 [1] = If(%c, %x, %x)",
        "      graph (%x: float32 [1]) {",
        "          %b: float32 [1] = LeakyRelu(%x)",
        "          return %b",
        "      }",
        "    %y: float32 [1] = Softmax(%r) {axis = 0}",
        "    return %y",
    ];
    let lines: Vec<&str> = printed.lines().collect();
    assert!(expected.iter().all(|line| lines.contains(line)), "{printed}");
}

#[test]
fn nodes_of_branches_are_profiled_and_those_without_a_name_have_that_of_what_they_make() {
    let options = SessionOptions { measure: freelane_graph::Measure::Nodes, ..SessionOptions::default() };
    let session = Session::from_bytes(nested(), &options).unwrap();
    for x in [0.0f32, 1.0, 2.0] {
        let x = Array::from_vec(vec![x], &[1]).unwrap().into();
        session.run_within(&[x], &Limits::default()).unwrap();
    }
    let profile = session.profile();
    let runs = |name: &str, op: &str| -> Vec<u64> {
        profile.iter().filter(|t| t.node == name && t.op == op).map(|t| t.runs).collect()
    };
    let mut inner = runs("n_If/%b", "LeakyRelu");
    inner.sort_unstable();
    assert_eq!((inner, runs("n_If", "If"), runs("n_Softmax", "Softmax")), (vec![1, 2], vec![3], vec![3]));
    let branch = profile.iter().find(|t| t.op == "If").unwrap();
    let within: std::time::Duration = profile.iter().filter(|t| t.op == "LeakyRelu").map(|t| t.total).sum();
    assert!(branch.inner == within && branch.inner <= branch.total, "{profile:?}");
}

#[test]
fn nodes_without_a_name_that_fail_are_named_by_what_they_make() {
    let nameless = bytes(1, &[text(1, "x"), text(1, "s"), text(2, "y"), text(4, "Reshape")].concat());
    let graph = [nameless, value(11, "x", 1), value(11, "s", 7), value(12, "y", 1)];
    let shape = Array::from_slice(&[7i64]).unwrap().into();
    let told = run(model(&graph, &[]), &[one(1.0), shape]).unwrap_err();
    assert!(told.starts_with("node %y: Reshape: "), "{told}");
}
