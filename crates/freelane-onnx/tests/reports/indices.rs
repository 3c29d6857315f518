//! Elements that are not there: an index out of bounds is told with the node, and nothing is written.
use super::build::{bytes, floats, ints, model, node, number, numbers, set, text, value};
use super::{counted, load, run};
use freelane_graph::{Datum, Limits};
use freelane_ops::{Array, DType};

/// An operator that takes elements by number: what it reads beside its indices, of which `good` work and no others do.
struct Case {
    op: &'static str,
    version: u8,
    /// Names of inputs; `i` has the indices and `x` the data, both given at the run.
    inputs: &'static str,
    attributes: Vec<Vec<u8>>,
    constants: Vec<u8>,
    x: &'static [usize],
    shape: &'static [u8],
    good: &'static [i64],
    /// Indices that are one too many, at either end.
    wrong: [i64; 2],
}

fn case(
    op: &'static str,
    inputs: &'static str,
    x: &'static [usize],
    shape: &'static [u8],
    good: &'static [i64],
) -> Case {
    let n = x[0] as i64;
    Case { op, version: 17, inputs, attributes: vec![], constants: vec![], x, shape, good, wrong: [n, -n - 1] }
}

/// All operators that take elements by number.
fn cases() -> Vec<Case> {
    let updates = |shape: &[u8]| {
        let count: u8 = shape.iter().product();
        floats(5, "u", shape, &vec![9.0; count as usize])
    };
    let mut all = vec![
        case("Gather", "x i", &[5, 2], &[3], &[0, -5, 4]),
        Case { attributes: vec![number("axis", 1)], ..case("Gather", "x i", &[5, 5], &[3], &[0, -5, 4]) },
        case("GatherElements", "x i", &[5], &[3], &[0, -5, 4]),
        Case { attributes: vec![number("axis", 1)], ..case("GatherElements", "x i", &[4, 4], &[2, 2], &[0, 1, 3, -4]) },
        case("GatherND", "x i", &[4, 4], &[2, 2], &[0, 3, -4, 1]),
        case("GatherND", "x i", &[5, 2], &[2, 1], &[0, -5]),
        Case { attributes: vec![number("batch_dims", 1)], ..case("GatherND", "x i", &[3, 3], &[3, 1], &[0, 2, -3]) },
        Case { version: 9, constants: updates(&[2]), ..case("Scatter", "x i u", &[3], &[2], &[0, 2]) },
        Case {
            wrong: [3, -1],
            constants: floats(5, "t", &[2, 3], &[1.0; 6]),
            ..case("NegativeLogLikelihoodLoss", "t i", &[3], &[2], &[0, 2])
        },
        Case {
            wrong: [3, -1],
            constants: floats(5, "t", &[2, 3], &[1.0; 6]),
            ..case("SoftmaxCrossEntropyLoss", "t i", &[3], &[2], &[0, 2])
        },
    ];
    for mode in ["none", "add", "mul", "max", "min"] {
        let attributes = || vec![bytes(5, &[text(1, "reduction"), text(4, mode), vec![0xa0, 1, 3]].concat())];
        all.push(Case {
            version: 18,
            attributes: attributes(),
            constants: updates(&[2]),
            ..case("ScatterElements", "x i u", &[3], &[2], &[0, -3])
        });
        all.push(Case {
            version: 18,
            attributes: attributes(),
            constants: updates(&[2, 4]),
            ..case("ScatterND", "x i u", &[4, 4], &[2, 1], &[0, -4])
        });
    }
    let start = |starts| Case {
        version: 24,
        constants: updates(&[2, 2, 3]),
        wrong: [3, -1],
        ..case("TensorScatter", "x u i", &[2, 4, 3], &[2], starts)
    };
    all.push(start(&[0, 2]));
    let pool = Case {
        attributes: vec![numbers("kernel_shape", &[2]), numbers("strides", &[2])],
        wrong: [4, -1],
        ..case("MaxUnpool", "x i", &[1, 1, 2], &[1, 1, 2], &[0, 3])
    };
    all.push(pool);
    let boxes = floats(5, "b", &[2, 4], &[0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0, 1.0]);
    all.push(Case { constants: boxes, wrong: [2, -1], ..case("RoiAlign", "x b i", &[2, 1, 4, 4], &[2], &[0, 1]) });
    let angles = [floats(5, "cos", &[5, 2], &[0.5; 10]), floats(5, "sin", &[5, 2], &[0.5; 10])].concat();
    all.push(Case {
        version: 23,
        constants: angles,
        wrong: [5, -1],
        ..case("RotaryEmbedding", "x cos sin i", &[1, 1, 2, 4], &[1, 2], &[0, 4])
    });
    all
}

/// The model of a case; its indices are part of it or given when it runs.
fn model_of(case: &Case, constant: Option<&[i64]>) -> Vec<u8> {
    let given = match constant {
        Some(indices) => ints(5, "i", case.shape, indices),
        None => value(11, "i", 7),
    };
    let x = if case.inputs.contains('x') { value(11, "x", 1) } else { vec![] };
    let node = node(case.op, case.inputs, "y", &case.attributes);
    let graph = [node, given, case.constants.clone(), x, value(12, "y", 1)];
    let sets = bytes(8, &set("", case.version));
    model(&graph, &[sets])
}

