//! Models that ask for too much, or for nothing that is there: each is told, and none takes more than its time.
mod build;

use build::{bytes, floats, graph, int, ints, large, model, node, number, numbers, scalar, set, tensor, text, value};
use freelane_graph::{Cancel, Datum, GraphError, Limits};
use freelane_onnx::{Session, SessionOptions};
use freelane_ops::{Array, DType};
use freelane_pool::Lane;
use std::time::{Duration, Instant};

fn session(fields: &[Vec<u8>], more: &[Vec<u8>]) -> Result<Session, String> {
    Session::from_bytes(model(fields, more), &SessionOptions::default()).map_err(|e| e.to_string())
}

/// What a model tells, when it is loaded or when it runs.
fn told(fields: &[Vec<u8>], more: &[Vec<u8>], inputs: &[Datum]) -> String {
    let run = |session: Session| session.run_within(inputs, &Limits::default()).map_err(|e| e.to_string());
    session(fields, more).and_then(run).map(|_| "no error".to_owned()).unwrap_or_else(|told| told)
}

fn ones(shape: &[usize]) -> Datum {
    Array::ones(shape, DType::F32).unwrap().into()
}

fn ends() -> Vec<u8> {
    [value(11, "x", 1), value(12, "y", 1)].concat()
}

#[test]
fn weights_without_axes_are_told() {
    let norm = node("BatchNormalization", "c w w w w", "y", &[]);
    let fields = [node("Conv", "x w", "c", &[]), norm, scalar(5, "w", 1.0), ends()];
    let message = told(&fields, &[], &[ones(&[1, 1, 3, 3])]);
    assert!(message.contains("n_Conv"), "{message}");
}

#[test]
fn operators_without_inputs_are_told() {
    let old = [bytes(8, &set("", 6))];
    let fields = [node("Add", "", "y", &[number("broadcast", 1), number("axis", 0)]), ends()];
    let message = told(&fields, &old, &[ones(&[1])]);
    assert!(message.contains("n_Add") && message.contains("input 0 is missing"), "{message}");
}

#[test]
fn blocks_without_end_are_told() {
    for op in ["DepthToSpace", "SpaceToDepth"] {
        for size in [0, 1 << 32, u64::MAX] {
            let fields = [node(op, "x", "y", &[large("blocksize", size)]), ends()];
            let message = told(&fields, &[], &[ones(&[1, 4, 2, 2])]);
            assert!(message.contains("attribute blocksize is"), "{message}");
        }
    }
    let fields = [node("DepthToSpace", "x", "y", &[number("blocksize", 2)]), ends()];
    assert_eq!(told(&fields, &[], &[ones(&[1, 4, 2, 2])]), "no error");
}

#[test]
fn more_numbers_than_memory_are_told() {
    let window = [node("HannWindow", "n", "y", &[]), ints(5, "n", &[], &[1 << 60]), value(12, "y", 1)];
    let message = told(&window, &[], &[]);
    assert!(message.contains("memory for a list of 1152921504606846976 numbers cannot be had"), "{message}");
    let mel = [
        node("MelWeightMatrix", "n n r l h", "y", &[]),
        ints(5, "n", &[], &[1 << 40]),
        ints(5, "r", &[], &[8000]),
        floats(5, "l", &[], &[0.0]),
        floats(5, "h", &[], &[4000.0]),
        value(12, "y", 1),
    ];
    assert!(told(&mel, &[], &[]).contains("are too many"), "{}", told(&mel, &[], &[]));
    let wide = node("Expand", "x e", "w", &[]);
    let pieces = node("SplitToSequence", "w", "s", &[number("axis", 0), number("keepdims", 0)]);
    let split = [wide, pieces, node("SequenceLength", "s", "y", &[]), ints(5, "e", &[1], &[1 << 60]), ends()];
    assert!(told(&split, &[], &[ones(&[1])]).contains("cannot be had"), "{}", told(&split, &[], &[ones(&[1])]));
    let shape = [
        node("Expand", "i e", "w", &[]),
        node("Expand", "x w", "y", &[]),
        ints(5, "i", &[1], &[1]),
        ints(5, "e", &[1], &[1 << 58]),
        ends(),
    ];
    assert!(told(&shape, &[], &[ones(&[1])]).contains("cannot be had"), "{}", told(&shape, &[], &[ones(&[1])]));
}

