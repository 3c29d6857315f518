//! Expressions are what calls one after another make: same types, shapes and bits.
use freelane_graph::expr::{Given, Scope, trace};
use freelane_graph::{Datum, Expr, Graph, GraphError, PickItem, Plan, State, passes};
use freelane_ops::{Array, DType, Function, Index, Slice, Value};
use freelane_pool::Lane;

fn bits(x: &Array) -> Vec<u64> {
    x.astype(DType::F64).unwrap().to_vec::<f64>().unwrap().iter().map(|x| x.to_bits()).collect()
}

fn same(found: &Expr, wanted: &Array) {
    assert_eq!((found.dtype(), found.shape()), (wanted.dtype(), wanted.shape()));
    let value = found.value().unwrap();
    assert_eq!((value.dtype(), value.shape()), (wanted.dtype(), wanted.shape()));
    assert_eq!(bits(&value), bits(wanted));
}

fn sample(n: usize) -> Array {
    let value = |i: usize| [0.3 * i as f64 - 7.0, f64::NAN, -0.0, f64::INFINITY][if i % 13 == 5 { i % 4 } else { 0 }];
    Array::from_vec((0..n).map(value).collect(), &[n / 4, 4]).unwrap()
}

#[test]
fn a_chain_has_the_bits_of_calls() {
    for dtype in [DType::F64, DType::F32, DType::F16, DType::I32, DType::U8, DType::Bool] {
        let a = sample(1000).nan_to_num_for_test().astype(dtype).unwrap();
        let x = Expr::from(&a);
        let lazy = (x.sin().unwrap() * 2.0 * x.cos().unwrap() + &x * 3.5).greater(&x).unwrap().where_(&x, 1).unwrap();
        let apart = (&(&(&a.sin().unwrap() * 2.0) * &a.cos().unwrap()) + &(&a * 3.5)).greater(&a).unwrap();
        same(&lazy, &apart.where_(&a, 1).unwrap());
    }
}

trait ForTest {
    fn nan_to_num_for_test(&self) -> Array;
}

impl ForTest for Array {
    /// Numbers that every type holds.
    fn nan_to_num_for_test(&self) -> Array {
        self.isfinite().unwrap().where_(&self.abs().unwrap().minimum(100.0).unwrap(), 1.0).unwrap()
    }
}

#[test]
fn reductions_views_and_products_run_between_groups() {
    let a = sample(64).nan_to_num_for_test();
    let x = Expr::from(&a);
    let centred = &x - x.mean(-1, true).unwrap();
    let lazy = centred.permute_dims(&[1, 0]).unwrap().matmul(&centred).unwrap() / 16.0;
    let apart = &a - &a.mean(-1, true).unwrap();
    let product = apart.permute_dims(&[1, 0]).unwrap().matmul(&apart).unwrap();
    same(&lazy, &(&product / 16.0));
    let row = [Index::At(-1), Index::Range(Slice { start: Some(1), stop: None, step: 2 })];
    same(&(x.index(&row).unwrap() * 2), &(&a.index(&row).unwrap() * 2));
    same(&x.sum(0, false).unwrap().reshape(&[2, -1]).unwrap(), &a.sum(0, false).unwrap().reshape(&[2, 2]).unwrap());
}

#[test]
fn mixed_types_are_converted_inside_the_group() {
    let (i, f) = (Array::arange(0, 600, 1).unwrap(), Array::arange(0, 600, 1).unwrap().astype(DType::F32).unwrap());
    let (x, y) = (Expr::from(&i), Expr::from(&f));
    let lazy = (&x + &y).sqrt().unwrap().astype(DType::F32) * &y;
    same(&lazy, &(&(&i + &f).sqrt().unwrap().astype(DType::F32).unwrap() * &f));
    let graph = optimized(&[Expr::input(i.data().clone()), Expr::input(f.data().clone())], |x| {
        (&x[0] + &x[1]).sqrt().unwrap().astype(DType::F32) * &x[1]
    });
    assert_eq!(graph.nodes().len(), 1, "{graph}");
}

fn optimized(inputs: &[Expr], f: impl Fn(&[Expr]) -> Expr) -> Graph {
    let mut graph = trace(inputs, &[f(inputs)]).unwrap();
    Lane::with(|lane| passes::optimize(lane, &mut graph)).unwrap();
    graph
}

#[test]
fn errors_are_those_of_calls_and_come_at_once() {
    let (x, y) = (Expr::from(sample(8)), Expr::from(sample(12)));
    let late = |e: GraphError| e.to_string();
    assert_eq!(late(x.add(&y).unwrap_err()), sample(8).add(&sample(12)).unwrap_err().to_string());
    let words = Array::arange(0, 3, 1).unwrap().astype(DType::I8).unwrap();
    let wide = Expr::from(&words).add(1000).unwrap_err();
    assert_eq!(late(wide), words.add(1000).unwrap_err().to_string());
    let never = Expr::from(&words).less(1000).unwrap();
    same(&never, &words.less(1000).unwrap());
    assert!(x.matmul(Expr::from(sample(20))).unwrap_err().to_string().contains("matmul"));
}

#[test]
fn shapes_that_elements_decide_stay_open() {
    let a = sample(40);
    let input = Expr::input(a.data().clone());
    let positive = input.greater(0.0).unwrap();
    let part = Lane::with(|lane| input.pick(&Scope::new(lane), vec![PickItem::Bools(1)], &[positive])).unwrap();
    let sum = (&part * 2.0).sum(.., false).unwrap();
    assert!(part.is_open() && !sum.is_open());
    let mut graph = trace(&[input], &[part, sum]).unwrap();
    Lane::with(|lane| passes::optimize(lane, &mut graph)).unwrap();
    let plan = Plan::new(graph).unwrap();
    let other = &a * -1.0;
    let run = |a: &Array| {
        let inputs = [Datum::from(a.clone())];
        Lane::with(|lane| plan.run(lane, &mut State::default(), &inputs)).unwrap()
    };
    for a in [&a, &other] {
        let wanted = a.get_items(&[freelane_ops::IndexItem::Bools(a.greater(0.0).unwrap())]).unwrap();
        let found = run(a);
        assert_eq!(bits(&found[0].array().unwrap().clone().into()), bits(&wanted));
    }
}

#[test]
fn functions_of_several_results_and_of_lists() {
    let a = sample(8).nan_to_num_for_test();
    let x = Expr::from(&a);
    let topk = Function::by_name("modf").unwrap();
    let parts = Lane::with(|lane| Expr::call(&Scope::new(lane), topk, &[Some((&x * 1.5).into())])).unwrap();
    let freelane_graph::expr::Recorded::Many(_, parts) = parts else { panic!("modf makes two arrays") };
    same(&(&parts[0] + &parts[1]), &(&a * 1.5));
    let concat = Function::by_name("concat").unwrap();
    let list = Given::List(vec![(&x).into(), (&x + 1).into()]);
    let axis = Given::Fixed(Value::Scalar(0.into()));
    let joined = Lane::with(|lane| Expr::call(&Scope::new(lane), concat, &[Some(list), Some(axis)])).unwrap();
    same(&joined.one().unwrap(), &freelane_ops::concat(&[&a, &(&a + 1)], 0).unwrap());
}

#[test]
fn long_chains_neither_overflow_the_stack_nor_lose_bits() {
    let a = Array::from_slice(&[1.0, 2.0]).unwrap();
    let mut x = Expr::from(&a);
    for _ in 0..20_000 {
        x = x + 1.0;
    }
    assert_eq!(x.value().unwrap().to_vec::<f64>().unwrap(), [20_001.0, 20_002.0]);
}
