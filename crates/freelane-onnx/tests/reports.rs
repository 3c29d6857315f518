//! What users of other runtimes have met: each of these went wrong somewhere.
mod build;

use build::{bytes, floats, ints, model, node, number, numbers, set, text, value};
use freelane_graph::{Datum, Plan, State, passes};
use freelane_onnx::{ExternalData, ModelFile, import};
use freelane_ops::Array;
use freelane_pool::Lane;

/// The first output.
fn run(bytes: Vec<u8>, inputs: &[Array]) -> Result<Array, String> {
    let file = ModelFile::from_bytes(bytes);
    let proto = file.model().map_err(|e| e.to_string())?;
    let mut imported = import(&proto, &ExternalData::Refused).map_err(|e| e.to_string())?;
    let inputs: Vec<Datum> = inputs.iter().map(|x| x.clone().into()).collect();
    Lane::with(|lane| {
        passes::optimize(lane, &mut imported.graph, None).map_err(|e| e.to_string())?;
        let plan = Plan::new(imported.graph).map_err(|e| e.to_string())?;
        let found = plan.run(lane, &mut State::default(), &inputs).map_err(|e| e.to_string())?;
        Ok(found[0].array().ok_or("no array")?.clone().into())
    })
}

fn array(values: &[f32], shape: &[usize]) -> Array {
    Array::from_vec(values.to_vec(), shape).unwrap()
}

#[test]
fn the_lesser_and_the_greater_of_a_number_and_nan_are_nan() {
    let x = array(&[f32::NAN, 1.0, 20.0], &[3, 1]);
    for (op, expected) in [("Min", [1.0, 10.0]), ("Max", [10.0, 20.0])] {
        for inputs in ["x c", "c x"] {
            let graph =
                [node(op, inputs, "y", &[]), floats(5, "c", &[1], &[10.0]), value(11, "x", 1), value(12, "y", 1)];
            let y = run(model(&graph, &[]), std::slice::from_ref(&x)).unwrap();
            let values = y.to_vec::<f32>().unwrap();
            assert!(y.shape() == [3, 1] && values[0].is_nan(), "{op} {inputs}");
            assert_eq!(values[1..], expected, "{op} {inputs}");
        }
    }
}

#[test]
fn pools_that_round_up_average_what_is_there() {
    let pool = |include: u8| {
        let attributes = [
            numbers("kernel_shape", &[3, 3]),
            numbers("strides", &[2, 2]),
            number("ceil_mode", 1),
            number("count_include_pad", include),
        ];
        let graph = [node("AveragePool", "x", "y", &attributes), value(11, "x", 1), value(12, "y", 1)];
        let x = array(&(1..=16u8).map(f32::from).collect::<Vec<_>>(), &[1, 1, 4, 4]);
        let sets = [bytes(8, &set("", 19))];
        run(model(&graph, &sets), &[x]).unwrap().to_vec::<f32>().unwrap()
    };
    assert_eq!(pool(0), [6.0, 7.5, 12.0, 13.5]);
    assert_eq!(pool(1), [6.0, 7.5, 12.0, 13.5]);
}

#[test]
fn numbers_of_elements_that_are_not_there_are_told() {
    let gather = |indices: &[i64], constant: bool| {
        let ends = [value(11, "x", 1), value(12, "y", 1)].concat();
        let node = node("Gather", "x i", "y", &[]);
        let given = if constant { ints(5, "i", &[2], indices) } else { value(11, "i", 7) };
        let x = array(&[1.0, 2.0, 3.0, 4.0, 5.0], &[5]);
        let i = Array::from_slice(indices).unwrap();
        let feeds = if constant { vec![x] } else { vec![i, x] };
        run(model(&[node, given, ends], &[]), &feeds).map(|y| y.to_vec::<f32>().unwrap())
    };
    for constant in [true, false] {
        assert_eq!(gather(&[0, -1], constant), Ok(vec![1.0, 5.0]));
        for wrong in [5, -6] {
            let message = gather(&[0, wrong], constant).unwrap_err();
            assert!(message.contains("n_Gather") && message.contains(&wrong.to_string()), "{message}");
        }
    }
    let updates = floats(5, "u", &[1], &[9.0]);
    let scatter = [
        node("ScatterElements", "x i u", "y", &[]),
        ints(5, "i", &[1], &[7]),
        updates,
        value(11, "x", 1),
        value(12, "y", 1),
    ];
    let x = array(&[1.0, 2.0, 3.0], &[3]);
    let message = run(model(&scatter, &[]), std::slice::from_ref(&x)).unwrap_err();
    assert!(message.contains("n_ScatterElements") && message.contains('7'), "{message}");
    assert_eq!(x.to_vec::<f32>().unwrap(), [1.0, 2.0, 3.0]);
}

