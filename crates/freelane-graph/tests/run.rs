//! Graphs run as their operations do one after another, and memory is used again.
use freelane_graph::{
    Arg, Call, Cancel, Datum, Dim, Fact, Graph, GraphError, Limits, Measure, Plan, Runner, State, ValueId, passes,
};
use freelane_ops::{Array, DType, Function, Value, ufuncs};
use freelane_pool::Lane;
use std::sync::Arc;
use std::time::{Duration, Instant};

fn array(values: &[f64]) -> Datum {
    Array::from_slice(values).unwrap().into()
}

fn values(datum: &Datum) -> Vec<f64> {
    Array::from(datum.array().unwrap().clone()).to_vec().unwrap()
}

/// `exp(x * y) + sum(x * y)`, and `x * y` transposed, which shares its storage.
fn sample() -> Graph {
    let mut g = Graph::default();
    let x = g.input("x", Fact::of_dtype(DType::F64));
    let y = g.input("y", Fact::of_dtype(DType::F64));
    let xy = g.add("product", Call::ufunc(&ufuncs::MULTIPLY), &[Some(x), Some(y)], 1).unwrap()[0];
    let sum = Call::new(Function::by_name("sum").unwrap(), vec![Some(Arg::Input(0))]);
    let total = g.add("total", sum, &[Some(xy)], 1).unwrap()[0];
    let e = g.add("", Call::ufunc(&ufuncs::EXP), &[Some(xy)], 1).unwrap()[0];
    let out = g.add("", Call::ufunc(&ufuncs::ADD), &[Some(e), Some(total)], 1).unwrap()[0];
    let flip = Call::new(Function::by_name("flip").unwrap(), vec![Some(Arg::Input(0)), Some(Arg::Fixed(Value::None))]);
    let flipped = g.add("", flip, &[Some(xy)], 1).unwrap()[0];
    g.output(out);
    g.output(flipped);
    g
}

#[test]
fn constants_outlive_their_plan_and_are_counted_by_each_lane_apart() {
    let mut g = Graph::default();
    let x = g.input("x", Fact::of_dtype(DType::F64));
    let constant = Array::from_slice(&[1.0, 2.0, 3.0]).unwrap();
    let at = constant.data().as_ptr();
    let c = g.constant("c", constant.into());
    let flip = Call::new(Function::by_name("flip").unwrap(), vec![Some(Arg::Input(0)), Some(Arg::Fixed(Value::None))]);
    let flipped = g.add("", flip, &[Some(c)], 1).unwrap()[0];
    let sum = g.add("", Call::ufunc(&ufuncs::ADD), &[Some(x), Some(flipped)], 1).unwrap()[0];
    [c, flipped, sum].into_iter().for_each(|v| g.output(v));
    let plan = Plan::new(g).unwrap();
    let run = || Lane::with(|lane| plan.run(lane, &mut State::default(), &[array(&[1.0])])).unwrap();
    let (here, there) = (run(), std::thread::scope(|s| s.spawn(run).join().unwrap()));
    drop(plan);
    for found in [&here, &there] {
        assert_eq!(found[0].array().unwrap().as_ptr(), at, "no copy");
        assert_eq!(values(&found[0]), [1.0, 2.0, 3.0]);
        assert_eq!(values(&found[1]), [3.0, 2.0, 1.0]);
        assert_eq!(values(&found[2]), [4.0, 3.0, 2.0]);
    }
}

#[test]
fn a_plan_gives_what_its_operations_give_whatever_ran_before() {
    let plan = Plan::new(sample()).unwrap();
    let mut state = State::default();
    Lane::with(|lane| {
        for round in 0..3 {
            for n in [1usize, 5, 1000, 0] {
                let x: Vec<f64> = (0..n).map(|i| (i % 7) as f64 * 0.25 + f64::from(round)).collect();
                let got = plan.run(lane, &mut state, &[array(&x), array(&vec![0.5; n])]).unwrap();
                let xy: Vec<f64> = x.iter().map(|v| v * 0.5).collect();
                let total = Array::from_slice(&xy).unwrap().sum(.., false).unwrap().item::<f64>().unwrap();
                let e = Array::from_slice(&xy).unwrap().exp().unwrap().to_vec::<f64>().unwrap();
                assert_eq!(values(&got[0]), e.iter().map(|v| v + total).collect::<Vec<_>>(), "n = {n}");
                assert_eq!(values(&got[1]), xy.iter().rev().copied().collect::<Vec<_>>());
            }
        }
    });
}

