//! Types that are missing or unknown, and names that are no names: told when the model is loaded, and at once.
use super::build::{bytes, floats, graph, ints, model, node, number, numbers, set, tensor, text, value};
use super::load;
use std::time::{Duration, Instant};

/// What loading tells, within a second and on one line.
fn told(fields: &[Vec<u8>], more: &[Vec<u8>]) -> String {
    let began = Instant::now();
    let told = load(model(fields, more)).err().unwrap_or_else(|| "nothing".to_owned());
    assert!(began.elapsed() < Duration::from_secs(20), "{told}");
    assert_eq!(told.lines().count(), 1, "{told:?}");
    told
}

fn ends() -> Vec<u8> {
    [value(11, "x", 1), value(12, "y", 1)].concat()
}

#[test]
fn inputs_without_a_type_are_told() {
    let named = text(1, "x");
    let no_type = bytes(11, &named);
    let empty_type = bytes(11, &[named.clone(), bytes(2, &[])].concat());
    let no_elements = bytes(11, &[named.clone(), bytes(2, &bytes(1, &[]))].concat());
    let undefined = value(11, "x", 0);
    for input in [no_type, empty_type, no_elements, undefined] {
        for nodes in [node("Neg", "x", "y", &[]), node("Conv", "x x", "y", &[]), node("Shape", "x", "y", &[])] {
            let message = told(&[nodes, input.clone(), value(12, "y", 1)], &[]);
            assert!(message.contains("input x: it has no type"), "{message}");
        }
    }
}

#[test]
fn graphs_of_nodes_take_types_from_where_they_are_used() {
    let body = [
        node("Identity", "on", "still", &[]),
        node("Add", "v v", "more", &[]),
        bytes(11, &text(1, "i")),
        bytes(11, &text(1, "on")),
        bytes(11, &text(1, "v")),
        bytes(12, &text(1, "still")),
        bytes(12, &text(1, "more")),
    ];
    let fields = [
        node("Loop", "n true x", "y", &[graph("body", &body)]),
        ints(5, "n", &[], &[3]),
        tensor(5, "true", 9, &[], &[1]),
        ends(),
    ];
    let y = super::run(model(&fields, &[]), &[super::counted(&[2])]).unwrap();
    assert_eq!(y.to_vec::<f32>().unwrap(), [8.0, 16.0]);
}

#[test]
fn domains_that_are_no_names_are_told() {
    let random: [&[u8]; 6] =
        [&[0xff, 0xfe, 0], &[0x80], b"\0\0\0", b"\x1b[2J\n\r\n", &[0xf4, 0x8f, 0xbf, 0xbf], &[b'a'; 4096]];
    for domain in random {
        let of_node = node("Neg", "x", "y", &[bytes(7, domain)]);
        let message = told(&[of_node, ends()], &[]);
        assert!(message.contains("is no UTF-8") || message.contains("is not supported"), "{message:?}");
        assert!(message.len() < 1000 && !message.contains('\u{1b}'), "{message:?}");
        let imported = bytes(8, &[bytes(1, domain), vec![2 << 3, 1]].concat());
        let message = told(&[node("Neg", "x", "y", &[bytes(7, domain)]), ends()], std::slice::from_ref(&imported));
        assert_ne!(message, "nothing", "{domain:?}");
        let unused = load(model(&[node("Neg", "x", "y", &[]), ends()], &[imported]));
        assert_eq!(unused.is_ok(), std::str::from_utf8(domain).is_ok(), "{domain:?}");
    }
}

#[test]
fn data_types_that_are_none_are_told() {
    let of_tensor = |code| tensor(5, "c", code, &[1], &[0; 8]);
    let constant = |code| {
        let value = bytes(5, &[vec![1 << 3, 1, 2 << 3, code], bytes(9, &[0; 8])].concat());
        bytes(5, &[text(1, "value"), value, vec![0xa0, 1, 4]].concat())
    };
    for code in [99, 27, 127] {
        let models: [(&str, Vec<Vec<u8>>); 6] = [
            ("input", vec![node("Neg", "x", "y", &[]), value(11, "x", code), value(12, "y", 1)]),
            ("output", vec![node("Neg", "x", "y", &[]), value(11, "x", 1), value(12, "y", code)]),
            ("initializer", vec![node("Add", "x c", "y", &[]), of_tensor(code), ends()]),
            ("Constant", vec![node("Constant", "", "c", &[constant(code)]), node("Add", "x c", "y", &[]), ends()]),
            ("Cast", vec![node("Cast", "x", "y", &[number("to", code)]), ends()]),
            (
                "RandomNormal",
                vec![node("RandomNormal", "", "y", &[numbers("shape", &[1]), number("dtype", code)]), ends()],
            ),
        ];
        for (place, fields) in models {
            let message = told(&fields, &[]);
            let named = message.contains(place) && message.contains(&format!("{code} is no tensor data type"));
            assert!(named, "{place} of {code}: {message}");
        }
    }
    let negative = vec![0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01];
    let input = bytes(11, &[text(1, "x"), bytes(2, &bytes(1, &negative))].concat());
    let message = told(&[node("Neg", "x", "y", &[]), input, value(12, "y", 1)], &[]);
    assert!(message.contains("input x") && message.contains("is no tensor data type"), "{message}");
}

#[test]
fn tensors_that_are_not_what_they_say_are_told() {
    let add = node("Add", "x c", "y", &[]);
    let short = tensor(5, "c", 1, &[2, 2], &[0; 15]);
    let no_elements = tensor(5, "c", 1, &[200, 200], &[]);
    let unnamed_set = bytes(8, &set("", 0));
    assert!(told(&[add.clone(), short, ends()], &[]).contains("initializer c"));
    assert!(told(&[add.clone(), no_elements, ends()], &[]).contains("initializer c"));
    assert!(told(&[add.clone(), floats(5, "c", &[1], &[1.0]), ends()], &[unnamed_set]).contains("n_Add"));
    assert!(told(&[add, ends()], &[]).contains("nothing makes the value c"));
}
