//! What does a call cost beside its arithmetic, on one lane and on all?
//!
//! `call/NAME/N`: a whole call from Rust on arrays of N doubles, dispatch, shapes and storage included; `.../out` writes
//! into an array that exists.
use freelane_benches::pinned::bench;
use freelane_ops::{Array, DType, UFunc, ufuncs};
use freelane_pool::Lane;
use std::hint::black_box;

fn main() {
    for n in [1, 100, 10_000] {
        for f in [&ufuncs::ADD, &ufuncs::SIN] {
            bench(&format!("call/{}/{n}/out", f.name), |_| into(f, n));
            bench(&format!("call/{}/{n}", f.name), |_| fresh(f, n));
        }
        bench(&format!("call/sum/{n}"), |_| {
            let x = ones(n);
            move || drop(black_box(x.sum(.., false).expect("a sum")))
        });
        bench(&format!("call/x += zeros_like(x)/{n}"), |_| {
            let mut x = ones(n);
            move || x += &x.zeros_like().expect("memory")
        });
    }
}

fn ones(n: usize) -> Array {
    Array::ones(&[n], DType::F64).expect("memory")
}

fn fresh(f: &'static UFunc, n: usize) -> impl FnMut() {
    let x = ones(n);
    move || {
        let x = &black_box(&x);
        let args = [(*x).into(), (*x).into()];
        drop(black_box(Lane::with(|lane| f.call(lane, &args[..f.arity()])).expect("a result")));
    }
}

fn into(f: &'static UFunc, n: usize) -> impl FnMut() {
    let (x, mut out) = (ones(n), ones(n));
    move || {
        let x = &black_box(&x);
        let args = [(*x).into(), (*x).into()];
        Lane::with(|lane| f.call_into(lane, &args[..f.arity()], out.data_mut())).expect("a result");
    }
}
