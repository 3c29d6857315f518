//! Arrays: functions that make a new array, functions that write into one, a reduction, and dispatch alone.

use freelane_benches::marked::{Run, Seen, run};
use freelane_ops::{Array, Operand, OpsError, UFunc, ufuncs};
use freelane_pool::Lane;
use std::hint::black_box;

/// Elements of an array in the cases of arrays.
const N: usize = 100;

fn ramp(n: usize) -> Array {
    let values: Vec<f64> = (0..n).map(|i| 0.01 + i as f64).collect();
    Array::from_slice(&values).expect("a case allocates little")
}

fn done<T>(result: Result<T, OpsError>) -> T {
    result.expect("a case's operands fit its function")
}

/// The sine of a lane's own array.
pub fn sin(how: Run) -> Seen {
    run(how, |_| {
        let x = ramp(N);
        move |_| drop(black_box(done(x.sin())))
    })
}

/// The sine of one array that all lanes read.
pub fn sin_of_shared(how: Run) -> Seen {
    let x = ramp(N);
    run(how, |_| |_| drop(black_box(done(x.sin()))))
}

/// The sum of two arrays.
pub fn add(how: Run) -> Seen {
    run(how, |_| {
        let (x, y) = (ramp(N), ramp(N));
        move |_| drop(black_box(done(x.add(&y))))
    })
}

/// The sine, written into an array that is there already.
pub fn sin_into(how: Run) -> Seen {
    into(how, &ufuncs::SIN, N)
}

/// The sum of two arrays, likewise.
pub fn add_into(how: Run) -> Seen {
    into(how, &ufuncs::ADD, N)
}

/// Dispatch and little else: one element.
pub fn dispatch(how: Run) -> Seen {
    into(how, &ufuncs::ADD, 1)
}

fn into(how: Run, function: &UFunc, n: usize) -> Seen {
    run(how, |_| {
        let (x, mut out) = (ramp(n), ramp(n));
        move |_| {
            let operands: [Operand<'_>; 2] = [(&x).into(), (&x).into()];
            done(Lane::with(|lane| function.call_into(lane, &operands[..function.arity()], out.data_mut())));
            black_box(&out);
        }
    })
}

/// The sum of an array's elements.
pub fn sum(how: Run) -> Seen {
    run(how, |_| {
        let x = ramp(N);
        move |_| drop(black_box(done(x.sum(.., false))))
    })
}
