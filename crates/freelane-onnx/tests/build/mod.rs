//! Models, written by hand.
#![allow(dead_code, reason = "each test uses some")]

/// A field of a message: bytes under a number.
pub fn bytes(number: u8, content: &[u8]) -> Vec<u8> {
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

pub fn text(number: u8, content: &str) -> Vec<u8> {
    bytes(number, content.as_bytes())
}

/// A field of a message: a small whole number.
pub fn int(number: u8, value: u8) -> Vec<u8> {
    vec![number << 3, value]
}

pub fn set(domain: &str, version: u8) -> Vec<u8> {
    [text(1, domain), int(2, version)].concat()
}

/// A node; names are parted by blanks.
pub fn node(op: &str, inputs: &str, outputs: &str, rest: &[Vec<u8>]) -> Vec<u8> {
    let names =
        |number, names: &str| names.split(' ').filter(|n| !n.is_empty()).flat_map(|n| text(number, n)).collect();
    let (inputs, outputs): (Vec<u8>, Vec<u8>) = (names(1, inputs), names(2, outputs));
    bytes(1, &[inputs, outputs, text(3, &format!("n_{op}")), text(4, op), rest.concat()].concat())
}

/// An attribute that is a whole number.
pub fn number(name: &str, value: u8) -> Vec<u8> {
    bytes(5, &[text(1, name), int(3, value), vec![0xa0, 1, 2]].concat())
}

/// An attribute that is a whole number of any size.
pub fn large(name: &str, mut value: u64) -> Vec<u8> {
    let mut field = vec![3 << 3];
    while value >= 0x80 {
        field.push(value as u8 | 0x80);
        value >>= 7;
    }
    field.push(value as u8);
    bytes(5, &[text(1, name), field, vec![0xa0, 1, 2]].concat())
}

/// An attribute that is a graph.
pub fn graph(name: &str, fields: &[Vec<u8>]) -> Vec<u8> {
    bytes(5, &[text(1, name), bytes(6, &fields.concat()), vec![0xa0, 1, 5]].concat())
}

/// A value of type float, or of another.
pub fn value(field: u8, name: &str, ty: u8) -> Vec<u8> {
    bytes(field, &[text(1, name), bytes(2, &bytes(1, &int(1, ty)))].concat())
}

/// A value of type float whose axes have names.
pub fn axes(field: u8, name: &str, axes: &[&str]) -> Vec<u8> {
    let shape: Vec<u8> = axes.iter().flat_map(|axis| bytes(1, &text(2, axis))).collect();
    bytes(field, &[text(1, name), bytes(2, &bytes(1, &[int(1, 1), bytes(2, &shape)].concat()))].concat())
}

/// A value of type float and of a shape.
pub fn sized(field: u8, name: &str, shape: &[u8]) -> Vec<u8> {
    let shape: Vec<u8> = shape.iter().flat_map(|&n| bytes(1, &int(1, n))).collect();
    bytes(field, &[text(1, name), bytes(2, &bytes(1, &[int(1, 1), bytes(2, &shape)].concat()))].concat())
}

/// A tensor of one float without axes.
pub fn scalar(field: u8, name: &str, x: f32) -> Vec<u8> {
    bytes(field, &[int(2, 1), text(8, name), bytes(9, &x.to_le_bytes())].concat())
}

/// A model: the fields of its graph, and more of its own.
pub fn model(graph: &[Vec<u8>], more: &[Vec<u8>]) -> Vec<u8> {
    let opset = bytes(8, &set("", 17));
    [int(1, 8), bytes(7, &graph.concat()), opset, more.concat()].concat()
}

/// An attribute that is a list of small whole numbers.
pub fn numbers(name: &str, values: &[u8]) -> Vec<u8> {
    let ints: Vec<u8> = values.iter().flat_map(|v| int(8, *v)).collect();
    bytes(5, &[text(1, name), ints, vec![0xa0, 1, 7]].concat())
}

/// A tensor: its type, its shape, and its elements as they lie in memory.
pub fn tensor(field: u8, name: &str, ty: u8, shape: &[u8], elements: &[u8]) -> Vec<u8> {
    let dims: Vec<u8> = shape.iter().flat_map(|d| int(1, *d)).collect();
    bytes(field, &[dims, int(2, ty), text(8, name), bytes(9, elements)].concat())
}

/// A tensor of floats.
pub fn floats(field: u8, name: &str, shape: &[u8], elements: &[f32]) -> Vec<u8> {
    let elements: Vec<u8> = elements.iter().flat_map(|x| x.to_le_bytes()).collect();
    tensor(field, name, 1, shape, &elements)
}

/// A tensor of int64.
pub fn ints(field: u8, name: &str, shape: &[u8], elements: &[i64]) -> Vec<u8> {
    let elements: Vec<u8> = elements.iter().flat_map(|x| x.to_le_bytes()).collect();
    tensor(field, name, 7, shape, &elements)
}

/// A field of a message: a whole number of any size.
pub fn varint(number: u8, mut value: u64) -> Vec<u8> {
    let mut field = vec![number << 3];
    while value >= 0x80 {
        field.push(value as u8 | 0x80);
        value >>= 7;
    }
    field.push(value as u8);
    field
}