#[test]
fn what_is_transposed_is_normalised_along_its_own_axis() {
    let graph = [
        node("Transpose", "x", "t", &[numbers("perm", &[1, 0])]),
        node("Softmax", "t", "y", &[number("axis", 1)]),
        value(11, "x", 1),
        value(12, "y", 1),
    ];
    let x = array(&(1..=12u8).map(f32::from).collect::<Vec<_>>(), &[3, 4]);
    let y = run(model(&graph, &[]), &[x]).unwrap();
    let first = y.index(&[0isize.into()]).unwrap().to_vec::<f32>().unwrap();
    let expected = [0.000_329_32, 0.017_980_29, 0.981_690_4];
    assert!(first.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-6), "{first:?}");
}

#[test]
fn types_that_are_missing_or_unknown_are_no_reason_to_stop_working() {
    let untyped = bytes(11, &text(1, "x"));
    let graph = [node("Neg", "x", "y", &[]), untyped, value(12, "y", 1)];
    assert_eq!(run(model(&graph, &[]), &[array(&[1.0], &[1])]).unwrap().to_vec::<f32>().unwrap(), [-1.0]);
    let unknown = [node("Neg", "x", "y", &[]), value(11, "x", 99), value(12, "y", 1)];
    let message = run(model(&unknown, &[]), &[array(&[1.0], &[1])]).unwrap_err();
    assert!(message.contains("99 is no tensor data type"), "{message}");
    let domain = [node("Neg", "x", "y", &[bytes(7, &[0xff, 0xfe, 0])]), value(11, "x", 1), value(12, "y", 1)];
    assert!(run(model(&domain, &[]), &[array(&[1.0], &[1])]).is_err());
}

/// A step of a generator of numbers that are good enough for this.
fn next(state: &mut u64) -> usize {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    (*state >> 16) as usize
}

/// A model of several kinds of nodes.
fn sample() -> Vec<u8> {
    let branch = |name: &str, op: &str| {
        let graph = [node(op, "m", "b", &[]), value(12, "b", 1)].concat();
        bytes(5, &[text(1, name), bytes(6, &graph), vec![0xa0, 1, 5]].concat())
    };
    let graph = [
        node("Reshape", "x s", "r", &[]),
        node("MatMul", "r w", "m", &[]),
        node("ReduceMax", "m", "g", &[numbers("axes", &[0, 1]), number("keepdims", 0)]),
        node("Less", "g z", "c", &[]),
        node("If", "c", "i", &[branch("then_branch", "Neg"), branch("else_branch", "Exp")]),
        node("Pad", "i p", "q", &[]),
        node("Expand", "q e", "f", &[]),
        node("Conv", "f k", "y", &[numbers("kernel_shape", &[2, 2])]),
        ints(5, "s", &[2], &[2, -1]),
        floats(5, "w", &[3, 2], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]),
        floats(5, "z", &[], &[0.0]),
        ints(5, "p", &[4], &[0, 1, 0, 1]),
        ints(5, "e", &[4], &[1, 1, 1, 1]),
        floats(5, "k", &[1, 1, 2, 2], &[1.0; 4]),
        value(11, "x", 1),
        value(12, "y", 1),
    ];
    model(&graph, &[])
}

/// Loads a model with a few bytes changed; returns whether it became a plan.
fn load_mutated(good: &[u8], state: &mut u64) -> bool {
    let mut bad = good.to_vec();
    for _ in 0..=next(state) % 4 {
        let at = next(state) % bad.len();
        match next(state) % 4 {
            0 => bad[at] = next(state) as u8,
            1 => bad[at] ^= 1 << (next(state) % 8),
            2 => bad.truncate(at.max(1)),
            _ => bad.insert(at, next(state) as u8),
        }
    }
    let file = ModelFile::from_bytes(bad);
    let Ok(proto) = file.model() else { return false };
    let Ok(mut imported) = import(&proto, &ExternalData::Refused) else { return false };
    let done = Lane::with(|lane| passes::optimize(lane, &mut imported.graph, None));
    done.is_ok_and(|()| Plan::new(imported.graph).map(drop).map_err(|e| panic!("{e}")).is_ok())
}

#[test]
fn models_with_wrong_bytes_are_errors_or_work() {
    let good = sample();
    let x = array(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], &[6]);
    run(good.clone(), &[x]).unwrap();
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let plans = (0..10_000).filter(|_| load_mutated(&good, &mut state)).count();
    assert!((100..9000).contains(&plans), "{plans} of 10000 mutations are models");
}

#[test]
fn public_cases_with_wrong_bytes_are_errors_or_work() {
    let folders = std::env::var("FREELANE_ONNX_CASES").unwrap_or_default();
    let mut state = 0x2545_f491_4f6c_dd1du64;
    for root in folders.split(':').filter(|root| !root.is_empty()).map(std::path::Path::new) {
        let manifest = std::fs::read_to_string(root.join("manifest.jsonl")).expect("a folder of cases has a manifest");
        for line in manifest.lines() {
            let row: serde_json::Value = serde_json::from_str(line).expect("a JSON object a line");
            let path = root.join(row["path"].as_str().expect("a path")).join("model.onnx");
            let good = std::fs::read(&path).expect("a model");
            let times = if good.len() > 1 << 16 { 0 } else { 20 };
            for _ in 0..times {
                let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| load_mutated(&good, &mut state)));
                assert!(caught.is_ok(), "{}: a mutation panics", path.display());
            }
        }
    }
}