#[test]
fn results_stay_after_later_runs() {
    let plan = Plan::new(sample()).unwrap();
    let mut state = State::default();
    Lane::with(|lane| {
        let first = plan.run(lane, &mut state, &[array(&[1.0, 2.0]), array(&[3.0, 4.0])]).unwrap();
        for k in 0..5 {
            plan.run(lane, &mut state, &[array(&[f64::from(k); 2]), array(&[0.0; 2])]).unwrap();
        }
        assert_eq!(values(&first[1]), [8.0, 3.0]);
    });
}

#[test]
fn runs_into_the_callers_arrays_use_their_memory() {
    let plan = Plan::new(sample()).unwrap();
    let mut state = State::default();
    Lane::with(|lane| {
        let inputs = [array(&[1.0, 2.0]), array(&[3.0, 4.0])];
        let mut outputs = [array(&[0.0; 2]), array(&[0.0; 2])];
        let at = |d: &Datum| d.array().unwrap().as_ptr();
        let before = [at(&outputs[0]), at(&outputs[1])];
        for _ in 0..3 {
            plan.run_into(lane, &mut state, &inputs, &Limits::default(), &mut outputs).unwrap();
            assert_eq!(values(&outputs[1]), [8.0, 3.0]);
            assert_eq!([at(&outputs[0]), at(&outputs[1])], before);
        }
        // An array that somebody else sees is not written to, and one of another shape is replaced.
        let seen = outputs[1].clone();
        outputs[0] = array(&[0.0]);
        let other = [array(&[5.0, 6.0]), array(&[1.0, 1.0])];
        plan.run_into(lane, &mut state, &other, &Limits::default(), &mut outputs).unwrap();
        assert_eq!((values(&seen), values(&outputs[1])), (vec![8.0, 3.0], vec![6.0, 5.0]));
        assert_eq!(values(&outputs[0]).len(), 2);
    });
}

#[test]
fn wrong_inputs_are_told_by_name() {
    let plan = Plan::new(sample()).unwrap();
    Lane::with(|lane| {
        let run = |inputs: &[Datum]| plan.run(lane, &mut State::default(), inputs).unwrap_err().to_string();
        assert_eq!(run(&[array(&[1.0])]), "the graph has 2 inputs, 1 given");
        let single = Array::from_slice(&[1.0f32]).unwrap();
        assert_eq!(run(&[array(&[1.0]), single.into()]), "input y: expected float64, found float32 [1]");
        let message = run(&[array(&[1.0, 2.0]), array(&[1.0, 2.0, 3.0])]);
        assert!(message.starts_with("node product: multiply: "), "{message}");
    });
}

#[test]
fn axes_of_one_name_are_equally_long() {
    let mut g = Graph::default();
    let named = || Fact::new(DType::F64, [Dim::Named("n".into())]);
    let (x, y) = (g.input("x", named()), g.input("y", named()));
    let sum = g.add("", Call::ufunc(&ufuncs::ADD), &[Some(x), Some(y)], 1).unwrap()[0];
    g.output(sum);
    assert_eq!(
        g.to_string(),
        "graph (%x: float64 [n], %y: float64 [n]) {\n    %2: float64 [n] = add(%x, %y)\n    return %2\n}\n"
    );
    let plan = Plan::new(g).unwrap();
    Lane::with(|lane| {
        let run = |x: &[f64], y: &[f64]| plan.run(lane, &mut State::default(), &[array(x), array(y)]);
        assert_eq!(values(&run(&[1.0, 2.0], &[3.0, 4.0]).unwrap()[0]), [4.0, 6.0]);
        let error = run(&[1.0, 2.0], &[3.0]).unwrap_err().to_string();
        assert_eq!(error, "input y: expected float64 [n] with n = 2 as in an input before, found [1]");
    });
}