/// The sum of a sparse tensor of two rows of three, or what is told of it.
fn sparse(shape: &[u8], indices: &[i64]) -> Result<Vec<f32>, String> {
    let values = floats(1, "s", &[2], &[5.0, 7.0]);
    let dims: Vec<u8> = [2, 3].iter().flat_map(|&d| int(3, d)).collect();
    let tensor = bytes(15, &[values, ints(2, "i", shape, indices), dims].concat());
    let fields = [node("Add", "x s", "y", &[]), tensor, ends()];
    let zero = Array::zeros(&[2, 3], DType::F32).unwrap().into();
    let made = session(&fields, &[])?.run_within(&[zero], &Limits::default()).map_err(|e| e.to_string())?;
    Array::from(made[0].array().unwrap().clone()).to_vec::<f32>().map_err(|e| e.to_string())
}

#[test]
fn places_of_sparse_tensors_are_checked_axis_by_axis() {
    let right = Ok(vec![0.0, 0.0, 5.0, 7.0, 0.0, 0.0]);
    assert_eq!(sparse(&[2], &[2, 3]), right);
    assert_eq!(sparse(&[2, 2], &[0, 2, 1, 0]), right);
    // In row-major order, the fourth of row 0 is the first of row 1: it is no place all the same.
    let wrong: [(&[u8], &[i64]); 5] = [
        (&[2, 2], &[0, 2, 0, 3]),
        (&[2, 2], &[0, 2, -1, 3]),
        (&[2], &[2, 6]),
        (&[2, 1], &[2, 3]),
        (&[2, 2], &[0, 2, i64::MAX, i64::MAX]),
    ];
    for (shape, indices) in wrong {
        let message = sparse(shape, indices).unwrap_err();
        assert!(message.contains("sparse tensor: indices of shape"), "{message}");
    }
    assert!(sparse(&[1], &[2]).unwrap_err().contains("1 places for values of shape [2]"));
}

/// A graph of a node, in which a loop over a number has no end.
fn endless_branch() -> [Vec<u8>; 2] {
    let body = [
        node("Identity", "on", "still", &[]),
        node("Add", "v one", "more", &[]),
        value(11, "i", 7),
        value(11, "on", 9),
        value(11, "v", 1),
        value(12, "still", 9),
        value(12, "more", 1),
    ];
    [node("Loop", "most true one", "b", &[graph("body", &body)]), value(12, "b", 1)]
}

/// Such a loop in a branch that is always taken, and of a known shape.
fn endless() -> Vec<Vec<u8>> {
    let branch = endless_branch();
    vec![
        node("If", "true", "r", &[graph("then_branch", &branch), graph("else_branch", &branch)]),
        node("Reshape", "r shape", "s", &[]),
        node("Add", "s x", "y", &[]),
        ints(5, "most", &[], &[i64::MAX]),
        ints(5, "shape", &[1], &[1]),
        tensor(5, "true", 9, &[], &[1]),
        scalar(5, "one", 1.0),
        ends(),
    ]
}

#[test]
fn a_loop_without_end_is_left_to_the_run_which_has_a_deadline() {
    let session = session(&endless(), &[]).unwrap();
    let deadline = Some(Instant::now() + Duration::from_millis(50));
    let ended = session.run_within(&[ones(&[1])], &Limits { deadline, ..Limits::default() });
    assert!(matches!(ended, Err(GraphError::Deadline)));
    let cancel = Cancel::default();
    cancel.cancel();
    let ended = session.run_within(&[ones(&[1])], &Limits { cancel: Some(&cancel), ..Limits::default() });
    assert!(matches!(ended, Err(GraphError::Cancelled)));
}

#[test]
fn a_model_has_one_second_for_all_of_its_graphs() {
    let branch = endless_branch();
    let branches = [graph("then_branch", &branch), graph("else_branch", &branch)];
    let ifs = (0..8).flat_map(|i| node("If", "c", &format!("y{i}"), &branches));
    let outputs = (0..8).flat_map(|i| value(12, &format!("y{i}"), 1));
    let fields = [
        ifs.chain(outputs).collect(),
        ints(5, "most", &[], &[i64::MAX]),
        tensor(5, "true", 9, &[], &[1]),
        scalar(5, "one", 1.0),
        value(11, "c", 9),
    ];
    let began = Instant::now();
    session(&fields, &[]).unwrap();
    assert!(began.elapsed() < Duration::from_secs(12), "16 loops without end took {:?}", began.elapsed());
}

