//! Functions that become plans: the bits of calls, one plan for each signature, from any number of threads.
use freelane_graph::{Datum, fuse};
use freelane_ops::{Array, DType};

fn sample(n: usize, k: usize) -> Array {
    Array::from_vec((0..n).map(|i| (i % 97) as f64 * 0.37 + k as f64 - 11.0).collect(), &[n]).unwrap()
}

fn bits(x: &Array) -> Vec<u64> {
    x.to_vec::<f64>().unwrap().iter().map(|x| x.to_bits()).collect()
}

#[test]
fn one_node_and_the_bits_of_calls_at_every_length() {
    let f = fuse(|[a, b, c, d]| a * b + c - d);
    for n in [1, 2, 100, 255, 256, 257, 1000, 10_001] {
        let x: Vec<Array> = (0..4).map(|k| sample(n, k)).collect();
        let wanted = &(&(&x[0] * &x[1]) + &x[2]) - &x[3];
        let found = f.call([&x[0], &x[1], &x[2], &x[3]]).unwrap();
        assert_eq!(bits(&found[0]), bits(&wanted), "n = {n}");
        let data = [0, 1, 2, 3].map(|k| Datum::from(x[k].clone()));
        let mut out = [Datum::from(Array::zeros(&[n], DType::F64).unwrap())];
        let at = out[0].array().unwrap().as_ptr();
        f.call_into(&data, &mut out).unwrap();
        assert_eq!(
            (out[0].array().unwrap().as_ptr(), bits(&out[0].array().unwrap().clone().into())),
            (at, bits(&wanted))
        );
    }
    let x = sample(10, 0);
    assert_eq!(f.graph([&x, &x, &x, &x]).unwrap().nodes().len(), 1);
    assert_eq!(f.plans(), 9);
}

#[test]
fn strides_broadcasting_and_other_outputs_go_the_long_way() {
    let f = fuse(|[a, b]| (&a * &b + 1.0, (a - b).sqrt().unwrap()));
    let x = sample(60, 3).reshape(&[6, 10]).unwrap();
    let column = sample(6, 1).reshape(&[6, 1]).unwrap();
    for (a, b) in [(&x.t().t(), &column), (&x.flip(..).unwrap(), &x), (&x.t(), &x.t())] {
        let found = f.call([a, b]).unwrap();
        assert_eq!(bits(&found[0]), bits(&(&(a * b) + 1.0)));
        assert_eq!(bits(&found[1]), bits(&(a - b).sqrt().unwrap()));
    }
    let g = fuse(|[a]| a * 2.0);
    let mut wrong = [Datum::from(Array::zeros(&[3], DType::F32).unwrap())];
    g.call_into(&[sample(5, 0).into()], &mut wrong).unwrap();
    assert_eq!(bits(&wrong[0].array().unwrap().clone().into()), bits(&(&sample(5, 0) * 2.0)));
    let kept: Datum = Array::zeros(&[5], DType::F64).unwrap().into();
    let mut shared = [kept.clone()];
    g.call_into(&[sample(5, 0).into()], &mut shared).unwrap();
    assert_eq!(bits(&kept.array().unwrap().clone().into()), [0; 5], "what others see is not written");
}

#[test]
fn threads_share_a_function_and_its_errors_name_the_operation() {
    let f = fuse(|[x, y]| x.sin()?.matmul(y));
    let (x, y) = (sample(64, 0).reshape(&[8, 8]).unwrap(), sample(8, 1));
    let wanted = bits(&x.sin().unwrap().matmul(&y).unwrap());
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| (0..50).for_each(|_| assert_eq!(bits(&f.call([&x, &y]).unwrap()[0]), wanted)));
        }
    });
    assert_eq!(f.plans(), 1);
    let e = f.call([&x, &sample(9, 0)]).unwrap_err().to_string();
    assert!(e.contains("matmul"), "{e}");
}

#[test]
fn limits_reach_plans_of_one_program() {
    let f = freelane_graph::fuse(|[x]| (x * 2.0).square().unwrap());
    let x = freelane_ops::Array::ones(&[4], freelane_ops::DType::F64).unwrap();
    let plan = std::sync::Arc::new(freelane_graph::Plan::new(f.graph([&x]).unwrap()).unwrap());
    let runner = freelane_graph::Runner::new(plan);
    let cancel = freelane_graph::Cancel::default();
    cancel.cancel();
    let limits = freelane_graph::Limits { cancel: Some(&cancel), ..Default::default() };
    let mut out = [freelane_graph::Datum::from(freelane_ops::Array::ones(&[4], freelane_ops::DType::F64).unwrap())];
    let told = runner.run_into(&[x.into()], &limits, &mut out).unwrap_err();
    assert!(matches!(told, freelane_graph::GraphError::Cancelled));
    let left = freelane_ops::Array::from(out[0].array().unwrap().clone()).to_vec::<f64>().unwrap();
    assert_eq!(left, [1.0; 4], "what is cancelled writes nothing");
}

#[test]
fn what_began_before_all_was_forgotten_is_not_kept() {
    let lengths = freelane_graph::Signatures::new(2);
    let (old, key) = (lengths.epoch(), [1, 2]);
    lengths.add(old, &key, "two");
    let found = lengths.find(0, &key).unwrap();
    lengths.clear();
    assert_eq!(*found, "two");
    drop(found);
    assert!(lengths.find(0, &key).is_none());
    lengths.add(old, &key, "late");
    assert!(lengths.find(0, &key).is_none() && lengths.is_empty());
}
