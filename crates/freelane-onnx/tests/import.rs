//! Models become graphs, and what cannot be one is told with its place.
use freelane_graph::{Datum, Plan, State};
use freelane_onnx::{ExternalData, ModelFile, import};
use freelane_ops::Array;
use freelane_pool::Lane;

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

/// A field of a message: a small whole number.
fn int(number: u8, value: u8) -> Vec<u8> {
    vec![number << 3, value]
}

fn set(domain: &str, version: u8) -> Vec<u8> {
    [text(1, domain), int(2, version)].concat()
}

/// A node; names are parted by blanks.
fn node(op: &str, inputs: &str, outputs: &str, rest: &[Vec<u8>]) -> Vec<u8> {
    let names =
        |number, names: &str| names.split(' ').filter(|n| !n.is_empty()).flat_map(|n| text(number, n)).collect();
    let (inputs, outputs): (Vec<u8>, Vec<u8>) = (names(1, inputs), names(2, outputs));
    bytes(1, &[inputs, outputs, text(3, &format!("n_{op}")), text(4, op), rest.concat()].concat())
}

/// An attribute that is a whole number.
fn number(name: &str, value: u8) -> Vec<u8> {
    bytes(5, &[text(1, name), int(3, value), vec![0xa0, 1, 2]].concat())
}

/// A value of type float, or of another.
fn value(field: u8, name: &str, ty: u8) -> Vec<u8> {
    bytes(field, &[text(1, name), bytes(2, &bytes(1, &int(1, ty)))].concat())
}

/// A tensor of one float without axes.
fn scalar(field: u8, name: &str, x: f32) -> Vec<u8> {
    bytes(field, &[int(2, 1), text(8, name), bytes(9, &x.to_le_bytes())].concat())
}

/// A model: the fields of its graph, and more of its own.
fn model(graph: &[Vec<u8>], more: &[Vec<u8>]) -> Vec<u8> {
    let opset = bytes(8, &set("", 17));
    [int(1, 8), bytes(7, &graph.concat()), opset, more.concat()].concat()
}

fn run(model: Vec<u8>, inputs: &[Datum]) -> Result<f32, String> {
    let file = ModelFile::from_bytes(model);
    let imported =
        import(&file.model().map_err(|e| e.to_string())?, &ExternalData::Refused).map_err(|e| e.to_string())?;
    let plan = Plan::new(imported.graph).map_err(|e| e.to_string())?;
    let found = Lane::with(|lane| plan.run(lane, &mut State::default(), inputs)).map_err(|e| e.to_string())?;
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
    let late = error(&[node("BitwiseNot", "x", "y", &[]), ends.clone()]);
    assert!(late.ends_with("it is supported from version 18 of the set on"), "{late}");
    let attribute = error(&[node("Neg", "x", "y", &[number("axis", 1)]), ends]);
    assert!(attribute.ends_with("Neg has no attribute axis in version 17"), "{attribute}");
    let strings = error(&[node("Neg", "x", "y", &[]), value(11, "x", 8), value(12, "y", 1)]);
    assert!(strings.starts_with("graph : input x: elements of type string are not supported"), "{strings}");
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