#[test]
fn a_deadline_ends_a_long_operation_in_its_middle() {
    let fields = [
        node("Expand", "x e", "w", &[]),
        node("Sin", "w", "s", &[]),
        node("ReduceSum", "s", "y", &[number("keepdims", 0)]),
        ints(5, "e", &[1], &[1 << 28]),
        ends(),
    ];
    let session = session(&fields, &[]).unwrap();
    let deadline = Some(Instant::now() + Duration::from_millis(5));
    let ended = session.run_within(&[ones(&[1])], &Limits { deadline, ..Limits::default() });
    assert!(matches!(ended, Err(GraphError::Deadline)), "{:?}", ended.map(|_| ()));
}

/// The only node of a model ends early: nothing is asked after it.
#[test]
fn a_deadline_ends_the_last_operation_too() {
    let sampled = [node("GridSample", "x g", "y", &[]), value(11, "g", 1), ends()];
    let most = ints(5, "most", &[], &[i64::MAX]);
    let left = [
        node("NonMaxSuppression", "x g most", "y", &[]),
        most,
        value(11, "g", 1),
        value(11, "x", 1),
        value(12, "y", 7),
    ];
    // Boxes without an area, none of which suppresses another.
    let cases = [
        (&sampled[..], ones(&[1, 64, 8, 8]), ones(&[1, 1000, 1000, 2])),
        (&left[..], ones(&[1, 100_000, 4]), ones(&[1, 1, 100_000])),
    ];
    for (fields, x, g) in cases {
        let session = session(fields, &[]).unwrap();
        let fed = if session.inputs()[0].name == "x" { [x, g] } else { [g, x] };
        let deadline = Some(Instant::now() + Duration::from_millis(5));
        let ended = session.run_within(&fed, &Limits { deadline, ..Limits::default() });
        assert!(matches!(ended, Err(GraphError::Deadline)), "{:?}", ended.map(|_| ()));
    }
}

#[test]
fn plain_sessions_leave_the_graphs_of_nodes_as_they_are() {
    let branch = [
        node("Neg", "x", "a", &[]),
        node("Exp", "a", "k", &[]),
        node("Identity", "x", "unread", &[]),
        value(12, "k", 1),
    ];
    let fields = [
        node("If", "c", "y", &[graph("then_branch", &branch), graph("else_branch", &branch)]),
        value(11, "c", 9),
        ends(),
    ];
    let nodes = |plain: bool| {
        let options = SessionOptions { plain, ..SessionOptions::default() };
        let session = Session::from_bytes(model(&fields, &[]), &options).unwrap();
        let bodies = session.plan().graph().nodes().iter().flat_map(|node| node.op.bodies());
        bodies.map(|plan| plan.graph().nodes().len()).collect::<Vec<_>>()
    };
    assert_eq!(nodes(true), [3, 3]);
    assert_eq!(nodes(false), [1, 1]);
}

#[test]
fn what_is_dropped_differs_from_run_to_run_and_repeats_from_the_beginning() {
    let drop = node("Dropout", "x ratio on", "y", &[number("seed", 7)]);
    let fields = [drop, scalar(5, "ratio", 0.5), tensor(5, "on", 9, &[], &[1]), ends()];
    let options = SessionOptions::default();
    let masks = || {
        let session = Session::from_bytes(model(&fields, &[]), &options).unwrap();
        let run = |_| {
            let made = session.run_within(&[ones(&[64])], &Limits::default()).unwrap();
            Array::from(made[0].array().unwrap().clone()).to_vec::<f32>().unwrap()
        };
        [0, 1].map(run)
    };
    let [first, second] = masks();
    assert!(first.iter().all(|x| *x == 0.0 || *x == 2.0) && first.contains(&0.0) && first.contains(&2.0));
    assert_ne!(first, second);
    assert_eq!(masks(), [first, second]);
}

