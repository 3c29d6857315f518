//! What does a chain of elementwise functions cost: fused, one call after another, and in a loop written by hand?
//!
//! `chain/EXPRESSION/N/WAY`: `plan` runs a fused graph into an array that exists, `calls` does one operation at a time with
//! fresh results, `loop` is the plain loop over the same arrays. Doubles, one lane.
use freelane_benches::pinned::bench;
use freelane_graph::{Call, Datum, Fact, Graph, Limits, Plan, Runner, ValueId, passes};
use freelane_ops::{Array, DType, UFunc, ufuncs};
use freelane_pool::Lane;
use std::hint::black_box;
use std::sync::Arc;

fn main() {
    for n in [1usize, 100, 10_000, 10_000_000] {
        bench(&format!("chain/a*b+c-d/{n}/plan"), |_| planned(n, 4, arithmetic));
        bench(&format!("chain/a*b+c-d/{n}/calls"), |_| {
            let x = arrays(n, 4);
            move || drop(black_box(&(&(&x[0] * &x[1]) + &x[2]) - &x[3]))
        });
        bench(&format!("chain/a*b+c-d/{n}/loop"), |_| by_hand(n));
        bench(&format!("chain/2*sin(x)*cos(y)+x*y/{n}/plan"), |_| planned(n, 2, waves));
        bench(&format!("chain/2*sin(x)*cos(y)+x*y/{n}/calls"), |_| {
            let x = arrays(n, 2);
            move || {
                let (sin, cos) = (x[0].sin().expect("memory"), x[1].cos().expect("memory"));
                drop(black_box(&(&(&sin * 2.0) * &cos) + &(&x[0] * &x[1])));
            }
        });
    }
}

fn arrays(n: usize, count: usize) -> Vec<Array> {
    let value = |k: usize| move |i: usize| (i % 1000) as f64 * 0.01 + k as f64;
    (0..count).map(|k| Array::from_vec((0..n).map(value(k)).collect(), &[n]).expect("memory")).collect()
}

type Make = fn(&mut dyn FnMut(&'static UFunc, &[ValueId]) -> ValueId, &[ValueId], ValueId) -> ValueId;

fn arithmetic(add: &mut dyn FnMut(&'static UFunc, &[ValueId]) -> ValueId, x: &[ValueId], _: ValueId) -> ValueId {
    let ab = add(&ufuncs::MULTIPLY, &[x[0], x[1]]);
    let abc = add(&ufuncs::ADD, &[ab, x[2]]);
    add(&ufuncs::SUBTRACT, &[abc, x[3]])
}

fn waves(add: &mut dyn FnMut(&'static UFunc, &[ValueId]) -> ValueId, x: &[ValueId], two: ValueId) -> ValueId {
    let (sin, cos) = (add(&ufuncs::SIN, &[x[0]]), add(&ufuncs::COS, &[x[1]]));
    let twice = add(&ufuncs::MULTIPLY, &[two, sin]);
    let product = add(&ufuncs::MULTIPLY, &[twice, cos]);
    let xy = add(&ufuncs::MULTIPLY, &[x[0], x[1]]);
    add(&ufuncs::ADD, &[product, xy])
}

fn planned(n: usize, count: usize, make: Make) -> impl FnMut() {
    let mut graph = Graph::default();
    let inputs: Vec<ValueId> = (0..count).map(|_| graph.input("", Fact::known(DType::F64, &[n]))).collect();
    let two = graph.constant("", Array::from_vec(vec![2.0], &[]).expect("memory").into());
    let mut add = |f: &'static UFunc, x: &[ValueId]| {
        let x: Vec<Option<ValueId>> = x.iter().copied().map(Some).collect();
        graph.add("", Call::ufunc(f), &x, 1).expect("shapes fit")[0]
    };
    let out = make(&mut add, &inputs, two);
    graph.output(out);
    Lane::with(|lane| passes::optimize(lane, &mut graph)).expect("passes");
    assert_eq!(graph.nodes().len(), 1, "the chain is one group");
    let runner = Runner::new(Arc::new(Plan::new(graph).expect("a plan")));
    let x: Vec<Datum> = arrays(n, count).into_iter().map(Datum::from).collect();
    let mut out = [Datum::from(Array::zeros(&[n], DType::F64).expect("memory"))];
    move || runner.run_into(black_box(&x), &Limits::default(), &mut out).expect("a result")
}

fn by_hand(n: usize) -> impl FnMut() {
    let x: Vec<Vec<f64>> = arrays(n, 4).iter().map(|a| a.to_vec().expect("doubles")).collect();
    let mut out = vec![0.0; n];
    move || {
        let [a, b, c, d] = &x[..] else { unreachable!("four arrays") };
        for ((((o, a), b), c), d) in black_box(&mut out).iter_mut().zip(a).zip(b).zip(c).zip(d) {
            *o = a * b + c - d;
        }
    }
}
