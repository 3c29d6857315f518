//! One function of each family, called by name with the arguments of its row.

use freelane::{Array, DType, Function, Lane, Scalar, Value};
use freelane_benches::marked::{Run, Seen, run};
use std::hint::black_box;

/// Elements of an array in the cases, and the side of a matrix.
const N: usize = 100;
const SIDE: usize = 12;

/// A function called with a lane's own arguments.
fn call(how: Run, namespace: &str, name: &str, arguments: impl Fn() -> Vec<Value> + Sync) -> Seen {
    call_with(how, namespace, name, &[], arguments)
}

/// The same, with whole numbers by name.
fn call_with(
    how: Run,
    namespace: &str,
    name: &str,
    numbers: &[(&'static str, i128)],
    arguments: impl Fn() -> Vec<Value> + Sync,
) -> Seen {
    let found = freelane::functions().find(|(n, f)| *n == namespace && f.name() == name);
    let function: Function = found.map(|(_, f)| f).expect("a case names a function");
    run(how, |_| {
        let arguments = arguments();
        let named: Vec<_> = numbers.iter().map(|&(name, n)| (name, Value::Scalar(Scalar::Int(n)))).collect();
        move |_| {
            let made = Lane::with(|lane| function.call(lane, &arguments, &named));
            drop(black_box(made.unwrap_or_else(|e| panic!("a case's operands fit its function: {e}"))));
        }
    })
}

fn array(array: Result<Array, freelane::OpsError>) -> Value {
    Value::Array(array.expect("a case allocates little"))
}

/// Numbers in no order.
fn scattered() -> Value {
    let values: Vec<f64> = (0..N).map(|i| (i * 37 % N) as f64 + 0.5).collect();
    array(Array::from_slice(&values))
}

/// A matrix that can be solved with: large on its diagonal.
fn matrix() -> Value {
    let values: Vec<f64> =
        (0..SIDE * SIDE).map(|i| (i * 37 % 11) as f64 * 0.1 + if i % (SIDE + 1) == 0 { 9.0 } else { 0.0 }).collect();
    array(Array::from_vec(values, &[SIDE, SIDE]))
}

pub fn elementwise(how: Run) -> Seen {
    call(how, "", "exp", || vec![scattered()])
}

pub fn reduction(how: Run) -> Seen {
    call(how, "", "var", || vec![scattered()])
}

pub fn scan(how: Run) -> Seen {
    call(how, "", "cumulative_sum", || vec![scattered()])
}

pub fn sort(how: Run) -> Seen {
    call(how, "", "sort", || vec![scattered()])
}

pub fn unique(how: Run) -> Seen {
    call(how, "", "unique_values", || vec![scattered()])
}

pub fn take(how: Run) -> Seen {
    call(how, "", "take", || vec![scattered(), array(Array::arange(0, N as i64, 3))])
}

pub fn matmul(how: Run) -> Seen {
    call(how, "", "matmul", || vec![matrix(), matrix()])
}

pub fn solve(how: Run) -> Seen {
    call(how, "linalg", "solve", || vec![matrix(), matrix()])
}

pub fn fft(how: Run) -> Seen {
    call(how, "fft", "fft", || vec![array(Array::ones(&[N], DType::C128))])
}

pub fn random(how: Run) -> Seen {
    call_with(how, "random", "normal", &[("seed", 7)], || {
        vec![Value::Tuple(vec![Value::Scalar(Scalar::Int(N as i128))])]
    })
}

pub fn einsum(how: Run) -> Seen {
    call(how, "", "einsum", || vec![Value::Str("ij,kj->ik".to_owned()), matrix(), matrix()])
}