#[test]
fn weights_that_are_packed_are_kept_once() {
    let fields = [node("MatMul", "x w", "y", &[]), floats(5, "w", &[3, 2], &[1.0; 6]), build::sized(11, "x", &[4, 3])];
    let session = session(&[fields.concat(), value(12, "y", 1)], &[]).unwrap();
    let (held, weights) = (session.memory().constants, 4 * 3 * 2);
    assert!(
        held >= weights && session.plan().graph().nodes()[0].inputs.len() == 1,
        "{held} bytes, and the array is not read"
    );
    let made = session.run_within(&[ones(&[4, 3])], &Limits::default()).unwrap();
    assert_eq!(Array::from(made[0].array().unwrap().clone()).to_vec::<f32>().unwrap(), [3.0; 8]);
}

#[test]
fn what_operators_pack_is_part_of_their_memory() {
    let held = |nodes: Vec<u8>, weights: Vec<u8>, bytes: usize, shape: &[usize], dtype: DType, code: u8| {
        let fields = [nodes, weights, value(11, "x", code), value(12, "y", code)];
        let session = session(&fields, &[]).unwrap();
        let x = Array::ones(shape, dtype).unwrap();
        session.run_within(&[x.into()], &Limits::default()).unwrap();
        let constants = session.memory().constants;
        // The weights of the file, and those that are packed.
        assert!((2 * bytes..20 * bytes).contains(&constants), "{constants} bytes for weights of {bytes}");
    };
    let ones = |n: usize| vec![1u8; n];
    let matrix = tensor(5, "w", 2, &[64, 64], &ones(4096));
    held(node("MatMulInteger", "x w", "y", &[]), matrix, 4096, &[2, 64], DType::U8, 2);
    let kernels = tensor(5, "w", 2, &[32, 32, 3, 3], &ones(9216));
    held(node("ConvInteger", "x w", "y", &[]), kernels, 9216, &[1, 32, 8, 8], DType::U8, 2);
    let kernels = floats(5, "w", &[16, 16, 3, 3], &[0.5; 2304]);
    held(node("Conv", "x w", "y", &[]), kernels, 9216, &[1, 16, 8, 8], DType::F32, 1);
    let gates = [floats(5, "w", &[1, 64, 16], &[0.5; 1024]), floats(5, "r", &[1, 64, 16], &[0.5; 1024])].concat();
    held(node("LSTM", "x w r", "y", &[number("hidden_size", 16)]), gates, 8192, &[3, 1, 16], DType::F32, 1);
}

#[test]
fn names_that_are_no_text_are_told() {
    let named = node("Neg", "x", "y", &[text(2, "y"), numbers("axes", &[1])]);
    assert!(told(&[named, ends()], &[], &[ones(&[1])]).contains("n_Neg"));
}

/// A tensor of int64 of some lengths, without elements.
fn empty(field: u8, name: &str, dims: &[u64]) -> Vec<u8> {
    let lengths: Vec<u8> = dims.iter().flat_map(|&n| build::varint(1, n)).collect();
    bytes(field, &[lengths, int(2, 7), text(8, name)].concat())
}

#[test]
fn lengths_beyond_memory_of_nothing_are_told_or_work() {
    let gather = [node("GatherND", "x i", "y", &[]), empty(5, "i", &[1 << 58, 0]), ends()];
    let message = told(&gather, &[], &[ones(&[3])]);
    assert!(message.contains("memory") || message.contains("too many"), "{message}");
    let scatter =
        [node("Shape", "i", "s", &[]), empty(5, "i", &[0, 1 << 40, 1 << 40]), node("Add", "x x", "y", &[]), ends()];
    assert_eq!(told(&scatter, &[], &[ones(&[3])]), "no error");
}

#[test]
fn a_loop_asks_its_lane_whether_to_stop() {
    let session = session(&endless(), &[]).expect("a model");
    let told = Lane::with(|lane| {
        let before = lane.set_poll(Some(|| true));
        let done = session.run_within(&[ones(&[1])], &Limits::default());
        lane.set_poll(before);
        done.unwrap_err().to_string()
    });
    assert!(told.ends_with("interrupted"), "{told}");
}