#[test]
fn what_cannot_run_is_told_when_it_is_added() {
    let mut g = Graph::default();
    let x = g.input("x", Fact::known(DType::F64, &[2, 3]));
    let y = g.input("y", Fact::known(DType::F64, &[4]));
    let error = g.add("a", Call::ufunc(&ufuncs::ADD), &[Some(x), Some(y)], 1).unwrap_err().to_string();
    assert_eq!(error, "node a: add: shapes do not broadcast: float64 [2, 3] and float64 [4]");
}

#[test]
fn a_run_ends_when_it_is_told_to() {
    let plan = Plan::new(sample()).unwrap();
    let cancel = Cancel::default();
    let inputs = [array(&[1.0]), array(&[1.0])];
    Lane::with(|lane| {
        let mut state = State::default();
        let past = Limits {
            deadline: Some(Instant::now() - Duration::from_secs(1)),
            cancel: Some(&cancel),
            ..Limits::default()
        };
        assert!(matches!(plan.run_within(lane, &mut state, &inputs, &past), Err(GraphError::Deadline)));
        cancel.cancel();
        let limits = Limits { cancel: Some(&cancel), ..Limits::default() };
        assert!(matches!(plan.run_within(lane, &mut state, &inputs, &limits), Err(GraphError::Cancelled)));
        cancel.reset();
        assert!(plan.run_within(lane, &mut state, &inputs, &limits).is_ok());
    });
}

#[test]
fn passes_leave_what_is_computed() {
    let mut g = Graph::default();
    let x = g.input("x", Fact::of_dtype(DType::F64));
    let two = g.constant("two", Array::from_vec(vec![2.0], &[]).unwrap().into());
    let three = g.constant("three", Array::from_vec(vec![3.0], &[]).unwrap().into());
    let six = g.add("", Call::ufunc(&ufuncs::MULTIPLY), &[Some(two), Some(three)], 1).unwrap()[0];
    let a = g.add("", Call::ufunc(&ufuncs::MULTIPLY), &[Some(x), Some(six)], 1).unwrap()[0];
    let b = g.add("", Call::ufunc(&ufuncs::MULTIPLY), &[Some(x), Some(six)], 1).unwrap()[0];
    let unread = g.add("", Call::ufunc(&ufuncs::SIN), &[Some(b)], 1).unwrap()[0];
    let out = g.add("", Call::ufunc(&ufuncs::ADD), &[Some(a), Some(b)], 1).unwrap()[0];
    g.output(out);
    g.output(six);
    let _ = unread;
    let plain = Plan::new(g.clone()).unwrap();
    Lane::with(|lane| {
        passes::optimize(lane, &mut g).unwrap();
        assert_eq!(g.nodes().len(), 1, "both have the shape of x, whatever it is");
        let fast = Plan::new(g).unwrap();
        for x in [1.5, -0.0, f64::NAN] {
            let run = |p: &Plan| p.run(lane, &mut State::default(), &[array(&[x])]).unwrap();
            let (a, b) = (run(&plain), run(&fast));
            assert_eq!(values(&a[0])[0].to_bits(), values(&b[0])[0].to_bits());
            assert_eq!(values(&a[1]), [6.0]);
        }
    });
}

/// Of an operand that may be smaller than the result nothing is computed more than once.
#[test]
fn what_may_be_repeated_is_not_fused() {
    let mut g = Graph::default();
    let [x, y] = ["x", "y"].map(|name| g.input(name, Fact::of_dtype(DType::F64)));
    let add = |g: &mut Graph, f, of: &[ValueId]| {
        let of: Vec<_> = of.iter().copied().map(Some).collect();
        g.add("", Call::ufunc(f), &of, 1).unwrap()[0]
    };
    let e = add(&mut g, &ufuncs::EXP, &[x]);
    let sum = add(&mut g, &ufuncs::ADD, &[e, y]);
    let out = add(&mut g, &ufuncs::TANH, &[sum]);
    g.output(out);
    Lane::with(|lane| passes::optimize(lane, &mut g).unwrap());
    let names: Vec<&str> = g.nodes().iter().map(|n| n.op.name()).collect();
    assert_eq!(names, ["exp", "add+tanh"]);
}