fn indices_of(case: &Case, wrong: Option<i64>) -> Vec<i64> {
    let mut indices = case.good.to_vec();
    if let Some(last) = indices.last_mut() {
        *last = wrong.unwrap_or(*last);
    }
    indices
}

/// What a run tells, or nothing; inputs and the caller's outputs are as they were if it tells something.
fn told(case: &Case, indices: &[i64], constant: bool) -> Option<String> {
    let shape: Vec<usize> = case.shape.iter().map(|&n| n.into()).collect();
    let (x, i) = (counted(case.x), Array::from_vec(indices.to_vec(), &shape).unwrap());
    let session = match load(model_of(case, constant.then_some(indices))) {
        Ok(session) => session,
        Err(told) => return Some(told),
    };
    let feed = |port: &freelane_onnx::Port| Datum::from(if port.name == "x" { x.clone() } else { i.clone() });
    let feeds: Vec<Datum> = session.inputs().iter().map(feed).collect();
    let mut outputs = [Datum::from(Array::full(&[5, 2], 7.0, DType::F32).unwrap())];
    let told = session.run_into(&feeds, &Limits::default(), &mut outputs).err().map(|e| e.to_string())?;
    assert_eq!(x.to_vec::<f32>().unwrap(), counted(case.x).to_vec::<f32>().unwrap(), "{}", case.op);
    let output = Array::from(outputs[0].array().unwrap().clone());
    assert_eq!((output.shape(), output.to_vec::<f32>().unwrap()), (&[5, 2][..], vec![7.0; 10]), "{}", case.op);
    Some(told)
}

#[test]
fn numbers_of_elements_that_are_not_there_are_told() {
    for case in cases() {
        for constant in [true, false] {
            assert_eq!(told(&case, &indices_of(&case, None), constant), None, "{}", case.op);
            for wrong in [case.wrong[0], case.wrong[1], i64::MAX, i64::MIN, 1 << 32, -1 << 32] {
                let message = told(&case, &indices_of(&case, Some(wrong)), constant);
                let message = message.unwrap_or_else(|| panic!("{}: index {wrong} is taken", case.op));
                let named = message.contains(&format!("n_{}", case.op)) && message.contains(&wrong.to_string());
                assert!(named && !message.contains('\n'), "{} {wrong} {constant}: {message}", case.op);
            }
        }
    }
}

#[test]
fn the_reported_elements_are_gathered_or_told() {
    let gather = |indices: &[i64]| {
        let graph = [node("Gather", "x i", "y", &[]), value(11, "i", 7), value(11, "x", 1), value(12, "y", 1)];
        run(model(&graph, &[]), &[Array::from_slice(indices).unwrap(), counted(&[5])])
    };
    assert_eq!(gather(&[0, -1]).unwrap().to_vec::<f32>().unwrap(), [1.0, 5.0]);
    for wrong in [5, -6] {
        let message = gather(&[0, wrong]).unwrap_err();
        assert!(message.contains("n_Gather") && message.contains(&wrong.to_string()), "{message}");
    }
}

#[test]
fn places_in_sequences_that_are_not_there_are_told() {
    for (op, inputs, good, wrong) in [
        ("SequenceAt", "s i", [0, -3], [3, -4]),
        ("SequenceErase", "s i", [0, -3], [3, -4]),
        ("SequenceInsert", "s x i", [3, -3], [4, -4]),
    ] {
        let last = if op == "SequenceAt" { vec![] } else { node("ConcatFromSequence", "q", "y", &[number("axis", 0)]) };
        let made = if op == "SequenceAt" { "y" } else { "q" };
        let nodes =
            [node("SplitToSequence", "x", "s", &[number("axis", 0)]), node(op, inputs, made, &[]), last].concat();
        for (place, works) in good
            .map(|i| (i, true))
            .into_iter()
            .chain(wrong.map(|i| (i, false)))
            .chain([(i64::MAX, false), (i64::MIN, false)])
        {
            for constant in [true, false] {
                let i = if constant { ints(5, "i", &[], &[place]) } else { value(11, "i", 7) };
                let graph = [nodes.clone(), i, value(11, "x", 1), value(12, "y", 1)];
                let mut feeds = vec![counted(&[3, 2])];
                if !constant {
                    feeds.insert(0, Array::from_vec(vec![place], &[]).unwrap());
                }
                match run(model(&graph, &[]), &feeds) {
                    Ok(_) => assert!(works, "{op} {place}"),
                    Err(told) => assert!(
                        !works && told.contains(&format!("n_{op}")) && told.contains(&place.to_string()),
                        "{op} {place}: {told}"
                    ),
                }
            }
        }
    }
}

#[test]
fn lengths_beyond_an_axis_are_told() {
    let attributes = [number("batch_axis", 1), number("time_axis", 0)];
    let graph =
        [node("ReverseSequence", "x l", "y", &attributes), value(11, "l", 7), value(11, "x", 1), value(12, "y", 1)];
    let reversed = |length: i64| run(model(&graph, &[]), &[Array::from_slice(&[2, length]).unwrap(), counted(&[3, 2])]);
    assert_eq!(reversed(3).unwrap().to_vec::<f32>().unwrap(), [3.0, 6.0, 1.0, 4.0, 5.0, 2.0]);
    for wrong in [4, -1, i64::MAX, i64::MIN] {
        let told = reversed(wrong).unwrap_err();
        assert!(told.contains("n_ReverseSequence") && told.contains(&wrong.to_string()), "{told}");
    }
}