/// `sin(x) * 2 + x * y` through a value that is read twice, and one that is an output.
#[test]
fn fused_groups_give_the_same_bits() {
    for rows in [1usize, 3, 300] {
        let mut g = Graph::default();
        let x = g.input("x", Fact::known(DType::F64, &[rows, 70]));
        let y = g.input("y", Fact::known(DType::F64, &[70]));
        let two = g.constant("two", Array::from_vec(vec![2.0], &[]).unwrap().into());
        let sin = g.add("", Call::ufunc(&ufuncs::SIN), &[Some(x)], 1).unwrap()[0];
        let twice = g.add("", Call::ufunc(&ufuncs::MULTIPLY), &[Some(sin), Some(two)], 1).unwrap()[0];
        let xy = g.add("", Call::ufunc(&ufuncs::MULTIPLY), &[Some(x), Some(y)], 1).unwrap()[0];
        let sum = g.add("", Call::ufunc(&ufuncs::ADD), &[Some(twice), Some(xy)], 1).unwrap()[0];
        let e = g.add("", Call::ufunc(&ufuncs::EXP), &[Some(sum)], 1).unwrap()[0];
        let less = g.add("", Call::ufunc(&ufuncs::SUBTRACT), &[Some(e), Some(sum)], 1).unwrap()[0];
        g.output(less);
        g.output(xy);
        let plain = Plan::new(g.clone()).unwrap();
        Lane::with(|lane| {
            passes::optimize(lane, &mut g).unwrap();
            let names: Vec<&str> = g.nodes().iter().map(|n| n.op.name()).collect();
            assert_eq!(names, ["multiply", "sin+multiply+add+exp+subtract"]);
            let fast = Plan::new(g).unwrap();
            let x: Vec<f64> = (0..rows * 70).map(|i| (i as f64 * 0.37).sin() * 9.0).collect();
            let y: Vec<f64> = (0..70).map(|i| f64::from(i) - 35.0).collect();
            let inputs = [Array::from_vec(x, &[rows, 70]).unwrap().into(), Array::from_vec(y, &[70]).unwrap().into()];
            for _ in 0..2 {
                let run = |p: &Plan| p.run(lane, &mut State::default(), &inputs).unwrap();
                let (a, b) = (run(&plain), run(&fast));
                let bits = |d: &Datum| values(d).iter().map(|v| v.to_bits()).collect::<Vec<_>>();
                assert_eq!((bits(&a[0]), bits(&a[1])), (bits(&b[0]), bits(&b[1])));
            }
        });
    }
}

#[test]
fn threads_share_a_runner() {
    let runner = Runner::new(Arc::new(Plan::new(sample()).unwrap())).measuring(Measure::Nodes);
    std::thread::scope(|threads| {
        for k in 0..8u32 {
            let runner = &runner;
            threads.spawn(move || {
                for round in 0..50u32 {
                    let n = 1 + ((k + round) % 5) as usize;
                    let inputs = [array(&vec![f64::from(k); n]), array(&vec![f64::from(round); n])];
                    let out = runner.run(&inputs, &Limits::default()).unwrap();
                    assert_eq!(values(&out[1]), vec![f64::from(k) * f64::from(round); n]);
                }
            });
        }
    });
    assert_eq!(runner.latency().runs, 400);
    assert!(runner.latency().quantile(0.5) <= runner.latency().quantile(1.0));
    let profile = runner.profile();
    assert_eq!(profile.iter().map(|t| t.runs).collect::<Vec<_>>(), [400; 5]);
    assert!(profile.iter().any(|t| t.node == "product" && t.op == "multiply"));
    assert!(runner.memory().lanes >= 1 && runner.memory().values > 0);
    assert!(runner.trim() >= 1);
    assert_eq!((runner.trim(), runner.memory().lanes), (0, 0));
}
